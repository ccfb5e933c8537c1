"""One dispatcher for all matches of the process; no task a match.

Work comes in passes. A pass begins with the first input of a turn of the loop and ends when all
that is ready has been read. During it, machines step. At its end, in this order: all facts of all
touched matches go to the store, in one call; only then are the seats told; then frames go out, and
the clocks of the asks in them start. A pass has one stamp for all frames that it read. Faults that
came up in it, and what fell due, go into a match together and last: what happens at one instant is
one step. After the loop was blocked for long the pass goes on until all that waited is read; what
came only then has its own stamp.
"""

import traceback
from collections.abc import Callable

import structlog

from referee.app.delivery import deliver, tell_end
from referee.app.last_step import forget, last_step
from referee.app.limits import Limits
from referee.app.running import Reported, RunningMatch
from referee.app.session import Session
from referee.app.timers import Timers
from referee.match.facts import MatchEnded, encode_fact
from referee.match.inputs import Deal, Fault, Faults, Handed, Input, Stalled, Tick
from referee.match.step import Step
from referee.match.values import MS, Blame, Ending
from referee.ports import Batch, Clock, Codec, FactStore, Meter, SeedSource, StoreError
from referee.rules.seat import Seat

_log = structlog.get_logger("referee.dispatcher")
_LONG_BLOCK_NS = 20 * MS  # after which a pass waits for the frames that waited
_LAST_TRY = 2  # failures of one match after which its seats are told nothing more


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
        self._store = store
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
        self.matches[match.id] = match
        match.alarm = self.timers.alarm(lambda: self._tick(match))
        self.meter.match_started()
        self._step(match, Tick(), self.begin())

    def feed(self, match: RunningMatch, what: Input) -> None:
        """Put one input into a match, at the stamp of the running pass."""
        if match.final is not None and not match.machine.over:
            return  # it ended without its machine, which knows nothing of that
        self.begin()
        self._step(match, what, self._stamp)

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
            if over and match.began <= began and match.final is None:
                self._step(match, Stalled(blocked_ns=duration_ns), began)
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

    def _step(self, match: RunningMatch, what: Input, clock_ns: int) -> None:
        now = match.match_time(clock_ns)
        machine = match.machine
        match.last = now  # the machine is there even where the step fails
        try:
            self._took(match, machine.step(what, now), now)
            while machine.needs_deal and not machine.over:
                seed = self._seeds.deal_seed(match.id, machine.round_number + 1)
                self._took(match, machine.step(Deal(seed=seed.hex()), now), now)
        except Exception as error:  # our bug ends one match and leaves the others running
            self.failed(match, error)

    def _took(self, match: RunningMatch, step: Step, now: int) -> None:
        match.last = now
        match.alarm.set(None if step.due is None else match.began + step.due)
        if step.over and match.final is None and step.facts:
            last = step.facts[-1]
            match.final = last if isinstance(last, MatchEnded) else None
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
            while self._pending or self._touched or self._flushing or self._handing:
                pending, self._pending = self._pending, []
                for match in pending:
                    self._take_pending(match)
                touched, self._touched = self._touched, []
                self._append(touched)
                for match in touched:
                    self._tell(match)
                self._flush()
                self._start_clocks()
        finally:
            self._in_pass = self._held = False

    def _take_pending(self, match: RunningMatch) -> None:
        reported, match.faults = match.faults, []
        match.failing.clear()
        at, match.due_at, match.pending = match.due_at, 0, False
        if match.final is not None and not match.machine.over:
            return  # as in `feed`
        faults = tuple([one.judged() for one in reported])
        if len(faults) > 1:
            self._step(match, Faults(faults=faults), at)
        else:
            self._step(match, faults[0] if faults else Tick(), at)

    def _append(self, touched: list[RunningMatch]) -> None:
        batches = [batch for match in touched if (batch := self._batch(match)) is not None]
        if not batches:
            return
        began = self.clock.now()
        try:
            self._store.append(batches)
        except Exception as error:  # a StoreError, or our bug: either way nothing is sure
            text = str(error) if isinstance(error, StoreError) else type(error).__name__
            _log.error("the store failed", error=text, matches=len(batches))
            for match in touched:
                self._unstored(match)
            return
        facts = sum(len(batch.lines) for batch in batches)
        self.meter.appended(facts, self.clock.now() - began)

    def _tell(self, match: RunningMatch) -> None:
        match.touched = False
        steps, match.steps = match.steps, []
        try:
            deliver(match, steps, self.codec, self.meter)
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
            self._step(match, Handed(seats=tuple(seats), lags=lags), clock_ns)
            return
        match.last = now
        try:
            due = machine.hand_over(seats, now, lags)
        except Exception as error:  # as in _step
            self.failed(match, error)
            return
        match.alarm.set(None if due is None else match.began + due)

    def _over(self, match: RunningMatch, ended: MatchEnded) -> None:
        del self.matches[match.id]
        match.alarm.drop()
        if match.stored:
            self._close(match)
        self.meter.match_ended(ended)
        _log.info(
            "match ended",
            match=match.id,
            ending=ended.ending.value,
            seat=ended.seat,
            name=None if ended.seat is None else match.names[ended.seat],
            blame=ended.blame.value,
            failed=list(ended.failed),
            awarded=list(ended.awarded),
            totals=list(ended.totals),
            rounds=ended.rounds,
            strikes=list(match.machine.strikes),
        )
        tell_end(match, ended)
        for callback in match.on_over:
            try:
                callback(ended)
            except Exception as error:  # others wait for this end too
                _log.error("an end was not taken", match=match.id, error=type(error).__name__)
        match.on_over.clear()

    def _batch(self, match: RunningMatch) -> Batch | None:
        if not match.stored:
            return None
        try:
            lines = [encode_fact(fact) for step in match.steps for fact in step.facts]
        except Exception as error:  # our bug: what cannot be written is not told either
            _log.error("facts were not encoded", match=match.id, error=type(error).__name__)
            self._unstored(match)
            return None
        if not lines:
            return None
        first = match.next_fact
        match.next_fact += len(lines)
        return Batch(match_id=match.id, first_seq=first, lines=lines)

    def _close(self, match: RunningMatch) -> None:
        try:
            self._store.close_match(match.id)
        except StoreError as error:
            _log.error("a record was not closed", match=match.id, error=str(error))

    # --- our own failures

    def failed(self, match: RunningMatch, error: Exception) -> None:
        """End a match that we failed.

        The error's text may name cards, so it is not logged: the record repeats the failure.
        """
        frames = traceback.extract_tb(error.__traceback__)[-4:]
        where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        name = type(error).__name__
        _log.error("the referee failed a match", match=match.id, error=name, where=where)
        self._end_by(match, Ending.REFEREE_FAILED)

    def _unstored(self, match: RunningMatch) -> None:
        """Nothing of this pass was kept, so nobody hears of it, but for the end of the match.

        What was answered in it came to nothing, and its seats are told just that.
        """
        match.stored = False
        unkept, match.steps = match.steps, []
        match.final = match.ended
        self._end_by(match, Ending.STORE_FAILED)
        if match.steps:
            forget(unkept, match.steps[-1])

    def _end_by(self, match: RunningMatch, ending: Ending) -> None:
        """End a match in whatever state it is: by its machine, else without it, else silently.

        A match ends once: where its last fact is on its way, only the telling is tried again.
        """
        if match.ended is not None or (match.final is not None and match.steps):
            return
        match.failures += 1
        if match.final is None:
            self._took(match, last_step(match, ending), match.last)
        elif match.failures > _LAST_TRY:
            match.ended = match.final
        else:
            step = Step(match.log.next)
            step.events.append(match.final)
            self._took(match, step, match.last)
