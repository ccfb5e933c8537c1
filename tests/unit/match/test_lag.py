"""Lag of the link is credited, from a quota that only savings use up (PROTOCOL 3)."""

import msgspec
import pytest

from referee.match.facts import Answered, Released, TimedOut
from referee.match.inputs import CallDecision, Handed
from referee.match.replay import Difference, replay
from referee.match.step import Ack
from referee.match.values import MS, AckStatus, AskKind, Clock, Pace
from referee.rules.errors import RefereeBug
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind
from referee.rules.seat import Seat
from tests.simulation.positions import DECLINE, PASS, at, bombing, playing
from tests.simulation.table import Table, settings

HANDS = ("3j 4s 5j 6s Kj", "3s 4p 5s 6p Aj", "8j 8s 8p 8r 2s", "3r 4j 5r 6j 2p")
BASE, BANK, CAP, QUOTA = 1000 * MS, 5000 * MS, 500 * MS, 10_000 * MS
NO_GRAND = CallDecision(choice=CallKind.NO_GRAND)
PACES = pytest.mark.parametrize("pace", Pace)


def asked(lag_ms: int, *, clock: Clock | None = None) -> Table:
    """Four seats owe a bet; the link of seat 0 has so much lag."""
    table = Table(settings(clock=clock or Clock(base_ns=BASE, bank_ns=BANK)))
    table.lags[0] = lag_ms * MS
    return table.start()


def last_ack(table: Table, seat: int) -> Ack:
    return [ack for ack in table.acks if ack.seat == seat][-1]


@pytest.mark.parametrize(
    ("lag", "elapsed", "used", "charged", "saved"),
    [
        (0, 1200, 1200, 200, 0),
        (150, 100, 0, 0, 0),  # an answer cannot be quicker than its link; nothing is saved
        (150, 900, 750, 0, 0),
        (150, 1000, 850, 0, 0),  # within the base time anyway
        (150, 1100, 950, 0, 100),
        (150, 1150, 1000, 0, 150),
        (150, 1200, 1050, 50, 150),
        (500, 1600, 1100, 100, 500),
        (10_000, 1600, 1100, 100, 500),  # the cap of one ask
    ],
)
def test_lag_is_no_thinking_time_and_its_quota_pays_what_it_saved(
    lag: int, elapsed: int, used: int, charged: int, saved: int
) -> None:
    table = asked(lag)
    table.now += elapsed * MS
    table.answer(0, NO_GRAND)
    ack = last_ack(table, 0)
    assert (ack.used_ns, ack.charged_ns) == (used * MS, charged * MS)
    assert ack.network_ns == (elapsed - used) * MS, "what was not counted"
    assert ack.bank_ns == table.bank(0) == BANK - charged * MS
    assert table.quota(0) == QUOTA - saved * MS
    assert table.replays() == []


def test_an_answer_in_the_last_instant_before_base_bank_and_lag_is_not_late() -> None:
    table = asked(150)
    for seat in (1, 2, 3):
        table.answer(seat, NO_GRAND)
    assert table.machine.due == BASE + BANK + 150 * MS
    table.now = BASE + BANK + 150 * MS - 1
    assert table.answer(0, NO_GRAND).status is AckStatus.RECEIVED
    assert (table.bank(0), table.quota(0)) == (1, QUOTA - 150 * MS)


def test_a_time_out_spends_what_it_was_granted() -> None:
    table = asked(150)
    for seat in (1, 2, 3):
        table.answer(seat, NO_GRAND)
    table.wait_until_due()
    (fact,) = [fact for fact in table.facts if isinstance(fact, TimedOut)]
    assert (fact.at, fact.charged, fact.lag) == (BASE + BANK + 150 * MS, BANK, 150 * MS)
    assert table.quota(0) == QUOTA - 150 * MS
    assert table.replays() == []


