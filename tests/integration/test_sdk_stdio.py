"""A bot in shell plays through `python -m tichu_bot.stdio`, started by `referee play`."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.pages import ROOT
from tests.integration.playing import Player

SHELL_BOT = ROOT / "sample_bots" / "stdio" / "bot.sh"
LIMIT_S = 200


def stdio(*words: str | Path) -> str:
    """The command of the bridge with a program behind it."""
    return shlex.join([sys.executable, "-m", "tichu_bot.stdio", *map(str, words)])


@pytest.fixture
def player(tmp_path: Path) -> Player:
    return Player(tmp_path)


def code_lines() -> list[str]:
    lines = SHELL_BOT.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def test_the_shell_bot_is_short() -> None:
    assert len(code_lines()) <= 45


def test_the_shell_bot_gives_as_many_cards_as_a_slot_wants() -> None:
    """Rare in play: it has to come first in a round of Grand Seigneur."""
    view = (
        '{"ask":"exchange","seat":0,"hand":"Ph Dr 2s 3j 3p 4r 5j Ks","slots":['
        '{"to_seat":6,"count":3,"forced":false},{"to_seat":5,"count":1,"forced":false}]}\n'
    )
    done = subprocess.run(
        ["sh", SHELL_BOT], input=view, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == '{"gifts":["2s 3j 3p","4r"]}\n', done.stderr


@pytest.mark.slow
def test_the_shell_bot_plays_legally_and_wins_against_random_play(player: Player) -> None:
    result = player.run(
        *("play", stdio("--", "sh", SHELL_BOT), "random", "--rounds", "10", "--seed", "shell"),
        limit_s=LIMIT_S,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "bot won " in result.stdout
    assert player.left_behind() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "others", "rounds"),
    [("trichu", 2, 3), ("tientsin", 5, 1), ("grand_seigneur", 6, 2)],
)
def test_the_shell_bot_plays_the_other_games(
    player: Player, variant: str, others: int, rounds: int
) -> None:
    bot = stdio("--each", "--", "sh", SHELL_BOT)
    opponents = [f"{name}=random" for name in "bcdefg"[:others]]
    result = player.run(
        *("play", bot, *opponents, "--variant", variant, "--rounds", str(rounds)),
        *("--seed", "other games"),
        limit_s=LIMIT_S,
    )
    assert result.returncode == 0, result.stderr
    assert "refused" not in result.stderr
    assert "the program" not in result.stderr, result.stderr
    assert player.left_behind() == []


@pytest.mark.slow
def test_a_program_that_breaks_off_is_named_with_its_last_words(player: Player) -> None:
    code = "import sys; sys.stdin.readline(); sys.exit('out of ideas')"
    result = player.run(
        *("play", stdio("--", sys.executable, "-c", code), "random", "--rounds", "1"),
        limit_s=LIMIT_S,
    )
    assert result.returncode != 0
    assert "out of ideas" in result.stderr
    assert "the program ended with status 1 after it answered 0 times" in result.stderr
    assert player.left_behind() == []
