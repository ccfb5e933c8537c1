"""What `record export` makes of real matches: views as bots had them, logs for `rules bsw`."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.integration.playing import Player

LIMIT_S = 110
# Writes down what it is told, and plays what comes first.
SCRIBE = """
import json, os, sys
with open(f"{sys.argv[1]}-{os.getpid()}", "w", encoding="utf-8") as file:
    for line in sys.stdin:
        file.write(line)
        file.flush()
        view = json.loads(line)
        answer = {"default": True}
        if view["ask"] in ("act", "bomb") and view["plays"]:
            answer = {"index": len(view["plays"]) // 2}
        print(json.dumps({"id": view["id"], **answer}), flush=True)
"""


@pytest.fixture
def player(tmp_path: Path) -> Player:
    return Player(tmp_path)


def played(player: Player, *words: str) -> Path:
    done = player.run("play", *words, "--seed", "lines", limit_s=LIMIT_S)
    assert done.returncode == 0, done.stderr
    [file] = (player.folder / "records").iterdir()
    return file


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pace", "more"), [("fast", ["--rounds", "3"]), ("fair", ["--rounds", "1", "--window", "20"])]
)
def test_a_line_has_the_view_that_the_bot_in_the_match_had(
    player: Player, pace: str, more: list[str]
) -> None:
    scribe = player.folder / "scribe.py"
    scribe.write_text(SCRIBE, encoding="utf-8")
    program = [sys.executable, scribe, player.folder / "told"]
    bot = shlex.join([sys.executable, "-m", "tichu_bot.stdio", "--", *map(str, program)])
    file = played(player, f"a={bot}", "greedy", f"c={bot}", "random", "--pace", pace, *more)
    logs = list(player.folder.glob("told-*"))
    assert len(logs) == 2
    for log in logs:
        told = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        seat = told[0]["seat"]
        done = player.run(
            *("record", "export", file, "--format", "decisions", "--seat", seat), limit_s=LIMIT_S
        )
        assert (done.returncode, done.stderr) == (0, "")
        views = [json.loads(line)["view"] for line in done.stdout.splitlines()]
        # the library declines without asking where the hand has no bomb, or has stood down
        views = [view for view in views if view["ask"] != "bomb"]
        real = [
            {key: value for key, value in view.items() if key not in ("match", "id")}
            for view in told
            if view["ask"] != "bomb"
        ]
        assert len(real) > 10
        assert views == real


@pytest.mark.slow
@pytest.mark.parametrize(
    "bots", [("greedy", "random"), ("greedy", "b=greedy"), ("random", "b=random")]
)
def test_a_match_of_house_bots_is_a_log_with_the_same_scores(
    player: Player, bots: tuple[str, str]
) -> None:
    file = played(player, *bots)
    exported = player.run("record", "export", file, "--format", "bsw", limit_s=LIMIT_S)
    assert (exported.returncode, exported.stderr) == (0, "")
    log = player.folder / "log.tch"
    log.write_text(exported.stdout, encoding="utf-8")
    judged = player.run("rules", "bsw", log, limit_s=LIMIT_S)
    assert (judged.returncode, judged.stderr) == (0, "")
    points = [
        json.loads(line)["points"]
        for line in file.read_text(encoding="utf-8").splitlines()
        if '"t":"round_ended"' in line
    ]
    lines = judged.stdout.splitlines()
    assert [line.split(" ok ")[1] for line in lines[:-1]] == [f"{a}/{b}" for a, b in points]
    assert player.run("record", "import", log, "--to", "imported").returncode == 0
    [again] = (player.folder / "imported").iterdir()
    verified = player.run("record", "verify", file, again)
    assert verified.returncode == 0
    first, second = (
        line.split(": ", 1)[1].split(" chain")[0] for line in verified.stdout.splitlines()
    )
    assert first == second
