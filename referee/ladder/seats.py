"""Who of a leg sits where: seats, sides and places.

Two sides are teams, seated in turns: side 0 has seats 0, 2, ..., side 1 seats 1, 3, ... Three sides
are the players of Trichu, each for itself, at seats 0, 1 and 3; seat 2 is the Tisch, which no
process holds. Its columns of points are by seat, those of teams by side.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from referee.ladder.values import TEAMS
from referee.rules.option_values import Variant
from referee.rules.options import RuleOptions, has_fixed_teams
from referee.rules.seating import TRICHU_PLAYERS

_N = TypeVar("_N", int, float)
TRIO = len(TRICHU_PLAYERS)
_HANDS_OF_TRIO = 4


def sides_of(rules: RuleOptions) -> int:
    """Return how many entries meet in a game: two teams, the three of Trichu; 0 where none do."""
    if rules.variant is Variant.TRICHU:
        return TRIO
    return TEAMS if has_fixed_teams(rules) else 0


def side_at(sides: int, seat: int) -> int | None:
    """Return the side of a seat; None for the Tisch.

    >>> [side_at(2, seat) for seat in range(6)], [side_at(3, seat) for seat in range(4)]
    ([0, 1, 0, 1, 0, 1], [0, 1, None, 2])
    """
    if sides == TEAMS:
        return seat % TEAMS
    return TRICHU_PLAYERS.index(seat) if seat in TRICHU_PLAYERS else None


def seats_of(sides: int, side: int, *, players: int) -> tuple[int, ...]:
    """Return the seats of a side by place, of so many players a side.

    >>> seats_of(2, 1, players=3), seats_of(3, 2, players=1)
    ((1, 3, 5), (3,))
    """
    if sides == TEAMS:
        return tuple(range(side, sides * players, sides))
    return (TRICHU_PLAYERS[side],)


def hands_at(sides: int, *, players: int) -> int:
    """Return how many hands play where so many sides meet: the Tisch is one more."""
    return sides * players if sides == TEAMS else _HANDS_OF_TRIO


def points_by_side(columns: Sequence[int], sides: int) -> tuple[int, ...]:
    """Return the points of each side, of the score columns of its match.

    >>> points_by_side((40, 60), 2), points_by_side((70, 30, 70, 30), 3)
    ((40, 60), (70, 30, 30))
    """
    return tuple(columns) if sides == TEAMS else tuple(columns[seat] for seat in TRICHU_PLAYERS)


def pairs_of_sides(sides: int) -> Iterator[tuple[int, int]]:
    """Yield every two sides that are compared.

    >>> list(pairs_of_sides(3))
    [(0, 1), (0, 2), (1, 2)]
    """
    return ((one, other) for one in range(sides) for other in range(one + 1, sides))


def margin_of(points: Sequence[_N], side: int) -> float:
    """Return points of a side less the mean of the others.

    >>> margin_of((40, 60), 0), margin_of((70, 30, 20), 0)
    (-20.0, 45.0)
    """
    return points[side] - (sum(points) - points[side]) / (len(points) - 1)


def turned(entries: Sequence[str], *, board: int, leg: int) -> tuple[str, ...]:
    """Return entries by side in a leg of a board, both from 1: everybody sits on each side once.

    Who sits behind whom matters too, and no rotation changes that: of three it is the other way
    round on every second board.

    >>> turned(["a", "b"], board=2, leg=2), turned(["a", "b", "c"], board=1, leg=2)
    (('b', 'a'), ('b', 'c', 'a'))
    >>> turned(["a", "b", "c"], board=2, leg=2)
    ('b', 'a', 'c')
    """
    by_name = sorted(entries, reverse=len(entries) == TRIO and board % 2 == 0)
    first = (leg - 1) % len(by_name)
    return (*by_name[first:], *by_name[:first])
