"""`referee record import`: logs into records, and what is said of those that are none."""

import errno
import io
import json
import random
import re
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.cli.record import record
from referee.cli.record_files import read_line
from tests.unit.formats.bsw_logs import played_round
from tests.unit.formats.recorded import chained

LOG = played_round(random.Random(11))
A, B = LOG.scores
TEXT = "".join(line + "\n" for line in LOG.lines)
OTHER = "".join(line + "\n" for line in played_round(random.Random(12)).lines)


def run(*words: str | Path, stdin: str | None = None) -> Result:
    return CliRunner().invoke(record, [str(word) for word in words], input=stdin)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "game.tch"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_a_game_is_printed_as_a_record_that_verifies_and_shows(log: Path, tmp_path: Path) -> None:
    made = run("import", log)
    assert (made.exit_code, made.stderr) == (0, "")
    file = tmp_path / "m.jsonl"
    file.write_text(made.stdout, encoding="utf-8")
    assert f": ok 1 rounds {A}:{B} cancelled blame none chain " in run("verify", file).output
    shown = run("show", file).output
    assert (
        "imported from a BrettspielWelt log; not known: asks, clock, dealers, seeds, times" in shown
    )
    assert "commitment" not in shown
    assert "deal seed" not in shown


def test_names_are_by_seat_unless_they_are_to_be_kept(log: Path) -> None:
    made = run("import", log).stdout
    names = [player["name"] for player in json.loads(made.splitlines()[0])["players"]]
    assert names == ["player-1", "player-2", "player-3", "player-4"]
    assert not any(name in made for name in ("anna", "bert", "carl", "dora"))
    kept = json.loads(run("import", log, "--keep-names").stdout.splitlines()[0])["players"]
    assert [player["name"] for player in kept] == ["anna", "bert", "carl", "dora"]


def test_several_games_go_into_a_folder(tmp_path: Path) -> None:
    log = tmp_path / "two.txt"
    log.write_text(f"{TEXT}--END GAME--\n{OTHER}--END GAME--\n", encoding="utf-8")
    refused = run("import", log)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "holds several games; name a folder (--to), or one (--game N)" in refused.stderr
    made = run("import", log, "--to", tmp_path / "out")
    assert made.exit_code == 0
    files = sorted((tmp_path / "out").iterdir())
    assert len(files) == len(made.stdout.splitlines()) == 2
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)
    assert run("verify", *files).exit_code == 0
    assert run("import", log, "--game", "2").stdout in [file.read_text() for file in files]


def test_what_is_there_already_is_left_alone_and_the_others_are_written(tmp_path: Path) -> None:
    log, out = tmp_path / "two.txt", tmp_path / "out"
    log.write_text(f"{TEXT}--END GAME--\n{OTHER}--END GAME--\n{TEXT}", encoding="utf-8")
    made = run("import", log, "--to", out)
    assert (made.exit_code, made.stderr) == (0, "")
    first, second, third = made.stdout.splitlines()
    assert third == first.replace("game 1", "game 3") + ", it was there already"
    path, other = (Path(line.partition(":")[0]) for line in (first, second))
    assert sorted(out.iterdir()) == sorted([path, other])
    path.write_text("mine\n", encoding="utf-8")
    other.unlink()
    made = run("import", log, "--to", out)
    assert (made.exit_code, made.stdout) == (1, second + "\n")
    assert made.stderr == f"error: {path}: another file is there; move it, or name a folder\n" * 2
    assert path.read_text(encoding="utf-8") == "mine\n"


