"""One referee in this process, from its setup to its end."""

import asyncio
import hashlib
import logging
import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Self

import structlog

from referee.app.instances import Instance
from referee.app.lobby import Lobby
from referee.app.running import RunningMatch as AppMatch
from referee.app.seating import players_by_seat
from referee.app.seeds import EventSeeds
from referee.app.service import Service, ServicePorts
from referee.app.session import Session
from referee.bootstrap.event import open_event
from referee.bootstrap.legs import check_leg
from referee.bootstrap.logs import configure_logs
from referee.bootstrap.running import RunningMatch, Unrecorded
from referee.bootstrap.setup import (
    Guest,
    Isolation,
    IssuedInstance,
    Offer,
    RefereeSetup,
    TablePlan,
    checked,
    service_setup,
)
from referee.clock import LoopClock
from referee.ladder.values import LegPlace
from referee.match.facts import MatchEnded
from referee.match.values import MatchConfig
from referee.metrics.endpoint import MetricsEndpoint
from referee.metrics.meter import PrometheusMeter
from referee.ports import Audience, FactStore, Hello, Left, MatchHeader, StoreError
from referee.rules.errors import ConfigError
from referee.rules.options import player_seats
from referee.transport.endpoints import Endpoint
from referee.transport.server import GrpcServer, Tls
from referee.wire.codec import WireCodec

