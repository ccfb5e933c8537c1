"""What is a version of a bot: its files and its command, wherever they lie."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.launch.artefact import version_of
from referee.rules.errors import ConfigError


def bot(folder: Path) -> Path:
    (folder / "lib").mkdir(parents=True)
    (folder / "bot.py").write_text("play()\n")
    (folder / "lib" / "deep.py").write_text("deep = 1\n")
    return folder


def version(folder: Path, *words: str, program: str = "/usr/bin/python3") -> str:
    return version_of((program, str(folder / "bot.py"), *words), (folder,))


def test_a_version_says_how_it_was_made(tmp_path: Path) -> None:
    assert len(version(bot(tmp_path / "a"))) == len("sha256:") + 64
    assert version_of((), (), image="sha256:cafe") == "image:sha256:cafe"


def test_the_same_files_elsewhere_are_the_same_version(tmp_path: Path) -> None:
    here, there = bot(tmp_path / "a" / "mine"), bot(tmp_path / "b" / "mine")
    assert version(here) == version(there, program="/opt/venv/bin/python3")


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "bot.py").write_text("play( )\n"),
        lambda folder: (folder / "lib" / "deep.py").write_text("deep = 2\n"),
        lambda folder: (folder / "new.py").touch(),
        lambda folder: (folder / "lib" / "deep.py").rename(folder / "lib" / "other.py"),
        lambda folder: (folder / "lib" / "link").symlink_to("deep.py"),
    ],
)
def test_whatever_is_changed_makes_another_version(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    before = version(bot(tmp_path / "a"))
    change(tmp_path / "a")
    assert version(tmp_path / "a") != before


def test_the_words_of_the_command_belong_to_it(tmp_path: Path) -> None:
    folder = bot(tmp_path / "a")
    found = {version(folder), version(folder, "--fast"), version(folder, "--fa", "st")}
    assert len(found) == 3


def test_what_a_run_leaves_and_what_is_left_out_changes_nothing(tmp_path: Path) -> None:
    folder = bot(tmp_path / "a")
    before = version_of((), (folder,), left_out=(folder / "cup.ladder",))
    for name in ("__pycache__", ".git", "cup.ladder"):
        (folder / name).mkdir()
        (folder / name / "file").write_text(name)
    assert version_of((), (folder,), left_out=(folder / "cup.ladder",)) == before


def test_a_link_counts_by_its_text_and_is_not_followed(tmp_path: Path) -> None:
    folder = bot(tmp_path / "a")
    (folder / "out").symlink_to(tmp_path / "outside")
    before = version(folder)
    (tmp_path / "outside").write_text("something")
    assert version(folder) == before
    (folder / "loop").symlink_to(folder)
    assert version(folder) != before


def test_the_order_of_artefacts_is_of_no_account(tmp_path: Path) -> None:
    one, two = bot(tmp_path / "a"), bot(tmp_path / "b")
    assert (
        version_of((), (one, two)) == version_of((), (two, one)) == version_of((), (one, two, one))
    )


def test_what_is_missing_or_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="gone: No such file"):
        version_of((), (tmp_path / "gone",))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigError, match="pipe: neither a file nor a folder"):
        version_of((), (tmp_path,))
