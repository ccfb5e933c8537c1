"""Records that are damaged after their results were taken: told wherever a table is made."""

import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.ladders import Ladder
from tests.unit.formats.recorded import chained

Harm = Callable[[Path, Path], None]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Ladder:
    """A ladder that was played to its end once, for all tests here; they copy it."""
    ladder = Ladder(tmp_path_factory.mktemp("first"))
    done = ladder.run("run")
    assert done.returncode == 0, done.stderr
    return ladder


@pytest.fixture
def played(first: Ladder, tmp_path: Path) -> Iterator[Ladder]:
    ladder = first.copied(tmp_path)
    yield ladder
    assert not ladder.player.left_behind()


def one_byte(record: Path, other: Path) -> None:
    data = bytearray(record.read_bytes())
    at = data.index(b'"at":') + 6  # of the size and the trailer nothing is changed
    data[at] ^= 1
    record.write_bytes(data)


def cut(record: Path, other: Path) -> None:
    record.write_bytes(record.read_bytes()[:-30])


def deleted(record: Path, other: Path) -> None:
    record.unlink()


def swapped(record: Path, other: Path) -> None:
    mine, theirs = record.read_bytes(), other.read_bytes()
    record.write_bytes(theirs)
    other.write_bytes(mine)


def made_a_folder(record: Path, other: Path) -> None:
    record.unlink()
    record.mkdir()


HARMS = (
    pytest.param(one_byte, "changed", id="one byte"),
    pytest.param(cut, "changed", id="cut"),
    pytest.param(deleted, "missing", id="deleted"),
    pytest.param(swapped, "that of another match", id="swapped"),
    pytest.param(made_a_folder, "not readable", id="a folder"),
)


def of_other_boards(ladder: Ladder) -> tuple[Path, Path]:
    first, *others = ladder.records()
    board = _board(first)
    return first, next(record for record in others if _board(record) != board)


def _board(record: Path) -> int:
    with record.open("rb") as lines:
        number = json.loads(lines.readline())["ladder"]["board"]
    assert isinstance(number, int)
    return number


@pytest.mark.parametrize(("harm", "word"), HARMS)
def test_a_record_that_was_harmed_is_told_and_what_it_brought_stands(
    played: Ladder, harm: Harm, word: str
) -> None:
    before = played.table()
    record, other = of_other_boards(played)
    harm(record, other)
    shown = played.say("show")
    assert shown.returncode == 0
    assert shown.stdout.startswith(before)
    note = shown.stdout.removeprefix(before)
    assert re.search(rf"records/{record.name} is {word} \(greedy~random/\d leg \d\)", note), note
    assert f"small.ladder/records/{record.name}: " in shown.stderr
    assert "bring it back" in shown.stderr
    assert _again(played).count(word) == (2 if harm is swapped else 1)


def _again(ladder: Ladder) -> str:
    """What a run says at its beginning; with the table at its end it is not said again."""
    done = ladder.run("run")
    assert done.returncode == 0, done.stderr
    warned = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    assert "Not proved: " in done.stdout
    return "\n".join(warned)


def test_what_is_brought_back_is_proved_again(played: Ladder) -> None:
    before = played.say("show")
    record, _ = of_other_boards(played)
    kept = record.read_bytes()
    record.unlink()
    assert "Not proved: 1 record is" in played.table()
    record.write_bytes(kept)
    after = played.say("show")
    assert (after.stdout, after.stderr) == (before.stdout, before.stderr)


def test_the_command_that_is_named_has_the_board_played_again(played: Ladder) -> None:
    record, _ = of_other_boards(played)
    record.unlink()
    command = played.say("show").stderr.strip().rpartition("played again: ")[2]
    ruled = played.player.run(*shlex.split(command)[1:])
    assert ruled.returncode == 0, ruled.stderr
    assert played.run("run").returncode == 0
    assert len(played.records()) == 5 + 2
    note = next(line for line in played.table().splitlines() if line.startswith("Not proved"))
    assert "which does not count" in note
    assert "played again" not in played.say("show").stderr


def test_a_rebuild_without_the_record_of_an_annulled_leg_changes_no_table(played: Ladder) -> None:
    record, _ = of_other_boards(played)
    ruled = played.say("annul", record.stem, "--reason", "its record was damaged")
    board = _board(record)
    assert ruled.stdout == (f"ruling 1: annul greedy~random/{board}/1: its record was damaged\n")
    before = played.table()
    record.unlink()
    assert played.say("rebuild").returncode == 0
    assert played.table() == before
    others = [one for one in played.records() if _board(one) == board]
    for other in others:
        other.unlink()
    assert played.say("rebuild").returncode == 0
    assert played.table() == before
    assert "1 to play" in played.say("run", "--dry-run").stdout
    assert played.run("run").returncode == 0
    with next(one for one in played.records() if _board(one) == board).open("rb") as lines:
        assert json.loads(lines.readline())["ladder"]["attempt"] == 2  # with new cards


def test_every_export_says_what_is_not_proved(played: Ladder) -> None:
    record, _ = of_other_boards(played)
    record.unlink()
    for form in ("json", "csv", "md", "html"):
        done = played.say("export", f"out-{form}", "--format", form)
        assert done.returncode == 0
        assert f"{record.name}: " in done.stderr
        texts = [
            path.read_text()
            for path in (played.folder / f"out-{form}").rglob("*")
            if path.is_file()
        ]
        assert any("Not proved: 1 record is" in text for text in texts), form


def test_of_many_the_first_are_named_and_all_are_counted(played: Ladder) -> None:
    for record in played.records():
        record.unlink()
    shown = played.say("show")
    assert "Not proved: 6 records are" in shown.stdout
    assert "and 1 more." in shown.stdout
    assert shown.stderr.splitlines()[-1] == "warning: and 1 more record like these"


def test_a_rebuild_says_which_results_it_leaves_out(played: Ladder) -> None:
    record, _ = of_other_boards(played)
    record.unlink()
    done = played.say("rebuild")
    assert done.stdout == "5 results from records\n"
    assert re.search(
        rf"^warning: .*{record.name}: greedy~random/\d leg \d: the record is missing; "
        r"its result was in the database, and is left out$",
        done.stderr.strip(),
    )
    shown = played.say("show")
    assert "Not proved" not in shown.stdout
    assert shown.stderr == ""


def test_a_rebuild_says_where_another_record_is_in_the_place_of_one(played: Ladder) -> None:
    record, _ = of_other_boards(played)
    header, *facts, _trailer = record.read_bytes().splitlines()
    said = json.loads(header)
    said["players"][0]["name"] = "somebody else"  # true in itself, and not what was played
    lines = chained([json.dumps(said, sort_keys=True, separators=(",", ":")).encode(), *facts])
    record.write_bytes(b"".join(line + b"\n" for line in lines))
    assert "1 record is not as when" in played.table()
    done = played.say("rebuild")
    assert done.stdout == "6 results from records\n"
    assert f"{record.name}: greedy~random/" in done.stderr
    assert "this record is another than the one" in done.stderr
    assert "Not proved" not in played.table()


def test_without_the_folder_the_database_is_all_there_is(played: Ladder) -> None:
    before = played.table()
    (played.kept / "ladder.db").rename(played.folder / "away.db")
    played.kept.rename(played.folder / "elsewhere")
    shown = played.say("show", "--database", f"sqlite:///{played.folder}/away.db")
    assert (shown.stdout, shown.stderr) == (before, "")
