"""`referee tournament`: everybody meets everybody, and in the end there is a winner."""

import click

from referee.cli.lazy import LazyGroup


@click.group(
    cls=LazyGroup,
    rows={
        "init": ("referee.cli.tournament_init:init", "Write an example that runs as it is."),
        "run": (
            "referee.cli.tournament_run:run",
            "Play; the same command goes on where it stopped.",
        ),
        "show": ("referee.cli.tournament_show:show", "Print the table, or a round."),
    },
)
def tournament() -> None:
    """Run a tournament of bots: rounds of tables, in which all meet as evenly as can be."""
