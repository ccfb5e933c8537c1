"""What a bomb that lands brings, and what a window leaves (PROTOCOL 4, D1 to D6)."""

import itertools

import pytest

from referee.match.facts import Played
from referee.match.inputs import Decision, PassDecision, SeatDecision
from referee.match.step import Ask
from referee.match.values import MS, AckStatus, AskKind, CancelReason, Pace
from referee.rules.option_values import BombArbitration, WishBombExempt
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind
from tests.simulation.positions import DECLINE, PASS, at, bombing, close_window, pass_round, playing
from tests.simulation.table import Table, settings

BOMBERS = ("3j 4s 5j 6s Kj", "7j 7s 7p 7r 2j", "8j 8s 8p 8r 2s", "9j 9s 9p 9r 2p")
EIGHTS, NINES = bombing("8j 8s 8p 8r"), bombing("9j 9s 9p 9r")
PACES = pytest.mark.parametrize("pace", Pace)


def window(
    pace: Pace = Pace.FAIR, *hands: str, lead: str = "Kj", rules: RuleOptions | None = None
) -> Table:
    """Seat 0 has led; the window is open."""
    table = at(settings(pace=pace, rules=rules), *(hands or BOMBERS))
    table.act(0, playing(lead))
    return table


def closing(pace: Pace, *hands: str, lead: str = "Kj") -> Table:
    """Seat 0 has led and the three others have passed: phase closing."""
    table = window(pace, *hands, lead=lead)
    pass_round(table)
    return table


# --- who lands


@PACES
@pytest.mark.parametrize("order", list(itertools.permutations((0, 2, 3))))
def test_the_strongest_bomb_lands_whoever_was_first(pace: Pace, order: tuple[int, ...]) -> None:
    table = window(pace)
    throws: dict[int, Decision] = {0: DECLINE, 2: EIGHTS, 3: NINES}
    for seat in order:
        if seat in table.asked(AskKind.BOMB):
            table.answer(seat, throws[seat], kind=AskKind.BOMB)
    if pace is Pace.FAIR:
        table.wait_until_due()
    assert table.public.owner == 3
    assert table.hand(2) == "2s 8j 8s 8p 8r", "the loser keeps its bomb, unknown to others"
    assert table.replays() == []


STRAIGHTS = ("Kj 3s 4p 4s 5p", "2j 3j 4j 5j 6j 9j", "8j 8s 8p 3p", "2r 3r 4r 5r 6r 9r")
EQUAL = {1: bombing("2j 3j 4j 5j 6j"), 3: bombing("2r 3r 4r 5r 6r")}


@pytest.mark.parametrize("order", [(1, 3), (3, 1)])
@pytest.mark.parametrize("by", BombArbitration)
def test_of_two_equal_bombs_the_first_from_next_of_the_owner_lands(
    by: BombArbitration, order: tuple[int, int]
) -> None:
    """D5: suit straights of the same rank; the owner of the table is seat 2."""
    rules = RuleOptions(rounds=1, bomb_arbitration=by)
    table = at(settings(pace=Pace.FAIR, rules=rules), "Kj 3s 4p", *STRAIGHTS[1:], lead=2)
    table.act(2, playing("3p"))
    table.act(3, PASS)
    assert table.asked(AskKind.BOMB) == [1, 3]
    for seat in order:
        table.answer(seat, EQUAL[seat], kind=AskKind.BOMB)
    table.wait_until_due()
    assert table.public.owner == 3
    assert table.replays() == []


@pytest.mark.parametrize(("by", "winner"), [("strongest", 3), ("seat_order", 2)])
def test_bomb_arbitration_says_whether_strength_or_seat_decides(by: str, winner: int) -> None:
    rules = RuleOptions(rounds=1, bomb_arbitration=BombArbitration(by))
    table = window(Pace.FAIR, rules=rules)
    table.answer(3, NINES, kind=AskKind.BOMB)
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    table.wait_until_due()
    assert table.public.owner == winner


# --- what it does


@PACES
def test_the_turn_goes_to_next_of_the_bomber_and_a_new_window_opens(pace: Pace) -> None:
    """D4: all passes count anew."""
    table = window(pace)
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    close_window(table)
    act = table.ask(3, AskKind.ACT)
    assert (act.provisional, act.leading) == (True, False)
    expected = [0, 1] if pace is Pace.FAIR else []
    assert table.asked(AskKind.BOMB) == expected  # seat 2 holds one card now, sevens are too low


