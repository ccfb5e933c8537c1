"""Level 2, where a bot is sent: Redirect, Moved, and the ways in which a stream is closed."""

import grpc

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.check.exam import TOKEN, Exam
from referee.check.probe import Register, demand, settings
from referee.check.probes_links import play_some, resume
from referee.check.stream import ExamStream, Failed, Silent

probe = Register(level=2)
_STREAM = "the-stream"
_ENDS = "how-a-stream-ends"
_MOST_REDIRECTS = 5
_QUIET_S = 2.5  # longer than a pause between two tries to dial
_EXIT_S = 15.0


async def _redirect(stream: ExamStream, address: str) -> None:
    await stream.send(referee_pb2.PlayResponse(redirect=referee_pb2.Redirect(address=address)))
    await stream.close()


async def _follows(exam: Exam, addresses: list[str]) -> ExamStream:
    stream = await exam.come()
    for number, address in enumerate(addresses, start=1):
        await _redirect(stream, address)
        try:
            stream = await exam.next_stream()
        except Silent:
            raise Failed(f"it did not follow Redirect {number} of {len(addresses)}") from None
        demand(stream.address == address, f"after Redirect {number} it dialled another address")
    demand(stream.token == TOKEN, "it did not send its token at the address of a Redirect")
    return stream


@probe(
    "redirect",
    "follows a Redirect",
    demand="a Redirect instead of Welcome names the address to dial",
    place=_STREAM,
    cure="when the first frame is a Redirect dial its address, with the same token and Hello",
)
async def redirect(exam: Exam) -> None:
    """To another socket."""
    stream = await _follows(exam, [exam.proctor.second_address])
    await exam.welcome(stream)
    await exam.play(stream, exam.table(settings()))


@probe(
    "redirect-port",
    "follows a Redirect to host:port",
    demand="an address is unix:/path or host:port, whatever the bot dialled before",
    place=_STREAM,
    cure="dial every address by its own form; on this machine no TLS is needed",
)
async def redirect_port(exam: Exam) -> None:
    """From a socket to a port."""
    stream = await _follows(exam, [exam.proctor.tcp_address])
    await exam.welcome(stream)
    await exam.play(stream, exam.table(settings()))


@probe(
    "redirect-five",
    "follows five Redirects",
    demand="up to five Redirects in a row are followed",
    place=_STREAM,
    cure="follow a Redirect at once, without a pause, up to five in a row",
)
async def redirect_five(exam: Exam) -> None:
    """To and fro."""
    one, two = exam.proctor.address, exam.proctor.second_address
    stream = await _follows(exam, [two, one, two, one, two])
    await exam.welcome(stream)
    await exam.play(stream, exam.table(settings()))


@probe(
    "redirect-loop",
    "leaves a loop of Redirects",
    demand="a sixth Redirect in a row is not followed: the bot ends",
    place=_STREAM,
    cure="count Redirects in a row; after the fifth end with a line that says so",
)
async def redirect_loop(exam: Exam) -> None:
    """Redirects without end."""
    one, two = exam.proctor.address, exam.proctor.second_address
    stream = await exam.come()
    for number in range(2 * _MOST_REDIRECTS):
        await _redirect(stream, two if number % 2 == 0 else one)
        try:
            stream = await exam.next_stream(_QUIET_S)
        except (Silent, Failed):
            demand(number >= _MOST_REDIRECTS, f"it followed {number} Redirects, five are due")
            await _stays_away(exam)
            return
        demand(number < _MOST_REDIRECTS, f"it followed {number + 1} Redirects in a row")


@probe(
    "moved",
    "follows Moved in a match",
    demand="Moved names where to go on, with the session token",
    place=_STREAM,
    cure="on Moved dial its address at once with the session token; the match goes on there",
)
async def moved(exam: Exam) -> None:
    """Away in a match, and back again."""
    stream = await exam.begin()
    table = exam.table(settings(rounds=3))
    await exam.deal(stream, [table])
    for address in (exam.proctor.second_address, exam.proctor.tcp_address, exam.proctor.address):
        await play_some(exam, stream, table)
        await stream.send(referee_pb2.PlayResponse(moved=referee_pb2.Moved(address=address)))
        stream = await resume(exam, table)
        demand(stream.address == address, f"after Moved it dialled {stream.address}")
    await exam.go_on(stream, [table])


