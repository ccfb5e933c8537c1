"""A match goes on in a new process of the referee, at nobody's cost (DESIGN 3, PROTOCOL 5)."""

import pytest

from referee.match.facts import (
    Answered,
    Dealt,
    Fact,
    Faulted,
    Played,
    Resumed,
    RoundEnded,
    TimedOut,
    decode_fact,
    encode_fact,
)
from referee.match.inputs import (
    Deal,
    Fault,
    Faults,
    Tick,
)
from referee.match.machine import Machine
from referee.match.replay import Difference, Replayed, replay
from referee.match.values import MS, AckStatus, Blame, Clock, Ending, Pace
from referee.rules.errors import RefereeBug
from referee.rules.options import RuleOptions
from referee.rules.seat import Seat
from tests.simulation.positions import PASS, at, playing
from tests.simulation.rebuilt import rebuilt, resumed
from tests.simulation.table import Table, settings
from tests.unit.match.killed import (
    ALL,
    BANK,
    BASE,
    NO_GRAND,
    PACES,
    WINDOW,
    bets,
    outage,
    resume,
    waiting,
    window,
)

# --- the fact


def test_the_fact_has_the_time_of_the_one_before_it_and_the_number_of_the_process() -> None:
    """Match time stood still: ticks and hand-overs after the last fact are forgotten."""
    table = bets()
    table.wait(700)
    again = waiting(table, epoch=7)
    assert again.facts[-1] == Resumed(at=900 * MS, epoch=7)
    assert encode_fact(again.facts[-1]) == b'{"at":900000000,"epoch":7,"t":"resumed"}'
    assert decode_fact(encode_fact(again.facts[-1])) == again.facts[-1]


def test_nobody_is_told_of_it() -> None:
    again = rebuilt(bets())
    step = resume(again.machine, again.now)
    told = (step.events, step.asks, step.cancelled, step.acks, step.refused)
    assert (told, step.over, step.needs_deal) == (([], [], [], [], []), False, False)
    assert [type(fact) for fact in step.facts] == [Resumed]


def test_a_match_without_any_fact_goes_on_at_0_and_still_needs_its_deal() -> None:
    machine = Machine(bets().config)
    step = resume(machine, 0)
    assert (step.facts, step.needs_deal, step.due) == ([Resumed(at=0, epoch=2)], True, None)
    assert machine.step(Deal(seed="ab" * 32), 5).asks


def test_a_match_between_two_rounds_still_needs_its_deal() -> None:
    table = at(settings(rules=RuleOptions(rounds=2)), "Kj", "", "", "3j 4j", out=(1, 2))
    lead = table.ask(0)
    table.answer_ask(lead, playing("Kj"))
    ends = next(i for i, fact in enumerate(table.facts) if isinstance(fact, Dealt))
    assert isinstance(table.facts[ends - 1], RoundEnded)
    again = rebuilt(table, ends)
    assert resume(again.machine, again.now).needs_deal
    assert again.machine.round_number == 1


def test_after_the_end_there_is_nothing_to_go_on_with() -> None:
    table = bets()
    table.step(Fault(seat=Seat(0), ending=Ending.RESIGNED))
    again = rebuilt(table)
    with pytest.raises(RefereeBug, match="after the end"):
        resume(again.machine, again.now)


def test_time_that_ran_on_before_the_resume_is_our_bug() -> None:
    """Else the outage would cost seat 2, whose clock the record knows from its refused answer."""
    machine = rebuilt(bets()).machine
    with pytest.raises(RefereeBug, match="time ran on"):
        resume(machine, BASE + BANK)


# --- asks and clocks


def test_open_asks_are_the_same_and_have_the_whole_time_from_the_hand_over() -> None:
    table = bets()
    before = [table.ask(seat) for seat in (0, 2, 3)]
    again = waiting(table)
    assert [again.ask(seat).id for seat in (0, 2, 3)] == [ask.id for ask in before]
    assert [again.ask(seat).choices for seat in (0, 2, 3)] == [ask.choices for ask in before]
    assert again.asked() == [0, 2, 3], "seat 1 has decided"
    assert again.machine.due == again.wall, "no clock runs before the hand-over"
    again.now += 40 * MS
    again.hand_over(*ALL)
    assert again.machine.due == again.now + BASE + BANK
    again.now += BASE
    for seat in (0, 2, 3):
        again.answer(seat, NO_GRAND)
    assert [again.bank(seat) for seat in range(4)] == [BANK] * 4
    assert again.replays() == []


