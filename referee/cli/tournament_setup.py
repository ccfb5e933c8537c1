"""From a tournament's file to what is to be played. No process, no socket, no clock."""

from pathlib import Path

import msgspec

from referee.bootstrap.ladder_plan import LadderPlan
from referee.cli.ladder_setup import plan_of
from referee.config.tournament import load_tournament
from referee.ladder.tournament_scores import Points, Scale, victory_rows
from referee.ladder.tournaments import Tournament
from referee.rules.errors import ConfigError
from referee.rules.options import seats, teams

_SEATS = 4


def plan_tournament(path: Path) -> tuple[LadderPlan, Tournament]:
    """Return what plays and where it lies, and the tournament of a file.

    Raises `ConfigError` naming line or key, and the cure. Nothing is made or changed.
    """
    file = load_tournament(path)
    plan = plan_of(file.ladder(folder=f"{path.stem}.tournament"), path)
    rules = plan.settings.rules
    if seats(rules) != _SEATS or teams(rules) != 2:
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
    return msgspec.structs.replace(plan, tournament=file.entrants), tournament
