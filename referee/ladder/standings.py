"""From what counts of an event to its table."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from referee.ladder.boards import RatedBoard, Resolved
from referee.ladder.bradley_terry import ANCHORS, anchored, fit_elo
from referee.ladder.effects import pair_effects
from referee.ladder.estimates import Estimates
from referee.ladder.habits import counted_legs
from referee.ladder.notes import notes_under
from referee.ladder.points import points_fits
from referee.ladder.ranks import Certainty, certainties
from referee.ladder.resampling import bootstrap_intervals
from referee.ladder.rulings import decide
from referee.ladder.seats import TRIO
from referee.ladder.table import Column, Interval, PairRow, Row, Standings, hundredths
from referee.ladder.values import TEAM, LegResult, Ruling, RulingKind, Unit
from referee.rules.errors import RefereeBug

STATES: Mapping[RulingKind | None, str] = MappingProxyType(
    {None: "", RulingKind.WITHDRAW: "withdrawn", RulingKind.QUARANTINE: "quarantined"}
)


class Ranked(Protocol):
    """What the table has to know of an entry; an entry as a ladder's store keeps it will do."""

    @property
    def name(self) -> str:
        """The name of the entry."""

    @property
    def owner(self) -> str:
        """Who runs it."""

    @property
    def bots(self) -> tuple[str, ...]:
        """Its bots by place."""

    @property
    def house(self) -> bool:
        """True for a bot that comes with the referee."""


def standings(
    resolved: Resolved,
    entries: Sequence[Ranked],
    rulings: Sequence[Ruling],
    *,
    unit: Unit,
    columns: Collection[Column] = (),
    remarks: Sequence[str] = (),
) -> Standings:
    """Return the table of an event: by points a round, then by name.

    `entries` are all of the event; those that were disqualified are in the notes only. `remarks`
    are sentences that stand before all other notes. Raises `RefereeBug` where a rated board names
    an entry that is not in the table.
    """
    decided = decide(rulings)
    listed = [entry for entry in entries if not decided.is_out(entry.name)]
    trios = any(len(_names(board)) == TRIO for board in resolved.boards)
    numbers = _Numbers(resolved, columns, _anchors(listed, unit))
    tally = _Tally(resolved)
    tally.check({entry.name for entry in listed})
    ranks = _Ranks(numbers)
    rows = [
        _row(entry, numbers, tally, ranks, STATES[decided.stopped.get(entry.name)])
        for entry in sorted(listed, key=lambda entry: ranks.order(entry.name))
    ]
    return Standings(
        unit=unit,
        columns=tuple(column for column in Column if column in columns),
        rows=tuple(rows),
        pairs=tuple(_pairs(resolved)) if Column.PAIRS in columns and not trios else (),
        notes=(*remarks, *notes_under(rows, numbers.groups, resolved, rulings)),
        elo_anchors=numbers.anchors_met,
    )


def _anchors(entries: Sequence[Ranked], unit: Unit) -> dict[str, int]:
    """Return the Elo of the house bots that play alone.

    It was measured on legs of one round, in the game of four.
    """
    if unit is not Unit.BOARD:
        return {}
    return {
        entry.name: ANCHORS[entry.bots[0]]
        for entry in entries
        if entry.house and len(entry.bots) == TEAM and len(set(entry.bots)) == 1
        if entry.bots[0] in ANCHORS
    }


class _Numbers:
    """All estimates of an event, rounded, by entry. `groups` are entries that can be compared."""

    def __init__(
        self, resolved: Resolved, columns: Collection[Column], anchors: Mapping[str, int]
    ) -> None:
        fits = points_fits(resolved.boards, resolved.field_legs)
        found = [(fit, one) for fit in fits for one in fit.estimates()]
        self.groups = tuple(one.entries for _, one in found)
        self.points = _by_entry(one for _, one in found)
        self.certain: dict[str, Certainty] = {}
        for _, one in found:
            self.certain |= certainties(one)
        self.elo: dict[str, Interval] = {}
        self.anchors_met: tuple[tuple[str, int], ...] = ()
        if Column.ELO in columns:
            self._add_elo(resolved, anchors)
        self.bootstrap: dict[str, Interval] = {}
        if Column.BOOTSTRAP in columns:
            for fit, one in found:
                self._add_bootstrap(bootstrap_intervals(fit, one))

    def _add_elo(self, resolved: Resolved, anchors: Mapping[str, int]) -> None:
        found = fit_elo(resolved.boards, resolved.field_legs)
        self.elo = _by_entry(anchored(one, anchors) or one for one in found)
        met = [(name, elo) for name, elo in anchors.items() if name in self.elo]
        self.anchors_met = tuple(sorted(met))

    def _add_bootstrap(self, intervals: Mapping[str, tuple[float, float]]) -> None:
        for name, (low, high) in intervals.items():
            value = self.points[name].value
            self.bootstrap[name] = Interval(value=value, low=hundredths(low), high=hundredths(high))


