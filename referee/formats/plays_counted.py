"""How many legal plays positions have, so that generators of plays can be compared.

A line is a vector (id, title, options, start, steps) with the `seat` whose plays are counted, the
one on turn unless it is given. `legal` is the number of entries of the check of that name: every
distinct set of cards and reading of the Phoenix, and a pass. `patterns` is the number of plays
that an ask lists.
"""

from collections.abc import Iterable, Iterator

import msgspec

from referee.formats.printable import printable
from referee.formats.vector_fields import (
    as_int,
    as_object,
    as_seat,
    as_text,
    decode_object,
    known_keys,
)
from referee.formats.vector_parsing import parse_start, parse_steps, parse_vector_options
from referee.formats.vector_steps import CheckStep
from referee.formats.vectors import apply_step, legal_entries
from referee.rules.errors import NotationError
from referee.rules.options import seats
from referee.rules.round import Round
from referee.rules.seat import Seat

_KEYS = ("id", "title", "options", "start", "steps", "seat", "legal", "patterns")


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of one line; `stated_` is what it says itself, None where it says nothing."""

    name: str
    legal: int
    patterns: int
    stated_legal: int | None
    stated_patterns: int | None

    @property
    def fault(self) -> str | None:
        """Return what differs from what is stated, None for nothing."""
        wrong = [
            f"{key} {stated} stated, {got} counted"
            for key, stated, got in (
                ("legal", self.stated_legal, self.legal),
                ("patterns", self.stated_patterns, self.patterns),
            )
            if stated not in (None, got)
        ]
        return f"{self.name}: {'; '.join(wrong)}" if wrong else None


class Uncounted(msgspec.Struct, frozen=True):
    """A line whose plays cannot be counted, and why."""

    fault: str


def count_lines(lines: Iterable[bytes]) -> Iterator[tuple[int, Counted | Uncounted]]:
    """Yield what the lines count, with their numbers from 1; blank lines are skipped."""
    for number, data in enumerate(lines, start=1):
        if number == 1:
            data = data.removeprefix(b"\xef\xbb\xbf")  # an editor's byte order mark
        if not data.strip():
            continue
        try:
            yield number, counted(data)
        except NotationError as wrong:
            yield number, Uncounted(printable(str(wrong)))


def counted(data: bytes) -> Counted:
    """Return the counts of one line. Raises `NotationError` that says what is wrong with it."""
    raw = decode_object(data)
    known_keys(raw, _KEYS, "line")
    for key in ("id", "start"):
        if key not in raw:
            raise NotationError(f"{key} is missing")
    round_ = _position(raw)
    seat = as_seat(raw["seat"], "seat", round_.n) if "seat" in raw else round_.turn
    if seat is None:
        raise NotationError(f"nobody is on turn in phase {round_.phase}; say seat")
    return Counted(
        name=as_text(raw["id"], "id"),
        legal=len(legal_entries(round_, Seat(seat))),
        patterns=len(round_.legal_plays(Seat(seat))),
        stated_legal=_stated(raw, "legal"),
        stated_patterns=_stated(raw, "patterns"),
    )


def _position(raw: dict[str, object]) -> Round:
    options = parse_vector_options(raw)
    round_ = Round.from_position(parse_start(as_object(raw["start"], "start"), options))
    assert round_.n == seats(options), "a position has a hand for each seat"
    for number, step in enumerate(parse_steps(raw.get("steps", []), options), start=1):
        if isinstance(step, CheckStep) or step.error is not None:
            continue
        refusal = apply_step(round_, step)
        if refusal is not None:
            raise NotationError(f"step {number} is refused: {refusal}")
    return round_


def _stated(raw: dict[str, object], key: str) -> int | None:
    if key not in raw:
        return None
    number = as_int(raw[key], key)
    if number < 0:
        raise NotationError(f"{key}: {number} is no number of plays")
    return number
