"""`referee ladder` from the first file to a table that is rebuilt, as an organiser runs it."""

import contextlib
import csv
import json
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.ladders import SMALL, Ladder, one_error
from tests.integration.postgres import PostgresServer
from tichu_bot import greedy


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Ladder:
    """A ladder that was played to its end once, for all tests here; they copy it."""
    ladder = Ladder(tmp_path_factory.mktemp("first"))
    done = ladder.run("run")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ladder.table()
    assert not ladder.player.left_behind()
    return ladder


@pytest.fixture
def played(first: Ladder, tmp_path: Path) -> Iterator[Ladder]:
    ladder = first.copied(tmp_path)
    yield ladder
    assert not ladder.player.left_behind()


@pytest.mark.slow
def test_a_run_says_how_far_it_is_on_stderr_alone(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path, SMALL.replace("boards = 3", "boards = 1"))
    done = ladder.run("run")
    assert re.search(r"^0 of 1 board, ", done.stderr, re.M)
    assert done.stdout == ladder.table()


def test_the_table_has_every_entry_with_its_interval(played: Ladder) -> None:
    table = played.table()
    assert "greedy" in table
    assert "random" in table
    assert "Practice" in table


def test_practice_stays_practice_whatever_the_file_says_later(played: Ladder) -> None:
    before = played.table()
    played.change('seed = "small"\n', "")
    assert played.table() == before
    for record in played.records():
        record.unlink()
    assert played.table().startswith(before)
    played.say("export", "out", "--format", "md")
    assert "Practice" in (played.folder / "out" / "standings.md").read_text()


def test_every_leg_is_on_record_and_true(played: Ladder) -> None:
    assert len(played.records()) == 6
    verified = played.player.run("record", "verify", *played.records())
    assert verified.returncode == 0, verified.stdout


def test_a_ladder_that_is_over_plays_nothing_more(played: Ladder) -> None:
    before = played.table()
    done = played.run("run")
    assert done.returncode == 0, done.stderr
    assert done.stdout == before
    assert len(played.records()) == 6


def test_more_boards_are_played_on_from_where_it_ended(played: Ladder) -> None:
    played.change("boards = 3", "boards = 4")
    assert played.run("run").returncode == 0
    assert len(played.records()) == 8


def test_a_rebuild_gives_the_same_table_byte_for_byte(played: Ladder) -> None:
    before = played.table("--columns", "elo,pairs,bootstrap")
    played.say("rebuild")
    assert played.table("--columns", "elo,pairs,bootstrap") == before
    (played.kept / "ladder.db").unlink()
    assert played.say("rebuild").stdout == "6 results from records\n"
    assert played.table("--columns", "elo,pairs,bootstrap") == before


def test_results_that_the_database_lost_are_taken_up_by_the_next_run(played: Ladder) -> None:
    before = played.table()
    (played.kept / "ladder.db").unlink()
    done = played.run("run")
    assert "6 results taken up" in done.stderr
    assert played.table() == before


def test_the_commands_of_an_organiser_run_as_processes_too(played: Ladder) -> None:
    before = played.run("show")
    assert (before.returncode, before.stdout) == (0, played.table())
    assert played.run("rebuild").stdout == "6 results from records\n"
    assert played.run("freeze", "--reason", "prizes are given").returncode == 0
    assert "prizes are given" in played.run("show").stdout


def test_another_database_holds_the_same_ladder(played: Ladder) -> None:
    url = f"sqlite:///{played.folder}/other.db"
    assert played.say("rebuild", "--database", url).returncode == 0
    assert played.say("show", "--database", url).stdout == played.table()


# --- rulings


def test_an_annulled_board_is_played_again_with_new_cards(played: Ladder) -> None:
    done = played.say("annul", "random~greedy/2", "--reason", "cable pulled")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "ruling 1: annul greedy~random/2/1: cable pulled\n"
    assert "cable pulled" in played.table()
    assert played.run("run").returncode == 0
    assert len(played.records()) == 8
    before = played.table()
    played.say("rebuild")
    assert played.table() == before


