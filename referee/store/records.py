"""Records as files: `<match>.jsonl.part` while a match runs, `<match>.jsonl` once it is over.

What a pass produced goes to the system in one write a match: it survives the end of this process
by any signal, not a loss of power. Files are for the operator alone (mode 0600).
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from referee.formats.records import chain_next, chain_start, header_line, trailer_line
from referee.match.values import MatchConfig
from referee.ports import Batch, MatchHeader, StoreError
from referee.rules.errors import ConfigError, RefereeBug

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MOST_NAMESAKES = 10_000


class _OpenRecord(msgspec.Struct, kw_only=True):
    file: int  # descriptor, in append mode
    part: Path
    path: Path
    chain: bytes
    facts: int


class RecordStore:
    """A `FactStore` of one file a match in a folder, which is made if it is missing."""

    def __init__(self, folder: Path) -> None:
        """Raise `ConfigError` when the folder cannot be written."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"record folder {folder}: {error.strerror}") from None
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ConfigError(f"record folder {folder}: not writable; choose another")
        self._folder = folder
        self._open: dict[str, _OpenRecord] = {}

    def open_match(self, config: MatchConfig, header: MatchHeader) -> str:
        """Begin a record; an older one of the same name stays, the new one gets a number."""
        if not _NAME.fullmatch(config.match_id):
            raise StoreError(f"{config.match_id!r} cannot be the name of a file")
        line = header_line(config, practice=header.practice, isolation=header.isolation)
        record = self._create(config.match_id, chain_start(line))
        self._open[config.match_id] = record
        _write(record, line + b"\n")
        return str(record.path)

    def _create(self, name: str, chain: bytes) -> _OpenRecord:
        for number in range(1, _MOST_NAMESAKES):
            stem = name if number == 1 else f"{name}-{number}"
            path, part = self._folder / f"{stem}.jsonl", self._folder / f"{stem}.jsonl.part"
            if path.exists():
                continue
            try:
                file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
            except FileExistsError:
                continue
            except OSError as error:
                raise StoreError(f"{part}: {error.strerror}") from error
            return _OpenRecord(file=file, part=part, path=path, chain=chain, facts=0)
        raise StoreError(f"{self._folder}: too many records named {name}")

    def append(self, batches: Sequence[Batch]) -> None:
        """Write the facts of a pass: one write a match."""
        for batch in batches:
            record = self._open[batch.match_id]
            if batch.first_seq != record.facts:
                raise RefereeBug(f"fact {batch.first_seq} after {record.facts} of them")
            _write(record, b"\n".join(batch.lines) + b"\n")
            for line in batch.lines:
                record.chain = chain_next(record.chain, line)
            record.facts += len(batch.lines)

    def close_match(self, match_id: str) -> None:
        """Write the trailer; the file gets its final name, complete or not at all."""
        record = self._open.pop(match_id)
        try:
            _write(record, trailer_line(record.facts, record.chain) + b"\n")
            os.rename(record.part, record.path)
        except OSError as error:
            raise StoreError(f"{record.path}: {error.strerror}") from error
        finally:
            os.close(record.file)

    def close(self) -> None:
        """Let go of files whose matches did not end; they keep the name of a part."""
        for record in self._open.values():
            os.close(record.file)
        self._open.clear()


def _write(record: _OpenRecord, data: bytes) -> None:
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(record.file, view) :]
    except OSError as error:
        raise StoreError(f"{record.part}: {error.strerror}") from error
