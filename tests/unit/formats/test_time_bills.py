"""Where the time of a match went: what was thought, what the link took, what the referee took."""

import random
from collections import Counter

import pytest

from referee.match.facts import (
    Answered,
    CallMade,
    DragonGiven,
    Exchanged,
    Fact,
    LeadHanded,
    MatchEnded,
    Passed,
    Played,
    TimedOut,
    TrickTaken,
    WindowClosed,
)
from referee.match.inputs import CallDecision, DeclineDecision, Fault, PlayDecision
from referee.match.step import Ask
from referee.match.values import MS, AckStatus, AskKind, Clock, Ending, Pace
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind
from referee.rules.seat import Seat
from tests.simulation.chaos import LENIENT, Chaos
from tests.simulation.rebuilt import resumed
from tests.simulation.table import Table, random_policy, settings
from tests.unit.formats.summed import bill, summed

PACES = pytest.mark.parametrize("pace", Pace)
END = Fault(seat=None, ending=Ending.CANCELLED)
LEAD = PlayDecision(index=0)
WINDOW_MS = 50
NO_GRAND = CallDecision(choice=CallKind.NO_GRAND)
TWO = RuleOptions(rounds=2)
LONG = Clock(base_ns=1000 * MS, bank_ns=60_000 * MS, lag_quota_ns=100_000 * MS)


# --- by hand


def bets() -> Table:
    """Seat 1 decides after 300 ms on a link of 100, seat 2 after 1,700; the rest at 2,000."""
    table = Table(settings())
    table.lags = [0, 100 * MS, 0, 0]
    table.start()
    for seat, at in ((1, 300), (2, 1_700), (0, 2_000), (3, 2_000)):
        table.now = at * MS
        table.answer(seat, NO_GRAND)
    table.step(END)
    return table


def test_a_bet_is_thought_about_then_waits_for_the_others() -> None:
    found = bill(summed(bets()).times, 1, AskKind.CALL)
    assert (found.asks, found.thinking_ms, found.network_ms, found.referee_ms) == (
        1,
        200,
        100,
        1700,
    )
    assert (found.charged_ms, found.longest_ms, found.timed_out) == (0, 200, 0)


def test_what_is_over_the_base_is_charged() -> None:
    found = bill(summed(bets()).times, 2, AskKind.CALL)
    assert (found.thinking_ms, found.charged_ms, found.referee_ms) == (1700, 700, 300)


def test_an_ask_that_nobody_answered_counts_without_a_time() -> None:
    found = bill(summed(bets()).times, 2, AskKind.EXCHANGE)
    assert (found.asks, found.thinking_ms, found.referee_ms) == (1, 0, 0)


def test_the_time_of_a_seat_that_fell_silent_is_thought() -> None:
    table = Table(settings()).start()
    for seat in range(3):
        table.answer(seat, NO_GRAND)
    table.wait_until_due()
    table.step(END)
    found = bill(summed(table).times, 3, AskKind.CALL)
    assert (found.thinking_ms, found.charged_ms, found.timed_out) == (6000, 5000, 1)
    assert bill(summed(table).times, 0, AskKind.CALL).referee_ms == 6000


def test_an_act_in_pace_fair_waits_for_its_grid() -> None:
    """The first lead, without a window: 20 ms of thought, 30 to the end of the grid of 50."""
    table = at_first_lead(Pace.FAIR)
    (leader,) = table.asked(AskKind.ACT)
    table.now += 20 * MS
    table.act(leader, LEAD)
    table.step(END)
    found = bill(summed(table).times, leader, AskKind.ACT)
    assert (found.asks, found.thinking_ms, found.referee_ms) == (1, 20, 30)


def at_first_lead(pace: Pace) -> Table:
    table = Table(settings(pace=pace), seed="lead").start()
    policy = random_policy(random.Random("lead"))
    while not table.asked(AskKind.ACT):
        for seat in table.asked():
            for ask in table.machine.open_asks(seat):
                decision = NO_GRAND if ask.kind is AskKind.CALL else policy(table, ask)
                table.answer_ask(ask, decision)
    return table


def test_a_decline_waits_for_the_window_and_silence_lasts_all_of_it() -> None:
    table = at_first_lead(Pace.FAIR)
    (leader,) = table.asked(AskKind.ACT)
    table.act(leader, LEAD)
    quick, *silent = table.asked(AskKind.BOMB)
    table.now += 10 * MS
    table.answer(quick, DeclineDecision(), kind=AskKind.BOMB)
    table.wait_until_due()
    table.step(END)
    times = summed(table).times
    found = bill(times, quick, AskKind.BOMB)
    assert (found.thinking_ms, found.referee_ms, found.timed_out) == (10, 40, 0)
    for seat in silent:
        found = bill(times, seat, AskKind.BOMB)
        assert (found.thinking_ms, found.referee_ms, found.timed_out) == (50, 0, 1)


def test_who_stood_down_is_not_said_to_have_thought() -> None:
    table = at_first_lead(Pace.FAIR)
    (leader,) = table.asked(AskKind.ACT)
    table.act(leader, LEAD)
    (seat, *_) = table.asked(AskKind.BOMB)
    table.stand_down(seat)
    table.wait_until_due()
    table.step(END)
    found = bill(summed(table).times, seat, AskKind.BOMB)
    assert (found.asks, found.thinking_ms, found.timed_out) == (1, 0, 0)


def test_time_in_which_the_referee_was_blocked_is_nobodys() -> None:
    table = Table(settings()).start()
    table.now += 400 * MS
    table.stall(3_000)
    table.now += 100 * MS
    table.answer(0, NO_GRAND)
    table.step(END)
    found = bill(summed(table).times, 0, AskKind.CALL)
    assert (found.asks, found.thinking_ms) == (2, 100)


