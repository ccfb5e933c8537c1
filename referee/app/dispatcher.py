"""One dispatcher for all matches of the process; no task a match.

Work comes in passes. A pass begins with the first input of a turn of the loop and ends when all
that is ready has been read. During it, machines step. At its end, in this order: all facts of all
touched matches go to the store, in one call; only then are the seats told; then frames go out, and
the clocks of the asks in them start. A pass has one stamp for all frames that it read. Faults that
came up in it, and what fell due, go into a match together and last: what happens at one instant is
one step. After the loop was blocked for long the pass goes on until all that waited is read; what
came only then has its own stamp. While the store is away (`Outage`) a pass ends after its steps.
"""

from collections.abc import Callable, Sequence

import structlog

from referee.app.delivery import deliver, log_end, tell_end
from referee.app.failures import Failures
from referee.app.keeping import Keeping
from referee.app.limits import Limits
from referee.app.outage import Outage
from referee.app.running import Reported, RunningMatch
from referee.app.session import Session
from referee.app.timers import Timers
from referee.match.facts import MatchEnded
from referee.match.inputs import Deal, Fault, Faults, Handed, Input, Stalled, Tick
from referee.match.step import Step
from referee.match.values import MS, Blame, Ending
from referee.ports import Clock, Codec, FactStore, Meter, SeedSource, StoreError, StoreFenced
from referee.rules.seat import Seat

_log = structlog.get_logger("referee.dispatcher")
_LONG_BLOCK_NS = 20 * MS  # after which a pass waits for the frames that waited


