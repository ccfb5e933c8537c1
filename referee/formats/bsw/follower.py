"""A logged game through the match machine: its asks are answered as the log says.

The log tells acts, not asks. Each act is given as the answer to the ask that it answers. What is
asked and no log tells is answered so that nothing comes of it: bombs that nobody threw and own
tricks that nobody overtook are declined, and time stands still.
"""

from collections.abc import Iterator, Sequence
from typing import assert_never

from referee.formats.bsw.acts import (
    Act,
    CallAct,
    CollectAct,
    DragonAct,
    GiveAct,
    PassAct,
    PlayAct,
)
from referee.formats.imported import NO_SEED
from referee.match.facts import Fact, Passed, WentOut
from referee.match.inputs import (
    Answer,
    BombDecision,
    CallDecision,
    CallRequest,
    Deal,
    Decision,
    DeclineDecision,
    ExchangeDecision,
    Fault,
    Input,
    PassDecision,
    PlayDecision,
    SeatDecision,
)
from referee.match.machine import Machine
from referee.match.step import Ask
from referee.match.values import AskKind, Ending, MatchConfig
from referee.rules.phases import GRAND_DECISIONS, CallKind
from referee.rules.seat import Seat

_NOTHING_SAID = (CallKind.NO_GREAT_GRAND, CallKind.NO_GRAND, CallKind.ACCEPT, CallKind.BID_0)


