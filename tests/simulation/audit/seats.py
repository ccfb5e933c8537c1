"""Who sits where in a round: turn order, teams, and whose hand it is (RULES A2, G1, H, I2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

TISCH = 2  # the hand without a player of its own (G)
SOLOISTS = (0, 1, 3)  # in the order in which they are it (G9)
_BySeat = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Seats:
    """The seats of a round; what is by seat has an entry for each number."""

    order: tuple[int, ...]  # turn order
    teams: tuple[int, ...]  # by seat; () without teams
    after: _BySeat  # all other seats in turn order from it
    partners: _BySeat
    opponents: _BySeat
    soloist: int | None = None
    tisch: int | None = None

    @property
    def team_size(self) -> int:
        """How many seats a team has; 0 without teams."""
        return len(self.teams) // 2

    def player(self, hand: int) -> int:
        """Who plays a hand."""
        return hand if hand != self.tisch or self.soloist is None else self.soloist

    def hands_of(self, seat: int) -> tuple[int, ...]:
        """The hands that a player plays, the own one first."""
        return (seat, self.tisch) if seat == self.soloist and self.tisch is not None else (seat,)

    def from_seat(self, seat: int) -> tuple[int, ...]:
        """All seats in turn order, from this one on."""
        return (seat, *self.after[seat])


@lru_cache(maxsize=1 << 9)
def seated(order: tuple[int, ...], teams: tuple[int, ...], soloist: int | None = None) -> Seats:
    """Seats in this turn order with these teams."""
    after = []
    for seat in range(len(order)):
        place = order.index(seat)
        after.append(order[place + 1 :] + order[:place])
    partners: list[tuple[int, ...]] = [() for _ in order]
    opponents = list(after)
    if teams:
        for seat, others in enumerate(after):
            partners[seat] = tuple(other for other in others if teams[other] == teams[seat])
            opponents[seat] = tuple(other for other in others if teams[other] != teams[seat])
    tisch = None if soloist is None else TISCH
    return Seats(order, teams, tuple(after), tuple(partners), tuple(opponents), soloist, tisch)


FOUR = seated((0, 1, 2, 3), (0, 1, 0, 1))


def seats_of(variant: str, n: int, dealer: int, order: Sequence[int]) -> Seats:
    """The seats of a round; `order` is that of Grand Seigneur, () by number."""
    if variant == "trichu" and dealer in SOLOISTS:
        first, last = (SOLOISTS[(SOLOISTS.index(dealer) + step) % 3] for step in (1, 2))
        teams = tuple(int(seat not in (dealer, TISCH)) for seat in range(4))
        return seated((dealer, first, TISCH, last), teams, dealer)
    by_number = tuple(range(n))
    if variant == "grand_seigneur":
        return seated(tuple(order) or by_number, ())
    return seated(by_number, tuple(seat % 2 for seat in by_number))


def order_by_ranks(ranks: Sequence[int], *, alternating: bool) -> tuple[int, ...]:
    """The turn order after a round of Grand Seigneur (I2, `gs_seating`)."""
    if not alternating:
        return tuple(ranks)
    left, right = list(ranks[1::2]), list(ranks[2::2])
    return (*ranks[:1], *left, *right[::-1])
