"""`referee tournament run --dry-run`: who meets whom, and how long it takes."""

from collections.abc import Iterator

from referee.bootstrap.ladder_plan import LadderPlan
from referee.cli.ladder_forecast import HOUSE_RATE
from referee.cli.ladder_progress import duration_words, rate_words
from referee.formats.printable import printable
from referee.formats.tournament_results import TournamentResults
from referee.formats.words import counted
from referee.ladder.movements import Entry, Evenness, evenness
from referee.ladder.partners import entrants_of
from referee.ladder.tournaments import Tournament

_LEGS = 2  # of a board, each of one round
_MINUTE_S = 60.0


def forecast_lines(
    plan: LadderPlan, tournament: Tournament, results: TournamentResults, *, rate: float | None
) -> Iterator[str]:
    """Yield the forecast, a fact a line, then every round. `rate` is tables a minute.

    The time is that of what `results` have not yet.
    """
    left = tournament.tables - results.done
    rounds, used = tournament.movement.rounds, rate or _LEGS * HOUSE_RATE / tournament.deals
    whence = "of house bots on two cores; --rate N says otherwise" if rate is None else "as you say"
    what = "single entries" if tournament.entry is Entry.SINGLE else "pairs"
    deals = "the same for all tables" if tournament.same_deals else "other cards at every table"
    hours = duration_words(left / used * _MINUTE_S)
    yield f"entrants  {len(tournament.entrants)} {what}"
    yield f"rounds    {len(rounds)} of {counted(len(rounds[0].tables), 'table')}"
    yield f"table     {counted(tournament.deals, 'deal')}, {deals}"
    yield f"meetings  {_meetings(tournament.entry, evenness(tournament.movement))}"
    if results.done:
        yield f"played    {_played(results)}; {counted(left, 'table')} to play"
    yield f"time      {hours}, at {rate_words(used)} tables a minute ({whence})"
    yield f"at once   {counted(min(plan.parallel, len(rounds[0].tables)), 'table')}"
    for number in range(1, len(rounds) + 1):
        yield ""
        yield from _round(tournament, results, number)


def _played(results: TournamentResults) -> str:
    over = len(results.rounds())
    tables = sum(len(one.tables) for one in results.rounds())
    more = f" and {counted(results.done - tables, 'table')}" if results.done > tables else ""
    return f"{counted(over, 'round')}{more}"


def _meetings(entry: Entry, even: Evenness) -> str:
    words = [f"{_times(even.opponent)} as opponents"]
    if entry is Entry.SINGLE:
        words.insert(0, f"{_times(even.partner)} as partners")
    sits_out = f"; everybody sits out {_times(even.byes)}" if even.byes[1] else ""
    return f"each two meet {', '.join(words)}{sits_out}"


def _times(ends: tuple[int, int]) -> str:
    """Return how often.

    >>> _times((1, 1)), _times((3, 3)), _times((0, 2))
    ('once', '3 times', '0 to 2 times')
    """
    least, most = ends
    words = {0: "never", 1: "once", 2: "twice"}
    return words.get(most, f"{most} times") if least == most else f"{least} to {most} times"


def _round(tournament: Tournament, results: TournamentResults, number: int) -> Iterator[str]:
    yield f"round {number}"
    for table, sides in enumerate(tournament.sides(number), 1):
        over = "" if results.table(number, sides) is None else " (over)"
        first, second = (" + ".join(map(printable, entrants_of(side))) for side in sides)
        yield f"  table {table}: {first} against {second}{over}"
    if byes := tournament.byes(number):
        yield f"  sits out: {', '.join(map(printable, byes))}"
