"""How a store forgets matches that were let go: late, and a little at a time.

A match that is forgotten loses its row at once; its facts are dead then, and are removed from the
oldest on once there are more dead ones than live. By then whole pages are dead, and removing a row
costs next to nothing; a row taken out of the middle of live ones would cost a page.
"""

import contextlib
import sqlite3
from collections.abc import Callable

from referee.ports import StoreError
from referee.store.reading import KeptMatch

FORGET_S = 5.0  # a bot that was sent the end may not have read it when the process dies
_SWEEP_ROWS = 256  # looked at in one transaction: some 0.1 ms
_LEAST_DEAD = 4_096

_SWEEP = """
DELETE FROM facts WHERE id >= ? AND id < ? AND match NOT IN (SELECT id FROM matches)
"""


class Forgetting:
    """Matches on their way out. What a failed transaction was to forget stays here."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._going: list[tuple[float, KeptMatch]] = []  # when they go; the first to go first
        self._now: list[KeptMatch] = []  # go with the next transaction
        self._removed = 0  # rows, in this transaction
        self._live = self._dead = 0
        self._swept = 0  # by this transaction
        self._at, self._end = 0, 0  # of the sweep that is under way; none where they are equal

    def added(self, rows: int) -> None:
        """Count rows of facts that were kept."""
        self._live += rows

    def add(self, match: KeptMatch) -> None:
        """Forget a match in some seconds."""
        self._going.append((self._now_s() + FORGET_S, match))

    def clear(self) -> None:
        """Everything was forgotten."""
        self._going.clear()
        self._now.clear()
        self._live = self._dead = self._at = self._end = 0

    def hurry(self, match: KeptMatch) -> None:
        """Forget a match with the next transaction: its name is wanted again."""
        self._going = [one for one in self._going if one[1] is not match]
        self._now.append(match)

    def prepare(
        self, close: Callable[[KeptMatch], None], next_row: int, *, all_now: bool = False
    ) -> None:
        """Decide what goes with the next transaction.

        `close` writes a record that could not be written so far; where it cannot even now, the
        match stays. `next_row` is the end of the table.
        """
        now = self._now_s()
        late: list[tuple[float, KeptMatch]] = []
        while self._going and (all_now or self._going[0][0] <= now):
            _, match = self._going.pop(0)
            if match.over:
                with contextlib.suppress(StoreError):
                    close(match)
            if match.over and not match.closed:
                late.append((now + FORGET_S, match))
            else:
                self._now.append(match)
        self._going += late
        if self._at == self._end and self._dead > max(_LEAST_DEAD, self._live):
            self._at, self._end = 0, next_row

    def write(self, db: sqlite3.Connection) -> None:
        """Forget what is due, and remove some dead rows."""
        if self._now:
            numbers = [(match.number,) for match in self._now]
            db.executemany("DELETE FROM matches WHERE id = ?", numbers)
        self._removed = 0
        if self._at < self._end:
            first = db.execute("SELECT min(id) FROM facts WHERE id >= ?", (self._at,)).fetchone()[0]
            self._swept = (self._end if first is None else first) + _SWEEP_ROWS
            self._removed = db.execute(_SWEEP, (self._at, self._swept)).rowcount

    def wrote(self) -> list[KeptMatch]:
        """The transaction is through; return the matches that are forgotten."""
        if self._at < self._end:
            self._at = min(self._swept, self._end)
            self._dead -= self._removed
        gone, self._now = self._now, []
        rows = sum(len(match.rows) for match in gone)
        self._live -= rows
        self._dead += rows
        return gone
