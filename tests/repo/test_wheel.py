"""The wheel plays a match in an empty venv and an empty folder, and the sdist makes that wheel."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.repo.tree import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def run(*command: str | Path, cwd: Path) -> str:
    """Run without what the developer's shell adds to Python's path; return stdout."""
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=cwd, env=outside, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def build(source: Path, target: str, out: Path) -> Path:
    run(sys.executable, "-m", "hatchling", "build", "--target", target, "-d", out, cwd=source)
    (built,) = out.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return built


def unpack(sdist: Path, into: Path) -> Path:
    with tarfile.open(sdist) as archive:
        archive.extractall(into, filter="data")
    (source,) = into.iterdir()
    return source


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The referee's wheel, built from its sdist alone."""
    place = tmp_path_factory.mktemp("wheel")
    source = unpack(build(ROOT, "sdist", place / "sdist"), place / "source")
    return build(source, "wheel", place / "dist")


def test_the_wheel_carries_stubs_protos_and_house_bots(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for package in ("referee", "tichu_bot"):
        below = f"{package}/_gen/tichu/referee/v1"
        assert {f"{below}/referee{end}" for end in (".proto", "_pb2.py", "_pb2.pyi")} <= names
    assert {"referee/py.typed", "tichu_bot/__init__.py", "chaos/illegal.py"} <= names
    migrations = "referee/store/ladder/migrations"
    assert {f"{migrations}/env.py", f"{migrations}/versions/m0001_first.py"} <= names
    tops = {name.split("/")[0] for name in names}
    code = {top for top in tops if not top.endswith(".dist-info")}
    assert code == {"referee", "tichu_bot", "chaos"}


def test_the_wheel_plays_in_an_empty_venv_and_folder(wheel: Path, tmp_path: Path) -> None:
    venv, empty = tmp_path / "venv", tmp_path / "empty"
    empty.mkdir()
    run(sys.executable, "-m", "venv", venv, cwd=empty)
    pip = (venv / "bin" / "python", "-m", "pip", "install", "--quiet")
    run(*pip, "--require-hashes", "-r", ROOT / "requirements" / "runtime.txt", cwd=empty)
    run(*pip, "--no-index", "--no-deps", wheel, cwd=empty)
    referee = venv / "bin" / "referee"
    for bot in ("random", "chaos:twice"):
        output = run(referee, "play", bot, "greedy", "--rounds", "1", cwd=empty)
        again = f"again: referee play {bot} greedy --rounds 1"
        assert output.splitlines()[-1].startswith(again)


def test_the_bot_library_builds_alone_from_its_sdist(tmp_path: Path) -> None:
    bots = ROOT / "sample_bots" / "python"
    source = unpack(build(bots, "sdist", tmp_path / "sdist"), tmp_path / "source")
    names = zipfile.ZipFile(build(source, "wheel", tmp_path / "dist")).namelist()
    assert "tichu_bot/_gen/tichu/referee/v1/referee_pb2.py" in names
    assert not [name for name in names if name.startswith("referee/")]
