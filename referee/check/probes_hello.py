"""Level 1, who the bot is: start, Hello, token, ping, and a clean end."""

import asyncio
import os

import grpc

from referee.check.exam import TOKEN, Exam
from referee.check.probe import Register, demand, settings
from referee.check.stream import ExamStream, Failed, Gone, Silent

probe = Register(level=1)
STARTS = "starts"  # without this one no other can be judged
TOKEN_KEPT = "token-kept"
# what nearly every other one needs: where one of these fails, the rest says nothing new
BASICS = (
    "hello-version",
    "pong",
    "answers-grand",
    "answers-exchange",
    "answers-lead",
    "answers-follow",
)
_NEAR = 0.8  # of the start budget: worth a note
_QUIET_S = 6.0
_MOST_IDLE = 2  # frames of a bot that nothing is asked of
_EXIT_S = 5.0


@probe(
    STARTS,
    "starts and says Hello in time",
    demand="a process says Hello within its start budget",
    place="who-a-bot-is",
    cure="dial TICHU_SERVER and send Hello as the first frame; load what takes long before the "
    "first match, not before Hello, or give a longer --start-budget (`referee play` gives 30 s)",
)
async def starts(exam: Exam) -> None:
    """Start the bot, and take the time to its Hello; on a busy machine twice."""
    busy = _load()
    try:
        await _start(exam)
    except Failed as failed:
        if busy is None or exam.bot.exit is not None:
            raise
        exam.bot.kill()
        await exam.bot.ended(_EXIT_S)
        exam.notes.append(f"at its first start: {failed}; {busy}")
        await _start(exam)


def _load() -> str | None:
    """Say how busy this machine is; None where it is not, or does not tell."""
    if not hasattr(os, "getloadavg"):
        return None
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    return f"the machine is busy, {load:.0f} wait for {cores} processors" if load > cores else None


async def _start(exam: Exam) -> None:
    budget_s = exam.terms.start_s
    bot = exam.start()
    try:
        await exam.next_stream(budget_s)
    except Silent:
        came = exam.proctor.silent_streams
        how = "it opened a stream and sent no Hello" if came else "it never dialled"
        raise Failed(f"no Hello within {budget_s:g} s of its start: {how}") from None
    took_s = asyncio.get_running_loop().time() - bot.started_at
    if took_s > _NEAR * budget_s:
        exam.notes.append(
            f"its Hello took {took_s:.1f} s of the start budget of {budget_s:g} s; on a busy "
            "machine that is too late: say Hello first and load later"
        )


@probe(
    "hello-version",
    "speaks version 1",
    demand="Hello has protocol_version 1",
    place="the-stream",
    cure="set protocol_version = 1 in Hello, or get the bot for this version of the protocol",
)
async def hello_version(exam: Exam) -> None:
    """Look at the version."""
    stream = await exam.come()
    said = stream.hello.protocol_version
    demand(said == 1, f"its Hello says protocol version {said}; version 1 is spoken here")


@probe(
    "hello-names",
    "has names that can be shown",
    demand="names and versions in Hello have at most 64 characters, all printable",
    place="the-stream",
    cure="shorten bot_name, bot_version and sdk, and leave out control characters",
)
async def hello_names(exam: Exam) -> None:
    """The check of every Hello does it."""
    await exam.come()


@probe(
    "hello-matches",
    "says how many matches it plays",
    demand="max_matches is 1 to 512",
    place="the-stream",
    cure="set max_matches in Hello to the number of matches that the bot plays at once",
)
async def hello_matches(exam: Exam) -> None:
    """Look at the number."""
    stream = await exam.come()
    if stream.hello.max_matches == 0:
        exam.notes.append("its Hello says no max_matches, so it gets one match at a time")


@probe(
    "hello-fresh",
    "says Hello without a session at first",
    demand="a session token is sent only by who comes back",
    place="the-stream",
    cure="leave session_token out of the first Hello of a process",
)
async def hello_fresh(exam: Exam) -> None:
    """Look for a session token."""
    stream = await exam.come()
    demand(
        not stream.hello.HasField("session_token"),
        "its first Hello has a session token that nobody gave it",
    )


@probe(
    "token-sent",
    "sends its token",
    demand="the token of TICHU_TOKEN is metadata of the call: authorization: Bearer TOKEN",
    place="who-a-bot-is",
    cure="read TICHU_TOKEN and send it as metadata `authorization: Bearer TOKEN` with Play",
)
async def token_sent(exam: Exam) -> None:
    """Look at the metadata."""
    stream = await exam.come()
    demand(stream.token is not None, "no bearer token came in the metadata of its call")
    demand(stream.token == TOKEN, "the bearer token in its metadata is not that of TICHU_TOKEN")
    inside = TOKEN in str(stream.hello)
    demand(not inside, "its token stands in Hello, where others may be shown it")


