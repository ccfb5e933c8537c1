"""Sides of two entrants: in a tournament of single entries partners change from table to table.

Such a side is called by both names with a `+` between them, in the order of its seats. No entry of
a file has one in its name.
"""

from collections.abc import Sequence

from referee.ladder.rulings import version_of
from referee.ladder.values import Side

PARTNER_MARK = "+"


def side_name(entrants: Sequence[str]) -> str:
    """Return what a side of one or two entrants is called.

    >>> side_name(["ann", "bob"]), side_name(["the-pair"])
    ('ann+bob', 'the-pair')
    """
    return PARTNER_MARK.join(entrants)


def entrants_of(side: str) -> tuple[str, ...]:
    """Return the entrants of a side: two that were put together for a table, else the one.

    >>> entrants_of("ann+bob"), entrants_of("the-pair")
    (('ann', 'bob'), ('the-pair',))
    """
    return tuple(side.split(PARTNER_MARK))


def entrant_at(side: str, place: int) -> str:
    """Return who of a side has its first seat (`place` 0) or its second (1)."""
    names = entrants_of(side)
    return names[place % len(names)]


def versions_by_entrant(side: Side) -> dict[str, str]:
    """Return which version of each entrant of a side played."""
    names = entrants_of(side.entry)
    if len(names) == 1:
        return {side.entry: version_of(side)}
    return {name: one.version for name, one in zip(names, side.players, strict=True)}
