"""The folder of a ladder: its secret, what is played in it, and how long it was played."""

import contextlib
import hmac
import os
import re
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from referee.app.seeds import EventSeeds, secret_of
from referee.bootstrap.ladder_advice import place_of
from referee.bootstrap.ladder_plan import FACTS, JOURNAL, PLAYED, RECORDS, SECRET, LadderPlan
from referee.bootstrap.setup import SECRET_BYTES
from referee.config.ladder_terms import written_terms
from referee.ladder.values import LegPlace
from referee.match.values import Settings
from referee.ports.ladder import StoredEntry
from referee.rules.errors import ConfigError
from referee.rules.options import options_dict

TERMS, SOCKET, IDENTITY = "terms.json", "socket", "identity"
ENTRIES = "entries.json"
TEMP_PREFIX = "tichu-"
_HEX = re.compile(r"[0-9a-f]{64}\n?")
_IDENTITY = re.compile(r"[0-9a-f]{32}\n?")
_ENCODER = msgspec.json.Encoder(order="sorted")
_ENTRIES = msgspec.json.Decoder(tuple[StoredEntry, ...])
_TERMS = msgspec.json.Decoder(dict[str, str])


class MatchTerms(NamedTuple):
    """What every match of a ladder has in common, as `terms.json` names it.

    `match_name` says how a leg is named with the cards of the ladder; None: they are not known.
    """

    values: Mapping[str, str]
    match_name: Callable[[LegPlace], str] | None


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

    # --- which ladder it is

    def identity(self) -> str:
        """Return what tells this ladder from others of its name; it is drawn in the first run."""
        text = self._first(self.path / IDENTITY, f"{secrets.token_hex(16)}\n")
        return _identity(self.path / IDENTITY, text)

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
        _refuse_changed(self._plan, began={**terms, **began}, now=terms)

    def match_terms(self) -> MatchTerms:
        """Return what all records of this ladder say. Nothing is drawn or made.

        Raises `ConfigError` where the plan is not what the ladder began with.
        """
        if self._plan.seed is None and not (self.path / SECRET).exists():
            return MatchTerms(_match_terms(self._plan), None)
        secret = self.secret()
        if (self.path / TERMS).exists():
            self.check_terms(secret)
        return MatchTerms(_match_terms(self._plan), EventSeeds(secret).match_name)

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

    # --- who played, and who was to

    def entries(self) -> tuple[StoredEntry, ...]:
        """Return all entries that this ladder ever had, with the marks that no record has."""
        path = self.path / ENTRIES
        try:
            return _ENTRIES.decode(path.read_bytes())
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror}") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: {error}; bring the file back as it was") from None

    def keep_entries(self, entries: Sequence[StoredEntry]) -> None:
        """Keep all entries, as they stand in the database."""
        self._replace(ENTRIES, f"{_ENCODER.encode(entries).decode()}\n")

    def _replace(self, name: str, text: str, *, sync: bool = True) -> None:
        path = self.path / name
        draft = path.with_name(f".{name}")
        try:
            _write_private(draft, text, sync=sync)
            draft.replace(path)
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
        self._replace(PLAYED, f"{played_ns}\n", sync=False)


def identity_of(folder: Path) -> str | None:
    """Return the identity of a ladder's folder; None where it has none yet. Nothing is made."""
    path = folder / IDENTITY
    try:
        return _identity(path, path.read_text(encoding="utf-8", errors="replace"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None


def _identity(path: Path, text: str) -> str:
    if not _IDENTITY.fullmatch(text):
        raise ConfigError(f"{path}: not 32 hex digits; bring the file back as it was")
    return text.strip()


CARDS = "seed or public_salt"
_ROUNDS = "options.rounds"


def _terms(plan: LadderPlan, secret: bytes) -> dict[str, str]:
    """Return what makes boards of a ladder comparable, by the names that people know."""
    return {
        "name": plan.event,
        CARDS: sha256(b"terms|" + secret).hexdigest(),
        **_match_terms(plan),
    }


def _match_terms(plan: LadderPlan) -> dict[str, str]:
    """Return those that stand in the record of every match too."""
    settings = plan.settings
    return {
        "unit": plan.unit.value,
        "deals": plan.deals.value,
        **{
            f"match.{name}": term_text(getattr(settings, name))
            for name in Settings.__struct_fields__
            if name != "rules"
        },
        **{
            f"options.{name}": term_text(value)
            for name, value in options_dict(settings.rules, complete=True).items()
        },
        "practice": term_text(plan.practice),
    }


def _refuse_changed(plan: LadderPlan, *, began: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Raise `ConfigError` for the first term that changed, as the ladder's file writes it."""
    was, kind = _written(plan, began), "ladder" if plan.tournament is None else "tournament"
    for key, value in _written(plan, now).items():
        if was[key] == value:
            continue
        section, _, name = key.rpartition(".")
        at = _place_of_term(plan, key)
        if key == CARDS:
            said, cure = "", "Write what it was"
        else:
            said = f" ({was[key] or 'left out'} before, {value or 'left out'} now)"
            cure = f"Write {name} = {was[key]}" if was[key] else f"Leave {name} out"
            cure += f" in [{section}]" if section else ""
        raise ConfigError(
            f"{at}{key}: changed since this {kind} began{said}; its boards would not compare. "
            f"{cure}, or begin another {kind} with another folder"
        )


def _written(plan: LadderPlan, terms: Mapping[str, str]) -> dict[str, str]:
    """Return terms as the file has them: in that of a tournament `deals` are the rounds."""
    found = written_terms(terms)
    if plan.tournament is None:
        return found
    return {
        "deals" if key == _ROUNDS else key: text
        for key, text in found.items()
        if key not in ("unit", "deals")
    }


def _place_of_term(plan: LadderPlan, key: str) -> str:
    if key != CARDS:
        return place_of(plan, *key.split("."))
    return place_of(plan, "seed" if plan.seed is not None else "public_salt")


def term_text(value: object) -> str:
    """Return a value of a setting or an option as terms have it."""
    return msgspec.json.encode(value).decode()


def _write_private(path: Path, text: str, *, sync: bool = True) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        if sync:
            os.fsync(out.fileno())