@probe(
    "moved-lost",
    "is found where it moved to",
    demand="a link that is lost after Moved is dialled again, there or at TICHU_SERVER",
    place=_STREAM,
    cure="after a lost link try the address where the last Welcome came from, then TICHU_SERVER",
)
async def moved_lost(exam: Exam) -> None:
    """Moved, then cut."""
    stream = await exam.begin()
    await exam.pong(stream)
    address = exam.proctor.second_address
    await stream.send(referee_pb2.PlayResponse(moved=referee_pb2.Moved(address=address)))
    stream = await exam.back()
    await exam.pong(stream)
    stream.cut()
    stream = await exam.back()
    await exam.play(stream, exam.table(settings()))


def _closing(code: str, *, retry: bool) -> referee_pb2.Closing:
    number = referee_pb2.ClosingCode.Value(f"CLOSING_CODE_{code}")
    return referee_pb2.Closing(code=number, text=f"{code.lower()}, for the check", retry=retry)


@probe(
    "closing-retry",
    "comes back after Closing with retry",
    demand="Closing with retry means that connecting again is welcome",
    place=_ENDS,
    cure="on Closing with retry = true dial again after a pause, with the session token",
)
async def closing_retry(exam: Exam) -> None:
    """A referee that goes down for a moment."""
    stream = await exam.begin()
    table = exam.table(settings(rounds=2))
    await exam.deal(stream, [table])
    await play_some(exam, stream, table)
    closing = _closing("DRAINING", retry=True)
    await stream.close(closing, grpc.StatusCode.UNAVAILABLE, "draining")
    await exam.go_on(await resume(exam, table), [table])


async def _stays_away(exam: Exam) -> None:
    """The process ends by itself, and opens no stream on the way."""
    before = exam.proctor.streams
    ended = await exam.bot.ended(_EXIT_S)
    came = exam.proctor.streams - before
    times = f"{came} more stream{'s' if came > 1 else ''}"
    if ended is None:
        how = f"opened {times}" if came else "stayed"
        raise Failed(f"it still ran {_EXIT_S:g} s later, and {how}")
    demand(not came, f"it opened {times} before it ended")


@probe(
    "closing-final",
    "ends when all is played",
    demand="after Closing without retry a bot ends by itself; exit code 0 where all is played",
    place=_ENDS,
    cure="on Closing with retry = false end the process; DRAINING is a good end, exit code 0",
)
async def closing_final(exam: Exam) -> None:
    """The end of `referee play`."""
    stream = await exam.begin()
    await exam.play(stream, exam.table(settings()))
    await stream.close(_closing("DRAINING", retry=False), grpc.StatusCode.UNAVAILABLE, "played")
    await _stays_away(exam)
    gone = exam.bot.exit
    assert gone is not None
    demand(gone.code == 0, f"when all was played it ended with {gone.text}")


@probe(
    "superseded",
    "gives way to its successor",
    demand="a bot that another process superseded ends, and does not take over again",
    place=_ENDS,
    cure="on Closing SUPERSEDED (status ABORTED) end; dialling again would throw the other out",
)
async def superseded(exam: Exam) -> None:
    """Another process has its identity."""
    stream = await exam.begin()
    await stream.close(_closing("SUPERSEDED", retry=False), grpc.StatusCode.ABORTED, "superseded")
    await _stays_away(exam)


@probe(
    "refused-hello",
    "ends when its token is refused",
    demand="UNAUTHENTICATED would come again: a bot ends with a line that says so",
    place=_ENDS,
    cure="on UNAUTHENTICATED, INVALID_ARGUMENT and FAILED_PRECONDITION print the text and end",
)
async def refused_hello(exam: Exam) -> None:
    """A token that nobody issued."""
    stream = await exam.come()
    await stream.close(None, grpc.StatusCode.UNAUTHENTICATED, "this token is not known")
    await _stays_away(exam)
    gone = exam.bot.exit
    assert gone is not None
    demand(gone.code != 0, "it was refused and ended with exit code 0, as if all were well")
    demand(bool(exam.bot.last_errors(1)), "it ended without a line on stderr that says why")
