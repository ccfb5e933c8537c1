"""Logs of bots: from the folder of a run into that of its ladder."""

from pathlib import Path

import pytest

from referee.bootstrap.ladder_folder import SOCKET
from referee.bootstrap.ladder_logs import keep_left_logs, keep_logs


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_logs_of_a_later_process_are_added_to_those_of_an_earlier_one(tmp_path: Path) -> None:
    run, kept = tmp_path / "run", tmp_path / "kept"
    for text in ("one\n", "two\n"):
        written(run / "ann" / "bot.err", text)
        keep_logs(run, kept)
        assert not run.exists()
    assert (kept / "ann" / "bot.err").read_text(encoding="utf-8") == "one\ntwo\n"


def test_a_link_is_not_kept(tmp_path: Path) -> None:
    run, kept = tmp_path / "run", tmp_path / "kept"
    secret = written(tmp_path / "secret" / "file", "x")
    written(run / "bot.err", "said")
    (run / "bot.out").symlink_to(secret)
    (run / "folder").symlink_to(secret.parent)
    keep_logs(run, kept)
    assert [path.name for path in kept.rglob("*")] == ["bot.err"]
    assert secret.read_text(encoding="utf-8") == "x"


@pytest.mark.parametrize(("name", "found"), [("tichu-abc", True), ("home", False)])
def test_logs_of_a_run_that_was_killed_are_kept_by_the_next(
    tmp_path: Path, name: str, found: bool
) -> None:
    ladder, left = tmp_path / "cup.ladder", tmp_path / name
    written(left / "logs" / "ann" / "bot.err", "said")
    written(ladder / SOCKET, f"{left}\n")
    keep_left_logs(ladder, tmp_path / "tichu-new")
    assert (ladder / "logs" / "ann" / "bot.err").exists() is found