@PACES
def test_a_landed_bomb_can_be_bombed_in_its_new_window(pace: Pace) -> None:
    table = window(pace, "9j 9s 9p 9r Kj", BOMBERS[1], BOMBERS[2], "3r 4r 5r Aj")
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    if pace is Pace.FAIR:
        table.wait_until_due()
    elif 0 in table.asked(AskKind.BOMB):
        table.answer(0, DECLINE, kind=AskKind.BOMB)
    table.answer(0, NINES, kind=AskKind.BOMB)
    close_window(table)
    assert table.public.owner == 0
    assert table.landings()[-2:] == [2, 0]


@PACES
def test_a_bomb_in_the_partners_pending_turn_takes_the_turn_from_him(pace: Pace) -> None:
    """D1, D4: seat 1 is on turn, its partner 3 bombs; the next on turn is seat 0."""
    table = window(pace, "Aj As Ap Ar Kj", *BOMBERS[1:])
    pending = table.ask(1, AskKind.ACT)
    table.answer(3, NINES, kind=AskKind.BOMB)
    close_window(table)
    assert [(c.seat, c.ask_id, c.reason) for c in table.cancelled] == [
        (1, pending.id, CancelReason.BOMBED)
    ]
    assert table.answer_ask(pending, PASS).status is AckStatus.VOID_BOMBED
    assert table.asked(AskKind.ACT) == [0]


@PACES
def test_a_provisional_answer_is_void_with_all_that_rides_on_it_and_nothing_is_charged(
    pace: Pace,
) -> None:
    table = window(pace)
    turn = table.ask(1, AskKind.ACT)
    table.wait(40)
    table.answer_ask(turn, PassDecision(tichu=True))
    table.answer(3, NINES, kind=AskKind.BOMB)
    close_window(table)
    assert table.statuses(turn) == [AckStatus.RECEIVED, AckStatus.VOID_BOMBED]
    assert table.public.calls[1] is None
    assert "CallMade" not in table.told()
    assert table.bank(1) == 5000 * MS
    assert [c.reason for c in table.cancelled if c.seat == 1] == [CancelReason.BOMBED]


def test_after_a_void_answer_the_seat_is_asked_anew_when_its_turn_comes() -> None:
    table = window(Pace.FAIR)
    turn = table.ask(1, AskKind.ACT)
    table.answer_ask(turn, PASS)
    table.answer(0, DECLINE, kind=AskKind.BOMB)
    table.answer(3, NINES, kind=AskKind.BOMB)
    table.wait_until_due()
    table.act(0, PASS)
    again = table.ask(1, AskKind.ACT)
    assert again.id > turn.id
    assert (again.bank_ns, again.base_ns) == (5000 * MS, 1000 * MS)


def test_other_attempts_are_facts_and_unknown_to_the_table() -> None:
    table = window(Pace.FAIR)
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    table.answer(3, NINES, kind=AskKind.BOMB)
    before = len(table.events)
    table.wait_until_due()
    assert [type(event).__name__ for event in table.events[before:]] == ["PlayedEvent"]
    assert [f.seat for f in table.facts if isinstance(f, Played)] == [0, 3]


@PACES
def test_no_window_opens_when_the_bombers_going_out_ends_the_round(pace: Pace) -> None:
    table = at(settings(pace=pace), "Kj 2j 3j 4j", "5j 6j 7j", "", "9j 9s 9p 9r", out=(2,))
    table.act(0, playing("Kj"))
    assert table.asked(AskKind.BOMB) == [3]
    table.answer(3, NINES, kind=AskKind.BOMB)
    close_window(table)
    assert not table.machine.over  # seats 0 and 1 still play
    table = at(settings(pace=pace), "Kj 2j 3j 4j", "", "", "9j 9s 9p 9r", out=(2, 1))
    table.act(0, playing("2j"))
    table.act(3, playing("9j 9s 9p 9r"))
    assert table.told()[-3:] == ["WentOut", "RoundEnded", "MatchEnded"]


@PACES
def test_a_bomb_out_of_turn_that_ends_the_round_opens_no_window(pace: Pace) -> None:
    """F1 (a): seats 1 and 3 go out first and second."""
    hands = ("Kj 2j 3j 4j", "", "5j 6j 7j", "9j 9s 9p 9r")
    table = at(settings(pace=pace), *hands, out=(1,))
    table.act(0, playing("Kj"))
    table.answer(3, NINES, kind=AskKind.BOMB)
    close_window(table)
    assert table.told()[-3:] == ["WentOut", "RoundEnded", "MatchEnded"]
    assert not table.asked()


# --- closing


