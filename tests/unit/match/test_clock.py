"""Base time and bank (PROTOCOL 3)."""

import msgspec
import pytest

from referee.match.facts import Answered, MatchEnded, Released, TimedOut
from referee.match.inputs import CallDecision, CallRequest, Deal, Handed, Tick
from referee.match.machine import Machine
from referee.match.step import Ack, Ask
from referee.match.values import MS, AckStatus, AskKind, Clock, Pace, Settings
from referee.rules.errors import ConfigError, RefereeBug
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind
from referee.rules.seat import Seat
from tests.simulation.positions import DECLINE, PASS, at, bombing, playing
from tests.simulation.table import Table, settings

HANDS = ("3j 4s 5j 6s Kj", "3s 4p 5s 6p Aj", "8j 8s 8p 8r 2s", "3r 4j 5r 6j 2p")
BASE, BANK = 1000 * MS, 5000 * MS
NO_GRAND = CallDecision(choice=CallKind.NO_GRAND)
PACES = pytest.mark.parametrize("pace", Pace)


def last_ack(table: Table, seat: int) -> Ack:
    return [ack for ack in table.acks if ack.seat == seat][-1]


def charges(table: Table, seat: int) -> int:
    """What the record says left the bank of a seat."""
    kinds = (Answered, Released, TimedOut)
    return sum(f.charged for f in table.facts if isinstance(f, kinds) and f.seat == seat)


@pytest.mark.parametrize(
    ("used", "charged"),
    [(0, 0), (BASE - 1, 0), (BASE, 0), (BASE + 1, 1), (BASE + BANK - 1, BANK - 1)],
)
def test_only_time_over_the_base_is_charged(used: int, charged: int) -> None:
    table = Table(settings()).start()
    table.now += used
    table.answer(2, NO_GRAND)
    ack = last_ack(table, 2)
    assert (ack.used_ns, ack.charged_ns, ack.bank_ns) == (used, charged, BANK - charged)
    assert table.bank(2) == BANK - charged


def test_each_seat_has_its_own_bank() -> None:
    table = Table(settings()).start()
    table.now += BASE + 70
    table.answer(2, NO_GRAND)
    assert [table.bank(seat) for seat in range(4)] == [BANK, BANK, BANK - 70, BANK]


@PACES
def test_the_clock_of_an_ask_starts_when_it_was_handed_over(pace: Pace) -> None:
    table = Table(settings(pace=pace))
    table.hold_hands = True
    table.start()
    table.now += 9000 * MS
    assert table.machine.due == table.wall, "nobody was asked yet"
    table.hand_over(0, 1, 2, 3)
    table.now += BASE + 5
    table.answer(0, NO_GRAND)
    assert last_ack(table, 0).used_ns == BASE + 5


def test_an_answer_before_its_ask_was_handed_over_used_no_time() -> None:
    table = Table(settings())
    table.hold_hands = True
    table.start()
    table.now += 3000 * MS
    table.answer(0, NO_GRAND)
    assert (last_ack(table, 0).used_ns, table.bank(0)) == (0, BANK)


def test_asks_that_came_of_what_was_due_in_the_step_of_a_hand_over_are_not_handed_by_it() -> None:
    table = at(settings(pace=Pace.FAIR), *HANDS)
    table.answer(0, playing("Kj"))
    table.hold_hands = True
    table.now += 50 * MS  # the lead takes effect in the very step
    table.hand_over(1)
    assert table.ask(1, AskKind.ACT).sent == -1


@pytest.mark.parametrize(("late", "status"), [(0, AckStatus.TOO_LATE), (-1, AckStatus.RECEIVED)])
def test_time_is_over_at_the_exact_deadline(late: int, status: AckStatus) -> None:
    table = Table(settings()).start()
    ask = table.ask(0)
    for seat in (1, 2, 3):
        table.answer(seat, NO_GRAND)
    assert table.machine.due == BASE + BANK
    table.now = BASE + BANK + late
    assert table.answer_ask(ask, NO_GRAND).status is status


