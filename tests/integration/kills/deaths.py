"""How a referee process is made to die, and how its store is made to fail, from inside.

All of it is done to the classes of the process that is to die, by whoever forked it: the referee
itself knows nothing of it. A point that no longer exists stops the process at once.
"""

import enum
import os
import resource
import signal
import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ParamSpec, TypeVar

import msgspec

from referee.app.dispatcher import Dispatcher
from referee.ports import Batch, StoreError
from referee.store.forgetting import Forgetting
from referee.store.records import _Draft
from referee.store.sqlite import SqliteStore
from referee.transport.link import StreamLink

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Point(enum.StrEnum):
    """A place in the life of a process at which it dies."""

    BEFORE_LEFT = "before it reads what was left"
    AFTER_LEFT = "after it read what was left"
    BEFORE_APPEND = "before an append"
    AFTER_COMMIT = "after a commit, before anybody is told"
    WITHIN_APPEND = "inside a transaction"
    BEFORE_FLUSH = "before a flush"
    AFTER_FLUSH = "after a flush, before clocks start"
    BETWEEN_FRAMES = "between two frames"
    AFTER_WRITE = "after a frame left"
    BEFORE_SESSION = "before a session is kept"
    AFTER_SESSION = "after a session is kept, before its Welcome"
    BEFORE_RECORD = "between the last fact and the record"
    UNNAMED_RECORD = "before the record's file has its name"
    NAMED_RECORD = "before the draft of a record is removed"
    AFTER_RECORD = "after the record, before the match is let go"


_PLACES: Mapping[Point, tuple[type, str, bool]] = MappingProxyType(
    {
        Point.BEFORE_LEFT: (SqliteStore, "left", False),
        Point.AFTER_LEFT: (SqliteStore, "left", True),
        Point.BEFORE_APPEND: (SqliteStore, "append", False),
        Point.AFTER_COMMIT: (SqliteStore, "append", True),
        Point.WITHIN_APPEND: (Forgetting, "write", True),
        Point.BEFORE_FLUSH: (Dispatcher, "_flush", False),
        Point.AFTER_FLUSH: (Dispatcher, "_flush", True),
        Point.BETWEEN_FRAMES: (StreamLink, "send", True),
        Point.AFTER_WRITE: (StreamLink, "written", True),
        Point.BEFORE_SESSION: (SqliteStore, "keep_session", False),
        Point.AFTER_SESSION: (SqliteStore, "keep_session", True),
        Point.BEFORE_RECORD: (SqliteStore, "close_match", False),
        Point.UNNAMED_RECORD: (_Draft, "publish", False),
        Point.NAMED_RECORD: (_Draft, "publish", True),
        Point.AFTER_RECORD: (SqliteStore, "close_match", True),
    }
)
ONCE = frozenset((Point.BEFORE_LEFT, Point.AFTER_LEFT))  # in a process
RARE = frozenset(
    (Point.BEFORE_RECORD, Point.UNNAMED_RECORD, Point.NAMED_RECORD, Point.AFTER_RECORD)
)
SOME = frozenset((Point.BEFORE_SESSION, Point.AFTER_SESSION))  # one for each bot


class Death(msgspec.Struct, frozen=True, kw_only=True):
    """Die when a point is reached for the `count`-th time, from 1."""

    point: Point
    count: int


class OutageKind(enum.StrEnum):
    """Why the store takes nothing."""

    AWAY = "away"  # it says so at once
    FULL = "full"  # no file of the process can grow


class Outage(msgspec.Struct, frozen=True, kw_only=True):
    """The store takes nothing for `length_ms`, from its append number `first` on.

    With 0 that is the first append behind one that kept the end of a match: a new one may begin.
    """

    first: int
    length_ms: int
    kind: OutageKind


def die() -> None:
    """End this process as `kill -9` does."""
    os.kill(os.getpid(), signal.SIGKILL)


def arrange(death: Death) -> None:
    """Make this process die at a point."""
    owner, name, after = _PLACES[death.point]
    original = getattr(owner, name)
    left = death.count

    def watched(*args: object, **kwargs: object) -> object:
        nonlocal left
        left -= 1
        if left == 0 and not after:
            die()
        result: object = original(*args, **kwargs)
        if left == 0:
            die()
        return result

    setattr(owner, name, watched)


def arrange_outage(outage: Outage) -> None:
    """Make the store of this process fail for a while."""
    original = SqliteStore.append
    calls, until, first = 0, 0.0, outage.first

    def failing(self: SqliteStore, batches: Sequence[Batch]) -> None:
        nonlocal calls, until, first
        calls += 1
        if calls == first:
            until = time.monotonic() + outage.length_ms / 1000
            if outage.kind is OutageKind.FULL:
                _let_files_grow(to=self.path.with_name(f"{self.path.name}-wal").stat().st_size)
        elif until and time.monotonic() >= until:
            until = 0.0
            _let_files_grow(to=resource.RLIM_INFINITY)
        if until and outage.kind is OutageKind.AWAY:
            raise StoreError("the store does not answer")
        original(self, batches)
        if first == 0 and any(batch.last for batch in batches):
            first = calls + 1

    SqliteStore.append = failing  # type: ignore[method-assign]


def _let_files_grow(*, to: int) -> None:
    """Limit files to a size: a write beyond it fails, as on a disk that is full."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (to, hard))