_log = structlog.get_logger("referee.bootstrap")


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
        self._practice = setup.practice
        self._started = self._over = 0  # matches of the event
        self._kept_names: set[str] = set()  # of instances that were issued a token then
        self._left: list[RunningMatch] = []  # that an earlier process began
        self._unrecorded = Unrecorded()
        self._plan: TablePlan | None = None
        self.on_begun: Callable[[RunningMatch], None] = lambda running: None  # nothing is told yet
        self._finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.fenced: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.match_prefix = ""
        self.resumed = 0
        self.addresses: tuple[str, ...] = ()
        self.metrics_address: str | None = None
        self.unfinished: str | None = None  # after `stop`: why something is left in the store

    @classmethod
    async def start(
        cls, setup: RefereeSetup, *, guests: Sequence[Guest] = (), offer: Offer | None = None
    ) -> Self:
        """Start a referee in the running loop. Raises `ConfigError` for what cannot be.

        `guests` are let in from its first moment on: they may be waiting for it, and a bot that is
        refused does not come again. `offer` says what is served beside its streams.
        """
        if not structlog.is_configured():
            configure_logs(level=logging.WARNING)  # its own default is stdout
        endpoints, tls = checked(setup)
        store, left, secret = open_event(setup)
        meter, seeds = PrometheusMeter(), EventSeeds(secret)
        clock = LoopClock(asyncio.get_running_loop())
        service = Service(
            service_setup(setup),
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
        if offer is not None:
            server.offer(offer(referee, service))
        referee._prepare(secret, left)
        try:
            for guest in guests:
                referee.admit_instance(guest.name, guest.owner, guest.token_hash)
            await referee._open(endpoints, tls, meter)
            referee._end_rest()
        except BaseException:
            await referee.forgo()
            raise
        return referee

    def _prepare(self, secret: bytes, left: Left) -> None:
        """Take what an earlier process left, before anybody can come in."""
        self.match_prefix = hashlib.sha256(b"match names" + secret).hexdigest()[:8]
        self._practice = self._practice or left.practice
        self._started, self._over = left.started, left.over
        self._kept_names = {row.name for row in left.instances if row.token_hash is not None}
        self._service.on_fenced = self._fenced
        self._service.on_ready = lambda ready: self._server.store_away(away=not ready)
        self._service.resumption.on_told = self._count
        self._service.on_settled(self._count)
        self._service.on_recorded(self._unrecorded.recorded, self._unrecorded.lost)
        if not self._setup.resume:
            self._service.resumption.goes_on = lambda stored: False
        self.resumed = self._service.resume(left, hold=True)
        self._left += map(self._watched, self._service.matches())

    def _end_rest(self) -> None:
        try:
            self._service.end_rest()
        except StoreError as error:
            raise ConfigError(f"store {self._setup.store}: {error}") from None

    def _fenced(self, text: str) -> None:
        if not self.fenced.done():
            self.fenced.set_result(text)

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
        links that one owner loses together are no proof against the network. Raises `ConfigError`
        when the instance cannot be kept.
        """
        try:
            instance, token = self._service.reception.instances.issue(name, owner)
        except StoreError as error:
            raise ConfigError(f"token for {name}: {error}") from error
        return IssuedInstance(instance_id=instance.id, token=token)

    def admit_instance(self, name: str, owner: str, token_hash: bytes) -> str:
        """Let a process in whose token somebody else made; return the id of its instance.

        `token_hash` is the SHA-256 of the token's text. The same hash is the same instance, also
        where an earlier process of the event left it; it goes on under this name and owner.
        Raises `ConfigError` for what is no such hash, and when it cannot be kept.
        """
        if len(token_hash) != hashlib.sha256().digest_size:
            raise ConfigError(f"token for {name}: a hash of {len(token_hash)} bytes; 32 are needed")
        try:
            return self._service.reception.instances.admit(name, owner, token_hash).id
        except StoreError as error:
            raise ConfigError(f"token for {name}: {error}") from error

    def has_instance(self, name: str) -> bool:
        """True if an earlier process issued a good token of this name; its hash alone is kept."""
        return name in self._kept_names

    def is_ready(self, instance_id: str) -> bool:
        """True while an instance that said Hello has a stream."""
        session = self._instance(instance_id).session
        return session is not None and session.link is not None

    async def wait_ready(self, instance_id: str, timeout_s: float) -> None:
        """Return when the instance has said Hello. Raises `TimeoutError`."""
        if self.is_ready(instance_id):
            return
        instance = self._instance(instance_id)
        came: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        instance.on_ready.append(lambda: None if came.done() else came.set_result(None))
        await asyncio.wait_for(came, timeout_s)

    def hello_of(self, instance_id: str) -> Hello | None:
        """Return what an instance said in its last Hello; None before it, and once it is gone.

        That may have been said to an earlier process of the event.
        """
        session = self._instance(instance_id).session
        return session.hello if session is not None and session.came else None

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
        board: str | None = None,
        place: LegPlace | None = None,
    ) -> RunningMatch:
        """Start a match with one instance a seat; one that is not there yet is waited for.

        Matches with the same `board` are its legs, two at most; bots are not told. Bot seeds that
        are empty are drawn from the event secret. Raises `ConfigError` for an instance in two seats
        or in both legs, unless the isolation allows it.

        With a `place` it is a leg of a ladder: it is named by `match_name`, all legs of its deal
        have the same cards and the same bot seeds by seat, and it is sealed until `unseal`. It has
        no audience, and no other board than its deal.
        """
        if place is not None:
            name = self.match_name(place)
            check_leg(config, place, name=name, board=board, audience=audience)
        reception = self._service.reception
        sessions = [reception.session_of(self._instance(one)) for one in instances]
        try:
            return self._start(config, sessions, audience, board, place)
        except StoreError as error:
            raise ConfigError(f"match {config.match_id}: {error}") from error

    def match_name(self, place: LegPlace) -> str:
        """Return the name of a leg of a ladder: two legs of a board have nothing in common."""
        return self._seeds.match_name(place)

    @property
    def next_number(self) -> int:
        """Return the number of the next match among all of the event, from 1."""
        return self._started + 1

    def unseal(self, match_ids: Iterable[str]) -> None:
        """Write the records of all legs of a deal, once all are over; `recorded` tells when.

        Those that were cancelled too. The deal is over with it, as with `board_over`. Raises
        `ConfigError`, and unseals nothing, while one of its legs runs. Other names are harmless.
        """
        self._service.unseal(match_ids)

    def board_over(self, board: str) -> None:
        """Forget who sat in the legs of a board, of which nothing will be played any more."""
        self._service.seating.board_over(board)

    def _start(
        self,
        config: MatchConfig,
        sessions: Sequence[Session],
        audience: Audience | None,
        board: str | None = None,
        place: LegPlace | None = None,
    ) -> RunningMatch:
        config = self._seeds.with_bot_seeds(config, board=board if place is None else place.deal)
        isolation = self._setup.isolation.value
        header = MatchHeader(practice=self._practice, isolation=isolation, place=place)
        start = self._service.start_match
        self._started += 1  # at once: a name that may be stored is not given again
        try:
            match = start(config, sessions, header=header, audience=audience, board=board)
        except (ConfigError, StoreError):  # nothing was stored
            self._started -= 1
            raise
        except Exception:  # our bug; whatever is left of it, nobody waits for its end
            self._over += 1
            raise
        return self._watched(match)

    def _watched(self, match: AppMatch) -> RunningMatch:
        running = RunningMatch(self._service, match)
        self._unrecorded.add(running)
        self.on_begun(running)
        match.on_over.append(self._ended)
        return running

    def _ended(self, _: MatchEnded) -> None:
        self._over += 1
        self._count()

    def _count(self) -> None:
        """Finish once all matches of the plan are over and kept, with their records, and all seats
        told that may come back.
        """
        plan = self._plan
        if plan is None or plan.matches is None or self._started < plan.matches:
            return
        all_done = self._service.settled and not self._service.resumption.retelling
        if self._over >= self._started and all_done and not self._finished.done():
            self._finished.set_result(None)

    def open_lobby(self, plan: TablePlan) -> asyncio.Future[None]:
        """Seat bots as they come; the future is done when all matches of the plan are over.

        Matches that an earlier process left count, and go on from here.
        """
        self._plan = plan
        for running in self._left:
            running.hear(plan.audience)
        self._left.clear()
        self._service.reception.open_lobby(
            Lobby(
                seats=len(player_seats(plan.settings.rules)),
                may_share=self._setup.isolation is Isolation.NONE,
                start=self._start_table,
                matches=plan.seatings(self._started),
                parallel=plan.parallel,
            )
        )
        self._service.go_on()
        self._count()
        return self._finished

    def _start_table(self, table: Sequence[Session]) -> None:
        assert self._plan is not None
        players = players_by_seat(self._plan.settings.rules, [one.name for one in table])
        match_id = f"{self.match_prefix}-{self.next_number:06d}"
        config = MatchConfig(match_id=match_id, settings=self._plan.settings, players=players)
        self._start(config, table, self._plan.audience)

    # --- the end

    async def stop(self, grace_s: float = 1.0, *, coming_back: bool = False) -> None:
        """End matches and streams, tell the bots, and let go of everything. Once is enough.

        With `coming_back` bots are told to try again later, else that there is nothing more. The
        event is over with it: the next process that opens the store begins another one.
        """
        if self._stopped:
            return
        self._stopped = True
        await self._server.drain()
        self._service.drain(coming_back=coming_back)
        await self._server.stop(grace_s)
        self._close()
        self._let_go_of_store()

    @property
    def unwritten(self) -> int:
        """How many records could not be written, and are tried again."""
        return self._service.unwritten

    def _let_go_of_store(self) -> None:
        why = "another process has the store"
        try:
            if not self.fenced.done():
                self._service.write_records()
                self._store.finish_event()
        except StoreError as error:  # the next process goes on with what is kept
            self.unfinished = why = str(error)
            _log.error("the event was not ended", error=self.unfinished)
        finally:
            self._store.close()
            self._unrecorded.all_lost(why)

    async def forgo(self) -> None:
        """Let go of everything before anything was played, instead of `stop`.

        What an earlier process left is there for the next one as it was.
        """
        self._stopped = True
        await self._server.stop(0)
        self._close()
        self._store.close()

    def _close(self) -> None:
        self._service.stop()
        if self._metrics is not None:
            self._metrics.close()
