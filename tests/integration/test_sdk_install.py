"""The Python library alone, in an empty venv: it installs, is typed, and plays."""

import os
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.integration.pages import ROOT
from tests.integration.playing import Player

LIBRARY = ROOT / "sample_bots" / "python"
LIMIT_S = 300
TYPED = """
from collections.abc import Sequence
from tichu_bot import (
    DEFAULT, PASS, Act, AsyncBot, Bot, Decision, ManyBot, Play, Table, View, answer_from, run,
)

class One(Bot):
    slow = True
    def act(self, view: View) -> Act | Play:
        assert len(Table(view).unseen) > 0
        return view.plays[0] if view.plays else PASS

class Later(AsyncBot):
    async def act(self, view: View) -> Act | Play:
        return view.plays[0] if view.plays else PASS

class Many(ManyBot):
    def act_many(self, asks: Sequence[View]) -> Sequence[Decision]:
        return [answer_from(view, "pass") if view.may_pass else DEFAULT for view in asks]

if __name__ == "__main__":
    run(One, processes=2)
"""


def done(*command: str | Path, cwd: Path) -> str:
    """Run a command without this environment's paths; what it printed."""
    outside = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    finished = subprocess.run(
        command, cwd=cwd, env=outside, capture_output=True, text=True, check=False, timeout=LIMIT_S
    )
    assert finished.returncode == 0, f"{command}\n{finished.stdout}\n{finished.stderr}"
    return finished.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    done(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", out, cwd=LIBRARY)
    (built,) = out.glob("*.whl")
    return built


@pytest.mark.slow
def test_the_wheel_is_typed_and_holds_the_library_alone(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {"tichu_bot/py.typed", "tichu_bot/stdio.py", "tichu_bot/worker.py"} <= {*names}
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"tichu_bot"}


@pytest.mark.slow
@pytest.mark.timeout(900)  # a venv, and packages from the index
def test_the_library_installs_alone_in_an_empty_venv_and_plays(wheel: Path, tmp_path: Path) -> None:
    venv, folder = tmp_path / "venv", tmp_path / "bots"
    folder.mkdir()
    done(sys.executable, "-m", "venv", venv, cwd=folder)
    python = venv / "bin" / "python"
    install = (python, "-m", "pip", "install", "--quiet")
    done(*install, "--require-hashes", "-r", ROOT / "requirements" / "runtime.txt", cwd=folder)
    done(*install, "--no-index", "--no-deps", wheel, cwd=folder)
    (folder / "one.py").write_text(TYPED, encoding="utf-8")
    found = done(python, "-c", "import tichu_bot; print(tichu_bot.__file__)", cwd=folder)
    assert found.startswith(str(venv))
    player = Player(folder)
    player.environment.pop("PYTHONPATH")
    bot = shlex.join([str(python), str(folder / "one.py")])
    result = player.run("play", bot, "random", "--rounds", "1", limit_s=LIMIT_S)
    assert (result.returncode, result.stderr) == (0, "")
    assert player.left_behind() == []


@pytest.mark.slow
def test_a_typed_strategy_passes_a_strict_type_check(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(TYPED, encoding="utf-8")
    cache = tmp_path / "cache"
    told = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, "one.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(LIBRARY)},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert told.returncode == 0, told.stdout
