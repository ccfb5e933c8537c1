"""The service: streams and matches behind one door. Bootstrap gives it its ports."""

from collections.abc import Callable, Sequence

import msgspec
import structlog

from referee.app.dispatcher import Dispatcher
from referee.app.reception import Reception, ServiceSetup
from referee.app.running import RunningMatch
from referee.app.session import Session
from referee.match.inputs import Fault
from referee.match.values import MIN_LAG_LIMIT_NS, MS, Ending, MatchConfig
from referee.ports import (
    Audience,
    Clock,
    Codec,
    FactStore,
    MatchHeader,
    Meter,
    SeedSource,
    StoreError,
)
from referee.rules.errors import ConfigError
from referee.rules.seat import Seat

_log = structlog.get_logger("referee.service")


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
        self.reception = Reception(setup, self._desk, ports.new_token)

    @property
    def running(self) -> int:
        """Matches that are running."""
        return len(self._desk.matches)

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
    ) -> RunningMatch:
        """Start a match with one session for each seat. Raises `ConfigError` for a bad seating."""
        self._check_seating(config, sessions)
        began = self._ports.clock.now()
        match = RunningMatch(config, began=began, audience=audience)
        if match.id in self._desk.matches:
            raise ConfigError(f"match {match.id}: a match of that name is running")
        try:
            match.record_path = self._ports.store.open_match(config, header)
        except StoreError as error:
            raise ConfigError(f"match {match.id}: {error}") from error
        for seat, session in enumerate(sessions):
            match.holdings.append(session.take_seat(match, Seat(seat)))
        match.on_over.append(lambda ended: self._match_over(match))
        self._desk.add(match)
        _log.info(
            "match started",
            match=match.id,
            instances=[session.instance.id for session in sessions],
            names=match.names,
        )
        return match

    def _check_seating(self, config: MatchConfig, sessions: Sequence[Session]) -> None:
        wanted = len(config.players)
        if len(sessions) != wanted:
            raise ConfigError(f"match {config.match_id}: {wanted} seats, {len(sessions)} instances")
        shared = len(set(sessions)) < len(sessions)
        if shared and not self.setup.may_share:
            raise ConfigError(
                f"match {config.match_id}: one instance in two seats would show partners each "
                "other's hands; start one process a seat, or allow it with isolation none"
            )

    def _match_over(self, match: RunningMatch) -> None:
        holdings = list(match.holdings)
        for holding in holdings:
            holding.session.running -= 1
            holding.session.open_asks -= len(holding.open)  # where we failed, some are left
            holding.open.clear()
        for holding in holdings:
            if not self.reception.knows(holding.session):
                match.told_end(holding)  # nobody is there
            elif self.reception.lobby is not None and not self.reception.draining:
                self.reception.lobby.join(holding.session)

    def end_match(self, match: RunningMatch, ending: Ending, seat: Seat | None = None) -> None:
        """End a running match by order, or by the fault of a seat."""
        self._desk.fault(match, Fault(seat=seat, ending=ending))

    # --- the end

    def drain(self, *, coming_back: bool) -> None:
        """End all matches and streams; new ones are sent away."""
        self.reception.draining = True
        self.reception.coming_back = coming_back
        for match in list(self._desk.matches.values()):
            self.end_match(match, Ending.CANCELLED)
        self._desk.finish()
        for stream in self.reception.streams():
            self.reception.say_draining(stream)

    def stop(self) -> None:
        """Let go of the loop, once all streams have ended."""
        self._desk.timers.stop()
