"""Standing down from bomb windows (PROTOCOL 4)."""

import random

import pytest

from referee.match.facts import StoodDown
from referee.match.values import AckStatus, AskKind, Pace
from referee.rules.options import RuleOptions
from referee.rules.seat import Seat
from tests.simulation.positions import (
    DECLINE,
    PASS,
    at,
    bombing,
    close_window,
    decline_bets,
    playing,
    through_deal,
)
from tests.simulation.table import Table, random_policy, settings

BOMBERS = ("3j 4s 5j 6s Kj", "7j 7s 7p 7r Aj", "8j 8s 8p 8r 2s", "9j 9s 9p 9r As")
EIGHTS = bombing("8j 8s 8p 8r")
PACES = pytest.mark.parametrize("pace", Pace)


def lead(pace: Pace) -> Table:
    return at(settings(pace=pace), *BOMBERS)


@PACES
def test_standing_down_declines_an_open_bomb_ask(pace: Pace) -> None:
    table = lead(pace)
    table.act(0, playing("Kj"))
    ask = table.ask(2, AskKind.BOMB)
    assert table.stand_down(2) is AckStatus.APPLIED
    assert 2 not in table.asked(AskKind.BOMB)
    assert table.answer_ask(ask, EIGHTS).status is AckStatus.STALE
    close_window(table)
    assert table.landings()[-1] is None


@PACES
def test_a_seat_that_stood_down_is_not_asked_again(pace: Pace) -> None:
    table = lead(pace)
    table.stand_down(2)
    table.act(0, playing("Kj"))
    assert 2 not in table.asked(AskKind.BOMB)
    close_window(table)
    table.act(1, playing("Aj"))
    assert 2 not in table.asked(AskKind.BOMB)


@PACES
def test_it_may_still_bomb_in_its_turn(pace: Pace) -> None:
    table = lead(pace)
    table.stand_down(2)
    table.act(0, playing("Kj"))
    close_window(table)
    table.act(1, PASS)
    table.answer(2, playing("8j 8s 8p 8r"), kind=AskKind.ACT)
    close_window(table)
    assert table.public.has_played[2]


def test_a_bomb_in_its_turn_competes_in_the_window_though_it_stood_down() -> None:
    table = lead(Pace.FAIR)
    table.stand_down(1)
    table.act(0, playing("Kj"))
    table.answer(1, playing("7j 7s 7p 7r"), kind=AskKind.ACT)
    table.wait_until_due()
    assert table.landings() == [1]


def test_in_fast_the_last_to_stand_down_closes_the_window() -> None:
    table = lead(Pace.FAST)
    table.act(0, playing("Kj"))
    table.answer(3, DECLINE, kind=AskKind.BOMB)
    turn = table.ask(1, AskKind.ACT)
    table.answer_ask(turn, playing("Aj"))
    table.stand_down(2)
    assert table.statuses(turn) == [AckStatus.RECEIVED, AckStatus.APPLIED]
    assert table.replays() == []


def test_in_fast_a_window_that_opens_and_closes_in_one_step_asks_for_no_bomb() -> None:
    """The window closes by time, seat 1 has to pass, and seat 2 stands down at that instant."""
    table = at(settings(), "3j 4s 5j 6s Kj", "7j 7p 8s Tj", "8j 8p 8r 2s Ap", "9j 9s 9p 9r As")
    table.act(0, playing("Kj"))
    first = table.ask(3, AskKind.BOMB)
    asked = len(table.asks)
    assert table.machine.due is not None
    table.now = table.machine.due
    assert table.stand_down(3) is AckStatus.APPLIED
    assert first not in table.machine.open_asks(Seat(3))
    assert [(ask.seat, ask.kind) for ask in table.asks[asked:]] == [(2, AskKind.ACT)]
    assert table.replays() == []


def test_in_fair_standing_down_changes_nothing_that_others_see() -> None:
    table = lead(Pace.FAIR)
    table.act(0, playing("Kj"))
    due, events = table.machine.due, len(table.events)
    before = len(table.acks)
    table.stand_down(2)
    assert (table.machine.due, len(table.events)) == (due, events)
    assert {ack.seat for ack in table.acks[before:]} == {2}


def test_it_is_refused_before_the_exchange_is_over() -> None:
    table = Table(settings()).start()
    assert table.stand_down(1) is AckStatus.REFUSED
    assert table.refused[-1].code == "WRONG_PHASE"
    decline_bets(table)
    assert table.stand_down(1) is AckStatus.REFUSED
    through_deal(table)
    assert table.stand_down(1) is AckStatus.APPLIED


def test_it_is_legal_on_the_first_lead_in_closing_and_while_a_dragon_is_given() -> None:
    table = at(settings(pace=Pace.FAIR), "Dr 3j 4j 5s", "3s 4p", "3p 4r", "3r 4s")
    assert table.stand_down(3) is AckStatus.APPLIED
    table.act(0, playing("Dr"))
    for seat in (1, 2, 3):
        table.act(seat, PASS)
    assert table.stand_down(2) is AckStatus.APPLIED
    table = at(settings(pace=Pace.FAIR), "Dr", "3s 4p 5p", "3p", "3r 4s 5s")
    table.act(0, playing("Dr"))
    for seat in (1, 2, 3):
        table.act(seat, PASS)
    assert table.ask(0).kind is AskKind.CHOOSE_SEAT
    assert table.stand_down(1) is AckStatus.APPLIED


def test_it_is_not_revocable_and_may_be_repeated() -> None:
    table = lead(Pace.FAIR)
    assert [table.stand_down(2) for _ in range(2)] == [AckStatus.APPLIED] * 2
    assert len([fact for fact in table.facts if isinstance(fact, StoodDown)]) == 2


def test_the_snapshot_of_the_seat_shows_it_and_no_other() -> None:
    table = lead(Pace.FAIR)
    table.stand_down(2)
    shown = [
        table.machine.snapshot(seat).stood_down for seat in map(type(table.asks[0].seat), range(4))
    ]
    assert shown == [(), (), (2,), ()]


def test_it_ends_with_the_round() -> None:
    rng = random.Random(4)
    table = Table(settings(rules=RuleOptions(rounds=2)), seed="round").start()
    through_deal(table)
    table.stand_down(1)
    policy = random_policy(rng)
    while table.machine.round_number == 1:
        for seat in table.asked():
            ask = table.ask(seat)
            table.answer_ask(ask, policy(table, ask))
    assert table.machine.snapshot(Seat(1)).stood_down == ()