def test_a_match_is_annulled_by_its_id(played: Ladder) -> None:
    done = played.say("annul", played.records()[0].stem, "--reason", "replayed by mistake")
    assert done.returncode == 0, done.stderr


def test_who_withdraws_plays_no_more_and_keeps_the_boards(played: Ladder) -> None:
    assert played.say("withdraw", "random", "--reason", "its owner asks").returncode == 0
    played.change("boards = 3", "boards = 4")
    done = played.run("run")
    assert done.returncode == 1, done.stderr  # nobody is left to play against
    assert len(played.records()) == 6
    assert "withdrawn" in played.table()


def test_who_is_disqualified_leaves_the_table(played: Ladder) -> None:
    assert played.say("disqualify", "random", "--reason", "two owners, one bot").returncode == 0
    rows = [line for line in played.table().splitlines() if "blue" in line]
    assert rows == []
    assert "two owners, one bot" in played.table()
    assert "final" in one_error(played.say("withdraw", "random", "--reason", "x"))


def test_a_frozen_ladder_stands(played: Ladder) -> None:
    assert played.say("freeze", "--reason", "prizes are given").returncode == 0
    played.change("boards = 3", "boards = 4")
    assert played.run("run").returncode == 0
    assert len(played.records()) == 6
    assert "frozen already" in one_error(played.say("freeze", "--reason", "again"))


def test_a_replaced_entry_begins_anew(played: Ladder) -> None:
    assert played.say("replace", "greedy", "--reason", "its files moved").returncode == 0
    assert "its files moved" in played.table()


def test_what_does_not_count_cannot_be_annulled_and_the_reason_is_said(played: Ladder) -> None:
    match_id = played.records()[0].stem
    assert played.say("annul", match_id, "--reason", "twice by mistake").returncode == 0
    before = played.state()
    said = one_error(played.say("annul", match_id, "--reason", "again"))
    assert said == f"error: annul {match_id}: it does not count now: annulled by ruling 1"
    assert played.say("disqualify", "random", "--reason", "two owners").returncode == 0
    for named in ("random~greedy/2", "greedy~random/2/1", played.records()[-1].stem):
        said = one_error(played.say("annul", named, "--reason", "again"))
        assert said.startswith(f"error: annul {named}: it does not count now: ")
    said = one_error(played.say("annul", "greedy~random/2", "--reason", "again"))
    assert "random disqualified by ruling 2" in said or "annulled by ruling 1" in said
    assert len(played.state()) == len(before)


def test_in_a_frozen_ladder_an_annulled_board_is_gone_for_good(played: Ladder) -> None:
    assert played.say("freeze", "--reason", "prizes are given").returncode == 0
    done = played.say("annul", "greedy~random/1", "--reason", "a cable was pulled")
    assert done.returncode == 0
    assert done.stderr == "the ladder is frozen: what counts no more is not played again\n"
    assert played.run("run").returncode == 0
    assert len(played.records()) == 6
    assert re.search(r"^1 .* 2 +\d-\d-\d", played.table(), re.M)  # two boards are left


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["annul", "greedy~random/9"], "no such board counts"),
        (["annul", "0123456789abcdef"], "no match of that id"),
        (["annul", "greedy/x"], "give a match id"),
        (["disqualify", "gredy"], "there is no entry 'gredy'; did you mean 'greedy'?"),
        (["withdraw", ""], "there is no entry ''"),
        (["replace", "nobody"], "there is no entry 'nobody'"),
        (
            ["replace", "greedy", "--says", "2"],
            "--says: the version of greedy is that of its files",
        ),
    ],
)
def test_a_ruling_about_nothing_changes_nothing(
    played: Ladder, words: list[str], message: str
) -> None:
    before = played.state()
    command, *more = words
    assert message in one_error(played.say(command, *more, "--reason", "why"))
    assert played.state() == before


