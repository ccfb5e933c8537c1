"""The report on a bot in words: cells for tables of any kind, and the text for the terminal."""

from collections.abc import Iterable, Iterator, Sequence

from referee.formats.bot_report import BotReport, NotedFault, Score, VoidBoard
from referee.formats.numbers_text import NOTHING, seconds, share, signed
from referee.formats.printable import printable
from referee.formats.summary import CallCount, FaultNote, TimeBill
from referee.formats.text_tables import aligned
from referee.formats.words import counted
from referee.ladder.habits import Defaults
from referee.ladder.values import LegPlace
from referee.match.values import AskKind

SHOWN_FAULTS = 30  # in the text; the last ones
SILENCE = "Silence in a bomb window is a decline and no fault; it counts under ran out."
LESS_LUCK = "less luck: without what the dealt cards gave; never used for ranking"

SCORE_TITLES = ("legs", "rounds", "points", "less luck")
CALL_TITLES = ("call", "made", "won", "success")
TIME_TITLES = (
    "ask", "asks", "thinking", "mean", "longest", "network", "referee", "charged", "ran out",
)  # fmt: skip
FAULT_TITLES = ("match", "board", "round", "at", "seat", "ask", "kind", "why")
VOID_TITLES = ("board", "match", "ending", "blame")


def score_cells(score: Score) -> list[str]:
    """Return the cells of `SCORE_TITLES`."""
    return [str(score.legs), str(score.rounds), signed(score.points), signed(score.less_luck)]


def knows_luck(report: BotReport) -> bool:
    """True where a score of a report is told without the luck of its cards too."""
    return any(score.less_luck is not None for score in report.seats)


def call_cells(call: CallCount) -> list[str]:
    """Return the cells of `CALL_TITLES`."""
    words = call.call.replace("_", " ")
    return [words, str(call.made), str(call.won), share(call.won, call.made)]


def time_cells(bill: TimeBill) -> list[str]:
    """Return the cells of `TIME_TITLES`."""
    mean = f"{bill.thinking_ms // bill.asks} ms" if bill.asks else NOTHING
    times = (bill.network_ms, bill.referee_ms, bill.charged_ms)
    return [
        bill.kind.replace("_", " "),
        str(bill.asks),
        seconds(bill.thinking_ms),
        mean,
        f"{bill.longest_ms} ms",
        *map(seconds, times),
        str(bill.timed_out),
    ]


def board_text(place: LegPlace) -> str:
    """Return which board a leg belongs to, as rulings name it, with attempt and leg."""
    again = f" attempt {place.attempt}" if place.attempt > 1 else ""
    return f"{place.pairing}/{place.board}{again} leg {place.leg}"


def note_cells(note: FaultNote) -> list[str]:
    """Return the cells of `FAULT_TITLES` from the round on."""
    why = f"{note.why}, ended the match" if note.ended_match else note.why
    return [
        str(note.round),
        seconds(note.at_ms),
        str(note.seat),
        str(note.ask) if note.ask else NOTHING,
        note.kind.replace("_", " ") or NOTHING,
        why,
    ]


def fault_cells(fault: NotedFault) -> list[str]:
    """Return the cells of `FAULT_TITLES`."""
    return [fault.match_id, board_text(fault.place), *note_cells(fault.note)]


def void_cells(void: VoidBoard) -> list[str]:
    """Return the cells of `VOID_TITLES`."""
    return [board_text(void.place), void.match_id, void.ending, void.blame]


def not_counted_text(report: BotReport) -> str:
    """Return how many legs bring no points, and why; "" where all count."""
    reasons = ", ".join(f"{counted(count, 'leg')} ({why})" for why, count in report.not_counted)
    return f"not counted: {reasons}" if reasons else ""


def defaults_text(answers: Defaults) -> str:
    """Return how many answers asked for the substitute action, and what that may mean.

    >>> defaults_text(Defaults(answers=100, defaults=2))
    '2 of 100 answers left to the substitute action'
    """
    text = (
        f"{answers.defaults} of {counted(answers.answers, 'answer')} left to the substitute action"
    )
    if not answers.are_many:
        return text
    return f"{text}; so does a bot library where the strategy fails: look into the bot's log"


def report_lines(report: BotReport) -> Iterator[str]:
    """Yield a report for the terminal."""
    yield f"{printable(report.bot)} in {printable(report.event)}: {counted(report.matches, 'leg')}"
    if report.practice:
        yield f"practice: somebody chose the seed in {report.practice} of them"
    for version in report.versions:
        yield f"version {printable(version)}"
    if report.not_counted:
        yield not_counted_text(report)
    yield from _score_lines(report)
    yield from _section("bets", CALL_TITLES, map(call_cells, report.calls), texts=1)
    yield from _section("time by kind of ask", TIME_TITLES, map(time_cells, report.times), texts=1)
    if any(bill.kind == AskKind.BOMB and bill.timed_out for bill in report.times):
        yield SILENCE
    yield from _void_lines(report)
    yield from _fault_lines(report)


def _score_lines(report: BotReport) -> Iterator[str]:
    entries = [[name, *score_cells(score)] for name, score in report.entries]
    yield from _section("points a round by entry", ("entry", *SCORE_TITLES), entries, texts=1)
    seats = [[str(seat), *score_cells(score)] for seat, score in enumerate(report.seats)]
    if entries:
        yield from _section("points a round by seat", ("seat", *SCORE_TITLES), seats, texts=0)
        if knows_luck(report):
            yield LESS_LUCK


def _void_lines(report: BotReport) -> Iterator[str]:
    title = f"{counted(len(report.void), 'void board')}, played again"
    yield from _section(title, VOID_TITLES, map(void_cells, report.void), texts=4)


def _fault_lines(report: BotReport) -> Iterator[str]:
    yield ""
    if report.answers.defaults:
        yield defaults_text(report.answers)
    yield f"{counted(len(report.faults), 'fault')}, {counted(report.refused, 'refused answer')}"
    shown = report.faults[-SHOWN_FAULTS:]
    if len(shown) < len(report.faults):
        yield f"the last {len(shown)} of them:"
    if shown:
        texts = [title in ("match", "board", "kind", "why") for title in FAULT_TITLES]
        yield from _indented(aligned(FAULT_TITLES, list(map(fault_cells, shown)), texts=texts))


def _section(
    title: str, titles: Sequence[str], rows: Iterable[Sequence[str]], *, texts: int
) -> Iterator[str]:
    """Yield a table under a title, or nothing where it has no rows; the first columns are text."""
    cells = list(rows)
    if not cells:
        return
    yield ""
    yield title
    at_left = [place < texts for place in range(len(titles))]
    yield from _indented(aligned(titles, cells, texts=at_left))


def _indented(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield f"  {line}"
