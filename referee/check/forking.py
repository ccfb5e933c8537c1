"""A stored round continued by other bots: a process a seat, each over a stream of its own."""

import asyncio
import contextlib
import hashlib
import secrets
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from pathlib import Path

import msgspec

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.app.limits import Limits
from referee.check.examinee import Examinee, Waiting
from referee.check.fork_table import ForkTable, reseeded
from referee.check.proctor import Gone, Proctor, Silent, Unreadable
from referee.check.stream import ExamStream
from referee.formats.forks import ForkPoint
from referee.match.step import Ask
from referee.match.values import AskKind, MatchConfig
from referee.ports import MAX_FRAME_BYTES, PROTOCOL_VERSION, ClosingCode, FieldFault, Frame, Welcome
from referee.rules.seat import Seat
from referee.wire.codec import WireCodec
from referee.wire.decode import decode_frame

START_S = 30.0  # as `referee play`
_LEAVE_S = 2.0
_LIMITS = Limits()  # as those of a referee
_MOST_ITEMS = 4_096  # of a frame, PROTOCOL 1
_CODEC = WireCodec()


class ForkFault(Exception):
    """The round could not be played to its end: whose fault, and what that bot wrote last."""

    def __init__(self, what: str, last_lines: Sequence[str] = ()) -> None:
        super().__init__(what)
        self.last_lines = tuple(last_lines)


class _Flooding(Exception):
    """More frames than a referee takes."""


