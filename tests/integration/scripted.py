"""Four bots in one process that read by themselves and say what a test tells them to say."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

import grpc

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.bootstrap import IssuedInstance, Referee, RunningMatch
from referee.formats.records import Record, read_record
from referee.formats.verification import Verified, verify_record
from referee.match.facts import MatchEnded
from referee.match.values import MatchConfig, Player, Settings
from tests.integration.serving import LIMIT_S, Bot

Decision = referee_pb2.Answer
Decide = Callable[[match_pb2.Ask], Decision | None]
Launch = Callable[[IssuedInstance], Awaitable[None]]
NOBODY: Mapping[int, Launch] = MappingProxyType({})
_T = TypeVar("_T")


def by_default(ask: match_pb2.Ask) -> Decision | None:
    """Answer at once with the substitute action."""
    return Decision(default_action=referee_pb2.DefaultAction())


def by_hand(ask: match_pb2.Ask) -> Decision | None:
    """Leave the answer to the test."""
    return None


class PatientBot(Bot):
    """A bot that waits for its next frame as long as it takes."""

    def __init__(self, address: str, token: str | None = None) -> None:
        super().__init__(address, token)
        self.token = token

    async def next_frame(self) -> referee_pb2.PlayResponse | None:
        """The next frame; None at the end of the stream, however it ends."""
        if self._early:
            return self._early.pop(0)
        try:
            data = await self.call.read()
        except grpc.aio.AioRpcError:
            return None
        return referee_pb2.PlayResponse.FromString(data) if isinstance(data, bytes) else None


class ScriptedBot:
    """Reads its stream in a task of its own and keeps all that it was told."""

    def __init__(self, bot: PatientBot, decide: Decide) -> None:
        self.bot = bot
        self.decide = decide
        self.now = asyncio.get_running_loop().time
        self.number = 0  # of the newest match in the session
        self.seating: match_pb2.Seating | None = None
        self.asks: list[match_pb2.Ask] = []
        self.open: dict[int, match_pb2.Ask] = {}  # not answered, and not cancelled
        self.came: dict[int, float] = {}  # time of the loop at which an ask was read
        self.events: list[match_pb2.Event] = []
        self.acks: list[match_pb2.Acknowledgement] = []
        self.acked: dict[int, float] = {}  # time of the first acknowledgement of an ask
        self.cancelled: list[match_pb2.AskCancelled] = []
        self.refused: list[match_pb2.Refused] = []
        self.snapshots: list[match_pb2.Snapshot] = []
        self.pings = 0
        self.closing: referee_pb2.Closing | None = None
        self.lost = False  # the stream is over
        self._news = asyncio.Condition()
        self._reader = asyncio.create_task(self._read())

    async def stop(self) -> None:
        """Read nothing more."""
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)

    async def _read(self) -> None:
        while (frame := await self.bot.next_frame()) is not None:
            reply = referee_pb2.PlayRequest()
            if frame.HasField("ping"):
                self.pings += 1
                reply.pong.number = frame.ping.number
            if frame.HasField("closing"):
                self.closing = frame.closing
            self.refused += frame.refused
            for update in frame.updates:
                self._update(update, reply)
            if reply.ByteSize():
                with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    await self.bot.send(reply)  # the stream may be over: the next read tells
            async with self._news:
                self._news.notify_all()
        self.lost = True
        async with self._news:
            self._news.notify_all()

    def _update(self, update: match_pb2.Update, reply: referee_pb2.PlayRequest) -> None:
        self.number = update.match
        if update.HasField("seating"):
            self.seating = update.seating
        if update.HasField("snapshot"):
            self.snapshots.append(update.snapshot)
        self.events += update.events
        for cancelled in update.cancelled:
            self.cancelled.append(cancelled)
            self.open.pop(cancelled.ask_id, None)
        self.refused += update.refused
        self.acks += update.acks
        for ack in update.acks:
            if ack.HasField("ask_id"):
                self.acked.setdefault(ack.ask_id, self.now())
        for ask in update.asks:
            self.asks.append(ask)
            self.came[ask.ask_id] = self.now()
            answer = self.decide(ask)
            if answer is None:
                self.open[ask.ask_id] = ask
            else:
                answer.match, answer.ask_id = update.match, ask.ask_id
                reply.answers.append(answer)

    # --- waiting for what is told

    async def until(self, found: Callable[[], _T | None]) -> _T:
        """Return what `found` finds, as soon as it is true; looks again after every frame."""
        async with asyncio.timeout(LIMIT_S), self._news:
            while not (result := found()):
                assert not self.lost, f"the stream ended: {await self.bot.status()}"
                await self._news.wait()
        return result

    async def ask(self, kind: str, *, after: int = 0) -> match_pb2.Ask:
        """The first ask of a kind with a number over `after`."""

        def found() -> match_pb2.Ask | None:
            fits = (a for a in self.asks if a.ask_id > after and a.WhichOneof("kind") == kind)
            return next(fits, None)

        return await self.until(found)

    async def ack(self, ask_id: int, status: str) -> match_pb2.Acknowledgement:
        """The acknowledgement of an ask with a status, by its name without the prefix."""
        wanted = match_pb2.AckStatus.Value(f"ACK_STATUS_{status}")
        return await self.until(
            lambda: next((a for a in self.acks if a.ask_id == ask_id and a.status == wanted), None)
        )

    async def first_status(self, ask_id: int) -> str:
        """What the first acknowledgement of an answer says, by its name without the prefix."""
        return (await self.until(lambda: self.statuses(ask_id)))[0]

    async def event(self, kind: str) -> match_pb2.Event:
        """The first event of a kind."""
        return await self.until(lambda: next(iter(self.events_of(kind)), None))

    async def gone(self) -> None:
        """Return when the stream is over."""
        async with asyncio.timeout(LIMIT_S), self._news:
            while not self.lost:
                await self._news.wait()

    def events_of(self, *kinds: str) -> list[match_pb2.Event]:
        """All events of these kinds so far."""
        return [event for event in self.events if event.WhichOneof("event") in kinds]

    def statuses(self, ask_id: int) -> list[str]:
        """Every acknowledgement of an ask so far, in order."""
        names = (match_pb2.AckStatus.Name(a.status) for a in self.acks if a.ask_id == ask_id)
        return [name.removeprefix("ACK_STATUS_") for name in names]

    # --- saying something

    async def say(self, *answers: tuple[int, Decision]) -> None:
        """Send answers to asks of the newest match, in one frame and in this order."""
        frame = referee_pb2.PlayRequest()
        for ask_id, decision in answers:
            answer = frame.answers.add()
            answer.CopyFrom(decision)
            answer.match, answer.ask_id = self.number, ask_id
            self.open.pop(ask_id, None)
        await self.bot.send(frame)

    async def say_default(self, ask_id: int) -> None:
        """Answer with the substitute action."""
        await self.say((ask_id, Decision(default_action=referee_pb2.DefaultAction())))

    async def leave_to(self, decide: Decide) -> None:
        """Answer by a rule from now on, what is open first."""
        self.decide = decide
        for ask_id, ask in list(self.open.items()):
            answer = decide(ask)
            if answer is not None:
                await self.say((ask_id, answer))


async def moment(at: float) -> None:
    """A time of the loop has come."""
    loop = asyncio.get_running_loop()
    due: asyncio.Future[None] = loop.create_future()
    loop.call_at(at, due.set_result, None)
    await due


async def asked_to_act(bots: Sequence[ScriptedBot]) -> ScriptedBot:
    """The bot that is the first to be asked to act, as soon as it is."""
    asks = [asyncio.ensure_future(bot.ask("act")) for bot in bots]
    await asyncio.wait(asks, return_when=asyncio.FIRST_COMPLETED)
    found = next(bot for bot, ask in zip(bots, asks, strict=True) if ask.done())
    for ask in asks:
        ask.cancel()
    await asyncio.gather(*asks, return_exceptions=True)
    return found


def play_cards(*cards: int, wish: int | None = None) -> Decision:
    """An act answer that names cards."""
    act = referee_pb2.ActAnswer(play=match_pb2.Play(cards=cards))  # type: ignore[arg-type]
    if wish is not None:
        act.wish = wish
    return Decision(act=act)


def bomb_with(*cards: int) -> Decision:
    """A bomb answer that names cards."""
    play = match_pb2.Play(cards=cards)  # type: ignore[arg-type]
    return Decision(bomb=referee_pb2.BombAnswer(play=play))


def decline() -> Decision:
    """A bomb answer without a bomb."""
    return Decision(bomb=referee_pb2.BombAnswer(decline=referee_pb2.Decline()))


def give(gifts: dict[int, int]) -> Decision:
    """An exchange answer: card by recipient."""
    exchange = referee_pb2.ExchangeAnswer()
    for seat, card in gifts.items():
        exchange.gifts.add(seat=seat, cards=[card])
    return Decision(exchange=exchange)


class ScriptedTable:
    """A running match and its four bots, by seat."""

    def __init__(self, match: RunningMatch, bots: Sequence[ScriptedBot]) -> None:
        self.match = match
        self.bots = bots

    async def end(self) -> MatchEnded:
        """Wait for the end of the match."""
        return await asyncio.wait_for(self.match.done, LIMIT_S)

    def record(self) -> Record:
        """The record of the match, once that is over: whole, and true."""
        assert self.match.record_path is not None
        record = read_record(self.match.record_path.read_bytes().splitlines(keepends=True))
        verdict = verify_record(record)
        assert isinstance(verdict, Verified), verdict
        return record


@contextlib.asynccontextmanager
async def seated(
    referee: Referee,
    settings: Settings,
    *,
    deciding: Sequence[Decide] = (by_default,) * 4,
    addresses: Sequence[str] = (),
    owners: Sequence[str] = ("b0", "b1", "b2", "b3"),
    match_id: str = "m",
    outside: Mapping[int, Launch] = NOBODY,
    settled: Callable[[Sequence[ScriptedBot]], Awaitable[None]] | None = None,
) -> AsyncIterator[ScriptedTable]:
    """Four bots in a match. `addresses` by seat, where they do not dial the referee itself.

    `outside` starts the processes of seats that are none of ours: `bots` has the others then.
    `settled` is awaited between the last Hello and the deal.
    """
    dialled = addresses or [referee.addresses[0]] * 4
    async with contextlib.AsyncExitStack() as stack:
        bots, instances = [], []
        for seat, decide in enumerate(deciding):
            issued = referee.issue_instance(owners[seat])
            instances.append(issued.instance_id)
            if seat in outside:
                await outside[seat](issued)
                await referee.wait_ready(issued.instance_id, LIMIT_S)
                continue
            bot = await stack.enter_async_context(PatientBot(dialled[seat], issued.token))
            bots.append(ScriptedBot(await bot.hello(), decide))
            stack.push_async_callback(bots[-1].stop)
        if settled is not None:
            await settled(bots)
        players = tuple(Player(name=owner) for owner in owners)
        config = MatchConfig(match_id=match_id, settings=settings, players=players)
        yield ScriptedTable(referee.start_match(config, instances), bots)
