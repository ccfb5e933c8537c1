"""From a tournament's file to what is to be played. No process, no socket, no clock."""

from pathlib import Path

import msgspec

from referee.bootstrap.ladder_plan import LadderPlan
from referee.cli.ladder_setup import plan_ladder, plan_of
from referee.config.toml_file import has_key
from referee.config.tournament import load_tournament
from referee.ladder.tournament_scores import Points, Scale, victory_rows
from referee.ladder.tournaments import Tournament
from referee.rules.errors import ConfigError
from referee.rules.options import has_fixed_teams, seats

_SEATS = 4


def plan_either(path: Path, *, database: str | None = None) -> LadderPlan:
    """Return the plan of the file of a ladder or tournament. Raises `ConfigError` as both do."""
    if not has_key(path, "entrants"):
        return plan_ladder(path, database=database)
    plan, _ = plan_tournament(path, database=database)
    return plan


def plan_tournament(path: Path, *, database: str | None = None) -> tuple[LadderPlan, Tournament]:
    """Return what plays and where it lies, and the tournament of a file.

    `database` wins over that of the file. Raises `ConfigError` naming line or key, and the cure.
    Nothing is made or changed.
    """
    file = load_tournament(path)
    folder = f"{path.stem}.tournament"
    plan = plan_of(file.ladder(folder=folder), path, database=database)
    rules = plan.settings.rules
    if seats(rules) != _SEATS or not has_fixed_teams(rules):
        raise ConfigError(
            f"{path}: options.variant: a table of a tournament has four seats in two teams, and "
            f"{rules.variant.value} has not; leave variant out"
        )
    rows = victory_rows(file.victory) if file.points is Points.VICTORY else ()
    tournament = Tournament(
        event=file.name,
        entry=file.entrants,
        entrants=tuple(entry.name for entry in file.entry),
        rounds=file.rounds,
        deals=file.deals,
        same_deals=file.same_deals,
        scale=Scale(rows=rows),
    )
    plan = msgspec.structs.replace(
        plan, tournament=file.entrants, movement=_movement_terms(tournament)
    )
    return plan, tournament


def _movement_terms(tournament: Tournament) -> dict[str, str]:
    """Return what must stay once a table was played, as the file has it, by its keys."""
    return {
        "entrants": f'"{tournament.entry.value}"',
        "entry": ", ".join(tournament.entrants),
        "same_deals": str(tournament.same_deals).lower(),
    }
