"""Level 2, asks that change their mind: cancelled, stale, refused, repeated, many, large."""

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.check.exam import Exam
from referee.check.opponents import Temper
from referee.check.probe import Register, demand, settings
from referee.check.stream import ExamStream, Failed, Silent
from referee.check.table import Table
from referee.formats.vector_parsing import parse_start
from referee.match.inputs import DefaultDecision
from referee.match.values import Clock, Pace
from referee.ports import AnswerIn

probe = Register(level=2)
_ASKS = "asks-and-answers"
_ACKS = "acknowledgements"
_FRAME_BYTES = 256 * 1024
_PINGS = 200
_EVENTS_ROUNDS = 30
_CORRECT_S = 1.0  # for a correction that a bot need not send at once


@probe(
    "cancelled",
    "drops an ask that is cancelled",
    demand="an ask that is cancelled is over; the one that comes instead is answered",
    place=_ASKS,
    cure="on AskCancelled forget the ask; answer what is asked anew, under its new number",
)
async def cancelled(exam: Exam) -> None:
    """Asked, cancelled and asked anew in one frame, then again while it thinks."""
    stream = await exam.begin()
    table = exam.table(settings(rounds=2, clock=Clock()))
    data = table.start()
    table.stall()
    await stream.send_bytes(data + table.update())
    await exam.go_on(stream, [table], until=lambda: table.answered.total() >= 3)
    table.stall()
    await stream.send_bytes(table.update())
    await exam.go_on(stream, [table])


@probe(
    "bombed",
    "acts again after a bomb",
    demand="an act that a bomb made void is asked again when it is the seat's turn",
    place="the-bomb-window",
    cure="on AskCancelled BOMBED and VOID_BOMBED drop the answer, and wait for the next ask",
)
async def bombed(exam: Exam) -> None:
    """Others bomb whatever they can, in pace fair."""
    what = settings(pace=Pace.FAIR)
    start = {
        "hands": ["2j 9s Tp Jr Kj 3p", "4j 4s 4p 4r 8r", "6j 6s 6p 6r 8j", "5j 7j Qs Qp"],
        "lead": 3,
    }
    stream = await exam.begin()
    table = exam.table(what, position=parse_start(start, what.rules), temper=Temper.BOLD)
    await exam.play(stream, table)


@probe(
    "stale",
    "bears acknowledgements that come late",
    demand="STALE, TOO_LATE and DUPLICATE for an ask that is over are skipped",
    place=_ACKS,
    cure="take an acknowledgement as news, never as an error; skip it where the ask is over",
)
async def stale(exam: Exam) -> None:
    """Each acknowledgement that no bot likes, for asks that it answered and for others."""
    stream = await exam.begin()
    table = exam.table(settings())
    await exam.deal(stream, [table])
    await exam.go_on(stream, [table], until=lambda: table.answered.total() >= 2)
    update = match_pb2.Update(match=1)
    for status in ("STALE", "TOO_LATE", "DUPLICATE", "VOID_BOMBED", "RECEIVED"):
        for ask_id in (1, 4_000):
            number = match_pb2.AckStatus.Value(f"ACK_STATUS_{status}")
            update.acks.add(ask_id=ask_id, status=number)
    update.acks.add(request_id=99, status=match_pb2.ACK_STATUS_STALE)
    update.cancelled.add(ask_id=1, reason=match_pb2.CANCEL_REASON_TIMED_OUT)
    await stream.send(referee_pb2.PlayResponse(updates=[update]))
    await exam.go_on(stream, [table])


async def _refuse(stream: ExamStream, answer: AnswerIn, left: int) -> None:
    update = match_pb2.Update(match=answer.match)
    update.acks.add(ask_id=answer.ask_id, status=match_pb2.ACK_STATUS_REFUSED)
    update.refused.add(
        ask_id=answer.ask_id,
        code=match_pb2.REFUSAL_CODE_MALFORMED,
        text="refused for the check",
        resends_left=left,
    )
    await stream.send(referee_pb2.PlayResponse(updates=[update]))