@PACES
def test_a_bomb_on_ones_own_dragon_while_it_closes_keeps_the_trick(pace: Pace) -> None:
    """C5, D3: a bombed Dragon is not given away."""
    hands = ("Dr 9j 9s 9p 9r 3s", "3j 4s 6p", "8j 8s 8p 2s", "4j 5s Ap")
    table = closing(pace, *hands, lead="Dr")
    gift = table.ask(0, AskKind.CHOOSE_SEAT)
    bomb = table.ask(0, AskKind.BOMB)
    assert table.answer_ask(gift, SeatDecision(seat=1)).status is AckStatus.RECEIVED
    table.answer_ask(bomb, NINES)
    if pace is Pace.FAIR:
        table.wait_until_due()
    assert table.statuses(gift) == [AckStatus.RECEIVED, AckStatus.VOID_BOMBED]
    assert table.public.owner == 0
    for seat in (1, 2, 3):
        if seat in table.asked(AskKind.ACT):
            table.act(seat, PASS)
    lead = table.ask(0, AskKind.ACT)
    assert lead.leading
    table.act(0, playing("3s"))
    assert "DragonGiven" not in table.told()
    assert table.machine._state.current.won_points(table.asks[0].seat) >= 25
    assert table.replays() == []


@PACES
def test_a_bomb_of_another_on_a_closing_dragon_takes_it(pace: Pace) -> None:
    hands = ("Dr Ks Kp Kr", "3j 4r 6p", "8j 8s 8p 8r 2s", "4j 5s Ap")
    table = closing(pace, *hands, lead="Dr")
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    close_window(table)
    assert table.landings()[-1] == 2
    assert table.asked(AskKind.CHOOSE_SEAT) == []
    assert "DragonGiven" not in table.told()


OWNER = ("Kj 9j 9s 9p 9r 3s", "3j 4s 6p", "8j 8s 8p 8r 2s", "4j 5s Qp")


def test_a_bomb_in_the_lead_ask_is_a_lead_and_does_not_compete() -> None:
    """E7: the trick is collected first, then the bomb is led."""
    table = closing(Pace.FAIR, *OWNER)
    table.answer(0, playing("9j 9s 9p 9r"), kind=AskKind.ACT)
    table.wait_until_due()
    assert table.landings()[-1] is None
    assert table.told()[-2:] == ["TrickTaken", "PlayedEvent"]


def test_a_bomb_in_the_bomb_ask_beats_the_closing_trick() -> None:
    table = closing(Pace.FAIR, *OWNER)
    table.answer(0, NINES, kind=AskKind.BOMB)
    table.wait_until_due()
    assert table.told()[-2:] == ["Passed", "PlayedEvent"]
    assert table.landings()[-1] == 0


@pytest.mark.parametrize("order", ["bomb first", "lead first"])
def test_in_closing_both_asks_of_the_owner_may_be_answered(order: str) -> None:
    table = closing(Pace.FAIR, *OWNER)
    lead, bomb = table.ask(0, AskKind.ACT), table.ask(0, AskKind.BOMB)
    answers: list[tuple[Ask, Decision]] = [(bomb, NINES), (lead, playing("9j 9s 9p 9r"))]
    for ask, decision in answers if order == "bomb first" else answers[::-1]:
        assert table.answer_ask(ask, decision).status is AckStatus.RECEIVED
    table.wait_until_due()
    assert table.statuses(lead)[-1] is AckStatus.VOID_BOMBED
    assert table.public.owner == 0
    assert "TrickTaken" not in table.told()


def test_a_lead_beside_a_declined_bomb_ask_goes_ahead() -> None:
    table = closing(Pace.FAIR, *OWNER)
    lead = table.ask(0, AskKind.ACT)
    table.answer_ask(lead, playing("3s"))
    table.answer(2, DECLINE, kind=AskKind.BOMB)
    table.wait_until_due()
    assert table.statuses(lead) == [AckStatus.RECEIVED, AckStatus.APPLIED]
    assert table.told()[-2:] == ["TrickTaken", "PlayedEvent"]


# --- the bomb of the seat on turn


def test_a_bomb_on_turn_stamped_before_the_close_competes_like_any_other() -> None:
    table = window(Pace.FAIR)
    turn = table.ask(1, AskKind.ACT)
    table.answer_ask(turn, playing("7j 7s 7p 7r"))
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    table.wait_until_due()
    assert table.public.owner == 2, "eights beat sevens in one window"
    assert table.statuses(turn) == [AckStatus.RECEIVED, AckStatus.VOID_BOMBED]


def test_a_bomb_on_turn_that_wins_the_window_is_applied_at_its_close() -> None:
    table = window(Pace.FAIR, BOMBERS[0], BOMBERS[3], BOMBERS[2], BOMBERS[1])
    turn = table.ask(1, AskKind.ACT)
    table.answer_ask(turn, playing("9j 9s 9p 9r", tichu=True))
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    table.wait_until_due()
    assert table.public.owner == 1
    assert table.statuses(turn) == [AckStatus.RECEIVED, AckStatus.APPLIED]
    assert table.public.calls[1] is CallKind.TICHU
    assert table.told()[-2:] == ["CallMade", "PlayedEvent"], "the call counts just before it"
    assert table.replays() == []


