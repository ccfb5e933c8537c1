"""One stream of a bot: its frames, in order, to the sessions and matches they are for."""

from typing import Protocol

import structlog

from referee.app.blame import Cut
from referee.app.dispatcher import Dispatcher
from referee.app.holding import Holding
from referee.app.instances import Instance
from referee.app.session import Session
from referee.match.inputs import (
    Answer,
    BombDecision,
    CallRequest,
    Decision,
    Fault,
    MalformedDecision,
    PlayDecision,
    StandDownRequest,
    Tick,
)
from referee.match.step import Ack, Refused
from referee.match.values import AckStatus, Ending, WireRefusal
from referee.ports import (
    AnswerIn,
    CallIn,
    ClosingCode,
    FieldFault,
    Frame,
    Hello,
    ResignIn,
    SeatLink,
    StandDownIn,
    Status,
    StreamEnd,
)
from referee.rules.options import second_hands
from referee.rules.seat import Seat

_log = structlog.get_logger("referee.streams")


class Door(Protocol):
    """What a stream needs of the service: the handshake, and the ways to leave."""

    def hello(self, stream: "Stream", hello: Hello) -> None:
        """Accept or refuse the first frame."""

    def goodbye(self, stream: "Stream", text: str) -> None:
        """The bot ends its session on purpose."""

    def lost(self, stream: "Stream", cut: Cut) -> None:
        """The stream ended without Goodbye."""

    def flooded(self, session: Session) -> None:
        """The bot sent more than the limits allow."""


