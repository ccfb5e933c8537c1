"""The store is away or full: the service pauses as a whole, and goes on where it stood.

From the first append that fails, match time stands still for every match. What bots send is still
read and stepped, at that frozen instant, and waits untold behind what failed; no match is told
anything, none starts, and nothing falls due. The store is tried again and again with all that
waits. Once it works, each match is told that it was blocked: running asks are put anew, uncharged.
Then all that waited is told, and time goes on.

After `store_away_ns` running matches end as STORE_FAILED. That is told though it cannot be kept:
what waited counts for nothing, and the ends are kept once the store is back. Until then the service
is not ready. A match that waits for its seats after a restart has lost nothing and waits on.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import structlog

from referee.match.inputs import Stalled
from referee.match.values import MS, Ending
from referee.ports import StoreError, StoreFenced

if TYPE_CHECKING:
    from referee.app.dispatcher import Dispatcher
    from referee.app.running import RunningMatch

_log = structlog.get_logger("referee.outage")


class Outage:
    """Whether facts can be kept, and what happens while they cannot."""

    def __init__(self, desk: "Dispatcher") -> None:
        self.away = False  # nothing can be kept
        self.paused = False  # and matches wait for it
        self.count = 0  # of outages, to tell them apart
        self.on_away: list[Callable[[], None]] = []
        self.on_back: list[Callable[[int], None]] = []  # called with its length, nanoseconds
        self._desk = desk
        self._began = 0
        self._stalled_until = 0  # matches were told of the pause up to here
        self._alarm = desk.timers.alarm(self._retry)

    def begin(self, error: str, now: int) -> None:
        """An append failed that was begun at `now`. What it held waits in the dispatcher."""
        if self.away:
            return
        self.away = self.paused = True
        self.count += 1
        self._began = self._stalled_until = now
        matches = self._running()
        for match in matches:
            match.halt(now)
        _log.error("the store is away", error=error, matches=len(matches))
        for callback in self.on_away:
            callback()
        self._wait(self._desk.clock.now())

    def stop(self) -> None:
        """Try no more; what is not kept by now never is."""
        self.away = self.paused = True
        self._alarm.drop()

    def give_up(self, ending: Ending) -> None:
        """End every running match, and tell its seats though it cannot be kept."""
        self.paused = False
        self._desk.end_untold(self._running(), ending)

    def try_now(self) -> None:
        """Try the store at once, as long as it takes what is owed."""
        self._desk.finish()
        while self.away and not self._desk.fenced and self._try():
            if not self._desk.keeping.owes:
                self._back()

    # --- trying

    def _running(self) -> list["RunningMatch"]:
        return [match for match in self._desk.matches.values() if not match.waiting]

    def _wait(self, now: int) -> None:
        limits = self._desk.limits
        when = now + limits.store_retry_ns
        if self.paused:
            when = min(when, self._began + limits.store_away_ns)
        self._alarm.set(when)

    def _retry(self) -> None:
        desk = self._desk
        self._wait(desk.clock.now())  # whatever comes
        desk.finish()
        kept = self._try()
        now = desk.clock.now()
        if desk.fenced:
            return
        if kept and not desk.keeping.owes:
            self._back()
        elif kept:
            self._alarm.set(now + MS)
        else:
            if self.paused and now - self._began >= desk.limits.store_away_ns:
                _log.error("the store was away for too long", matches=len(self._running()))
                self.give_up(Ending.STORE_FAILED)
            self._wait(now)

    def _try(self) -> bool:
        """Keep all that waits; True if the store is back."""
        desk = self._desk
        try:
            desk.keep_touched()
            if self.paused:
                self._stall()
                desk.keep_touched()
            while desk.keeping.owes:
                desk.keeping.keep_owed()
                if not self.paused:
                    break  # one at a time: no match runs, but streams want to be read
        except StoreFenced as error:
            desk.fence(str(error))
            return False
        except StoreError:
            return False
        return True

    def _stall(self) -> None:
        """Have running asks put anew, at the frozen instant."""
        now = self._desk.clock.now()
        blocked, self._stalled_until = now - self._stalled_until, now
        if blocked > 0:
            for match in self._running():
                if match.final is None:
                    self._desk.step(match, Stalled(blocked_ns=blocked), self._began)

    def _back(self) -> None:
        desk, now = self._desk, self._desk.clock.now()
        length, was_paused = now - self._began, self.paused
        desk.meter.store_away(length)
        self.away = self.paused = False
        self._alarm.set(None)
        if was_paused:
            for match in self._running():
                match.go_on(now)
        _log.warning("the store is back", away_ms=length // MS)
        for callback in self.on_back:
            callback(length)
        desk.begin()
        desk.finish()


class Doubt:
    """Whether the store would keep a token where no match has asked it to keep anything.

    One that refused a newcomer is asked again until it takes something: till then the service is
    not ready, though no match pauses.
    """

    def __init__(
        self,
        desk: "Dispatcher",
        *,
        probe: Callable[[], None],
        changed: Callable[[], None],
    ) -> None:
        """`probe` has the store keep something that it holds, and raises what that raises."""
        self.on = False
        self._desk = desk
        self._probe = probe
        self._changed = changed
        self._alarm = desk.timers.alarm(self._ask)

    def begin(self, error: str) -> None:
        """The store refused something."""
        if not self.on and not self._desk.outage.away:
            self.on = True
            _log.error("the store keeps no session", error=error)
            self._changed()
            self._wait()

    def _wait(self) -> None:
        self._alarm.set(self._desk.clock.now() + self._desk.limits.store_retry_ns)

    def _ask(self) -> None:
        try:
            self._probe()
        except StoreFenced as error:
            self._desk.fence(str(error))
        except StoreError:
            self._wait()
        else:
            self.on = False
            _log.warning("the store keeps sessions again")
            self._changed()
