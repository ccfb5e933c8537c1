"""`referee tournament`: everybody meets everybody, and in the end there is a winner."""

import click

from referee.cli.lazy import LazyGroup

_RULINGS = "referee.cli.tournament_rulings"


@click.group(
    cls=LazyGroup,
    rows={
        "init": ("referee.cli.tournament_init:init", "Write an example that runs as it is."),
        "check": (
            "referee.cli.tournament_check:check",
            "Start every bot, and play a table with each.",
        ),
        "run": (
            "referee.cli.tournament_run:run",
            "Play; the same command goes on where it stopped.",
        ),
        "show": ("referee.cli.tournament_show:show", "Print the table, or a round."),
        "annul": (f"{_RULINGS}:annul", "Rule that a table counts for nothing."),
        "withdraw": (f"{_RULINGS}:withdraw", "Rule that an entrant plays no more."),
        "replace": (f"{_RULINGS}:replace", "Rule that an entrant goes on with its new version."),
    },
)
def tournament() -> None:
    """Run a tournament of bots: rounds of tables, in which all meet as evenly as can be."""
