"""No bot that the referee starts is given a file by which a step of CI steers its job."""

from pathlib import Path

import pytest

from tests.integration.ladders import Ladder
from tests.integration.playing import ROOT, Player

STEERING = ("ENV", "PATH", "OUTPUT", "STATE", "STEP_SUMMARY")
LIMIT_S = 100
# Writes down what it could write into, and goes: then every command ends soon.
NOSY = """
import os
from pathlib import Path

names = sorted(name for name in os.environ if name.startswith("GITHUB_"))
with open(Path(__file__).with_suffix(".txt"), "a", encoding="utf-8") as file:
    print(*names, file=file)
raise SystemExit("seen enough")
"""
RECORD = str(ROOT / "tests" / "golden" / "fast.jsonl")
LADDER = """
name = "small"
seed = "small"
[stop]
boards = 1
[[entry]]
name = "nosy"
owner = "blue"
bot = "./nosy.py"
[[entry]]
name = "greedy"
owner = "red"
bot = "greedy"
"""


@pytest.mark.parametrize(
    "words",
    [
        ("play", "./nosy.py", "greedy", "--rounds", "1"),
        ("bot", "check", "--level", "1", "--", "./nosy.py"),
        ("bot", "ask", "--house", "--", "./nosy.py"),
        pytest.param(
            ("gate", "--candidate", "./nosy.py", "--baseline", "./nosy.py"), marks=pytest.mark.slow
        ),
        pytest.param(("ladder", "run", "small.toml"), marks=pytest.mark.slow),
        ("record", "fork", RECORD, "--at", "5", "--bot", "./nosy.py", "--others", "greedy"),
    ],
    ids=lambda words: "-".join(words[: 1 if words[0] in ("play", "gate") else 2]),
)
def test_a_started_bot_finds_no_file_of_the_runner(tmp_path: Path, words: tuple[str, ...]) -> None:
    player = Player(tmp_path)
    player.bot("nosy.py", NOSY)
    Ladder(tmp_path, LADDER)
    files = {f"GITHUB_{name}": str(tmp_path / name) for name in STEERING}
    player.environment |= {**files, "GITHUB_SHA": "1f8c"}
    done = player.run(*words, limit_s=LIMIT_S)
    assert (tmp_path / "nosy.txt").exists(), done.stderr
    seen = (tmp_path / "nosy.txt").read_text(encoding="utf-8").splitlines()
    assert set(seen) == {"GITHUB_SHA"}
