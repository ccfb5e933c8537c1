"""`referee`: the one command. A new sub-command is one row of the table."""

import click

from referee.cli.outermost import OutermostGroup

# name: (module:attribute, one line for --help). Only commands that exist.
COMMANDS = {
    "bot": ("referee.cli.bot:bot", "Check a bot, ask it, begin a new one, report on one."),
    "db": ("referee.cli.db:db", "Look after the database of ladders."),
    "gate": ("referee.cli.gate:gate", "Say whether a change made a bot better."),
    "health": ("referee.cli.health:health", "Ask a referee whether it is up."),
    "ladder": ("referee.cli.ladder:ladder", "Rank bots: who is better, and how sure that is."),
    "play": ("referee.cli.play:play", "Play a match between bots on this machine."),
    "record": ("referee.cli.record:record", "Verify records of matches, and show them."),
    "rules": ("referee.cli.rules:rules", "Check rule vectors, explain a play, list legal plays."),
    "serve": ("referee.cli.serve:serve", "Seat the bots that dial in, a table at a time."),
    "token": ("referee.cli.token:token", "Make tokens for bots that dial in."),
    "tournament": (
        "referee.cli.tournament:tournament",
        "Run a tournament: everybody meets everybody.",
    ),
}


@click.group(
    cls=OutermostGroup,
    rows=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="tichu-referee", prog_name="referee")
def main() -> None:
    """Referee matches of Tichu between bots."""