@pytest.mark.parametrize("reason", ["", "  ", "a\nb", "\x1b[2J", "x" * 501])
def test_a_reason_is_one_line(played: Ladder, reason: str) -> None:
    before = played.state()
    said = one_error(played.say("freeze", "--reason", reason))
    assert "write one line of 1 to 500 printable characters" in said
    assert played.state() == before


# --- what was changed behind its back


def test_a_record_that_is_cut_short_is_named_and_nothing_changes(played: Ladder) -> None:
    record = played.records()[2]
    record.write_bytes(record.read_bytes()[:-200])
    before = played.state()
    assert re.search(rf"{record.name}: line \d+: ", one_error(played.say("rebuild")))
    assert played.state() == before


def test_a_record_with_one_other_byte_is_named_and_nothing_changes(played: Ladder) -> None:
    record = played.records()[3]
    data = bytearray(record.read_bytes())
    at = data.index(b'"round":1') + len(b'"round":')
    data[at] = ord("2")
    record.write_bytes(data)
    before = played.state()
    assert re.search(rf"{record.name}: line \d+: ", one_error(played.say("rebuild")))
    assert played.state() == before


def test_a_ruling_with_one_other_byte_is_named(played: Ladder) -> None:
    played.say("freeze", "--reason", "prizes are given")
    journal = played.kept / "rulings.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b"prizes", b"prices"))
    for command in ("show", "rebuild", "run"):
        assert "rulings.jsonl:1: " in one_error(played.say(command))


@pytest.mark.parametrize("left", [1, 0, None], ids=["the last line", "all lines", "the file"])
def test_a_ruling_that_is_gone_is_missed(played: Ladder, left: int | None) -> None:
    played.say("withdraw", "random", "--reason", "moved away")
    played.say("annul", "greedy~random/1", "--reason", "the machine swapped")
    journal = played.kept / "rulings.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    if left is None:
        journal.unlink()
    else:
        journal.write_bytes(b"".join(lines[:left]))
    gone = f"ruling {(left or 0) + 1}, "
    for command, *more in (["show"], ["rebuild"], ["run"], ["freeze", "--reason", "late"]):
        said = one_error(played.say(command, *more))
        assert "rulings.jsonl: " + gone in said
        assert "bring the journal back" in said


def test_other_terms_than_it_began_with_are_refused(played: Ladder) -> None:
    played.change("[stop]", '[match]\nclock = "3s+60s"\n[stop]')
    for command in ("run", "rebuild"):
        assert one_error(played.say(command)) == (
            'error: small.toml:6: match.clock: changed since this ladder began ("2s+60s" before, '
            '"3s+60s" now); its boards would not compare. Write clock = "2s+60s" in [match], or '
            "begin another ladder with another folder"
        )


@pytest.mark.parametrize("alone", [False, True], ids=["with its terms", "records alone"])
def test_a_rebuild_under_another_name_says_what_the_name_was(played: Ladder, alone: bool) -> None:
    played.change('name = "small"', 'name = "large"')
    if alone:
        (played.kept / "terms.json").unlink()
    before = played.state()
    said = one_error(played.say("rebuild"))
    assert said.startswith("error: small.toml:2: name: ")
    assert 'name = "small"' in said
    assert played.state() == before


# --- advice


