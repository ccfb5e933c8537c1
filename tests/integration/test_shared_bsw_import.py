"""Real Brettspielwelt logs become records, and are logs again, the same.

They are other people's games: they are read where they lie, and nothing of them is kept here.
"""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.cli.bsw import bsw
from referee.cli.record import record

LOGS = Path(__file__).resolve().parents[3] / "shared" / "rules" / "bsw"
FILES = sorted(path.name for path in LOGS.iterdir() if path.suffix in (".tch", ".txt"))

pytestmark = pytest.mark.bsw


@pytest.mark.parametrize("name", FILES)
def test_a_real_log_is_a_record_and_a_log_again(name: str, tmp_path: Path) -> None:
    runner = CliRunner()
    judged = runner.invoke(bsw, [str(LOGS / name)]).stdout.splitlines()[:-1]
    made = runner.invoke(record, ["import", str(LOGS / name), "--to", str(tmp_path / "a")])
    assert (made.exit_code, made.stderr) == (0, "")
    files = [Path(line.split(": game")[0]) for line in made.stdout.splitlines()]
    assert runner.invoke(record, ["verify", *map(str, files)]).exit_code == 0
    scores = []
    for number, file in enumerate(files):
        text = file.read_text(encoding="utf-8")
        assert not re.search("north|east|south|west", text)
        exported = runner.invoke(record, ["export", str(file), "--format", "bsw"]).stdout
        log = tmp_path / f"{number}.tch"
        log.write_text(exported, encoding="utf-8")
        scores += [
            line.split(" ok ")[1]
            for line in runner.invoke(bsw, [str(log)]).stdout.splitlines()[:-1]
        ]
        again = runner.invoke(record, ["import", str(log)])
        assert again.stdout == text
    assert scores == [line.split(" ok ")[1] for line in judged]
