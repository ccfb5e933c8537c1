"""What two of the cheats gain with their channel open, and that they gain nothing with it shut.

Boards have fixed deals and all bots draw from fixed seeds: the same code gives the same numbers.
"""

from collections.abc import Mapping, Sequence

import pytest

from chaos.process import MakeBot
from chaos.remembers_leg import remembering
from chaos.shares_hand import SharingBot, sharing
from referee.rules.errors import ConfigError
from tests.simulation.boards import Gain, Hall, Process
from tichu_bot import View
from tichu_bot.bots.greedy_play import GreedyBot

CHEATS: Mapping[str, MakeBot] = {"shares-hand": sharing, "remembers-leg": remembering}  # type: ignore[dict-item]


class GuessingBot(SharingBot):
    """Looks ahead as `shares-hand` does, and guesses its partner's hand as it does the others."""

    def seen(self, view: View) -> dict[int, Sequence[int]]:
        """Return that the partner may hold anything."""
        return {seat: () for seat in view.partners}


def gain(hall: Hall, mine: Sequence[Process], *, boards: int, theirs: MakeBot = GreedyBot) -> Gain:
    """What an entry gains over another that nobody cheats for."""
    others = [hall.process(theirs) for _ in range(4)]
    return Gain.of([hall.board(f"b{number}", mine, others) for number in range(boards)])


@pytest.mark.slow
def test_who_sees_the_partners_hand_gains() -> None:
    hall = Hall(may_share=True)
    first, second = (hall.process(sharing()) for _ in range(2))
    found = gain(hall, [first, first, second, second], boards=100)
    print(found)
    assert found.low > 0, found


@pytest.mark.slow
def test_the_gain_is_not_all_of_looking_ahead() -> None:
    """Against one that looks ahead as far, and guesses where the other sees."""
    hall = Hall(may_share=True)
    first, second = (hall.process(sharing()) for _ in range(2))
    found = gain(hall, [first, first, second, second], boards=250, theirs=lambda: GuessingBot({}))
    print(found)
    assert found.low > 0, found


@pytest.mark.slow
def test_who_has_played_the_first_leg_gains_in_the_second() -> None:
    hall = Hall(may_share=True)
    first, second = (hall.process(remembering()) for _ in range(2))
    found = gain(hall, [first, second, first, second], boards=100)
    print(found)
    assert found.low > 0, found