def test_a_time_out_takes_the_whole_bank_and_happens_at_its_instant() -> None:
    table = Table(settings()).start()
    for seat in (1, 2, 3):
        table.answer(seat, NO_GRAND)
    table.now = BASE + BANK + 12_345
    table.wait(0)
    (fact,) = [fact for fact in table.facts if isinstance(fact, TimedOut)]
    assert (fact.at, fact.charged) == (BASE + BANK, BANK)
    assert table.bank(0) == 0


def test_with_an_empty_bank_only_the_base_time_is_left() -> None:
    table = Table(settings()).start()
    for seat in (1, 2, 3):
        table.answer(seat, NO_GRAND)
    table.wait(6000)
    asked = table.now
    assert table.asked(AskKind.EXCHANGE) == [0, 1, 2, 3]
    assert table.machine.due == asked + BASE
    assert table.ask(0).bank_ns == 0


@PACES
def test_the_bank_at_start_minus_the_charges_is_the_bank_left(pace: Pace) -> None:
    """Exactly: by acknowledgements, by facts, and by what the match says at its end."""
    table = at(settings(pace=pace), *HANDS)
    for over in (3, 700, 41):
        table.now += BASE + over
        (seat,) = table.asked(AskKind.ACT)
        ask = table.ask(seat, AskKind.ACT)
        table.act(seat, PASS if ask.may_pass else playing("Kj"))
        assert last_ack(table, seat).charged_ns == over
    for each in range(4):
        assert BANK - charges(table, each) == table.bank(each)
    assert sum(charges(table, seat) for seat in range(4)) == 744
    assert table.replays() == []


def passed_over_the_base(pace: Pace) -> tuple[Table, Ask]:
    """Seat 1 was handed its turn 60 ms before the window opened and passed 5 ms over its base."""
    clock = Clock(base_ns=100 * MS, bank_ns=BANK)
    table = at(settings(pace=pace, window_ms=90, clock=clock), *HANDS)
    table.hold_hands = True
    table.answer(0, playing("Kj"))
    if pace is Pace.FAIR:
        table.hand_over(0)
        table.wait_until_due()
    table.hand_over(1)
    turn = table.ask(1, AskKind.ACT)
    table.now += 60 * MS
    table.hand_over(0, 2, 3)
    table.now += 45 * MS
    table.answer_ask(turn, PASS)
    return table, turn


@PACES
def test_an_answer_that_waited_for_the_close_is_charged_by_its_stamp(pace: Pace) -> None:
    table, turn = passed_over_the_base(pace)
    table.hold_hands = False
    table.wait_until_due()
    assert table.statuses(turn)[-1] is AckStatus.APPLIED
    assert last_ack(table, 1).charged_ns == 5 * MS
    assert charges(table, 1) == 5 * MS
    assert table.replays() == []


@PACES
def test_a_cancelled_ask_charges_nothing(pace: Pace) -> None:
    table, turn = passed_over_the_base(pace)
    table.answer(2, bombing("8j 8s 8p 8r"), kind=AskKind.BOMB)
    table.hold_hands = False
    if not table.landings():
        table.wait_until_due()
    assert table.statuses(turn)[-1] is AckStatus.VOID_BOMBED
    assert (table.bank(1), charges(table, 1)) == (BANK, 0)


def test_illegal_answers_do_not_stop_or_restart_the_clock() -> None:
    """PROTOCOL 5: resent within the same clock."""
    table = at(settings(), *HANDS)
    lead = table.ask(0)
    table.now += 600 * MS
    table.answer_ask(lead, PASS)
    assert table.refused[-1].code == "MUST_LEAD"
    assert table.machine.due == BASE + BANK
    table.now += 600 * MS
    table.answer_ask(lead, playing("Kj"))
    assert charges(table, 0) == 200 * MS


def test_the_time_before_a_third_illegal_answer_is_charged() -> None:
    table = at(settings(), *HANDS)
    lead = table.ask(0)
    table.now += BASE + 11
    for _ in range(3):
        table.answer_ask(lead, PASS)
    assert table.bank(0) == BANK - 11 == BANK - charges(table, 0)


def test_the_time_before_a_third_illegal_bet_is_charged() -> None:
    table = Table(settings()).start()
    table.now += BASE + 11
    for _ in range(3):
        table.answer(0, PASS)
    assert table.bank(0) == BANK - 11 == BANK - charges(table, 0)


