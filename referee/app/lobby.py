"""The lobby: seats waiting instances, a table at a time, in the order of their Hello."""

from collections.abc import Callable, Sequence

import structlog

from referee.app.session import Session
from referee.ports import StoreError

_log = structlog.get_logger("referee.lobby")


class Lobby:
    """Sessions that would take a match. After a match they wait again behind the others."""

    def __init__(
        self,
        *,
        seats: int,
        may_share: bool,
        start: Callable[[Sequence[Session]], None],
        matches: int | None = None,
        parallel: int = 1,
    ) -> None:
        """Seat `seats` sessions at a time with `start`, at most `matches` times.

        Where `start` raises `StoreError` all wait on, until `seat_all` or until somebody joins.

        A session is in at most `parallel` matches at once, and in no more than its Hello says.

        With `may_share` one session may get several seats of a match; else partners would share
        their hands (PROTOCOL 1).
        """
        self._seats = seats
        self._may_share = may_share
        self._start = start
        self._left = matches
        self._parallel = parallel
        self._waiting: list[Session] = []
        self._refused = False  # the last match could not start

    def join(self, session: Session) -> None:
        """Wait for a seat; harmless when the session waits already or takes no more matches."""
        came = session not in self._waiting and self._takes(session)
        if came:
            self._waiting.append(session)
        self.seat_all()
        if came and session in self._waiting and self._left != 0 and (missing := self._missing()):
            _log.info("waiting", instance=session.instance.id, name=session.name, missing=missing)

    def leave(self, session: Session) -> None:
        """Wait no more."""
        if session in self._waiting:
            self._waiting.remove(session)

    def seat_all(self) -> None:
        """Seat all who can be."""
        while self._left is None or self._left > 0:
            table = self._next_table()
            if table is None:
                return
            try:
                self._start(table)
            except StoreError as error:
                if not self._refused:
                    self._refused = True
                    _log.warning("no match can start", error=str(error))
                return
            self._refused = False
            if self._left is not None:
                self._left -= 1
            for session in table:
                self.leave(session)
            self._waiting += [s for s in dict.fromkeys(table) if self._takes(s)]

    def _takes(self, session: Session) -> bool:
        """True if the session would be in one more match."""
        return session.link is not None and session.free > 0 and session.matches < self._parallel

    def _missing(self) -> int:
        """Seats of the next table that nobody waits for."""
        waiting = (s.free if self._may_share else 1 for s in self._waiting)
        return max(0, self._seats - sum(waiting))

    def _next_table(self) -> list[Session] | None:
        table: list[Session] = []
        while len(table) < self._seats:
            takers = [s for s in self._waiting if s.free > table.count(s)]
            table += takers[: self._seats - len(table)]
            if not takers or (len(table) < self._seats and not self._may_share):
                return None
        return table
