"""Level 2, the future: what a bot does not know it skips; an ask that it does not know it owes."""

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.check import unknown
from referee.check.exam import Exam
from referee.check.opponents import Temper
from referee.check.probe import Probe, Register, demand, settings
from referee.check.stream import Failed, Silent
from referee.check.unknown import Edit, edited
from referee.formats.vector_parsing import parse_start
from referee.match.inputs import DefaultDecision
from referee.match.values import Clock

probe = Register(level=2)
_CHANGES = "changes-to-the-protocol"
_EVENTS = "updates-events-snapshots"
_SKIP = "skip what is not known: no error, no end of the stream; answer what is asked all the same"


class _Edited:
    """Matches in which every frame is changed on its way to the bot."""

    def __init__(self, edit: Edit, **options: object) -> None:
        self._edit = edited(edit)
        self._options = options

    async def __call__(self, exam: Exam) -> None:
        stream = await exam.begin()
        for number in (1, 2):
            what = settings(self._options, rounds=2)
            table = exam.table(what, number=number, temper=Temper.BOLD)
            await stream.send_bytes(self._edit(table.start()))
            await exam.go_on(stream, [table], edit=self._edit)
            await exam.pong(stream, number)


def _add(name: str, title: str, edit: Edit, what: str, place: str = _CHANGES) -> None:
    probe.add(
        Probe(
            id=name,
            level=2,
            title=title,
            demand=what,
            place=place,
            cure=_SKIP,
            run=_Edited(edit),
            limit_s=60.0,
        )
    )


_add("unknown-fields", "skips fields that it does not know", unknown.add_fields,
     "fields that are not known are skipped, in every message")  # fmt: skip
_add("unknown-event", "skips events that it does not know", unknown.hide_decisions,
     "an event of a kind that is not known is skipped", _EVENTS)  # fmt: skip
_add("future-card", "bears a card of the future", unknown.future_cards,
     "a card's number that is not known changes nothing about the listed plays")  # fmt: skip
_add("future-play", "bears a combination of the future", unknown.future_plays,
     "a kind of play that is not known is no reason not to answer")  # fmt: skip
_add("future-phase", "bears a phase of the future", unknown.future_phase,
     "a phase that is not known is no reason not to answer")  # fmt: skip
_add("future-pace", "bears a pace and an option of the future", unknown.future_pace,
     "a pace, an objective and an option that are not known are skipped")  # fmt: skip
_add("future-call", "bears a call of the future", unknown.future_calls,
     "calls that are not known are skipped, and never chosen")  # fmt: skip
_add("future-ack", "bears a status of the future", unknown.future_acks,
     "an acknowledgement that is not known is skipped", "acknowledgements")  # fmt: skip
_add("future-ending", "bears an ending of the future", unknown.future_ending,
     "a match that ended is over, whatever the ending", "endings")  # fmt: skip


@probe(
    "unknown-ask",
    "answers an ask that it does not know",
    demand="an ask of a kind that is not known is answered with DefaultAction",
    place="asks-and-answers",
    cure="where no kind of an ask is set that you know, answer default_action with its number",
)
async def unknown_ask(exam: Exam) -> None:
    """The second ask is of a kind of the future."""
    stream = await exam.begin()
    table = exam.table(settings(rounds=2))
    await exam.deal(stream, [table])
    hidden: set[tuple[int, int]] = set()
    while not hidden:
        exam.take(await exam.receive(stream), [table])
        frame = referee_pb2.PlayResponse.FromString(table.update())
        if table.answered.total() > 2:
            hidden = unknown.hide_asks(frame)
        await stream.send(frame)
    asks = {ask for _, ask in hidden}
    try:
        got = await exam.receive(stream)
    except Silent:
        raise Failed(f"it did not answer ask {asks}, of a kind that it does not know") from None
    decisions = [answer.decision for answer in got.answers if answer.ask_id in asks]
    demand(decisions, f"it answered something, but not ask {asks}, of a kind that it cannot know")
    wrong = [type(d).__name__ for d in decisions if not isinstance(d, DefaultDecision)]
    demand(not wrong, f"it answered ask {asks}, of a kind that it cannot know, with {wrong[:1]}")
    exam.take(got, [table])
    if data := table.update():
        await stream.send_bytes(data)
    await exam.go_on(stream, [table])


@probe(
    "future-reason",
    "bears a reason of the future",
    demand="reasons that are not known change nothing about what is asked",
    place=_CHANGES,
    cure=_SKIP,
)
async def future_reason(exam: Exam) -> None:
    """An ask that is cancelled, and a choice of a seat, for reasons that nobody knows."""
    edit = edited(unknown.future_reasons)
    stream = await exam.begin()
    table = exam.table(settings(clock=Clock()))
    data = table.start()
    table.stall()
    await stream.send_bytes(edit(data + table.update()))
    await exam.go_on(stream, [table], edit=edit)
    what = settings()
    start = {"hands": ["Dr", "2j 3j 8s", "4j 5s", "6j 7s 9s"], "lead": 0}
    table = exam.table(what, number=2, position=parse_start(start, what.rules))
    await stream.send_bytes(edit(table.start()))
    await exam.go_on(stream, [table], edit=edit)


@probe(
    "future-refusal",
    "bears a refusal of the future",
    demand="a refusal with a code that is not known is one like any other",
    place="refusal-codes",
    cure="on REFUSED correct the answer or send default_action, whatever the code",
)
async def future_refusal(exam: Exam) -> None:
    """The first answer is refused for a reason that nobody knows."""
    stream = await exam.begin()
    table = exam.table(settings())
    await exam.deal(stream, [table])
    first = await exam.receive(stream)
    answer = first.answers[0]
    update = match_pb2.Update(match=1)
    update.acks.add(ask_id=answer.ask_id, status=match_pb2.ACK_STATUS_REFUSED)
    update.refused.add(
        ask_id=answer.ask_id,
        code=unknown.FUTURE,
        text="a rule of the future",
        resends_left=2,
    )
    await stream.send(referee_pb2.PlayResponse(updates=[update]))
    await exam.go_on(stream, [table])


@probe(
    "future-closing",
    "bears a closing code of the future",
    demand="whether to come back is said by retry, not by the code",
    place="how-a-stream-ends",
    cure="on Closing look at retry; dial again where it is true, whatever the code",
)
async def future_closing(exam: Exam) -> None:
    """A code that nobody knows, with retry."""
    stream = await exam.begin()
    closing = referee_pb2.Closing(
        code=unknown.FUTURE,  # type: ignore[arg-type]
        text="later",
        retry=True,
    )
    await stream.close(closing)
    stream = await exam.back()
    await exam.play(stream, exam.table(settings()))


@probe(
    "empty-frame",
    "bears empty frames",
    demand="a frame in which nothing is set that the bot knows is skipped",
    place=_CHANGES,
    cure=_SKIP,
)
async def empty_frame(exam: Exam) -> None:
    """Empty frames, and one with fields of the future alone."""
    stream = await exam.begin()
    table = exam.table(settings())
    for _ in range(3):
        await stream.send(referee_pb2.PlayResponse())
        await stream.send_bytes(edited(unknown.add_fields)(b""))
    await exam.pong(stream)
    await exam.deal(stream, [table])
    await stream.send(referee_pb2.PlayResponse(updates=[match_pb2.Update(match=1)]))
    await exam.go_on(stream, [table])