@probe(
    "waits",
    "waits for a match",
    demand="a bot that is welcome stays, and is silent as long as nothing is asked",
    place="the-stream",
    cure="after Welcome read on until an ask comes; end only when told",
)
async def waits(exam: Exam) -> None:
    """Say nothing for a while."""
    stream = await exam.begin()
    frames = await exam.unless_ended(exam.hush(stream, _QUIET_S), "any match began")
    demand(not stream.over.is_set(), "it ended its stream while it waited for a match")
    demand(
        len(frames) <= _MOST_IDLE,
        f"it sent {len(frames)} frames in {_QUIET_S:g} s with nothing asked",
    )
    await exam.pong(stream)


@probe(
    "pong",
    "answers pings",
    demand="each Ping is answered at once by a Pong with its number",
    place="the-stream",
    cure="answer each Ping with Pong of the same number, in the reader, before anything else",
)
async def pong(exam: Exam) -> None:
    """Ping a few times."""
    stream = await exam.begin()
    for number in (1, 2, 4_000_000_000):
        await exam.pong(stream, number)


@probe(
    "goodbye",
    "says Goodbye when told to end",
    demand="on SIGTERM a bot sends Goodbye and half-closes",
    place="the-stream",
    cure="on SIGTERM send Goodbye, half-close, and read to the end of the stream",
)
async def goodbye(exam: Exam) -> None:
    """SIGTERM while it waits."""
    stream = await exam.begin()
    await exam.pong(stream)
    exam.terminate()
    await _expect_goodbye(exam, stream)


async def _expect_goodbye(exam: Exam, stream: ExamStream) -> None:
    try:
        while True:
            await exam.receive(stream)
    except Silent:
        raise Failed(
            "after SIGTERM it "
            + ("said no Goodbye" if stream.goodbye is None else "did not half-close")
        ) from None
    except Gone as gone:
        if gone.goodbye is None:
            raise Failed("after SIGTERM its stream ended without a Goodbye") from None


@probe(
    "goodbye-in-match",
    "says Goodbye in a match, too",
    demand="on SIGTERM in a match a bot sends Goodbye and ends with exit code 0",
    place="the-stream",
    cure="heed SIGTERM while a match runs; do not wait for its end",
)
async def goodbye_in_match(exam: Exam) -> None:
    """SIGTERM while it is asked."""
    stream = await exam.begin()
    table = exam.table(settings(rounds=50))
    await exam.deal(stream, [table])
    await exam.go_on(stream, [table], until=lambda: table.answered.total() > 4)
    exam.terminate()
    await _expect_goodbye(exam, stream)
    gone = await exam.bot.ended(_EXIT_S)
    if gone is None:
        raise Failed(f"it still ran {_EXIT_S:g} s after its Goodbye")
    demand(gone.code == 0, f"after SIGTERM in a match it ended with {gone.text}")


@probe(
    "exit-zero",
    "ends with exit code 0 when told",
    demand="after SIGTERM a process ends by itself, soon, with exit code 0",
    place="the-stream",
    cure="heed SIGTERM and leave through the usual way out; catch what fails on the way",
)
async def exit_zero(exam: Exam) -> None:
    """Play, then SIGTERM."""
    stream = await exam.begin()
    await exam.play(stream, exam.table(settings()))
    await exam.leave(_EXIT_S)
    gone = exam.bot.exit
    assert gone is not None
    demand(gone.code == 0, f"after SIGTERM it ended with {gone.text}")


@probe(
    "stdout-silent",
    "prints nothing to stdout",
    demand="stdout is left alone: what is for people goes to stderr",
    place="who-a-bot-is",
    cure="print to stderr; standard output is not read, and fills a log that is bounded",
)
async def stdout_silent(exam: Exam) -> None:
    """Play, end, and look."""
    stream = await exam.begin()
    await exam.play(stream, exam.table(settings()))
    await exam.leave(_EXIT_S)
    if size := exam.bot.output_bytes():
        lines = exam.bot.last_output(1)
        raise Failed(
            f"it printed to stdout: {lines[0][:80]!r}"
            if lines
            else f"it printed {size} blank characters to stdout"
        )


@probe(
    TOKEN_KEPT,
    "keeps its token secret",
    demand="neither the token nor the session token is printed or written to TICHU_LOG_DIR",
    place="who-a-bot-is",
    cure="leave tokens out of what the bot prints and logs, also where a call fails: no metadata, "
    "no environment, no frames with Hello or Welcome",
)
async def token_kept(exam: Exam) -> None:
    """Play, lose the link, come back, end; be refused; and look.

    The runner looks at what is written in all other probes, too.
    """
    stream = await exam.begin()
    await exam.play(stream, exam.table(settings()))
    stream.cut()
    await exam.back()
    await exam.leave(_EXIT_S)
    demand_kept(exam)
    stream = await exam.come()
    await stream.close(None, grpc.StatusCode.UNAUTHENTICATED, "this token is not known")
    await exam.bot.ended(_EXIT_S)
    demand_kept(exam)


def demand_kept(exam: Exam) -> None:
    """Raise `Failed` where a token stands in what the bot wrote."""
    if where := exam.leak():
        raise Failed(where)
