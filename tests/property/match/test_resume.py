"""The referee is killed at any moment: the match goes on as it was, and costs nobody (DESIGN 3)."""

import random
from collections.abc import Iterator

import msgspec
import pytest

from referee.match.facts import Resumed
from referee.match.inputs import Deal
from referee.match.step import Ack, Ask, Step
from referee.match.values import MS, Clock, Ending, Pace
from referee.rules.errors import ConfigError
from referee.rules.option_values import ExchangeRechoose, SelfOvertake
from referee.rules.options import OPTION_ROWS, RuleOptions, parse_options
from referee.rules.seat import Seat
from tests.property.rules.playing import ROWS_OF_FOUR
from tests.simulation.chaos import LENIENT, Chaos
from tests.simulation.mortal import Mortal, lives_on, open_asks
from tests.simulation.rebuilt import rebuilt, resumed, steps_of, truth
from tests.simulation.table import Table, settings

PACES = pytest.mark.parametrize("pace", Pace)


# --- what the rebuilt match is


class Diary:
    """What was true after every step of a match that made facts, by their number so far."""

    def __init__(self, table: Table) -> None:
        self.pages = {len(table.facts): truth(table.machine)}
        self._table, self._kept = table, table._keep
        table._keep = self._keep  # type: ignore[method-assign]

    def _keep(self, step: Step) -> None:
        self._kept(step)
        if step.facts:
            self.pages[len(self._table.facts)] = truth(self._table.machine)


def match_of(seed: str, pace: Pace, rules: RuleOptions, *, timed: bool = True) -> Chaos:
    """A match of bots at their worst that has a past of one kind or another."""
    clock = Clock(base_ns=300 * MS, bank_ns=3_000 * MS, lag_cap_ns=90 * MS, lag_quota_ns=400 * MS)
    what = settings(
        pace=pace, rules=rules, clock=clock if timed else None, max_strikes=LENIENT, window_ms=20
    )
    return Chaos(what, seed=seed, bombs=rules.rounds == 1)


def rules_of(number: int) -> RuleOptions:
    """Options that change who is asked, and when."""
    rechoose, overtake = [*ExchangeRechoose], [*SelfOvertake]
    return RuleOptions(
        rounds=1 + number % 2,
        exchange_rechoose=rechoose[number % len(rechoose)],
        self_overtake=overtake[number % len(overtake)],
        bomb_after_all_pass=number % 3 > 0,
    )


@PACES
@pytest.mark.parametrize("number", range(4))
def test_a_match_replayed_is_after_every_step_the_one_that_was(pace: Pace, number: int) -> None:
    """Asks, banks, quotas, strikes, refusals, windows, barriers, numbers, what closed asks were."""
    seed = f"rebuilt {pace} {number}"
    chaos = match_of(seed, pace, rules_of(number), timed=number != 2)
    diary = Diary(chaos.table)
    chaos.play()
    again = rebuilt(chaos.table, 0)
    met = {len(again.facts)}
    for step in steps_of(again.machine, chaos.table.facts):
        again._keep(step)
        page = diary.pages.get(len(again.facts))
        if page is not None:
            met.add(len(again.facts))
            for name, value in truth(again.machine).items():
                assert value == page[name], f"{seed=} after fact {len(again.facts)}: {name}"
    assert met >= {*diary.pages}, f"{seed=}: some step is none of the replay"
    told_as_before(again, chaos.table, seed)
    for count in random.Random(seed).sample([*diary.pages], 5):
        again = rebuilt(chaos.table, count)
        assert truth(again.machine) == diary.pages[count], f"{seed=} after fact {count}"
        told_as_before(again, chaos.table, f"{seed} {count}")


def told_as_before(again: Table, table: Table, seed: str) -> None:
    """The log of events, which the service rebuilds, and all that was said of answers and asks."""
    assert again.events == table.events[: len(again.events)], f"{seed=}"
    assert again.cancelled == table.cancelled[: len(again.cancelled)], f"{seed=}"
    assert answered(again) == answered(table)[: len(answered(again))], f"{seed=}"


def answered(table: Table) -> list[Ack]:
    """What was said of answers, times included; numbers of requests are not kept."""
    return [msgspec.structs.replace(ack, request_id=None) for ack in table.acks]


# --- what the resume does


