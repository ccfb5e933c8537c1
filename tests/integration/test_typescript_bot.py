"""The TypeScript bot: its own tests, a round at our table, and every game of the box."""

import asyncio
import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.integration.playing import ROOT, Player
from tests.integration.serving import LIMIT_S
from tests.integration.test_variants import GAMES
from tests.integration.variant_table import Game, variant_table

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


@pytest.mark.parametrize("name", GAMES)
async def test_it_plays_every_game(tmp_path: Path, name: str) -> None:
    async with variant_table(tmp_path, Game(GAMES[name])) as table:
        processes = [
            await asyncio.create_subprocess_exec(
                *("node", FOLDER / "dist" / "main.js"),
                env={**os.environ, "TICHU_SERVER": chair.proxy.address, "TICHU_TOKEN": chair.token},
                stderr=asyncio.subprocess.DEVNULL,
            )
            for chair in table.chairs.values()
        ]
        try:
            await table.ready()
            played = await table.play()
        finally:
            for process in processes:
                process.terminate()
            await asyncio.wait_for(asyncio.gather(*[p.wait() for p in processes]), LIMIT_S)
        played.assert_in_order(list(table.chairs), defaults=True)
