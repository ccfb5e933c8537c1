"""`referee bot new`: a copy of a sample bot builds outside this repository, as it is."""

import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from referee.cli.bot_new import LANGUAGES, files_of, made_for
from tests.integration.playing import Player
from tests.repo.tree import ROOT

# What has to be there, and what the copy's own scripts then need no more than.
TOOLS = {
    "go": ("go",),
    "rust": ("cargo",),
    "java": ("javac", "mvn"),
    "typescript": ("node", "npm"),
    "cpp": ("g++", "cmake", "protoc", "grpc_cpp_plugin", "pkg-config"),
}
BUILD_S = 900


@pytest.fixture
def player(tmp_path: Path) -> Player:
    return Player(tmp_path)


def script(folder: Path, name: str, **environment: str) -> str:
    """Run a script of the copy as its user does; return what it printed."""
    outside = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [folder / name],
        cwd=folder.parent,
        env={**outside, **environment},
        capture_output=True,
        text=True,
        timeout=BUILD_S,
        check=False,
    )
    assert done.returncode == 0, f"{name}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def test_a_python_copy_passes_its_own_tests_and_plays(player: Player) -> None:
    done = player.run("bot", "new", "python", "mine")
    assert done.returncode == 0, done.stderr
    copy = player.folder / "mine"
    told = done.stdout.splitlines()
    assert told[0].startswith("mine: a bot in python, ")
    assert told[1:] == [
        "  cd mine",
        f"  PYTHON={sys.executable} ./build.sh",
        f"  PYTHON={sys.executable} ./test.sh",
        "  referee play . greedy --rounds 4",
        "  referee bot check -- .",
        "  referee bot ask --house -- .  # its plain rules miss 3 of the 40",
    ]
    script(copy, "build.sh", PYTHON=sys.executable)
    assert "OK" in script(copy, "test.sh", PYTHON=sys.executable)
    played = player.run("play", "./mine", "greedy", "--rounds", "1")
    assert played.returncode == 0, played.stderr


@pytest.mark.slow
def test_the_sample_misses_the_positions_that_its_page_names(player: Player) -> None:
    sample = ROOT / "sample_bots" / "python"
    asked = player.run("bot", "ask", "--house", "--", sample)
    *missed, end = asked.stdout.splitlines()
    assert (asked.returncode, end) == (1, "37 passed, 3 failed"), asked.stderr
    strategy = (ROOT / "sample_bots" / "README.md").read_text("utf-8").partition("## The strategy")
    for line in missed:
        assert f"`{line.partition(':')[0]}`" in strategy[2]


def build(folder: Path, python: str) -> str:
    """What `build.sh` of a copy says that finds no library."""
    done = subprocess.run(
        [folder / "build.sh"],
        env={**os.environ, "PYTHON": python},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr


def test_a_python_copy_says_where_its_library_is_from(player: Player) -> None:
    assert player.run("bot", "new", "python", "mine").returncode == 0
    bare = player.bot("python", f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -E -S "$@"\n')
    bare.chmod(0o755)
    told = build(player.folder / "mine", str(bare))
    assert f"{bare} -m pip install tichu_referee-*.whl  # the referee's wheel" in told
    assert f"pip install {player.folder}" not in told
    sample = ROOT / "sample_bots" / "python"
    assert f"{bare} -m pip install {sample}\n" in build(sample, str(bare))
    nowhere = build(player.folder / "mine", "/nowhere/python")
    assert nowhere.startswith("error: there is no command /nowhere/python; ")
    assert "pip" not in nowhere
    started = [bare, player.folder / "mine" / "main.py"]
    main = subprocess.run(started, capture_output=True, text=True, check=False)
    assert main.returncode == 2
    assert main.stderr.startswith("No module named 'tichu_bot'; ")
    assert "pip install the referee's wheel" in main.stderr


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_copy_holds_what_git_keeps_with_protos_and_vectors(player: Player, language: str) -> None:
    assert player.run("bot", "new", language, "mine").returncode == 0
    copy = player.folder / "mine"
    names = {str(file.relative_to(copy)) for file in copy.rglob("*") if file.is_file()}
    assert {"README.md", "build.sh", "test.sh"} <= names
    assert {f"proto/tichu/referee/v1/{name}.proto" for name in ("card", "match")} <= names
    assert {f"vectors/{name}.jsonl" for name in ("cards", "shuffle", "views", "counts")} <= names
    parts = {part for name in names for part in Path(name).parts}
    assert not parts & {"node_modules", "target", "dist", "build", "bot", "_gen", "__pycache__"}
    assert os.access(copy / "build.sh", os.X_OK)
    assert "/records/" in (copy / ".gitignore").read_text("utf-8").splitlines()
    about = (copy / "README.md").read_text("utf-8")
    assert about.startswith("# Tichu bot in ")
    assert "referee play . greedy" in about
    assert "sample_bots" not in about
    assert "](" not in about  # no link into a repository that is not there
    assert "views.jsonl" in about
    for name in names:
        text = (copy / name).read_bytes()
        assert str(ROOT).encode() not in text, name


def test_a_folder_that_holds_something_is_left_alone(player: Player) -> None:
    folder = player.folder / "mine"
    folder.mkdir()
    assert player.run("bot", "new", "go", "mine").returncode == 0
    before = sorted(folder.rglob("*"))
    again = player.run("bot", "new", "rust", "mine")
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr == "error: mine: it is not empty; name a folder that does not exist yet\n"
    assert sorted(folder.rglob("*")) == before
    (player.folder / "file").write_text("mine", encoding="ascii")
    file = player.run("bot", "new", "go", "file")
    assert (file.returncode, file.stdout) == (2, "")
    assert "it is a file" in file.stderr
    below = player.run("bot", "new", "go", "file/below")
    assert below.returncode in (1, 2)
    assert len(below.stderr.splitlines()) == 1
    other = player.run("bot", "new", "fortran", "other")
    assert other.returncode == 2
    assert len(other.stderr.splitlines()) == 1
    assert "python or go or rust or java or typescript or cpp" in other.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as it is installed: a folder on Python's path, with no checkout around it."""
    place = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "-d", str(place)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = place.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(place / "site")
    return place / "site"


@pytest.mark.slow
@pytest.mark.timeout(2 * BUILD_S)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_copy_from_the_wheel_is_that_of_the_checkout_and_builds(
    installed: Path, player: Player, language: str
) -> None:
    program = "from referee.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "bot", "new", language, "mine"],
        cwd=player.folder,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    copy = player.folder / "mine"
    names = {str(file.relative_to(copy)) for file in copy.rglob("*") if file.is_file()}
    assert names == {target for _, target in files_of(language)} | made_for(language).keys()
    if language == "python":
        script(copy, "test.sh", PYTHON=sys.executable)
    elif all(shutil.which(tool) for tool in TOOLS[language]):
        script(copy, "build.sh")
        played = player.run("play", "./mine", "greedy", "--rounds", "1", limit_s=BUILD_S)
        assert played.returncode == 0, played.stderr
