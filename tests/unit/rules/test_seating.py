"""G1, G9, H, I2: turn order and teams of a round, by hand."""

import pytest

from referee.rules.errors import RefereeBug
from referee.rules.options import DEFAULT_OPTIONS, parse_options
from referee.rules.seat import Seat
from referee.rules.seating import order_of_ranks, seating

TRICHU = parse_options({"variant": "trichu"})
TIENTSIN = parse_options({"variant": "tientsin"})
SIX = parse_options({"variant": "grand_seigneur", "seats": 6})


def seats(*numbers: int) -> tuple[Seat, ...]:
    return tuple(map(Seat, numbers))


@pytest.mark.parametrize("dealer", range(4))
def test_four_sit_by_number_whoever_deals(dealer: int) -> None:
    table = seating(DEFAULT_OPTIONS, Seat(dealer))
    assert (table.order, table.teams) == ((0, 1, 2, 3), (0, 1, 0, 1))
    assert table.after[2] == (3, 0, 1, 2)
    assert (table.others[3], table.partners[3], table.opponents[3]) == ((0, 1, 2), (1,), (0, 2))
    assert (table.soloist, table.tisch) == (None, None)


@pytest.mark.parametrize(
    ("soloist", "order", "teams"),
    [
        (0, (0, 1, 2, 3), (0, 1, 0, 1)),
        (1, (1, 3, 2, 0), (1, 0, 0, 1)),
        (3, (3, 0, 2, 1), (1, 1, 0, 0)),
    ],
)
def test_the_soloist_sits_opposite_the_tisch(
    soloist: int, order: tuple[int, ...], teams: tuple[int, ...]
) -> None:
    table = seating(TRICHU, Seat(soloist))
    assert (table.order, table.teams) == (order, teams)
    assert (table.soloist, table.tisch) == (soloist, 2)
    assert table.partners[2] == (soloist,)
    assert table.opponents[soloist] == (order[1], order[3])
    assert table.others[2] == (order[3], soloist, order[1])


def test_the_tisch_is_nobodys_soloist() -> None:
    with pytest.raises(RefereeBug):
        seating(TRICHU, Seat(2))


def test_six_sit_in_two_teams_of_three() -> None:
    table = seating(TIENTSIN)
    assert table.teams == (0, 1, 0, 1, 0, 1)
    assert (table.partners[4], table.opponents[4]) == ((0, 2), (5, 1, 3))


def test_grand_seigneur_has_no_teams_and_any_turn_order() -> None:
    table = seating(SIX, order=seats(3, 1, 5, 0, 4, 2))
    assert (table.teams, table.partners[0]) == ((), ())
    assert table.after[5] == (0, 4, 2, 3, 1, 5)
    assert table.opponents[2] == table.others[2] == (3, 1, 5, 0, 4)
    with pytest.raises(RefereeBug):
        seating(SIX, order=seats(3, 1, 5, 0, 4, 4))


@pytest.mark.parametrize(
    ("way", "order"),
    [
        ("by_rank", (5, 4, 3, 2, 1, 0)),
        # the second (4) to the left of the first, the third (3) to his right, and so on
        ("alternating", (5, 4, 2, 0, 1, 3)),
    ],
)
def test_the_seats_follow_the_ranks(way: str, order: tuple[int, ...]) -> None:
    options = parse_options({"variant": "grand_seigneur", "seats": 6, "gs_seating": way})
    assert order_of_ranks(seats(5, 4, 3, 2, 1, 0), options) == order
