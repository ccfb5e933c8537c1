"""The TypeScript bot: its own tests, and a round at our table."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.integration.playing import ROOT, Player

FOLDER = ROOT / "sample_bots" / "typescript"
BOT = f"ts=node {FOLDER / 'dist' / 'main.js'}"

pytestmark = [pytest.mark.node, pytest.mark.slow, pytest.mark.timeout(600)]


def npm(*words: str) -> None:
    done = subprocess.run(
        ["npm", *words], cwd=FOLDER, capture_output=True, text=True, check=False, timeout=500
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    """Install what the lock names, and build."""
    npm("ci", "--no-audit", "--no-fund")
    npm("run", "build")


def test_its_own_tests_pass() -> None:
    npm("test")


@pytest.mark.parametrize("pace", ["fast", "fair"])
def test_it_plays_a_match_against_the_python_bots(tmp_path: Path, pace: str) -> None:
    player = Player(tmp_path)
    played = player.run(
        "play", BOT, "random", "--rounds", "1", "--pace", pace, "--seed", "ts", "--format", "json"
    )
    assert played.returncode == 0, played.stdout + played.stderr
    match = json.loads(played.stdout.splitlines()[-1])
    assert (match["ending"], match["rounds"]) == ("completed", 1)
    record = tmp_path / match["record"]
    assert player.run("record", "verify", record).returncode == 0
    refused = [line for line in record.read_text().splitlines() if '"refused"' in line]
    assert refused == [], "it plays legal plays by index"
    assert os.listdir(tmp_path / "records") == [record.name]