def test_bomb_asks_cost_no_time() -> None:
    table = at(settings(pace=Pace.FAIR), *HANDS)
    table.act(0, playing("Kj"))
    table.now += 30 * MS
    ack = table.answer(2, DECLINE, kind=AskKind.BOMB)
    assert (ack.used_ns, ack.charged_ns, ack.bank_ns) == (None, None, None)


def test_without_a_clock_nobody_runs_out_of_time() -> None:
    table = Table(settings(clock=None)).start()
    assert table.machine.due is None
    table.wait(1e9)
    assert table.asked(AskKind.CALL) == [0, 1, 2, 3]
    ask = table.ask(0)
    assert ask.base_ns is None
    assert table.answer(0, NO_GRAND).charged_ns is None


def test_the_banks_left_are_in_the_last_fact() -> None:
    table = at(settings(), "Kj", "", "", "3j 4j", out=(1, 2))
    table.now += BASE + 9
    table.act(0, playing("Kj"))
    ended = table.facts[-1]
    assert isinstance(ended, MatchEnded)
    assert ended.banks == (BANK - 9, BANK, BANK, BANK)


def test_what_is_due_happens_before_the_input_each_thing_at_its_own_instant() -> None:
    table = at(settings(pace=Pace.FAIR), *HANDS)
    table.answer(0, playing("Kj"))
    table.now += 10_000 * MS
    step = table.step(Tick())
    assert {fact.at for fact in step.facts} == {50 * MS}
    assert table.ask(1).sent == 10_000 * MS, "its frame goes out when the step was taken"


def test_match_time_never_runs_back() -> None:
    table = Table(settings()).start()
    table.wait(5)
    with pytest.raises(RefereeBug, match="runs back"):
        table.machine.step(Tick(), table.now - 1)


def test_a_deal_that_nobody_waits_for_is_our_bug() -> None:
    table = Table(settings()).start()
    with pytest.raises(RefereeBug, match="does not wait"):
        table.machine.step(Deal(seed="00" * 32), table.now)


def test_before_the_first_deal_nothing_is_owed_and_calls_are_refused() -> None:
    table = Table(settings())
    machine = Machine(table.config)
    assert (machine.needs_deal, machine.over, machine.due, machine.round_number) == (
        True,
        False,
        None,
        0,
    )
    step = machine.step(CallRequest(seat=Seat(0), call=CallKind.TICHU, request_id=3), 0)
    assert step.refused[0].code == "WRONG_PHASE"
    assert machine.step(Handed(seats=(Seat(0),)), 0).facts == []


# --- settings that make no sense


@pytest.mark.parametrize(
    ("window_ms", "base_ms", "word"),
    [(19, 1000, "too short"), (1000, 1000, "not below"), (50, 50, "not below")],
)
def test_a_window_under_20_ms_or_not_below_the_base_time_is_refused(
    window_ms: int, base_ms: int, word: str
) -> None:
    with pytest.raises(ConfigError, match=word):
        Settings(rules=RuleOptions(), window_ns=window_ms * MS, clock=Clock(base_ns=base_ms * MS))


def test_a_window_of_20_ms_and_one_below_the_base_time_are_accepted() -> None:
    assert Settings(rules=RuleOptions(), window_ns=20 * MS).window_ns == 20 * MS
    Settings(rules=RuleOptions(), window_ns=999 * MS, clock=Clock(base_ns=1000 * MS))
    Settings(rules=RuleOptions(), window_ns=5000 * MS, clock=None)


@pytest.mark.parametrize(("base", "bank"), [(0, 5), (-1, 5), (5, -1)])
def test_a_clock_without_base_time_or_with_a_negative_bank_is_refused(base: int, bank: int) -> None:
    with pytest.raises(ConfigError):
        Clock(base_ns=base, bank_ns=bank)


def test_the_number_of_players_must_fit_the_seats() -> None:
    table = Table(settings())
    config = msgspec.structs.replace(table.config, players=table.config.players[:3])
    with pytest.raises(RefereeBug, match="4 seats and 3 players"):
        Machine(config)
