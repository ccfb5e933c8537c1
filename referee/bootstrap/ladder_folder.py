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
from referee.bootstrap.ladder_plan import (
    FACTS,
    FINAL_PLAYED,
    JOURNAL,
    PLAYED,
    RECORDS,
    SECRET,
    LadderPlan,
)
from referee.bootstrap.ladder_terms import (
    CARDS,
    PRACTICE,
    cards_term,
    match_terms_of,
    refuse_changed,
    term_text,
    terms_of,
)
from referee.bootstrap.setup import SECRET_BYTES
from referee.ladder.values import LegPlace
from referee.ports.ladder import StoredEntry
from referee.rules.errors import ConfigError

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
        self._has_begun = False
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

    def has_begun(self) -> None:
        """Take it from elsewhere that there are results: no secret is drawn any more."""
        self._has_begun = True

    def secret(self) -> bytes:
        """Return the event secret, 32 bytes, which is drawn in the first run.

        A public text is mixed in, so that whoever drew the secret did not choose the cards.
        """
        salt, plain = self._plan.public_salt, self._without_salt()
        if not salt:
            return plain
        return hmac.new(plain, b"public salt|" + salt.encode(), sha256).digest()

    def _without_salt(self) -> bytes:
        seed = self._plan.seed
        return self._drawn() if seed is None else secret_of(seed)

    def _drawn(self) -> bytes:
        path = self.path / SECRET
        if not path.exists():  # a ruling before the first run makes an identity, and no secret
            self._refuse_lost_secret(path)
        text = self._first(path, f"{secrets.token_bytes(SECRET_BYTES).hex()}\n")
        if not _HEX.fullmatch(text):
            raise ConfigError(f"{path}: not 64 hex digits; bring the file back as it was")
        return bytes.fromhex(text.strip())

    def _refuse_lost_secret(self, path: Path) -> None:
        """Refuse to draw another secret once it has begun: cards, and lots, would be others."""
        if self._began().get(PRACTICE) == term_text(value=True):
            return  # a person chose the cards then; that the seed is gone is said of the terms
        if self._has_begun or (self.path / TERMS).exists() or any(self.records.glob("*.jsonl")):
            kind = self._plan.kind
            raise ConfigError(
                f"{path}: the event secret is gone, and this {kind} has begun with it; bring the "
                f"file back as it was, or begin another {kind} with another folder"
            )

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
        terms = terms_of(self._plan, secret)
        self._first(self.path / TERMS, f"{_ENCODER.encode(terms).decode()}\n")
        self._refuse_changed(terms)

    def check_known_terms(self) -> None:
        """Refuse as `check_terms` does, as far as it can be told here. Nothing is drawn or made.

        Without the secret nothing is known of the cards.
        """
        if self._plan.seed is not None or (self.path / SECRET).exists():
            self._refuse_changed(terms_of(self._plan, self.secret()))
        else:
            terms = terms_of(self._plan, b"")
            del terms[CARDS]
            self._refuse_changed(terms)

    def _refuse_changed(self, terms: Mapping[str, str]) -> None:
        began = {key: text for key, text in self._began().items() if key in terms}
        self._refuse_added_salt(began)
        refuse_changed(self._plan, began={**terms, **began}, now=terms)

    def _refuse_added_salt(self, began: Mapping[str, str]) -> None:
        """Refuse a public text where the cards were those of the secret alone."""
        plan, kind = self._plan, self._plan.kind
        cards = began.get(CARDS)
        if plan.public_salt and cards and cards == cards_term(self._without_salt()):
            raise ConfigError(
                f"{place_of(plan, 'public_salt')}public_salt: added since this {kind} began, and "
                f"the cards would be others. Leave public_salt out, or begin another {kind} with "
                "another folder"
            )

    def _began(self) -> dict[str, str]:
        """Return the terms with which it began; {} before that."""
        path = self.path / TERMS
        try:
            return _TERMS.decode(path.read_bytes())
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror}") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: {error}; bring the file back as it was") from None

    def match_terms(self) -> MatchTerms:
        """Return what all records of this ladder say. Nothing is drawn or made.

        Raises `ConfigError` where the plan is not what the ladder began with.
        """
        if self._plan.seed is None and not (self.path / SECRET).exists():
            return MatchTerms(match_terms_of(self._plan), None)
        secret = self.secret()
        if (self.path / TERMS).exists():
            self.check_terms(secret)
        return MatchTerms(match_terms_of(self._plan), EventSeeds(secret).match_name)

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
        return self._duration_ns(PLAYED)

    def final_ns(self) -> int:
        """Return how much of that was the final's, as far as is known."""
        return self._duration_ns(FINAL_PLAYED)

    def _duration_ns(self, name: str) -> int:
        try:
            text = (self.path / name).read_text(encoding="ascii", errors="replace").strip()
        except OSError:
            return 0
        return int(text) if text.isdecimal() else 0

    def keep_played(self, played_ns: int) -> None:
        """Keep how long all runs have played. What is lost makes the ladder longer, no more."""
        self._replace(PLAYED, f"{played_ns}\n", sync=False)

    def keep_final(self, final_ns: int) -> None:
        """Keep how long the final was played. What is lost makes it longer, no more."""
        self._replace(FINAL_PLAYED, f"{final_ns}\n", sync=False)


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


def _write_private(path: Path, text: str, *, sync: bool = True) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        if sync:
            os.fsync(out.fileno())
