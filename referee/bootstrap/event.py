"""The store of a referee, and the event that it goes on with or begins."""

import secrets

from referee.bootstrap.setup import SECRET_BYTES, RefereeSetup
from referee.ports import FactStore, Left, StoreError
from referee.rules.errors import ConfigError
from referee.store.memory import MemoryStore
from referee.store.records import RecordFolder
from referee.store.sqlite import SqliteStore


def open_event(setup: RefereeSetup) -> tuple[FactStore, Left, bytes]:
    """Open the store; return it, what was left in it, and the secret of the event.

    Raises `ConfigError` where the store cannot be had, or holds another event.
    """
    store = _open_store(setup)
    try:
        left = store.left()
        return store, left, _begin_event(setup, store, left)
    except BaseException as error:
        store.close()
        if isinstance(error, StoreError):
            raise ConfigError(f"store {setup.store}: {error}") from None
        raise


def _open_store(setup: RefereeSetup) -> FactStore:
    durability, records = setup.durability, None
    if setup.record_dir is not None:
        records = RecordFolder(setup.record_dir, durability=durability)
    if setup.store is None:
        return MemoryStore(records, keep=False)
    return SqliteStore(setup.store, durability=durability, records=records)


def _begin_event(setup: RefereeSetup, store: FactStore, left: Left) -> bytes:
    """Return the secret of the event, which is one that was left or begins here."""
    kept = left.event_secret
    if kept is not None and setup.event_secret in (None, kept):
        return kept
    if left.instances or left.started > left.over or left.matches:
        raise ConfigError(
            f"store {setup.store}: holds an event with other cards that is not over; start without "
            "a seed to go on with it, or choose another store"
        )
    secret = setup.event_secret or secrets.token_bytes(SECRET_BYTES)
    store.begin_event(secret, practice=setup.practice)
    return secret
