"""When a bomb window opens, and who is asked in it (PROTOCOL 4)."""

import pytest

from referee.match.facts import WindowClosed
from referee.match.inputs import DeclineDecision, SeatDecision
from referee.match.values import MS, AskKind, Pace
from referee.rules.options import RuleOptions
from tests.simulation.positions import PASS, at, playing
from tests.simulation.table import Table, settings

BOMBERS = ("3j 4s 5j 6s Kj", "7j 7s 7p 7r 2j", "8j 8s 8p 8r 2s", "9j 9s 9p 9r 2p")
PLAIN = ("3j 4s 5j 6s Kj", "3s 4p 5s 6p Aj", "3p 4r 5p 6r 2s", "3r 4j 5r 6j 2p")
ROUND = RuleOptions(rounds=1)


def fair(
    *hands: str, rules: RuleOptions = ROUND, lead: int = 0, out: tuple[int, ...] = ()
) -> Table:
    return at(settings(pace=Pace.FAIR, rules=rules), *hands, lead=lead, out=out)


def fast(*hands: str, rules: RuleOptions = ROUND, lead: int = 0) -> Table:
    return at(settings(pace=Pace.FAST, rules=rules), *hands, lead=lead)


def bomb_asks(table: Table) -> list[int]:
    return [int(seat) for seat in table.asked(AskKind.BOMB)]


def all_pass(table: Table, *seats: int) -> None:
    """Let these seats pass in turn; bomb asks stay silent."""
    for seat in seats:
        table.act(seat, PASS)


def test_after_a_play_every_seat_but_the_one_on_turn_is_asked_whoever_holds_a_bomb() -> None:
    for hands in (BOMBERS, PLAIN):
        table = fair(*hands)
        table.act(0, playing("Kj"))
        assert (bomb_asks(table), table.asked(AskKind.ACT)) == ([0, 2, 3], [1])


def test_the_seat_that_acted_last_is_asked_too() -> None:
    table = fair(*PLAIN)
    table.act(0, playing("Kj"))
    table.act(1, playing("Aj"))
    assert bomb_asks(table) == [0, 1, 3]


def test_a_pass_opens_a_window_as_a_play_does() -> None:
    table = fair(*PLAIN)
    table.act(0, playing("Kj"))
    table.act(1, PASS)
    assert (bomb_asks(table), table.asked(AskKind.ACT)) == ([0, 1, 3], [2])


def test_the_first_lead_opens_no_window_before_it() -> None:
    """D2: nothing lies on the table."""
    table = fair(*BOMBERS)
    assert bomb_asks(table) == []
    assert table.ask(0).provisional is False


def test_a_window_opens_after_the_last_required_pass_and_asks_the_owner_too() -> None:
    """Phase closing: nobody is on turn, so every seat with four cards or more is asked (D3)."""
    table = fair(*PLAIN)
    table.act(0, playing("Kj"))
    all_pass(table, 1, 2, 3)
    assert bomb_asks(table) == [0, 1, 2, 3]
    lead = table.ask(0, AskKind.ACT)
    assert (lead.provisional, lead.leading, lead.may_pass) == (True, True, False)


def test_with_bomb_after_all_pass_false_the_trick_is_collected_without_a_window() -> None:
    rules = RuleOptions(rounds=1, bomb_after_all_pass=False)
    table = fair(*BOMBERS, rules=rules)
    table.act(0, playing("Kj"))
    all_pass(table, 1, 2, 3)
    assert bomb_asks(table) == []
    assert table.told()[-1] == "TrickTaken"
    assert table.ask(0).provisional is False


def test_a_seat_with_fewer_than_four_cards_is_not_asked() -> None:
    table = fair("3j 4s 5j 6s Kj", "7j 7s 7p 7r", "8j 8s 8p", "9j 9s 9p 9r")
    table.act(0, playing("Kj"))
    assert bomb_asks(table) == [0, 3]


def test_without_any_seat_of_four_cards_no_window_opens_and_the_ask_is_not_provisional() -> None:
    table = fair("3j 4s 5j Kj", "3s 4p 5s", "3p 4r 5p", "3r 4j 5r")
    table.act(0, playing("Kj"))
    assert bomb_asks(table) == []
    assert table.ask(1).provisional is False


def test_four_cards_of_the_seat_on_turn_alone_open_no_window() -> None:
    """It has its own ask; nobody would be asked for a bomb."""
    table = fair("3j 4s 5j Kj", "7j 7s 7p 7r 2s", "3p 4r 5p", "3r 4j 5r")
    table.act(0, playing("Kj"))
    assert bomb_asks(table) == []
    assert table.ask(1).provisional is False


def test_in_closing_four_cards_of_anybody_open_a_window() -> None:
    table = fair("3j 4s 5j Kj", "7j 7s 7p 7r 2s", "3p 4r 5p", "3r 4j 5r")
    table.act(0, playing("Kj"))
    all_pass(table, 1, 2, 3)
    assert bomb_asks(table) == [1]
    assert table.ask(0).provisional


def test_no_window_opens_after_the_dog() -> None:
    """C4, D2: the Dog is no trick."""
    table = fair("Dg 4s 5j 6s Kj", *BOMBERS[1:])
    table.act(0, playing("Dg"))
    assert bomb_asks(table) == []
    lead = table.ask(2)
    assert (lead.kind, lead.leading, lead.provisional) == (AskKind.ACT, True, False)


