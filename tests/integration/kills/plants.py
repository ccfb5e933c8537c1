"""Mistakes that a referee could make about what is durable, planted into a process by its nursery.

What judges a campaign must find every one of them.
"""

import asyncio
import enum
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import msgspec

from referee.app.running import RunningMatch
from referee.ports import Batch, StoredSession
from referee.store.sqlite import SqliteStore

_LATE_S = 0.002  # that facts are stored after they were told
_LOST_NS = 30_000_000_000  # that a match is too old after a restart


class Plant(enum.StrEnum):
    """A mistake, in the words of what goes wrong."""

    TOLD_FIRST = "told before it is stored"
    TWICE = "a fact is stored twice"
    SAME_EPOCH = "the epoch is not raised"
    ANSWERS_LOST = "the last transaction of a match is lost with the process"
    SESSIONS_LOST = "sessions are not kept"
    TIME_GOES_ON = "the time between two processes counts"


def plant(what: Plant, store: Path) -> None:
    """Make this process err. `store` is its file, which may not be there yet."""
    match what:
        case Plant.TOLD_FIRST:
            _append_later()
        case Plant.TWICE:
            _append_twice()
        case Plant.SAME_EPOCH:
            SqliteStore.epoch = property(lambda self: 1)  # type: ignore[assignment]
        case Plant.ANSWERS_LOST:
            _lose_the_last(store)
        case Plant.SESSIONS_LOST:
            SqliteStore.keep_session = _keep_nothing  # type: ignore[method-assign]
        case Plant.TIME_GOES_ON:
            _add_time(store)


def _append_later() -> None:
    """Keep what a pass produced some time after it was told."""
    append, close_match, let_go = SqliteStore.append, SqliteStore.close_match, SqliteStore.let_go
    waiting: list[Batch] = []

    def catch_up(self: SqliteStore) -> None:
        late = list(waiting)
        waiting.clear()
        for batch in late:
            append(self, [batch])

    def later(self: SqliteStore, batches: Sequence[Batch]) -> None:
        waiting.extend(batches)
        asyncio.get_running_loop().call_later(_LATE_S, catch_up, self)

    def close_after(self: SqliteStore, match_id: str) -> str | None:
        catch_up(self)
        return close_match(self, match_id)

    def let_go_after(self: SqliteStore, match_id: str) -> None:
        catch_up(self)
        let_go(self, match_id)

    SqliteStore.append = later  # type: ignore[method-assign]
    SqliteStore.close_match = close_after  # type: ignore[method-assign]
    SqliteStore.let_go = let_go_after  # type: ignore[method-assign]


def _append_twice() -> None:
    """Keep the first line of some batch of every match a second time."""
    append = SqliteStore.append
    calls: defaultdict[str, int] = defaultdict(int)
    extra: defaultdict[str, int] = defaultdict(int)

    def twice(self: SqliteStore, batches: Sequence[Batch]) -> None:
        changed = []
        for batch in batches:
            calls[batch.match_id] += 1
            lines = list(batch.lines)
            seq = batch.first_seq + extra[batch.match_id]
            if calls[batch.match_id] == 20:
                lines.insert(0, lines[0])
                extra[batch.match_id] += 1
            changed.append(msgspec.structs.replace(batch, first_seq=seq, lines=lines))
        append(self, changed)

    SqliteStore.append = twice  # type: ignore[method-assign]


def _keep_nothing(self: SqliteStore, session: StoredSession) -> None:
    """Keep no session."""


def _lose_the_last(store: Path) -> None:
    """Take the newest row of every match away, as a disk that lied about its sync."""
    if not store.exists():
        return
    with sqlite3.connect(store) as db:
        db.execute(
            "DELETE FROM facts WHERE first_seq > 0 AND id IN "
            "(SELECT max(id) FROM facts GROUP BY match)"
        )
    db.close()


def _add_time(store: Path) -> None:
    """Let matches of earlier processes be older than they are."""
    if not store.exists():
        return
    original = RunningMatch.match_time

    def older(self: RunningMatch, clock_ns: int) -> int:
        return original(self, clock_ns) + _LOST_NS

    RunningMatch.match_time = older  # type: ignore[method-assign]