def test_bots_that_are_gone_stop_the_ladder_until_a_ruling_says_that_they_may(
    tmp_path: Path,
) -> None:
    text = SMALL.replace("boards = 3", "boards = 1")
    ladder = Ladder(tmp_path, f'{text}[[entry]]\nname = "mine"\nowner = "me"\nbot = "./mine"\n')
    (tmp_path / "mine").mkdir()
    shutil.copy(str(greedy.__file__), tmp_path / "mine" / "bot.py")
    assert ladder.run("run").returncode == 0
    (tmp_path / "mine").rename(tmp_path / "gone")
    ladder.change("boards = 1", "boards = 2")
    before = ladder.table()
    for words in (["run"], ["run", "--dry-run"]):
        said, _, advice = one_error(ladder.say(*words)).partition("; bring it back, or go on ")
        assert said == "error: small.toml:18: bot './mine': there is no file ./mine"
        assert advice.startswith("without the entry: referee ladder withdraw small.toml mine ")
    assert ladder.table() == before
    followed = shlex.split(advice.partition(": ")[2])[1:]
    assert ladder.player.run(*followed).returncode == 0
    done = ladder.run("run")
    assert done.returncode == 0, done.stderr
    assert re.search(r" mine .* withdrawn$", done.stdout, re.M)
    assert len(ladder.records()) == 8  # a board more of the others


def test_the_command_that_is_advised_for_changed_files_can_be_copied(played: Ladder) -> None:
    bot = played.folder / "bot.py"
    shutil.copy(str(greedy.__file__), bot)
    played.change('bot = "greedy"', 'bot = "greedy=./bot.py"')
    played.change("boards = 3", "boards = 4")
    url = f"sqlite:///{played.kept}/ladder.db"
    said = one_error(played.run("run", "--database", url))
    advice = said.partition(", or say ")[2]
    assert shlex.split(advice)[:5] == ["referee", "ladder", "replace", "small.toml", "greedy"]
    assert f" --database {url}" in advice
    done = played.player.run(*shlex.split(advice)[1:])
    assert (done.returncode, done.stderr) == (0, "")
    assert "ruling 1: replace greedy: a new version" in done.stdout


def test_advice_before_there_is_a_table_names_the_file(played: Ladder, tmp_path: Path) -> None:
    (played.kept / "ladder.db").unlink()
    shown = played.say("show")
    assert "; referee ladder rebuild small.toml adds them" in shown.stderr


# --- nothing yet


def test_before_the_first_run_there_is_nothing_and_nothing_is_made(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path)
    shown = ladder.say("show")
    assert (shown.returncode, shown.stdout) == (1, "")
    assert "nothing was played yet" in shown.stderr
    assert "nothing was played yet" in one_error(ladder.say("freeze", "--reason", "x"))
    assert "there are no records" in one_error(ladder.say("rebuild"))
    dry = ladder.say("run", "--dry-run")
    assert dry.returncode == 0
    assert "boards    3, 6 legs; 3 to play" in dry.stdout
    assert sorted(tmp_path.iterdir()) == [ladder.file]


def test_a_dry_run_goes_on_from_what_was_played(played: Ladder) -> None:
    played.change("boards = 3", "boards = 5")
    before = played.state()
    said = played.say("run", "--dry-run").stdout
    assert "boards    5, 10 legs; 2 to play" in said
    assert "as in earlier runs" in said
    assert played.state() == before


@pytest.mark.parametrize("command", ["check", "run", "show", "rebuild"])
def test_a_wrong_file_is_one_line_for_every_command(tmp_path: Path, command: str) -> None:
    ladder = Ladder(tmp_path, SMALL.replace("owner", "ownr", 1))
    said = one_error(ladder.say(command))
    assert said == "error: small.toml:9: unknown key 'entry.ownr'; did you mean 'owner'?"
    assert sorted(tmp_path.iterdir()) == [ladder.file]


def test_a_column_that_is_not_there(played: Ladder) -> None:
    said = one_error(played.say("show", "--columns", "ello"))
    assert said == "error: --columns 'ello': there is no such column; did you mean elo?"


# --- what others see


