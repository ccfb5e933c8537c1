"""The folder of a ladder: its secret, what is played in it, and how long it was played."""

import contextlib
import hmac
import os
import re
import secrets
import shutil
from hashlib import sha256
from pathlib import Path

import msgspec

from referee.app.seeds import secret_of
from referee.bootstrap.ladder_plan import FACTS, JOURNAL, PLAYED, RECORDS, SECRET, LadderPlan
from referee.bootstrap.setup import SECRET_BYTES
from referee.match.values import Settings
from referee.rules.errors import ConfigError
from referee.rules.options import options_dict

TERMS, SOCKET = "terms.json", "socket"
TEMP_PREFIX = "tichu-"
_HEX = re.compile(r"[0-9a-f]{64}\n?")
_ENCODER = msgspec.json.Encoder(order="sorted")
_TERMS = msgspec.json.Decoder(dict[str, str])


class LadderFolder:
    """The folder of a ladder. It is the operator's alone, since the secret lies in it."""

    def __init__(self, plan: LadderPlan) -> None:
        """Make the folder if it is missing. Raises `ConfigError` where it cannot be used."""
        self._plan = plan
        self.path = plan.folder.absolute()
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"folder {self.path}: {error.strerror}") from None

    @property
    def records(self) -> Path:
        """Where records are."""
        return self.path / RECORDS

    @property
    def facts(self) -> Path:
        """The store of matches that run."""
        return self.path / FACTS

    @property
    def journal(self) -> Path:
        """The rulings."""
        return self.path / JOURNAL

    # --- the secret

    def secret(self) -> bytes:
        """Return the event secret, 32 bytes, which is drawn in the first run.

        A public text is mixed in, so that whoever drew the secret did not choose the cards.
        """
        plan = self._plan
        drawn = self._drawn() if plan.seed is None else secret_of(plan.seed)
        if not plan.public_salt:
            return drawn
        return hmac.new(drawn, b"public salt|" + plan.public_salt.encode(), sha256).digest()

    def _drawn(self) -> bytes:
        path = self.path / SECRET
        text = self._first(path, f"{secrets.token_bytes(SECRET_BYTES).hex()}\n")
        if not _HEX.fullmatch(text):
            raise ConfigError(f"{path}: not 64 hex digits; bring the file back as it was")
        return bytes.fromhex(text.strip())

    # --- what is played

    def check_terms(self, secret: bytes) -> None:
        """Refuse a ladder whose cards or matches are no longer those that it began with.

        Raises `ConfigError` that names what was changed.
        """
        terms = _terms(self._plan, secret)
        path = self.path / TERMS
        try:
            began = _TERMS.decode(self._first(path, f"{_ENCODER.encode(terms).decode()}\n"))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: {error}; bring the file back as it was") from None
        changed = [name for name in terms if began.get(name, terms[name]) != terms[name]]
        if changed:
            name = changed[0]
            was = "" if name == _CARDS else f" ({began[name]} before, {terms[name]} now)"
            raise ConfigError(
                f"{name}: changed since this ladder began{was}; its boards would not compare. "
                "Write what it was, or begin another ladder with another folder"
            )

    def _first(self, path: Path, text: str) -> str:
        """Return what is in a file; one that is not there gets this text, whole or not at all."""
        try:
            if not path.exists():
                draft = path.with_name(f".{path.name}.{os.getpid()}")
                _write_private(draft, text)
                try:
                    os.link(draft, path)
                except FileExistsError:  # another process was first
                    pass
                finally:
                    draft.unlink()
            return path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror}") from None

    # --- where the socket is

    def note_socket(self, folder: Path) -> None:
        """Note where the socket of this run is; remove the folder that a killed run left.

        Only by the run that owns the store: another one may still use its own.
        """
        path = self.path / SOCKET
        try:
            left = Path(path.read_text(encoding="utf-8").strip())
            if left.name.startswith(TEMP_PREFIX) and left.parent == folder.parent:
                shutil.rmtree(left, ignore_errors=True)
        except (OSError, UnicodeDecodeError):
            pass
        with contextlib.suppress(OSError):
            _write_private(path, f"{folder}\n", sync=False)

    def forget_socket(self) -> None:
        """This run takes its socket away itself."""
        with contextlib.suppress(OSError):
            (self.path / SOCKET).unlink(missing_ok=True)

    # --- how long it was played

    def played_ns(self) -> int:
        """Return how long all runs have played, as far as is known."""
        try:
            text = (self.path / PLAYED).read_text(encoding="ascii", errors="replace").strip()
        except OSError:
            return 0
        return int(text) if text.isdecimal() else 0

    def keep_played(self, played_ns: int) -> None:
        """Keep how long all runs have played. What is lost makes the ladder longer, no more."""
        path = self.path / PLAYED
        draft = path.with_name(f".{PLAYED}")
        try:
            _write_private(draft, f"{played_ns}\n", sync=False)
            draft.replace(path)
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror}") from None


_CARDS = "seed or public_salt"


def _terms(plan: LadderPlan, secret: bytes) -> dict[str, str]:
    """Return what makes boards of a ladder comparable, by the names that people know."""
    settings = plan.settings
    return {
        "name": plan.event,
        "unit": plan.unit.value,
        "deals": plan.deals.value,
        _CARDS: sha256(b"terms|" + secret).hexdigest(),
        **{
            f"match.{name}": _text(getattr(settings, name))
            for name in Settings.__struct_fields__
            if name != "rules"
        },
        **{
            f"options.{name}": _text(value)
            for name, value in options_dict(settings.rules, complete=True).items()
        },
    }


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _write_private(path: Path, text: str, *, sync: bool = True) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        if sync:
            os.fsync(out.fileno())
