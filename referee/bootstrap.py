"""Where everything meets: one referee in this process, from its setup to its end."""

import asyncio
import logging
import secrets
import sys
from collections.abc import Sequence
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Self

import msgspec
import structlog

from referee.app.instances import Instance
from referee.app.limits import SECOND, Limits
from referee.app.lobby import Lobby
from referee.app.reception import ServiceSetup
from referee.app.running import RunningMatch as AppMatch
from referee.app.seeds import EventSeeds
from referee.app.service import Service, ServicePorts
from referee.app.session import Session
from referee.clock import LoopClock
from referee.match.facts import MatchEnded
from referee.match.values import MS, Ending, MatchConfig, Player, Settings
from referee.metrics.endpoint import MetricsEndpoint
from referee.metrics.meter import PrometheusMeter
from referee.ports import Audience, FactStore, MatchHeader
from referee.rules.errors import ConfigError
from referee.rules.options import seats
from referee.rules.seat import Seat
from referee.store.memory import ForgetfulStore
from referee.store.records import RecordStore
from referee.transport.endpoints import Endpoint, parse_endpoint
from referee.transport.server import GrpcServer, Tls
from referee.wire.codec import WireCodec


def configure_logs(form: str = "console", *, level: int = logging.INFO) -> None:
    """Send log events to stderr, one line each, as `console` text or `json`.

    Before this is called, `Referee.start` lets warnings and errors through and nothing else.
    """
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


class Isolation(StrEnum):
    """How the processes of a match are kept apart (PROTOCOL 1). Values travel in records."""

    ISOLATED = "isolated"  # every instance a process of its own that we started
    DECLARED = "declared"  # bots that dial in: what they tell each other cannot be seen
    NONE = "none"  # one process may hold several seats of a match


class RefereeSetup(msgspec.Struct, frozen=True, kw_only=True):
    """What one referee process is to be. Checked by `Referee.start`, which raises `ConfigError`.

    `listen` holds `unix:/path` and `host:port`; port 0 takes a free one.
    """

    listen: tuple[str, ...]
    event_secret: bytes  # 32 bytes; all cards come from it
    practice: bool = False  # the secret was chosen by a person: records say so
    tls_cert: Path | None = None
    tls_key: Path | None = None
    plaintext: bool = False  # listen off this machine without TLS
    open_identity: bool = False  # bots without a token may play, near by only
    isolation: Isolation = Isolation.DECLARED
    record_dir: Path | None = None  # None keeps no records
    metrics_port: int | None = None
    metrics_host: str = "127.0.0.1"
    grace_ms: int = 10_000  # a seat without a stream, before it is a fault
    start_budget_s: float = 30.0  # for a seat whose bot has not said Hello at the deal
    limits: Limits = Limits()  # its grace is replaced by `grace_ms`


class IssuedInstance(msgspec.Struct, frozen=True, kw_only=True):
    """One process that may come. The token is shown this once; only its hash is kept."""

    instance_id: str
    token: str


class TablePlan(msgspec.Struct, frozen=True, kw_only=True):
    """What waiting bots play. `matches` None seats them as long as there are any."""

    settings: Settings
    prefix: str  # of the matches' names
    matches: int | None = None
    parallel: int = 1  # matches of one instance at once, at most
    audience: Audience | None = None


class RunningMatch:
    """A match of this process."""

    def __init__(self, service: Service, match: AppMatch) -> None:
        self._service = service
        self._match = match
        self.match_id = match.id
        self.record_path = Path(match.record_path) if match.record_path else None
        self.done: asyncio.Future[MatchEnded] = asyncio.get_running_loop().create_future()
        match.on_over.append(self._ended)

    def _ended(self, ended: MatchEnded) -> None:
        if not self.done.done():
            self.done.set_result(ended)

    def cancel(self) -> None:
        """End the match by order; `done` gets its `MatchEnded` with `CANCELLED`."""
        self._service.end_match(self._match, Ending.CANCELLED)

    def fault(self, seat: Seat, ending: Ending) -> None:
        """End the match by a fault of a seat that only its starter can see."""
        self._service.end_match(self._match, ending, seat)