def test_a_record_is_written_whole_or_not_at_all(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(draft: str, path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", draft)

    out = tmp_path / "out"
    with monkeypatch.context() as context:
        context.setattr("os.link", full)
        made = run("import", log, "--to", out)
    assert (made.exit_code, made.stdout) == (1, "")
    assert re.fullmatch(f"error: {out}/bsw-\\w+.jsonl: No space left on device\n", made.stderr)
    assert list(out.iterdir()) == []
    with monkeypatch.context() as context:
        context.setattr("os.link", none)
        assert run("import", log, "--to", out).exit_code == 0
    [path] = out.iterdir()
    assert run("verify", path).exit_code == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def none(draft: str, path: Path) -> None:
    raise PermissionError(errno.EPERM, "Operation not permitted", draft)


@pytest.mark.parametrize("words", [["import"], ["import", "--to", "out"], ["export", "--at", "1"]])
def test_an_output_that_fails_is_not_blamed_on_the_input(
    words: list[str], log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m.jsonl"
    file.write_text(run("import", log).stdout, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("click.echo", full)
    done = run(words[0], log if words[0] == "import" else file, *words[1:])
    assert isinstance(done.exception, OSError)  # for the outermost handler
    assert done.exception.filename is None


def test_an_input_that_fails_is_named() -> None:
    class Broken(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(OSError, match=r"Input/output error: 'a\.jsonl'"):
        read_line(Broken(), 10, "a.jsonl")


def test_names_of_old_clients_are_read_and_long_ones_are_cut_with_a_word(log: Path) -> None:
    name = "Jürgen"
    log.write_bytes(TEXT.replace("anna", name).replace("dora", "d" * 70).encode("cp1252"))
    made = run("import", log, "--keep-names")
    names = [player["name"] for player in json.loads(made.stdout.splitlines()[0])["players"]]
    assert names == [name, "bert", "carl", "d" * 64]
    assert made.stderr == f"{log}: game 1: the name of seat 3 is cut after 64 of 70 signs\n"
    assert run("import", log).stderr == ""


def test_decisions_of_an_import_say_so_and_unfinished_records_too(
    log: Path, tmp_path: Path
) -> None:
    file = tmp_path / "m.jsonl"
    text = run("import", log).stdout
    file.write_text(text, encoding="utf-8")
    done = run("export", file, "--format", "decisions")
    assert done.stderr == ""
    assert {json.loads(line)["imported"] for line in done.stdout.splitlines()} == {"bsw"}
    file.write_text("".join(text.splitlines(keepends=True)[:-1]), encoding="utf-8")
    cut = run("export", file, "--format", "decisions")
    assert cut.stdout == done.stdout
    assert cut.stderr == f"{file}: the record is unfinished: what it lacks is lacking here\n"


def test_a_round_without_a_result_is_left_out_at_the_end(tmp_path: Path) -> None:
    log = tmp_path / "cut.tch"
    log.write_text(TEXT + OTHER[: len(OTHER) // 2], encoding="utf-8")
    made = run("import", log)
    assert made.exit_code == 0
    line = TEXT.count("\n") + 1
    assert f"{log}: game 1: round 2 is left out: it has no result (line {line})" in made.stderr
    log.write_text(TEXT[: TEXT.index("Ergebnis")] + OTHER, encoding="utf-8")
    made = run("import", log)
    assert (made.exit_code, made.stdout) == (1, "")
    assert f"error: {log}: line 1: game 1: round 1 has no result" in made.stderr
    assert "take it out of the log" in made.stderr


def test_bad_logs_say_file_line_and_cure(tmp_path: Path) -> None:
    log = tmp_path / "bad.tch"
    last = TEXT.count("\n")
    log.write_text(TEXT.replace(f"Ergebnis: {A} -", f"Ergebnis: {A + 5} -"), encoding="utf-8")
    made = run("import", log)
    assert (made.exit_code, made.stdout) == (1, "")
    assert f"error: {log}: line {last}: game 1: round 1: the points are {A} - {B}" in made.stderr
    assert "mend the line" in made.stderr
    lines = TEXT.splitlines()
    at = next(n for n, line in enumerate(lines) if line.endswith("passt."))
    lines[at] = lines[at].replace("passt.", ": Dr Ph")
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    made = run("import", log)
    assert made.exit_code == 1
    assert f"error: {log}: line " in made.stderr
    assert "mend the line" in made.stderr
    log.write_text("hello\n", encoding="utf-8")
    made = run("import", log)
    assert (made.exit_code, made.stdout) == (1, "")
    assert f"{log}: line 1: no BrettspielWelt round; a round begins with" in made.stderr
    made = run("import", tmp_path / "none.tch")
    assert (made.exit_code, made.stdout) == (1, "")
    assert "none.tch: No such file" in made.stderr


def test_rounds_behind_the_end_of_a_match_are_refused(tmp_path: Path) -> None:
    log = tmp_path / "long.tch"
    log.write_text(TEXT * 3, encoding="utf-8")
    made = run("import", log, "--option", "rounds=2")
    assert (made.exit_code, made.stdout) == (1, "")
    line = 2 * TEXT.count("\n") + 1
    assert f"line {line}: game 1: round 3: F4: the match was over before it" in made.stderr


def test_facts_that_no_referee_wrote_are_no_log_and_no_traceback(log: Path, tmp_path: Path) -> None:
    lines = run("import", log).stdout.encode().splitlines()
    file = tmp_path / "forged.jsonl"
    for wrong in range(2, len(lines) - 2, 7):
        kept = [line for at, line in enumerate(lines[:-1]) if at != wrong]
        file.write_bytes(b"\n".join([*chained(kept), b""]))
        for more in (["--format", "bsw"], ["--format", "decisions"], ["--at", "9999"]):
            done = run("export", file, *more)
            assert done.exit_code in (0, 1, 2)
            assert done.exception is None or isinstance(done.exception, SystemExit), (wrong, more)
    last = next(at for at, line in enumerate(lines) if b'"answered"' in line)
    file.write_bytes(b"\n".join([*chained([*lines[: last + 1], lines[1]]), b""]))
    for more in (["--format", "bsw"], ["--format", "decisions"], ["--at", "9999"]):
        done = run("export", file, *more)
        assert (done.exit_code, type(done.exception)) == (1, SystemExit)


def test_a_game_that_a_log_has_not_is_said(log: Path) -> None:
    assert run("import", log, "--game", "2").exit_code == 2
    assert run("import", log, "--option", "variant=trichu").exit_code == 2
    assert run("import", log, "--option", "nonsense=1").exit_code == 2


def test_what_was_imported_is_exported_the_same(log: Path, tmp_path: Path) -> None:
    file = tmp_path / "m.jsonl"
    file.write_text(run("import", log, "--keep-names").stdout, encoding="utf-8")
    exported = run("export", file, "--format", "bsw")
    assert exported.exit_code == 0
    assert "the ending is left out: cancelled" in exported.stderr
    again = run("import", "-", "--keep-names", stdin=exported.stdout)
    assert again.stdout == file.read_text(encoding="utf-8")
