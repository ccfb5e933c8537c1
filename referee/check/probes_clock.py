"""Level 3, time and growth: a bot keeps its clock, and is the same after a thousand rounds."""

import asyncio
from collections.abc import Sequence

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.check.exam import Exam
from referee.check.probe import Company, Register, demand, settings
from referee.check.stream import ExamStream, Failed, Silent
from referee.check.table import Table
from referee.formats.vector_parsing import parse_start
from referee.match.inputs import DeclineDecision, DefaultDecision
from referee.match.values import MS, AskKind, Clock, Pace

probe = Register(level=3)
_BASE_S = 2.0
_CLOCK = Clock(base_ns=2_000 * MS, bank_ns=10_000 * MS)
_DELAY_S = 0.15
_PONG_S = 1.0
_WINDOW_S = 1.0
_IDLE_S = 1.0
_IDLE_FRAMES = 2  # more is polling
_RATE = 500  # frames a second, what the referee reads of a bot
_FIRST_ROUNDS, _SPAN_ROUNDS, _SPANS = 400, 300, 6  # a cache may take some spans to fill
_OF_MATCH, _AT_ONCE = 5, 8  # rounds of a match, matches at once
_SPARE_KB = 3 * 1024  # memory that may come in a span: 50 KiB for a match, 10 for a round
_LOSSES, _WARM = 16, 4  # streams that end; after so many it is warm
_SPARE_THREADS, _SPARE_FILES = 8, 8


async def _timed(exam: Exam, stream: ExamStream, tables: Sequence[Table], base_s: float) -> None:
    """Play on; raise `Failed` for the first answer that took longer than its base time."""
    now = asyncio.get_running_loop().time
    asked: dict[tuple[int, int], float] = {}
    while not all(table.over for table in tables):
        for table in tables:
            for number in table.open:
                asked.setdefault((table.number, number), now())
        left = min((at + base_s - now() for at in asked.values()), default=base_s)
        try:
            frame = await exam.receive(stream, max(left, 0.001))
        except Silent:
            oldest = min(asked, key=asked.__getitem__)
            raise Failed(
                f"no answer to ask {oldest[1]} of match {oldest[0]} within its base time of "
                f"{base_s:g} s; beyond it the bank runs"
            ) from None
        for answer in frame.answers:
            asked.pop((answer.match, answer.ask_id), None)
        exam.take(frame, tables)
        for table in tables:
            for key in [k for k in asked if k[0] == table.number and k[1] not in table.open]:
                del asked[key]
        if data := b"".join(table.update() for table in tables):
            await stream.send_bytes(data)


@probe(
    "base-time",
    "answers within its base time",
    demand="an answer comes within the base time, so that the bank is kept for hard ones",
    place="the-clock",
    cure="answer by time_left_ms less the bank; a bot that thinks to the limit loses its bank",
    company=Company.ALONE,
)
async def base_time(exam: Exam) -> None:
    """A round with a clock."""
    stream = await exam.begin()
    table = exam.table(settings(clock=_CLOCK))
    await exam.deal(stream, [table])
    await _timed(exam, stream, [table], _BASE_S)


@probe(
    "base-time-64",
    "answers within its base time at 64 tables",
    demand="64 matches at once leave each ask its base time",
    place="the-clock",
    cure="make the strategy faster, answer for all tables in one pass, or lower max_matches",
    company=Company.ALONE,
)
async def base_time_64(exam: Exam) -> None:
    """A round of 64 matches with a clock."""
    stream = await exam.begin()
    count = exam.at_once(64)
    tables = [exam.table(settings(clock=_CLOCK), number=n) for n in range(1, count + 1)]
    await exam.deal(stream, tables)
    await _timed(exam, stream, tables, _BASE_S)


@probe(
    "base-time-delayed",
    "keeps its clock over a slow link",
    demand="150 ms of delay each way add 300 ms to an answer, and nothing else",
    place="the-clock",
    cure="send an answer as soon as it is known; wait for no acknowledgement before the next one",
    company=Company.ALONE,
)
async def base_time_delayed(exam: Exam) -> None:
    """A round over the delay."""
    exam.proctor.first.relay.delay_s = _DELAY_S
    stream = await exam.begin()
    table = exam.table(settings(clock=_CLOCK))
    await exam.deal(stream, [table])
    await _timed(exam, stream, [table], _BASE_S + 2 * _DELAY_S)


