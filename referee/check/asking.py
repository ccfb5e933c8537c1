"""A suite put to one bot: all positions over one stream, several at once, each answer judged."""

import asyncio
import contextlib
import secrets
from collections.abc import Sequence
from pathlib import Path

import msgspec

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.check.asking_lines import Asked
from referee.check.examinee import Examinee, Waiting
from referee.check.proctor import Gone, Proctor, Silent, Unreadable
from referee.check.stream import ExamStream
from referee.formats.suites import SuiteLine
from referee.match.step import Step
from referee.ports import MAX_FRAME_BYTES, PROTOCOL_VERSION, ClosingCode, FieldFault, Frame, Welcome
from referee.wire.codec import WireCodec
from referee.wire.decode import decode_frame

START_S = 30.0  # as `referee play`
MOST_AT_ONCE = 32  # a frame of so many questions has under 256 KiB
_MOST_ITEMS = 4_096  # of a frame, PROTOCOL 1
_LEAVE_S = 2.0
_CODEC = WireCodec()


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one question. `fault` None: passed."""

    line: SuiteLine
    fault: str | None
    seconds: float  # from the frame with the ask to the answer


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a suite, in its order. `lost` are the bot's last lines if it left early."""

    outcomes: list[Outcome]
    lost: tuple[str, ...] | None = None


class BotFault(Exception):
    """The bot could not be asked: what its author has to do, and what it wrote last."""

    def __init__(self, what: str, last_lines: Sequence[str]) -> None:
        super().__init__(what)
        self.last_lines = tuple(last_lines)


async def ask_all(
    argv: Sequence[str], questions: Sequence[Asked], *, folder: Path, start_s: float = START_S
) -> Asking:
    """Start a bot, ask it everything, and end it.

    `folder` is for what the bot writes. Raises `BotFault` where it does not come to its stream.
    """
    waiting = Waiting(folder)
    try:
        async with Proctor() as proctor:
            token = secrets.token_urlsafe(32)
            bot = waiting.start(argv, server=proctor.address, token=token)
            stream = await _hello(proctor, bot, start_s)
            session = _Session(stream, bot, questions)
            return await session.run()
    finally:
        await waiting.stop()


async def _hello(proctor: Proctor, bot: Examinee, start_s: float) -> ExamStream:
    """Return the bot's stream once its Hello is accepted."""
    coming = asyncio.create_task(proctor.next_stream(start_s))
    ending = asyncio.create_task(bot.ended(start_s + 1))
    try:
        await asyncio.wait((coming, ending), return_when=asyncio.FIRST_COMPLETED)
        if not coming.done():
            raise BotFault(_gone_words(bot), bot.last_errors())
        stream = coming.result()
    except Silent:
        words = "dial TICHU_SERVER and send a Hello as the first frame"
        if proctor.silent_streams:
            words = "its stream began with something else than a Hello: send that first"
        raise BotFault(
            f"the bot said no Hello within {start_s:g} s: {words}", bot.last_errors()
        ) from None
    finally:
        for task in (coming, ending):
            task.cancel()
        await asyncio.gather(coming, ending, return_exceptions=True)
    await _welcome(stream, bot)
    return stream


def _gone_words(bot: Examinee) -> str:
    how = "it is gone" if bot.exit is None else bot.exit.text
    if bot.exit is not None and bot.exit.code in (126, 127):
        return f"the bot's command cannot be run ({how}): check its path, and that it is executable"
    return f"the bot ended before its Hello ({how}): let it dial TICHU_SERVER and stay"


async def _welcome(stream: ExamStream, bot: Examinee) -> None:
    frame = decode_frame(referee_pb2.PlayRequest(hello=stream.hello).SerializeToString(), 1)
    hello = frame.hello if isinstance(frame, Frame) else None
    spoken = stream.hello.protocol_version
    if spoken != PROTOCOL_VERSION:
        raise BotFault(
            f"the bot speaks protocol version {spoken}: build it for version {PROTOCOL_VERSION}",
            bot.last_errors(),
        )
    if isinstance(hello, FieldFault):
        raise BotFault(f"the bot's Hello: {hello.field}: {hello.text}", bot.last_errors())
    welcome = Welcome(
        session_token=secrets.token_urlsafe(32),
        server="tichu-referee bot ask",
        grace_ms=10_000,
        max_frame_bytes=MAX_FRAME_BYTES,
        resumed=False,
    )
    await stream.send_bytes(_CODEC.welcome(welcome))


