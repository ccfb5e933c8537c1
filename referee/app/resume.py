"""What an earlier process left: its matches go on once all their seats are back (DESIGN 3).

Each is rebuilt from its facts and then waits, its time standing still and nobody hearing of it,
until every seat has a stream. Then it is resumed by a fact, and every seat is told all that a new
stream is told; clocks start when that has gone out. Seats that are missing when `resume_ns` are
over are faults of one step, and nobody knows whose: the referee was not there to see it.

A match that was over, and not every seat told, is told again to those who come back.

Matches that are not to go on (`goes_on`) end by order instead, with `end_rest`. Those of a ladder
never do: nobody remembers which other leg has their deal.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import structlog

from referee.app.dispatcher import Dispatcher
from referee.app.instances import Instance
from referee.app.rebuilt import Rebuilt
from referee.app.reception import Reception
from referee.app.running import RunningMatch
from referee.app.session import Session
from referee.match.facts import MatchEnded
from referee.match.inputs import Fault, Resumed
from referee.match.values import Blame, Ending
from referee.ports import Hello, Left, SeatRow, StoredMatch
from referee.rules.errors import RefereeBug
from referee.rules.options import player_seats
from referee.rules.seat import Seat

_log = structlog.get_logger("referee.resume")
_VERSION = 0  # of a Hello that nobody said


class Resumption:
    """Sessions and matches from an earlier process, until each goes on or is over."""

    def __init__(
        self,
        reception: Reception,
        desk: Dispatcher,
        *,
        epoch: int,
        started: Callable[[RunningMatch], None],
    ) -> None:
        """`started` is told each match that runs, before anything of it happens."""
        self.held = False  # no match goes on
        self.goes_on: Callable[[StoredMatch], bool] = lambda stored: stored.header.place is None
        self.on_told: Callable[[], None] = lambda: None  # called when an old end is told to all
        self._reception = reception
        self._desk = desk
        self._epoch = epoch
        self._started = started
        self._absent: dict[Session, None] = {}  # have not come back yet
        self._blank: dict[Session, None] = {}  # of bots that had not said Hello
        self._waiting: dict[str, RunningMatch] = {}
        self._rest: list[RunningMatch] = []  # do not go on
        self._retelling: set[str] = set()
        self._until = 0  # clock time at which who is missing is at fault
        self._alarm = desk.timers.alarm(self._time_is_up)
        reception.on_attached = self._came
        desk.outage.on_back.append(self._store_is_back)

    # --- from the store

    def take(self, left: Left) -> int:
        """Take all that was left; return the number of matches that go on."""
        instances = {
            row.instance_id: self._reception.instances.restore(row) for row in left.instances
        }
        for stored in left.sessions:
            instance = instances.get(stored.instance_id)
            if instance is not None:
                self._absent[self._reception.restore(instance, stored)] = None
        last_of = {(row.instance_id, row.number): m for m in left.matches for row in m.seats}
        for match in left.matches:
            mine = {row for row in match.seats if last_of[row.instance_id, row.number] is match}
            self._take_match(match, instances, mine)
        self._until = self._desk.clock.now() + self._reception.setup.resume_ns
        self._alarm.set(self._until)
        self._blank.clear()
        self._desk.meter.resumed(len(self._waiting))
        return len(self._waiting)

    def _take_match(
        self, stored: StoredMatch, instances: dict[str, Instance], mine: set[SeatRow]
    ) -> None:
        built = Rebuilt(stored.config, stored.lines)
        match = RunningMatch(stored.config, began=0, audience=None, machine=built.machine)
        match.last = match.halted = built.last
        match.next_fact = len(stored.lines)
        match.score = built.score
        match.record_path = stored.record_path
        match.waiting = True
        built.fill(match.log, self._desk.codec)
        seats = player_seats(stored.config.settings.rules)
        for seat, row in zip(seats, stored.seats, strict=True):
            session = self._session(row, instances.get(row.instance_id), known=row in mine)
            holding = session.hold(match, seat, row.number)
            holding.asked = built.asked[seat]
            match.holdings[seat] = holding
        if built.ended is not None:
            self._tell_again(match, built)
        else:
            self._wait(match, built, goes_on=self.goes_on(stored))

    def _session(self, row: SeatRow, instance: Instance | None, *, known: bool) -> Session:
        """Return who holds a seat; somebody who cannot come back where nobody does.

        A session that began after the match has numbers of its own: it never had the seat.
        """
        if instance is not None and known:
            session = instance.session
            if session is None:
                session = self._reception.restore(instance, None)
                self._absent[session] = self._blank[session] = None
            if row.number < session.next_number or session in self._blank:
                return session
        name = instance.name if instance is not None else row.instance_id
        gone = Instance(row.instance_id, name, owner=row.instance_id, open_identity=False)
        return Session(gone, Hello(protocol_version=_VERSION), b"", self._desk)

    def _tell_again(self, match: RunningMatch, built: Rebuilt) -> None:
        """A match that was over: its record is there at the latest now."""
        match.final = match.ended = built.ended
        match.waiting = False
        self._retelling.add(match.id)
        self._desk.keeping.close(match.id)
        match.let_go = self._told
        for holding in list(match.holdings.values()):
            if not self._reception.knows(holding.session):
                match.told_end(holding)

    def _told(self, match_id: str) -> None:
        self._retelling.discard(match_id)
        self._desk.keeping.told(match_id)
        self.on_told()

    @property
    def retelling(self) -> bool:
        """True while an old end is not told to all who may come back for it."""
        return bool(self._retelling)

    def _wait(self, match: RunningMatch, built: Rebuilt, *, goes_on: bool) -> None:
        for holding in match.holdings.values():
            holding.session.running += 1
        self._desk.take(match)
        self._started(match)
        if built.broken:
            _log.error("a match cannot go on", match=match.id, why=built.broken)
            self._desk.failed(match, RefereeBug("its facts do not give it"))
        elif not goes_on:
            self._rest.append(match)
        else:
            self._waiting[match.id] = match
            _log.info("match waits for its bots", match=match.id, facts=match.next_fact)
            match.on_over.append(partial(self._over, match.id))

    def _over(self, match_id: str, ended: MatchEnded) -> None:
        self._waiting.pop(match_id, None)

    def end_rest(self) -> None:
        """End the matches that do not go on; their seats are told when they come back."""
        rest, self._rest = self._rest, []
        for match in rest:
            _log.info("match does not go on", match=match.id)
            self._desk.fault(match, Fault(seat=None, ending=Ending.CANCELLED))
        self._desk.finish()

    # --- coming back

    def waits_for(self, session: Session) -> bool:
        """True if a match waits in which the session holds a seat."""
        return any(holding.match.waiting for holding in session.holdings.values())

    def until(self, session: Session) -> int | None:
        """Return until when a session may be without a stream for the matches that wait for it."""
        late = self._desk.clock.now() >= self._until
        return None if late or not self.waits_for(session) else self._until

    def _came(self, session: Session) -> None:
        self._absent.pop(session, None)
        if self._waiting:
            self._begin(dict.fromkeys(h.match for h in session.holdings.values()))

    def go_on(self) -> None:
        """Let matches go on, those first whose seats are all back."""
        self.held = False
        self._begin(list(self._waiting.values()))

    def _store_is_back(self, away_ns: int) -> None:
        """Who could not come back for the store's sake has as much time as before."""
        if self._waiting or self._absent:
            self._until += away_ns
            self._alarm.set(self._until)
        self._begin(list(self._waiting.values()))

    def _begin(self, matches: Iterable[RunningMatch]) -> None:
        if self.held or self._desk.outage.away:
            return
        for match in matches:
            there = all(holding.session.link is not None for holding in match.holdings.values())
            if match.waiting and there:
                self._resume(match)

    def _resume(self, match: RunningMatch) -> None:
        desk = self._desk
        now = desk.clock.now()
        del self._waiting[match.id]
        match.waiting = False
        match.go_on(now)
        for holding in match.holdings.values():
            holding.session.open_asks += holding.reopen(match.machine.open_asks(holding.seat))
        _log.info("match resumed", match=match.id, facts=match.next_fact)
        desk.step(match, Resumed(epoch=self._epoch), now)
        for holding in match.holdings.values():
            holding.session.show(holding)
            if not match.machine.open_asks(holding.seat):  # else they go out with their frame
                desk.handed(match, holding.seat)

    # --- not coming back

    def _time_is_up(self) -> None:
        if self._desk.outage.away:
            return  # it rings anew when the store is back
        for match in list(self._waiting.values()):
            missing = [h.seat for h in match.holdings.values() if h.session.link is None]
            _log.warning("seats did not come back", match=match.id, seats=missing)
            self._fail(match, missing)
        absent, self._absent = self._absent, {}
        for session in absent:
            self._reception.gone(session, Ending.DISCONNECTED)

    def _fail(self, match: RunningMatch, missing: Sequence[Seat]) -> None:
        for seat in missing:
            fault = Fault(seat=seat, ending=Ending.DISCONNECTED, blame=Blame.UNKNOWN)
            self._desk.fault(match, fault)