@PACES
@pytest.mark.parametrize("number", range(4))
def test_after_a_resume_every_ask_has_the_whole_time_that_it_had(pace: Pace, number: int) -> None:
    """At any step, and by the machine's own word of when something happens next."""
    seed = f"whole time {pace} {number}"
    chaos = match_of(seed, pace, rules_of(number))
    diary = Diary(chaos.table)
    chaos.play()
    counts = [*diary.pages][:-1]
    for count in random.Random(seed).sample(counts, min(12, len(counts))):
        where = f"{seed=} after fact {count}"
        before = rebuilt(chaos.table, count)
        again = resumed(chaos.table, epoch=2, count=count)
        assert again.facts[-1] == Resumed(at=before.now, epoch=2), where
        assert [(a.seat, a.id, a.plays) for a in open_asks(again)] == [
            (a.seat, a.id, a.plays) for a in open_asks(before)
        ], where
        assert again.machine.due in (None, again.wall), f"{where}: time runs before the hand-over"
        hand_over_at(again, again.now + 7 * MS)
        assert set(ends(again)) == set(whole_times(again)), where
        assert again.machine.due == min([*ends(again), *waits(again)], default=None), where


def hand_over_at(table: Table, now: int) -> None:
    """As the service does it: all seats at once, whether they are asked or not."""
    table.now = now
    table.machine.hand_over([Seat(s) for s in range(table.machine.seats)], now)
    table.machine.check()
    table.unhanded = []


def ends(table: Table) -> list[int]:
    return [a.sent + a.base_ns + bank_of(table, a) for a in open_asks(table) if a.base_ns]


def whole_times(table: Table) -> list[int]:
    return [table.now + a.base_ns + bank_of(table, a) for a in open_asks(table) if a.base_ns]


def bank_of(table: Table, ask: Ask) -> int:
    return table.bank(ask.seat) if ask.bank_ns is not None else 0


def waits(table: Table) -> Iterator[int]:
    """What else happens by itself: a whole window from the hand-over, or the end of all time."""
    state, length = table.machine._state, table.config.settings.window_ns
    if not state.window.shut():
        yield table.now + length
    if state.held is not None and state.settings.pace is Pace.FAIR:
        yield table.now + length
    if state.wall is not None:
        yield state.wall


# --- the match goes on


@PACES
@pytest.mark.parametrize("number", range(4))
def test_a_match_killed_again_and_again_keeps_the_books(pace: Pace, number: int) -> None:
    seed = f"killed {pace} {number}"
    base = match_of(seed, pace, rules_of(number), timed=number != 2).table.config.settings
    chaos = Mortal(base, seed=seed, bombs=number % 2 == 0)
    lives_on(chaos)
    assert chaos.table.ended.ending is Ending.COMPLETED, f"{seed=}"


OPTION_VALUES = [(name, value) for name in ROWS_OF_FOUR for value in OPTION_ROWS[name].values]


@pytest.mark.slow
@PACES
@pytest.mark.parametrize(("name", "value"), OPTION_VALUES)
def test_a_killed_match_under_every_option_keeps_the_books(
    name: str, value: object, pace: Pace
) -> None:
    plain = getattr(value, "value", value)
    try:
        rules = parse_options({"rounds": 1, name: plain})
    except ConfigError:
        rules = parse_options({"rounds": 1, name: plain, "great_grand": False})
    seed = f"killed {name} {value} {pace}"
    lives_on(Mortal(settings(pace=pace, rules=rules, max_strikes=LENIENT), seed=seed, bombs=True))


@PACES
@pytest.mark.parametrize("number", range(4))
def test_a_killed_match_with_hardly_any_time_keeps_the_books(pace: Pace, number: int) -> None:
    """The base time is barely longer than the window: everything crosses everything."""
    clock = Clock(base_ns=21 * MS, bank_ns=300 * MS, lag_cap_ns=15 * MS, lag_quota_ns=60 * MS)
    what = settings(
        pace=pace, window_ms=20, clock=clock, max_strikes=LENIENT, wall_per_round_ms=9_000
    )
    lives_on(Mortal(what, seed=f"killed in a hurry {pace} {number}", bombs=True))


@pytest.mark.slow
@PACES
@pytest.mark.parametrize("number", range(4))
def test_a_match_killed_once_at_any_step_is_played_to_its_end(pace: Pace, number: int) -> None:
    """The second life of one match, from steps drawn over its whole length."""
    seed = f"second life {pace} {number}"
    first = match_of(seed, pace, rules_of(number))
    diary = Diary(first.table)
    first.play()
    rng = random.Random(seed)
    for count in sorted(rng.sample([*diary.pages][:-1], 3)):
        second = Mortal(first.table.config.settings, seed=seed)
        second.seed = f"{seed} from {count}"
        second.table = resumed(first.table, epoch=2, count=count)
        second.epoch = 2
        if second.table.machine.needs_deal:
            second.table.step(Deal(seed="ab" * 32))
        lives_on(second)
