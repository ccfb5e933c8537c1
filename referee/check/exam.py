"""One examination: a fresh process of the bot, a proctor of its own, and what a probe does with it.

A probe raises `Failed`, or lets `Silent`, `Gone` and `Unreadable` through, which say the same.
"""

import asyncio
import contextlib
import hashlib
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Protocol, TypeVar

import msgspec

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.check.examinee import Examinee, Waiting
from referee.check.opponents import Temper
from referee.check.proctor import Proctor
from referee.check.stream import ExamStream, Failed, Gone, Silent
from referee.check.table import CODEC, Table
from referee.match.values import Settings
from referee.ports import MAX_FRAME_BYTES, AnswerIn, FieldFault, Frame, Hello
from referee.rules.options import player_seats
from referee.rules.position import Position

MOST_ITEMS = 4_096
GRACE_MS = 10_000
TOKEN = "check-" + "5e6f" * 10  # a secret like any other; the bot must keep it
_USUAL_ANSWER_S = 5.0
RETURN_S = 20.0  # for a bot to dial again where no grace runs: its pauses may be some seconds
_LATE_HELLO = 3.0  # times the start budget: several processes start at once here
_T = TypeVar("_T")


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a match of a real referee, for the bot."""

    ending: str
    of_bot: bool  # a fault of the bot ended it
    rounds: int
    refused: int
    defaults: int
    strikes: tuple[str, ...]


class MatchOrder(msgspec.Struct, frozen=True, kw_only=True):
    """A match of a real referee against house bots."""

    name: str
    settings: Settings
    delay_s: float = 0.0  # of the bot's link, each way
    cut_after: int | None = None  # events after which the bot's link is cut


class Hall(Protocol):
    """Real matches: a referee of the same process, and house bots."""

    async def play(
        self, exam: "Exam", orders: Sequence[MatchOrder], limit_s: float
    ) -> list[Played]:
        """Seat the bot of an exam, and house bots beside it; return what came of each match.

        Raises `Failed` where the bot does not come, or the matches are not over in time.
        """


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for all examinations of a run."""

    argv: tuple[str, ...]
    start_s: float = 10.0  # start budget
    answer_s: float = _USUAL_ANSWER_S  # for an answer, where no clock is examined
    seed: str = "check"

    @property
    def stretch(self) -> float:
        """How much longer all may take for a bot that thinks for seconds; 1 or more."""
        return max(1.0, self.answer_s / _USUAL_ANSWER_S)


