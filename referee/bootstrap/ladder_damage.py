"""Records that are no longer as they were when their results were taken: damaged, cut, or gone.

The database has the SHA-256 of each record's file, and every table is made after a look at all of
them: 5,000 records of a round take less than a second. Results of what is damaged stand, since the
record was whole when they were taken; but nobody can prove them any more, and that is said.
"""

import enum
import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from referee.bootstrap.ladder_advice import command
from referee.bootstrap.ladder_plan import RECORDS, LadderPlan
from referee.bootstrap.ladder_records import is_file, namesakes_of
from referee.formats.bot_report_text import board_text
from referee.formats.printable import printable
from referee.formats.summary import MatchSummary
from referee.formats.words import counted
from referee.ladder.values import LegResult

_SHOWN = 5  # of many


class Harm(enum.Enum):
    """What became of a record, in words."""

    MISSING = "missing"
    CHANGED = "changed"
    SWAPPED = "that of another match"
    UNREADABLE = "not readable"


class Damage(msgspec.Struct, frozen=True, kw_only=True):
    """A record that is not what it was. `name` is that of its file in the folder of records."""

    leg: LegResult
    name: str
    harm: Harm


def damages_of(
    plan: LadderPlan, results: Sequence[LegResult], digests: Mapping[str, str]
) -> tuple[Damage, ...]:
    """Look at the records of results, and return those that are not as they were.

    `digests` are those in the database, by match id; of one without a digest no more is known than
    that it was there. It reads all of them, so call it in a thread. Where the folder of the ladder
    is not here nothing can be said.
    """
    if not plan.folder.is_dir():
        return ()
    return tuple(_damages(plan.folder / RECORDS, results, digests))


def _damages(
    folder: Path, results: Sequence[LegResult], digests: Mapping[str, str]
) -> Iterator[Damage]:
    others = {digest for digest in digests.values() if digest}
    for leg in results:
        harm = _harm(folder, leg.match_id, digests.get(leg.match_id, ""), others)
        if harm is not None:
            yield Damage(leg=leg, name=f"{leg.match_id}.jsonl", harm=harm)


def _harm(folder: Path, match_id: str, due: str, others: Collection[str]) -> Harm | None:
    harm: Harm | None = None
    for path in namesakes_of(folder, match_id):
        found = _digest(path)
        if isinstance(found, str) and due in ("", found):
            return None
        if isinstance(found, str):
            found = Harm.SWAPPED if found in others else Harm.CHANGED
        harm = harm or found
    return harm


def _digest(path: Path) -> str | Harm:
    """Return the digest of a file, or why there is none."""
    try:
        if not is_file(path):
            return Harm.UNREADABLE
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        return Harm.MISSING
    except OSError:
        return Harm.UNREADABLE


Where = Callable[[LegResult], str]  # names a leg to people


def _board(leg: LegResult) -> str:
    return board_text(leg.place)


def damage_remark(
    damages: Sequence[Damage], counting: Collection[str], where: Where = _board
) -> str:
    """Return what stands under the table of it, for everybody; "" where all is whole.

    `counting` are the ids of the matches that count in the table.
    """
    if not damages:
        return ""
    shown = sorted(damages, key=lambda one: one.leg.match_id not in counting)
    words = [_words(one, where, counts=one.leg.match_id in counting) for one in shown[:_SHOWN]]
    more = f", and {len(damages) - _SHOWN} more" if len(damages) > _SHOWN else ""
    noun = "record is" if len(damages) == 1 else "records are"
    return (
        f"Not proved: {len(damages)} {noun} not as when the results were taken, which stand as "
        f"they were: {', '.join(words)}{more}."
    )


def _words(one: Damage, where: Where, *, counts: bool) -> str:
    which = where(one.leg) + ("" if counts else ", which does not count")
    return f"{RECORDS}/{one.name} is {one.harm.value} ({which})"


def damage_lines(
    plan: LadderPlan,
    damages: Sequence[Damage],
    counting: Collection[str],
    where: Where = _board,
) -> Iterator[str]:
    """Yield a line for each damaged record, for the operator: file, and what to do."""
    shown = sorted(damages, key=lambda one: one.leg.match_id not in counting)
    for one in shown[:_SHOWN]:
        yield _advice(plan, one, where, counts=one.leg.match_id in counting)
    if len(damages) > _SHOWN:
        yield f"and {counted(len(damages) - _SHOWN, 'more record')} like these"


def _advice(plan: LadderPlan, one: Damage, where: Where, *, counts: bool) -> str:
    path = plan.folder / RECORDS / one.name
    look = f" (referee record verify {path} looks into it)" if one.harm is Harm.CHANGED else ""
    or_again = ""
    if counts:
        annul = command(plan, "annul", one.leg.match_id, reason="its record was damaged")
        or_again = f", or have its {plan.played} played again: {annul}"
    return printable(
        f"{path}: {where(one.leg)}: the record is {one.harm.value}, and was whole when "
        f"its result was taken{look}; bring it back{or_again}"
    )


def rebuilt_lines(
    plan: LadderPlan,
    before: Sequence[LegResult],
    digests: Mapping[str, str],
    summaries: Sequence[MatchSummary],
) -> Iterator[str]:
    """Yield a line for each result that a database has, and that `rebuild` leaves out or changes.

    Each is said, however many there are: nothing else will remember them.
    """
    now = {summary.match_id: summary.digest for summary in summaries}
    for leg in before:
        path, was = plan.folder / RECORDS / f"{leg.match_id}.jsonl", digests.get(leg.match_id, "")
        where = printable(f"{path}: {board_text(leg.place)}")
        if leg.match_id not in now:
            yield f"{where}: the record is missing; its result was in the database, and is left out"
        elif was and now[leg.match_id] != was:
            yield f"{where}: this record is another than the one that the database had it from"
