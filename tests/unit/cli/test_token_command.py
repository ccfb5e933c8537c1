"""`referee token`: environment lines for bots, and hashes in the database."""

import asyncio
import hashlib
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.cli.main import main
from referee.cli.tokens import tokens_in

TLS = Path(__file__).resolve().parents[2] / "integration" / "tls"
LADDER = """
name = "first"
listen = ["127.0.0.1:7001"]
[stop]
boards = 4
[[entry]]
name = "a"
owner = "ann"
bot = "ann-bot"
dial_in = true
[[entry]]
name = "b"
owner = "ben"
bot = "greedy"
"""


def run(*words: str | Path, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], env=env)


def url_of(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/tokens.db"


def variables(line: str) -> dict[str, str]:
    return dict(word.split("=", 1) for word in shlex.split(line))


def test_each_process_gets_a_line_and_only_hashes_are_kept(tmp_path: Path) -> None:
    made = run("token", "create", "ann-bot", "--instances", "2", "--database", url_of(tmp_path))
    assert made.exit_code == 0
    lines = [variables(line) for line in made.stdout.splitlines()]
    assert [line["TICHU_BOT_NAME"] for line in lines] == ["ann-bot"] * 2
    kept = asyncio.run(tokens_in(url_of(tmp_path)))
    assert kept is not None
    hashes = [hashlib.sha256(line["TICHU_TOKEN"].encode()).digest() for line in lines]
    assert [one.token_hash for one in kept] == hashes
    data = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert all(line["TICHU_TOKEN"].encode() not in data for line in lines)


def test_tokens_are_numbered_on_and_listed(tmp_path: Path) -> None:
    url = url_of(tmp_path)
    run("token", "create", "ann-bot", "--instances", "2", "--database", url)
    run("token", "create", "ann-bot", "--instances", "1", "--database", url)
    run("token", "create", "ben-bot", "--instances", "1", "--database", url)
    listed = run("token", "list", env={"TICHU_DATABASE": url}).stdout.splitlines()
    assert [line.split()[:2] for line in listed] == [
        ["bot", "number"],
        ["ann-bot", "1"],
        ["ann-bot", "2"],
        ["ann-bot", "3"],
        ["ben-bot", "1"],
    ]
    assert len(run("token", "list", "ben-bot", "--database", url).stdout.splitlines()) == 2
    assert listed[0] == "bot      number  made"


def test_a_token_that_is_revoked_is_listed_no_more(tmp_path: Path) -> None:
    url = url_of(tmp_path)
    assert run("token", "revoke", "ann-bot", "2", "--database", url).exit_code == 1
    assert list(tmp_path.iterdir()) == []
    run("token", "create", "ann-bot", "--instances", "3", "--database", url)
    gone = run("token", "revoke", "ann-bot", "2", "--database", url)
    assert (gone.exit_code, "stop what runs" in gone.stdout) == (0, True)
    again = run("token", "revoke", "ann-bot", "2", "--database", url)
    assert (again.exit_code, again.stderr) == (1, "there is no token 2 of ann-bot\n")
    listed = run("token", "list", "--database", url).stdout.splitlines()
    assert [line.split()[1] for line in listed] == ["number", "1", "3"]


def test_a_ladder_names_the_database_and_where_to_dial(tmp_path: Path) -> None:
    file = tmp_path / "spring.toml"
    file.write_text(LADDER)
    made = run("token", "create", "ann-bot", "--ladder", file, env={"TICHU_DATABASE": "sqlite:///"})
    lines = [variables(line) for line in made.stdout.splitlines()]
    assert [line["TICHU_SERVER"] for line in lines] == ["127.0.0.1:7001"] * 4
    assert (tmp_path / "spring.ladder" / "ladder.db").exists()
    assert len(run("token", "list", "--ladder", file).stdout.splitlines()) == 5


@pytest.mark.parametrize(("entrants", "number"), [("single", 1), ("pair", 2)])
def test_a_tournament_needs_as_many_as_its_entrants_have_processes(
    tmp_path: Path, entrants: str, number: int
) -> None:
    head = LADDER.replace("[stop]\nboards = 4", "").replace(
        "listen", f'entrants = "{entrants}"\nlisten'
    )
    more = "".join(f'[[entry]]\nname = "{name}"\nowner = "o"\nbot = "greedy"\n' for name in "cd")
    file = tmp_path / "cup.toml"
    file.write_text(head + more)
    made = run("token", "create", "ann-bot", "--ladder", file)
    assert made.exit_code == 0, made.stderr
    assert len(made.stdout.splitlines()) == number
    assert (tmp_path / "cup.tournament" / "ladder.db").exists()


def test_an_address_that_nobody_can_dial_is_said(tmp_path: Path) -> None:
    file = tmp_path / "spring.toml"
    file.write_text("plaintext = true\n" + LADDER.replace("127.0.0.1:7001", "0.0.0.0:7001"))
    made = run("token", "create", "ann-bot", "--ladder", file)
    assert "this machine's name" in made.stderr


def test_with_tls_a_line_names_the_certificate_and_what_to_send(tmp_path: Path) -> None:
    file = tmp_path / "spring.toml"
    shutil.copytree(TLS, tmp_path / "keys")
    file.write_text('tls_cert = "keys/cert.pem"\ntls_key = "keys/key.pem"\n' + LADDER)
    made = run("token", "create", "ann-bot", "--ladder", file)
    lines = [variables(line) for line in made.stdout.splitlines()]
    assert [line["TICHU_CA_FILE"] for line in lines] == ["cert.pem"] * 4
    assert "send cert.pem along, never the key" in made.stderr
    file.write_text(LADDER)
    plain = run("token", "create", "ann-bot", "--ladder", file)
    assert "TICHU_CA_FILE" not in plain.output


def test_there_may_be_none(tmp_path: Path) -> None:
    listed = run("token", "list", "--database", url_of(tmp_path))
    assert (listed.exit_code, listed.stdout) == (1, "")
    making = f"referee token create BOT --database {url_of(tmp_path)}"
    assert listed.stderr == f"there are none; {making} makes them\n"
    assert list(tmp_path.iterdir()) == []
    file = tmp_path / "spring.toml"
    file.write_text(LADDER)
    listed = run("token", "list", "ann-bot", "--ladder", file)
    assert f"; referee token create ann-bot --ladder {file} makes them" in listed.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["create", "a b", "--database", "URL"], "error: bot 'a b' is no name; "),
        (["create", "ann-bot"], "error: no database is named: give --database URL, or set"),
        (["create", "ann-bot", "--instances", "0", "--database", "URL"], "error: --instances 0: "),
        (["create", "ann-bot", "--database", "mysql://h/x"], "error: database: mysql is no kind"),
        (["create", "ben-bot", "--ladder", "FILE"], "error: FILE: no bot 'ben-bot' dials in; "),
        (["list", "--database", "postgresql://u:hunter2@h:x/y"], "error: database: "),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_made(
    tmp_path: Path, words: list[str], message: str
) -> None:
    file = tmp_path / "spring.toml"
    file.write_text(LADDER)
    given = {"URL": url_of(tmp_path), "FILE": str(file)}
    said = run("token", *(given.get(word, word) for word in words))
    assert said.exit_code == 2
    assert said.stderr.count("\n") == 1
    assert said.stderr.replace(str(file), "FILE").startswith(message)
    assert "hunter2" not in said.output
    assert sorted(tmp_path.iterdir()) == [file]
