"""`referee record export`: decisions of a record as lines, or its game as a log."""

from collections.abc import Sequence

import click

from referee.cli.once import OnceCommand
from referee.cli.record_files import fail, lines_of, read_twice
from referee.formats.printable import printable
from referee.formats.records import FactStream, RecordError, read_record
from referee.rules.errors import RefereeBug

_FAILED = 1
_USAGE = 2


@click.command(cls=OnceCommand)
@click.argument("file")
@click.option(
    "--format",
    "form",
    type=click.Choice(["suite", "decisions", "bsw"]),
    default="suite",
    help="lines for `referee bot ask` (the default), lines to learn from, or a log",
)
@click.option(
    "--at",
    "numbers",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="N",
    help="the number of a decision; repeatable (suite)",
)
@click.option(
    "--seat",
    type=click.IntRange(min=0),
    help="suite: count the decisions of this hand, not all; decisions: those of this hand only",
)
def export(file: str, form: str, numbers: tuple[int, ...], seat: int | None) -> None:
    """Print decisions of a record, or its game as a BrettspielWelt log.

    `--at N` prints the decision that `referee record show` numbers so as a line of a suite: the
    position before it, who was asked, and what was chosen as the one right answer. `--format
    decisions` prints a line of JSON for each decision: what the hand knew, its legal plays, what it
    chose, and the points of the round and the match. `--format bsw` prints a log that `referee
    rules bsw` reads; what a log cannot say is named on stderr. FILE - is the standard input.

    Exit codes: 0 printed; 1 the record is damaged, cannot be read, or cannot be said in this
    format; 2 usage, or a decision or seat that it has not.
    """
    if form == "suite" and not numbers:
        fail("--at N: name a decision, or choose --format decisions for all", _USAGE)
    if form != "suite" and numbers:
        fail(f"--at: --format {form} takes the whole record; leave one out", _USAGE)
    if form == "bsw" and seat is not None:
        fail("--seat: a log has all seats; leave it out", _USAGE)
    try:
        if form == "suite":
            _suite(file, numbers, seat)
        elif form == "decisions":
            _decisions(file, seat)
        else:
            _bsw(file)
    except RecordError as error:
        fail(f"{printable(file)}: {error}", _FAILED)
    except OSError as error:
        if error.filename is None:
            raise  # the output cannot be written, or whoever read it has enough
        fail(f"{printable(file)}: {error.strerror}", _FAILED)


def _suite(file: str, numbers: Sequence[int], seat: int | None) -> None:
    from referee.formats.exported_decisions import decisions_of

    decided = decisions_of(read_record(lines_of(file)))
    mine = (one for one in decided if seat is None or one.seat == seat)
    found = {}
    count = 0
    for count, one in enumerate(mine, start=1):
        if count in numbers:
            found[count] = one.text()
            if len(found) == len(set(numbers)):
                break
    for number in numbers:
        if number not in found:
            of = "the record" if seat is None else f"seat {seat}"
            fail(f"--at {number}: {of} has {count} decisions", _USAGE)
    for number in numbers:
        click.echo(found[number])


def _decisions(file: str, seat: int | None) -> None:
    """Print while reading; the record is read once before, for its end and its chain."""
    from referee.formats.exported_lines import all_decided, line_text
    from referee.match.facts import MatchEnded
    from referee.rules.seat import Seat

    with read_twice(file) as lines:
        ended = None
        for fact in FactStream(lines()):
            ended = fact if isinstance(fact, MatchEnded) else None
        stream = FactStream(lines())
        seats = len(stream.config.players)
        if seat is not None and seat >= seats:
            fail(f"--seat {seat}: the seats are 0..{seats - 1}", _USAGE)
        wanted = None if seat is None else Seat(seat)
        origin = stream.header.import_
        source = "" if origin is None else origin.source
        for decided in all_decided(stream.config, stream, seat=wanted):
            click.echo(line_text(stream.config.match_id, decided, ended, imported=source))
        if not stream.complete:
            _say_unfinished(file)


def _bsw(file: str) -> None:
    from referee.formats.bsw.writer import LogWriter, Unsayable

    stream = FactStream(lines_of(file))
    try:
        writer = LogWriter(stream.config)
        log = list(writer.lines(stream))
    except Unsayable as error:
        fail(f"{printable(file)}: {printable(str(error))}", _FAILED)
    # Facts that no referee wrote: the chain holds, and nothing else need.
    except (RefereeBug, LookupError) as error:
        why = f"its facts make no game ({printable(str(error))}); see referee record verify"
        fail(f"{printable(file)}: {why}", _FAILED)
    for line in log:
        click.echo(line)
    for note in writer.notes:
        click.echo(f"{printable(file)}: {printable(note)}", err=True)
    if not stream.complete:
        _say_unfinished(file)


def _say_unfinished(file: str) -> None:
    text = "the record is unfinished: what it lacks is lacking here"
    click.echo(f"{printable(file)}: {text}", err=True)