def _by_entry(found: Iterator[Estimates]) -> dict[str, Interval]:
    return {
        name: _around(float(one.values[at]), one.half_width(at))
        for one in found
        for at, name in enumerate(one.entries)
    }


def _around(value: float, half: float | None) -> Interval:
    if half is None:
        return Interval(value=hundredths(value))
    low, high = hundredths(value - half), hundredths(value + half)
    return Interval(value=hundredths(value), low=low, high=high)


class _Ranks:
    """Ranks by points as they are shown, so that what looks alike is alike."""

    def __init__(self, numbers: _Numbers) -> None:
        self._points = {name: interval.value for name, interval in numbers.points.items()}
        self._certain = numbers.certain

    def order(self, name: str) -> tuple[bool, int, str]:
        """Return what to sort by: who cannot be compared comes last."""
        return (name not in self._points, -self._points.get(name, 0), name)

    def rank(self, name: str) -> int | None:
        """Return the rank, from 1."""
        if name not in self._points:
            return None
        own = self._points[name]
        return 1 + sum(points > own for points in self._points.values())

    def ends(self, name: str) -> tuple[int | None, int | None]:
        """Return the best and the worst rank that the entry may truly have."""
        if name not in self._points:
            return None, None
        sure = self._certain[name]
        return 1 + sure.better, len(self._points) - sure.worse


class _Tally:
    """What is counted, by entry: boards, legs won, level and lost, faults."""

    def __init__(self, resolved: Resolved) -> None:
        self.resolved = resolved
        self.boards: dict[str, int] = {}
        self.legs: dict[str, tuple[int, int, int]] = {}
        self.faults: dict[str, int] = {}
        for names in {_key(board): _names(board) for board in resolved.boards}.values():
            self._add_board(*names)
        for leg in resolved.field_legs:
            self._add_board(leg.first, leg.second)
        for result in counted_legs(resolved):
            self._add_leg(result)

    def check(self, names: Collection[str]) -> None:
        """Raise where a board is rated of an entry that has no row."""
        strange = sorted(set(self.boards) - set(names))
        if strange:
            raise RefereeBug(f"rated boards of {strange}, which have no row in the table")

    def _add_board(self, *names: str) -> None:
        for name in names:
            self.boards[name] = self.boards.get(name, 0) + 1

    def _add_leg(self, leg: LegResult) -> None:
        """Who has most has won; who shares the most is level with the others that do."""
        best = max(leg.points)
        shared = leg.points.count(best) > 1
        for side, points in zip(leg.place.sides, leg.points, strict=True):
            more = 0 if shared and points == best else (points == best) - (points < best)
            wins, ties, losses = self.legs.get(side.entry, (0, 0, 0))
            self.legs[side.entry] = (wins + (more > 0), ties + (more == 0), losses + (more < 0))
        for name in leg.faulty:
            self.faults[name] = self.faults.get(name, 0) + 1


def _key(board: RatedBoard) -> tuple[str, int]:
    return board.pairing, board.board


def _names(board: RatedBoard) -> tuple[str, ...]:
    return tuple(side.entry for side in board.legs[0].place.sides)


def _row(entry: Ranked, numbers: _Numbers, tally: _Tally, ranks: _Ranks, state: str) -> Row:
    name = entry.name
    best, worst = ranks.ends(name)
    wins, ties, losses = tally.legs.get(name, (0, 0, 0))
    return Row(
        rank=ranks.rank(name),
        best=best,
        worst=worst,
        entry=name,
        owner=entry.owner,
        bots=entry.bots,
        boards=tally.boards.get(name, 0),
        points=numbers.points.get(name),
        wins=wins,
        ties=ties,
        losses=losses,
        void=tally.resolved.void.get(name, 0),
        faults=tally.faults.get(name, 0),
        unknown=tally.resolved.unknown.get(name, 0),
        charged=name in tally.resolved.charged,
        state=state,
        elo=numbers.elo.get(name),
        bootstrap=numbers.bootstrap.get(name),
    )


def _pairs(resolved: Resolved) -> Iterator[PairRow]:
    for pair in pair_effects(resolved.boards):
        yield PairRow(
            first=pair.first,
            second=pair.second,
            boards=pair.boards,
            difference=hundredths(pair.difference),
            expected=hundredths(pair.expected),
            effect=_around(pair.effect, pair.half),
        )
