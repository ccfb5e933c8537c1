"""The rulings of a ladder as a file beside its records: appended to, never changed.

One canonical JSON line a ruling, with `chain` = SHA-256(chain of the line before || the line
without its chain), as hex; nothing stands before the first. A line is written in one piece, so that
a killed process leaves a whole one or none.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from referee.ladder.values import Ruling, RulingKind
from referee.rules.errors import ConfigError

_ENCODER = msgspec.json.Encoder(order="sorted")
_OBJECT = msgspec.json.Decoder(dict[str, object])


class RulingJournal:
    """The rulings of one event. Several processes may read and append at once."""

    def __init__(self, path: Path, event: str) -> None:
        """Nothing is opened or made before it is needed."""
        self._path = path
        self._event = event
        self._seen: tuple[int, int] | None = None  # size and time of what was read last
        self._rulings: tuple[Ruling, ...] = ()

    def rulings(self) -> tuple[Ruling, ...]:
        """Return all rulings in order; none where there is no file.

        Raises `ConfigError` naming file and line for one that was changed, or belongs elsewhere.
        """
        try:
            found = self._path.stat()
            if (found.st_size, found.st_mtime_ns) != self._seen:
                self._rulings = self._parsed(self._path.read_bytes())[0]
                self._seen = (found.st_size, found.st_mtime_ns)
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise ConfigError(f"{self._path}: {error.strerror}") from None
        return self._rulings

    def append(self, kind: RulingKind, subject: str, reason: str, *, version: str = "") -> Ruling:
        """Add a ruling of now, and return it with its number. Durable on return.

        Raises `ConfigError` where it cannot be written, or what is there cannot be read.
        """
        try:
            with self._locked() as file:
                return self._append(file, kind, subject, reason, version)
        except OSError as error:
            raise ConfigError(f"{self._path}: {error.strerror}") from None

    @contextmanager
    def _locked(self) -> Iterator[int]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)

    def _append(
        self, file: int, kind: RulingKind, subject: str, reason: str, version: str
    ) -> Ruling:
        data = os.pread(file, os.fstat(file).st_size, 0)
        rulings, chain = self._parsed(data)
        ruling = Ruling(
            number=len(rulings) + 1,
            event=self._event,
            kind=kind,
            subject=subject,
            reason=reason,
            at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            version=version,
        )
        os.pwrite(file, _line_of(ruling, chain), len(data))
        os.fsync(file)
        return ruling

    def _parsed(self, data: bytes) -> tuple[tuple[Ruling, ...], bytes]:
        """Return the rulings, and the chain up to here."""
        rulings: list[Ruling] = []
        chain = b""
        *lines, rest = data.split(b"\n")
        if rest:
            raise ConfigError(
                f"{self._path}:{len(lines) + 1}: this line is cut short; where a loss of power "
                "left it delete it, else bring the whole file back"
            )
        for number, line in enumerate(lines, 1):
            try:
                ruling, chain = _read(line, chain)
            except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
                raise ConfigError(f"{self._path}:{number}: no ruling: {error}") from None
            if ruling.event != self._event or ruling.number != number:
                raise ConfigError(
                    f"{self._path}:{number}: this is ruling {ruling.number} of {ruling.event!r}, "
                    f"not {number} of {self._event!r}"
                )
            rulings.append(ruling)
        return tuple(rulings), chain


def _line_of(ruling: Ruling, chain: bytes) -> bytes:
    fields = msgspec.to_builtins(ruling)
    chain = hashlib.sha256(chain + _ENCODER.encode(fields)).digest()
    return _ENCODER.encode({**fields, "chain": chain.hex()}) + b"\n"


def _read(line: bytes, chain: bytes) -> tuple[Ruling, bytes]:
    """Return the ruling of a line, and the chain after it. Raises `ValueError`."""
    fields = _OBJECT.decode(line)
    said = fields.pop("chain", None)
    ruling = msgspec.convert(fields, Ruling)
    if _line_of(ruling, chain) != line + b"\n":
        raise ValueError("the chain is broken; this line or one before it was changed")
    return ruling, bytes.fromhex(str(said))
