"""Plays the boards of the study: which bots meet, with which random numbers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

import structlog

from tests.simulation.boards import BotSeeds, Hall
from tichu_bot import PASS, Bot, View
from tichu_bot.acts import Act
from tichu_bot.bots.greedy_play import GreedyBot
from tichu_bot.bots.random_play import RandomBot

PROCESSES = 4  # of an entry: two partners for a leg each
_CHUNK = 20  # boards of a job
_WARNING = 30  # level of the log

Legs = tuple[int, int]  # by how many points the first entry was better in each leg of a board


class ErringBot(GreedyBot):
    """Greedy, but some turns get any legal play or pass, drawn from the bot seed."""

    def __init__(self, share: float) -> None:
        """`share` of the turns, 0 to 1."""
        self._share = share

    def act(self, view: View) -> Act:
        dice = view.random
        if dice.random() >= self._share:
            return super().act(view)
        index = dice.randrange(len(view.plays) + view.may_pass)
        return Act(view.plays[index]) if index < len(view.plays) else PASS


RANDOM, GREEDY = "random", "greedy"
SLIP, OFTEN, OFTENER = "errs in 3 %", "errs in 20 %", "errs in 24 %"
BOTS: Mapping[str, Callable[[], Bot]] = MappingProxyType(
    {
        RANDOM: RandomBot,
        GREEDY: GreedyBot,
        SLIP: partial(ErringBot, 0.03),
        OFTEN: partial(ErringBot, 0.20),
        OFTENER: partial(ErringBot, 0.24),
    }
)


class Pairing(NamedTuple):
    """Two entries, each a bot with its own copy, and which bots draw the same random numbers."""

    first: str
    second: str
    seeds: BotSeeds

    @property
    def name(self) -> str:
        """Return the two names, the one from whose side everything is counted first."""
        return f"{self.first} - {self.second}"


def play(
    seed: str, boards: int, pairings: Sequence[Pairing], processes: int
) -> Iterator[list[Legs]]:
    """Yield what the boards of each pairing brought, whatever the number of processes.

    Board n of all pairings has the same deal; seed and n decide it.
    """
    parts = [range(at, min(at + _CHUNK, boards)) for at in range(0, boards, _CHUNK)]
    with ProcessPoolExecutor(processes) as pool:
        found = [[pool.submit(_play, one, seed, part) for part in parts] for one in pairings]
        for of_pairing in found:
            yield [*chain.from_iterable(job.result() for job in of_pairing)]


def name_of(seed: str, number: int) -> str:
    """Return the name of a board, which decides its deal."""
    return f"{seed}-{number}"


def _play(pairing: Pairing, seed: str, numbers: range) -> list[Legs]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(_WARNING))
    hall = Hall(bot_seeds=pairing.seeds)
    mine, theirs = (
        [hall.process(BOTS[name]) for _ in range(PROCESSES)]
        for name in (pairing.first, pairing.second)
    )
    return [hall.legs(name_of(seed, number), mine, theirs) for number in numbers]