async def _next_answer(exam: Exam, stream: ExamStream, ask_id: int, limit_s: float) -> AnswerIn:
    frame = await exam.receive(stream, limit_s)
    found = [answer for answer in frame.answers if answer.ask_id == ask_id]
    demand(found, f"it answered something else, but not ask {ask_id}, which is still open")
    return found[0]


@probe(
    "refused",
    "corrects an answer that was refused",
    demand="a refused answer is corrected, or the ask gets DefaultAction",
    place=_ACKS,
    cure="on REFUSED the ask is still open: send another answer, or default_action",
)
async def refused(exam: Exam) -> None:
    """The first answer is refused once."""
    stream = await exam.begin()
    table = exam.table(settings())
    await exam.deal(stream, [table])
    first = (await exam.receive(stream)).answers[0]
    await _refuse(stream, first, 2)
    try:
        again = await _next_answer(exam, stream, first.ask_id, exam.terms.answer_s)
    except Silent:
        raise Failed(
            f"after its answer to ask {first.ask_id} was refused it sent no other: with a clock "
            "that is a strike"
        ) from None
    same = again.decision == first.decision and not isinstance(again.decision, DefaultDecision)
    demand(not same, f"to ask {first.ask_id} it sent the answer that was refused once more")
    if isinstance(again.decision, DefaultDecision):
        exam.notes.append("it leaves what was refused to the substitute action")
    await _accept(exam, stream, table, again)


async def _accept(exam: Exam, stream: ExamStream, table: Table, answer: AnswerIn) -> None:
    frame = exam.frame_of(answer)
    exam.take(frame, [table])
    if data := table.update():
        await stream.send_bytes(data)
    await exam.go_on(stream, [table])


@probe(
    "refused-out",
    "plays on when its corrections are used up",
    demand="after the last refusal the substitute action is taken, and the next ask is answered",
    place="faults",
    cure="on AskCancelled SUBSTITUTED go on with the next ask",
)
async def refused_out(exam: Exam) -> None:
    """Whatever it says to its first ask is refused."""
    stream = await exam.begin()
    table = exam.table(settings())
    await exam.deal(stream, [table])
    first = (await exam.receive(stream)).answers[0]
    for left in (2, 1, 0):
        await _refuse(stream, first, left)
        if left:
            try:
                await _next_answer(exam, stream, first.ask_id, _CORRECT_S)
            except Silent:
                break
    update = match_pb2.Update(match=1)
    update.cancelled.add(ask_id=first.ask_id, reason=match_pb2.CANCEL_REASON_SUBSTITUTED)
    await stream.send(referee_pb2.PlayResponse(updates=[update]))
    table.decide_for_bot()
    await stream.send_bytes(table.update())
    await exam.go_on(stream, [table])


@probe(
    "repeated-ask",
    "bears an ask that comes twice",
    demand="the same ask twice is one ask",
    place=_ASKS,
    cure="keep asks by their numbers; one that comes again is answered again, or not at all",
)
async def repeated_ask(exam: Exam) -> None:
    """Twice in a frame, and in a frame of its own."""
    stream = await exam.begin()
    table = exam.table(settings())
    data = table.start()
    await stream.send_bytes(data + table.ask_again())
    await stream.send_bytes(table.ask_again())
    await exam.go_on(stream, [table])
    await exam.pong(stream)


@probe(
    "repeated-return",
    "answers the same ask again when it is back",
    demand="what was answered on a lost stream, and is asked again, is answered again",
    place="the-stream",
    cure="keep no list of asks that were answered beyond a stream",
)
async def repeated_return(exam: Exam) -> None:
    """The same ask on three streams."""
    stream = await exam.begin()
    table = exam.table(settings())
    await exam.deal(stream, [table])
    for _ in range(2):
        await exam.receive(stream)
        stream.cut()
        stream = await exam.back()
        await stream.send_bytes(table.retell())
    await exam.go_on(stream, [table])