@probe(
    "pong-thinking",
    "answers pings while it thinks",
    demand="a Ping is answered within a second, also while 64 asks are being decided",
    place="the-clock",
    cure="decide outside the reader (a thread, a process), or in portions with pings between",
    company=Company.ALONE,
)
async def pong_thinking(exam: Exam) -> None:
    """A ping right behind each large frame."""
    stream = await exam.begin()
    count = exam.at_once(64)
    tables = [exam.table(settings(), number=n) for n in range(1, count + 1)]
    await exam.deal(stream, tables)
    loop = asyncio.get_running_loop()
    for number in range(1, 11):
        await stream.send(referee_pb2.PlayResponse(ping=referee_pb2.Ping(number=number)))
        end, pong = loop.time() + _PONG_S, None
        while pong != number:
            try:
                frame = await exam.receive(stream, max(0.001, end - loop.time()))
            except Silent:
                raise Failed(
                    f"no Pong within {_PONG_S:g} s of a Ping that came while it was asked"
                ) from None
            pong = frame.pong
            exam.take(frame, tables)
            if data := b"".join(table.update() for table in tables):
                await stream.send_bytes(data)


@probe(
    "stands-down",
    "stands down without a bomb",
    demand="in pace fair a hand without a bomb stands down, or declines in time",
    place="standing-down",
    cure="in pace fair send StandDown once a round for a hand that holds no bomb, or answer each "
    "BombAsk with decline within window_ms",
    company=Company.ALONE,
)
async def stands_down(exam: Exam) -> None:
    """Asked for a bomb that it does not hold."""
    what = settings(pace=Pace.FAIR, window_ms=int(_WINDOW_S * 1000))
    start = {
        "hands": ["2j 9s Tp Jr Kj 3p", "4j 5s 6p 8r", "6j 7s 9p Jj", "5j 7j Qs Qp"],
        "lead": 1,
    }
    stream = await exam.begin()
    table = exam.table(what, position=parse_start(start, what.rules))
    await exam.deal(stream, [table])
    asked = {number for number, ask in table.open.items() if ask.kind is AskKind.BOMB}
    end = asyncio.get_running_loop().time() + _WINDOW_S
    while asked:
        try:
            frame = await exam.receive(stream, end - asyncio.get_running_loop().time())
        except Silent:
            raise Failed(
                f"asked for a bomb that it does not hold, it said nothing within {_WINDOW_S:g} s"
            ) from None
        if frame.stand_downs:
            exam.notes.append("it stands down")
            return
        for answer in frame.answers:
            declined = isinstance(answer.decision, DeclineDecision | DefaultDecision)
            demand(declined or answer.ask_id not in asked, "it throws a bomb that it has not")
            asked.discard(answer.ask_id)
    exam.notes.append("it declines each window; StandDown once a round says the same")


@probe(
    "after-closing",
    "says nothing after Closing",
    demand="Closing is the last frame of a stream: nothing but Goodbye follows it",
    place="how-a-stream-ends",
    cure="after Closing send Goodbye or nothing",
)
async def after_closing(exam: Exam) -> None:
    """Closing while it is asked."""
    stream = await exam.begin()
    table = exam.table(settings())
    await exam.deal(stream, [table])
    await exam.go_on(stream, [table], until=lambda: table.answered.total() >= 2)
    exam.take(await exam.receive(stream), [table])
    code = referee_pb2.CLOSING_CODE_DRAINING
    closing = referee_pb2.Closing(code=code, text="for the check", retry=False)
    await stream.send(referee_pb2.PlayResponse(closing=closing))
    said = [f for f in await exam.hush(stream, _IDLE_S) if f.items or f.pong is not None]
    demand(not said, f"it sent {len(said)} frames with answers or requests after Closing")


