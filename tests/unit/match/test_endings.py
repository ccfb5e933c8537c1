"""How matches end, and that nothing happens afterwards (PROTOCOL 5, F4)."""

import random

import pytest

from referee.match.facts import Faulted, MatchEnded, RoundEnded
from referee.match.inputs import (
    Answer,
    CallRequest,
    Deal,
    Fault,
    Handed,
    Input,
    StandDownRequest,
    Tick,
)
from referee.match.state import MatchState
from referee.match.values import AckStatus, Blame, CancelReason, Ending, Pace
from referee.rules.errors import RefereeBug
from referee.rules.option_values import TieAtTarget
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind
from referee.rules.seat import Seat
from tests.simulation.positions import PASS, at, playing
from tests.simulation.table import Table, random_policy, settings

HANDS = ("3j 4s 5j 6s Kj", "7j 7s 7p 7r Aj", "8j 8s 8p 8r As", "9j 9s 9p 9r Ap")
PACES = pytest.mark.parametrize("pace", Pace)
BY_SEAT = [
    Ending.CRASHED,
    Ending.DISCONNECTED,
    Ending.FLOODED,
    Ending.SLOW_READER,
    Ending.RESIGNED,
    Ending.NEVER_STARTED,
]


def window(pace: Pace) -> Table:
    table = at(settings(pace=pace), *HANDS)
    table.act(0, playing("Kj"))
    return table


@PACES
@pytest.mark.parametrize("ending", BY_SEAT)
def test_a_fault_of_a_seat_ends_the_match_for_the_other_team(pace: Pace, ending: Ending) -> None:
    table = window(pace)
    table.step(Fault(seat=Seat(3), ending=ending))
    ended = table.ended
    assert (ended.ending, ended.seat, ended.blame, ended.winner) == (ending, 3, Blame.BOT, 0)
    assert table.told()[-1] == "MatchEnded"
    assert table.replays() == []


@pytest.mark.parametrize(
    ("ending", "blame"),
    [
        (Ending.CANCELLED, Blame.NONE),
        (Ending.REFEREE_FAILED, Blame.REFEREE),
        (Ending.STORE_FAILED, Blame.REFEREE),
    ],
)
def test_an_ending_by_order_or_by_our_failure_has_no_winner(ending: Ending, blame: Blame) -> None:
    table = window(Pace.FAIR)
    table.step(Fault(seat=None, ending=ending))
    ended = table.ended
    assert (ended.ending, ended.seat, ended.blame, ended.winner) == (ending, None, blame, None)


def test_a_resignation_is_acknowledged() -> None:
    table = window(Pace.FAIR)
    step = table.step(Fault(seat=Seat(1), ending=Ending.RESIGNED, request_id=5))
    assert [(a.seat, a.status, a.request_id) for a in step.acks] == [(1, AckStatus.APPLIED, 5)]
    assert isinstance(table.facts[-2], Faulted)


@PACES
def test_the_end_closes_every_ask_and_tells_its_seat(pace: Pace) -> None:
    table = window(pace)
    owed = {(seat, ask.id) for seat in table.asked() for ask in table.machine.open_asks(seat)}
    table.step(Fault(seat=Seat(0), ending=Ending.CRASHED))
    told = {(c.seat, c.ask_id) for c in table.cancelled if c.reason is CancelReason.MATCH_ENDED}
    assert told == owed
    assert table.asked() == []
    assert table.machine.due is None


@PACES
def test_nothing_is_recorded_after_the_end(pace: Pace) -> None:
    table = window(pace)
    ask = table.ask(1)
    table.step(Fault(seat=Seat(0), ending=Ending.CRASHED))
    facts, events = len(table.facts), len(table.events)
    table.now += 10**12
    inputs: list[Input] = [
        Answer(Seat(1), ask.id, PASS),
        Answer(Seat(1), 99, PASS),
        CallRequest(seat=Seat(2), call=CallKind.TICHU, request_id=1),
        StandDownRequest(seat=Seat(2), request_id=2),
        Fault(seat=Seat(2), ending=Ending.RESIGNED, request_id=3),
        Fault(seat=Seat(2), ending=Ending.CRASHED),
        Handed(seats=(Seat(1),)),
        Tick(),
    ]
    acks = [ack.status for what in inputs for ack in table.step(what).acks]
    assert (len(table.facts), len(table.events)) == (facts, events)
    assert acks == [AckStatus.STALE] * 5, "every answer and request is acknowledged"


def test_a_deal_after_the_end_is_our_bug() -> None:
    table = window(Pace.FAIR)
    table.step(Fault(seat=Seat(0), ending=Ending.CRASHED))
    with pytest.raises(RefereeBug, match="after the end"):
        table.machine.step(Deal(seed="00" * 32), table.now)


def test_a_match_may_end_before_its_first_deal() -> None:
    table = Table(settings())
    table.step(Fault(seat=Seat(2), ending=Ending.NEVER_STARTED))
    assert (table.ended.ending, table.ended.rounds) == (Ending.NEVER_STARTED, 0)
    assert table.replays() == []


# --- completed


