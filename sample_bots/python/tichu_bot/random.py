"""The house bot `random` as a process: `python -m tichu_bot.random`."""

from tichu_bot.bots.random_play import RandomBot
from tichu_bot.run import HOUSE_MATCHES, run


def main() -> None:
    """Run as a process."""
    run(RandomBot, name="random", max_matches=HOUSE_MATCHES)


if __name__ == "__main__":
    main()
