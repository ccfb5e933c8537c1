"""Level 2, the link: it is lost, sent elsewhere, closed and away, and the bot is there again."""

import asyncio

import grpc

from referee.check.exam import RETURN_S, Exam
from referee.check.probe import Register, demand, settings
from referee.check.proctor import Door
from referee.check.stream import ExamStream, Failed
from referee.check.table import Table

probe = Register(level=2)
_STREAM = "the-stream"
_ENDS = "how-a-stream-ends"
_BACK = "after a lost link dial again, with the session token of the last Welcome in Hello"
_ANEW = "on a new stream forget all answers that wait, and answer every ask that comes again"


async def play_some(exam: Exam, stream: ExamStream, table: Table, answers: int = 3) -> None:
    """Play on until so many more asks were answered."""
    goal = table.answered.total() + answers
    await exam.go_on(stream, [table], until=lambda: table.answered.total() >= goal or table.over)


async def resume(exam: Exam, table: Table) -> ExamStream:
    """Wait for the bot, tell it where its match stands."""
    stream = await exam.back()
    await stream.send_bytes(table.retell())
    return stream


@probe(
    "reconnect",
    "comes back after a cut",
    demand="a bot whose link was cut dials again and sends the session token",
    place=_STREAM,
    cure=_BACK,
)
async def reconnect(exam: Exam) -> None:
    """Cut, and play on."""
    stream = await exam.begin()
    table = exam.table(settings(rounds=2))
    await exam.deal(stream, [table])
    await play_some(exam, stream, table)
    stream.cut()
    await exam.go_on(await resume(exam, table), [table])


@probe(
    "reconnect-idle",
    "comes back while it waits",
    demand="a link that is lost between matches is dialled again, too",
    place=_STREAM,
    cure=_BACK,
)
async def reconnect_idle(exam: Exam) -> None:
    """Cut with nothing asked; then a match."""
    stream = await exam.begin()
    await exam.pong(stream)
    stream.cut()
    stream = await exam.back()
    await exam.play(stream, exam.table(settings()))


@probe(
    "reconnect-open",
    "answers open asks again",
    demand="an ask that comes again on a new stream is answered again",
    place=_STREAM,
    cure=_ANEW,
)
async def reconnect_open(exam: Exam) -> None:
    """What it answered was lost on the way."""
    stream = await exam.begin()
    table = exam.table(settings())
    await exam.deal(stream, [table])
    await exam.receive(stream)  # lost
    stream.cut()
    await exam.go_on(await resume(exam, table), [table])


@probe(
    "reconnect-forgets",
    "forgets what waited before the cut",
    demand="on a new stream a bot answers the asks that it gets there, and no others",
    place=_STREAM,
    cure=_ANEW,
)
async def reconnect_forgets(exam: Exam) -> None:
    """The asks of the lost stream are over when it is back."""
    stream = await exam.begin()
    table = exam.table(settings(rounds=2))
    await exam.deal(stream, [table])
    await play_some(exam, stream, table)
    stream.cut()
    table.decide_for_bot()
    stream = await resume(exam, table)
    told: set[int] = set()  # on the new stream
    while not table.over:
        told |= table.open.keys()
        frame = await exam.receive(stream)
        late = {answer.ask_id for answer in frame.answers} - told
        demand(not late, f"on the new stream it answered ask {late}, which it did not get there")
        exam.take(frame, [table])
        if data := table.update():
            await stream.send_bytes(data)


@probe(
    "reconnect-refused",
    "goes on as a new session where the old one is forgotten",
    demand="a Welcome that is not resumed begins a new session",
    place=_STREAM,
    cure="where Welcome says resumed = false forget all matches, and take them as they come",
)
async def reconnect_refused(exam: Exam) -> None:
    """The referee does not know it any more."""
    stream = await exam.begin()
    table = exam.table(settings())
    await exam.deal(stream, [table])
    await play_some(exam, stream, table)
    stream.cut()
    stream = await exam.next_stream()
    exam.session_token += "-new"
    await exam.welcome(stream, resumed=False)
    await exam.play(stream, exam.table(settings(rounds=2)))


