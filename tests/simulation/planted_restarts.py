"""Faults planted in streams, pauses of the store and restarts of the referee."""

import random
from collections.abc import Callable, Iterable, Sequence

import msgspec
import pytest

from referee.app.dispatcher import Dispatcher
from referee.app.event_log import EventLog
from referee.app.holding import Holding
from referee.app.instances import Instance
from referee.app.keeping import Keeping
from referee.app.outage import Outage
from referee.app.rebuilt import Rebuilt
from referee.app.reception import Reception
from referee.app.resume import Resumption
from referee.app.running import RunningMatch
from referee.app.session import Session
from referee.match import stalls
from referee.match.inputs import Fault
from referee.match.machine import Machine
from referee.match.state import MatchState
from referee.match.step import Ask
from referee.match.values import MS, AckStatus, Clock, Ending, Pace
from referee.match.window import WindowInput, WindowState
from referee.ports import Batch, Hello, StoredSession
from referee.rules.seat import Seat
from tests.simulation.planted_match import blocked_loop_not_noticed, stall_costs_time
from tests.simulation.service.drawing import draw_plan
from tests.simulation.service.plans import KillPoint, Plan
from tests.simulation.service.tables import kill, plan_of, settings_of

Patch = pytest.MonkeyPatch
Plant = Callable[[Patch], None]
Plans = Callable[[str, int], Plan | None]  # by seed and number; None: nothing to be seen there
_SECOND = 1_000 * MS


def drawn(wanted: Callable[[Plan], bool]) -> Plans:
    """Return the source of the drawn plans in which something goes wrong."""

    def plans(seed: str, number: int) -> Plan | None:
        plan = draw_plan(seed, number)
        return plan if wanted(plan) else None

    return plans


def _parts(plan: Plan) -> bool:
    return any(one.back_ns is not None for one in plan.breaks)


killed, refused, parted = (
    drawn(wanted) for wanted in (lambda p: bool(p.kills), lambda p: bool(p.outages), _parts)
)


def table(seed: str, number: int) -> Plan:
    """Return the plan of a match whose referee is killed once; now and then not all come back."""
    rng = random.Random(f"{seed}/table {number}")
    absent = rng.sample(range(4), rng.choice((0, 0, 0, 2)))
    clock = Clock(base_ns=_SECOND, bank_ns=500 * MS)
    slow = {seat: {"think_ns": (50 * MS, 400 * MS)} for seat in range(4)}
    at, point = rng.randrange(300, 3_000) * MS, rng.choice(tuple(KillPoint))
    return plan_of(
        settings_of(clock, pace=rng.choice(tuple(Pace)), window_ns=200 * MS),
        slow,
        name=f"{seed}/table {number}",
        kills=(kill(at, point, absent=absent),),
    )


def blocked(seed: str, number: int) -> Plan:
    """Return the plan of a match whose referee is blocked once, for longer than it may be."""
    rng = random.Random(f"{seed}/blocked {number}")
    slow = {seat: {"think_ns": (50 * MS, 400 * MS)} for seat in range(4)}
    settings = settings_of(
        Clock(base_ns=_SECOND, bank_ns=500 * MS),
        pace=rng.choice(tuple(Pace)),
        window_ns=200 * MS,
        lag_limit_ns=100 * MS,
    )
    stall = (rng.randrange(300, 2_000) * MS, rng.randrange(150, 900) * MS)
    return plan_of(settings, slow, name=f"{seed}/blocked {number}", stalls=(stall,))


def _at_resume(patch: Patch, spoil: Callable[[MatchState], None]) -> None:
    """Spoil what a match goes on with; its replay goes wrong the same way."""
    real = stalls.resumed

    def resumed(state: MatchState, epoch: int) -> None:
        real(state, epoch)
        spoil(state)

    patch.setattr(stalls, "resumed", resumed)


# --- streams


def older_stream_kept(patch: Patch) -> None:
    """A stream that was replaced goes on being read."""

    def supersede(self: Reception, session: Session) -> None:
        self._streams.pop(session, None)
        session.detach()

    patch.setattr(Reception, "_supersede", supersede)


