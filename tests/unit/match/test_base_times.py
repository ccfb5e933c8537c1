"""Longer base times by kind of ask (PROTOCOL 3)."""

import pytest

from referee.match.inputs import ExchangeDecision
from referee.match.values import MAX_TIME_NS, MS, AskKind, Clock, Pace, Settings
from referee.rules.errors import ConfigError
from referee.rules.options import RuleOptions
from referee.rules.phases import Phase
from tests.simulation.positions import at, decline_bets, pass_round, playing
from tests.simulation.table import Table, settings

LONG = Clock(
    base_ns=1000 * MS,
    bank_ns=5000 * MS,
    call_ns=1500 * MS,
    exchange_ns=4000 * MS,
    act_ns=2000 * MS,
    choose_seat_ns=3000 * MS,
)
KINDS = ("call_ns", "exchange_ns", "act_ns", "choose_seat_ns")


def base_ms(table: Table, kind: AskKind) -> int:
    base = table.ask(table.asked(kind)[0], kind).base_ns
    assert base is not None
    return base // MS


def test_each_kind_of_ask_has_its_own_base_time() -> None:
    table = Table(settings(clock=LONG)).start()
    assert base_ms(table, AskKind.CALL) == 1500
    assert table.machine.due == 6500 * MS
    decline_bets(table)
    assert base_ms(table, AskKind.EXCHANGE) == 4000


def test_a_turn_and_the_gift_of_a_dragon_have_their_own() -> None:
    table = at(settings(clock=LONG), "Dr 3j 4j", "3s 4p", "3p 4r", "3r 4s")
    assert base_ms(table, AskKind.ACT) == 2000
    table.answer(0, playing("Dr"))
    pass_round(table)
    assert base_ms(table, AskKind.CHOOSE_SEAT) == 3000


def test_a_kind_without_one_has_that_of_all() -> None:
    clock = Clock(base_ns=1000 * MS, act_ns=7000 * MS)
    assert [clock.base_of(kind) // MS for kind in AskKind] == [1000, 1000, 7000, 1000, 1000]


def test_an_exchange_that_is_asked_again_has_half_of_its_own() -> None:
    hands = ("2j 3j 4j 5j", "2s 3s 4s 5s", "2p 3p 4p 5p", "2r 3r 4r 5r")
    table = at(settings(clock=LONG), *hands, lead=None, phase=Phase.EXCHANGE)
    for seat in range(4):
        gifts = tuple((to, (card,)) for to, card in zip(*own(table, seat), strict=False))
        table.answer(seat, ExchangeDecision(gifts=gifts, tichu=seat == 0))
    assert base_ms(table, AskKind.EXCHANGE) == 2000
    assert table.machine.due == table.now + 2000 * MS, "and no bank"


def own(table: Table, seat: int) -> tuple[list[int], list[int]]:
    """Who gets a card of a seat, and the cards of its hand."""
    view = table.machine.snapshot(table.ask(seat).seat).view
    assert view is not None
    return [to for to, *_ in table.ask(seat).slots], [c for c in range(64) if view.hand >> c & 1]


# --- what cannot be


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("length", [0, -1, 1999 * MS])
def test_a_base_time_below_that_of_all_asks_is_refused(name: str, length: int) -> None:
    with pytest.raises(ConfigError, match=r"base time for \w+ of .* ms"):
        Clock(**{name: length})


@pytest.mark.parametrize("name", KINDS)
def test_a_base_time_over_24_hours_is_refused(name: str) -> None:
    assert getattr(Clock(**{name: MAX_TIME_NS}), name) == MAX_TIME_NS
    with pytest.raises(ConfigError, match="over 24 hours; shorten it"):
        Clock(**{name: MAX_TIME_NS + 1})


@pytest.mark.parametrize("name", ["lag_cap_ns", "lag_quota_ns"])
def test_lag_is_credited_from_0_to_24_hours(name: str) -> None:
    assert [getattr(Clock(**{name: value}), name) for value in (0, MAX_TIME_NS)] == [0, MAX_TIME_NS]
    with pytest.raises(ConfigError, match="use 0 or more"):
        Clock(**{name: -1})
    with pytest.raises(ConfigError, match="over 24 hours"):
        Clock(**{name: MAX_TIME_NS + 1})


@pytest.mark.parametrize("pace", Pace)
def test_the_window_must_be_below_the_shortest_base_time_of_a_turn(pace: Pace) -> None:
    """A bet and the exchange know no windows, so theirs may be as short."""
    rules = RuleOptions()
    long_turns = Clock(base_ns=100 * MS, act_ns=900 * MS, choose_seat_ns=800 * MS)
    what = Settings(rules=rules, pace=pace, window_ns=799 * MS, clock=long_turns)
    assert what.clock == long_turns
    with pytest.raises(ConfigError, match="not below the base time of 800 ms; shorten"):
        Settings(rules=rules, pace=pace, window_ns=800 * MS, clock=long_turns)
    only_turns = Clock(base_ns=100 * MS, act_ns=900 * MS)
    with pytest.raises(ConfigError, match="not below the base time of 100 ms"):
        Settings(rules=rules, pace=pace, window_ns=100 * MS, clock=only_turns)
