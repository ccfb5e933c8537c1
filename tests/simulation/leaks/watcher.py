"""The seat that is watched: what it does follows from its own stream and its own dice alone."""

import random
from collections import Counter

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.instances import Instance
from referee.match.values import MS
from tests.simulation.leaks.seats import WINDOW, Process, Request
from tests.unit.app.world import World

_PACK = (1, 2, 3, 4, *range(8, 60))
_VOID = match_pb2.ACK_STATUS_VOID_BOMBED
_ODD = 137  # ns: it never answers at the very instant at which something is due


class Watcher(Process):
    """A curious seat: legal answers, illegal ones, calls, guesses, and a stream that it loses."""

    def __init__(
        self,
        world: World,
        instance: Instance,
        hello: referee_pb2.Hello,
        rng: random.Random,
        *,
        fair: bool,
    ) -> None:
        super().__init__(world, instance, hello)
        self._rng = rng
        self._fair = fair
        self._slow = rng.random() < 0.5  # `fast`: after all others have spoken, or before
        self._hand: set[int] = set()
        self.deeds: Counter[str] = Counter()  # what came of it, for the test that all is done
        self._said: list[Request] = []
        # what is refused may be legal by chance; where acknowledgements wait it would not know it,
        # and in `fast` what it sends next tells it how long the window was
        wrong = () if hello.event_delivery and not fair else (self._illegal, self._illegal)
        self._tries = (*wrong, self._beside, self._guess, self._again)

    def heard(self, update: match_pb2.Update) -> None:
        """Know its own cards."""
        self.deeds["refused"] += len(update.refused)
        self.deeds["void"] += sum(ack.status == _VOID for ack in update.acks)
        self.deeds["cancelled"] += len(update.cancelled)
        for held in update.snapshot.hands:
            self._hand = set(held.cards)
        for event in update.events:
            for gift in event.cards_dealt.hands:
                self._hand |= set(gift.cards)
            for moved in event.cards_exchanged.hands:
                self._hand -= {card for gift in moved.gave for card in gift.cards}
                self._hand |= {card for gift in moved.received for card in gift.cards}
            if event.played.seat == self.seat:
                self._hand -= set(event.played.play.cards)
            if event.HasField("round_started"):
                self._hand.clear()

    def asked(self, ask: match_pb2.Ask) -> None:
        """Answer, probe, or say nothing."""
        rng = self._rng
        self.deeds[f"asked to {ask.WhichOneof('kind')}"] += 1
        self.deeds["asked again"] += bool(ask.exchange.standing)
        self.deeds["wish is open"] += ask.act.HasField("wish")
        delay, legal = self._delay(), self._legal(ask)
        calm = self._fair or (self._slow and ask.HasField("act"))  # nothing goes on meanwhile
        if calm and rng.random() < 0.03:
            self._be_away(ask, delay, back=delay + rng.randrange(3, 30) * MS)
            return
        if self._fair and rng.random() < 0.01:  # its stream is broken off, and it comes back
            self.send_answer(ask, delay, b"\xff\xff no frame", keep=True)
            self.later(delay + 5 * MS, lambda: self.dial() if self.away else None)
            return
        for probe in self._probes(ask):
            self.send_answer(ask, delay, probe, keep=True)
            delay += 100_000
        if rng.random() < 0.985:
            self.send_answer(ask, delay, legal)
            self._said = [*self._said[-9:], legal]

    def _be_away(self, ask: match_pb2.Ask, gone: int, *, back: int) -> None:
        def leave() -> None:
            if self.open.get(ask.ask_id) is ask:
                self.drop()
                self.deeds["away"] += 1
                self.later(back - gone, lambda: self.dial() if self.away else None)

        self.later(gone, leave)

    def _delay(self) -> int:
        if self._fair:
            cells = self._rng.choice((0, 0, 0, 1, 4))
            return cells * WINDOW + self._rng.randrange(MS, WINDOW - MS) + _ODD
        return 10 * MS if self._slow else MS

    # --- what it may do

    def _legal(self, ask: match_pb2.Ask) -> Request:
        rng, (frame, answer) = self._rng, self.answer(ask)
        kind = ask.WhichOneof("kind")
        if rng.random() < 0.08:
            answer.default_action.SetInParent()
        elif kind == "call":
            bold = rng.random() < 0.06
            answer.call.choice = max(ask.call.choices) if not bold else min(ask.call.choices)
        elif kind == "exchange":
            self._give(ask.exchange, answer)
        elif kind == "act":
            self._act(ask.act, answer)
        elif kind == "bomb":
            if ask.bomb.plays and rng.random() < 0.5:
                answer.bomb.index = rng.randrange(len(ask.bomb.plays))
            else:
                answer.bomb.decline.SetInParent()
        else:
            answer.choose_seat.seat = rng.choice(ask.choose_seat.seats)
        return frame

    def _give(self, ask: match_pb2.ExchangeAsk, answer: referee_pb2.Answer) -> None:
        cards = self._rng.sample(sorted(self._hand), len(ask.slots))
        for slot, card in zip(ask.slots, cards, strict=True):
            answer.exchange.gifts.add(seat=slot.to_seat, cards=[card])
        answer.exchange.tichu = ask.may_call_tichu and self._rng.random() < 0.08

    def _act(self, act: match_pb2.ActAsk, answer: referee_pb2.Answer) -> None:
        rng = self._rng
        if act.may_pass and (not act.plays or rng.random() < 0.4):
            getattr(answer.act, "pass").SetInParent()
        elif act.plays:
            index = rng.randrange(len(act.plays))
            answer.act.index = index
            if 4 in act.plays[index].cards and rng.random() < 0.7:
                answer.act.wish = rng.randrange(2, 15)
        else:
            answer.default_action.SetInParent()
        if answer.HasField("act") and act.may_call_tichu and rng.random() < 0.05:
            answer.act.tichu = True

    # --- what it tries

    def _probes(self, ask: match_pb2.Ask) -> list[Request | bytes]:
        rng, found = self._rng, [b""][:0]
        if rng.random() > 0.3:
            return []
        for _ in range(rng.choice((1, 1, 2, 3))):
            frame = rng.choice(self._tries)(ask)
            found.append(frame.SerializeToString())
        return list(found)

    def _some(self) -> list[int]:
        """Cards of its own, or of anybody's: is it refused in another way if somebody holds it?"""
        own = self._rng.random() < 0.5 and self._hand
        cards = sorted(self._hand) if own else list(_PACK)
        return self._rng.sample(cards, min(len(cards), self._rng.choice((1, 1, 2, 4, 5))))

    def _illegal(self, ask: match_pb2.Ask) -> Request:
        rng, (frame, answer) = self._rng, self.answer(ask)
        kind = ask.WhichOneof("kind")
        if kind == "bomb":
            answer.bomb.play.cards.extend(self._some())  # type: ignore[arg-type]
        elif kind == "exchange":
            for slot in ask.exchange.slots:
                answer.exchange.gifts.add(seat=slot.to_seat, cards=self._some()[:1])
        elif kind == "call":
            answer.call.choice = rng.choice((1, 2, 3, 4, 5))  # type: ignore[assignment]
        elif kind == "choose_seat":
            answer.choose_seat.seat = rng.randrange(5)
        elif rng.random() < 0.2:
            getattr(answer.act, "pass").SetInParent()
        else:
            answer.act.play.cards.extend(self._some())  # type: ignore[arg-type]
            if rng.random() < 0.2:
                answer.act.wish = rng.randrange(2, 15)
        return frame

    def _beside(self, ask: match_pb2.Ask) -> Request:
        """A call or a stand-down that was not asked for, or something for another match."""
        rng, frame = self._rng, Request()
        drawn = rng.randrange(4)
        if drawn == 0 and rng.random() < 0.3:
            frame.calls.add(match=self.number, call=match_pb2.CALL_KIND_TICHU, request_id=1)
        elif drawn == 1:
            frame.calls.add(match=self.number, call=match_pb2.CALL_KIND_GRAND, request_id=2)
        elif drawn == 2 and rng.random() < 0.2:
            frame.stand_downs.add(match=self.number, request_id=3)
        else:
            frame.stand_downs.add(match=self.number + rng.randrange(1, 3), request_id=4)
        return frame

    def _again(self, ask: match_pb2.Ask) -> Request:
        """An answer that it gave before; in `fast` one that surely took effect, or is void."""
        old = self._said if self._fair else self._said[:-4]
        return self._rng.choice(old or [Request()])

    def _guess(self, ask: match_pb2.Ask) -> Request:
        """A bomb, or an answer, to an ask that it was not sent."""
        frame = Request()
        past = (-3, -1) if self._fair else (-8, -6)  # as in `_again`
        number = max(1, ask.ask_id + self._rng.choice((*past, 1, 2)))
        answer = frame.answers.add(match=self.number, ask_id=number)
        if self._rng.random() < 0.5:
            answer.bomb.play.cards.extend(self._some())  # type: ignore[arg-type]
        else:
            answer.default_action.SetInParent()
        return frame