def test_the_ask_that_dragged_a_match_to_its_end_counts_as_thought() -> None:
    table = Table(settings(wall_per_round_ms=100, clock=Clock(base_ns=1000 * MS, bank_ns=0)))
    table.start()
    for seat in range(3):
        table.answer(seat, NO_GRAND)
    table.wait_until_due()
    assert table.ended.ending is Ending.ABANDONED
    found = bill(summed(table).times, 3, AskKind.CALL)
    assert (found.thinking_ms, found.timed_out) == (100, 0)


# --- whole matches, against the facts


def chaotic(pace: Pace, number: int) -> tuple[str, Table]:
    seed = f"bills {pace} {number}"
    what = settings(pace=pace, rules=TWO, max_strikes=LENIENT, clock=LONG)
    chaos = Chaos(what, seed=seed)
    chaos.play()
    return seed, chaos.table


MANY = [(pace, number) for pace in Pace for number in range(6)]


@pytest.mark.parametrize(("pace", "number"), MANY)
def test_what_was_charged_is_what_left_the_bank(pace: Pace, number: int) -> None:
    seed, table = chaotic(pace, number)
    times = summed(table).times
    for seat, bank in enumerate(table.ended.banks):
        charged = sum(one.charged_ms for one in times if one.seat == seat)
        spent = (LONG.bank_ns - bank) / MS
        assert spent - len(AskKind) < charged <= spent, seed


@pytest.mark.parametrize(("pace", "number"), MANY)
def test_every_ask_is_counted_once(pace: Pace, number: int) -> None:
    seed, table = chaotic(pace, number)
    asked = Counter((int(ask.seat), ask.kind.value) for ask in table.asks)
    assert {(one.seat, one.kind): one.asks for one in summed(table).times} == dict(asked), seed


@pytest.mark.parametrize(("pace", "number"), MANY)
def test_thinking_network_and_referee_add_up_to_what_the_facts_say(pace: Pace, number: int) -> None:
    seed, table = chaotic(pace, number)
    told: Counter[tuple[int, str]] = Counter()
    for ask in table.asks:
        if ask.stamp >= 0:
            began = ask.sent if 0 <= ask.sent < ask.stamp else ask.stamp
            told[ask.seat, ask.kind.value] += effect(table.facts, ask) - began
    for one in summed(table).times:
        silent = one.timed_out * WINDOW_MS if one.kind == AskKind.BOMB else 0
        whole = told[one.seat, one.kind] / MS + silent
        billed = one.thinking_ms + one.network_ms + one.referee_ms
        assert whole - 3 < billed <= whole, f"{seed} {one}"


@pytest.mark.parametrize(("pace", "number"), MANY)
def test_the_bill_of_the_link_is_what_was_granted_and_used(pace: Pace, number: int) -> None:
    seed, table = chaotic(pace, number)
    used: Counter[tuple[int, str]] = Counter()
    for ask in table.asks:
        if 0 <= ask.sent < ask.stamp:
            used[ask.seat, ask.kind.value] += min(ask.lag, ask.stamp - ask.sent)
    for one in summed(table).times:
        assert one.network_ms == used[one.seat, one.kind] // MS, seed


def effect(facts: list[Fact], ask: Ask) -> int:
    """When an answer (or what stood in for it) took effect, by the fact that shows it."""
    for fact in facts[decided(facts, ask) + 1 :]:
        match ask.kind:
            case _ if isinstance(fact, MatchEnded):
                over = True
            case AskKind.ACT | AskKind.CHOOSE_SEAT:
                over = isinstance(fact, Played | Passed | TrickTaken | DragonGiven | LeadHanded)
            case AskKind.BOMB:
                over = isinstance(fact, WindowClosed)
            case AskKind.CALL:
                over = isinstance(fact, CallMade)
            case AskKind.EXCHANGE:  # held calls are published when the last seat gave
                over = isinstance(fact, Exchanged | CallMade)
        if over:
            return fact.at
    raise AssertionError(f"what became of {ask}?")


def decided(facts: list[Fact], ask: Ask) -> int:
    """The place of the fact that settled an ask: its answer, its end, or its last refusal."""
    about = [
        number
        for number, fact in enumerate(facts)
        if isinstance(fact, Answered | TimedOut)
        and (fact.seat, fact.ask, fact.at) == (ask.seat, ask.id, ask.stamp)
        and (isinstance(fact, TimedOut) or fact.status in (AckStatus.RECEIVED, AckStatus.REFUSED))
    ]
    return about[-1]


@PACES
def test_a_match_that_went_on_in_another_process_has_a_bill_too(pace: Pace) -> None:
    seed = f"resumed {pace}"
    rng = random.Random(seed)
    table = Table(settings(pace=pace, rules=TWO, clock=LONG), seed=seed).start()
    policy = random_policy(rng)
    for _ in range(40):
        (ask, *_) = [a for s in range(4) for a in table.machine.open_asks(Seat(s))]
        table.now += 2 * MS
        table.answer_ask(ask, policy(table, ask))
        if not any(table.machine.open_asks(Seat(s)) for s in range(4)):
            table.wait_until_due()
    again = resumed(table, epoch=2)
    again.play(policy, rng)
    times = summed(again).times
    for seat, bank in enumerate(again.ended.banks):
        charged = sum(one.charged_ms for one in times if one.seat == seat)
        assert charged == (LONG.bank_ns - bank) // MS, seed
