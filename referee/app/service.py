"""The service: streams and matches behind one door. Bootstrap gives it its ports."""

from collections.abc import Callable, Iterable, Sequence

import msgspec
import structlog

from referee.app.dispatcher import Dispatcher
from referee.app.instances import Instance
from referee.app.outage import Doubt
from referee.app.reception import Reception, ServiceSetup
from referee.app.resume import Resumption
from referee.app.running import RunningMatch
from referee.app.sealing import Seals
from referee.app.seating import LEGS, SeatingRules
from referee.app.session import Session
from referee.ladder.values import Deals, LegPlace
from referee.match.inputs import Fault
from referee.match.values import MIN_LAG_LIMIT_NS, MS, Ending, MatchConfig
from referee.ports import (
    Audience,
    Clock,
    Codec,
    FactStore,
    Left,
    MatchHeader,
    Meter,
    SeatRow,
    SeedSource,
    StoreError,
    StoreFenced,
)
from referee.rules.errors import ConfigError
from referee.rules.options import player_seats
from referee.rules.seat import Seat

_log = structlog.get_logger("referee.service")
_LONG_NS = 3_600_000 * MS


class ServicePorts(msgspec.Struct, frozen=True, kw_only=True):
    """The world, as the service sees it. `new_token` returns a fresh secret each time."""

    clock: Clock
    store: FactStore
    seeds: SeedSource
    codec: Codec
    meter: Meter
    new_token: Callable[[], str]


