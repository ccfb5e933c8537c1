"""The reception: who may come in, who comes back, and how sessions end (PROTOCOL 1 and 2)."""

from collections.abc import Callable
from functools import partial

import msgspec
import structlog

from referee.app.blame import Cut, LossBook
from referee.app.dispatcher import Dispatcher
from referee.app.instances import Instance, InstanceBook, token_hash
from referee.app.limits import DEFAULT_LIMITS, SECOND, Limits
from referee.app.lobby import Lobby
from referee.app.register import Register
from referee.app.running import RunningMatch
from referee.app.session import Session
from referee.app.streams import Stream
from referee.match.inputs import Fault
from referee.match.values import MS, Blame, Ending
from referee.ports import (
    PROTOCOL_VERSION,
    ClosingCode,
    FactStore,
    Hello,
    SeatLink,
    Status,
    StoredSession,
    StoreError,
    StoreFenced,
    StreamEnd,
    Welcome,
)

_log = structlog.get_logger("referee.reception")


class ServiceSetup(msgspec.Struct, frozen=True, kw_only=True):
    """What an operator decides about the service."""

    server: str  # name and version, told to bots
    limits: Limits = DEFAULT_LIMITS
    open_identity: bool = False  # bots without a token may play, near by only
    may_share: bool = False  # one instance may hold several seats of a match
    start_ns: int = 30 * SECOND  # for a seat whose bot has not said Hello yet
    resume_ns: int = 30 * SECOND  # for a seat whose bot has to come back after our restart


