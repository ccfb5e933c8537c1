"""Small ladders for the tests of the command line, played by real processes."""

import contextlib
import re
import shutil
import subprocess
from pathlib import Path

from click.testing import CliRunner

from referee.cli.main import main
from tests.integration.playing import Player

FILE = "small.toml"
SMALL = """
name = "small"
seed = "small"
parallel = 2
[stop]
boards = 3
[[entry]]
name = "random"
owner = "blue"
bot = "random"
[[entry]]
name = "greedy"
owner = "red"
bot = "greedy"
"""


class Ladder:
    """A ladder's file in a folder of its own, and its commands."""

    def __init__(self, folder: Path, text: str = SMALL) -> None:
        self.player = Player(folder)
        self.folder = folder
        self.file = folder / FILE
        self.file.write_text(text, encoding="utf-8")
        self.kept = folder / "small.ladder"

    def copied(self, folder: Path) -> "Ladder":
        """Return the same ladder, as far as it was played, in an empty folder."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return Ladder(folder, self.file.read_text(encoding="utf-8"))

    def run(self, command: str, *words: str | Path) -> "subprocess.CompletedProcess[str]":
        """Run `referee ladder COMMAND FILE WORDS` to its end, in a process of its own."""
        return self.player.run("ladder", command, self.file.name, *words)

    def say(self, command: str, *words: str | Path) -> "subprocess.CompletedProcess[str]":
        """As `run`, but in this process, which has loaded what takes a second to load."""
        arguments = ["ladder", command, self.file.name, *map(str, words)]
        with contextlib.chdir(self.folder):
            result = CliRunner().invoke(main, arguments)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return subprocess.CompletedProcess(
            arguments, result.exit_code, result.stdout, result.stderr
        )

    def table(self, *words: str) -> str:
        """Return what `show` prints."""
        shown = self.say("show", *words)
        assert shown.returncode == 0, shown.stderr
        return shown.stdout

    def change(self, old: str, new: str) -> None:
        """Write something else into the file."""
        text = self.file.read_text(encoding="utf-8")
        assert old in text
        self.file.write_text(text.replace(old, new), encoding="utf-8")

    def records(self) -> list[Path]:
        """Return the records in the order of their names."""
        return sorted((self.kept / "records").glob("*.jsonl"))

    def state(self) -> dict[str, bytes]:
        """Return what every file holds that a command could change."""
        return {
            str(file.relative_to(self.folder)): file.read_bytes()
            for file in sorted(self.folder.rglob("*"))
            if file.is_file() and not re.search(r"-(wal|shm)$", file.name)
        }


def one_error(done: "subprocess.CompletedProcess[str]") -> str:
    """Return the one line of a command that refused its input."""
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("error: ")
    return lines[0]
