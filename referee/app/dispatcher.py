"""One dispatcher for all matches of the process; no task a match.

Work comes in passes. A pass begins with the first input of a turn of the loop and ends when all
that is ready has been read. During it, machines step. At its end, in this order: all facts of all
touched matches go to the store, in one call; only then are the seats told; then frames go out, and
the clocks of the asks in them start. A pass has one stamp for all frames that it read.
"""

import traceback
from collections.abc import Callable

import structlog

from referee.app.delivery import deliver, tell_end
from referee.app.limits import Limits
from referee.app.running import RunningMatch
from referee.app.session import Session
from referee.app.timers import Timers
from referee.match.facts import Faulted, MatchEnded, encode_fact
from referee.match.inputs import Deal, Fault, Handed, Input, Tick
from referee.match.step import Step
from referee.match.values import Blame, Ending
from referee.ports import Batch, Clock, Codec, FactStore, Meter, SeedSource, StoreError
from referee.rules.seat import Seat

_log = structlog.get_logger("referee.dispatcher")
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
        self._touched: list[RunningMatch] = []
        self._flushing: dict[Session, None] = {}
        self._handing: list[RunningMatch] = []
        self._overflows: list[Session] = []
        self._in_pass = False
        self._stamp = 0

    # --- matches

    def add(self, match: RunningMatch) -> None:
        """Start a match whose seats are held."""
        self.matches[match.id] = match
        match.alarm = self.timers.alarm(lambda: self._tick(match))
        self.meter.match_started()
        self._step(match, Tick(), self.begin())

    def feed(self, match: RunningMatch, what: Input) -> None:
        """Put one input into a match, at the stamp of the running pass."""
        self.begin()
        self._step(match, what, self._stamp)

    def _tick(self, match: RunningMatch) -> None:
        """Time has come for a match. Not the pass's stamp: that may lie before what is due."""
        self.begin()
        self._step(match, Tick(), self.clock.now())

    def begin(self) -> int:
        """Begin a pass if none is running; return its stamp."""
        if not self._in_pass:
            self._in_pass = True
            self._stamp = self.clock.stamp()
            self.clock.call_soon(self.finish)
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

    def finish(self) -> None:
        """End the running pass: store, tell, send, start clocks."""
        if not self._in_pass:
            return  # it was ended early
        try:
            while self._touched or self._flushing or self._handing:
                touched, self._touched = self._touched, []
                self._append(touched)
                for match in touched:
                    self._tell(match)
                self._flush()
                self._start_clocks()
        finally:
            self._in_pass = False

    def _append(self, touched: list[RunningMatch]) -> None:
        batches = [batch for match in touched if (batch := _batch(match)) is not None]
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
            session.flush(now)
        overflows, self._overflows = self._overflows, []
        for session in overflows:
            self.on_overflow(session)

    def _start_clocks(self) -> None:
        handing, self._handing = self._handing, []
        now = self.clock.now()
        for match in handing:
            seats, match.handed = match.handed, []
            if not match.machine.over:
                self._hand_over(match, seats, now)

    def _hand_over(self, match: RunningMatch, seats: list[Seat], clock_ns: int) -> None:
        """Start the clocks of these seats' asks; a step only where something is due before."""
        machine, now = match.machine, match.match_time(clock_ns)
        if machine.due is not None and machine.due <= now:
            self._step(match, Handed(seats=tuple(seats)), clock_ns)
            return
        match.last = now
        try:
            due = machine.hand_over(seats, now)
        except Exception as error:  # as in _step
            self.failed(match, error)
            return
        match.alarm.set(None if due is None else match.began + due)

    def _over(self, match: RunningMatch, ended: MatchEnded) -> None:
        del self.matches[match.id]
        match.alarm.set(None)
        if match.stored:
            self._close(match)
        self.meter.match_ended(ended)
        _log.info(
            "match ended",
            match=match.id,
            ending=ended.ending.value,
            seat=ended.seat,
            blame=ended.blame.value,
            totals=list(ended.totals),
            rounds=ended.rounds,
        )
        tell_end(match, ended)
        for callback in match.on_over:
            try:
                callback(ended)
            except Exception as error:  # others wait for this end too
                _log.error("an end was not taken", match=match.id, error=type(error).__name__)

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
        """Nothing of this pass was kept, so nobody hears of it, but for the end of the match."""
        match.stored = False
        match.steps = []
        match.final = match.ended
        self._end_by(match, Ending.STORE_FAILED)

    def _end_by(self, match: RunningMatch, ending: Ending) -> None:
        """End a match in whatever state it is: by its machine, else without it, else silently.

        A match ends once: where its last fact is on its way, only the telling is tried again.
        """
        if match.ended is not None or (match.final is not None and match.steps):
            return
        match.failures += 1
        if match.final is None:
            self._took(match, _last_step(match, ending), match.last)
        elif match.failures > _LAST_TRY:
            match.ended = match.final
        else:
            step = Step(match.log.next)
            step.events.append(match.final)
            self._took(match, step, match.last)


def _last_step(match: RunningMatch, ending: Ending) -> Step:
    """Return the step that ends a match by our fault; the failure is an input, so it replays."""
    machine, at = match.machine, match.last
    try:
        step = machine.step(Fault(seat=None, ending=ending), at)
        if step.over and step.events:
            return step
    except Exception as error:  # the first failure is in the log; this one says why we go on so
        _log.error("a machine cannot end", match=match.id, error=type(error).__name__)
    ended = MatchEnded(
        at=at,
        ending=ending,
        totals=machine.totals,
        rounds=machine.rounds_played,
        banks=machine.banks,
        blame=Blame.REFEREE,
    )
    step = Step(match.log.next)
    step.over = True
    step.facts += [Faulted(at=at, ending=ending), ended]
    step.events.append(ended)
    return step


def _batch(match: RunningMatch) -> Batch | None:
    if not match.stored:
        return None
    lines = [encode_fact(fact) for step in match.steps for fact in step.facts]
    if not lines:
        return None
    first = match.next_fact
    match.next_fact += len(lines)
    return Batch(match_id=match.id, first_seq=first, lines=lines)
