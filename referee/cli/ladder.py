"""`referee ladder`: who is better, by how much, and how sure that is."""

import click

from referee.cli.lazy import LazyGroup

_RULINGS = "referee.cli.ladder_rulings"


@click.group(
    cls=LazyGroup,
    rows={
        "init": ("referee.cli.ladder_init:init", "Write an example that runs as it is."),
        "check": ("referee.cli.ladder_check:check", "Start every bot, and play a board with each."),
        "run": ("referee.cli.ladder_run:run", "Play; the same command goes on where it stopped."),
        "show": ("referee.cli.ladder_show:show", "Print the table."),
        "export": ("referee.cli.ladder_export:export", "Write the table as files, or a site."),
        "rebuild": ("referee.cli.ladder_rebuild:rebuild", "Make the database anew from records."),
        "annul": (f"{_RULINGS}:annul", "Rule that a match or board counts for nothing."),
        "disqualify": (f"{_RULINGS}:disqualify", "Rule that an entry counts no more."),
        "withdraw": (f"{_RULINGS}:withdraw", "Rule that an entry plays no more."),
        "replace": (f"{_RULINGS}:replace", "Rule that an entry goes on with its new version."),
        "freeze": (f"{_RULINGS}:freeze", "Rule that nothing is played any more."),
    },
)
def ladder() -> None:
    """Run a ladder of bots: boards, results that stay, and a table with honest intervals."""