def snapshot_of_another(patch: Patch) -> None:
    """Who comes back is shown the hand of the seat on its right."""
    take_update, snapshot = Holding.take_update, Machine.snapshot
    coming: list[bool] = []

    def wrapped(self: Holding, codec, hello: Hello, clock_ns: int):  # type: ignore[no-untyped-def]
        coming.append(self._resync)
        try:
            return take_update(self, codec, hello, clock_ns)
        finally:
            coming.clear()

    def other(self: Machine, seat: Seat):  # type: ignore[no-untyped-def]
        return snapshot(self, Seat((seat + 1) % 4) if any(coming) else seat)

    patch.setattr(Holding, "take_update", wrapped)
    patch.setattr(Machine, "snapshot", other)


def open_asks_not_told_again(patch: Patch) -> None:
    """Who comes back is not told what it still owes."""
    real = Holding.take_update

    def take_update(self: Holding, codec, hello: Hello, clock_ns: int):  # type: ignore[no-untyped-def]
        if self._resync and self.match.machine.open_asks(self.seat):
            patch.setattr(Machine, "open_asks", lambda machine, seat: [])
        return real(self, codec, hello, clock_ns)

    patch.setattr(Holding, "take_update", take_update)


def told_again_with_another_limit(patch: Patch) -> None:
    """An ask that is told again has all its time anew, though its clock ran on."""
    real = Holding._take_asks

    def take_asks(self: Holding, codec, hello: Hello, now: int) -> int:  # type: ignore[no-untyped-def]
        sent = [ask.sent for ask in self._asks]
        for ask in self._asks:
            ask.sent = now if self._resync and ask.sent >= 0 else ask.sent
        starts = real(self, codec, hello, now)
        for ask, before in zip(self._asks, sent, strict=True):
            ask.sent = before
        return starts

    patch.setattr(Holding, "_take_asks", take_asks)


def session_forgotten(patch: Patch) -> None:
    """A session token is worth nothing after a restart."""
    real = Reception.restore

    def restore(self: Reception, instance: Instance, stored: StoredSession | None) -> Session:
        if stored is not None:
            stored = msgspec.structs.replace(stored, secret=b"another" + stored.secret[7:])
        return real(self, instance, stored)

    patch.setattr(Reception, "restore", restore)


# --- the store


def told_before_kept(patch: Patch) -> None:
    """Facts are written one pass after they were told."""
    real, close = Keeping._append, Keeping.close
    late: list[tuple[Keeping, Sequence[Batch]]] = []

    def write() -> None:
        while late:
            real(*late.pop(0))

    def append(self: Keeping, batches: Sequence[Batch]) -> None:
        late[:] = [one for one in late if one[0] is self]  # else its process is gone
        write()
        late.append((self, list(batches)))

    def closing(self: Keeping, match_id: str) -> None:
        write()
        close(self, match_id)

    patch.setattr(Keeping, "_append", append)
    patch.setattr(Keeping, "close", closing)


def not_asked_anew_after_a_pause(patch: Patch) -> None:
    """What was open when the store went away goes on as if nothing had been."""
    patch.setattr(Outage, "_stall", lambda self: None)


def time_runs_on_in_a_pause(patch: Patch) -> None:
    """Match time goes on while the store is away."""
    patch.setattr(RunningMatch, "halt", lambda self, clock_ns: None)


def frames_go_out_in_a_pause(patch: Patch) -> None:
    """What nobody may hear of while the store is away is told all the same."""
    real = Outage.begin

    def begin(self: Outage, error: str, now: int) -> None:
        real(self, error, now)
        self.paused = False
        touched, self._desk._touched = self._desk._touched, []
        for match in touched:
            self._desk._tell(match)

    patch.setattr(Outage, "begin", begin)


# --- restarts


def clocks_run_on(patch: Patch) -> None:
    """What was asked before a restart has 30 ms less than it had."""

    def run(state: MatchState) -> None:
        for ask in state.asks.all():
            if ask.choice is None:
                ask.sent = max(0, state.now - 30 * MS)

    _at_resume(patch, run)


def window_goes_on(patch: Patch) -> None:
    """A window that was open has 10 ms less after a restart."""

    def run(state: MatchState) -> None:
        if state.window.state is WindowState.HANDING:
            state.window.feed(WindowInput.HANDED)
            state.window.opened = max(0, state.now - 10 * MS)

    _at_resume(patch, run)


def asks_renumbered(patch: Patch) -> None:
    """What is open after a restart has other numbers."""

    def renumber(state: MatchState) -> None:
        for ask in state.asks.all():
            if ask.choice is None:
                again: Ask = msgspec.structs.replace(ask, id=state.asks.number(ask.seat))
                state.asks.close(ask, AckStatus.STALE)
                state.asks.add(again)

    _at_resume(patch, renumber)