@probe(
    "no-flood",
    "sends no more than it must",
    demand="a bot sends at most 500 frames a second, and none where nothing is asked",
    place="the-stream",
    cure="send a frame only when it says something; never poll",
    company=Company.ALONE,
)
async def no_flood(exam: Exam) -> None:
    """A second with nothing asked, and frames against asks in a match."""
    stream = await exam.begin()
    idle = len(await exam.hush(stream, _IDLE_S))
    demand(idle <= _IDLE_FRAMES, f"it sent {idle} frames in {_IDLE_S:g} s with nothing asked")
    table = exam.table(settings(pace=Pace.FAIR, rounds=2))
    before = exam.items + exam.frames
    loop = asyncio.get_running_loop()
    began = loop.time()
    await exam.play(stream, table)
    most = _RATE * (1 + loop.time() - began) + 4 * len(table.told)
    sent = exam.items + exam.frames - before
    demand(sent <= most, f"it sent {sent} frames, answers and requests for {len(table.told)} asks")
    most_items = 3 * len(table.told) + 50
    demand(
        exam.items <= most_items, f"{exam.items} answers and requests for {len(table.told)} asks"
    )


async def _rounds(exam: Exam, stream: ExamStream, number: int, rounds: int) -> int:
    """Play at least so many rounds in short matches; return the next match's number."""
    done, what = 0, settings(rounds=_OF_MATCH)
    while done < rounds:
        count = min(_AT_ONCE, exam.hello.max_matches)
        tables = [exam.table(what, number=n) for n in range(number, number + count)]
        await exam.play(stream, *tables)
        number += count
        done += _OF_MATCH * count
    return number


@probe(
    "memory-flat",
    "needs no more memory after 1,000 rounds",
    demand="what a match needed is let go of at its end: of six spans of 300 rounds one adds no "
    "more than 3 MiB",
    place="updates-events-snapshots",
    cure="drop what belongs to a match with its MatchEnded, and to a round with its RoundEnded; "
    "bound what is kept beyond that, as a cache",
    limit_s=240.0,
)
async def memory_flat(exam: Exam) -> None:
    """Memory after the first rounds and after a span of more; where it grew, after more spans."""
    stream = await exam.begin()
    number = await _rounds(exam, stream, 1, _FIRST_ROUNDS)
    grown: list[int] = []
    for _ in range(_SPANS):  # a runtime that warms up grows for a while; a leak, in every span
        before = exam.bot.memory_kb()
        if not before:
            exam.notes.append("its memory cannot be read on this system")
            return
        number = await _rounds(exam, stream, number, _SPAN_ROUNDS)
        grown.append(exam.bot.memory_kb() - before)
        if grown[-1] <= _SPARE_KB:
            more = f"{grown[-1] / 1024:+.1f} in {_SPAN_ROUNDS} rounds"
            exam.notes.append(f"{before // 1024} MiB, and {more}")
            return
    each = ", ".join(f"{one / 1024:.1f}" for one in grown)
    raise Failed(f"its memory grew in each of {_SPANS} spans of {_SPAN_ROUNDS} rounds: {each} MiB")


@probe(
    "threads-flat",
    "keeps no threads of matches and streams",
    demand="a match or stream that is over leaves no thread behind",
    place="the-stream",
    cure="end what a stream or match started with it: threads, tasks, timers",
)
async def threads_flat(exam: Exam) -> None:
    """Threads after a few lost links and matches, and after many."""
    await _many_losses(exam, "threads", _SPARE_THREADS)


@probe(
    "files-flat",
    "keeps no descriptors of lost links",
    demand="a link that was lost is closed on the bot's side, too",
    place="the-stream",
    cure="close the channel of a stream that ended before the next one is opened",
)
async def files_flat(exam: Exam) -> None:
    """Descriptors after a few lost links, and after many."""
    await _many_losses(exam, "descriptors", _SPARE_FILES)


async def _many_losses(exam: Exam, what: str, spare: int) -> None:
    """Streams that end: most by Moved, after which a bot comes back without a pause."""
    stream = await exam.begin()
    before = 0
    for loss in range(1, _LOSSES + 1):
        await exam.play(stream, exam.table(settings(), number=loss))
        if loss == _WARM:
            before = _count(exam, what)
        if loss == 1:
            stream.cut()
        else:
            address = exam.proctor.doors[loss % 2].relay.address
            await stream.send(referee_pb2.PlayResponse(moved=referee_pb2.Moved(address=address)))
        stream = await exam.back()
    await exam.pong(stream)
    grown = _count(exam, what) - before
    demand(grown <= spare, f"{grown} more {what} after {_LOSSES - _WARM} more lost links")


def _count(exam: Exam, what: str) -> int:
    return exam.bot.threads() if what == "threads" else exam.bot.descriptors()