def test_every_format_is_written(played: Ladder) -> None:
    for form in ("json", "csv", "md", "html"):
        done = played.say("export", "out", "--format", form, "--columns", "elo,pairs")
        assert done.returncode == 0, done.stderr
        assert all((played.folder / line).is_file() for line in done.stdout.splitlines())
    assert json.loads((played.folder / "out" / "ladder.json").read_text())["practice"] is True
    assert len(list((played.folder / "out" / "matches").iterdir())) == 6
    assert "Practice" in (played.folder / "out" / "index.html").read_text()


def test_exports_and_reports_leave_out_what_was_annulled(played: Ladder) -> None:
    assert played.say("annul", "greedy~random/2", "--reason", "cable pulled").returncode == 0
    for form in ("json", "csv"):
        assert played.say("export", "out", "--format", form).returncode == 0
    with (played.folder / "out" / "results.csv").open(encoding="utf-8", newline="") as lines:
        legs = list(csv.DictReader(lines))
    assert [leg["rated"] for leg in legs] == ["true"] * 6
    assert [(leg["board"], leg["why_not"]) for leg in legs if leg["counts"] == "false"] == [
        ("2", "annulled by ruling 1")
    ] * 2
    told = json.loads((played.folder / "out" / "ladder.json").read_text(encoding="utf-8"))
    assert sum(leg["counts"] for leg in told["results"]) == 4
    report = played.player.run("bot", "report", "greedy", played.file)
    assert "\nnot counted: 2 legs (annulled)\n" in report.stdout
    assert re.search(r"^  greedy +4 ", report.stdout, re.M)


def test_an_export_that_cannot_be_written_is_one_line(played: Ladder) -> None:
    assert "small.toml: " in one_error(played.say("export", "small.toml", "--format", "md"))


def test_the_owner_of_a_bot_gets_a_report(played: Ladder) -> None:
    done = played.player.run("bot", "report", "greedy", played.file)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("greedy in small: 6 legs\n")
    assert "did you mean 'greedy'?" in one_error(
        played.player.run("bot", "report", "gredy", played.file)
    )


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (
            'pair = ["greedy", "random"]',
            "'mixed' is an entry of two bots, 'greedy' and 'random': give the name of one",
        ),
        (
            'bot = "greedy"',
            "'mixed' is an entry, and its bot is 'greedy': give that name",
        ),
        (
            'bot = "swift=greedy"',
            "'mixed' is an entry, and its bot is 'swift': give that name",
        ),
    ],
)
def test_a_report_on_an_entry_names_its_bots(tmp_path: Path, entry: str, says: str) -> None:
    text = f'{SMALL}[[entry]]\nname = "mixed"\nowner = "sky"\n{entry}\n'
    ladder = Ladder(tmp_path, text)
    assert says in one_error(ladder.player.run("bot", "report", "mixed", ladder.file))


def test_nothing_to_export_or_report_yet(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path)
    assert ladder.say("export", "out", "--format", "md").returncode == 1
    assert ladder.player.run("bot", "report", "greedy", ladder.file).returncode == 1
    assert sorted(tmp_path.iterdir()) == [ladder.file]