class Came(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one continuation. `number` counts from 1."""

    number: int
    points: tuple[int, ...]
    left_open: tuple[Seat, ...]  # who let an ask for a bomb pass without a word so far


async def forks(
    config: MatchConfig,
    point: ForkPoint,
    argvs: Mapping[Seat, Sequence[str]],
    *,
    times: int,
    seed: str | None,
    folder: Path,
    limit_s: float,
    start_s: float = START_S,
) -> AsyncGenerator[Came, None]:
    """Continue a round `times` times, yielding what came of each.

    `argvs` is the command of each player, `folder` for what they write, `limit_s` the time for each
    answer. The bots' random numbers come of `seed`, so that the same call gives the same; without
    one they are those of the record. Raises `ForkFault`.
    """
    waiting = Waiting(folder)
    try:
        async with Proctor() as proctor, _Company(proctor, waiting).open(argvs, start_s) as company:
            for number in range(1, times + 1):
                table = ForkTable(
                    config if seed is None else reseeded(config, _seeds(config, seed, number)),
                    point.before,
                    number=number,
                    legal_plays=company.legal_plays,
                )
                points = await company.play(table, limit_s)
                left_open = tuple(sorted(company.left_open))
                yield Came(number=number, points=points, left_open=left_open)
    finally:
        await waiting.stop()


def _seeds(config: MatchConfig, seed: str, number: int) -> list[str]:
    return [
        hashlib.sha256(f"fork|{seed}|{number}|{seat}".encode()).hexdigest()
        for seat in range(len(config.players))
    ]


_Got = tuple[Seat, Frame | Exception]


class _Company:
    """The bots of all players. One task writes to all streams, and one a stream reads."""

    def __init__(self, proctor: Proctor, waiting: Waiting) -> None:
        self._proctor = proctor
        self._waiting = waiting
        self._bots: dict[Seat, Examinee] = {}
        self._streams: dict[Seat, ExamStream] = {}
        self._inbox: asyncio.Queue[_Got] = asyncio.Queue()
        self._over = False
        self._told: Counter[Seat] = Counter()  # frames sent
        self.legal_plays: set[Seat] = set()
        self.left_open: set[Seat] = set()  # players that said nothing to an ask for a bomb

    @contextlib.asynccontextmanager
    async def open(
        self, argvs: Mapping[Seat, Sequence[str]], start_s: float
    ) -> AsyncIterator["_Company"]:
        """Start all bots and welcome them; part from them in good order at the end."""
        for seat, argv in argvs.items():
            token = secrets.token_urlsafe(32)
            address = self._proctor.address
            self._bots[seat] = self._waiting.start(
                argv, server=address, token=token, name=f"seat{seat}"
            )
        until = asyncio.get_running_loop().time() + start_s
        ends = [asyncio.create_task(self._first_end(seat)) for seat in argvs]
        try:
            while len(self._streams) < len(argvs):
                await self._next(ends, until, start_s)
        finally:
            for task in ends:
                task.cancel()
            await asyncio.gather(*ends, return_exceptions=True)
        readers = [asyncio.create_task(self._read(seat)) for seat in self._streams]
        try:
            yield self
            await self._leave()
        finally:
            self._over = True
            for reader in readers:
                reader.cancel()
            await asyncio.gather(*readers, return_exceptions=True)

    async def play(self, table: ForkTable, limit_s: float) -> tuple[int, ...]:
        """Play the round to its end; return its points."""
        silent: set[tuple[Seat, int]] = set()  # asks that were left open
        while table.points is None:
            if table.ended is not None:
                why = f"the match ended before the round did: {table.ended.ending}"
                seat = table.ended.seat
                raise self._fault(seat, why) if seat is not None else ForkFault(why)
            await self._send(table, limit_s)
            asks = [ask for ask in table.owing if (ask.to, ask.id) not in silent]
            if not asks:
                table.advance()
                continue
            left = await self._listen(table, asks, limit_s)
            silent |= {(ask.to, ask.id) for ask in left}
            table.take([ask for ask in asks if (ask.to, ask.id) not in silent])
        points = table.points
        table.end()
        await self._send(table, limit_s)
        return points

    async def _listen(self, table: ForkTable, asks: Sequence[Ask], limit_s: float) -> list[Ask]:
        """Hear until all have answered; return the bomb asks that were left open instead."""
        loop = asyncio.get_running_loop()
        until = loop.time() + limit_s
        while (missing := table.words.missing(asks)) or not self._inbox.empty():
            try:
                async with asyncio.timeout_at(until if missing else None):
                    seat, got = await self._inbox.get()
            except TimeoutError:
                owed = [ask for ask in missing if not _may_stay_open(ask)]
                if not owed:
                    self.left_open.update(ask.to for ask in missing)
                    return missing
                raise self._fault(owed[0].to, f"no answer within {limit_s:g} s") from None
            if isinstance(got, Exception):
                raise await self._lost(seat, got)
            table.hear(seat, got)
        return []

    async def _send(self, table: ForkTable, limit_s: float) -> None:
        for seat, stream in self._streams.items():
            if data := table.update(seat):
                self._told[seat] += 1
                try:
                    async with asyncio.timeout(limit_s):
                        await stream.send_bytes(data)
                except TimeoutError:
                    why = f"it has not read what it was told for {limit_s:g} s"
                    raise self._fault(seat, why) from None

    async def _first_end(self, seat: Seat) -> Seat:
        await self._bots[seat].ended(START_S * 100)
        return seat

    async def _next(
        self, ends: Sequence["asyncio.Task[Seat]"], until: float, start_s: float
    ) -> None:
        """Take the next stream that says Hello, or find who ended before or says none."""
        left = max(0.0, until - asyncio.get_running_loop().time())
        coming = asyncio.create_task(self._proctor.next_stream(left))
        try:
            await asyncio.wait((coming, *ends), return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                seat = next(task.result() for task in ends if task.done())
                raise self._fault(seat, _gone_words(self._bots[seat]))
            stream = coming.result()
        except Silent:
            seat = next(seat for seat in self._bots if seat not in self._streams)
            what = f"no Hello within {start_s:g} s: dial TICHU_SERVER and send a Hello first"
            raise self._fault(seat, what) from None
        finally:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)
        await self._welcome(stream)

    async def _welcome(self, stream: ExamStream) -> None:
        seat = next((s for s, bot in self._bots.items() if bot.token == stream.token), None)
        if seat is None:
            raise ForkFault("a bot came without its token: send TICHU_TOKEN as a bearer token")
        hello = stream.hello
        frame = decode_frame(referee_pb2.PlayRequest(hello=hello).SerializeToString(), 1)
        read = frame.hello if isinstance(frame, Frame) else None
        if hello.protocol_version != PROTOCOL_VERSION:
            raise self._fault(
                seat,
                f"it speaks protocol version {hello.protocol_version}: "
                f"build it for version {PROTOCOL_VERSION}",
            )
        if isinstance(read, FieldFault):
            raise self._fault(seat, f"its Hello: {read.field}: {read.text}")
        welcome = Welcome(
            session_token=secrets.token_urlsafe(32),
            server="tichu-referee record fork",
            grace_ms=10_000,
            max_frame_bytes=MAX_FRAME_BYTES,
            resumed=False,
        )
        await stream.send_bytes(_CODEC.welcome(welcome))
        self._streams[seat] = stream
        if not hello.without_legal_plays:
            self.legal_plays.add(seat)

    async def _read(self, seat: Seat) -> None:
        """Take in what a bot sends, to the end of its stream."""
        stream, loop = self._streams[seat], asyncio.get_running_loop()
        began, frames = loop.time(), 0
        while not self._over:  # `wait_for` may swallow a cancel that comes with a frame
            try:
                message = await stream.receive(3_600.0)
                frame = decode_frame(message.SerializeToString(), _MOST_ITEMS)
            except Silent:
                continue
            except (Gone, Unreadable) as error:
                self._inbox.put_nowait((seat, error))
                return
            frames += 1
            most = _LIMITS.frames_burst + _LIMITS.frames_per_s * (loop.time() - began)
            if frames > most + _LIMITS.frames_per_ask * self._told[seat]:
                why = f"it floods: over {_LIMITS.frames_per_s} frames a second"
                self._inbox.put_nowait((seat, _Flooding(why)))
                return
            if isinstance(frame, Frame) and frame.items:
                self._inbox.put_nowait((seat, frame))

    async def _lost(self, seat: Seat, error: Exception) -> ForkFault:
        ended = await self._bots[seat].ended(_LEAVE_S)
        why = str(error) if ended is None else f"{error} ({ended.text})"
        return self._fault(seat, why)

    def _fault(self, seat: Seat, what: str) -> ForkFault:
        return ForkFault(f"the bot in seat {seat}: {what}", self._bots[seat].last_errors())

    async def _leave(self) -> None:
        closing = _CODEC.closing(ClosingCode.DRAINING, "all is played", retry=False)
        for stream in self._streams.values():
            with contextlib.suppress(TimeoutError):  # of a bot that does not read
                async with asyncio.timeout(_LEAVE_S):
                    await stream.send_bytes(closing)
            await stream.close()
        for bot in self._bots.values():
            await bot.ended(_LEAVE_S)


def _may_stay_open(ask: Ask) -> bool:
    """A window that time would close: silence declines, and is no fault."""
    return ask.kind is AskKind.BOMB and ask.window_ns is not None


def _gone_words(bot: Examinee) -> str:
    how = "it is gone" if bot.exit is None else bot.exit.text
    if bot.exit is not None and bot.exit.code in (126, 127):
        return f"its command cannot be run ({how}): check its path, and that it is executable"
    return f"it ended before its Hello ({how}): let it dial TICHU_SERVER and stay"
