"""The machine under every interleaving of inputs that hypothesis can think of.

Invariants are checked by the table after every input; here, what an input must not do, and that
the record replays at the end of every story.
"""

import random

import pytest
from hypothesis import settings as run_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from referee.match.facts import Answered, Released, TimedOut, decode_fact, encode_fact
from referee.match.inputs import (
    Answer,
    CallRequest,
    Decision,
    Fault,
    Faults,
    Stalled,
    StandDownRequest,
    Tick,
)
from referee.match.step import Ask
from referee.match.values import MS, AckStatus, Ending, Pace
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind
from referee.rules.seat import Seat
from tests.simulation.chaos import bomb_rich
from tests.simulation.nonsense import nonsense
from tests.simulation.rebuilt import resumed, truth
from tests.simulation.table import Table, random_policy, settings

SEATS = st.integers(0, 3).map(Seat)
SEEDS = st.integers(0, 2**32 - 1)
DONE = {AckStatus.DUPLICATE, AckStatus.STALE, AckStatus.TOO_LATE, AckStatus.VOID_BOMBED}


class Matches(RuleBasedStateMachine):
    """One match; `said` are answers that were given, with their asks."""

    said = Bundle("said")

    @initialize(pace=st.sampled_from(Pace), seed=SEEDS, bombs=st.booleans(), timed=st.booleans())
    def begin(self, pace: Pace, seed: int, bombs: bool, timed: bool) -> None:
        rules = RuleOptions(rounds=1 if bombs else 2)
        what = settings(pace=pace, rules=rules, max_strikes=4)
        if not timed:
            what = settings(pace=pace, rules=rules, max_strikes=4, clock=None)
        position = bomb_rich(random.Random(seed), what) if bombs else None
        self.table = Table(what, seed=str(seed), position=position)
        self.table.hold_hands = True
        self.table.start()

    def _open(self) -> list[Ask]:
        machine = self.table.machine
        return [ask for seat in range(4) for ask in machine.open_asks(Seat(seat))]

    def _tell(self, ask: Ask, decision: Decision) -> AckStatus:
        before = len(self.table.acks)
        self.table.step(Answer(ask.seat, ask.id, decision))
        mine = [a for a in self.table.acks[before:] if (a.seat, a.ask_id) == (ask.seat, ask.id)]
        assert mine, "dropped silently"
        return mine[0].status

    @precondition(lambda self: self._open())
    @rule(target=said, seed=SEEDS)
    def answer(self, seed: int):  # type: ignore[no-untyped-def]
        """A legal answer is taken, unless it calls what its seat has called alone meanwhile."""
        rng = random.Random(seed)
        ask = rng.choice(self._open())
        decision = random_policy(rng)(self.table, ask)
        self.table.now += rng.randrange(4 * MS)
        status = self._tell(ask, decision)
        if status is AckStatus.REFUSED:
            assert self.table.refused[-1].code == "ALREADY_CALLED"
            return multiple()
        return multiple((ask, decision))

    @rule(pair=said)
    def repeat(self, pair: tuple[Ask, Decision]) -> None:
        """An answer given before is never taken again, whatever became of it."""
        ask, decision = pair
        status = self._tell(ask, decision)
        assert status in DONE, status

    @rule(pair=consumes(said), seed=SEEDS)
    def contradict(self, pair: tuple[Ask, Decision], seed: int) -> None:
        """Nor is another one taken in its place."""
        ask, decision = pair
        other = nonsense(random.Random(seed))
        if other != decision:
            status = self._tell(ask, other)
            assert status in DONE, status

    @precondition(lambda self: self._open())
    @rule(seed=SEEDS)
    def talk_nonsense(self, seed: int) -> None:
        rng = random.Random(seed)
        ask = rng.choice(self._open())
        before = ask.refusals
        status = self._tell(ask, nonsense(rng))
        assert (status is AckStatus.REFUSED) == (ask.refusals == before + 1)

    @rule(seed=SEEDS)
    def hand_over(self, seed: int) -> None:
        waiting = sorted(set(self.table.unhanded))
        if waiting:
            rng = random.Random(seed)
            some = rng.sample(waiting, rng.randint(1, len(waiting)))
            lags = [rng.randrange(rng.choice((1, 600 * MS))) for _ in some]
            self.table.hand_over(*some, lags=lags)

    @rule(ms=st.integers(1, 2_000))
    def be_blocked(self, ms: int) -> None:
        """Every ask that ran is asked anew; what was answered stands."""
        ran = {(ask.seat, ask.id) for ask in self._open() if ask.sent >= 0}
        waits = {(ask.seat, ask.id) for ask in self._open()} - ran
        step = self.table.step(Stalled(blocked_ns=ms * MS))
        timed = self.table.config.settings.clock is not None
        gone = {(c.seat, c.ask_id) for c in step.cancelled}
        assert gone == (ran if timed and not self.table.machine.over else set())
        assert waits <= {(ask.seat, ask.id) for ask in self._open()}

    @precondition(lambda self: not self.table.machine.over)
    @rule()
    def be_killed(self) -> None:
        """The referee is started again: the same asks are open, and no clock runs yet."""
        before, known = self._open(), truth(self.table.machine)
        self.table = resumed(self.table, epoch=2)
        assert truth(self.table.machine) == known
        assert [(a.seat, a.id) for a in self._open()] == [(a.seat, a.id) for a in before]
        assert self.table.machine.due in (None, self.table.wall)

    @rule(ns=st.integers(0, 60 * MS))
    def wait(self, ns: int) -> None:
        self.table.now += ns
        self.table.step(Tick())

    @precondition(lambda self: self.table.machine.due not in (None, self.table.wall))
    @rule(early=st.sampled_from([0, 0, 1]))
    def wait_for_what_is_due(self, early: int) -> None:
        due = self.table.machine.due
        assert due is not None
        self.table.now = max(self.table.now, due - early)
        step = self.table.step(Tick())
        assert early or step.facts, "a time at which nothing happens is not due"

    @rule(seat=SEATS)
    def call(self, seat: Seat) -> None:
        self.table.step(CallRequest(seat=seat, call=CallKind.TICHU, request_id=1))

    @rule(seat=SEATS)
    def stand_down(self, seat: Seat) -> None:
        self.table.step(StandDownRequest(seat=seat, request_id=2))

    @precondition(lambda self: len(self.table.facts) > 60)
    @rule(seats=st.lists(SEATS, min_size=1, max_size=4, unique=True))
    def resign(self, seats: list[Seat]) -> None:
        faults = [Fault(seat=seat, ending=Ending.RESIGNED, request_id=3) for seat in seats]
        was_over = self.table.machine.over
        self.table.step(Faults(faults=tuple(faults)) if len(faults) > 1 else faults[0])
        if not was_over:
            ended = self.table.ended
            assert bool(ended.awarded) == (len({seat % 2 for seat in seats}) == 1)

    @invariant()
    def nothing_is_due_in_the_past(self) -> None:
        if hasattr(self, "table"):
            due = self.table.machine.due
            assert due is None or due > self.table.now

    @invariant()
    def the_charges_on_record_are_what_the_banks_lost(self) -> None:
        if hasattr(self, "table"):
            clock = self.table.config.settings.clock
            lost = [(clock.bank_ns if clock else 0) - bank for bank in self.table.machine.banks]
            for fact in self.table.facts:
                if isinstance(fact, Answered | Released | TimedOut):
                    lost[fact.seat] -= fact.charged
            assert lost == [0] * 4

    @invariant()
    def a_running_match_waits_for_somebody_or_something(self) -> None:
        if hasattr(self, "table"):
            machine = self.table.machine
            waits = self._open() or self.table.unhanded or machine.due is not None
            assert machine.over or waits, "a match that nothing can move"

    def teardown(self) -> None:
        if hasattr(self, "table"):
            assert self.table.replays() == []
            for fact in self.table.facts:
                assert decode_fact(encode_fact(fact)) == fact


TestMatches = Matches.TestCase
TestMatches.settings = run_settings(max_examples=120, stateful_step_count=80)


@pytest.mark.slow
def test_many_more_stories() -> None:
    longer = run_settings(max_examples=1_000, stateful_step_count=80)
    run_state_machine_as_test(Matches, settings=longer)
