"""Rulings in a tournament: facts that its organiser adds, with a reason, and that stay."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.cli.refusing import RefusingCommand

if TYPE_CHECKING:
    from referee.bootstrap.ladder_plan import LadderPlan
    from referee.formats.tournament_results import TournamentResults
    from referee.ladder.tournaments import Tournament
    from referee.ladder.values import RulingKind

_file = click.argument("file", type=click.Path(path_type=Path))
_reason = click.option(
    "--reason", required=True, metavar="TEXT", help="Why; it stands under the table."
)


@click.command(cls=RefusingCommand)
@_file
@click.argument("subject", metavar="MATCH|ROUND/TABLE")
@_reason
def annul(file: Path, subject: str, reason: str) -> None:
    """Rule that a table counts for nothing; the next run plays it again with new cards.

    MATCH is the id in a record's name, ROUND/TABLE are the numbers of --round N.

    Exit codes: 0 ruled; 2 bad input, or no such table counts: nothing is changed.
    """
    from referee.ladder.values import RulingKind

    _rule(file, RulingKind.ANNUL, subject, reason)


@click.command(cls=RefusingCommand)
@_file
@click.argument("entrant")
@_reason
def withdraw(file: Path, entrant: str, reason: str) -> None:
    """Rule that an entrant plays no more; its tables count.

    It loses those that are left by the worst, and for the others they count as a tie.

    Exit codes: 0 ruled; 2 bad input, or there is no such entrant: nothing is changed.
    """
    from referee.ladder.values import RulingKind

    _rule(file, RulingKind.WITHDRAW, entrant, reason)


@click.command(cls=RefusingCommand)
@_file
@click.argument("entrant")
@_reason
@click.option(
    "--says",
    metavar="VERSION",
    help="The version in the Hello of its bots, where they dial in.",
)
def replace(file: Path, entrant: str, reason: str, says: str | None) -> None:
    """Rule that an entrant goes on with the version that its files have now; its tables count.

    It plays again where it was withdrawn.

    Exit codes: 0 ruled; 2 bad input, or there is no such entrant: nothing is changed.
    """
    from referee.ladder.values import RulingKind

    _rule(file, RulingKind.REPLACE, entrant, reason, says=says)


def _rule(
    file: Path, kind: "RulingKind", subject: str, reason: str, *, says: str | None = None
) -> None:
    from referee.cli.ladder_rulings import echo_ruling, reason_of, ruled
    from referee.cli.ladder_subjects import new_version
    from referee.cli.tournament_setup import plan_tournament
    from referee.ladder.values import RulingKind

    reason = reason_of(reason)
    plan, tournament = plan_tournament(file)

    async def made() -> None:
        about = await _subject(plan, tournament, kind, subject)
        version = new_version(plan, about, says) if kind is RulingKind.REPLACE else ""
        echo_ruling((await ruled(plan, kind, about, reason, version))[-1])

    asyncio.run(made())


async def _subject(
    plan: "LadderPlan", tournament: "Tournament", kind: "RulingKind", text: str
) -> str:
    """Return the subject as the journal has it. Raises `ConfigError` where there is none such."""
    from referee.bootstrap.ladder_folder import TERMS
    from referee.bootstrap.tournament_known import known_of
    from referee.config.toml_file import nearest
    from referee.ladder.values import RulingKind
    from referee.rules.errors import ConfigError

    known = await known_of(plan, tournament)
    if not known.matches and not (plan.folder / TERMS).exists():
        cure = "change the file instead"
        raise ConfigError(f"{plan.event}: it has not begun, so there is nothing to rule on; {cure}")
    if kind is RulingKind.ANNUL:
        return _match_of(tournament, known.results, text)
    if text not in tournament.entrants:
        near = nearest(text, tournament.entrants)
        hint = f"did you mean {near!r}?" if near else f"there are {', '.join(tournament.entrants)}"
        raise ConfigError(f"there is no entrant {text!r}; {hint}")
    if kind is RulingKind.WITHDRAW and text in known.results.withdrawn:
        raise ConfigError(f"{text}: plays no more already (withdraw)")
    return text


def _match_of(tournament: "Tournament", results: "TournamentResults", text: str) -> str:
    """Return the id of the match that counts at a table."""
    from referee.rules.errors import ConfigError

    if text in results.all_counting():
        return text
    if results.match(text) is not None:
        raise ConfigError(f"annul {text}: it does not count now, so there is nothing to annul")
    cure = "name one as ROUND/TABLE, with the numbers of `show --round N`, or by its match id"
    number, slash, table = text.partition("/")
    if not (slash and number.isdecimal() and table.isdecimal()):
        raise ConfigError(f"annul {text}: no such match is of this tournament; {cure}")
    rounds = len(tournament.movement.rounds)
    sides = tournament.sides(int(number)) if 1 <= int(number) <= rounds else ()
    if not 1 <= int(table) <= len(sides):
        raise ConfigError(f"annul {text}: there is no such table; {cure}")
    match = results.counting(int(number), sides[int(table) - 1])
    if match is None:
        raise ConfigError(f"annul {text}: nothing that was played at this table counts now")
    return match.match_id