def test_over_the_base_time_only_what_was_thought_after_it_is_charged() -> None:
    again = outage(bets())
    again.now += BASE + 11
    again.answer(2, NO_GRAND)
    (fact,) = [f for f in again.facts if isinstance(f, Answered) and f.charged]
    assert (fact.seat, fact.sent, fact.charged) == (2, 903 * MS, 11)
    assert again.bank(2) == BANK - 11
    assert again.replays() == []


def test_what_was_charged_before_stays_charged() -> None:
    table = Table(settings()).start()
    table.now += BASE + 700 * MS
    table.answer(1, NO_GRAND)
    again = outage(table)
    assert [again.bank(seat) for seat in range(4)] == [BANK, BANK - 700 * MS, BANK, BANK]


def test_corrections_strikes_and_stand_downs_stay() -> None:
    table = window()
    table.stand_down(3)
    for _ in range(2):
        table.answer(1, NO_GRAND)
    again = outage(table)
    again.answer(1, NO_GRAND)
    assert again.refused[-1].resends_left == 0
    assert again.strikes() == [(1, "MALFORMED")]
    twice = outage(again)
    assert twice.machine.strikes == (0, 1, 0, 0)
    assert twice.machine.snapshot(Seat(3)).stood_down == (Seat(3),)


def test_a_granted_lag_is_granted_anew() -> None:
    clock = Clock(base_ns=BASE, bank_ns=BANK, lag_cap_ns=80 * MS, lag_quota_ns=200 * MS)
    table = Table(settings(clock=clock))
    table.lags = [60 * MS] * 4
    table.start()
    table.answer(0, PASS)  # refused, so that the record knows the grant
    again = waiting(table)
    assert again.ask(0).lag == 0
    again.hand_over(*ALL, lags=[5 * MS, 90 * MS, 0, 0])
    assert [again.ask(seat).lag for seat in range(4)] == [5 * MS, 80 * MS, 0, 0]
    assert again.machine.due == again.now + BASE + BANK


def test_a_repeat_of_an_answer_that_was_stored_is_a_duplicate() -> None:
    """Its acknowledgement may have been lost with the process."""
    table = window()
    lead = table.asks[0]
    again = outage(table)
    assert again.answer_ask(lead, playing("Kj")).status is AckStatus.DUPLICATE
    assert again.answer_ask(lead, PASS).status is AckStatus.STALE
    assert len([fact for fact in again.facts if isinstance(fact, Played)]) == 1


def test_an_answer_that_was_not_stored_was_never_given() -> None:
    table = bets()
    table.answer(0, NO_GRAND)
    again = resumed(table, epoch=2, count=len(table.facts) - 1)
    assert again.asked() == [0, 2, 3]
    assert again.answer(0, NO_GRAND).status is AckStatus.RECEIVED


def test_an_answer_that_comes_before_its_frame_left_costs_nothing() -> None:
    again = waiting(bets())
    again.now += 500 * MS
    assert again.answer(0, NO_GRAND).status is AckStatus.RECEIVED
    assert again.bank(0) == BANK
    assert isinstance(again.facts[-1], Answered)
    assert again.facts[-1].sent == again.now
    assert again.replays() == []


def test_the_whole_matchs_time_stands_still_in_the_outage() -> None:
    table = bets()
    wall = table.wall
    again = outage(table)
    assert again.wall == wall == again.machine._state.wall
    assert again.now == 903 * MS


# --- again and again


def test_a_second_kill_before_any_frame_left_is_as_good_as_one() -> None:
    again = waiting(waiting(bets(), epoch=2), epoch=3)
    assert [f.epoch for f in again.facts if isinstance(f, Resumed)] == [2, 3]
    again.hand_over(*ALL)
    assert again.machine.due == again.now + BASE + BANK
    assert again.replays() == []


