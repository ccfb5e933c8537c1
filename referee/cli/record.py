"""`referee record`: verify records, show them as text, export decisions."""

import sys
from collections.abc import Iterator
from typing import NoReturn

import click

from referee.cli.ended_text import counts_words, ended_words
from referee.cli.once import OnceCommand
from referee.formats.playthrough import PUBLIC, View, full_view, playthrough, seat_view
from referee.formats.printable import printable
from referee.formats.records import (
    MAX_LINE_BYTES,
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


@click.group()
def record() -> None:
    """Verify records of matches, show them, export their decisions."""


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
        _fail("--seat, --public and --all exclude each other; choose one", _USAGE)
    try:
        shown, fault = read_until_fault(_lines(file))
    except RecordError as error:
        _fail(f"{printable(file)}: {error}", _FAILED)
    except OSError as error:
        _fail(f"{printable(file)}: {error.strerror}", _FAILED)
    _check_round(shown, round_number)
    for line in playthrough(shown, _view(shown, seat, public), round_number=round_number):
        click.echo(line)
    if fault is not None:
        _fail(f"{printable(file)}: {fault}", _FAILED)
    if not shown.complete:
        click.echo("the record is unfinished: it has no trailer")


@record.command(cls=OnceCommand)
@click.argument("file")
@click.option(
    "--at",
    "numbers",
    type=click.IntRange(min=1),
    multiple=True,
    required=True,
    metavar="N",
    help="the number of a decision; repeatable",
)
@click.option(
    "--seat", type=click.IntRange(min=0), help="count the decisions of this hand, not all"
)
def export(file: str, numbers: tuple[int, ...], seat: int | None) -> None:
    """Print decisions of a record as lines of a suite for `referee bot ask`.

    N is the number that `referee record show` prints at a decision. The line has the position
    before it, who was asked, and what was chosen as the one right answer. FILE - is the standard
    input.

    Exit codes: 0 printed; 1 the record is damaged or cannot be read; 2 usage, or a decision that
    it has not.
    """
    from referee.formats.exported_decisions import decisions_of

    try:
        decided = decisions_of(_read(file))
        mine = (one for one in decided if seat is None or one.seat == seat)
        found = {}
        count = 0
        for count, one in enumerate(mine, start=1):
            if count in numbers:
                found[count] = one.text()
                if len(found) == len(set(numbers)):
                    break
    except RecordError as error:
        _fail(f"{printable(file)}: {error}", _FAILED)
    except OSError as error:
        _fail(f"{printable(file)}: {error.strerror}", _FAILED)
    for number in numbers:
        if number not in found:
            of = "the record" if seat is None else f"seat {seat}"
            _fail(f"--at {number}: {of} has {count} decisions", _USAGE)
    for number in numbers:
        click.echo(found[number])


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
    return read_record(_lines(file))


def _lines(name: str) -> Iterator[bytes]:
    """The lines of a file; of one that is too long only as much as shows that it is."""
    with click.open_file(name, "rb") as file:
        while line := file.readline(MAX_LINE_BYTES + 2):
            yield line


def _view(shown: Record, seat: int | None, public: bool) -> View:
    if public:
        return PUBLIC
    if seat is None:
        return full_view(shown.config)
    seats = len(shown.config.players)
    if seat >= seats:
        _fail(f"--seat {seat}: the seats are 0..{seats - 1}", _USAGE)
    return seat_view(Seat(seat))


def _check_round(shown: Record, number: int | None) -> None:
    rounds = [fact.round for fact in shown.facts if isinstance(fact, Dealt)]
    if number is not None and number not in rounds:
        has = f"rounds {rounds[0]} to {rounds[-1]}" if len(rounds) > 1 else "round 1 only"
        _fail(f"--round {number}: the record has {has if rounds else 'no round'}", _USAGE)


def _fail(text: str, code: int) -> NoReturn:
    click.echo(f"error: {text}", err=True)
    sys.exit(code)