@probe(
    "matches-64",
    "plays 64 matches at once",
    demand="64 matches in one frame are all answered",
    place="the-stream",
    cure="keep what belongs to a match by its number; say fewer in max_matches where it must be",
)
async def matches_64(exam: Exam) -> None:
    """A round of each."""
    stream = await exam.begin()
    count = exam.at_once(64)
    tables = [exam.table(settings(), number=number) for number in range(1, count + 1)]
    await exam.play(stream, *tables)


@probe(
    "matches-apart",
    "keeps matches apart",
    demand="a match that ends leaves the others as they are",
    place="updates-events-snapshots",
    cure="keep state by the match's number, and drop it with MatchEnded",
)
async def matches_apart(exam: Exam) -> None:
    """Games and seats of all kinds at once; some end early."""
    stream = await exam.begin()
    count = exam.at_once(12)
    kinds: list[dict[str, object]] = [
        {},
        {"variant": "tientsin"},
        {"variant": "trichu", "rounds": 3},
        {"variant": "grand_seigneur", "seats": 5},
    ]
    tables = [
        exam.table(settings(kinds[number % 4]), number=number) for number in range(1, count + 1)
    ]
    await exam.deal(stream, tables)
    await exam.go_on(
        stream, tables, until=lambda: sum(table.answered.total() for table in tables) > 3 * count
    )
    await stream.send_bytes(b"".join(table.cancel() for table in tables[::3]))
    await exam.go_on_leniently(stream, tables)


@probe(
    "frame-large",
    "reads a frame of 256 KiB",
    demand="a frame of up to 256 KiB is read",
    place="the-stream",
    cure="set the largest message that the client receives to 4 MiB",
)
async def frame_large(exam: Exam) -> None:
    """An ask behind many lines for people."""
    stream = await exam.begin()
    table = exam.table(settings())
    frame = referee_pb2.PlayResponse.FromString(table.start())
    line = match_pb2.Refused(code=match_pb2.REFUSAL_CODE_NOT_YOUR_ASK, text="for the check " * 70)
    room = _FRAME_BYTES - frame.ByteSize()
    frame.refused.extend([line] * (room // (line.ByteSize() + 4)))
    await stream.send(frame)
    await exam.go_on(stream, [table])


@probe(
    "many-events",
    "takes thousands of events at once",
    demand="a bot that was away for long is told all that happened, and answers",
    place="updates-events-snapshots",
    cure="read events fast; keep only what the strategy needs",
)
async def many_events(exam: Exam) -> None:
    """Many rounds that it took no part in, then an ask."""
    stream = await exam.begin()
    table = exam.table(settings(rounds=_EVENTS_ROUNDS + 1))
    data = table.start()
    while table.rounds < _EVENTS_ROUNDS:
        table.decide_for_bot()
    await stream.send_bytes(data)
    await exam.receive(stream)  # to asks that are over
    await stream.send_bytes(table.update())
    await exam.go_on_leniently(stream, [table])


@probe(
    "ping-flood",
    "answers many pings",
    demand="of many pings in a row the last gets its Pong, too, and none after it",
    place="the-stream",
    cure="answer pings in the reader, in their order",
)
async def ping_flood(exam: Exam) -> None:
    """Many pings in a row."""
    stream = await exam.begin()
    for number in range(1, _PINGS + 1):
        await stream.send(referee_pb2.PlayResponse(ping=referee_pb2.Ping(number=number)))
    numbers: list[int] = []
    while _PINGS not in numbers:
        try:
            frame = await exam.receive(stream)
        except Silent:
            raise Failed(
                f"of {_PINGS} pings in a row it answered {len(numbers)}, and not the last"
            ) from None
        if frame.pong is not None:
            numbers.append(frame.pong)
    demand(numbers == sorted(set(numbers)), "its Pongs come in another order than the pings")
    await exam.play(stream, exam.table(settings()))