def test_no_window_opens_once_a_dragon_gift_is_applied() -> None:
    """D3: with the gift the trick is closed."""
    table = fair("3j 4s 5j 6s Dr", *BOMBERS[1:])
    table.act(0, playing("Dr"))
    all_pass(table, 1, 2, 3)
    table.act(0, SeatDecision(seat=1))
    assert bomb_asks(table) == []
    assert table.ask(0).provisional is False


def test_beside_the_gift_of_a_dragon_everybody_is_asked_for_a_bomb() -> None:
    table = fair("3j 4s 5j 6s Dr", *PLAIN[1:])
    table.act(0, playing("Dr"))
    all_pass(table, 1, 2, 3)
    assert bomb_asks(table) == [0, 1, 2, 3]
    gift = table.ask(0, AskKind.CHOOSE_SEAT)
    assert (gift.provisional, gift.seats) == (True, (1, 3))


def test_the_giver_of_the_dragon_is_asked_for_it_also_when_he_is_out() -> None:
    """D6: he has no say in the window, but owes the gift (C5)."""
    table = fair("Dr", "3s 4p 5s 6p Aj", "3p 4r 5p 6r 2s", "3r 4j 5r 6j 2p")
    table.act(0, playing("Dr"))
    all_pass(table, 1, 2, 3)
    assert bomb_asks(table) == [1, 2, 3]
    assert table.ask(0, AskKind.CHOOSE_SEAT).provisional


def test_no_window_opens_after_the_play_that_ends_the_round() -> None:
    """D2, F1: the third player goes out, a bomb would come too late."""
    table = fair("Kj", "3s", "", "9j 9s 9p 9r 2p", out=(2,))
    table.act(0, playing("Kj"))
    assert table.told()[-2:] == ["RoundEnded", "MatchEnded"]
    assert not table.asked()


def test_no_window_opens_over_a_last_dragon_that_is_still_given_away() -> None:
    """F1: the round is over but for the gift."""
    table = fair("8j 8s 8p 8r 2s", "Dr", "", "", lead=1, out=(2, 3))
    table.act(1, playing("Dr"))
    assert bomb_asks(table) == []
    gift = table.ask(1, AskKind.CHOOSE_SEAT)
    assert (gift.provisional, gift.seats) == (False, (2, 0))
    table.act(1, SeatDecision(seat=2))
    assert table.told()[-3:] == ["DragonGiven", "RoundEnded", "MatchEnded"]


def test_the_owner_who_is_out_is_not_asked_for_a_bomb() -> None:
    """D6."""
    table = fair("Kj", "3s 4p 5s 6p Aj", "3p 4r 5p 6r 2s", "3r 4j 5r 6j 2p")
    table.act(0, playing("Kj"))
    assert bomb_asks(table) == [2, 3]


def test_bomb_asks_list_the_seats_own_bombs_and_nothing_else() -> None:
    table = fair("3j 4s 5j 6s 9r", "2j 3p 4p", "8j 8s 8p 8r 2s", "3r 4j 5r 6j 2p")
    table.act(0, playing("9r"))
    plays = {seat: len(table.ask(seat, AskKind.BOMB).plays) for seat in (0, 2, 3)}
    assert plays == {0: 0, 2: 1, 3: 0}


# --- pace fast


def test_in_fast_only_seats_that_hold_a_legal_bomb_are_asked() -> None:
    table = fast(PLAIN[0], PLAIN[1], BOMBERS[2], PLAIN[3])
    table.act(0, playing("Kj"))
    assert (bomb_asks(table), table.asked(AskKind.ACT)) == ([2], [1])


def test_in_fast_a_bomb_that_does_not_beat_the_table_is_not_asked_for() -> None:
    table = fast("9j 9s 9p 9r 3s", "Aj 4p 5s 6p 3r", "8j 8s 8p 8r 2s", "2j 3p 4j 5r Ks")
    table.answer(0, playing("9j 9s 9p 9r"))
    assert bomb_asks(table) == []


def test_in_fast_the_seat_on_turn_is_not_asked_for_a_bomb_beside_its_act() -> None:
    table = fast("3j 4s 5j 6s Kj", BOMBERS[1], *PLAIN[2:])
    table.answer(0, playing("Kj"))
    assert (bomb_asks(table), table.asked(AskKind.ACT)) == ([], [1])


def test_in_fast_a_window_without_a_holder_closes_at_once_and_the_ask_is_still_provisional() -> (
    None
):
    """No message tells whether somebody holds a bomb; only time does."""
    table = fast(*PLAIN)
    table.answer(0, playing("Kj"))
    assert table.ask(1).provisional
    table.answer(1, playing("Aj"))
    assert [name for name in table.told() if name == "PlayedEvent"] == ["PlayedEvent"] * 2
    assert not any(isinstance(fact, WindowClosed) for fact in table.facts)


@pytest.mark.parametrize("pace", Pace)
def test_a_bomb_ask_tells_how_long_the_window_lasts(pace: Pace) -> None:
    table = at(settings(pace=pace, window_ms=70), *BOMBERS)
    table.act(0, playing("Kj"))
    assert table.ask(2, AskKind.BOMB).window_ns == 70 * MS


def test_without_a_clock_a_fast_window_has_no_fixed_end() -> None:
    table = at(settings(pace=Pace.FAST, clock=None), *BOMBERS)
    table.answer(0, playing("Kj"))
    assert table.ask(2, AskKind.BOMB).window_ns is None
    assert table.machine.due is None
    table.wait(100_000)
    assert bomb_asks(table) == [2, 3]
    for seat in (2, 3):
        table.answer(seat, DeclineDecision(), kind=AskKind.BOMB)
    assert bomb_asks(table) == []