class Exam:
    """What a probe has in its hands."""

    def __init__(
        self, terms: Terms, proctor: Proctor, waiting: Waiting, hall: Hall, probe_id: str
    ) -> None:
        self.terms = terms
        self.proctor = proctor
        self.hall = hall
        self.probe_id = probe_id
        self.notes: list[str] = []  # for a probe that passes
        self.hello = Hello(protocol_version=1)
        digest = hashlib.sha256(f"{terms.seed}|{probe_id}".encode()).hexdigest()
        self.session_token = f"session-{digest[:24]}"
        self.processes: list[Examinee] = []  # that were started, the last of them is `bot`
        self.strays: list[str] = []  # answers and requests that belong to no match
        self.frames = 0  # of the bot, after its Hellos
        self.items = 0  # answers and requests in them
        self._waiting = waiting
        self._bot: Examinee | None = None
        self._came = 0  # streams of the process
        self._seated = int(digest[:8], 16)  # the first table's seat is any, the next one's another

    # --- the process

    @property
    def bot(self) -> Examinee:
        """The process; it has been started."""
        assert self._bot is not None
        return self._bot

    @property
    def started(self) -> Examinee | None:
        """The process, None before its start."""
        return self._bot

    def start(self, server: str | None = None, token: str = TOKEN) -> Examinee:
        """Start the bot."""
        self._bot = self._waiting.start(
            self.terms.argv, server=server or self.proctor.address, token=token
        )
        self._came = 0
        self.processes.append(self._bot)
        return self._bot

    @property
    def hello_s(self) -> float:
        """How long the first Hello of a process may take where the start is not examined."""
        return _LATE_HELLO * self.terms.start_s

    async def come(self) -> ExamStream:
        """Start the bot and wait for its Hello."""
        self.start()
        return await self.next_stream(self.hello_s)

    async def begin(self) -> ExamStream:
        """Start the bot, wait for its Hello, and accept it."""
        stream = await self.come()
        await self.welcome(stream)
        return stream

    async def next_stream(self, limit_s: float = RETURN_S) -> ExamStream:
        """Wait for the next Hello. Raises `Failed` where the process ends, or `Silent`."""
        stream = await self.unless_ended(self.proctor.next_stream(limit_s), "its Hello")
        self._look_at(stream.hello)
        self._came += 1
        if self._came > 1 and stream.token != self.bot.token:
            raise Failed(
                "it dialled again without its bearer token",
                cure="send the metadata `authorization: Bearer TOKEN` with every Play, "
                "wherever it is dialled",
            )
        return stream

    async def unless_ended(self, what: "Coroutine[object, object, _T]", before: str) -> _T:
        """Return what comes, or raise `Failed` as soon as the process has ended."""
        task = asyncio.ensure_future(what)
        ended = asyncio.ensure_future(self.bot.ended(3600))
        try:
            await asyncio.wait({task, ended}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            gone = self.bot.exit
            assert gone is not None
            raise Failed(f"its process ended before {before}: {gone.text}")
        finally:
            for one in (task, ended):
                one.cancel()
            await asyncio.gather(task, ended, return_exceptions=True)

    def _look_at(self, hello: referee_pb2.Hello) -> None:
        frame = CODEC.decode(referee_pb2.PlayRequest(hello=hello).SerializeToString(), MOST_ITEMS)
        assert isinstance(frame, Frame)
        if isinstance(frame.hello, FieldFault):
            raise Failed(f"{frame.hello.field}: {frame.hello.text}")
        assert frame.hello is not None
        self.hello = frame.hello

    # --- streams

    async def welcome(self, stream: ExamStream, *, resumed: bool = False) -> None:
        """Accept a Hello."""
        await stream.send(
            referee_pb2.PlayResponse(
                welcome=referee_pb2.Welcome(
                    session_token=self.session_token,
                    protocol_version=1,
                    server="tichu-referee check",
                    grace_ms=GRACE_MS,
                    max_frame_bytes=MAX_FRAME_BYTES,
                    resumed=resumed,
                )
            )
        )

    async def back(self) -> ExamStream:
        """Wait for the bot on a new stream, with the session token, and accept it.

        Raises `Failed` where it is not back within the grace that its last Welcome named.
        """
        try:
            came = await self.next_stream(GRACE_MS / 1000)
        except Silent:
            raise Failed(
                f"it was not back within {GRACE_MS // 1000} s, the grace that Welcome named"
            ) from None
        self.check_return(came)
        await self.welcome(came, resumed=True)
        return came

    def check_return(self, stream: ExamStream) -> None:
        """Raise `Failed` unless a stream's Hello came with the session token."""
        sent = stream.hello.session_token if stream.hello.HasField("session_token") else None
        if sent != self.session_token:
            said = "no session token" if sent is None else "another session token"
            raise Failed(f"it came back with {said}, not that of the last Welcome")

    async def receive(self, stream: ExamStream, limit_s: float | None = None) -> Frame:
        """Return the next frame of a stream, checked field by field."""
        limit_s = self.terms.answer_s if limit_s is None else limit_s
        message = await stream.receive(limit_s)
        if message.HasField("hello"):
            raise Failed("it said Hello a second time on the same stream")
        frame = CODEC.decode(stream.last, MOST_ITEMS)
        assert isinstance(frame, Frame)
        self.frames += 1
        self.items += frame.items
        if len(stream.last) > MAX_FRAME_BYTES or frame.items > MOST_ITEMS:
            raise Failed(f"a frame of {len(stream.last)} bytes with {frame.items} answers")
        return frame

    async def pong(self, stream: ExamStream, number: int = 7) -> None:
        """Send a Ping and wait for its Pong; other frames on the way are dropped."""
        await stream.send(referee_pb2.PlayResponse(ping=referee_pb2.Ping(number=number)))
        loop = asyncio.get_running_loop()
        end = loop.time() + self.terms.answer_s
        while (left := end - loop.time()) > 0:
            with contextlib.suppress(Silent):
                if (await self.receive(stream, left)).pong == number:
                    return
        raise Failed(f"no Pong {number} within {self.terms.answer_s:g} s of a Ping")

    # --- tables

    def table(
        self,
        settings: Settings,
        *,
        number: int = 1,
        position: Position | None = None,
        temper: Temper = Temper.USUAL,
        caller: int | None = None,
        seat: int | None = None,
    ) -> Table:
        """A table for the bot, told as its Hello wants it.

        Without a `seat` the bot sits at seat 0 of a position, and else at one after the other.
        """
        if seat is None and position is None:
            places = player_seats(settings.rules)
            seat = places[self._seated % len(places)]
            self._seated += 1
        return Table(
            settings,
            number=number,
            seat=seat or 0,
            seed=f"{self.terms.seed}|{self.probe_id}",
            position=position,
            snapshots=self.hello.snapshots,
            legal_plays=self.hello.legal_plays,
            patient=self.hello.events.name == "WITH_ASKS",
            temper=temper,
            caller=caller,
        )

    def at_once(self, wanted: int) -> int:
        """How many matches the bot may be given at once; what is missing is noted."""
        if self.hello.max_matches < wanted:
            self.notes.append(f"it plays {self.hello.max_matches} matches at once, not {wanted}")
        return min(wanted, self.hello.max_matches)

    async def deal(self, stream: ExamStream, tables: Iterable[Table]) -> None:
        """Start tables, all in one frame."""
        await stream.send_bytes(b"".join(table.start() for table in tables))

    async def go_on(
        self,
        stream: ExamStream,
        tables: Sequence[Table],
        until: Callable[[], bool] | None = None,
        edit: Callable[[bytes], bytes] | None = None,
    ) -> None:
        """Play on at tables until they are over, or `until` says so. `edit` changes each frame."""
        while not (all(table.over for table in tables) if until is None else until()):
            frame = await self._frame_or_lapse(stream, tables)
            if frame is not None:
                self.take(frame, tables)
            data = b"".join(table.update() for table in tables)
            if data:
                await stream.send_bytes(data if edit is None else edit(data))

    async def _frame_or_lapse(self, stream: ExamStream, tables: Sequence[Table]) -> Frame | None:
        """Return the next frame; None where silence declined bombs and no more is owed."""
        only_bombs = all(table.only_bombs or not table.open for table in tables)
        try:
            return await self.receive(stream, min(0.5, self.terms.answer_s) if only_bombs else None)
        except Silent:
            lapsed = [table.lapse() for table in tables] if only_bombs else []
            if any(lapsed):
                return None
            raise Failed(
                f"no answer within {self.terms.answer_s:g} s to {owed(tables)} (one that thinks "
                "for seconds gets more by --patience)"
            ) from None

    def take(self, frame: Frame, tables: Sequence[Table], *, lenient: bool = False) -> None:
        """Give a frame to its tables. Raises `Failed` for what was refused, unless `lenient`."""
        numbers = {table.number for table in tables}
        named = [one.match for one in frame.answers]
        named += [one.match for one in frame.calls]
        named += [one.match for one in frame.stand_downs]
        named += [one.match for one in frame.resigns]
        self.strays += [f"match {number}" for number in named if number not in numbers]
        for table in tables:
            table.take(frame)
            if table.resigned:
                raise Failed("it resigned a match that it could have played")
            for refusal in () if lenient else table.refusals:
                what = f"its {refusal.kind} answer" if refusal.kind else "an answer or request"
                raise Failed(f"{what} was refused, {refusal.code}: {refusal.text}")

    async def go_on_leniently(self, stream: ExamStream, tables: Sequence[Table]) -> None:
        """Play on where answers may cross what ended: those are no fault."""
        while not all(table.over for table in tables):
            self.take(await self.receive(stream), tables, lenient=True)
            data = b"".join(table.update() for table in tables)
            if data:
                await stream.send_bytes(data)

    def frame_of(self, answer: AnswerIn) -> Frame:
        """Return a frame with one answer."""
        return Frame(answers=[answer], items=1)

    async def play(self, stream: ExamStream, *tables: Table) -> None:
        """Play tables from the deal to the end."""
        await self.deal(stream, tables)
        await self.go_on(stream, tables)

    # --- the end

    def leak(self) -> str | None:
        """Return which secret stands where in what was written, in words; None: none does."""
        for process in self.processes:
            secrets = {"its token": process.token, "its session token": self.session_token}
            for name, secret in secrets.items():
                if where := process.wrote(secret):
                    return f"{name} stands in {where}"
        return None

    def terminate(self) -> None:
        """SIGTERM."""
        self.proctor.log.tell("SIGTERM")
        self.bot.terminate()

    async def leave(self, limit_s: float = 5.0) -> None:
        """SIGTERM; wait for the end of the process. Raises `Failed` after the limit."""
        self.terminate()
        if await self.bot.ended(limit_s) is None:
            raise Failed(f"it still ran {limit_s:g} s after SIGTERM")
        assert self.bot.exit is not None
        self.proctor.log.tell(self.bot.exit.text, of_bot=True)

    async def hush(self, stream: ExamStream, quiet_s: float) -> list[Frame]:
        """Return the frames that come within a time."""
        frames, loop = [], asyncio.get_running_loop()
        end = loop.time() + quiet_s
        with contextlib.suppress(Silent, Gone):
            while (left := end - loop.time()) > 0:
                frames.append(await self.receive(stream, left))
        return frames


def owed(tables: Sequence[Table]) -> str:
    """Return what a bot owes, in words.

    >>> owed([])
    'nothing'
    """
    asks = [(table.number, ask) for table in tables for ask in table.open.values()]
    if not asks:
        return "nothing"
    number, ask = asks[0]
    more = f" and {len(asks) - 1} more" if len(asks) > 1 else ""
    return f"{ask.kind.value} ask {ask.id} of match {number}{more}"
