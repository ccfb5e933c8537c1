"""Where the coefficients of `referee.ladder.luck` come from: rounds between four greedy bots.

    .venv/bin/python -m tests.ladder_study.luck --rounds 16000 --seed luckA

plays them in this process and in virtual time (80 rounds a second), fits points on what the dealt
hands hold, and prints the fit, its R2, and that of the rounded coefficients in the code. The first
are what was fitted to these rounds; `--seed` with another text shows what the fixed ones are worth
on rounds that they have not seen.
"""

import argparse
import logging
import math
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import structlog
from numpy.typing import NDArray

from referee.ladder.luck import VERSION, WORTH, Holding, holding_of, luck_of
from referee.rules.cards import pack
from referee.rules.options import DEFAULT_OPTIONS
from referee.rules.round import Round
from referee.rules.seat import Seat
from referee.rules.shuffle import shuffle
from tests.simulation.boards import SECRET, BoardSeeds, Hall, Process
from tichu_bot.bots.greedy_play import GreedyBot

ROUNDS, SEED = 16_000, "luckA"
NAMES = Holding.__struct_fields__


class Dealt(NamedTuple):
    """A round: the 14 cards of each seat, and by how many points the team of seat 0 was better."""

    hands: tuple[int, ...]
    difference: int


class Fit(NamedTuple):
    """Points for one of each thing held, their standard errors, and the share explained."""

    worth: NDArray[np.float64]
    errors: NDArray[np.float64]
    r2: float


class RoundHall(Hall):
    """A referee in memory that plays single rounds."""

    def round(self, name: str, evens: Sequence[Process], odds: Sequence[Process]) -> int:
        """Play the round of a name; return by how many points the team of seat 0 was better."""
        seats = [evens[0], odds[0], evens[1], odds[1]]
        difference = self._leg(f"{name}.1", name, seats)
        self.service.seating.board_over(name)
        return difference


def greedy_rounds(count: int, seed: str) -> Iterator[Dealt]:
    """Play rounds between four greedy bots; the seed decides the deals, and greedy draws none."""
    hall, seeds = RoundHall(), BoardSeeds(SECRET)
    evens, odds = ([hall.process(GreedyBot) for _ in range(2)] for _ in range(2))
    for number in range(count):
        name = f"{seed}-{number}"
        difference = hall.round(name, evens, odds)
        yield Dealt(dealt_hands(seeds.deal_seed(f"{name}.1", 1)), difference)


def dealt_hands(deal_seed: bytes) -> tuple[int, ...]:
    """Return the hands of a first round, whose dealer is seat 0."""
    order = shuffle(deal_seed, pack(DEFAULT_OPTIONS))
    return tuple(Round.deal(order, dealer=Seat(0), options=DEFAULT_OPTIONS).hands)


def fitted(rounds: Sequence[Dealt]) -> Fit:
    """Fit the differences on what the teams hold, without a constant: the teams are alike."""
    held = np.array([_held_more(dealt.hands) for dealt in rounds])
    differences = np.array([dealt.difference for dealt in rounds], dtype=np.float64)
    inverse = np.linalg.inv(held.T @ held)
    worth = inverse @ held.T @ differences
    left = differences - held @ worth
    variance = float(left @ left) / (len(rounds) - len(NAMES))
    return Fit(worth, np.sqrt(variance * np.diag(inverse)), explained(differences, left))


def explained(differences: NDArray[np.float64], left: NDArray[np.float64]) -> float:
    """Return R2: the share of the squares about 0, which is the mean of equal teams."""
    return 1 - float(left @ left) / float(differences @ differences)


def fixed_r2(rounds: Sequence[Dealt]) -> float:
    """Return the share that the coefficients in the code explain."""
    differences = np.array([dealt.difference for dealt in rounds], dtype=np.float64)
    return explained(differences, differences - [luck_of(dealt.hands) for dealt in rounds])


def _held_more(hands: Sequence[int]) -> list[float]:
    """Return what team 0 holds more of than team 1."""
    held = [holding_of(hand) for hand in hands]
    return [
        float(sum((-1) ** seat * getattr(one, name) for seat, one in enumerate(held)))
        for name in NAMES
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the study."""
    parser = argparse.ArgumentParser(prog="python -m tests.ladder_study.luck")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how many (default 16000)")
    parser.add_argument("--seed", default=SEED, help="text that decides the deals (default luckA)")
    asked = parser.parse_args(arguments)
    if asked.rounds <= len(NAMES):
        parser.error(f"--rounds: at least {len(NAMES) + 1}")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    rounds = list(greedy_rounds(asked.rounds, asked.seed))
    spread = math.sqrt(sum(dealt.difference**2 for dealt in rounds) / len(rounds))
    fit = fitted(rounds)
    print(
        f"{asked.rounds} rounds of four greedy bots, seed {asked.seed}, sigma {spread:.1f} points"
    )
    print(f"{'held':10s}{'points':>8s}{'error':>8s}{'in the code':>13s} (version {VERSION})")
    for name, worth, error in zip(NAMES, fit.worth, fit.errors, strict=True):
        print(f"{name:10s}{worth:8.2f}{error:8.2f}{getattr(WORTH, name):13d}")
    print(f"R2 of the fit {fit.r2:.4f}, of the coefficients in the code {fixed_r2(rounds):.4f}")


if __name__ == "__main__":
    main(sys.argv[1:])
