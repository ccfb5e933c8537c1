"""The sentences under a table."""

from collections.abc import Iterator, Mapping, Sequence

from referee.ladder.boards import Fate, Resolved
from referee.ladder.habits import (
    MANY_DEFAULTS,
    Defaults,
    counted_legs,
    defaults_by_entry,
    versions_by_entry,
)
from referee.ladder.table import Row
from referee.ladder.values import Ruling, RulingKind

_VERSIONS = 3  # of one entry, by name

_DONE = {
    RulingKind.ANNUL: "annulled",
    RulingKind.DISQUALIFY: "disqualified",
    RulingKind.WITHDRAW: "withdrawn",
    RulingKind.REPLACE: "replaced",
    RulingKind.FREEZE: "frozen",
    RulingKind.QUARANTINE: "quarantined",
}


def notes_under(
    rows: Sequence[Row],
    groups: Sequence[Sequence[str]],
    resolved: Resolved,
    rulings: Sequence[Ruling],
) -> Iterator[str]:
    """Yield what a reader has to know of the table: what it cannot say, then every ruling."""
    if len(groups) > 1:
        yield from _apart(groups)
    missing = [row.entry for row in rows if row.points is not None and row.points.low is None]
    if missing:
        yield (
            f"No interval: {', '.join(missing)}. It takes two boards or more, and a difference "
            "between them."
        )
    unmet = [row.entry for row in rows if row.points is None and row.boards]
    if unmet:
        yield f"No points: {', '.join(unmet)}. Their deals compare them with nobody yet."
    given_up = sum(one.fate is Fate.GIVEN_UP for one in resolved.histories.values())
    if given_up:
        noun = "board" if given_up == 1 else "boards"
        yield f"Given up: {given_up} {noun}, void at every attempt."
    for row in rows:
        if row.charged:
            yield (
                f"{row.entry}: {row.unknown} legs ended and nobody knows by whom; "
                "so many count against it."
            )
    legs = list(counted_legs(resolved))
    yield from _mixed(rows, versions_by_entry(legs))
    yield from _by_default(rows, defaults_by_entry(legs))
    for ruling in sorted(rulings, key=lambda one: one.number):
        yield ruling_note(ruling)


def _apart(groups: Sequence[Sequence[str]]) -> Iterator[str]:
    parts = " | ".join(", ".join(group) for group in groups)
    yield (
        f"Not connected: {parts}. Points compare entries of one part; in each part their mean is 0."
    )


def _mixed(rows: Sequence[Row], versions: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Yield a sentence for each entry whose boards are not all of one version."""
    for row in rows:
        legs = versions.get(row.entry, {})
        if len(legs) < 2:
            continue
        each = [f"{version} ({count})" for version, count in legs.items()]
        shown = ", ".join(each[:_VERSIONS])
        more = f" and {len(each) - _VERSIONS} more" if len(each) > _VERSIONS else ""
        yield (
            f"{row.entry} changed its version: its legs are of {shown}{more}. "
            "Its points are of all of them together, and of none alone; a ruling to replace it "
            "counts the version that it names."
        )


def _by_default(rows: Sequence[Row], found: Mapping[str, Defaults]) -> Iterator[str]:
    for row in rows:
        own = found.get(row.entry, Defaults())
        if own.are_many:
            yield default_note(row.entry, own)


def default_note(entry: str, own: Defaults) -> str:
    """Return that an entry left many of its answers to the substitute action."""
    return (
        f"{entry} left {own.defaults} of {own.answers} answers to the substitute action, more than "
        f"one in {MANY_DEFAULTS}: its strategy may fail."
    )


def ruling_note(ruling: Ruling, subject: str = "") -> str:
    """Return a ruling as a sentence, with the subject in other words if they are given.

    >>> ruling_note(Ruling(number=2, event="e", kind=RulingKind.WITHDRAW, subject="zoe",
    ...                    reason="owner's wish", at="2026-01-31T12:00:00Z"))
    "Ruling 2 (2026-01-31T12:00:00Z): zoe withdrawn. Reason: owner's wish"
    """
    subject = subject or ruling.subject or "the ladder"
    version = f" by {ruling.version}" if ruling.version else ""
    done = _DONE[ruling.kind]
    return (
        f"Ruling {ruling.number} ({ruling.at}): {subject} {done}{version}. Reason: {ruling.reason}"
    )
