"""A bot that answers at once, comes back after every end, and keeps all that it was told.

Most times it comes back with its session token, sometimes as a process that knows nothing but its
bearer token, and now and then it cuts its own stream.
"""

import asyncio
import contextlib
import enum
import random
from typing import NamedTuple

import grpc

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from tests.integration.serving import METHOD

_OPTIONS = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0))
_PAUSE_S = 0.01  # between two dials; the referee is on this machine
_REMEMBERED = 400  # answers, over all matches


class What(enum.StrEnum):
    """What an entry of a log is."""

    WITH_SESSION = "came with its session token"
    WITH_BEARER = "came with its bearer token alone"
    TOLD = "told"
    SAID = "said"
    CLOSED = "closed"


class Entry(NamedTuple):
    """One thing that happened at a bot."""

    at: float  # time of the loop
    generation: int  # of the referee's process, as far as the bot knows
    stream: int  # counts from 1
    what: What
    data: bytes = b""  # the frame; the session token; the status in words


class Gate:
    """Says to bots whether there is a referee to dial."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.generation = 0  # counts processes that listened
        self.open = False
        self.shut_for_good = False
        self._news = asyncio.Condition()

    async def tell(self, *, open_: bool, for_good: bool = False) -> None:
        """Open or shut it."""
        async with self._news:
            self.open, self.shut_for_good = open_, for_good
            self.generation += open_
            self._news.notify_all()

    async def passed(self) -> bool:
        """Wait until it is open; False where it will not be any more."""
        async with self._news:
            await self._news.wait_for(lambda: self.open or self.shut_for_good)
        return self.open


class Witness:
    """One bot and its log."""

    def __init__(self, name: str, token: str, gate: Gate, rng: random.Random) -> None:
        self.name = name
        self.log: list[Entry] = []
        self.running: set[int] = set()  # numbers of matches it knows, which are not over
        self.newest = 0  # the highest number in the name of a match
        self.welcomed = asyncio.Event()  # cleared by whoever waits for the next Welcome
        self._token = token
        self._gate = gate
        self._rng = rng
        self._session = ""
        self._given: dict[tuple[int, int], bytes] = {}
        self._stream = 0
        self._requests = 0

    async def live(self) -> None:
        """Play until the gate is shut for good."""
        while await self._gate.passed():
            self._stream += 1
            await self._one_stream()
            await asyncio.sleep(_PAUSE_S)

    def _note(self, what: What, data: bytes = b"") -> None:
        now = asyncio.get_running_loop().time()
        self.log.append(Entry(now, self._gate.generation, self._stream, what, data))

    async def _one_stream(self) -> None:
        if self._rng.random() < 0.25:  # it crashed, and is a new process
            self._session = ""
            self._given.clear()
        what = What.WITH_SESSION if self._session else What.WITH_BEARER
        self._note(what, self._session.encode())
        async with grpc.aio.insecure_channel(self._gate.address, options=_OPTIONS) as channel:
            play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(METHOD)
            call = play(metadata=(("authorization", f"Bearer {self._token}"),))
            try:
                await self._converse(call)
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                pass  # the status says it
            finally:
                call.cancel()
            code, text = await call.code(), await call.details() or ""
            self._note(What.CLOSED, f"{code.name}: {text}".encode())

    async def _converse(self, call: grpc.aio.StreamStreamCall[bytes, bytes]) -> None:
        hello = referee_pb2.Hello(protocol_version=1, bot_name=self.name, max_matches=8)
        hello.without_snapshots = self._rng.random() < 0.3
        if self._rng.random() < 0.3:
            hello.event_delivery = referee_pb2.EVENT_DELIVERY_WITH_ASKS
        if self._session:
            hello.session_token = self._session
        await self._say(call, referee_pb2.PlayRequest(hello=hello))
        while isinstance(data := await call.read(), bytes):
            self._note(What.TOLD, data)
            frame = referee_pb2.PlayResponse.FromString(data)
            reply = self._reply(frame)
            if self._rng.random() < 0.001:
                return  # its link is lost, and the answer with it
            if reply.ByteSize():
                await self._say(call, reply)

    async def _say(
        self, call: grpc.aio.StreamStreamCall[bytes, bytes], frame: referee_pb2.PlayRequest
    ) -> None:
        data = frame.SerializeToString()
        self._note(What.SAID, data)
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await call.write(data)  # what was told before is read all the same

    def _reply(self, frame: referee_pb2.PlayResponse) -> referee_pb2.PlayRequest:
        reply = referee_pb2.PlayRequest()
        if frame.HasField("welcome"):
            self._session = frame.welcome.session_token
            self.welcomed.set()
        if frame.HasField("ping"):
            reply.pong.number = frame.ping.number
        for update in frame.updates:
            self._take(update, reply)
        return reply

    def _take(self, update: match_pb2.Update, reply: referee_pb2.PlayRequest) -> None:
        if update.HasField("seating"):
            self.running.add(update.match)
            number = int(update.seating.match_id.rpartition("-")[2])
            self.newest = max(self.newest, number)
        for event in update.events:
            if event.HasField("match_ended"):
                self.running.discard(update.match)
            elif event.HasField("cards_exchanged") and self._rng.random() < 0.2:
                self._requests += 1
                reply.stand_downs.add(match=update.match, request_id=self._requests)
        gone = {one.ask_id for one in update.cancelled}
        for ask in update.asks:
            if ask.ask_id not in gone:
                reply.answers.append(self._answer(update.match, ask))

    def _answer(self, number: int, ask: match_pb2.Ask) -> referee_pb2.Answer:
        given = self._given.get((number, ask.ask_id))
        if given is not None:  # asked again: what was said once is said again
            return referee_pb2.Answer.FromString(given)
        answer = referee_pb2.Answer(match=number, ask_id=ask.ask_id)
        decide(ask, answer, self._rng)
        self._given[number, ask.ask_id] = answer.SerializeToString()
        if len(self._given) > _REMEMBERED:
            del self._given[next(iter(self._given))]
        return answer


def decide(ask: match_pb2.Ask, answer: referee_pb2.Answer, rng: random.Random) -> None:
    """Fill in a legal decision, whatever is listed."""
    if ask.HasField("call") and rng.random() < 0.9:
        answer.call.choice = ask.call.choices[-1]  # the one that says no
    elif ask.HasField("act") and ask.act.plays and not (ask.act.may_pass and rng.random() < 0.3):
        answer.act.index = rng.randrange(len(ask.act.plays))
        answer.act.tichu = ask.act.may_call_tichu and rng.random() < 0.05
    elif ask.HasField("bomb") and ask.bomb.plays and rng.random() < 0.5:
        answer.bomb.index = rng.randrange(len(ask.bomb.plays))
    elif ask.HasField("bomb"):
        answer.bomb.decline.SetInParent()
    elif ask.HasField("choose_seat"):
        answer.choose_seat.seat = rng.choice(ask.choose_seat.seats)
    else:
        answer.default_action.SetInParent()