class Stream:
    """One stream. `session` is set from an accepted Hello to the stream's end."""

    def __init__(
        self, door: Door, desk: Dispatcher, link: SeatLink, instance: Instance | None
    ) -> None:
        self.link = link
        self.instance = instance  # None: open identity, decided at Hello
        self.session: Session | None = None
        self.ended = False
        self._held_back = False  # it was read slower than it sent
        self._door = door
        self._desk = desk
        desk.meter.stream_opened()

    # --- what the transport calls

    def receive(self, data: bytes) -> int:
        """Take one frame, as soon as it is read.

        Return for how many nanoseconds the next is not to be read: 0, unless the bot sends more
        than it may.
        """
        if self.ended:
            return 0
        stamp = self._desk.begin()
        if self.session is None and self._shut_out(stamp):
            return 0
        frame = self._desk.codec.decode(data, self._desk.limits.items_per_frame)
        if isinstance(frame, FieldFault):
            if self.session is None:
                self._wasted(1, stamp)
            self.break_off(frame)
        elif self.session is None:
            return self._first(frame, stamp)
        else:
            return self._next(self.session, frame, stamp)
        return 0

    def lost(self) -> None:
        """The stream ended by the peer or the network."""
        if not self.ended:
            self.close(StreamEnd(status=Status.LOST))
            self._door.lost(self, Cut.LINK)

    def hold_ns(self) -> int:
        """Return for how long the next frame is still not to be read, after the wait for it.

        Not 0 while the store is away and the bot has said more than it has to.
        """
        session, outage = self.session, self._desk.outage
        if session is None or not outage.paused or not session.said_enough(outage.count):
            return 0
        return self._desk.limits.store_retry_ns

    # --- how it ends

    def fail(self, error_id: str) -> None:
        """We failed this stream: the bot is told an id and nothing more, and may come back."""
        if not self.ended:
            self.close(StreamEnd(status=Status.INTERNAL, text=f"internal error {error_id}"))
            self._door.lost(self, Cut.OURS)

    def close(self, end: StreamEnd) -> None:
        """End the stream; nothing that it sends later counts."""
        if not self.ended:
            self.ended = True
            self._desk.meter.stream_closed(end.status)
            self.link.end(end)

    def close_with(self, code: ClosingCode, text: str, *, retry: bool, status: Status) -> None:
        """Say why, then end the stream."""
        if not self.ended:
            self.link.send(self._desk.codec.closing(code, text, retry=retry))
            self.close(StreamEnd(status=status, text=text))

    def break_off(self, fault: FieldFault) -> None:
        """A frame broke the protocol: say which field, end the stream, keep the seats."""
        text = f"{fault.field}: {fault.text}"
        if not self.ended:
            if self.session is not None:
                self.link.send(self._desk.codec.closing(ClosingCode.PROTOCOL, text, retry=True))
            self.close(StreamEnd(status=Status.INVALID_ARGUMENT, text=text, field=fault.field))
            self._door.lost(self, Cut.PROTOCOL)

    # --- frames

    def _first(self, frame: Frame, stamp: int) -> int:
        """Take a Hello, and what may come with it. It costs as much as any other frame."""
        if frame.hello is None:
            self.break_off(FieldFault("hello", "not set; the first frame must hold a Hello"))
        elif isinstance(frame.hello, FieldFault):
            self.break_off(frame.hello)
        elif self._too_soon(stamp):
            text = "you come back faster than you can be told where you were; come in a second"
            self.close(StreamEnd(status=Status.UNAVAILABLE, text=text))
        else:
            self._door.hello(self, frame.hello)
        session = self.session
        if session is None:
            self._wasted(frame.items, stamp)
            return 0
        if session.holdings:  # each is told anew
            session.throttle.tell(len(session.holdings), stamp)
        return self._take(session, frame, stamp)

    def _shut_out(self, stamp: int) -> bool:
        """True for a bot that flooded just now: what it sends is not even decoded."""
        throttle = self.instance.throttle if self.instance is not None else None
        if throttle is None or not throttle.flooding(stamp):
            return False
        text = "more frames than the limits allow; come back in ten seconds"
        self.close_with(ClosingCode.FLOODING, text, retry=False, status=Status.RESOURCE_EXHAUSTED)
        return True

    def _too_soon(self, stamp: int) -> bool:
        """True while an earlier stream's tellings are not paid for: the next ones cost as much.

        No fault: a bot in a loop of crashes keeps its seats, and is let in as often as it may be.
        """
        throttle = self.instance.throttle if self.instance is not None else None
        return throttle is not None and throttle.told_lately(stamp)

    def _wasted(self, items: int, stamp: int) -> None:
        """A stream that is not let in costs its bot as much as one that is."""
        instance = self.instance
        if instance is None or instance.throttle is None:
            return
        instance.throttle.take(items, stamp)
        if instance.throttle.flooding(stamp) and instance.session is not None:
            self._door.flooded(instance.session)

    def _next(self, session: Session, frame: Frame, stamp: int) -> int:
        if frame.hello is not None:
            text = "hello: only the first frame of a stream may hold one"
            session.refuse(WireRefusal.MALFORMED, text)
        return self._take(session, frame, stamp)

    def _take(self, session: Session, frame: Frame, stamp: int) -> int:
        self._desk.meter.frame_read(frame.items)
        wait = session.replied(frame.items, stamp)
        if frame.items > self._desk.limits.items_per_frame or session.throttle.flooding(stamp):
            self._door.flooded(session)
            return 0
        if wait:
            self._throttled(session, wait)
        if frame.pong is not None:
            # not the stamp, which may be earlier: a lag measured too short would make a bot late,
            # and one too long does no harm, since the smallest counts
            session.pong(frame.pong, self._desk.clock.now())
        self._items(session, frame)
        outage = self._desk.outage
        if outage.paused:
            session.count_untold(frame.items, outage.count)
            return max(wait, self.hold_ns())
        return wait

    def _throttled(self, session: Session, wait: int) -> None:
        self._desk.meter.throttled(wait)
        if not self._held_back:
            self._held_back = True
            _log.info("throttled", instance=session.instance.id, name=session.name)

    def _items(self, session: Session, frame: Frame) -> None:
        for answer in frame.answers:
            self._answer(session, answer)
        for call in frame.calls:
            self._call(session, call)
        for stand_down in frame.stand_downs:
            self._stand_down(session, stand_down)
        for resign in frame.resigns:
            self._resign(session, resign)
        if frame.goodbye is not None:
            self._door.goodbye(self, frame.goodbye)

    def _holding(self, session: Session, number: int, **subject: int) -> Holding | None:
        """Return the holding with this number; where there is none the item is answered."""
        holding = session.holdings.get(number)
        if holding is None:
            self._no_match(session, number, **subject)
        elif holding.match.waiting:
            text = f"match: {number} waits for its other seats; answer when you hear of it again"
            session.refuse(WireRefusal.NOT_YOUR_ASK, text, **subject)
            return None
        return holding

    def _answer(self, session: Session, answer: AnswerIn) -> None:
        holding = self._holding(session, answer.match, ask_id=answer.ask_id)
        if holding is None:
            return
        if answer.ask_id > holding.asked and self._is_put(holding, answer.ask_id):
            self._not_sent(session, holding, answer)
        else:
            decision = _as_listed(session, answer.decision)
            self._desk.feed(holding.match, Answer(holding.seat, answer.ask_id, decision))

    def _is_put(self, holding: Holding, ask_id: int) -> bool:
        """True for an ask that waits to be sent, also for one that comes of what is due by now."""
        self._desk.feed(holding.match, Tick())
        return holding.was_put(ask_id)

    def _call(self, session: Session, call: CallIn) -> None:
        if isinstance(call.call, FieldFault):
            fault = f"{call.call.field}: {call.call.text}"
            self._malformed(session, call.match, call.request_id, fault)
        elif (holding := self._for_hand(session, call, "call")) is not None:
            what = CallRequest(
                seat=holding.seat,
                call=call.call,
                request_id=call.request_id,
                for_seat=_other_hand(call, holding),
            )
            self._desk.feed(holding.match, what)

    def _stand_down(self, session: Session, stand_down: StandDownIn) -> None:
        holding = self._for_hand(session, stand_down, "stand_down")
        if holding is not None:
            what = StandDownRequest(
                seat=holding.seat,
                request_id=stand_down.request_id,
                for_seat=_other_hand(stand_down, holding),
            )
            self._desk.feed(holding.match, what)

    def _resign(self, session: Session, resign: ResignIn) -> None:
        holding = self._holding(session, resign.match, request_id=resign.request_id)
        if holding is not None:
            fault = Fault(seat=holding.seat, ending=Ending.RESIGNED, request_id=resign.request_id)
            self._desk.fault(holding.match, fault)

    def _for_hand(self, session: Session, item: CallIn | StandDownIn, name: str) -> Holding | None:
        """Return whose request it is; one for a hand that its player never has is refused."""
        holding = self._holding(session, item.match, request_id=item.request_id)
        if holding is None or item.for_seat is None or item.for_seat == holding.seat:
            return holding
        if item.for_seat in second_hands(holding.match.config.settings.rules):
            return holding  # whether it is this player's in this round the match knows
        text = f"{name}.for_seat: {item.for_seat} is no hand of this match number; leave it out"
        self._malformed(session, item.match, item.request_id, text)
        return None

    def _malformed(self, session: Session, number: int, request_id: int, text: str) -> None:
        holding = self._holding(session, number, request_id=request_id)
        if holding is not None:
            self._refuse(session, holding, WireRefusal.MALFORMED, text, request_id=request_id)

    def _refuse(
        self, session: Session, holding: Holding, code: WireRefusal, text: str, **subject: int
    ) -> None:
        ack = Ack(seat=holding.seat, status=AckStatus.REFUSED, **subject)
        refused = Refused(seat=holding.seat, code=code, clause="", text=text, **subject)
        self._desk.meter.refused(code)
        holding.add_ack(ack, self._desk.codec)
        holding.add_refused(refused, self._desk.codec)
        session.notify(holding)

    def _not_sent(self, session: Session, holding: Holding, answer: AnswerIn) -> None:
        """The number of an ask that is on its way is a guess, like one that was never put.

        The match does not hear of it, and the record has nothing of it.
        """
        bomb = isinstance(answer.decision, BombDecision)
        code = WireRefusal.WINDOW_CLOSED if bomb else WireRefusal.NOT_YOUR_ASK
        text = f"ask_id: {answer.ask_id} was not sent; answer the numbers of the asks you got"
        self._refuse(session, holding, code, text, ask_id=answer.ask_id)

    def _no_match(self, session: Session, number: int, **subject: int) -> None:
        """An item for a match that is over is stale; one for any other number is refused."""
        if 0 < number < session.next_number:
            codec = self._desk.codec
            ack = Ack(seat=Seat(0), status=AckStatus.STALE, **subject)
            session.send_loose(codec.update(number, [codec.ack_part(ack)]))
        else:
            text = f"match: {number} is no match of this stream"
            session.refuse(WireRefusal.NOT_YOUR_ASK, text, **subject)


def _as_listed(session: Session, decision: Decision) -> Decision:
    """An index into a list that was not sent, since Hello turned it off, means nothing."""
    if session.hello.legal_plays or not isinstance(decision, PlayDecision | BombDecision):
        return decision
    if decision.index is None:
        return decision
    return MalformedDecision(
        text=f"index: {decision.index} has no list; Hello turned it off, so name the cards"
    )


def _other_hand(item: CallIn | StandDownIn, holding: Holding) -> Seat | None:
    """Return the hand that a request names, None for the player's own."""
    if item.for_seat is None or item.for_seat == holding.seat:
        return None
    return Seat(item.for_seat)