@PACES
def test_a_kill_right_after_the_referee_was_blocked(pace: Pace) -> None:
    table = window(pace)
    table.hold_hands = True
    table.now += 10 * MS
    table.stall(900)
    ids = [ask.id for seat in ALL for ask in table.machine.open_asks(seat)]
    again = waiting(table)
    assert [ask.id for seat in ALL for ask in again.machine.open_asks(seat)] == ids
    again.hand_over(*ALL)
    assert again.machine.due == again.now + WINDOW
    assert again.replays() == []


@PACES
def test_the_referee_is_blocked_right_after_a_resume(pace: Pace) -> None:
    """What was not handed over is not asked anew."""
    again = waiting(window(pace))
    ids = [ask.id for seat in ALL for ask in again.machine.open_asks(seat)]
    again.stall(900)
    assert [ask.id for seat in ALL for ask in again.machine.open_asks(seat)] == ids
    again.hand_over(*ALL)
    assert again.machine.due == again.now + WINDOW
    assert again.replays() == []


def test_what_is_due_after_the_resume_happens_at_its_own_instant() -> None:
    again = outage(bets())
    again.wait(60_000)
    late = [(f.seat, f.at) for f in again.facts if isinstance(f, TimedOut)][:3]
    assert late == [(seat, 903 * MS + BASE + BANK) for seat in (0, 2, 3)]
    assert again.replays() == []


# --- the record


def facts_of(table: Table) -> list[Fact | Difference]:
    found: list[Fact | Difference] = []
    for step in replay(table.config, table.facts):
        found += step.step.facts if isinstance(step, Replayed) else [step]
    return found


def test_the_whole_record_replays_and_one_without_its_resume_does_not() -> None:
    again = outage(bets())
    for seat in (0, 2, 3):
        again.now += 400 * MS
        again.answer(seat, NO_GRAND)
    assert facts_of(again) == again.facts
    again.facts = [fact for fact in again.facts if not isinstance(fact, Resumed)]
    assert isinstance(facts_of(again)[-1], Difference), "seat 2 would have been charged"


# --- who is not back


def missing(*seats: int, blame: Blame = Blame.UNKNOWN) -> Faults:
    return Faults(
        faults=tuple(
            Fault(seat=Seat(seat), ending=Ending.DISCONNECTED, blame=blame) for seat in seats
        )
    )


@pytest.mark.parametrize("seats", [(2,), (0, 2), (1, 2, 3), (0, 1, 2, 3)])
def test_seats_that_are_not_back_void_the_match_whichever_they_are(seats: tuple[int, ...]) -> None:
    """PROTOCOL 5: nobody can say whose fault it was, so nobody wins by it."""
    again = rebuilt(bets())
    again.step(missing(*seats))
    ended = again.ended
    assert (ended.ending, ended.blame) == (Ending.DISCONNECTED, Blame.UNKNOWN)
    assert (ended.winner, ended.awarded) == (None, ())
    assert ended.seat == seats[0]
    assert ended.failed == (tuple(map(Seat, seats)) if len(seats) > 1 else ())
    found = [fact for fact in again.facts if isinstance(fact, Faulted)]
    assert [(f.seat, f.blame) for f in found] == [(seat, Blame.UNKNOWN) for seat in seats]
    assert ended.at == 900 * MS, "time has stood still"
    assert again.replays() == []


@pytest.mark.parametrize("bot", [0, 3])
def test_a_bot_that_gives_up_meanwhile_goes_before_those_that_are_not_back(bot: int) -> None:
    again = rebuilt(bets())
    resigned = Fault(seat=Seat(bot), ending=Ending.RESIGNED)
    again.step(Faults(faults=(*missing(1, 2).faults, resigned)))
    ended = again.ended
    assert (ended.ending, ended.seat, ended.blame) == (Ending.RESIGNED, bot, Blame.BOT)
    assert (ended.winner, ended.failed) == (1 - bot % 2, ())
    assert ended.awarded != ()
    assert again.replays() == []


def test_time_without_anything_due_changes_nothing_before_the_resume() -> None:
    again = rebuilt(window())
    assert again.machine.step(Tick(), again.now).facts == []
    assert resume(again.machine, again.now).facts == [Resumed(at=again.now, epoch=2)]
