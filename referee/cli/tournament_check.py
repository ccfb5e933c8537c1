"""`referee tournament check`: start every bot, before anybody waits for the results."""

import sys
from pathlib import Path

import click

from referee.cli.refusing import RefusingCommand


@click.command(cls=RefusingCommand)
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> None:
    """Start the bots of every entrant, play with each against greedy, and print its version.

    Two copies of a single entrant sit at its table. Nothing of it counts or is kept. Each
    entrant's line comes as soon as it is known: ok, failed, or not checked, for bots that dial in
    are not started by us. What one that failed did and said last goes to stderr.

    Exit codes: 0 none failed; 1 one did; 2 bad input; 130 Ctrl-C.
    """
    import msgspec

    from referee.cli.ladder_check import checked
    from referee.cli.tournament_setup import plan_tournament

    plan, _ = plan_tournament(file)
    sys.exit(checked(msgspec.structs.replace(plan, tournament=None, movement={})))
