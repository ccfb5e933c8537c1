"""Who is placed where in a tournament, and by what those were parted who had the same points."""

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import msgspec

from referee.ladder.tournament_scores import Scale, Scored, TableResult, sat_out, scored


class TieBreak(enum.Enum):
    """What parts entrants with the same points, in this order."""

    DIRECT = "direct"  # differences at tables where they met as opponents
    WINS = "wins"  # tables won
    DIFFERENCE = "difference"  # Tichu points ahead, over all tables
    MADE = "made"  # Tichu points made
    LOT = "lot"


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the table. `rank` is from 1; those whom nothing parts have the same.

    `won`, `tied` and `lost` are tables, `out` rounds sat out. `by` is what put the entrant behind
    the one before it, where the points did not.
    """

    rank: int
    entrant: str
    score: int
    won: int
    tied: int
    lost: int
    out: int
    difference: int
    made: int
    faults: int
    by: TieBreak | None = None


class RoundScores(msgspec.Struct, frozen=True, kw_only=True):
    """One round that is over: its tables, and who sat out."""

    number: int
    tables: tuple[TableResult, ...]
    byes: tuple[str, ...] = ()


_Key = Callable[[str], int | str]


def scores_of(
    entrants: Iterable[str], rounds: Sequence[RoundScores], scale: Scale
) -> dict[str, list[Scored]]:
    """Return what every entrant got, round by round."""
    found: dict[str, list[Scored]] = {entrant: [] for entrant in entrants}
    for one in rounds:
        for table in one.tables:
            for score in scored(table, scale):
                found[score.entrant].append(score)
        for entrant in one.byes:
            found[entrant].append(sat_out(entrant, one.number, scale))
    return found


def placed(
    scores: Mapping[str, Sequence[Scored]], lots: Mapping[str, str] | None = None
) -> tuple[Placed, ...]:
    """Return the table: most points first, then by `TieBreak`, in its order.

    `lots` by entrant, the least first; without them those whom nothing else parts share a rank and
    stand by name.
    """
    lines = [_line(entrant, got) for entrant, got in scores.items()]
    lines.sort(key=lambda line: (-line.score, line.entrant))
    found: list[Placed] = []
    while len(found) < len(lines):
        score = lines[len(found)].score
        group = [line for line in lines if line.score == score]
        found += _group(group, scores, lots or {}, first=len(found) + 1)
    return tuple(found)


def _line(entrant: str, scores: Sequence[Scored]) -> Placed:
    tables = [one for one in scores if one.opponents]
    return Placed(
        rank=1,
        entrant=entrant,
        score=sum(one.score for one in scores),
        won=sum(one.difference > 0 for one in tables),
        tied=sum(one.difference == 0 for one in tables),
        lost=sum(one.difference < 0 for one in tables),
        out=len(scores) - len(tables),
        difference=sum(one.difference for one in tables),
        made=sum(one.made for one in tables),
        faults=sum(one.at_fault for one in tables),
    )


def _group(
    lines: Sequence[Placed],
    scores: Mapping[str, Sequence[Scored]],
    lots: Mapping[str, str],
    *,
    first: int,
) -> Iterator[Placed]:
    """Yield those with the same points as they are parted."""
    keys = _keys(lines, scores, lots)
    ordered = sorted(lines, key=lambda line: tuple(keys[by](line.entrant) for by in keys))
    rank = first
    for place, line in enumerate(ordered):
        by = None
        if place:
            before = ordered[place - 1].entrant
            parted = (by for by, key in keys.items() if key(before) != key(line.entrant))
            by = next(parted, None)
            rank = rank if by is None else first + place
        yield msgspec.structs.replace(line, rank=rank, by=by)


def _keys(
    lines: Sequence[Placed], scores: Mapping[str, Sequence[Scored]], lots: Mapping[str, str]
) -> dict[TieBreak, _Key]:
    """Return what a group is ordered by, the least first."""
    by_name = {line.entrant: line for line in lines}
    direct = _direct(list(by_name), scores)
    return {
        TieBreak.DIRECT: lambda name: -direct.get(name, 0),
        TieBreak.WINS: lambda name: -by_name[name].won,
        TieBreak.DIFFERENCE: lambda name: -by_name[name].difference,
        TieBreak.MADE: lambda name: -by_name[name].made,
        TieBreak.LOT: lambda name: lots.get(name, ""),
    }


def _direct(group: Sequence[str], scores: Mapping[str, Sequence[Scored]]) -> dict[str, int]:
    """Return by how much each won against the others of a group; {} where that is not fair.

    It is where each two of them met, and all as often as each other.
    """
    met = {
        pair: sum(pair[1] in one.opponents for one in scores[pair[0]])
        for pair in combinations(group, 2)
    }
    if len(set(met.values())) != 1 or 0 in met.values():
        return {}
    return {
        name: sum(
            one.difference * sum(other in one.opponents for other in group) for one in scores[name]
        )
        for name in group
    }