def test_a_bomb_on_turn_stamped_at_the_close_is_an_ordinary_answer() -> None:
    table = window(Pace.FAIR)
    turn = table.ask(1, AskKind.ACT)
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    table.now += 50 * MS
    assert table.answer_ask(turn, playing("7j 7s 7p 7r")).status is AckStatus.VOID_BOMBED
    table = window(Pace.FAIR)
    turn, asked = table.ask(1, AskKind.ACT), table.now
    table.now += 50 * MS
    assert table.answer_ask(turn, playing("7j 7s 7p 7r")).status is AckStatus.RECEIVED
    table.wait_until_due()
    assert (table.now, table.public.owner) == (asked + 100 * MS, 1)


def test_in_fast_a_bomb_on_turn_competes_while_the_window_is_open() -> None:
    table = window(Pace.FAST, BOMBERS[0], BOMBERS[3], BOMBERS[2], BOMBERS[1])
    turn = table.ask(1, AskKind.ACT)
    table.answer_ask(turn, playing("9j 9s 9p 9r"))
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    assert table.asked(AskKind.BOMB) == [3]
    table.answer(3, DECLINE, kind=AskKind.BOMB)
    assert table.public.owner == 1
    assert table.statuses(turn) == [AckStatus.RECEIVED, AckStatus.APPLIED]


def test_a_wish_does_not_bind_a_bomb_on_turn_that_competes() -> None:
    """E6: seat 1 holds the wished king, and may throw its bomb instead."""
    hands = ("3j 4s 5j 6s Qj", "7j 7s 7p 7r Ks", "3p 4p 5p 6p", "3r 4r 5r 6r")
    table = at(settings(pace=Pace.FAIR), *hands, wish=13)
    table.act(0, playing("Qj"))
    turn = table.ask(1, AskKind.ACT)
    assert turn.may_pass is False
    table.answer_ask(turn, PASS)
    assert table.refused[-1].code == "MUST_FULFIL_WISH"
    assert table.answer_ask(turn, playing("7j 7s 7p 7r")).status is AckStatus.RECEIVED
    table.wait_until_due()
    assert (table.public.owner, table.public.wish) == (1, 13)


def test_with_out_of_turn_only_a_bound_seat_on_turn_may_not_bomb_though_a_window_is_open() -> None:
    """E6, wish_bomb_exempt: its bomb is a turn answer, wherever the stamp falls."""
    rules = RuleOptions(rounds=1, wish_bomb_exempt=WishBombExempt.OUT_OF_TURN_ONLY)
    hands = ("3j 4s 5j 6s Qj", "7j 7s 7p 7r Ks", "8j 8s 8p 8r Kp", "3r 4r 5r 6r")
    table = at(settings(pace=Pace.FAIR, rules=rules), *hands, wish=13)
    table.act(0, playing("Qj"))
    table.answer(1, playing("7j 7s 7p 7r"), kind=AskKind.ACT)
    assert table.refused[-1].code == "MUST_FULFIL_WISH"
    assert table.answer(2, EIGHTS, kind=AskKind.BOMB).status is AckStatus.RECEIVED


@PACES
def test_the_provisional_lead_goes_to_the_next_with_cards_when_the_owner_is_out(pace: Pace) -> None:
    """C2, D6; its plays are those of a lead, as if the trick were collected."""
    hands = ("Kj", "3s 4p", "8j 8s 8p 8r", "3r 4j")
    table = closing(pace, *hands)
    lead = table.ask(1, AskKind.ACT)
    assert (lead.provisional, lead.leading, lead.may_pass) == (True, True, False)
    assert len(lead.plays) == 2
    table.answer_ask(lead, playing("3s"))
    table.answer(2, EIGHTS, kind=AskKind.BOMB)
    if pace is Pace.FAIR:
        table.wait_until_due()
    assert table.statuses(lead) == [AckStatus.RECEIVED, AckStatus.VOID_BOMBED]


def test_an_illegal_provisional_answer_is_refused_and_may_be_corrected() -> None:
    table = window(Pace.FAIR)
    turn = table.ask(1, AskKind.ACT)
    assert table.answer_ask(turn, playing("2j")).status is AckStatus.REFUSED
    assert table.refused[-1].code == "TOO_LOW"
    assert table.answer_ask(turn, PASS).status is AckStatus.RECEIVED
    table.wait_until_due()
    assert table.told()[-1] == "Passed"
