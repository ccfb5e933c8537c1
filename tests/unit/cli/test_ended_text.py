"""The words of an ending in one line of output."""

import msgspec
import pytest

from referee.cli.ended_text import counts_words, ended_words
from referee.match.facts import MatchEnded
from referee.match.values import Blame, Ending
from referee.rules.seat import Seat

DONE = MatchEnded(
    at=1,
    ending=Ending.COMPLETED,
    totals=(300, 100),
    rounds=2,
    banks=(),
    seat=None,
    blame=Blame.NONE,
    winner=0,
)
FAULT = {"ending": Ending.FORFEIT_TIME, "seat": Seat(3), "blame": Blame.BOT}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "completed"),
        (FAULT, "forfeit_time seat 3 blame bot"),
        (FAULT | {"awarded": (300, -200)}, "forfeit_time seat 3 blame bot counts 300:-200"),
        (FAULT | {"failed": (Seat(2), Seat(3))}, "forfeit_time seats 2,3 blame bot"),
        ({"ending": Ending.CANCELLED}, "cancelled blame none"),
        (
            {"ending": Ending.REFEREE_FAILED, "blame": Blame.REFEREE},
            "referee_failed blame referee",
        ),
    ],
)
def test_an_ending_says_whose_it_is_and_what_counts(changes: dict[str, object], said: str) -> None:
    ended = msgspec.structs.replace(DONE, **changes)
    assert " ".join([*ended_words(ended), *counts_words(ended)]) == said
