"""`referee tournament run --dry-run`: who meets whom, and how long it takes."""

from collections.abc import Iterator

from referee.bootstrap.ladder_plan import LadderPlan
from referee.cli.ladder_forecast import HOUSE_RATE
from referee.cli.ladder_progress import duration_words, rate_words
from referee.formats.printable import printable
from referee.formats.words import counted
from referee.ladder.movements import Entry, Evenness, evenness
from referee.ladder.partners import entrants_of
from referee.ladder.tournaments import Tournament

_LEGS = 2  # of a board, each of one round
_MINUTE_S = 60.0


def forecast_lines(
    plan: LadderPlan, tournament: Tournament, *, rate: float | None
) -> Iterator[str]:
    """Yield the forecast, a fact a line, then every round. `rate` is tables a minute."""
    rounds, used = tournament.movement.rounds, rate or _LEGS * HOUSE_RATE / tournament.deals
    whence = "of house bots on two cores; --rate N says otherwise" if rate is None else "as you say"
    what = "single entries" if tournament.entry is Entry.SINGLE else "pairs"
    deals = "the same for all tables" if tournament.same_deals else "other cards at every table"
    hours = duration_words(tournament.tables / used * _MINUTE_S)
    yield f"entrants  {len(tournament.entrants)} {what}"
    yield f"rounds    {len(rounds)} of {counted(len(rounds[0].tables), 'table')}"
    yield f"table     {counted(tournament.deals, 'deal')}, {deals}"
    yield f"meetings  {_meetings(tournament.entry, evenness(tournament.movement))}"
    yield f"time      {hours}, at {rate_words(used)} tables a minute ({whence})"
    yield f"at once   {counted(min(plan.parallel, len(rounds[0].tables)), 'table')}"
    for number in range(1, len(rounds) + 1):
        yield ""
        yield from _round(tournament, number)


def _meetings(entry: Entry, even: Evenness) -> str:
    words = [f"each two {_times(even.opponent)} as opponents"]
    if entry is Entry.SINGLE:
        words.insert(0, f"each two {_times(even.partner)} as partners")
    if even.byes[1]:
        words.append(f"everybody sits out {_times(even.byes)}")
    return ", ".join(words)


def _times(ends: tuple[int, int]) -> str:
    """Return how often.

    >>> _times((1, 1)), _times((0, 2))
    ('1 time', '0 to 2 times')
    """
    least, most = ends
    return counted(most, "time") if least == most else f"{least} to {most} times"


def _round(tournament: Tournament, number: int) -> Iterator[str]:
    yield f"round {number}"
    for table, sides in enumerate(tournament.sides(number), 1):
        first, second = (" + ".join(map(printable, entrants_of(side))) for side in sides)
        yield f"  table {table}: {first} against {second}"
    if byes := tournament.byes(number):
        yield f"  sits out: {', '.join(map(printable, byes))}"
