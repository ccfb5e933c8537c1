"""`referee record`: verify records, and show them as text."""

import sys

import click

from referee.cli.ended_text import counts_words, ended_words
from referee.cli.lazy import LazyGroup
from referee.cli.once import OnceCommand
from referee.cli.record_files import fail, lines_of
from referee.formats.playthrough import PUBLIC, View, full_view, playthrough, seat_view
from referee.formats.printable import printable
from referee.formats.records import (
    Record,
    RecordError,
    read_record,
    read_until_fault,
)
from referee.formats.verification import Doubt, Verified, verify_record
from referee.match.facts import Dealt, Fact, MatchEnded
from referee.match.values import Ending
from referee.rules.seat import Seat

_FAILED = 1
_USAGE = 2
_CHAIN_DIGITS = 12


@click.group(
    cls=LazyGroup,
    rows={
        "export": ("referee.cli.record_export:export", "Write decisions, a suite, or a log."),
        "import": ("referee.cli.record_import:import_", "Make records of a BrettspielWelt log."),
        "fork": ("referee.cli.record_fork:fork", "Play on from a decision with another bot."),
    },
)
def record() -> None:
    """Verify records of matches, show them, export and import them, play on from within them."""


@record.command(cls=OnceCommand)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
def verify(files: tuple[str, ...]) -> None:
    """Play records again and compare: chain, commitments, facts, scores; - is the standard input.

    Prints a line for each file: `FILE: ok N rounds A:B chain HEX`, or the first difference. The
    points are by team, in Trichu by seat (`A:B:C:D`); Grand Seigneur has none. Of a match that was
    not played to its end they are followed by its ending, the seat at fault, the blame, and
    `counts A:B` where that differs.

    Exit codes: 0 all are true; 1 one is not, or cannot be read; 2 usage.
    """
    good = True
    for file in files:
        line, true = _verdict(file)
        click.echo(f"{printable(file)}: {line}")
        good = good and true
    sys.exit(0 if good else _FAILED)


@record.command(cls=OnceCommand)
@click.argument("file")
@click.option("--seat", type=click.IntRange(min=0), help="what this seat saw")
@click.option("--public", is_flag=True, help="what everybody saw")
@click.option("--all", "everything", is_flag=True, help="all hands and answers (the default)")
@click.option("--round", "round_number", type=click.IntRange(min=1), help="this round only")
def show(
    file: str, seat: int | None, public: bool, everything: bool, round_number: int | None
) -> None:
    """Print a record as a playthrough, in the eyes of one seat, of everybody, or with all hands.

    FILE - is the standard input. A damaged record is shown up to the damage, which is named on
    stderr. The record is not verified: `referee record verify` does that.

    Exit codes: 0 shown; 1 it is damaged or cannot be read; 2 usage, or a seat or round that it
    has not.
    """
    if (seat is not None) + public + everything > 1:
        fail("--seat, --public and --all exclude each other; choose one", _USAGE)
    try:
        shown, fault = read_until_fault(lines_of(file))
    except RecordError as error:
        fail(f"{printable(file)}: {error}", _FAILED)
    except OSError as error:
        fail(f"{printable(file)}: {error.strerror}", _FAILED)
    _check_round(shown, round_number)
    for line in playthrough(shown, _view(shown, seat, public), round_number=round_number):
        click.echo(line)
    if fault is not None:
        fail(f"{printable(file)}: {fault}", _FAILED)
    if not shown.complete:
        click.echo("the record is unfinished: it has no trailer")


def _verdict(file: str) -> tuple[str, bool]:
    try:
        read = _read(file)
    except RecordError as error:
        return str(error), False
    except OSError as error:
        return f"cannot be read: {error.strerror}", False
    verdict = verify_record(read)
    if isinstance(verdict, Verified):
        return _verified_text(verdict, read.facts[-1]), True
    return _doubt_text(verdict), False


def _verified_text(verdict: Verified, last: Fact) -> str:
    words = [f"ok {verdict.rounds} rounds"]  # scripts read it: never another word
    if verdict.totals:  # Grand Seigneur has none (I)
        words.append(":".join(map(str, verdict.totals)))
    if isinstance(last, MatchEnded) and last.ending is not Ending.COMPLETED:
        words += [*ended_words(last), *counts_words(last)]
    return f"{' '.join(words)} chain {verdict.chain[:_CHAIN_DIGITS]}"


def _doubt_text(doubt: Doubt) -> str:
    text = f"line {doubt.line}: {doubt.why}"
    if doubt.expected:
        text += f"; expected {doubt.expected}"
    if doubt.got:
        text += f"; got {doubt.got}"
    return text


def _read(file: str) -> Record:
    """Raises `RecordError`, or `OSError` when there is no such file."""
    return read_record(lines_of(file))


def _view(shown: Record, seat: int | None, public: bool) -> View:
    if public:
        return PUBLIC
    if seat is None:
        return full_view(shown.config)
    seats = len(shown.config.players)
    if seat >= seats:
        fail(f"--seat {seat}: the seats are 0..{seats - 1}", _USAGE)
    return seat_view(Seat(seat))


def _check_round(shown: Record, number: int | None) -> None:
    rounds = [fact.round for fact in shown.facts if isinstance(fact, Dealt)]
    if number is not None and number not in rounds:
        has = f"rounds {rounds[0]} to {rounds[-1]}" if len(rounds) > 1 else "round 1 only"
        fail(f"--round {number}: the record has {has if rounds else 'no round'}", _USAGE)
