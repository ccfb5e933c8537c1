"""Movements: who sits where in each round of a tournament, so that all meet as evenly as possible.

Single entries change partners. With 4k of them a whist tournament is the ideal: in 4k - 1 rounds
everybody is everybody else's partner once and opponent twice; with 4k + 1 the same in 4k + 1 rounds
of which everybody sits one out (Anderson, *Combinatorial Designs and Tournaments*, 1997). Both are
made from one round, the starter, by adding 1 to every number modulo a number of entrants, where one
of 4k stays in place. With 4k + 2 and 4k + 3 no movement of that length is perfect; theirs are made
the same way (`evenness` says how near they come). Fixed pairs go round a circle.

Nothing here is drawn: the same numbers have the same movement, and a shorter one is the beginning
of a longer one.
"""

import enum
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple, assert_never

import msgspec

from referee.ladder.movement_search import starter_found
from referee.ladder.movement_tables import ROUNDS, STARTERS
from referee.ladder.plans import circle_round
from referee.rules.errors import ConfigError

MOST_ENTRANTS = 128
MOST_TIMES = 2  # a movement is played over at most so often

_TABLE = 4  # seats
_TIMES = range(MOST_TIMES)


class Entry(enum.StrEnum):
    """Who is placed in the end. Values are written in tournament files."""

    SINGLE = "single"  # one bot at one seat, with partners that change
    PAIR = "pair"  # two partners that stay together


