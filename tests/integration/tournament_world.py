"""A tournament in a process of its own, to be killed.

`python -m tests.integration.tournament_world FILE` plays the tournament of a file and prints
what it is told, a line each, at once.
"""

import sys
from pathlib import Path

from referee.app.season_news import Notice, Progress
from referee.bootstrap.tournament_run import TournamentRun
from referee.cli.tournament_setup import plan_tournament
from referee.clock import run


def told(news: Progress | Notice) -> None:
    """Print how many tables are over."""
    if isinstance(news, Progress):
        print(f"{news.done} over", flush=True)


if __name__ == "__main__":
    run(TournamentRun(*plan_tournament(Path(sys.argv[1])), told).run())
