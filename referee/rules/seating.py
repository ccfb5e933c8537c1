"""Who sits where in one round: turn order and teams.

A seat is a hand, numbered for the whole match. In what order the seats take their turns, and who
plays with whom, can change from round to round: in Trichu with the soloist (G1, G9), in Grand
Seigneur with the ranks (I2). Rules ask the seating of their round, never a seat's number.
"""

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from referee.rules.errors import RefereeBug
from referee.rules.option_values import GsSeating, Variant
from referee.rules.options import TEAMS, TISCH, RuleOptions, seats
from referee.rules.seat import Seat

__all__ = ["TISCH", "TRICHU_PLAYERS", "Seating", "order_of_ranks", "seating"]

TRICHU_PLAYERS = (Seat(0), Seat(1), Seat(3))  # in the order in which they are the soloist (G9)
_FIRST = Seat(0)

_BySeat = tuple[tuple[Seat, ...], ...]


class Seating(msgspec.Struct, frozen=True, kw_only=True):
    """The seats of one round. What is "by seat" is a tuple with one entry a seat number."""

    n: int
    order: tuple[Seat, ...]  # turn order; in Trichu it begins with the soloist
    teams: tuple[int, ...]  # team by seat, 0 or 1; () without teams (I)
    after: _BySeat  # all n seats from next(seat) on, so the seat itself comes last
    others: _BySeat  # all but the seat itself, in turn order from it
    partners: _BySeat  # of them its own team; nobody without teams
    opponents: _BySeat  # of them the other team; everybody without teams
    tisch: Seat | None  # the open hand (G1), None but in Trichu
    soloist: Seat | None  # who plays it, None but in Trichu


def seating(
    options: RuleOptions, dealer: Seat = _FIRST, order: Sequence[Seat] | None = None
) -> Seating:
    """Return the seating of a round.

    `dealer` matters in Trichu, where it is the soloist and one of `TRICHU_PLAYERS`; `order` is a
    turn order of Grand Seigneur (`order_of_ranks`), None = by number. Raises `RefereeBug` for a
    soloist or an order that cannot be.
    """
    if options.variant is Variant.TRICHU:
        return _trichu(dealer)
    return _plain(options.variant, seats(options), None if order is None else tuple(order))


@lru_cache(1 << 6)
def _plain(variant: Variant, n: int, order: tuple[Seat, ...] | None) -> Seating:
    by_number = tuple(map(Seat, range(n)))
    order = order or by_number
    if tuple(sorted(order)) != by_number:
        raise RefereeBug(f"no turn order of {n} seats: {order}")
    if variant is Variant.GRAND_SEIGNEUR:
        return _made(order, ())
    return _made(order, tuple([seat % TEAMS for seat in by_number]))


@lru_cache
def _trichu(soloist: Seat) -> Seating:
    if soloist not in TRICHU_PLAYERS:
        raise RefereeBug(f"seat {soloist} cannot be the soloist")
    at = TRICHU_PLAYERS.index(soloist)
    following, last = (TRICHU_PLAYERS[(at + step) % 3] for step in (1, 2))
    teams = tuple([0 if seat in (soloist, TISCH) else 1 for seat in range(4)])
    return _made((soloist, following, TISCH, last), teams, soloist=soloist, tisch=TISCH)


def _made(
    order: tuple[Seat, ...],
    teams: tuple[int, ...],
    *,
    soloist: Seat | None = None,
    tisch: Seat | None = None,
) -> Seating:
    n = len(order)
    after = []
    for seat in map(Seat, range(n)):
        at = order.index(seat) + 1
        after.append(order[at:] + order[:at])
    others = [row[:-1] for row in after]
    return Seating(
        n=n,
        order=order,
        teams=teams,
        after=tuple(after),
        others=tuple(others),
        partners=_of_team(others, teams, own=True) if teams else ((),) * n,
        opponents=_of_team(others, teams, own=False) if teams else tuple(others),
        tisch=tisch,
        soloist=soloist,
    )


def _of_team(others: Sequence[tuple[Seat, ...]], teams: Sequence[int], *, own: bool) -> _BySeat:
    return tuple(
        tuple(other for other in row if (teams[other] == teams[seat]) is own)
        for seat, row in enumerate(others)
    )


def order_of_ranks(ranks: Sequence[Seat], options: RuleOptions) -> tuple[Seat, ...]:
    """Return the turn order that follows from the ranks of the round before, first to last (I2).

    To the left of a seat sits who plays after it. By rank that is the next rank; alternating
    (`gs_seating`) the second sits to the left of the first, the third to his right, and so on.
    """
    if options.gs_seating is GsSeating.BY_RANK:
        return tuple(ranks)
    return (*ranks[:1], *ranks[1::2], *reversed(ranks[2::2]))
