"""`referee play` as a user runs it: a process of its own, and whether it leaves others behind."""

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
REFEREE = [sys.executable, "-c", "from referee.cli.main import main; main()"]
_MARK = "PLAYED_BY_TEST"
_GONE_S = 5.0
_RUN_S = 60


class Player:
    """Runs commands in a folder; all that descends from them carries a mark."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mark = uuid.uuid4().hex
        path = os.pathsep.join([str(ROOT), str(ROOT / "sample_bots" / "python")])
        self.environment = {**os.environ, "PYTHONPATH": path, _MARK: self.mark}

    def run(
        self, *words: str | Path, limit_s: float = _RUN_S
    ) -> "subprocess.CompletedProcess[str]":
        """Run `referee` to its end."""
        return subprocess.run(
            [*REFEREE, *map(str, words)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
        )

    @contextmanager
    def running(self, *words: str | Path) -> "Iterator[subprocess.Popen[str]]":
        """`referee` while it runs; killed at the end if a test left it running."""
        with subprocess.Popen(
            [*REFEREE, *map(str, words)],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def bot(self, name: str, text: str) -> Path:
        """Write a bot's file."""
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        return file

    def records(self) -> list[Path]:
        """The records in the default folder, in the order of their names."""
        return sorted((self.folder / "records").glob("*.jsonl"))

    def left_behind(self) -> Sequence[psutil.Process]:
        """Processes that still run, after a moment to die in."""
        return psutil.wait_procs(self.descendants(), timeout=_GONE_S)[1]

    def descendants(self) -> list[psutil.Process]:
        """Every process with the mark, wherever it hangs in the tree; zombies have none."""
        return [process for process in psutil.process_iter() if self._is_marked(process)]

    def _is_marked(self, process: psutil.Process) -> bool:
        try:
            return process.environ().get(_MARK) == self.mark
        except psutil.Error:
            return False