class Referee:
    """One referee: its streams, its matches, its records and its numbers."""

    def __init__(
        self,
        setup: RefereeSetup,
        service: Service,
        server: GrpcServer,
        store: FactStore,
        seeds: EventSeeds,
    ) -> None:
        """Use `start`."""
        self._setup = setup
        self._service = service
        self._server = server
        self._store = store
        self._seeds = seeds
        self._metrics: MetricsEndpoint | None = None
        self._stopped = False
        self.addresses: tuple[str, ...] = ()
        self.metrics_address: str | None = None

    @classmethod
    async def start(cls, setup: RefereeSetup) -> Self:
        """Start a referee in the running loop. Raises `ConfigError` for what cannot be."""
        if not structlog.is_configured():
            configure_logs(level=logging.WARNING)  # its own default is stdout
        endpoints, tls = _checked(setup)
        store = RecordStore(setup.record_dir) if setup.record_dir else ForgetfulStore()
        meter, seeds = PrometheusMeter(), EventSeeds(setup.event_secret)
        clock = LoopClock(asyncio.get_running_loop())
        service = Service(
            _service_setup(setup),
            ServicePorts(
                clock=clock,
                store=store,
                seeds=seeds,
                codec=WireCodec(),
                meter=meter,
                new_token=lambda: secrets.token_urlsafe(32),
            ),
        )
        clock.on_turn(service.turned)
        server = GrpcServer(service.reception, max_streams=setup.limits.sessions)
        referee = cls(setup, service, server, store, seeds)
        try:
            await referee._open(endpoints, tls, meter)
        except BaseException:
            await referee.stop(0)
            raise
        return referee

    async def _open(
        self, endpoints: Sequence[Endpoint], tls: Tls | None, meter: PrometheusMeter
    ) -> None:
        setup = self._setup
        if setup.metrics_port is not None:
            self._metrics = MetricsEndpoint(meter, host=setup.metrics_host, port=setup.metrics_port)
            self.metrics_address = self._metrics.address
        self.addresses = await self._server.start(endpoints, tls)

    # --- bots

    def issue_instance(self, name: str, owner: str | None = None) -> IssuedInstance:
        """Make a token for one process of a bot; `name` is for display.

        `owner` is who runs it, unless told the name, or of `alice/1` the part before the slash:
        links that one owner loses together are no proof against the network.
        """
        instance, token = self._service.reception.instances.issue(name, owner)
        return IssuedInstance(instance_id=instance.id, token=token)

    async def wait_ready(self, instance_id: str, timeout_s: float) -> None:
        """Return when the instance has said Hello. Raises `TimeoutError`."""
        instance = self._instance(instance_id)
        if instance.session is not None and instance.session.link is not None:
            return
        came: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        instance.on_ready.append(lambda: None if came.done() else came.set_result(None))
        await asyncio.wait_for(came, timeout_s)

    def report_exit(self, instance_id: str, returncode: int) -> None:
        """A process that we started is gone: its running matches end as CRASHED, at once."""
        self._service.reception.process_exited(self._instance(instance_id), returncode)

    def _instance(self, instance_id: str) -> Instance:
        instance = self._service.reception.instances.get(instance_id)
        if instance is None:
            raise ConfigError(f"instance {instance_id!r} was not issued by this referee")
        return instance

    # --- matches

    def start_match(
        self,
        config: MatchConfig,
        instances: Sequence[str],
        *,
        audience: Audience | None = None,
    ) -> RunningMatch:
        """Start a match with one instance a seat; one that is not there yet is waited for.

        Bot seeds that are empty are drawn from the event secret. Raises `ConfigError` for an
        instance in two seats, unless the isolation allows it.
        """
        reception = self._service.reception
        sessions = [reception.session_of(self._instance(one)) for one in instances]
        return self._start(config, sessions, audience)

    def _start(
        self, config: MatchConfig, sessions: Sequence[Session], audience: Audience | None
    ) -> RunningMatch:
        players = tuple(
            player if player.bot_seed else self._seeded(config.match_id, player, Seat(seat))
            for seat, player in enumerate(config.players)
        )
        config = msgspec.structs.replace(config, players=players)
        header = MatchHeader(practice=self._setup.practice, isolation=self._setup.isolation.value)
        match = self._service.start_match(config, sessions, header=header, audience=audience)
        return RunningMatch(self._service, match)

    def _seeded(self, match_id: str, player: Player, seat: Seat) -> Player:
        return Player(name=player.name, bot_seed=self._seeds.bot_seed(match_id, seat).hex())

    def open_lobby(self, plan: TablePlan) -> asyncio.Future[None]:
        """Seat bots as they come; the future is done when all matches of the plan are over."""
        finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        started = over = 0

        def ended(_: asyncio.Future[MatchEnded]) -> None:
            nonlocal over
            over += 1
            if over == plan.matches and not finished.done():
                finished.set_result(None)

        def start(table: Sequence[Session]) -> None:
            nonlocal started
            started += 1
            players = tuple(Player(name=session.name) for session in table)
            config = MatchConfig(
                match_id=f"{plan.prefix}-{started:06d}", settings=plan.settings, players=players
            )
            self._start(config, table, plan.audience).done.add_done_callback(ended)

        self._service.reception.open_lobby(
            Lobby(
                seats=seats(plan.settings.rules),
                may_share=self._setup.isolation is Isolation.NONE,
                start=start,
                matches=plan.matches,
                parallel=plan.parallel,
            )
        )
        return finished

    # --- the end

    async def stop(self, grace_s: float = 1.0, *, coming_back: bool = False) -> None:
        """End matches and streams, tell the bots, and let go of everything. Once is enough.

        With `coming_back` bots are told to try again later, else that there is nothing more.
        """
        if self._stopped:
            return
        self._stopped = True
        await self._server.drain()
        self._service.drain(coming_back=coming_back)
        await self._server.stop(grace_s)
        self._service.stop()
        if self._metrics is not None:
            self._metrics.close()
        if isinstance(self._store, RecordStore):
            self._store.close()