class Service:
    """Everything that runs in the loop of a referee process, without its sockets."""

    def __init__(self, setup: ServiceSetup, ports: ServicePorts) -> None:
        self.setup = setup
        self._ports = ports
        self._desk = Dispatcher(
            clock=ports.clock,
            store=ports.store,
            seeds=ports.seeds,
            codec=ports.codec,
            meter=ports.meter,
            limits=setup.limits,
        )
        desk = self._desk
        self.reception = Reception(setup, desk, ports.store, ports.new_token)
        self.reception.patience = self._patience
        self.seating = SeatingRules(may_share=setup.may_share)
        self._seals = Seals(ports.meter)
        self.on_ready: Callable[[bool], None] = lambda ready: None
        self._ready = True
        self.on_fenced: Callable[[str], None] = lambda text: None
        self.resumption = Resumption(
            self.reception, desk, epoch=ports.store.epoch, started=self._watch
        )
        self._overdue: dict[Session, int] = {}  # when their time without a stream was over
        self._seat_again = desk.timers.alarm(self._seat_all)
        probe = self.reception.register.keep_again
        self._doubt = Doubt(desk, probe=probe, changed=self._tell_ready)
        self.reception.on_refused = self._doubt.begin
        desk.outage.on_away.append(self._tell_ready)
        desk.outage.on_back.append(self._store_back)
        desk.on_fenced = self._fenced

    @property
    def running(self) -> int:
        """Matches that are running."""
        return len(self._desk.matches)

    @property
    def settled(self) -> bool:
        """True if every end that was told is kept, and has its record. See `on_settled`."""
        return self._desk.keeping.settled

    def on_recorded(
        self, written: Callable[[str, str | None], None], lost: Callable[[str], None]
    ) -> None:
        """Call back with a match and where its record is, or where there will never be one."""
        self._desk.keeping.on_recorded = written
        self._desk.keeping.on_unrecorded = lost

    def on_settled(self, callback: Callable[[], None]) -> None:
        """Call back whenever that has come true."""
        self._desk.keeping.on_settled = callback

    def matches(self) -> list[RunningMatch]:
        """Return the matches that run, or wait for their seats after a restart."""
        return list(self._desk.matches.values())

    def turned(self, duration_ns: int) -> None:
        """Take the length of a turn of the loop, before anything is read in the next one."""
        self._ports.meter.loop_blocked(duration_ns)
        if duration_ns > MIN_LAG_LIMIT_NS:  # under every match's limit
            began = self._ports.clock.now() - duration_ns
            stamp = self._ports.clock.stamp()  # the same but for the time that this call took
            began = stamp if 0 <= began - stamp < MS else began
            self.reception.losses.blocked(began, began + duration_ns)
            self._desk.blocked(began, duration_ns)

    # --- matches

    def start_match(
        self,
        config: MatchConfig,
        sessions: Sequence[Session],
        *,
        header: MatchHeader,
        audience: Audience | None = None,
        board: str | None = None,
    ) -> RunningMatch:
        """Start a match with one session for each seat of a player, as a leg of a board if any.

        One that has a place in a ladder is a leg of its deal, and sealed until `unseal`.

        Raises `ConfigError` for a bad seating, and `StoreError` when it cannot be kept now.
        """
        instances, place = [session.instance.id for session in sessions], header.place
        seats = player_seats(config.settings.rules)
        board = board if place is None else place.deal
        self.seating.check(
            config.match_id,
            instances,
            seats=len(seats),
            board=board,
            legs=_legs_of(place),
        )
        began = self._ports.clock.now()
        match = RunningMatch(config, began=began, audience=audience, place=place)
        if match.id in self._desk.matches:
            raise ConfigError(f"match {match.id}: a match of that name is running")
        if self._desk.outage.away:
            raise StoreError("the store is away")
        match.record_path = self._open(config, header, sessions)
        self.seating.seated(match.id, instances, board=board)
        for seat, session in zip(seats, sessions, strict=True):
            match.holdings[seat] = session.take_seat(match, seat)
        if place is not None:
            self._seal(match, place)  # first: who sat in it is not to be seated at its end
        self._watch(match)
        self._desk.add(match)
        _log.info(
            "match started",
            match=match.id,
            instances=instances,
            names=match.names,
        )
        return match

    def _seal(self, match: RunningMatch, place: LegPlace) -> None:
        self._seals.seal(match, place)
        self._desk.keeping.seal(match.id)

    def unseal(self, match_ids: Iterable[str]) -> None:
        """Write the records of legs that are over, and forget who sat in them: they are free again.

        Raises `ConfigError`, and unseals nothing, while a leg of the same deal runs. Names of
        matches that are not sealed are passed over.
        """
        places = {one: place for one in match_ids if (place := self._seals.place(one)) is not None}
        deals = {place.deal for place in places.values()}
        for match in self._desk.matches.values():
            if match.place is not None and match.place.deal in deals:
                raise ConfigError(
                    f"match {match.id} still runs: the legs of a deal are unsealed when all of "
                    "them are over"
                )
        seated = [one for match_id in places for one in self._unseal(match_id)]
        for deal in deals:
            self.seating.board_over(deal)
        for instance in dict.fromkeys(seated):
            if instance.session is not None:
                self._free_again(instance.session)

    def _unseal(self, match_id: str) -> Sequence[Instance]:
        self._desk.keeping.unseal(match_id)
        return self._seals.unseal(match_id)

    def _open(
        self, config: MatchConfig, header: MatchHeader, sessions: Sequence[Session]
    ) -> str | None:
        numbers = {session: session.next_number for session in sessions}
        seats = []
        for session in sessions:
            seats.append(SeatRow(instance_id=session.instance.id, number=numbers[session]))
            numbers[session] += 1
        try:
            return self._ports.store.open_match(config, header, seats)
        except StoreFenced as error:
            self._desk.fence(str(error))
            raise
        except StoreError:
            self._seat_again.set(self._ports.clock.now() + self.setup.limits.store_retry_ns)
            raise

    def _watch(self, match: RunningMatch) -> None:
        match.on_over.append(lambda ended: self._match_over(match))

    def _seat_all(self) -> None:
        lobby = self.reception.lobby
        if lobby is not None and not self.reception.draining:
            lobby.seat_all()

    # --- after a restart, and while the store is away

    def resume(self, left: Left, *, hold: bool = False) -> int:
        """Go on with what an earlier process left; return the number of its running matches.

        Before anybody comes in. With `hold` none of them goes on before `go_on`.
        """
        self.resumption.held = hold
        return self.resumption.take(left)

    def end_rest(self) -> None:
        """End what an earlier process left and this one does not go on with, records and all.

        Raises `StoreError` where that cannot be kept now.
        """
        self.resumption.end_rest()
        self._desk.keeping.close_all()
        if self._desk.outage.away or not self.settled:
            raise StoreError("what was left running cannot be ended: it keeps nothing now")

    def go_on(self) -> None:
        """Let matches that an earlier process left go on."""
        self.resumption.go_on()

    def _patience(self, session: Session) -> int | None:
        """Nobody is gone while the store is away: who came back could not be let in."""
        if self._desk.outage.away:
            now = self._ports.clock.now()
            self._overdue.setdefault(session, now)
            return now + _LONG_NS
        return self.resumption.until(session)

    def _tell_ready(self) -> None:
        ready = not (self._desk.outage.away or self._doubt.on)
        if ready is not self._ready:
            self._ready = ready
            self._ports.meter.ready(ready)
            self.on_ready(ready)

    def _store_back(self, away_ns: int) -> None:
        self._tell_ready()
        for session in self.reception.register.all():
            if session.grace.when is not None:
                session.grace.set(self._overdue.get(session, session.grace.when) + away_ns)
        self._overdue.clear()
        self._seat_all()

    def _fenced(self, text: str) -> None:
        self._tell_ready()
        self.reception.shut()
        self.on_fenced(text)

    def _match_over(self, match: RunningMatch) -> None:
        holdings = list(match.holdings.values())
        for holding in holdings:
            holding.session.running -= 1
            holding.session.open_asks -= len(holding.open)  # where we failed, some are left
            holding.open.clear()
        for holding in holdings:
            if not self.reception.knows(holding.session):
                match.told_end(holding)  # nobody is there
            else:
                self._free_again(holding.session)

    def _free_again(self, session: Session) -> None:
        lobby = self.reception.lobby
        if lobby is not None and not self.reception.draining and self.reception.knows(session):
            lobby.join(session)

    def end_match(self, match: RunningMatch, ending: Ending, seat: Seat | None = None) -> None:
        """End a running match by order, or by the fault of a seat."""
        self._desk.fault(match, Fault(seat=seat, ending=ending))

    # --- the end

    def drain(self, *, coming_back: bool) -> None:
        """End all matches and streams; new ones are sent away.

        While the store is away its matches are told so, though it cannot be kept: a process that
        takes the store over afterwards goes on with them.
        """
        self.reception.draining = True
        self.reception.coming_back = coming_back
        self._desk.outage.try_now()
        if self._desk.outage.paused and not self._desk.fenced:
            self._desk.outage.give_up(Ending.CANCELLED)
        for match in list(self._desk.matches.values()):
            self.end_match(match, Ending.CANCELLED)
        self._desk.finish()
        for stream in self.reception.streams():
            self.reception.say_draining(stream)

    @property
    def unwritten(self) -> int:
        """How many records could not be written, and are tried again."""
        return self._desk.keeping.unwritten

    def write_records(self) -> None:
        """Write all records that can be written now, those of sealed matches too."""
        for match_id in self._seals.all():
            self._unseal(match_id)
        self._desk.keeping.close_all()

    def stop(self) -> None:
        """Let go of the loop, once all streams have ended."""
        self._desk.timers.stop()


def _legs_of(place: LegPlace | None) -> int | None:
    """Return how many legs a board has at most; None where a whole field meets the deal."""
    if place is None:
        return LEGS
    return None if place.deals is Deals.FIELD else len(place.sides)