def test_whoever_has_records_and_rulings_gets_the_table_without_the_bots(
    played: Ladder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    played.change('bot = "greedy"', 'bot = "./gone/bot.py"')
    played.say("freeze", "--reason", "prizes are given")
    before = played.table()
    for name in ("event.secret", "ladder.db", "referee.db", "terms.json"):
        (played.kept / name).unlink(missing_ok=True)
    elsewhere = played.copied(tmp_path_factory.mktemp("elsewhere"))
    assert elsewhere.say("rebuild").returncode == 0
    assert elsewhere.table().splitlines()[1:] == before.splitlines()[1:]
    assert elsewhere.run("run").returncode == 0  # a frozen ladder plays nothing more


# --- databases of other releases


def test_a_database_of_a_newer_release_is_refused_and_left_alone(played: Ladder) -> None:
    file, cure = played.kept / "ladder.db", "written by a newer release"
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("UPDATE ladder_schema SET version_num = '99'")
    before = file.read_bytes()
    for command, *more in (["show"], ["run"], ["rebuild"], ["freeze", "--reason", "x"]):
        assert cure in one_error(played.say(command, *more))
    url = f"sqlite:///{file}"
    for words in (
        ["token", "create", "x"],
        ["token", "list"],
        ["serve", "--listen", "unix:r.sock"],
    ):
        assert cure in one_error(played.player.run(*words, "--database", url))
    assert file.read_bytes() == before


def test_a_database_that_is_none_is_named(played: Ladder) -> None:
    (played.kept / "ladder.db").write_bytes(b"no database" * 500)
    assert "this is no database" in one_error(played.say("show"))


# --- a server with tokens of the database


def test_a_server_lets_in_who_has_a_token_of_its_database(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path)
    url = f"sqlite:///{tmp_path}/tokens.db"
    made = ladder.player.run("token", "create", "ann", "--database", url).stdout.splitlines()
    house = tmp_path / "closed.toml"
    house.write_text(f'open_identity = false\ndatabase = "{url}"\n[options]\nrounds = 1\n')
    words = ["serve", "--config", str(house), "--listen", "127.0.0.1:0", "--once", "--pace", "fast"]
    with ladder.player.running(*words) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        tokens = [dict(word.split("=", 1) for word in shlex.split(line)) for line in made]
        bots = [
            subprocess.Popen(
                [sys.executable, "-P", "-m", "tichu_bot.random"],
                env={**ladder.player.environment, **one, "TICHU_SERVER": address},
                stderr=subprocess.PIPE,
            )
            for one in [*tokens, {"TICHU_TOKEN": "stranger"}]
        ]
        said = [bot.communicate(timeout=90)[1] for bot in bots]
        out = server.communicate(timeout=90)[0]
    assert server.returncode == 0
    assert re.match(r"match \S+ completed ", out)
    assert [bot.returncode for bot in bots[:4]] == [0, 0, 0, 0], said
    assert bots[4].returncode != 0


def test_a_server_without_a_database_of_that_name_says_so(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path)
    said = one_error(ladder.player.run("serve", "--database", "sqlite:///none.db"))
    assert "nothing is in it yet" in said
    assert sorted(tmp_path.iterdir()) == [ladder.file]


# --- how fast it starts


@pytest.mark.parametrize(
    "words",
    ["--help", "ladder --help", "play --help", "serve --help", "rules show", "ladder run --help"],
)
def test_what_needs_no_numbers_and_no_database_loads_none(tmp_path: Path, words: str) -> None:
    ladder = Ladder(tmp_path)
    script = (
        "import sys\nfrom referee.cli.main import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print({'numpy', 'sqlalchemy', 'alembic'} & {*sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *words.split()],
        env=ladder.player.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.splitlines()[-1] == "set()"


@pytest.mark.postgres
def test_postgresql_holds_the_same_ladder_and_plays_on(
    played: Ladder, postgres_server: PostgresServer
) -> None:
    url = postgres_server.url(postgres_server.new_database())
    before = played.table("--columns", "elo,pairs,bootstrap")
    assert played.say("rebuild", "--database", url).returncode == 0
    assert played.table("--columns", "elo,pairs,bootstrap", "--database", url) == before
    played.change('seed = "small"', f'seed = "small"\ndatabase = "{url}"')
    played.change("boards = 3", "boards = 4")
    done = played.run("run")
    assert done.returncode == 0, done.stderr
    assert played.table() == done.stdout
    assert len(played.records()) == 8


@pytest.mark.postgres
def test_a_server_that_is_away_is_one_line_without_its_password(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    url = postgres_server.url("there_is_no_such_database")
    ladder = Ladder(tmp_path, SMALL.replace("parallel", f'database = "{url}"\nparallel'))
    for command in ("show", "run", "rebuild"):
        said = one_error(ladder.say(command))
        assert postgres_server.password not in said
    assert ladder.records() == []