def test_lag_is_credited_while_the_quota_lasts() -> None:
    """Seat 1 passes 300 ms over its base time, three times, over a link of 300 ms."""
    clock = Clock(base_ns=BASE, bank_ns=BANK, lag_quota_ns=400 * MS)
    kings = ("3j 5j 6s Kj Ks Kp", "Aj 4p 5s", "As 4r 5p", "Ap 4j 5r")
    table = at(settings(clock=clock), *kings)
    table.lags[1] = 300 * MS
    granted = []
    for king in ("Kj", "Ks", "Kp"):
        table.act(0, playing(king))
        ask = table.ask(1, AskKind.ACT)
        granted.append(ask.lag // MS)
        table.now += 1300 * MS
        for seat in (1, 2, 3):
            table.act(seat, PASS)
    assert granted == [300, 100, 0]
    assert (table.quota(1), table.bank(1)) == (0, BANK - 200 * MS - 300 * MS)
    assert table.replays() == []


def test_who_fakes_its_lag_gains_the_quota_once_and_no_more() -> None:
    """Ten seconds of lag each time: capped for one ask, and over the match."""
    clock = Clock(base_ns=BASE, bank_ns=60_000 * MS, lag_quota_ns=1_200 * MS)
    table = Table(settings(clock=clock, rules=RuleOptions(rounds=2)), seed="faker")
    table.lags[0] = 10_000 * MS
    table.start()
    over = 0
    for _ in range(2_000):
        seats = table.asked()
        if table.machine.over or not seats:
            break
        for seat in seats:
            for ask in table.machine.open_asks(seat):
                if seat == 0 and ask.base_ns is not None and ask.bank_ns is not None and over < 9:
                    table.now += 1_500 * MS
                    over += 1
                table.default(ask)
    assert table.machine.over
    assert over == 9
    assert table.quota(0) == 0
    assert table.bank(0) == 60_000 * MS - 9 * 500 * MS + 1_200 * MS


def test_a_quota_of_zero_is_no_credit() -> None:
    table = asked(150, clock=Clock(base_ns=BASE, bank_ns=BANK, lag_quota_ns=0))
    table.now += 1100 * MS
    table.answer(0, NO_GRAND)
    ack = last_ack(table, 0)
    assert (ack.used_ns, ack.charged_ns, ack.network_ns) == (1100 * MS, 100 * MS, 0)


def test_an_answer_that_came_before_its_hand_over_was_heard_of_is_granted_none() -> None:
    table = Table(settings())
    table.lags[0] = 150 * MS
    table.hold_hands = True
    table.start()
    table.now += 100 * MS
    table.answer(0, NO_GRAND)
    ack = last_ack(table, 0)
    assert (ack.used_ns, ack.network_ns, table.quota(0)) == (0, 0, QUOTA)


def test_the_grant_is_fixed_when_the_ask_is_handed_over() -> None:
    table = asked(150)
    table.lags[0] = 400 * MS
    table.hand_over(0)
    assert table.ask(0).lag == 150 * MS


def test_lags_that_name_other_seats_than_are_handed_are_our_bug() -> None:
    table = Table(settings()).start()
    with pytest.raises(RefereeBug, match="2 lags for 1 seats"):
        table.machine.step(Handed(seats=(Seat(0),), lags=(1, 2)), table.now)
    with pytest.raises(RefereeBug, match="1 lags for 2 seats"):
        table.machine.hand_over((Seat(0), Seat(1)), table.now, (5,))


# --- windows know no lag


def window(pace: Pace, *, lag_ms: int = 200) -> Table:
    """Seat 0 has led; a window of 50 ms is open, every link has lag."""
    table = at(settings(pace=pace), *HANDS)
    table.lags = [lag_ms * MS] * 4
    table.act(0, playing("Kj"))
    return table


def test_a_bomb_ask_is_granted_none_and_its_window_is_no_longer() -> None:
    table = window(Pace.FAIR)
    assert table.ask(2, AskKind.BOMB).lag == 0
    opened = table.now
    assert table.machine.due == opened + 50 * MS
    table.now = opened + 50 * MS
    ask = table.ask(2, AskKind.BOMB)
    assert table.answer_ask(ask, bombing("8j 8s 8p 8r")).status is AckStatus.TOO_LATE


def test_in_fair_an_answer_takes_effect_by_its_stamp_with_its_lag() -> None:
    table = window(Pace.FAIR)
    turn, asked_at = table.ask(1, AskKind.ACT), table.now
    assert turn.lag == 200 * MS
    table.now += 60 * MS
    table.answer_ask(turn, PASS)
    assert table.machine.due == asked_at + 100 * MS
    table.wait_until_due()
    assert last_ack(table, 1).used_ns == 0


@PACES
def test_a_void_answer_spends_no_quota_and_charges_nothing(pace: Pace) -> None:
    clock = Clock(base_ns=100 * MS, bank_ns=BANK)
    table = at(settings(pace=pace, window_ms=90, clock=clock), *HANDS)
    table.lags[1] = 30 * MS
    table.hold_hands = True
    table.answer(0, playing("Kj"))
    if pace is Pace.FAIR:
        table.hand_over(0)
        table.wait_until_due()
    table.hand_over(1)
    turn = table.ask(1, AskKind.ACT)
    table.now += 60 * MS
    table.hand_over(0, 2, 3)
    table.now += 60 * MS
    table.answer_ask(turn, PASS)
    table.answer(2, bombing("8j 8s 8p 8r"), kind=AskKind.BOMB)
    table.hold_hands = False
    if not table.landings():
        table.wait_until_due()
    assert table.statuses(turn)[-1] is AckStatus.VOID_BOMBED
    assert (table.bank(1), table.quota(1)) == (BANK, QUOTA)


@PACES
def test_the_lag_of_an_answer_in_turn_is_in_the_record(pace: Pace) -> None:
    table = window(pace)
    if table.asked(AskKind.BOMB):
        for seat in table.asked(AskKind.BOMB):
            table.answer(seat, DECLINE, kind=AskKind.BOMB)
    table.now += 1_300 * MS
    table.act(1, PASS)
    (fact,) = [f for f in table.facts if isinstance(f, Released) and f.seat == 1]
    assert (fact.lag, fact.charged) == (200 * MS, 100 * MS)
    assert table.replays() == []


# --- the record


@pytest.mark.parametrize("lag_ms", [501, -1, 10**6])
def test_a_record_cannot_grant_more_than_the_cap(lag_ms: int) -> None:
    table = asked(150)
    table.now += 1100 * MS
    table.answer(0, NO_GRAND)
    forged = [
        msgspec.structs.replace(fact, lag=lag_ms * MS)
        if isinstance(fact, Answered) and fact.seat == 0
        else fact
        for fact in table.facts
    ]
    assert any(isinstance(step, Difference) for step in replay(table.config, forged))
