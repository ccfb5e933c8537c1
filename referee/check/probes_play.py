"""Level 1, whole matches: every ask of a frame, match after match, to the end."""

from referee.check.exam import Exam
from referee.check.opponents import Temper
from referee.check.probe import Register, demand, settings
from referee.formats.vector_parsing import parse_start
from referee.match.values import Pace
from referee.rules.options import player_seats

probe = Register(level=1)
_QUIET_S = 0.3
_SEATED: tuple[tuple[dict[str, object], int], ...] = (
    ({}, 1),
    ({"variant": "trichu"}, 3),
    ({"variant": "tientsin"}, 1),
    ({"variant": "grand_seigneur", "seats": 5}, 1),
    ({"variant": "grand_seigneur", "seats": 8}, 1),
)


@probe(
    "answers-frame",
    "answers all asks of a frame",
    demand="every ask of a frame with several matches is answered",
    place="asks-and-answers",
    cure="go through all updates of a frame and all asks of an update",
)
async def answers_frame(exam: Exam) -> None:
    """Eight matches at once, or as many as it plays."""
    stream = await exam.begin()
    count = exam.at_once(8)
    tables = [exam.table(settings(), number=number) for number in range(1, count + 1)]
    await exam.deal(stream, tables)
    first = await exam.receive(stream)
    if count > 1 and len(first.answers) < count:
        exam.notes.append("it answers the asks of one frame in several frames; one is faster")
    exam.take(first, tables)
    await stream.send_bytes(b"".join(table.update() for table in tables))
    await exam.go_on(stream, tables)


@probe(
    "answers-once",
    "answers each ask once",
    demand="an answer is sent once; a repeat is for a stream that was lost",
    place="acknowledgements",
    cure="forget an ask once it is answered; send an answer again only on a new stream",
)
async def answers_once(exam: Exam) -> None:
    """Count acknowledgements of repeats."""
    stream = await exam.begin()
    table = exam.table(settings(rounds=2))
    await exam.play(stream, table)
    for frame in await exam.hush(stream, _QUIET_S):
        exam.take(frame, [table], lenient=True)
    twice = [ask for ask, status in table.statuses if status in ("duplicate", "stale")]
    demand(not twice, f"it answered {len(twice)} asks more than once, ask {twice[:1]} first")


@probe(
    "answers-own",
    "speaks for its own seats alone",
    demand="answers and requests name matches, asks and hands that the bot was given",
    place="refusal-codes",
    cure="copy match and ask_id from the update and ask that are answered, and for_seat from it",
)
async def answers_own(exam: Exam) -> None:
    """Play a round, and look at what belongs to nobody."""
    stream = await exam.begin()
    table = exam.table(settings(pace=Pace.FAIR))
    await exam.play(stream, table)
    demand(not exam.strays, f"it named {len(exam.strays)} times a match that it has not, first "
                            f"{exam.strays[:1]}")  # fmt: skip


@probe(
    "no-resign",
    "does not give up",
    demand="a match is played to its end",
    place="faults",
    cure="send Resign only where the bot cannot play on; it loses the match",
)
async def no_resign(exam: Exam) -> None:
    """Two rounds; a resignation fails in `take`."""
    stream = await exam.begin()
    await exam.play(stream, exam.table(settings(rounds=2)))


@probe(
    "plays-behind",
    "plays on when it is behind",
    demand="a bot that is behind keeps its stream and answers",
    place="faults",
    cure="do not end the stream by the score: a link that is gone is a fault",
)
async def plays_behind(exam: Exam) -> None:
    """An opponent goes out first, and leads by points."""
    stream = await exam.begin()
    what = settings(target=1000)
    start = {
        "hands": ["2j 9s Tp Jr 3j 5s", "As", "4j 4p 6s 6p", "5j 7j Qs Qp"],
        "lead": 1,
        "scores": [0, 900],
    }
    table = exam.table(what, position=parse_start(start, what.rules), temper=Temper.QUIET)
    await exam.deal(stream, [table])
    await exam.go_on(stream, [table], until=lambda: table.rounds >= 1 or table.over)
    await exam.pong(stream)


@probe(
    "next-match",
    "plays match after match",
    demand="after the end of a match the bot waits for the next one on the same stream",
    place="updates-events-snapshots",
    cure="after MatchEnded forget that match and read on; do not end the process",
)
async def next_match(exam: Exam) -> None:
    """Three matches, one after the other."""
    stream = await exam.begin()
    for number in (1, 2, 3):
        await exam.play(stream, exam.table(settings(), number=number))
        await exam.pong(stream, number)


@probe(
    "match-stopped",
    "bears the end of a match in its middle",
    demand="a match that ends while it is asked costs the bot nothing",
    place="endings",
    cure="on MatchEnded drop what the match asked; the ending may be any",
)
async def match_stopped(exam: Exam) -> None:
    """An organiser stops a match; another begins."""
    stream = await exam.begin()
    table = exam.table(settings())
    await exam.deal(stream, [table])
    await exam.go_on(stream, [table], until=lambda: table.answered.total() >= 3)
    await stream.send_bytes(table.cancel())
    for frame in await exam.hush(stream, _QUIET_S):
        exam.take(frame, [table], lenient=True)
    await exam.play(stream, exam.table(settings(), number=2))


@probe(
    "plays-long",
    "plays a match to 1000 points",
    demand="a match goes on round after round until somebody has won",
    place="updates-events-snapshots",
    cure="begin each round anew at RoundStarted, and read totals from it",
)
async def plays_long(exam: Exam) -> None:
    """A whole match."""
    stream = await exam.begin()
    await exam.play(stream, exam.table(settings(target=1000)))


@probe(
    "plays-seats",
    "plays at every seat of every game",
    demand="a bot may be given any seat",
    place="seats-hands-and-teams",
    cure="read the own seat from Seating; partners and opponents are counted from it",
)
async def plays_seats(exam: Exam) -> None:
    """A round at each seat of each game, as many at once as it plays."""
    stream = await exam.begin()
    games = [settings(options, rounds=rounds) for options, rounds in _SEATED]
    placed = [(what, seat) for what in games for seat in player_seats(what.rules)]
    tables = [
        exam.table(what, number=number, seat=seat)
        for number, (what, seat) in enumerate(placed, start=1)
    ]
    count = min(len(tables), max(1, exam.hello.max_matches))
    for first in range(0, len(tables), count):
        await exam.play(stream, *tables[first : first + count])


@probe(
    "plays-options",
    "plays with other rules",
    demand="options change what is asked, never how it is answered",
    place="the-other-games",
    cure="follow the asks and their lists; what they hold is by the options in force",
)
async def plays_options(exam: Exam) -> None:
    """A few rounds with the options that ask most."""
    stream = await exam.begin()
    chosen: list[dict[str, object]] = [
        {"chaos": True},
        {"refuse_call": True},
        {"great_grand": True, "wish_optional": False, "exchange_rechoose": "until_all_gave"},
        {"variant": "tientsin", "great_grand": True},
        {"variant": "grand_seigneur", "seats": 7, "gs_return": "worst", "rounds": 2},
    ]
    for number, options in enumerate(chosen, start=1):
        what = settings(options)
        await exam.play(stream, exam.table(what, number=number, temper=Temper.BOLD))