def answers_forgotten(patch: Patch) -> None:
    """An answer that was acknowledged and waits for its instant is not there after a restart."""

    def drop(state: MatchState) -> None:
        for ask in state.asks.all():
            ask.answer, ask.choice, ask.stamp, ask.sent = None, None, -1, -1

    _at_resume(patch, drop)


def charged_for_the_outage(patch: Patch) -> None:
    """A restart costs every seat 100 ms of its bank."""

    def charge(state: MatchState) -> None:
        state.banks = [max(0, bank - 100 * MS) for bank in state.banks]

    _at_resume(patch, charge)


def strikes_forgotten(patch: Patch) -> None:
    """Strikes count from 0 after a restart."""

    def forget(state: MatchState) -> None:
        state.strikes = [0] * state.n

    _at_resume(patch, forget)


def events_renumbered(patch: Patch) -> None:
    """Events have numbers after a restart that others had before."""
    real = EventLog.start_at
    patch.setattr(EventLog, "start_at", lambda self, number: real(self, max(0, number - 1)))


def epoch_not_raised(patch: Patch) -> None:
    """Every process takes itself for the first."""
    real = Resumption.__init__

    def init(self: Resumption, *args: object, **more: object) -> None:
        real(self, *args, **{**more, "epoch": 1})  # type: ignore[arg-type]

    patch.setattr(Resumption, "__init__", init)


def goes_on_before_all_are_back(patch: Patch) -> None:
    """A match goes on as soon as one of its seats is back."""

    def begin(self: Resumption, matches: Iterable[RunningMatch]) -> None:
        for match in matches:
            if match.waiting and any(h.session.link is not None for h in match.holdings.values()):
                self._resume(match)

    patch.setattr(Resumption, "_begin", begin)


def told_while_others_are_waited_for(patch: Patch) -> None:
    """Who is back first is told of the match before it goes on."""
    real = Resumption._came

    def came(self: Resumption, session: Session) -> None:
        real(self, session)
        for holding in session.holdings.values():
            session._ready[holding] = None
        self._desk.will_flush(session)

    patch.setattr(Resumption, "_came", came)


def bots_blamed_for_a_restart(patch: Patch) -> None:
    """Who does not come back after a restart is to blame."""

    def fail(self: Resumption, match: RunningMatch, missing: Sequence[Seat]) -> None:
        for seat in missing:
            self._desk.fault(match, Fault(seat=seat, ending=Ending.DISCONNECTED))

    patch.setattr(Resumption, "_fail", fail)


def old_end_not_told(patch: Patch) -> None:
    """A match that was over when the referee was killed is forgotten."""
    real = Resumption._tell_again

    def tell_again(self: Resumption, match: RunningMatch, built: Rebuilt) -> None:
        real(self, match, built)
        for holding in list(match.holdings.values()):
            match.told_end(holding)

    patch.setattr(Resumption, "_tell_again", tell_again)


def time_of_the_last_fact_missed(patch: Patch) -> None:
    """A match goes on a nanosecond after its last fact."""
    real = Dispatcher.take

    def take(self: Dispatcher, match: RunningMatch) -> None:
        real(self, match)
        match.last += 1  # its time is not that of the last fact

    patch.setattr(Dispatcher, "take", take)


RESTART_FAULTS: tuple[tuple[Plant, Plans], ...] = (
    (blocked_loop_not_noticed, blocked),
    (stall_costs_time, blocked),
    (older_stream_kept, parted),
    (snapshot_of_another, parted),
    (open_asks_not_told_again, parted),
    (told_again_with_another_limit, parted),
    (session_forgotten, killed),
    (told_before_kept, killed),
    (not_asked_anew_after_a_pause, refused),
    (time_runs_on_in_a_pause, refused),
    (frames_go_out_in_a_pause, refused),
    (clocks_run_on, table),
    (window_goes_on, table),
    (asks_renumbered, table),
    (answers_forgotten, table),
    (charged_for_the_outage, table),
    (strikes_forgotten, killed),
    (events_renumbered, killed),
    (epoch_not_raised, killed),
    (goes_on_before_all_are_back, killed),
    (told_while_others_are_waited_for, killed),
    (bots_blamed_for_a_restart, killed),
    (old_end_not_told, killed),
    (time_of_the_last_fact_missed, killed),
)
