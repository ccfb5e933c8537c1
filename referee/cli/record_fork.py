"""`referee record fork`: a stored round played on from a decision, by other bots."""

import signal
import sys
from collections.abc import Coroutine, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from referee.cli.record_files import fail, lines_of
from referee.cli.refusing import RefusingCommand
from referee.formats.printable import printable
from referee.formats.records import Record, RecordError, read_record

if TYPE_CHECKING:
    from referee.formats.forks import ForkPoint
    from referee.rules.seat import Seat

_FAILED = 1
_MOST = 10_000  # continuations


@click.command(cls=RefusingCommand)
@click.argument("file")
@click.option(
    "--at",
    type=click.IntRange(min=1),
    required=True,
    metavar="N",
    help="the number of a decision, as `referee record show` prints it",
)
@click.option(
    "--seat", type=click.IntRange(min=0), help="count the decisions of this hand, not all"
)
@click.option("--bot", required=True, help="who decides in that seat: what `referee play` takes")
@click.option("--others", default="greedy", show_default=True, help="who plays the other seats")
@click.option("--times", type=click.IntRange(1, _MOST), default=1, show_default=True, metavar="K")
@click.option(
    "--seed",
    metavar="TEXT",
    help="of the bots' random numbers; else they are the record's, or fresh ones for K over 1",
)
@click.option(
    "--limit",
    "limit_s",
    type=click.FloatRange(0.1, 3600),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="for an answer; match time stands still meanwhile, and no bomb is too late",
)
def fork(
    *,
    file: str,
    at: int,
    seat: int | None,
    bot: str,
    others: str,
    times: int,
    seed: str | None,
    limit_s: float,
) -> None:
    """Play a stored round on from decision N with BOT in the seat that decided.

    All hands are those of the record, and each bot is told what its seat knew. The other seats are
    played by --others from here on, not by who played them in the record: what differs is the work
    of both. To tell them apart fork a second time with --bot the bot that played, and compare. FILE
    - is the standard input.

    Prints the points of the round as recorded and as they came, and the difference for the side of
    the seat: its points less the other side's, in Trichu its points.

    Exit codes: 0 printed; 1 the record is damaged, or a bot failed; 2 bad input, or a decision that
    the record has not; 130 Ctrl-C (128 + the signal's number).
    """
    import secrets

    from referee.clock import run
    from referee.formats.forks import fork_point
    from referee.rules.seat import Seat

    try:
        record = read_record(lines_of(file))
        seats = len(record.config.players)
        if seat is not None and seat >= seats:
            fail(f"--seat {seat}: the seats are 0..{seats - 1}", 2)
        point = fork_point(record, at, seat=None if seat is None else Seat(seat))
    except RecordError as error:
        fail(f"{printable(file)}: {error}", _FAILED)
    except OSError as error:
        fail(f"{printable(file)}: {error.strerror}", _FAILED)
    argvs = _argvs(record, point, bot, others)
    if seed is None and (times > 1 or not all(one.bot_seed for one in record.config.players)):
        seed = secrets.token_hex(8)
    for line in _head(record, point, bot, others):
        click.echo(line)
    playing = _play(record, point, argvs, times=times, seed=seed, limit_s=limit_s)
    sys.exit(run(_until_ordered(playing)))


async def _until_ordered(playing: Coroutine[object, object, int]) -> int:
    """Return the exit code, of a signal 128 + its number. All that was started is gone then."""
    import asyncio

    from referee.cli.stop_orders import SIGNAL_EXIT, StopOrders

    task = asyncio.ensure_future(playing)
    stopped: list[int] = []

    def ordered(_order: int, number: signal.Signals) -> None:
        stopped.append(SIGNAL_EXIT + number)
        task.cancel()

    with StopOrders(ordered).heeded((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)):
        try:
            return await task
        except asyncio.CancelledError:
            if not stopped:
                raise
            return stopped[0]


def _argvs(
    record: Record, point: "ForkPoint", bot: str, others: str
) -> "dict[Seat, tuple[str, ...]]":
    from referee.cli.bot_ask import bot_command
    from referee.rules.options import player_seats
    from referee.rules.seat import Seat

    one, rest = (bot_command((text,), command="fork") for text in (bot, others))
    seats = map(Seat, player_seats(record.config.settings.rules))
    return {seat: one if seat == point.player else rest for seat in seats}


def _head(record: Record, point: "ForkPoint", bot: str, others: str) -> Iterator[str]:
    name = printable(record.config.players[point.player].name)
    match_id = printable(record.config.match_id)
    yield (
        f"{match_id} round {point.round}, decision {point.number}, seat {point.hand} ({name}): "
        f"{point.kind}, it chose {printable(point.chosen)}"
    )
    yield (
        f"from here on {printable(bot)} plays seat {point.player}, and {printable(others)} plays "
        "the other seats in place of those who played them; all hands are those of the record"
    )
    if point.recorded is None:
        yield "recorded  the round was not finished: there is nothing to compare with"
    else:
        yield f"recorded  {_score(point.recorded)}"


async def _play(
    record: Record,
    point: "ForkPoint",
    argvs: "dict[Seat, tuple[str, ...]]",
    *,
    times: int,
    seed: str | None,
    limit_s: float,
) -> int:
    """Play all continuations, and print each as it ends. Return the exit code."""
    import contextlib
    import tempfile
    from pathlib import Path

    from referee.check.forking import ForkFault, forks
    from referee.cli.bot_ask import say_fault
    from referee.formats.forks import margin

    was = None if point.recorded is None else margin(point.recorded, point.side)
    differences: list[int] = []
    left_open: tuple[Seat, ...] = ()
    with tempfile.TemporaryDirectory(prefix="tichu-") as folder:
        try:
            all_forks = forks(
                record.config,
                point,
                argvs,
                times=times,
                seed=seed,
                folder=Path(folder),
                limit_s=limit_s,
            )
            async with contextlib.aclosing(all_forks):
                async for came in all_forks:
                    text = f"fork {came.number:<4} {_score(came.points)}"
                    if was is not None:
                        differences.append(margin(came.points, point.side) - was)
                        text += f"  {differences[-1]:+d}"
                    click.echo(text)
                    left_open = came.left_open
        except ForkFault as fault:
            say_fault(str(fault), fault.last_lines)
            return _FAILED
    for seat in left_open:
        text = f"the bot in seat {seat} left asks for a bomb open for {limit_s:g} s: that declines"
        click.echo(text, err=True)
    if differences:
        click.echo(_sum_text(differences))
    click.echo("seed of the record" if seed is None else f"seed {printable(seed)}")
    return 0


def _sum_text(differences: Sequence[int]) -> str:
    """Return the mean difference, with its standard error where there are two or more."""
    count = len(differences)
    mean = sum(differences) / count
    text = f"difference {mean:+.1f} points for its side"
    if count == 1:
        return text
    spread = sum((one - mean) ** 2 for one in differences) / (count - 1)
    return f"{text}, mean of {count}, standard error {(spread / count) ** 0.5:.1f}"


def _score(points: Sequence[int]) -> str:
    return ":".join(map(str, points))