class Table(NamedTuple):
    """Who meets at a table, by number from 0: `first` has seats 0 and 2, `second` 1 and 3.

    Each has the two entrants of a side in the order of their seats; of pairs the one.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]

    @property
    def entrants(self) -> tuple[int, ...]:
        """All of them."""
        return self.first + self.second


class Round(NamedTuple):
    """Tables that are played at the same time, and who sits out."""

    tables: tuple[Table, ...]
    byes: tuple[int, ...]


class Movement(msgspec.Struct, frozen=True, kw_only=True):
    """All rounds of a tournament."""

    entry: Entry
    entrants: int
    rounds: tuple[Round, ...]


class Evenness(NamedTuple):
    """The least and the greatest of what entrants have of each other, and of byes.

    `partner` and `opponent` are meetings of two entrants; of pairs no two are partners.
    """

    partner: tuple[int, int]
    opponent: tuple[int, int]
    byes: tuple[int, int]


def least_entrants(entry: Entry) -> int:
    """Return how many entrants it takes to fill a table."""
    return _TABLE if entry is Entry.SINGLE else _TABLE // 2


def full_rounds(entry: Entry, entrants: int) -> int:
    """Return the rounds of a full movement: in it, or as near as can be, all have met alike.

    >>> [full_rounds(Entry.SINGLE, n) for n in (8, 9, 10)], full_rounds(Entry.PAIR, 8)
    ([7, 9, 10], 7)
    """
    whole = _TABLE if entry is Entry.SINGLE else _TABLE // 2
    return entrants if entrants % whole else entrants - 1


def movement(entry: Entry, entrants: int, rounds: int | None = None) -> Movement:
    """Return a movement of so many rounds; of a full one unless told.

    Raises `ConfigError` for numbers that are too small or too large.
    """
    _check(entry, entrants, rounds)
    match entry:
        case Entry.SINGLE:
            once = _single_rounds(entrants)
            every = list(_both_sides(_again(one, time) for time in _TIMES for one in once))
        case Entry.PAIR:
            once = _pair_rounds(entrants)
            every = [_exchanged(one) if time % 2 else one for time in _TIMES for one in once]
        case _:
            assert_never(entry)
    return Movement(entry=entry, entrants=entrants, rounds=tuple(every[: rounds or len(once)]))


def evenness(movement: Movement) -> Evenness:
    """Return how evenly entrants meet each other, and sit out."""
    partners: Counter[tuple[int, int]] = Counter()
    opponents: Counter[tuple[int, int]] = Counter()
    byes: Counter[int] = Counter()
    for one in movement.rounds:
        byes.update(one.byes)
        for table in one.tables:
            partners.update(_sorted(side) for side in table if len(side) > 1)
            opponents.update(_sorted((a, b)) for a in table.first for b in table.second)
    pairs = list(combinations(range(movement.entrants), 2))
    return Evenness(
        partner=_ends([partners[pair] for pair in pairs]),
        opponent=_ends([opponents[pair] for pair in pairs]),
        byes=_ends([byes[one] for one in range(movement.entrants)]),
    )


def _check(entry: Entry, entrants: int, rounds: int | None) -> None:
    least = least_entrants(entry)
    if not least <= entrants <= MOST_ENTRANTS:
        what = "single entries" if entry is Entry.SINGLE else "pairs"
        raise ConfigError(f"{entrants} {what}: a tournament has {least} to {MOST_ENTRANTS}")
    most = MOST_TIMES * full_rounds(entry, entrants)
    if rounds is not None and not 1 <= rounds <= most:
        raise ConfigError(
            f"rounds = {rounds}: with {entrants} entrants write 1 to {most}; a full movement has "
            f"{full_rounds(entry, entrants)}"
        )


def _sorted(pair: Sequence[int]) -> tuple[int, int]:
    one, other = sorted(pair)
    return one, other


def _ends(counts: Sequence[int]) -> tuple[int, int]:
    return min(counts), max(counts)


# --- pairs


def _pair_rounds(pairs: int) -> list[Round]:
    """Return the rounds of a circle; an odd one out sits out, everybody once."""
    by_round: dict[int, list[tuple[int, int]]] = {}
    for one, other in combinations(range(pairs), 2):
        by_round.setdefault(circle_round(one, other, pairs), []).append((one, other))
    found = []
    for _, met in sorted(by_round.items()):
        found.append(_round([_seated(one, other) for one, other in met], pairs))
    return found


def _seated(one: int, other: int) -> Table:
    """Return two pairs as they sit: in a whole circle everybody is first as often as second."""
    first, second = (one, other) if (other - one) % 2 else (other, one)
    return Table((first,), (second,))


def _exchanged(one: Round) -> Round:
    return Round(tuple(Table(table.second, table.first) for table in one.tables), one.byes)


def _round(tables: Sequence[Table], entrants: int) -> Round:
    seated = {entrant for table in tables for entrant in table.entrants}
    byes = tuple(one for one in range(entrants) if one not in seated)
    return Round(tuple(tables), byes)


# --- single entries


def _single_rounds(entrants: int) -> list[Round]:
    if entrants in ROUNDS:
        return [_round(_tables(one), entrants) for one in ROUNDS[entrants]]
    starter = STARTERS.get(entrants) or starter_found(entrants)
    shifts = range(full_rounds(Entry.SINGLE, entrants))
    developed = [_developed(starter, shift, entrants) for shift in shifts]
    return list(_in_order(developed, entrants))


def _tables(seats: Sequence[int]) -> list[Table]:
    """Return the tables of a round that is written seat by seat, four to a table."""
    fours = [tuple(seats[at : at + _TABLE]) for at in range(0, len(seats), _TABLE)]
    return [Table((a, c), (b, d)) for a, b, c, d in fours]


def _developed(starter: Sequence[int], shift: int, entrants: int) -> Round:
    """Return the round that a starter becomes when every number grows by `shift`.

    Of 4k entrants the last stays where it is; everybody else comes to each seat once.
    """
    modulus = full_rounds(Entry.SINGLE, entrants)
    moved = [one if one == modulus else (one + shift) % modulus for one in starter]
    return _round(_tables(moved), entrants)


def _in_order(rounds: Sequence[Round], entrants: int) -> Iterator[Round]:
    """Yield rounds so that those who have met least meet next, and nobody sits out too early."""
    met: Counter[tuple[int, int]] = Counter()

    def again(number: int) -> tuple[int, int]:
        pairs = _meetings(rounds[number])
        return sum(met[pair] for pair in pairs), number

    for block in _blocks(len(rounds), entrants % _TABLE):
        while block:
            number = min(block, key=again)
            block.remove(number)
            met.update(_meetings(rounds[number]))
            yield rounds[number]


def _meetings(one: Round) -> list[tuple[int, int]]:
    return [_sorted(pair) for table in one.tables for pair in combinations(table.entrants, 2)]


def _blocks(rounds: int, byes: int) -> list[list[int]]:
    """Return shifts in blocks. Within a block any order will do; blocks come one after the other.

    In the round with shift s the numbers s to s + byes - 1 sit out: those of a block are all
    different, and nobody sits out a second time before all have once.
    """
    if byes < 2:
        return [list(range(rounds))]
    if rounds % byes == 0:
        return [list(range(first, rounds, byes)) for first in range(byes)]
    return [[step * byes % rounds] for step in range(rounds)]


# --- over again, and from both sides


def _again(one: Round, time: int) -> Round:
    """Return a round as it is when the movement is played for the `time`th time, from 0.

    Entrants change their numbers then, so that those who met less often than others do not again.
    """
    if time % 2 == 0:
        return one
    entrants = sum(len(table.entrants) for table in one.tables) + len(one.byes)
    modulus = entrants - 1 + entrants % 2  # odd, so that doubling is one to one

    def other(number: int) -> int:
        return number if number == modulus else 2 * number % modulus

    tables = tuple(Table(*(tuple(map(other, side)) for side in table)) for table in one.tables)
    return Round(tables, tuple(sorted(map(other, one.byes))))


def _both_sides(rounds: Iterable[Round]) -> Iterator[Round]:
    """Yield rounds with tables turned: everybody has seats 0 and 2 about as often as 1 and 3."""
    ahead: Counter[int] = Counter()  # times with seats 0 and 2, less the others
    for one in rounds:
        tables = []
        for table in one.tables:
            first, second = (sum(ahead[entrant] for entrant in side) for side in table)
            turned = Table(table.second, table.first) if first > second else table
            ahead.update(turned.first)
            ahead.subtract(turned.second)
            tables.append(turned)
        yield Round(tuple(tables), one.byes)
