"""A table at which only the bot under examination is real; the others play at random.

Match time stands still while the bot thinks, so nothing is ever late here. What the bot gets are
the frames that `serve` would send it, and what it answers is judged by the machine itself.
"""

import hashlib
import random
from collections import Counter

import msgspec

from referee.check.opponents import Opponents, Temper
from referee.check.story import Story
from referee.match.facts import MatchEnded, RoundEnded
from referee.match.inputs import (
    Answer,
    CallRequest,
    Deal,
    DefaultDecision,
    Fault,
    Handed,
    Input,
    Stalled,
    StandDownRequest,
    Tick,
)
from referee.match.machine import Machine
from referee.match.midway import machine_at
from referee.match.step import Ask, Refused, RoundStarted, Step
from referee.match.values import MS, AskKind, Ending, MatchConfig, Pace, Player, Settings
from referee.ports import AnswerIn, CallIn, Frame, ResignIn, SeatingIn, StandDownIn
from referee.rules.errors import RefereeBug
from referee.rules.options import player_seats, seats
from referee.rules.phases import CallKind
from referee.rules.position import Position
from referee.rules.round import Round
from referee.rules.seat import Seat
from referee.wire.codec import WireCodec

CODEC = WireCodec()


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """What the bot sent and the machine refused."""

    kind: str  # of the ask; "" for a request
    code: str
    text: str


