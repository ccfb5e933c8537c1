"""The study of boards as a command, with few boards."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ladder_study import __main__ as command
from tests.ladder_study.boards import GREEDY, RANDOM, SLIP, Pairing, name_of, play
from tests.ladder_study.page import PAIRINGS
from tests.simulation.boards import BotSeeds, Hall
from tichu_bot.bots.greedy_play import GreedyBot

_ROOT = Path(__file__).parents[2]
_EQUAL = (
    Pairing(GREEDY, GREEDY, BotSeeds.COMMON),
    Pairing(GREEDY, GREEDY, BotSeeds.APART),
    Pairing(RANDOM, RANDOM, BotSeeds.COMMON),
    Pairing(SLIP, SLIP, BotSeeds.COMMON),
)


def test_equal_bots_with_common_seeds_play_every_board_twice_in_the_same_way() -> None:
    for pairing, legs in zip(_EQUAL, play("same", 6, _EQUAL, processes=2), strict=True):
        assert [first + second for first, second in legs] == [0] * 6, pairing
        assert any(first for first, _ in legs), pairing


@pytest.mark.parametrize("number", [503, 951, 1301, 1426])
def test_a_bomb_comes_as_early_in_both_legs(number: int) -> None:
    """In these boards it matters whether the seat on turn plays before the bomb comes."""
    hall = Hall()
    mine, theirs = ([hall.process(GreedyBot) for _ in range(4)] for _ in range(2))
    assert hall.board(name_of("evidence", number), mine, theirs) == 0


def test_seeds_apart_tell_the_legs_of_bots_that_draw_apart() -> None:
    (legs,) = play("same", 6, [Pairing(RANDOM, RANDOM, BotSeeds.APART)], processes=1)
    assert any(first + second for first, second in legs)


def test_the_figures_depend_on_seed_and_number_alone() -> None:
    """Jobs have 20 boards: the 21st starts in a new hall, and is the same in a longer run."""
    pairings = [Pairing(RANDOM, GREEDY, BotSeeds.COMMON)]
    (long,) = play("jobs", 23, pairings, processes=2)
    (short,) = play("jobs", 21, pairings, processes=1)
    assert long[:21] == short
    (other,) = play("others", 3, pairings, processes=1)
    assert other != short[:3]


def test_the_command_writes_what_it_prints(tmp_path: Path) -> None:
    file = tmp_path / "ladder.md"
    words = ["--boards", "10", "--seconds", "0", "--page", str(file)]
    program = [sys.executable, "-m", "tests.ladder_study", *words]
    done = subprocess.run(program, cwd=_ROOT, capture_output=True, text=True, check=True)
    assert file.read_text(encoding="utf-8") == done.stdout
    assert len(done.stderr.splitlines()) == len(PAIRINGS)
    rows = [re.split(r" *\| *", line)[1:-1] for line in done.stdout.splitlines() if "|" in line]
    by_name = {(row[0], row[1]): row[2:] for row in rows if len(row) == 7}
    assert set(by_name) >= {(one.name, one.seeds.name.lower()) for one in PAIRINGS}
    for name in ("random - random", "greedy - greedy"):
        difference, _, sigma_board, rho, equal = by_name[name, "common"]
        assert (difference, sigma_board, rho, equal) == ("0.0", "0.0", "1.00", "100%")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--boards", "9"], "9: write a number from 10 to 1000000"),
        (["--boards", "many"], "many: write a number from 10 to 1000000"),
        (["--seconds", "-1"], "-1: write a number from 0 to 1000000"),
        (["--processes", "0"], "0: write a number from 1 to 1000000"),
        (["--page", "/nowhere/at/all.md"], "write the name of a file in a folder that is"),
    ],
)
def test_what_it_cannot_do_is_said_before_it_plays(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    with pytest.raises(SystemExit) as end:
        command.main(words)
    assert end.value.code == 2
    assert said in capsys.readouterr().err
