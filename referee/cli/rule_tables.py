"""`referee rules faults` and `referee rules show`: what a server's settings come to, as tables."""

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

import click

from referee.cli.fault_limits import LimitsInForce
from referee.cli.once import OnceCommand
from referee.cli.rule_flags import variant_flag
from referee.cli.serve_setup import ServeArguments, ServePlan, plan_serve
from referee.cli.timing import BASE_FIELDS, lag_text
from referee.formats.times_text import clock_text, time_text
from referee.match.faults import FAULTS, FaultRow, Limit
from referee.match.values import Pace, Settings
from referee.rules.errors import ConfigError
from referee.rules.options import (
    MAX_ROUNDS,
    MAX_TARGET,
    OPTION_ROWS,
    RuleOptions,
    match_rounds,
    options_dict,
)

_USAGE = 2
_GAP = "  "
_OTHERWISE = "*"
_ABOVE = """\
One table for every seat. A match that bots of one team ended counts as the worst that it could
still have got; where bots of both teams failed in one step, the match counts for nothing.
"""

_F = TypeVar("_F", bound=Callable[..., None])


def _with_config(command: _F) -> _F:
    given = click.Path(path_type=Path)
    return click.option("--config", "config_file", type=given, help="A file of `referee serve`.")(
        command
    )


def _with_faults(command: _F) -> _F:
    return click.option("--fault", "faults", multiple=True, metavar="NAME=N", help="A limit.")(
        command
    )


@click.command(cls=OnceCommand, short_help="Show what follows from each fault.")
@_with_config
@_with_faults
def faults(*, config_file: Path | None, faults: tuple[str, ...]) -> None:
    """Show what follows from each fault, how the match ends, who is to blame, and the limits.

    The limits are those in force: the defaults, or what a configuration file and --fault say.
    """
    plan = _planned(ServeArguments(config_file=config_file, faults=faults))
    click.echo(_ABOVE)
    head = ("fault", "what follows", "ending", "blame", "limit in force")
    _print_table([head, *(_fault_cells(row, plan.in_force) for row in FAULTS)])
    for others in dict.fromkeys(row.blames[1:] for row in FAULTS if row.blames[1:]):
        names = " or ".join(blame.name for blame in others)
        click.echo(f"\n{_OTHERWISE} {names} where the referee can show that.")


def _fault_cells(row: FaultRow, in_force: LimitsInForce) -> tuple[str, ...]:
    ending = row.ending.name if row.ending is not None else "-"
    limits = ", ".join(f"{limit}={in_force.value(limit)}" for limit in row.limits)
    blame = row.blames[0].name + (_OTHERWISE if row.blames[1:] else "")
    return row.kind.value, row.follows.value, ending, blame, limits


@click.command(cls=OnceCommand, short_help="Show every option and limit in force.")
@_with_config
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="A rule option.")
@variant_flag("Which game.")
@click.option("--rounds", type=click.IntRange(1, MAX_ROUNDS), help="Rounds of a match.")
@click.option("--target", type=click.IntRange(1, MAX_TARGET), help="Points that end a match.")
@click.option("--clock", metavar="BASE+BANK", help="Thinking time, or none.")
@click.option("--base", "bases", multiple=True, metavar="KIND=TIME", help="A longer base time.")
@click.option("--lag", metavar="CAP+QUOTA", help="Credit for slow links, or none.")
@click.option("--pace", type=click.Choice([pace.value for pace in Pace]), help="Of bomb windows.")
@click.option("--window", "window_ms", type=int, metavar="MS", help="Length of a bomb window.")
@_with_faults
def show(
    *,
    config_file: Path | None,
    options: tuple[str, ...],
    variant: str | None,
    rounds: int | None,
    target: int | None,
    clock: str | None,
    bases: tuple[str, ...],
    lag: str | None,
    pace: str | None,
    window_ms: int | None,
    faults: tuple[str, ...],
) -> None:
    """Show every rule option in force, then clock, lag, pace and window, then the limits.

    They are what `referee serve` would play by with the same file and flags.
    """
    plan = _planned(
        ServeArguments(
            config_file=config_file,
            variant=variant,
            rounds=rounds,
            target=target,
            options=options,
            pace=pace,
            window_ms=window_ms,
            clock=clock,
            bases=bases,
            lag=lag,
            faults=faults,
        )
    )
    rules = [("option", "value", "clause", "default, others"), *_option_rows(plan.settings.rules)]
    _print_table(rules)
    click.echo("")
    _print_table([("time", "value"), *_time_rows(plan.settings)])
    click.echo("")
    _print_table([("limit", "value"), *_limit_rows(plan.in_force)])


def _option_rows(rules: RuleOptions) -> Iterable[tuple[str, ...]]:
    in_force = options_dict(rules, complete=True) | {"rounds": match_rounds(rules)}
    for name, value in in_force.items():
        row = OPTION_ROWS[name]
        yield name, _value_text(value), row.clause, row.allowed()


def _value_text(value: object) -> str:
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _time_rows(settings: Settings) -> Iterable[tuple[str, str]]:
    clock = settings.clock
    yield "clock", clock_text(clock)
    if clock is not None:
        yield from ((f"base {kind}", time_text(clock.base_of(kind))) for kind in BASE_FIELDS)
        yield "lag", lag_text(clock)
    yield "pace", settings.pace.value
    yield "window", time_text(settings.window_ns)


def _limit_rows(in_force: LimitsInForce) -> Iterable[tuple[str, str]]:
    for limit in Limit:
        if limit is not Limit.CLOCK:
            yield limit.value, str(in_force.value(limit))


def _planned(arguments: ServeArguments) -> ServePlan:
    try:
        return plan_serve(arguments)
    except ConfigError as error:
        _refuse(error)


def _refuse(error: ConfigError) -> NoReturn:
    from referee.formats.printable import printable

    click.echo(f"error: {printable(str(error))}", err=True)
    sys.exit(_USAGE)


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print cells in columns, each as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        click.echo(_GAP.join(cells).rstrip())
