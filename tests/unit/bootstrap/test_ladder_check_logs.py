"""What of a bot's output a check shows, and where it keeps all of it."""

import shutil
from pathlib import Path

from referee.bootstrap.ladder_check_logs import (
    CheckLogs,
    said_last,
    traceback_lines,
    without_logs,
)

RAISED = """connected
Traceback (most recent call last):
  File "lib.py", line 1, in run
  File "mine.py", line 4, in act
    raise ValueError("no card")
ValueError: no card
the strategy failed once
the referee closes
"""


def printed(folder: Path, text: str, name: str = "bot.err", role: str = "a1") -> None:
    path = folder / "zoe" / role / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_a_traceback_is_shown_to_its_exception_whatever_was_printed_after_it(
    tmp_path: Path,
) -> None:
    printed(tmp_path, "connected\n", role="a0")
    printed(tmp_path, RAISED)
    lines = traceback_lines(tmp_path, "zoe")
    assert lines[0] == '  File "lib.py", line 1, in run'
    assert lines[-1] == "ValueError: no card"
    deep = RAISED.replace("  File", '  File "x"\n' * 20 + "  File", 1)
    printed(tmp_path, deep)
    assert len(traceback_lines(tmp_path, "zoe")) == 6
    assert traceback_lines(tmp_path, "adam") == []


def test_a_traceback_that_was_cut_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    printed(tmp_path, "Traceback (most recent call last):\n")
    assert traceback_lines(tmp_path, "zoe") == []
    printed(tmp_path, 'Traceback (most recent call last):\n  File "x"\n')
    assert traceback_lines(tmp_path, "zoe") == ['  File "x"']


def test_without_a_traceback_the_last_lines_are_shown_of_whoever_printed_any(
    tmp_path: Path,
) -> None:
    printed(tmp_path, "", role="a0")
    printed(tmp_path, "one\ntwo\n", "bot.out")
    assert said_last(tmp_path, "zoe") == ["one", "two"]
    assert said_last(tmp_path, "adam") == []


def test_logs_stay_in_one_folder_that_is_made_when_it_is_needed(tmp_path: Path) -> None:
    kept = CheckLogs()
    assert kept.keep(tmp_path, "zoe") == ""
    printed(tmp_path, RAISED)
    said = kept.keep(tmp_path, "zoe")
    assert said.startswith("its logs are in ")
    folder = Path(said.removeprefix("its logs are in "))
    try:
        assert (folder / "a1" / "bot.err").read_text(encoding="utf-8") == RAISED
        printed(tmp_path, RAISED)
        assert kept.keep(tmp_path, "zoe") == said
    finally:
        shutil.rmtree(folder.parent)


def test_the_place_of_a_log_that_goes_away_is_not_said() -> None:
    line = "x of y ended: exit code 1; it printed last: (a) (logs in /t/c/logs/y/1/x.err)"
    assert without_logs(line, Path("/t/c")) == "x of y ended: exit code 1; it printed last: (a)"
    assert without_logs(line, Path("/other")) == line
