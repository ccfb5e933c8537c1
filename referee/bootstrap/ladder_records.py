"""The records of a ladder, which are the truth: what its database may lack, and what they hold."""

import asyncio
import hashlib
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

import msgspec

from referee.bootstrap.ladder_folder import MatchTerms
from referee.bootstrap.ladder_terms import CARDS, term_text
from referee.config.ladder_terms import written_terms
from referee.formats.printable import printable
from referee.formats.records import (
    MAX_LINE_BYTES,
    RecordError,
    RecordHeader,
    read_record,
    read_until_fault,
)
from referee.formats.summary import MatchSummary
from referee.formats.summing import summarise
from referee.ladder.values import LegPlace, LegResult
from referee.rules.errors import ConfigError

_SUFFIX = ".jsonl"


def read_summary(record: Path) -> MatchSummary:
    """Return what a match brought, from its record. Raises `RecordError`, and `OSError`."""
    return _read(record)[1]


def is_file(path: Path) -> bool:
    """Return False for what would be waited for as it is opened, as a pipe, or is no file else.

    Raises `OSError` where nothing is there.
    """
    return stat.S_ISREG(path.stat().st_mode)


def record_files(folder: Path, *, but: Collection[str] = ()) -> Iterator[Path]:
    """Yield the records of a folder by name, but for those of some matches; a draft is none.

    A record has the name of its match; a second one of that name has a number behind it.
    """
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        match_id = path.stem.partition("-")[0]
        if not path.name.startswith(".") and match_id not in but:
            yield path


def namesakes_of(folder: Path, match_id: str) -> Iterator[Path]:
    """Yield the files that may be the record of a match, the one with its very name first.

    That one need not be there; of those with a number behind it each that is.
    """
    yield folder / f"{match_id}{_SUFFIX}"
    for number in count(2):
        path = folder / f"{match_id}-{number}{_SUFFIX}"
        if not path.exists():
            return
        yield path


def event_in(folder: Path) -> str | None:
    """Return the event that the first record of a ladder in a folder says it is of, unproved."""
    for path in record_files(folder):
        with suppress(RecordError, OSError):
            if not is_file(path):
                continue
            with path.open("rb") as lines:
                place = read_until_fault([lines.readline(MAX_LINE_BYTES)])[0].header.place
            if place is not None:
                return place.event
    return None


async def summaries_of(
    folder: Path, event: str, *, but: Collection[str] = (), terms: MatchTerms | None = None
) -> Sequence[MatchSummary]:
    """Return what all matches of an event brought, but for some of them.

    Records of other events, or of none, are left out. Raises `ConfigError` that names the file: and
    the line of a record that was cut short or changed, or what of the terms it does not keep to.
    """
    found = []
    for path in record_files(folder, but=but):
        try:
            if not is_file(path):
                raise ConfigError(f"{path}: it is no file; take it out")
            header, summary = await asyncio.to_thread(_read, path)
        except RecordError as error:
            raise ConfigError(
                f"{path}: {error}; bring the record back as it was written, or take it out"
            ) from None
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror}") from None
        if summary.leg is not None and summary.leg.place.event == event:
            if terms is not None:
                _refuse_other_terms(path, header, summary.leg, terms)
            found.append(summary)
    return found


def _read(path: Path) -> tuple[RecordHeader, MatchSummary]:
    digest = hashlib.sha256()
    with path.open("rb") as lines:
        record = read_record(_hashed(lines, digest))
    summary = summarise(record)
    return record.header, msgspec.structs.replace(summary, digest=digest.hexdigest())


def _hashed(lines: Iterable[bytes], digest: "hashlib._Hash") -> Iterator[bytes]:
    for line in lines:
        digest.update(line)
        yield line


def _refuse_other_terms(
    path: Path, header: RecordHeader, leg: LegResult, terms: MatchTerms
) -> None:
    """Raise `ConfigError` for a record of another ladder: its board would not compare."""
    said = written_terms({**terms.values, **_terms_of(header, leg.place)})
    for key, value in written_terms(terms.values).items():
        if said[key] != value:  # what an older release did not know is no difference
            record, file = (text or "left out" for text in (said[key], value))
            raise ConfigError(
                f"{path}: {key}: {printable(record)} in this record, {file} in the file; "
                "take the record out"
            )
    if terms.match_name is not None and terms.match_name(leg.place) != leg.match_id:
        raise ConfigError(f"{path}: {CARDS}: not those of this ladder; take the record out")


def _terms_of(header: RecordHeader, place: LegPlace) -> dict[str, str]:
    settings = msgspec.structs.asdict(header.settings)
    return {
        "unit": place.unit.value,
        "deals": place.deals.value,
        "practice": term_text(header.practice),
        **{f"match.{name}": term_text(value) for name, value in settings.items()},
        **{f"options.{name}": term_text(value) for name, value in header.options.items()},
    }