class Reception:
    """All streams and sessions of a process."""

    def __init__(
        self,
        setup: ServiceSetup,
        desk: Dispatcher,
        store: FactStore,
        new_token: Callable[[], str],
    ) -> None:
        self.setup = setup
        self.instances = InstanceBook(new_token, store.keep_instance)
        self.register = Register(self.instances, store)
        self.lobby: Lobby | None = None  # seats those who wait; None: matches are started by hand
        self.redirect: Callable[[Instance], str | None] = lambda instance: None
        self.draining = False
        self.coming_back = False  # once draining: is there anything to come back for?
        self.losses = LossBook()
        self.on_refused: Callable[[str], None] = lambda error: None  # the store keeps nothing
        self.on_attached: Callable[[Session], None] = lambda session: None
        # until when a session may be without a stream though its time is over; None: it may not
        self.patience: Callable[[Session], int | None] = lambda session: None
        self._desk = desk
        self._new_token = new_token
        self._streams: dict[Session, Stream] = {}
        desk.on_overflow = self._overflowed

    # --- streams

    def admit(self, token: str | None, *, near: bool) -> Instance | StreamEnd | None:
        """Return whose stream this is: an instance, None for open identity, or the refusal.

        `near`: the peer is on this machine.
        """
        if token is not None:
            instance = self.instances.by_token(token)
            if instance is not None:
                return instance
            return _unauthenticated("authorization: this token was not issued here")
        if not self.setup.open_identity:
            return _unauthenticated("authorization: missing; send 'Bearer ' and your token")
        if not near:
            return _unauthenticated("authorization: missing; without it only on this machine")
        return None

    def turned_away(self, end: StreamEnd) -> None:
        """Count a stream that was not admitted."""
        self._desk.meter.stream_opened()
        self._desk.meter.stream_closed(end.status)

    def connect(self, link: SeatLink, instance: Instance | None) -> Stream:
        """Begin a stream that was admitted."""
        return Stream(self, self._desk, link, instance)

    def hello(self, stream: Stream, hello: Hello) -> None:
        """Accept or refuse the first frame of a stream."""
        if (end := self._refusal(hello)) is not None:
            stream.close(end)
            return
        if self.draining:
            self.say_draining(stream)
            return
        session, resumed = self.register.find(stream.instance, hello)
        instance = session.instance if session else stream.instance
        if session is None and len(self.register) >= self.setup.limits.sessions:
            text = f"{len(self.register)} sessions are open, and no more are taken; come back later"
            stream.close(StreamEnd(status=Status.RESOURCE_EXHAUSTED, text=text))
            return
        try:
            self._accept_kept(stream, hello, instance, session, resumed=resumed)
        except StoreError as error:
            self._cannot_keep(stream, error)

    def _accept_kept(
        self,
        stream: Stream,
        hello: Hello,
        instance: Instance | None,
        session: Session | None,
        *,
        resumed: bool,
    ) -> None:
        """Accept a Hello once all that makes it good after a restart is kept."""
        token = hello.session_token if resumed else None
        hello = msgspec.structs.replace(hello, session_token=None)
        known = session is not None and token is not None and session.hello == hello
        if self._desk.outage.away and not known:
            raise StoreError("the store is away")
        instance = instance or self.instances.open_identity()
        if (address := self.redirect(instance)) is not None:
            stream.link.send(self._desk.codec.redirect(address))
            if session is None and instance.open_identity:
                self.register.drop(instance)
            stream.close(StreamEnd(status=Status.OK))
            return
        token = token or self._new_token()
        if not known:
            self.register.keep(instance, session, hello, token)
        self._accept(stream, hello, instance, session, token, resumed=resumed)

    def _cannot_keep(self, stream: Stream, error: StoreError) -> None:
        if isinstance(error, StoreFenced):
            self._desk.fence(str(error))
        else:
            self.on_refused(str(error))
        text = "the referee cannot keep your session now; come back later"
        stream.close(StreamEnd(status=Status.UNAVAILABLE, text=text))

    def _refusal(self, hello: Hello) -> StreamEnd | None:
        if hello.protocol_version == PROTOCOL_VERSION:
            return None
        text = (
            f"hello.protocol_version: {hello.protocol_version} is not spoken here; "
            f"this referee speaks {PROTOCOL_VERSION}"
        )
        field = "hello.protocol_version"
        return StreamEnd(status=Status.FAILED_PRECONDITION, text=text, field=field)

    def _accept(
        self,
        stream: Stream,
        hello: Hello,
        instance: Instance,
        session: Session | None,
        token: str,
        *,
        resumed: bool,
    ) -> None:
        now = self._desk.clock.now()
        if session is None:
            session = self._new_session(instance, hello)
            if instance.open_identity and hello.bot_name:
                instance.owner = hello.bot_name
        self._supersede(session)
        self.register.enter(session, token_hash(token))
        self._streams[session] = stream
        instance.exited = False
        stream.session, stream.instance = session, instance
        welcome = Welcome(
            session_token=token,
            server=self.setup.server,
            grace_ms=self.setup.limits.grace_ns // MS,
            resumed=resumed,
        )
        stream.link.send(self._desk.codec.welcome(welcome))
        session.attach(stream.link, hello, now)
        _log.info("hello", instance=instance.id, name=session.name, resumed=resumed)
        waiting, instance.on_ready = instance.on_ready, []
        for callback in waiting:
            callback()
        self.on_attached(session)
        if self.lobby is not None:
            self.lobby.join(session)

    def session_of(self, instance: Instance) -> Session:
        """Return the session of an instance; one that has not said Hello gets one to come to."""
        if instance.session is not None:
            return instance.session
        session = self._new_session(instance, Hello(protocol_version=PROTOCOL_VERSION))
        wait_ns = 0 if instance.exited else self.setup.start_ns  # who is gone will not come
        session.grace.set(self._desk.clock.now() + wait_ns)
        return session

    def restore(self, instance: Instance, stored: StoredSession | None) -> Session:
        """Return the session that an instance had in an earlier process, without its stream.

        Where none was kept the bot had not said Hello, and may do so. There is no grace yet.
        """
        if stored is None:
            return self._new_session(instance, Hello(protocol_version=PROTOCOL_VERSION))
        session = self._new_session(instance, stored.hello, stored.secret)
        session.next_number = stored.next_number
        session.came = True
        return session

    def _new_session(
        self, instance: Instance, hello: Hello, secret: bytes | None = None
    ) -> Session:
        secret = secret or token_hash(self._new_token())
        session = Session(instance, hello, secret, self._desk)
        session.on_grace_over(lambda: self._not_there(session))
        self.register.enter(session, secret)
        instance.session = session
        return session

    def _not_there(self, session: Session) -> None:
        """The time without a stream is over."""
        if (until := self.patience(session)) is not None:
            session.grace.set(until)
            return
        ending = Ending.DISCONNECTED if session.came else Ending.NEVER_STARTED
        self.gone(session, ending, at=self._desk.clock.now())

    def open_lobby(self, lobby: Lobby) -> None:
        """Seat bots from now on, those that are here already first."""
        self.lobby = lobby
        for session in self._streams:
            lobby.join(session)

    def knows(self, session: Session) -> bool:
        """True if the session is not over."""
        return self.register.knows(session)

    def streams(self) -> list[Stream]:
        """Return the streams of all sessions that have one."""
        return list(self._streams.values())

    def _supersede(self, session: Session) -> None:
        old = self._streams.pop(session, None)
        if old is not None:
            old.session = None
            old.close_with(
                ClosingCode.SUPERSEDED,
                "a newer stream of the same bot took over",
                retry=False,
                status=Status.ABORTED,
            )
        session.detach()

    def goodbye(self, stream: Stream, text: str) -> None:
        """The bot ends its session on purpose; what it still plays it gives up."""
        session, stream.session = stream.session, None
        stream.close(StreamEnd(status=Status.OK))
        if session is not None:
            _log.info("goodbye", instance=session.instance.id, text=text)
            self.gone(session, Ending.RESIGNED)

    def lost(self, stream: Stream, cut: Cut) -> None:
        """The stream ended without Goodbye: the seats wait for the grace."""
        session, stream.session = stream.session, None
        if session is None:
            return
        self._streams.pop(session, None)
        session.detach()
        if self.lobby is not None:
            self.lobby.leave(session)
        instance, now = session.instance, self._desk.clock.now()
        _log.info("stream lost", instance=instance.id, seats=len(session.holdings))
        if instance.exited:
            self.gone(session, Ending.CRASHED)
            return
        if cut is not Cut.PROTOCOL:
            stamp = self._desk.clock.stamp()
            session.loss = self.losses.lost(instance, now, stamp=stamp, ours=cut is Cut.OURS)
        if not session.holdings and instance.open_identity:
            self.gone(session, Ending.DISCONNECTED)
        else:
            session.grace.set(now + self.setup.limits.grace_ns)
            self._hand_unsent(session)

    def _hand_unsent(self, session: Session) -> None:
        """Asks that waited for the stream count as handed now: nothing waits for it."""
        for holding in session.holdings.values():
            if holding.match.ended is None:
                self._desk.hand_over(holding.match, holding.seat)

    def flooded(self, session: Session) -> None:
        """The bot sent more than the limits allow: that ends its matches."""
        stream = self._streams.get(session)
        if stream is None:
            self.gone(session, Ending.FLOODED)
            return
        text = "more frames than the limits allow; answer asks, and send nothing else in a hurry"
        self._throw_out(
            stream, ClosingCode.FLOODING, text, Ending.FLOODED, Status.RESOURCE_EXHAUSTED
        )

    def _overflowed(self, session: Session) -> None:
        stream = self._streams.get(session)
        if stream is not None:
            text = "too much waits that was not read; read the stream while you think"
            self._throw_out(
                stream,
                ClosingCode.SLOW_READER,
                text,
                Ending.SLOW_READER,
                Status.RESOURCE_EXHAUSTED,
            )

    def _throw_out(
        self, stream: Stream, code: ClosingCode, text: str, ending: Ending, status: Status
    ) -> None:
        session, stream.session = stream.session, None
        stream.close_with(code, text, retry=False, status=status)
        if session is not None:
            self.gone(session, ending)

    def gone(self, session: Session, ending: Ending, *, at: int | None = None) -> None:
        """The session is over: its seats are a fault in their matches."""
        self._streams.pop(session, None)
        session.part()
        if self.lobby is not None:
            self.lobby.leave(session)
        self.register.leave(session)
        for holding in list(session.holdings.values()):
            match = holding.match
            if match.ended is not None:
                match.told_end(holding)  # it would have been told when it is back
            elif not match.machine.over:
                self._desk.meter.fault(ending)
                fault = Fault(seat=holding.seat, ending=ending)
                lost = ending is Ending.DISCONNECTED
                blame = partial(self._blame, session, match) if lost else None
                self._desk.fault(match, fault, at=at, blame=blame)

    def _blame(self, session: Session, match: RunningMatch) -> Blame:
        """Return whose fault a link is that was lost and not seen again (PROTOCOL 5)."""
        if match.waiting:
            return Blame.UNKNOWN  # its bot could not play, and we were not there before
        if session.loss is None:
            return Blame.BOT
        return session.loss.blame(match.config.settings.lag_limit_ns)

    def process_exited(self, instance: Instance, returncode: int) -> None:
        """A process that we started is gone: no grace for it."""
        instance.exited = True
        _log.info("process exited", instance=instance.id, returncode=returncode)
        session = instance.session
        if session is not None:
            stream = self._streams.get(session)
            if stream is not None:
                stream.session = None
                stream.close(StreamEnd(status=Status.LOST))
            self.gone(session, Ending.CRASHED if session.came else Ending.NEVER_STARTED)

    def shut(self) -> None:
        """Nothing that this process knows is true any more: all are sent away, told nothing."""
        self.draining = self.coming_back = True
        for stream in self.streams():
            stream.session = None
            self.say_draining(stream)
        self._streams.clear()
        for session in self.register.all():
            session.part()
            self.register.forget(session)

    def say_draining(self, stream: Stream) -> None:
        """Send a bot away, for good or until the referee is back, with the last it is to know."""
        if stream.session is not None:
            stream.session.flush_all(self._desk.clock.now())
        stream.close_with(
            ClosingCode.DRAINING,
            "the referee goes down; come back later" if self.coming_back else "all is played",
            retry=self.coming_back,
            status=Status.UNAVAILABLE,
        )


def _unauthenticated(text: str) -> StreamEnd:
    return StreamEnd(status=Status.UNAUTHENTICATED, text=text, field="authorization")