class Table:
    """One match. `seat` is the bot's; `number` is that of the match in its session."""

    def __init__(
        self,
        settings: Settings,
        *,
        number: int = 1,
        seat: int = 0,
        seed: str = "check",
        position: Position | None = None,
        snapshots: bool = True,
        legal_plays: bool = True,
        patient: bool = False,
        temper: Temper = Temper.USUAL,
        caller: int | None = None,
    ) -> None:
        """With a `position` the match begins there.

        `patient`: events wait for the next ask, as Hello said. `caller` is a seat that calls Tichu
        while it owes its exchange.
        """
        n = seats(settings.rules)
        match_id = f"check-{hashlib.sha256(f'{seed}|{number}'.encode()).hexdigest()[:12]}"
        names = ["you" if one == seat else f"proctor {one}" for one in range(n)]
        players = tuple(
            Player(name=name, bot_seed=hashlib.sha256(f"{seed}|{i}".encode()).hexdigest())
            for i, name in enumerate(names)
        )
        self.config = MatchConfig(match_id=match_id, settings=settings, players=players)
        self.machine = Machine(self.config)
        self.number = number
        self.seat = Seat(seat)
        self.answered: Counter[str] = Counter()  # asks that the bot decided, by kind
        self.defaults: Counter[str] = Counter()  # of these by the substitute action
        self.refusals: list[Refusal] = []
        self.statuses: list[tuple[int, str]] = []  # acknowledgements of the bot, by ask
        self.open: dict[int, Ask] = {}  # told and undecided
        self.told: dict[int, Ask] = {}  # all that was told
        self.now = 0
        self.resigned = False
        self._rng = random.Random(f"{seed}|{number}")
        self._others_decide = Opponents(self._rng, temper).decide
        self._seed = seed
        self._position = position
        self._snapshots, self._legal_plays = snapshots, legal_plays
        self._patient = patient
        self._caller = None if caller is None else Seat(caller)
        self._events: list[bytes] = []  # of the round, as the bot sees them
        self._untold: list[bytes] = []
        self._parts: list[bytes] = []
        self._new: list[Ask] = []
        self._seating = True
        self._pressing = True  # what waits has to go out

    @property
    def over(self) -> bool:
        """True after the end of the match."""
        return self.machine.over

    @property
    def rounds(self) -> int:
        """Rounds that are finished."""
        return self.machine.rounds_played

    @property
    def only_bombs(self) -> bool:
        """True where all that the bot owes are bomb asks that end with their window."""
        fair = self.config.settings.pace is Pace.FAIR
        asks = self.open.values()
        return fair and bool(asks) and all(ask.kind is AskKind.BOMB for ask in asks)

    # --- what the bot is sent

    def start(self) -> bytes:
        """Deal, or enter the position; return what the bot is told."""
        if self._position is None:
            self._deal()
        else:
            self._enter(self._position)
        self._run()
        return self.update()

    def update(self) -> bytes:
        """Return the bot's part of a frame since the last one, b"" without any."""
        fresh = [ask for ask in self._new if ask.id in self.open]
        self._new = []
        if self._patient and not (fresh or self._pressing):
            return b""
        parts, self._parts, self._pressing = self._parts, [], False
        if self._untold:
            parts.append(CODEC.event_part(self._untold))
            self._untold = []
        if self._seating:
            parts.append(CODEC.seating_part(SeatingIn(config=self.config, seat=self.seat)))
            self._seating = False
        parts += [self._ask_part(ask) for ask in fresh]
        if fresh and self._snapshots:
            parts.append(self._snapshot_part())
        return CODEC.update(self.number, parts) if parts else b""

    def retell(self) -> bytes:
        """Return what a stream that came back is told: seating, snapshot and the open asks."""
        self._parts, self._untold, self._new, self._seating = [], [], [], False
        parts = [CODEC.seating_part(SeatingIn(config=self.config, seat=self.seat))]
        if self.over:
            parts.insert(0, CODEC.event_part(self._events))
        else:
            parts += [self._ask_part(ask) for ask in self.open.values()]
            parts.append(self._snapshot_part())
        return CODEC.update(self.number, parts)

    def ask_again(self) -> bytes:
        """Return the open asks once more, as they were."""
        parts = [self._ask_part(ask) for ask in self.open.values()]
        return CODEC.update(self.number, [*parts, self._snapshot_part()])

    def lapse(self) -> bool:
        """Let a window close whose bomb asks are all that the bot owes; False where none is."""
        if not self.only_bombs:
            return False
        assert self.machine.due is not None
        self.now = max(self.now, self.machine.due)
        self._step(Tick())
        self._run()
        return True

    def stall(self) -> None:
        """Cancel what is asked and ask it anew, as after a block. The match needs a clock."""
        self._step(Stalled(blocked_ns=1_000 * MS))
        self._run()

    def decide_for_bot(self) -> None:
        """Take the substitute action for each open ask of the bot, as when its time is over."""
        for ask in list(self.open.values()):
            self._step(Answer(self.seat, ask.id, DefaultDecision()))
        self._run()

    def cancel(self) -> bytes:
        """End the match by order; return what the bot is told."""
        self._step(Fault(seat=None, ending=Ending.CANCELLED))
        return self.update()

    def _ask_part(self, ask: Ask) -> bytes:
        if ask.kind is AskKind.BOMB:
            total = ask.window_ns
        else:
            total = None if ask.base_ns is None else ask.base_ns + (ask.bank_ns or 0)
        left = None if total is None else total // MS
        return CODEC.ask_part(ask, time_left_ms=left, legal_plays=self._legal_plays)

    def _snapshot_part(self) -> bytes:
        return CODEC.snapshot_part(self.machine.snapshot(self.seat), self._events)

    # --- what the bot sends

    def take(self, frame: Frame) -> None:
        """Take what a frame of the bot holds for this match; the others then play on."""
        for answer in frame.answers:
            if answer.match == self.number:
                self._answer(answer)
        for call in frame.calls:
            if call.match == self.number:
                self._call(call)
        for stand_down in frame.stand_downs:
            if stand_down.match == self.number:
                self._stand_down(stand_down)
        for resign in frame.resigns:
            if resign.match == self.number:
                self._resign(resign)
        self._run()

    def _answer(self, answer: AnswerIn) -> None:
        ask = self.open.get(answer.ask_id)
        if not self.machine.was_asked(self.seat, answer.ask_id):
            text = f"ask {answer.ask_id} was never put to this seat"
            self.refusals.append(Refusal(kind="", code="NOT_YOUR_ASK", text=text))
            return
        before = len(self.refusals)
        self._step(Answer(self.seat, answer.ask_id, answer.decision), kind=ask)
        if ask is not None and len(self.refusals) == before:
            self.answered[ask.kind] += 1
            self.defaults[ask.kind] += isinstance(answer.decision, DefaultDecision)

    def _call(self, call: CallIn) -> None:
        if not isinstance(call.call, CallKind):
            why = Refusal(kind="", code="MALFORMED", text=call.call.text)
            self.refusals.append(why)
            return
        for_seat = None if call.for_seat is None else Seat(call.for_seat)
        if for_seat is not None and not 0 <= for_seat < self.machine.seats:
            self.refusals.append(Refusal(kind="", code="MALFORMED", text=f"no seat {for_seat}"))
            return
        self._step(
            CallRequest(
                seat=self.seat, call=call.call, request_id=call.request_id, for_seat=for_seat
            )
        )

    def _stand_down(self, what: StandDownIn) -> None:
        for_seat = None if what.for_seat is None else Seat(what.for_seat)
        if for_seat is not None and not 0 <= for_seat < self.machine.seats:
            self.refusals.append(Refusal(kind="", code="MALFORMED", text=f"no seat {for_seat}"))
            return
        self._step(StandDownRequest(seat=self.seat, request_id=what.request_id, for_seat=for_seat))

    def _resign(self, what: ResignIn) -> None:
        self.resigned = True
        self._step(Fault(seat=self.seat, ending=Ending.RESIGNED, request_id=what.request_id))

    # --- the machine

    def _run(self) -> None:
        """Let the others play and time pass until the bot owes an answer or the match is over."""
        while not self.over:
            if self.machine.needs_deal:
                self._deal()
            elif waiting := self._others():
                self._call_in_exchange(waiting)
                ask = self._rng.choice(waiting)
                self._step(Answer(ask.to, ask.id, self._others_decide(ask)))
            elif self.machine.open_asks(self.seat):
                return
            elif self.machine.due is not None:
                self.now = max(self.now, self.machine.due)
                self._step(Tick())
            else:
                raise RefereeBug("a table at which nobody owes anything")

    def _call_in_exchange(self, waiting: list[Ask]) -> None:
        caller = self._caller
        if any(ask.to == caller and ask.kind is AskKind.EXCHANGE for ask in waiting):
            assert caller is not None
            self._caller = None
            self._step(CallRequest(seat=caller, call=CallKind.TICHU, request_id=1))

    def _others(self) -> list[Ask]:
        return [
            ask
            for seat in player_seats(self.config.settings.rules)
            if seat != self.seat
            for ask in self.machine.open_asks(Seat(seat))
        ]

    def _deal(self) -> None:
        number = self.machine.round_number + 1
        seed = hashlib.sha256(f"{self._seed}|{self.number}|{number}".encode()).hexdigest()
        self._step(Deal(seed=seed))

    def _enter(self, position: Position) -> None:
        """Begin in a position: no seed gives a wanted one to any bot."""
        story = Story(Round.from_position(position))
        step = Step(1)
        step.events = story.events
        self.machine = machine_at(self.config, story.round, events=len(story.events))
        step.asks = [
            ask for seat in range(self.machine.seats) for ask in self.machine.open_asks(Seat(seat))
        ]
        self._take(step)

    def _step(self, what: Input, kind: Ask | None = None) -> None:
        self._take(self.machine.step(what, self.now), kind)

    def _take(self, step: Step, kind: Ask | None = None) -> None:
        n = len(self.config.players)
        if step.events and isinstance(step.events[0], RoundStarted):
            self._events = []
        self._pressing |= any(isinstance(e, RoundEnded | MatchEnded) for e in step.events)
        events = CODEC.events(step.first_event, step.events, n)
        mine = [event if isinstance(event, bytes) else event[self.seat] for event in events]
        self._events += mine
        self._untold += mine
        for cancelled in step.cancelled:
            if cancelled.seat == self.seat:
                self._pressing = True
                if self.told_to_bot(cancelled.ask_id):
                    self._parts.append(CODEC.cancelled_part(cancelled))
        for ask in step.asks:
            if ask.to == self.seat:
                self._new.append(ask)
                self.open[ask.id] = self.told[ask.id] = ask
        for ack in step.acks:
            if ack.seat == self.seat:
                self._parts.append(CODEC.ack_part(ack))
                if ack.ask_id is not None:
                    self.statuses.append((ack.ask_id, ack.status.value))
        for refused in step.refused:
            if refused.seat == self.seat:
                self._pressing = True
                self._parts.append(CODEC.refused_part(refused))
                self.refusals.append(_refusal(refused, kind))
        still = {ask.id for ask in self.machine.open_asks(self.seat)}
        self.open = {number: ask for number, ask in self.open.items() if number in still}
        if any(isinstance(fact, MatchEnded) for fact in step.facts):
            self.open = {}
        if step.asks:
            to = tuple({ask.to for ask in step.asks})
            self._take(self.machine.step(Handed(seats=to), self.now))

    def told_to_bot(self, ask_id: int) -> bool:
        """Tell whether an ask went out, or is to; one that was over before is not told."""
        return ask_id in self.told and not any(ask.id == ask_id for ask in self._new)


def _refusal(refused: Refused, ask: Ask | None) -> Refusal:
    kind = "" if ask is None else ask.kind.value
    return Refusal(kind=kind, code=refused.code, text=refused.text)