class Dispatcher:
    """Runs matches and tells sessions. Not for threads: everything happens in one loop."""

    def __init__(
        self,
        *,
        clock: Clock,
        store: FactStore,
        seeds: SeedSource,
        codec: Codec,
        meter: Meter,
        limits: Limits,
    ) -> None:
        self.clock = clock
        self.codec = codec
        self.meter = meter
        self.limits = limits
        self.timers = Timers(clock)
        self.matches: dict[str, RunningMatch] = {}
        self.on_overflow: Callable[[Session], None] = lambda session: None
        self.on_fenced: Callable[[str], None] = lambda text: None
        self.fenced = False  # another process has the store: nobody is told anything any more
        retry_ns = limits.store_retry_ns
        self.keeping = Keeping(store, clock, self.timers, meter, retry_ns=retry_ns)
        self.keeping.on_fenced = self.fence
        self.outage = Outage(self)
        self._failures = Failures(self.keeping, self._took)
        self._seeds = seeds
        self._pending: list[RunningMatch] = []  # have faults, or something due
        self._touched: list[RunningMatch] = []
        self._flushing: dict[Session, None] = {}
        self._handing: list[RunningMatch] = []
        self._overflows: list[Session] = []
        self._in_pass = False
        self._stamp = 0
        self._held = False  # the pass goes on until the frames that waited are read

    # --- matches

    def add(self, match: RunningMatch) -> None:
        """Start a match whose seats are held."""
        self.take(match)
        self.step(match, Tick(), self.begin())

    def take(self, match: RunningMatch) -> None:
        """Take in a match that goes on later."""
        self.matches[match.id] = match
        match.alarm = self.timers.alarm(lambda: self._tick(match))
        match.let_go = self.keeping.told
        self.meter.match_started()

    def feed(self, match: RunningMatch, what: Input) -> None:
        """Put one input into a match, at the stamp of the running pass."""
        if match.final is not None and not match.machine.over:
            return  # it ended without its machine, which knows nothing of that
        self.begin()
        self.step(match, what, self._stamp)

    def fault(
        self,
        match: RunningMatch,
        fault: Fault,
        *,
        at: int | None = None,
        blame: Callable[[], Blame] | None = None,
    ) -> None:
        """Report a fault or order; all of one pass are one step of the match.

        `at` is a time of the clock, the pass's stamp unless told. `blame` is asked at the end of
        the pass. Of several faults of a seat the first counts; a request is answered all the same.
        """
        stamp = self.begin()
        if fault.seat not in match.failing or fault.request_id is not None:
            match.failing.add(fault.seat)
            match.faults.append(Reported(fault, blame))
        self._await_end(match, stamp if at is None else at)

    def blocked(self, began: int, duration_ns: int) -> None:
        """The loop was blocked: matches whose limit that exceeds ask anew (PROTOCOL 3).

        The frames that waited count first, and nothing falls due before that.
        """
        self.timers.after_reading(lambda: self._stall(began, duration_ns))

    def _stall(self, began: int, duration_ns: int) -> None:
        stalled = 0
        for match in list(self.matches.values()):
            over = duration_ns > match.config.settings.lag_limit_ns
            if over and match.since <= began and match.halted is None and match.final is None:
                self.step(match, Stalled(blocked_ns=duration_ns), began)
                stalled += 1
        if stalled:
            self.meter.stalled(duration_ns)
            _log.warning("stalled", blocked_ms=duration_ns // MS, matches=stalled)

    def _tick(self, match: RunningMatch) -> None:
        """Time has come for a match. Not the pass's stamp: that may lie before what is due."""
        self.begin()
        self._await_end(match, self.clock.now())

    def _await_end(self, match: RunningMatch, at: int) -> None:
        match.due_at = max(match.due_at, at)
        if not match.pending:
            match.pending = True
            self._pending.append(match)

    def begin(self) -> int:
        """Begin a pass if none is running; return its stamp."""
        if not self._in_pass:
            self._in_pass = True
            self._stamp = self.clock.stamp()
            self.clock.call_soon(self._end_pass)
        elif self._held:  # what came after the block did not wait through it
            self._stamp = max(self._stamp, self.clock.stamp())
        return self._stamp

    def step(self, match: RunningMatch, what: Input, clock_ns: int) -> None:
        """Put one input into a match at a time of the clock, and deal where that is due then."""
        self.begin()
        now = match.match_time(clock_ns)
        machine = match.machine
        match.last = now  # the machine is there even where the step fails
        try:
            self._took(match, machine.step(what, now), now)
            while machine.needs_deal and not machine.over:
                seed = self._deal_seed(match, machine.round_number + 1)
                self._took(match, machine.step(Deal(seed=seed.hex()), now), now)
        except Exception as error:  # our bug ends one match and leaves the others running
            self.failed(match, error)

    def _deal_seed(self, match: RunningMatch, round_number: int) -> bytes:
        deal = None if match.place is None else match.place.deal
        return self._seeds.deal_seed(match.id, round_number, deal=deal)

    def _took(self, match: RunningMatch, step: Step, now: int) -> None:
        match.last = now
        match.wake(step.due)
        if step.over and match.final is None and step.facts:
            last = step.facts[-1]
            match.final = last if isinstance(last, MatchEnded) else None
            match.waiting = False  # nothing is left to wait for
        if step.facts or step.acks or step.asks or step.cancelled or step.events:
            match.steps.append(step)
            self._touch(match)

    def _touch(self, match: RunningMatch) -> None:
        self.begin()
        if not match.touched:
            match.touched = True
            self._touched.append(match)

    # --- sessions (what `session.Desk` asks for)

    def will_flush(self, session: Session) -> None:
        """Flush this session at the end of the pass."""
        self.begin()
        self._flushing[session] = None

    def handed(self, match: RunningMatch, seat: Seat) -> None:
        """The asks of this seat have gone out, or would have: their clocks start."""
        if match.waiting:
            return
        if not match.handed:
            self._handing.append(match)
        match.handed.append(seat)

    def hand_over(self, match: RunningMatch, seat: Seat) -> None:
        """As `handed`, outside the end of a pass."""
        self.begin()
        self.handed(match, seat)

    def overflowed(self, session: Session) -> None:
        """More waits for this session than it may leave unread."""
        self._overflows.append(session)

    # --- the end of a pass

    def _end_pass(self) -> None:
        now = self.clock.now()
        if self._in_pass and not self._held and now - self.clock.stamp() > _LONG_BLOCK_NS:
            self._held = True
            self.timers.after_reading(self.finish)
        else:
            self.finish()

    def finish(self) -> None:
        """End the running pass: what is due and faults, then store, tell, send, start clocks."""
        if not self._in_pass:
            return  # it was ended early
        try:
            while self._has_work():
                pending, self._pending = self._pending, []
                for match in pending:
                    self._take_pending(match)
                if not self.outage.away:
                    self._keep_and_tell()
                    if self._touched and not self.outage.away:
                        continue  # an end that was told seated the next table: that is kept first
                if not self.outage.paused:
                    self._flush()
                    self._start_clocks()
        finally:
            self._in_pass = self._held = False

    def _has_work(self) -> bool:
        outage = self.outage
        told = self._touched and not outage.away
        sent = (self._flushing or self._handing) and not outage.paused
        return bool(self._pending or told or sent)

    def _take_pending(self, match: RunningMatch) -> None:
        reported, match.faults = match.faults, []
        match.failing.clear()
        at, match.due_at, match.pending = match.due_at, 0, False
        if match.final is not None and not match.machine.over:
            return  # as in `feed`
        faults = tuple([one.judged() for one in reported])
        if len(faults) > 1:
            self.step(match, Faults(faults=faults), at)
        else:
            self.step(match, faults[0] if faults else Tick(), at)

    def _keep_and_tell(self) -> None:
        now = self.clock.now()  # a call that fails may take long: nobody is to be late for it
        try:
            self.keep_touched()
        except StoreFenced as error:
            self.fence(str(error))
        except StoreError as error:
            self.outage.begin(str(error), now)
        else:
            # Not in the order of their steps: a seat sees its matches in this order, and could tell
            # in which of those that are due at one instant somebody was not asked (PROTOCOL 4).
            touched, self._touched = sorted(self._touched, key=_name), []
            for match in touched:
                self._tell(match)

    def keep_touched(self) -> None:
        """Keep what waits to be told. Raises `StoreError`; our own bugs end their matches."""
        try:
            lost = self.keeping.keep(self._touched)
        except StoreError:
            raise
        except Exception as error:  # our bug: nothing is sure, and trying again would not help
            _log.error("facts were not kept", error=type(error).__name__)
            lost = list(self._touched)
        if lost:
            for match in lost:
                self._failures.unstored(match, Ending.STORE_FAILED)
            self.clock.call_soon(self._keep_owed)

    def _keep_owed(self) -> None:
        try:
            while self.keeping.owes and not self.outage.away:
                self.keeping.keep_owed()
        except StoreFenced as error:
            self.fence(str(error))
        except StoreError as error:
            self.outage.begin(str(error), self.clock.now())

    def _tell(self, match: RunningMatch) -> None:
        match.touched = False
        steps = match.take_steps()
        try:
            deliver(match, steps, self.codec, match.held or self.meter)
        except Exception as error:  # as in _step
            self.failed(match, error)
        if match.ended is not None and match.id in self.matches:
            self._over(match, match.ended)

    def _flush(self) -> None:
        flushing, self._flushing = self._flushing, {}
        now = self.clock.now()
        for session in flushing:
            try:
                session.flush(now)
            except Exception as error:  # our bug: the others are sent theirs all the same
                name = type(error).__name__
                _log.error("a flush failed", instance=session.instance.id, error=name)
        overflows, self._overflows = self._overflows, []
        for session in overflows:
            self.on_overflow(session)

    def _start_clocks(self) -> None:
        handing, self._handing = self._handing, []
        now = self.clock.now()
        for match in handing:
            seats, match.handed = match.handed, []
            if match.final is None and not match.machine.over:
                self._hand_over(match, seats, now)

    def _hand_over(self, match: RunningMatch, seats: list[Seat], clock_ns: int) -> None:
        """Start the clocks of these seats' asks; a step only where something is due before."""
        machine, now = match.machine, match.match_time(clock_ns)
        lags = tuple([match.holdings[seat].session.lag for seat in seats])
        if machine.due is not None and machine.due <= now:
            self.step(match, Handed(seats=tuple(seats), lags=lags), clock_ns)
            return
        match.last = now
        try:
            due = machine.hand_over(seats, now, lags)
        except Exception as error:  # as in _step
            self.failed(match, error)
            return
        match.wake(due)

    def _over(self, match: RunningMatch, ended: MatchEnded) -> None:
        del self.matches[match.id]
        match.alarm.drop()
        if match.stored:
            self.keeping.close_soon(match.id)
        self.meter.match_ended(ended)
        log_end(match, ended)
        tell_end(match, ended)
        for callback in match.on_over:
            try:
                callback(ended)
            except Exception as error:  # others wait for this end too
                _log.error("an end was not taken", match=match.id, error=type(error).__name__)
        match.on_over.clear()

    # --- our own failures

    def failed(self, match: RunningMatch, error: Exception) -> None:
        """We failed this match: it ends."""
        self._failures.failed(match, error)

    def end_untold(self, matches: Sequence[RunningMatch], ending: Ending) -> None:
        """End matches and tell their seats, though the store keeps nothing now."""
        for match in matches:
            if not any(step.over and step.facts for step in match.steps[: match.kept]):
                self._failures.unstored(match, ending)
        self._touched = [match for match in self._touched if match not in matches]
        for match in matches:
            self._tell(match)
        self.begin()
        self.finish()

    def fence(self, text: str) -> None:
        """Another process has the store: what this one knows is not the truth any more."""
        if self.fenced:
            return
        self.fenced = True
        _log.error("fenced", error=text)
        self.outage.stop()
        for match in self.matches.values():
            match.alarm.drop()
        for waits in (self._pending, self._touched, self._handing, self._overflows):
            waits.clear()
        self.matches.clear()
        self._flushing.clear()
        self.on_fenced(text)


def _name(match: RunningMatch) -> str:
    return match.id