class _Session:
    """All questions of a suite over one stream: the only one that writes to it."""

    def __init__(self, stream: ExamStream, bot: Examinee, questions: Sequence[Asked]) -> None:
        self._stream = stream
        self._bot = bot
        self._waiting = list(enumerate(questions, start=1))
        self._open: dict[int, tuple[Asked, float]] = {}  # by match number, with when it was sent
        self._outcomes: dict[int, Outcome] = {}
        self._most = min(max(1, stream.hello.max_matches), MOST_AT_ONCE)
        self._parts: list[bytes] = []
        self._lost: tuple[str, ...] | None = None

    async def run(self) -> Asking:
        """Ask everything."""
        while self._waiting or self._open:
            self._ask_more()
            await self._flush()
            try:
                frame = await self._stream.receive(self._patience())
            except Silent:
                self._late()
            except (Gone, Unreadable) as error:
                await self._all_lost(error)
            else:
                self._take(frame)
        await self._flush()
        await self._leave()
        outcomes = [self._outcomes[match] for match in sorted(self._outcomes)]
        return Asking(outcomes=outcomes, lost=self._lost)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _ask_more(self) -> None:
        while self._waiting and len(self._open) < self._most:
            match, asked = self._waiting.pop(0)
            legal_plays = not self._stream.hello.without_legal_plays
            self._parts.append(asked.posed.update(match, legal_plays=legal_plays))
            self._open[match] = (asked, self._now())

    async def _flush(self) -> None:
        if self._parts:
            parts, self._parts = self._parts, []
            await self._stream.send_bytes(b"".join(parts))

    def _patience(self) -> float:
        return max(
            0.0, min(sent + asked.limit_s for asked, sent in self._open.values()) - self._now()
        )

    def _late(self) -> None:
        now = self._now()
        for match, (asked, sent) in list(self._open.items()):
            if now >= sent + asked.limit_s:
                self._settle(match, f"no answer within {asked.limit_s:g} s")

    def _take(self, message: referee_pb2.PlayRequest) -> None:
        frame = decode_frame(message.SerializeToString(), _MOST_ITEMS)
        assert isinstance(frame, Frame), "it was read once"
        for call in frame.calls:
            if (found := self._open.get(call.match)) is not None:
                asked = found[0]
                self._told(call.match, asked, asked.call(call))
        for stand_down in frame.stand_downs:
            if (found := self._open.get(stand_down.match)) is not None:
                asked = found[0]
                self._told(stand_down.match, asked, asked.stand_down(stand_down))
        for answer in frame.answers:
            if (found := self._open.get(answer.match)) is not None:
                asked = found[0]
                self._told(answer.match, asked, asked.answer(answer))
        for resign in frame.resigns:
            if resign.match in self._open:
                self._settle(resign.match, "it resigned the match")
        self._late()

    def _told(self, match: int, asked: Asked, step: Step) -> None:
        self._parts.append(asked.posed.reply(match, step))
        if asked.settled:
            self._settle(match, asked.fault)

    def _settle(self, match: int, fault: str | None) -> None:
        asked, sent = self._open.pop(match)
        seconds = round(self._now() - sent, 3)
        self._outcomes[match] = Outcome(line=asked.line, fault=fault, seconds=seconds)
        self._parts.append(asked.posed.end(match))

    async def _all_lost(self, error: Exception) -> None:
        """The stream is over: nothing more can be asked."""
        ended = await self._bot.ended(_LEAVE_S)
        if isinstance(error, Unreadable):
            why = str(error)
        else:
            why = "its stream ended" + ("" if ended is None else f" ({ended.text})")
        for match, (asked, _) in self._open.items():
            self._outcomes[match] = Outcome(line=asked.line, fault=why, seconds=0.0)
        for match, asked in self._waiting:
            self._outcomes[match] = Outcome(line=asked.line, fault=f"not asked: {why}", seconds=0.0)
        self._open, self._waiting, self._parts = {}, [], []
        self._lost = tuple(self._bot.last_errors())

    async def _leave(self) -> None:
        """Part as `referee play` does at the end of a match."""
        closing = _CODEC.closing(ClosingCode.DRAINING, "all is asked", retry=False)
        await self._stream.send_bytes(closing)
        await self._stream.close()
        with contextlib.suppress(Silent):
            await self._stream.gone(_LEAVE_S)
