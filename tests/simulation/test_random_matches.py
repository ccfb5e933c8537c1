"""Whole matches with bots at their worst, in both paces and under every option (table J)."""

import pytest

from referee.match.inputs import Fault, Faults
from referee.match.values import MS, Clock, Ending, Pace
from referee.rules.errors import ConfigError
from referee.rules.options import OPTION_ROWS, RuleOptions, parse_options
from referee.rules.seat import Seat
from tests.property.rules.playing import ROWS_OF_FOUR
from tests.simulation.chaos import LENIENT, Chaos, audit
from tests.simulation.table import random_match, settings

OPTION_VALUES = [(name, value) for name in ROWS_OF_FOUR for value in OPTION_ROWS[name].values]


def with_option(name: str, value: object) -> RuleOptions:
    """One round under one value of one option."""
    plain = getattr(value, "value", value)
    try:
        return parse_options({"rounds": 1, name: plain})
    except ConfigError:
        return parse_options({"rounds": 1, name: plain, "great_grand": False})


@pytest.mark.parametrize("pace", Pace)
@pytest.mark.parametrize(("name", "value"), OPTION_VALUES)
def test_a_match_under_every_option_keeps_the_books(name: str, value: object, pace: Pace) -> None:
    for number in range(2):
        seed = f"{name} {value} {pace} {number}"
        what = settings(pace=pace, rules=with_option(name, value), max_strikes=LENIENT)
        chaos = Chaos(what, seed=seed, bombs=number > 0)
        ended = chaos.play()
        assert ended.ending is Ending.COMPLETED, f"{seed=}"
        audit(chaos.table, seed)


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("pace", Pace)
def test_a_match_of_several_rounds_keeps_the_books(pace: Pace, number: int) -> None:
    seed = f"rounds {pace} {number}"
    what = settings(pace=pace, rules=RuleOptions(rounds=3), max_strikes=LENIENT)
    chaos = Chaos(what, seed=seed)
    assert chaos.play().ending is Ending.COMPLETED, f"{seed=}"
    audit(chaos.table, seed)


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("pace", Pace)
def test_a_match_to_a_target_keeps_the_books(pace: Pace, number: int) -> None:
    seed = f"target {pace} {number}"
    rules = RuleOptions(target=300)
    chaos = Chaos(settings(pace=pace, rules=rules, max_strikes=LENIENT, max_rounds=5), seed=seed)
    assert chaos.play().ending in (Ending.COMPLETED, Ending.ABANDONED), f"{seed=}"
    audit(chaos.table, seed)


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("pace", Pace)
def test_a_match_that_ends_by_strikes_keeps_the_books(pace: Pace, number: int) -> None:
    seed = f"strikes {pace} {number}"
    chaos = Chaos(settings(pace=pace, rules=RuleOptions(rounds=20), max_strikes=3), seed=seed)
    ended = chaos.play()
    assert ended.ending in (Ending.FORFEIT_TIME, Ending.FORFEIT_ILLEGAL), f"{seed=}"
    audit(chaos.table, seed)


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("pace", Pace)
def test_a_match_without_a_clock_keeps_the_books(pace: Pace, number: int) -> None:
    seed = f"no clock {pace} {number}"
    what = settings(pace=pace, clock=None, max_strikes=LENIENT)
    chaos = Chaos(what, seed=seed, bombs=True)
    assert chaos.play().ending is Ending.COMPLETED, f"{seed=}"
    audit(chaos.table, seed)


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("pace", Pace)
def test_a_match_with_hardly_any_time_keeps_the_books(pace: Pace, number: int) -> None:
    """The base time is barely longer than the window, so that everything crosses everything."""
    seed = f"hurry {pace} {number}"
    clock = Clock(base_ns=21 * MS, bank_ns=300 * MS)
    what = settings(pace=pace, window_ms=20, clock=clock, max_strikes=LENIENT)
    chaos = Chaos(what, seed=seed, bombs=True)
    assert chaos.play().ending is Ending.COMPLETED, f"{seed=}"
    audit(chaos.table, seed)


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("pace", Pace)
def test_a_match_over_bad_links_keeps_the_books(pace: Pace, number: int) -> None:
    """The quota is small and the base time short, so that lag is saved, spent and missed."""
    seed = f"links {pace} {number}"
    clock = Clock(
        base_ns=21 * MS,
        bank_ns=300 * MS,
        exchange_ns=30 * MS,
        lag_cap_ns=15 * MS,
        lag_quota_ns=number * 20 * MS,
    )
    what = settings(pace=pace, window_ms=20, clock=clock, max_strikes=LENIENT)
    chaos = Chaos(what, seed=seed, bombs=number % 2 > 0)
    assert chaos.play().ending is Ending.COMPLETED, f"{seed=}"
    audit(chaos.table, seed)


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("pace", Pace)
def test_a_match_that_takes_too_long_keeps_the_books(pace: Pace, number: int) -> None:
    seed = f"wall {pace} {number}"
    clock = Clock(base_ns=100 * MS, bank_ns=10 * MS)
    what = settings(
        pace=pace,
        clock=clock,
        rules=RuleOptions(rounds=20),
        max_strikes=LENIENT,
        wall_per_round_ms=300,
    )
    chaos = Chaos(what, seed=seed)
    ended = chaos.play()
    assert (ended.ending, ended.at) == (Ending.ABANDONED, chaos.table.wall), f"{seed=}"
    assert bool(ended.awarded) is (ended.seat is not None), f"{seed=}"
    audit(chaos.table, seed)


