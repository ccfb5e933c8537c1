"""The window's own states, and who lands (PROTOCOL 4, D5)."""

import itertools

import pytest

from referee.match.values import AskId
from referee.match.window import (
    TRANSITIONS,
    Attempt,
    Window,
    WindowInput,
    WindowState,
    strongest,
)
from referee.rules.combinations import Combination, readings
from referee.rules.errors import RefereeBug
from referee.rules.notation import parse_cards
from referee.rules.option_values import BombArbitration
from referee.rules.options import DEFAULT_OPTIONS
from referee.rules.seat import Seat
from referee.rules.seating import seating

STRONGEST, SEAT_ORDER = BombArbitration.STRONGEST, BombArbitration.SEAT_ORDER

# The table once more, by hand: what each state takes, and where that leads.
BY_HAND = {
    "shut": {"asked": "handing", "abort": "shut"},
    "handing": {
        "handed": "open",
        "attempt": "handing",
        "decline": "handing",
        "all_in": "shut",
        "stalled": "handing",
        "abort": "shut",
    },
    "open": {
        "attempt": "open",
        "decline": "open",
        "all_in": "shut",
        "due": "shut",
        "stalled": "handing",
        "abort": "shut",
    },
}


def test_the_table_is_the_one_written_by_hand() -> None:
    found: dict[str, dict[str, str]] = {state.value: {} for state in WindowState}
    for (state, what), following in TRANSITIONS.items():
        found[state.value][what.value] = following.value
    assert found == BY_HAND


@pytest.mark.parametrize("what", WindowInput)
@pytest.mark.parametrize("state", WindowState)
def test_every_pair_is_a_transition_or_our_bug(state: WindowState, what: WindowInput) -> None:
    window = Window()
    window.state = state
    following = BY_HAND[state.value].get(what.value)
    if following is None:
        with pytest.raises(RefereeBug, match=f"{state.value} got {what.value}"):
            window.feed(what)
        assert window.state is state
    else:
        window.feed(what)
        assert window.state.value == following


def test_a_window_asks_anew_each_time() -> None:
    window = Window()
    window.ask([Seat(1), Seat(3)])
    window.attempts.append(throw(1, "7j 7s 7p 7r"))
    window.feed(WindowInput.ALL_IN)
    window.ask([Seat(2)])
    assert (window.waiting, window.attempts, window.opened) == ({Seat(2)}, [], -1)


def test_a_window_has_no_closing_instant_before_it_is_open() -> None:
    window = Window()
    window.ask([Seat(1)])
    assert window.closes(50) is None
    window.feed(WindowInput.HANDED)
    window.opened = 7
    assert window.closes(50) == 57


def test_a_window_that_begins_anew_keeps_its_attempts_and_forgets_its_opening() -> None:
    window = Window()
    window.ask([Seat(1), Seat(3)])
    window.feed(WindowInput.HANDED)
    window.opened = 7
    window.attempts.append(throw(1, "7j 7s 7p 7r"))
    window.begin_anew()
    assert (window.state, window.opened, window.closes(50)) == (WindowState.HANDING, -1, None)
    assert [attempt.seat for attempt in window.attempts] == [1]
    assert window.waiting == {Seat(1), Seat(3)}


# --- who lands


def throw(seat: int, text: str, ask: int = 1) -> Attempt:
    return Attempt((Seat(seat), bomb(text), AskId(ask)))


def after(owner: int) -> tuple[Seat, ...]:
    """Who could bomb a play, in the order from next(owner) to the owner."""
    return seating(DEFAULT_OPTIONS).after[owner]


def bomb(text: str) -> Combination:
    return readings(parse_cards(text))[0]


def lands(*attempts: Attempt, owner: int = 0, by: BombArbitration = STRONGEST) -> Seat:
    """Who lands, the same in every order of arrival."""
    seats = {
        strongest(order, order=after(owner), arbitration=by).seat
        for order in itertools.permutations(attempts)
    }
    assert len(seats) == 1, f"the order of arrival decides: {seats}"
    return seats.pop()


def test_the_higher_of_two_fours_lands() -> None:
    assert lands(throw(1, "7j 7s 7p 7r"), throw(2, "8j 8s 8p 8r")) == 2


def test_a_straight_of_five_lands_before_four_aces() -> None:
    assert lands(throw(1, "Aj As Ap Ar"), throw(3, "2j 3j 4j 5j 6j")) == 3


def test_six_cards_land_before_five_of_higher_rank() -> None:
    assert lands(throw(1, "Ts Js Qs Ks As"), throw(3, "2j 3j 4j 5j 6j 7j")) == 3


@pytest.mark.parametrize(("owner", "winner"), [(0, 1), (1, 3), (2, 3), (3, 1)])
def test_of_equal_bombs_the_first_from_next_of_the_owner_lands(owner: int, winner: int) -> None:
    equal = throw(1, "2j 3j 4j 5j 6j"), throw(3, "2s 3s 4s 5s 6s")
    assert lands(*equal, owner=owner) == winner


def test_of_equal_bombs_the_owners_own_comes_last() -> None:
    assert lands(throw(2, "2j 3j 4j 5j 6j"), throw(1, "2s 3s 4s 5s 6s"), owner=2) == 1


def test_with_seat_order_the_first_seat_lands_however_weak_its_bomb() -> None:
    weak, strong = throw(2, "7j 7s 7p 7r"), throw(3, "2j 3j 4j 5j 6j 7j")
    assert lands(weak, strong, owner=1, by=SEAT_ORDER) == 2
    assert lands(weak, strong, owner=1, by=STRONGEST) == 3
    assert lands(weak, strong, owner=2, by=SEAT_ORDER) == 3


def test_two_bombs_of_one_seat_do_not_race_each_other() -> None:
    weak, strong = throw(1, "7j 7s 7p 7r", ask=5), throw(1, "9j 9s 9p 9r", ask=4)
    for order in itertools.permutations((weak, strong)):
        for by in BombArbitration:
            assert strongest(order, order=after(1), arbitration=by) is strong
    same = throw(1, "7j 7s 7p 7r", ask=6)
    for order in itertools.permutations((weak, same)):
        assert strongest(order, order=after(1), arbitration=STRONGEST).ask_id == 6


def test_of_equal_bombs_the_first_in_turn_order_lands_whatever_the_numbers_are() -> None:
    """Grand Seigneur sits by rank (I2): here 3 plays before 1."""
    turns = tuple(map(Seat, (3, 0, 1, 4, 2)))
    equal = throw(1, "2j 3j 4j 5j 6j"), throw(3, "2s 3s 4s 5s 6s")
    for attempts in itertools.permutations(equal):
        assert strongest(attempts, order=turns, arbitration=STRONGEST).seat == 3