def _service_setup(setup: RefereeSetup) -> ServiceSetup:
    grace_ns = setup.grace_ms * MS
    if not 0 <= grace_ns <= 3_600 * SECOND:
        raise ConfigError(f"grace: {setup.grace_ms} ms is not 0 to 3600000")
    return ServiceSetup(
        server=f"tichu-referee {version('tichu-referee')}",
        limits=msgspec.structs.replace(setup.limits, grace_ns=grace_ns),
        open_identity=setup.open_identity,
        may_share=setup.isolation is Isolation.NONE,
        start_ns=int(setup.start_budget_s * SECOND),
    )


def _checked(setup: RefereeSetup) -> tuple[list[Endpoint], Tls | None]:
    if not setup.listen:
        raise ConfigError("listen: nowhere; name unix:/path or host:port")
    if len(setup.event_secret) != 32:
        raise ConfigError(f"event secret: {len(setup.event_secret)} bytes, 32 are needed")
    if (setup.tls_cert is None) != (setup.tls_key is None):
        raise ConfigError("TLS: a certificate and its key belong together; give both")
    endpoints = [parse_endpoint(text) for text in setup.listen]
    tls = None
    if setup.tls_cert is not None and setup.tls_key is not None:
        tls = Tls(cert=setup.tls_cert, key=setup.tls_key)
    for endpoint in endpoints:
        if not endpoint.near and tls is None and not setup.plaintext:
            raise ConfigError(
                f"listen {endpoint.text}: tokens would leave this machine in the clear; "
                "give --tls-cert and --tls-key, or say --plaintext"
            )
    return endpoints, tls
