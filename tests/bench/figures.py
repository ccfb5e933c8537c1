"""What a run prints: tables of values, and the figures to reach beside what was reached."""

import statistics
from collections.abc import Sequence
from typing import Self

import msgspec

NONE = "-"


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """A value measured in several passes: the median, and how far the passes lie apart."""

    median: float
    lowest: float
    highest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """Return the median of the passes, at least one, with the extremes."""
        return cls(median=statistics.median(values), lowest=min(values), highest=max(values))

    def text(self, decimals: int = 0) -> str:
        """Write the median, with the extremes where they differ from it."""
        middle = f"{self.median:,.{decimals}f}"
        low, high = f"{self.lowest:,.{decimals}f}", f"{self.highest:,.{decimals}f}"
        return middle if low == high else f"{middle} ({low} to {high})"


class Table(msgspec.Struct, kw_only=True):
    """A table of text cells; the first column is a name, the others are numbers."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]] = ()
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        """Draw the table in Markdown, aligned, so that it reads the same in a terminal."""
        cells = [self.head, *self.rows]
        widths = [max(len(row[column]) for row in cells) for column in range(len(self.head))]
        rule = "|".join(["-" * (widths[0] + 2), *("-" * (width + 1) + ":" for width in widths[1:])])
        lines = [_line(self.head, widths), f"|{rule}|"]
        lines += [_line(row, widths) for row in self.rows]
        return "\n".join([f"## {self.title}", "", *lines, *self._notes_text()])

    def _notes_text(self) -> list[str]:
        return ["", *self.notes] if self.notes else []


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first = f" {row[0]:<{widths[0]}} "
    others = (f" {cell:>{width}} " for cell, width in zip(row[1:], widths[1:], strict=True))
    return "|" + "|".join([first, *others]) + "|"


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """A figure to reach. `bound` is stated in the unit of `value`; `aim` goes beyond it."""

    name: str
    value: float
    unit: str
    bound: float
    at_least: bool
    aim: float | None = None
    against: str = ""  # what the value is a ratio to, measured in the same run

    @property
    def reached(self) -> bool:
        """Tell whether the bound is reached; nothing depends on it but the print."""
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    def row(self) -> tuple[str, ...]:
        """Return the cells of the table of targets."""
        sign = ">=" if self.at_least else "<="
        aim = NONE if self.aim is None else f"{self.aim:,g}"
        return (
            self.name,
            f"{self.value:,.{0 if self.value >= 100 else 2}f} {self.unit}".rstrip(),
            self.against or NONE,
            f"{sign} {self.bound:,g}",
            aim,
            "yes" if self.reached else "NO",
        )


def targets_table(targets: Sequence[Target]) -> Table:
    """Return the last table of a run."""
    head = ("figure", "value", "ratio to", "to reach", "aim", "reached")
    return Table(title="Figures to reach", head=head, rows=[target.row() for target in targets])


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return the value below which this share (0 to 1) of sorted values lies; 0 without any."""
    return ordered[round(share * (len(ordered) - 1))] if ordered else 0.0


def ratio(value: float, base: float | None) -> str:
    """Write a ratio to the echo of the same run; a dash where there was none."""
    return f"{value / base:.2f}" if base else NONE
