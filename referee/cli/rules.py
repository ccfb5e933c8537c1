"""`referee rules`: vectors, verdicts and legal plays at the command line."""

import sys
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, NoReturn

import click

from referee.cli.lazy import LazyGroup
from referee.cli.once import OnceCommand

if TYPE_CHECKING:
    from referee.rules.cards import Seat
    from referee.rules.round import Round

_BAD_INPUT = 2  # as click's own usage errors


@click.group(
    cls=LazyGroup,
    rows={
        "bsw": ("referee.cli.bsw:bsw", "Replay Brettspielwelt logs, a line a round."),
        "count": ("referee.cli.rules_count:count", "Count the legal plays of positions."),
        "faults": ("referee.cli.rule_tables:faults", "Show what follows from each fault."),
        "show": ("referee.cli.rule_tables:show", "Show every option and limit in force."),
    },
)
def rules() -> None:
    """Check rule vectors, explain a play, list legal plays, show what is in force."""


@rules.command(cls=OnceCommand, short_help="Play rule vectors.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
def check(files: tuple[str, ...]) -> None:
    """Play every vector of the files; - is the standard input.

    Prints a line for each failed vector and a last line `N passed, M failed`. The exit status is 0
    when all passed, 1 when one failed, 2 when a file cannot be read.
    """
    from referee.formats.vectors import check_lines

    passed = failed = unreadable = 0
    for name in files:
        try:
            with _opened(name) as file:
                before = passed + failed
                for result in check_lines(_lines(file)):
                    if result.fault is None:
                        passed += 1
                        continue
                    failed += 1
                    place = f"{_printable(name)} " if result.invalid else ""
                    click.echo(place + result.fault)
            if passed + failed == before:
                click.echo(f"{_printable(name)}: holds no vector", err=True)
        except OSError as wrong:
            unreadable += 1
            _say(f"{name}: {wrong.strerror or wrong}", hint="name files of rule vectors, or -")
    click.echo(f"{passed} passed, {failed} failed")
    if unreadable:
        sys.exit(_BAD_INPUT)
    sys.exit(1 if failed else 0)


def _opened(name: str) -> IO[bytes]:
    return click.open_file(name, "rb")


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file; of one that is too long only enough to say so."""
    from referee.formats.vector_fields import MOST_BYTES

    while line := file.readline(MOST_BYTES + 2):
        yield line
        while len(line) == MOST_BYTES + 2 and not line.endswith(b"\n"):
            line = file.readline(MOST_BYTES + 2)


@rules.command(cls=OnceCommand, short_help="Say whether a play is legal, and why not.")
@click.argument("position")
@click.argument("play")
@click.option("--seat", type=int, help="Who plays; the seat on turn when not given.")
@click.option("--wish", metavar="RANK", help="The rank wished for with the Mah Jong.")
def explain(position: str, play: str, seat: int | None, wish: str | None) -> None:
    """Say whether PLAY is legal in POSITION, and why not.

    POSITION is the JSON of a rule vector or of its `start`, a file that holds it, or @FILE; steps
    are played first. PLAY is written like "8j 8s" or "2j 2p 3j 3p Ph=3", or pass. The exit status
    is 0 when the play is legal, 1 when it is refused, 2 for bad input.
    """
    from referee.rules.explanation import judge_pass, judge_play
    from referee.rules.notation import format_cards, parse_play

    round_, who = _position_and_seat(position, seat)
    try:
        if play.strip() == "pass":
            verdict = judge_pass(round_, who)
        else:
            cards, phoenix_rank = parse_play(play)
            rank = None if wish is None else _rank_or_none_such(wish)
            verdict = judge_play(round_, who, cards, phoenix_rank=phoenix_rank, wish=rank)
    except ValueError as wrong:
        _refuse_input(str(wrong))
    does = "passes" if play.strip() == "pass" else f"plays {_printable(play)}"
    if verdict.code is None:
        click.echo(f"legal: seat {who} {does}")
        return
    click.echo(f"{verdict.code} ({verdict.clause}): seat {who} {does}")
    if verdict.cards:
        click.echo(f"cards: {format_cards(verdict.cards)}")
    click.echo(f"cure: {verdict.cure}")
    sys.exit(1)


@rules.command(cls=OnceCommand, short_help="List what a seat may do.")
@click.argument("position")
@click.option("--seat", type=int, help="Whose plays; those of the seat on turn when not given.")
@click.option("--all", "every", is_flag=True, help="Every set of cards, not one a pattern.")
def legal(position: str, seat: int | None, every: bool) -> None:
    """List what a seat may do in POSITION, a line each; out of turn that is its legal bombs.

    One play stands for its pattern, shown by the lowest cards; with --all every set is listed.
    """
    from referee.rules.combinations import canonical_key
    from referee.rules.notation import format_play

    round_, who = _position_and_seat(position, seat)
    if round_.may_pass(who):
        click.echo("pass")
    plays = round_.every_play(who) if every else round_.legal_plays(who)
    for play in sorted(plays, key=canonical_key):
        click.echo(format_play(play))


def _rank_or_none_such(text: str) -> int:
    """A wish that is no rank is a verdict of the rules, BAD_WISH, not bad input."""
    from referee.rules.errors import NotationError
    from referee.rules.notation import parse_rank

    try:
        return parse_rank(text)
    except NotationError:
        return 0


def _position_and_seat(position: str, seat: int | None) -> "tuple[Round, Seat]":
    from referee.formats.positions import read_position
    from referee.rules.cards import Seat
    from referee.rules.errors import NotationError

    try:
        round_ = read_position(_position_text(position))
    except NotationError as wrong:
        _refuse_input(f"the position does not stand: {_printable(str(wrong))}")
    except OSError as wrong:
        _refuse_input(
            f"{position}: {wrong.strerror or wrong}",
            hint="write the position as JSON, or name a file that holds it",
        )
    if seat is None:
        if round_.turn is None:
            _refuse_input(f"nobody is on turn in phase {round_.phase}", hint="say --seat N")
        return round_, round_.turn
    if not 0 <= seat < round_.n:
        _refuse_input(f"there is no seat {seat}", hint=f"seats are 0 to {round_.n - 1}")
    return round_, Seat(seat)


def _position_text(position: str) -> bytes:
    from referee.formats.vector_fields import MOST_BYTES

    if position.lstrip().startswith("{"):
        return position.encode("utf-8", "surrogateescape")
    with _opened(position.removeprefix("@")) as file:
        return file.read(MOST_BYTES + 1)


def _printable(text: str) -> str:
    from referee.formats.printable import printable

    return printable(text)


def _say(text: str, *, hint: str | None = None) -> None:
    click.echo(f"error: {_printable(text)}", err=True)
    if hint is not None:
        click.echo(f"hint: {hint}", err=True)


def _refuse_input(text: str, *, hint: str | None = None) -> NoReturn:
    _say(text, hint=hint)
    sys.exit(_BAD_INPUT)