@probe(
    "session-token-new",
    "takes the newest session token",
    demand="each Welcome brings the session token for the next return",
    place=_STREAM,
    cure="keep the session token of every Welcome, not only of the first",
)
async def session_token_new(exam: Exam) -> None:
    """Another token with the second Welcome."""
    stream = await exam.begin()
    await exam.pong(stream)
    stream.cut()
    stream = await exam.next_stream()
    exam.check_return(stream)
    exam.session_token += "-second"
    await exam.welcome(stream, resumed=True)
    await exam.pong(stream)
    stream.cut()
    await exam.pong(await exam.back())


@probe(
    "cut-before-welcome",
    "dials again when nobody answered its Hello",
    demand="a link that is lost before Welcome is dialled again",
    place=_STREAM,
    cure="treat a link that is lost before Welcome like any other: pause and dial again",
)
async def cut_before_welcome(exam: Exam) -> None:
    """No Welcome, no word."""
    stream = await exam.come()
    stream.cut()
    stream = await exam.next_stream()
    await exam.welcome(stream)
    await exam.play(stream, exam.table(settings()))


@probe(
    "cut-twice",
    "comes back twice in a row",
    demand="a link that is lost again at once is dialled again",
    place=_STREAM,
    cure=_BACK + "; count no tries that got a Welcome",
)
async def cut_twice(exam: Exam) -> None:
    """Cut, and cut at once after the Welcome."""
    stream = await exam.begin()
    table = exam.table(settings(rounds=2))
    await exam.deal(stream, [table])
    await play_some(exam, stream, table)
    stream.cut()
    (await exam.back()).cut()
    await exam.go_on(await resume(exam, table), [table])


@probe(
    "server-away",
    "waits for a referee that is away",
    demand="a bot keeps dialling while its referee is away for 3 s, and plays on",
    place="when-the-referee-itself-fails",
    cure="dial again and again for 30 s at least, also where nobody listens",
)
async def server_away(exam: Exam) -> None:
    """Nobody listens for 3 s."""
    stream = await exam.begin()
    table = exam.table(settings(rounds=2))
    await exam.deal(stream, [table])
    await play_some(exam, stream, table)
    relay = exam.proctor.first.relay
    relay.go_away()
    await exam.unless_ended(asyncio.sleep(3.0), "its referee was back")
    await relay.come_back()
    await exam.go_on(await resume(exam, table), [table])


@probe(
    "server-port",
    "dials a host:port",
    demand="TICHU_SERVER is unix:/path or host:port",
    place="who-a-bot-is",
    cure="dial every address by its own form; on this machine no TLS is needed",
)
async def server_port(exam: Exam) -> None:
    """A port from the start."""
    exam.start(exam.proctor.tcp_address)
    stream = await exam.next_stream(exam.hello_s)
    await exam.welcome(stream)
    await exam.play(stream, exam.table(settings()))


@probe(
    "server-list",
    "tries several servers",
    demand="several addresses in TICHU_SERVER, with commas between, are tried in order",
    place="who-a-bot-is",
    cure="split TICHU_SERVER at commas; where nobody listens try the next address",
)
async def server_list(exam: Exam) -> None:
    """Nobody listens at the first."""
    nobody = f"unix:{exam.proctor.folder / 'nobody.sock'}"
    exam.start(f"{nobody},{exam.proctor.address}")
    stream = await exam.next_stream(exam.hello_s + RETURN_S)
    await exam.welcome(stream)
    await exam.play(stream, exam.table(settings()))


@probe(
    "unavailable",
    "tries again when told UNAVAILABLE",
    demand="UNAVAILABLE means later: a bot dials again after a pause",
    place=_ENDS,
    cure="on UNAVAILABLE pause and dial again, also before the first Welcome",
)
async def unavailable(exam: Exam) -> None:
    """Two streams are refused, the third is let in."""
    door = exam.proctor.first
    door.refusing = (grpc.StatusCode.UNAVAILABLE, "come back later")
    exam.start()
    await exam.unless_ended(_refused(door, 2), "it was let in")
    door.refusing = None
    stream = await exam.next_stream()
    await exam.welcome(stream)
    await exam.play(stream, exam.table(settings()))


async def _refused(door: Door, count: int) -> None:
    try:
        async with asyncio.timeout(30):
            while door.refused < count:
                door.news.clear()
                await door.news.wait()
    except TimeoutError:
        raise Failed(f"after UNAVAILABLE it dialled {door.refused} times in 30 s") from None