@pytest.mark.parametrize("number", range(12))
@pytest.mark.parametrize("pace", Pace)
def test_a_match_that_ends_by_faults_in_its_midst_keeps_the_books(pace: Pace, number: int) -> None:
    seed = f"faults {pace} {number}"
    what = settings(pace=pace, rules=RuleOptions(rounds=20), max_strikes=LENIENT)
    chaos = Chaos(what, seed=seed, bombs=number % 2 > 0)
    chaos.run(steps=25 * number)
    seats = chaos.rng.sample(range(4), chaos.rng.randint(1, 3))
    faults = tuple(Fault(seat=Seat(seat), ending=Ending.CRASHED) for seat in seats)
    chaos.table.step(Faults(faults=faults))
    ended = chaos.table.ended
    one_team = len({seat % 2 for seat in seats}) == 1
    assert bool(ended.awarded) is (ended.winner is not None) is one_team, f"{seed=} {ended}"
    audit(chaos.table, seed)


def test_the_same_seed_gives_the_same_match() -> None:
    first, second = (random_match(settings(), seed="twice") for _ in range(2))
    assert first.facts == second.facts
    assert random_match(settings(), seed="another").facts != first.facts


def test_the_matches_meet_what_is_rare() -> None:
    """A sweep that never sees a landed bomb or a void answer would guard little."""
    told: set[str] = set()
    for number in range(12):
        for pace in Pace:
            what = settings(pace=pace, max_strikes=LENIENT)
            chaos = Chaos(what, seed=f"rare {number}", bombs=True)
            chaos.play()
            table = chaos.table
            told |= {ack.status.value for ack in table.acks} | {
                c.reason.value for c in table.cancelled
            }
            told |= {f"{pace} landed" for bomber in table.landings() if bomber is not None}
            told |= {refused.code for refused in table.refused} | set(table.told())
            told |= {"lag saved" for seat in range(4) if table.quota(seat) < table.lag_quota_ns}
    wanted = {
        *("received", "applied", "refused", "void_bombed", "stale", "too_late", "duplicate"),
        *("bombed", "timed_out", "substituted", "referee", "lag saved"),
        *("fair landed", "fast landed", "WINDOW_CLOSED", "NOT_YOUR_ASK", "MALFORMED"),
        *("DragonGiven", "LeadHanded", "WentOut"),
    }
    assert wanted <= told, wanted - told


@pytest.mark.slow
@pytest.mark.parametrize("number", range(150))
@pytest.mark.parametrize("pace", Pace)
def test_many_matches_keep_the_books(pace: Pace, number: int) -> None:
    seed = f"many {pace} {number}"
    what = settings(pace=pace, rules=RuleOptions(rounds=1), max_strikes=LENIENT)
    chaos = Chaos(what, seed=seed, bombs=True)
    assert chaos.play().ending is Ending.COMPLETED, f"{seed=}"
    audit(chaos.table, seed)