class Lost(Exception):
    """The match would not go the way of the log. `line` is that of the act, `why` says it."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line, self.why = line, why


class Follower:
    """Plays one game. `facts` are those of the match so far."""

    def __init__(self, config: MatchConfig) -> None:
        self.facts: list[Fact] = []
        self.machine = Machine(config)
        self._acts: list[Act] = []
        self._bets: dict[Seat, CallKind] = {}  # on the first cards
        self._line = 0
        self._collected = False  # the trick that is closing is taken: a play leads
        self._requests = 0
        self._given: dict[Seat, ExchangeDecision] = {}
        self._dealer = 0  # the first out of the round before (A2)

    def play_round(self, hands: Sequence[Sequence[int]], acts: Sequence[Act]) -> None:
        """Play a round: the hands by seat, each in the order of the deal, and what the seats did.

        Grand Tichus are made when they are asked for, wherever they stand. Raises `Lost`.
        """
        bets = [act for act in acts if isinstance(act, CallAct) and act.call in GRAND_DECISIONS]
        self._bets = {act.seat: act.call for act in bets}
        self._acts = [act for act in acts if act not in bets]
        self._collected = False
        self._given = {}
        finished, n = self.machine.rounds_played, self.machine.seats
        order = [0] * sum(map(len, hands))
        for seat, hand in enumerate(hands):
            order[(seat - self._dealer) % n :: n] = hand
        self._feed(Deal(seed=NO_SEED, cards=tuple(order)))
        self._line = acts[0].line if acts else 0
        while self.machine.rounds_played == finished:
            self._decide_calls()
            if not self._acts:
                raise Lost(self._line, "the round goes on where the log ends it")
            self._line = self._acts[0].line
            self._go_on(self._acts[0])

    def end(self) -> None:
        """End a match whose log ends before it was decided."""
        if not self.machine.over:
            self._feed(Fault(seat=None, ending=Ending.CANCELLED))

    def _go_on(self, act: Act) -> None:
        """Do what leads to the next act, or the act itself."""
        if isinstance(act, PassAct):
            self._decline()
            if not (self._acts and self._acts[0] is act):
                return  # it was passed for the seat
        del self._acts[0]  # before the answer: passes of others may follow within it
        match act:
            case CallAct():
                self._call(act)
            case GiveAct():
                given = ExchangeDecision(gifts=tuple((to, (card,)) for to, card in act.gifts))
                self._given[act.seat] = given
                self._answer(self._ask(act.seat, AskKind.EXCHANGE), given)
                self._stand_by_gifts()
            case CollectAct():
                self._collect()
            case PassAct():
                self._answer(self._ask(act.seat, AskKind.ACT), PassDecision())
            case DragonAct():
                self._decline()
                self._answer(self._ask(act.seat, AskKind.CHOOSE_SEAT), SeatDecision(seat=act.to))
            case PlayAct():
                self._play(act)
            case _:
                assert_never(act)

    def _decide_calls(self) -> None:
        """Bet as logged wherever it is asked for."""
        while asks := [ask for ask in self._asks() if ask.kind is AskKind.CALL]:
            for ask in asks:
                bet = self._bets.get(ask.seat)
                if bet not in ask.choices:
                    bet = next(choice for choice in ask.choices if choice in _NOTHING_SAID)
                self._answer(ask, CallDecision(choice=bet))

    def _collect(self) -> None:
        """Who may overtake the own trick (`self_overtake`) lets it go."""
        self._decline()
        own = [ask for ask in self._asks() if ask.kind is AskKind.ACT and not ask.leading]
        for ask in own:
            self._answer(ask, PassDecision())
        self._collected = True

    def _stand_by_gifts(self) -> None:
        """Who may choose anew after a call (A7) gives the same: a log has the last choice alone."""
        if len(self._given) < self.machine.seats:
            return
        for ask in list(self._asks()):
            if ask.kind is AskKind.EXCHANGE:
                self._answer(ask, self._given[ask.seat])

    def _call(self, act: CallAct) -> None:
        self._requests += 1
        self._feed(CallRequest(seat=act.seat, call=act.call, request_id=self._requests))

    def _play(self, act: PlayAct) -> None:
        asks = [ask for ask in self._asks() if ask.seat == act.seat]
        own = next((ask for ask in asks if ask.kind is AskKind.ACT), None)
        if own is not None and (self._collected or not (own.provisional and own.leading)):
            self._decline()
            self._collected = False
            decision = PlayDecision(
                cards=act.cards, phoenix_rank=act.phoenix_rank, wish=act.wish or None
            )
            self._answer(own, decision)
            return
        self._decline(but=act.seat)
        self._answer(self._ask(act.seat, AskKind.BOMB), BombDecision(cards=act.cards))

    def _decline(self, *, but: Seat | None = None) -> None:
        """Let no bomb fall in the window that is open, or only one seat's."""
        for ask in list(self._asks()):
            if ask.kind is AskKind.BOMB and ask.seat != but:
                self._answer(ask, DeclineDecision())

    def _asks(self) -> Iterator[Ask]:
        for seat in range(self.machine.seats):
            yield from self.machine.open_asks(Seat(seat))

    def _ask(self, seat: Seat, kind: AskKind) -> Ask:
        for ask in self._asks():
            if ask.seat == seat and ask.kind is kind:
                return ask
        raise Lost(self._line, f"seat {seat} is not asked for {kind} there")

    def _answer(self, ask: Ask, decision: Decision) -> None:
        self._feed(Answer(ask.to, ask.id, decision))

    def _feed(self, what: Input) -> None:
        step = self.machine.step(what, 0)
        if step.refused:
            raise Lost(self._line, f"{step.refused[0].code}: {step.refused[0].text}")
        for fact in step.facts:
            if isinstance(fact, Passed) and fact.forced:
                self._forced(fact.seat)
            if isinstance(fact, WentOut) and fact.place == 1:
                self._dealer = fact.seat
        self.facts += step.facts

    def _forced(self, seat: Seat) -> None:
        """The machine passed for a seat without a legal play: so did the log, calls apart."""
        for at, act in enumerate(self._acts):
            if isinstance(act, PassAct) and act.seat == seat:
                del self._acts[at]
                return
            if not isinstance(act, CallAct):
                break
        raise Lost(self._line, f"seat {seat} can only pass, and the log has no pass of it")
