"""`[final]` of a ladder's file: what it may say, and where and how it is refused."""

from pathlib import Path

import pytest

from referee.config.ladder_sections import FinalSection
from tests.unit.config.test_ladder_file import HEAD, SMALL, STOP, A, B, C, D, load, refusal

FINAL = SMALL + C + "[final]\nboards = 6\n"


def test_a_final_is_for_the_first_place_unless_told_otherwise(tmp_path: Path) -> None:
    final = load(tmp_path, FINAL).final
    assert final == FinalSection(places=1, entries=None, boards=6, hours=None)
    assert load(tmp_path, SMALL).final is None
    whole = load(tmp_path, FINAL + "places = 2\nentries = 3\nhours = 0.5\n").final
    assert whole == FinalSection(places=2, entries=3, boards=6, hours=0.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            FINAL.replace("boards = 6\n", ""),
            "ladder.toml:16: final: nothing ends a final whose entries are equal; write boards "
            "(of a pair) or hours below [final]",
        ),
        (
            FINAL + "places = 3\n",
            "ladder.toml:18: final.places: with 3 of 3 entries in the first places nothing is to "
            "decide; write at most 2",
        ),
        (
            FINAL + "entries = 4\n",
            "ladder.toml:18: final.entries: there are 3 entries; write at most 3, or leave it out",
        ),
        (
            FINAL + "entries = 2\nplaces = 2\n",
            "ladder.toml:18: final.entries: 2 entries for the first 2 places decide nothing; "
            "write 3 or more",
        ),
        (
            FINAL + "entries = 1\n",
            "ladder.toml:18: final.entries: write a whole number from 2 to 1000, not 1",
        ),
        (
            FINAL + "places = 0\n",
            "ladder.toml:18: final.places: write a whole number from 1 to 1000, not 0",
        ),
        (
            FINAL.replace("= 6", "= 0"),
            "ladder.toml:17: final.boards: write a whole number from 1 to 1000000, not 0",
        ),
        (
            FINAL + "hours = 0\n",
            "ladder.toml:18: final.hours: write a number over 0, at most 8760, not 0",
        ),
        (
            FINAL + "place = 1\n",
            "ladder.toml:18: unknown key 'final.place'; did you mean 'places'?",
        ),
        (
            FINAL.replace("[final]", "[finale]"),
            "ladder.toml:16: unknown key 'finale'; did you mean 'final'?",
        ),
        (
            HEAD + "final = 3\n" + STOP + A + B,
            "ladder.toml:2: final: write a section, [final], not 3",
        ),
        (
            'deals = "field"\n' + FINAL + D,
            "ladder.toml:17: final: a final is of pairs, and a field meets in whole deals; leave "
            '[final] out, or write deals = "board"',
        ),
        (
            FINAL + '[options]\nvariant = "trichu"\n',
            "ladder.toml:16: final: a final is of pairs, and three meet at a board of Trichu; "
            "leave [final] out, and write more boards into [stop]",
        ),
        (
            FINAL + '[options]\nvariant = "grand_seigneur"\n',
            "ladder.toml:19: options.variant: Grand Seigneur has no points, so that no ladder "
            "rates it; leave variant out, or play single matches: referee play, referee serve",
        ),
        (
            HEAD + STOP + A + "[final]\nboards = 6\n",
            "ladder.toml:4: entry: there is one entry; a ladder has two or more: write [[entry]] "
            'with name, owner and bot; bot = "greedy" is a house bot',
        ),
    ],
)
def test_a_final_that_cannot_be_is_refused_where_it_stands(
    tmp_path: Path, text: str, message: str
) -> None:
    assert refusal(tmp_path, text) == message