def whole(rules: RuleOptions, seed: str, *, max_rounds: int = 60) -> Table:
    table = Table(settings(rules=rules, max_rounds=max_rounds), seed=seed).start()
    rng = random.Random(seed)
    table.play(random_policy(rng), rng)
    return table


def test_a_match_of_n_rounds_ends_after_the_nth() -> None:
    """J: rounds."""
    table = whole(RuleOptions(rounds=3), "three")
    assert (table.ended.ending, table.ended.rounds) == (Ending.COMPLETED, 3)
    assert table.told().count("RoundEnded") == 3
    assert (table.ended.seat, table.ended.blame) == (None, Blame.NONE)


def test_a_match_to_a_target_ends_with_the_round_that_reaches_it() -> None:
    """F4."""
    table = whole(RuleOptions(target=300), "target")
    totals = [fact.totals for fact in table.facts if isinstance(fact, RoundEnded)]
    assert max(totals[-1]) >= 300
    assert all(max(total) < 300 for total in totals[:-1])
    assert table.ended.winner == totals[-1].index(max(totals[-1]))


def test_totals_are_the_sum_of_the_rounds_points() -> None:
    table = whole(RuleOptions(rounds=4), "sum")
    ended = [fact for fact in table.facts if isinstance(fact, RoundEnded)]
    for team in range(2):
        assert sum(fact.points[team] for fact in ended) == table.ended.totals[team]


def last_trick(rules: RuleOptions) -> Table:
    """Seat 0 leads its last card, and the round is over; both teams have reached the target."""
    table = at(settings(rules=rules), "Kj", "", "", "3j 4j", out=(1, 2))
    table.machine._state.score.totals = (1000, 1000)
    return table


def test_points_that_tie_at_the_target_lead_to_another_round_or_to_a_draw() -> None:
    """F4, tie_at_target: the totals before the round make up for what it brings."""
    for tie, over in ((TieAtTarget.PLAY_ON, False), (TieAtTarget.DRAW, True)):
        rules = RuleOptions(tie_at_target=tie)
        table = last_trick(rules)
        table.act(0, playing("Kj"))
        points = next(fact.points for fact in table.facts if isinstance(fact, RoundEnded))
        table = last_trick(rules)
        table.machine._state.score.totals = (1000 + points[1], 1000 + points[0])
        table.act(0, playing("Kj"))
        assert table.machine.over is over
        if over:
            assert (table.ended.ending, table.ended.winner) == (Ending.COMPLETED, None)
        else:
            assert table.machine.round_number == 2


def test_a_drawn_match_of_fixed_rounds_has_no_winner() -> None:
    table = at(settings(rules=RuleOptions(rounds=1)), "Kj", "", "", "3j 4j", out=(1, 2))
    table.act(0, playing("Kj"))
    points = table.ended.totals
    table = at(settings(rules=RuleOptions(rounds=1)), "Kj", "", "", "3j 4j", out=(1, 2))
    table.machine._state.score.totals = (points[1], points[0])
    table.act(0, playing("Kj"))
    assert (table.ended.ending, table.ended.winner) == (Ending.COMPLETED, None)


# --- caps


def test_a_round_of_too_many_actions_is_abandoned() -> None:
    table = Table(settings(max_actions=20), seed="cap").start()
    rng = random.Random(1)
    ended = table.play(random_policy(rng), rng)
    assert (ended.ending, ended.seat, ended.winner) == (Ending.ABANDONED, None, None)
    actions = [name for name in table.told() if name in ("PlayedEvent", "Passed", "DragonGiven")]
    assert len(actions) == 21, "the first action over the cap ends it"


def test_a_match_of_too_many_rounds_is_abandoned() -> None:
    table = whole(RuleOptions(target=100_000), "long", max_rounds=2)
    assert (table.ended.ending, table.ended.rounds) == (Ending.ABANDONED, 2)


def test_the_last_allowed_round_may_complete_the_match() -> None:
    table = whole(RuleOptions(rounds=2), "two", max_rounds=2)
    assert table.ended.ending is Ending.COMPLETED


def test_match_ended_is_the_last_fact_and_the_last_event_and_stands_once() -> None:
    table = whole(RuleOptions(rounds=1), "once")
    assert [f for f in table.facts if isinstance(f, MatchEnded)] == [table.facts[-1]]
    assert table.told().count("MatchEnded") == 1
    assert table.told()[-1] == "MatchEnded"


def test_a_step_that_fails_charges_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its facts are lost, so a record that says what was left would not be played again."""
    table = window(Pace.FAST)
    machine, before = table.machine, table.machine.banks

    def breaks(state: MatchState, what: Answer) -> None:
        state.banks[what.seat] -= 1
        raise ZeroDivisionError

    monkeypatch.setattr("referee.match.answers.receive", breaks)
    with pytest.raises(ZeroDivisionError):
        machine.step(Answer(seat=Seat(0), ask_id=1, decision=PASS), table.now)
    assert machine.banks == before
    ended = machine.step(Fault(seat=None, ending=Ending.REFEREE_FAILED), table.now).facts[-1]
    assert isinstance(ended, MatchEnded)
    assert ended.banks == before
