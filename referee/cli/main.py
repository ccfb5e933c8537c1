"""`referee`: the one command. A new sub-command is one row of the table."""

import click

from referee.cli.outermost import OutermostGroup

# name: (module:attribute, one line for --help). Only commands that exist.
COMMANDS = {
    "health": ("referee.cli.health:health", "Ask a referee whether it is up."),
    "play": ("referee.cli.play:play", "Play a match between bots on this machine."),
    "record": ("referee.cli.record:record", "Verify records of matches, and show them."),
    "rules": ("referee.cli.rules:rules", "Check rule vectors, explain a play, list legal plays."),
    "serve": ("referee.cli.serve:serve", "Seat the bots that dial in, a table at a time."),
}


@click.group(
    cls=OutermostGroup,
    rows=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="tichu-referee", prog_name="referee")
def main() -> None:
    """Referee matches of Tichu between bots."""
