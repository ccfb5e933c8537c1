"""The house bot `greedy` as a process: `python -m tichu_bot.greedy`."""

from tichu_bot.bots.greedy_play import GreedyBot
from tichu_bot.run import HOUSE_MATCHES, run


def main() -> None:
    """Run as a process."""
    run(GreedyBot, name="greedy", max_matches=HOUSE_MATCHES)


if __name__ == "__main__":
    main()
