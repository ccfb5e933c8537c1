"""The records of a ladder, which are the truth: what its database may lack, and what they hold."""

import asyncio
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from referee.formats.records import RecordError, read_record
from referee.formats.summary import MatchSummary
from referee.formats.summing import summarise
from referee.rules.errors import ConfigError

_SUFFIX = ".jsonl"


def read_summary(record: Path) -> MatchSummary:
    """Return what a match brought, from its record. Raises `RecordError`, and `OSError`."""
    with record.open("rb") as lines:
        return summarise(read_record(lines))


def record_files(folder: Path, *, but: Collection[str] = ()) -> Iterator[Path]:
    """Yield the records of a folder by name, but for those of some matches; a draft is none.

    A record has the name of its match; a second one of that name has a number behind it.
    """
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        match_id = path.stem.partition("-")[0]
        if not path.name.startswith(".") and match_id not in but:
            yield path


async def summaries_of(
    folder: Path, event: str, *, but: Collection[str] = ()
) -> Sequence[MatchSummary]:
    """Return what all matches of an event brought, but for some of them.

    Records of other events, or of none, are left out. Raises `ConfigError` that names the file and
    the line of a record that was cut short or changed.
    """
    found = []
    for path in record_files(folder, but=but):
        try:
            summary = await asyncio.to_thread(read_summary, path)
        except RecordError as error:
            raise ConfigError(
                f"{path}: {error}; bring the record back as it was written, or take it out"
            ) from None
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror}") from None
        if summary.leg is not None and summary.leg.place.event == event:
            found.append(summary)
    return found
