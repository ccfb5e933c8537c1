"""What two of the cheats gain with their channel open, and that they gain nothing with it shut.

Boards have fixed deals and all bots draw from fixed seeds: the same code gives the same numbers.
None of the deals was looked at when the cheats were made.
"""

from collections.abc import Callable, Sequence

import pytest

from chaos.process import MakeBot
from chaos.remembers_leg import remembering
from chaos.shares_hand import SharingBot, sharing
from referee.rules.errors import ConfigError
from tests.simulation.boards import Gain, Hall, Process
from tichu_bot import View
from tichu_bot.bots.greedy_play import GreedyBot

CHEATS = (sharing, remembering)  # each makes what makes the bots of one process


class GuessingBot(SharingBot):
    """Looks ahead as `shares-hand` does, and guesses its partner's hand as it does the others."""

    def seen(self, view: View) -> dict[int, Sequence[int]]:
        """Return that the partner may hold anything."""
        return dict.fromkeys(view.partners, ())


def guessing() -> MakeBot:
    return lambda: GuessingBot({})


def play(
    hall: Hall, mine: Sequence[Process], *, boards: int, theirs: MakeBot = GreedyBot
) -> list[float]:
    """Play boards against an entry of four processes."""
    others = [hall.process(theirs) for _ in range(4)]
    return [hall.board(f"fresh-{number}", mine, others) for number in range(boards)]


@pytest.mark.parametrize("process", CHEATS)
def test_four_isolated_processes_play_every_board_as_greedy_does(
    process: Callable[[], MakeBot],
) -> None:
    """Greedy draws no random numbers: against itself both legs of a board are one match."""
    hall = Hall()
    assert play(hall, [hall.process(process()) for _ in range(4)], boards=15) == [0] * 15


def test_without_a_channel_a_difference_would_show() -> None:
    hall = Hall()
    assert any(play(hall, [hall.process(guessing()) for _ in range(4)], boards=15))


@pytest.mark.parametrize(
    ("legs", "why"),
    [
        ((0, 0, 1, 1), "one instance in two seats"),
        ((0, 1, 0, 1), "sits in fresh-0.1 of the same board"),
    ],
)
def test_their_channels_are_refused_where_processes_are_apart(
    legs: Sequence[int], why: str
) -> None:
    hall = Hall()
    two = [hall.process(GreedyBot) for _ in range(2)]
    with pytest.raises(ConfigError, match=why):
        play(hall, [two[at] for at in legs], boards=1)


@pytest.mark.slow
def test_who_sees_the_partners_hand_gains() -> None:
    hall = Hall(may_share=True)
    one, two = (hall.process(sharing()) for _ in range(2))
    found = Gain.of(play(hall, [one, one, two, two], boards=200))
    assert found.low > 0, found


@pytest.mark.slow
def test_looking_ahead_is_not_all_of_that_gain() -> None:
    """Against others that look ahead as far, and guess where this one sees."""
    hall = Hall(may_share=True)
    one, two = (hall.process(sharing()) for _ in range(2))
    found = Gain.of(play(hall, [one, one, two, two], boards=200, theirs=guessing()))
    assert found.low > 0, found


@pytest.mark.slow
def test_who_has_played_the_first_leg_gains_in_the_second() -> None:
    hall = Hall(may_share=True)
    one, two = (hall.process(remembering()) for _ in range(2))
    found = Gain.of(play(hall, [one, two, one, two], boards=200))
    assert found.low > 0, found
