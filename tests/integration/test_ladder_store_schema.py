"""Schemas of older and newer releases, backup and prune, and `referee db` around them."""

import asyncio
import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from click.testing import CliRunner, Result
from sqlalchemy import Connection

from referee.cli.main import main
from referee.formats.summary import MatchSummary
from referee.ladder.values import Ruling, RulingKind
from referee.rules.errors import ConfigError
from referee.store.ladder import schema
from referee.store.ladder.address import database_of
from referee.store.ladder.connecting import link_to
from referee.store.ladder.rows import board_row, match_row, rows_of_match
from referee.store.ladder.schema import (
    MIGRATIONS,
    VERSION_TABLE,
    SchemaState,
    open_ladder_store,
    schema_of,
    upgrade,
)
from referee.store.ladder.sql import SqlLadderStore
from referee.store.ladder.tables import BOARDS, MATCHES, METADATA, SCHEMA_VERSION
from referee.store.ladder.upkeep import backup, contents, prune
from tests.integration.playing import ROOT
from tests.integration.postgres import PostgresServer
from tests.unit.store.ladder.matches import EVENT, boards, entry, place, summary, token

DAY_S = 86_400
NEW = ("answers", "defaults", "points_2", "points_3")  # of players by step 2, of rounds by 3
NOW, NEXT = f"schema {SCHEMA_VERSION}", SCHEMA_VERSION + 1
# What a release after this one might bring.
NEXT_STEP = f"""
from alembic import op
from sqlalchemy import Column, Text

revision = "{NEXT:04d}"
down_revision = "{SCHEMA_VERSION:04d}"

def upgrade():
    op.add_column("entries", Column("motto", Text, nullable=False, server_default="none yet"))
    op.create_table("trophies", Column("name", Text, primary_key=True))
"""


class Release:
    """Makes this process the next release, or the one that it is."""

    def __init__(self, patch: pytest.MonkeyPatch, folder: Path) -> None:
        self._patch = patch
        self._migrations = folder / "migrations"
        shutil.copytree(MIGRATIONS, self._migrations)
        (self._migrations / "versions" / "next.py").write_text(NEXT_STEP)

    def next(self) -> None:
        self._patch.setattr(schema, "SCHEMA_VERSION", NEXT)
        self._patch.setattr(schema, "MIGRATIONS", self._migrations)

    def this(self) -> None:
        self._patch.setattr(schema, "SCHEMA_VERSION", SCHEMA_VERSION)
        self._patch.setattr(schema, "MIGRATIONS", MIGRATIONS)


@pytest.fixture
def release(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Release:
    return Release(monkeypatch, tmp_path)


async def filled(url: str) -> None:
    async with await open_ladder_store(url) as store:
        await store.keep_entries([entry()])
        await store.add_tokens([token()])
        for one in boards(3):
            await store.add_match(one)


async def refused(url: str) -> str:
    with pytest.raises(ConfigError) as caught:
        await open_ladder_store(url)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- the schema


def test_the_last_step_has_the_number_of_the_schema() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_heads() == [f"{SCHEMA_VERSION:04d}"]


async def test_the_steps_make_the_tables_that_the_statements_are_for(ladder_url: str) -> None:
    await upgrade(ladder_url)
    link = link_to(database_of(ladder_url))
    assert await link.read(_differences) == []
    await link.close()


def _differences(connection: Connection) -> list[object]:
    options = {"version_table": VERSION_TABLE, "compare_type": True}
    context = MigrationContext.configure(connection, opts=options)
    return list(compare_metadata(context, METADATA))


async def test_a_new_database_is_made_by_opening_and_not_by_looking(ladder_url: str) -> None:
    assert (await schema_of(ladder_url)).state is SchemaState.EMPTY
    assert (await schema_of(ladder_url)).state is SchemaState.EMPTY
    async with await open_ladder_store(ladder_url):
        assert (await schema_of(ladder_url)).state is SchemaState.CURRENT


async def test_an_older_schema_is_refused_until_it_is_upgraded_and_loses_nothing(
    ladder_url: str, release: Release
) -> None:
    await filled(ladder_url)
    release.next()
    said = await refused(ladder_url)
    assert re.search(
        rf"its schema is {SCHEMA_VERSION}, this release needs {NEXT}; "
        "run referee db upgrade --database ",
        said,
    )
    before, after = await upgrade(ladder_url)
    assert (before.version, after.version) == (SCHEMA_VERSION, NEXT)
    assert (await upgrade(ladder_url))[0].state is SchemaState.CURRENT
    async with await open_ladder_store(ladder_url) as store:
        assert await store.summaries(EVENT, "adam.a") == tuple(boards(3))
        assert await store.entries(EVENT) == (entry(),)
        assert await store.tokens() == (token(),)


async def test_matches_of_the_first_schema_are_kept_and_nothing_is_known_of_their_records(
    ladder_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, first)
    for step in (first / "versions").glob("m*"):
        if not step.name.startswith("m0001"):
            step.unlink()
    with monkeypatch.context() as patch:
        patch.setattr(schema, "SCHEMA_VERSION", 1)
        patch.setattr(schema, "MIGRATIONS", first)
        await upgrade(ladder_url)
    kept = summary()
    link = link_to(database_of(ladder_url))
    await link.write(_add_as_the_first_schema, kept)
    await link.close()
    needs = f"this release needs {SCHEMA_VERSION}; run referee db up"
    assert f"its schema is 1, {needs}" in await refused(ladder_url)
    await upgrade(ladder_url)
    nothing = {"answers": (0,) * 4, "defaults": (0,) * 4, "digest": ""}
    assert kept.leg is not None
    leg = msgspec.structs.replace(kept.leg, answers=(0, 0), defaults=(0, 0))
    async with await open_ladder_store(ladder_url) as store:
        old = msgspec.structs.replace(kept, leg=leg, **nothing)
        assert await store.summaries(EVENT, "adam.a") == (old,)
        assert await store.digests(EVENT) == {kept.match_id: ""}
        assert await store.add_match(summary(place(leg=2)))


def _add_as_the_first_schema(connection: Connection, one: MatchSummary) -> None:
    assert one.leg is not None
    connection.execute(BOARDS.insert(), {"id": 7, **board_row(one.leg.place)})
    match = {**match_row(one, one.leg, board=7, added=0), "id": 8}
    del match["digest"]
    connection.execute(MATCHES.insert().values(match))
    for table, rows in rows_of_match(one, one.leg, 8):
        for row in rows:
            old = {name: value for name, value in row.items() if name not in NEW}
            connection.execute(table.insert().values(old))


async def test_the_command_that_is_named_is_the_one_to_run(
    tmp_path: Path, release: Release
) -> None:
    url = f"sqlite:///{tmp_path}/a b.db"
    await filled(url)
    release.next()
    command = (await refused(url)).rpartition("; run ")[2]
    assert command == f"referee db upgrade --database 'sqlite:///{tmp_path}/a b.db'"


async def test_a_newer_schema_is_refused_and_left_as_it_is(
    ladder_url: str, release: Release
) -> None:
    release.next()
    await upgrade(ladder_url)
    release.this()
    said = await refused(ladder_url)
    assert f"its schema is {NEXT}, this release needs {SCHEMA_VERSION}; it was written by a" in said
    for work in (upgrade(ladder_url), contents(ladder_url), prune(ladder_url, events=["x"])):
        with pytest.raises(ConfigError, match="newer release"):
            await work
    found = await schema_of(ladder_url)
    assert (found.state, found.version) == (SchemaState.NEWER, NEXT)


async def test_an_upgrade_that_fails_changes_nothing(
    ladder_url: str, release: Release, tmp_path: Path
) -> None:
    await filled(ladder_url)
    step = tmp_path / "migrations" / "versions" / "next.py"
    step.write_text(NEXT_STEP + '    op.execute("INSERT INTO nowhere VALUES (1)")\n')
    release.next()
    with pytest.raises(ConfigError, match="nowhere"):
        await upgrade(ladder_url)
    release.this()
    assert (await schema_of(ladder_url)).state is SchemaState.CURRENT
    link = link_to(database_of(ladder_url))
    assert await link.read(_differences) == []
    await link.close()
    async with await open_ladder_store(ladder_url) as store:
        assert await store.summaries(EVENT, "adam.a") == tuple(boards(3))


async def test_many_that_open_a_new_database_at_once_make_it_once(ladder_url: str) -> None:
    stores = await asyncio.gather(*(open_ladder_store(ladder_url) for _ in range(8)))
    kept = [await store.add_match(summary()) for store in stores]
    assert kept == [True] + [False] * 7
    for store in stores:
        await store.close()


# --- backup


async def test_a_backup_while_somebody_writes_has_whole_matches_of_one_moment(
    tmp_path: Path,
) -> None:
    url, copies = f"sqlite:///{tmp_path}/ladder.db", [tmp_path / f"{n}.db" for n in range(5)]
    async with await open_ladder_store(url) as store:
        writing = asyncio.create_task(_write(store))
        for copy in copies:
            await backup(url, copy)
        writing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await writing
        written = await store.summaries(EVENT, "adam.a")
    counts = []
    for copy in copies:
        assert copy.stat().st_mode & 0o777 == 0o600
        async with await open_ladder_store(f"sqlite:///{copy}") as store:
            kept = await store.summaries(EVENT, "adam.a")
        assert kept == written[: len(kept)]
        counts.append(len(kept))
    assert counts == sorted(counts)
    assert sorted(os.listdir(tmp_path)) == [*(copy.name for copy in copies), "ladder.db"]


async def _write(store: SqlLadderStore) -> None:
    for one in boards(10_000):
        await store.add_match(one)


async def test_a_backup_of_an_older_or_newer_schema_is_made_as_it_is(
    tmp_path: Path, release: Release
) -> None:
    url = f"sqlite:///{tmp_path}/ladder.db"
    release.next()
    await upgrade(url)
    release.this()
    await backup(url, tmp_path / "copy.db")
    assert (await schema_of(f"sqlite:///{tmp_path}/copy.db")).version == NEXT


async def test_a_backup_overwrites_nothing_and_makes_no_database(tmp_path: Path) -> None:
    url, file = f"sqlite:///{tmp_path}/ladder.db", tmp_path / "copy.db"
    with pytest.raises(ConfigError, match="there is no ladder in it"):
        await backup(url, file)
    assert os.listdir(tmp_path) == []
    await filled(url)
    file.write_text("mine")
    with pytest.raises(ConfigError, match=r"copy\.db: there is a file; name another"):
        await backup(url, file)
    with pytest.raises(ConfigError, match="No such file or directory"):
        await backup(url, tmp_path / "no" / "copy.db")
    assert file.read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["copy.db", "ladder.db"]


@pytest.mark.postgres
async def test_a_backup_of_a_server_names_its_own_command_without_a_password(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="run pg_dump --format=custom ") as caught:
        await backup(postgres_server.url("x"), tmp_path / "copy")
    assert postgres_server.password not in str(caught.value)


# --- prune


async def test_prune_forgets_events_by_name_or_by_age_and_nothing_else(ladder_url: str) -> None:
    now = 10 * DAY_S
    link = link_to(database_of(ladder_url))
    await upgrade(ladder_url)
    async with SqlLadderStore(link, now_s=lambda: now) as store:
        for event in ("old", "long", "new"):
            await store.keep_entries([entry(event=event)])
        for event, day in (("old", 1), ("long", 1), ("long", 9), ("new", 10)):
            now = day * DAY_S
            assert await store.add_match(summary_of(event, board=day))
        await store.add_ruling(ruling("ruled"))
        await store.add_tokens([token()])
        kept = {one.event: one.added for one in await contents(ladder_url)}
        assert kept == {"old": DAY_S, "long": 9 * DAY_S, "new": 10 * DAY_S, "ruled": None}

        would = await prune(ladder_url, before_s=9 * DAY_S, dry_run=True)
        assert [one.event for one in would.events] == ["old"]
        assert len(await contents(ladder_url)) == 4

        pruned = await prune(ladder_url, before_s=9 * DAY_S)
        assert [(one.event, one.entries, one.matches) for one in pruned.events] == [("old", 1, 1)]
        assert await store.results("old") == ()
        assert await store.entries("old") == ()
        assert len(await store.results("long")) == 2

        with pytest.raises(ConfigError, match="no event old; its events: long, new, ruled"):
            await prune(ladder_url, events=["new", "old"])
        assert len(await store.results("new")) == 1

        await prune(ladder_url, events=["new", "ruled"])
        assert [one.event for one in await contents(ladder_url)] == ["long"]
        assert await store.tokens() == (token(),)


def summary_of(event: str, *, board: int) -> MatchSummary:
    return boards(board, event=event)[-1]


def ruling(event: str) -> Ruling:
    at = "2026-03-01T12:00:00Z"
    kind = RulingKind.FREEZE
    return Ruling(number=1, event=event, kind=kind, subject="", reason="over", at=at)


async def test_prune_makes_a_file_smaller(tmp_path: Path) -> None:
    path = tmp_path / "ladder.db"
    url = f"sqlite:///{path}"
    async with await open_ladder_store(url) as store:
        for one in boards(200):
            await store.add_match(one)
    before = path.stat().st_size
    assert (await prune(url, events=[EVENT])).smaller
    assert path.stat().st_size < before / 2


async def test_prune_of_a_file_that_is_read_meanwhile_says_that_it_is_as_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ladder.db"
    url = f"sqlite:///{path}"
    await filled(url)
    monkeypatch.setattr("referee.store.ladder.connecting.BUSY_S", 0.05)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM boards").fetchone()
        assert not (await prune(url, events=[EVENT])).smaller
        reader.execute("ROLLBACK")
    assert await contents(url) == ()


# --- referee db


def db(*words: str | Path, variable: str | None = None) -> Result:
    environment = {"TICHU_DATABASE": variable}
    return CliRunner(env=environment).invoke(main, ["db", *map(str, words)])


@pytest.mark.parametrize("words", [("status",), ("upgrade",), ("backup", "x"), ("prune",)])
def test_without_a_database_it_is_said_what_to_give(words: tuple[str, ...]) -> None:
    extra = ("--event", "e") if words == ("prune",) else ()
    done = db(*words, *extra)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: no database is named: give --database URL, or set TICHU")


def test_status_and_upgrade_say_what_is_and_what_was_done(tmp_path: Path) -> None:
    path = tmp_path / "ladder.db"
    url = f"sqlite:///{path}"
    done = db("status", "--database", url)
    assert done.exit_code == 1
    upgrading = f"referee db upgrade --database {url}"
    assert done.stdout == f"database {path}: nothing in it; {upgrading} makes {NOW}\n"
    done = db("upgrade", variable=url)
    assert (done.exit_code, done.stdout) == (0, f"database {path}: made, {NOW}\n")
    done = db("upgrade", variable=url)
    assert (done.exit_code, done.stdout) == (0, f"database {path}: {NOW}, nothing to do\n")
    asyncio.run(filled(url))
    done = db("status", variable=url)
    assert done.exit_code == 0
    first, second = done.stdout.splitlines()
    assert first == f"database {path}: {NOW}, as this release needs it"
    assert re.fullmatch(
        r"event spring: 1 entries, 6 matches, the last added 20\d\d-\d\d-\d\d \d\d:\d\d UTC", second
    )


def test_other_schemas_have_an_exit_code_and_a_line(tmp_path: Path, release: Release) -> None:
    url = f"sqlite:///{tmp_path}/ladder.db"
    asyncio.run(filled(url))
    release.next()
    done = db("status", variable=url)
    assert (done.exit_code, done.stdout.rpartition(": ")[2]) == (
        1,
        f"{NOW}, older; referee db upgrade --database {url} makes it {NEXT}\n",
    )
    assert db("upgrade", variable=url).stdout.endswith(f"{NOW} is now {NEXT}\n")
    release.this()
    done = db("status", variable=url)
    assert (done.exit_code, done.stdout.rpartition(": ")[2]) == (
        1,
        f"schema {NEXT}, newer than this release's {SCHEMA_VERSION}\n",
    )
    for words in (("upgrade",), ("prune", "--event", EVENT)):
        done = db(*words, variable=url)
        assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_the_status_of_a_file_of_another_program_says_so(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE stamps (id INTEGER)")
    done = db("status", variable=f"sqlite:///{path}")
    assert (done.exit_code, done.stdout) == (1, f"database {path}: tables of another program\n")
    done = db("upgrade", variable=f"sqlite:///{path}")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)


def test_backup_and_prune_from_the_command_line(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/ladder.db"
    asyncio.run(filled(url))
    done = db("backup", tmp_path / "copy.db", variable=url)
    assert (done.exit_code, done.stdout) == (0, f"copied to {tmp_path}/copy.db\n")
    done = db("prune", variable=url)
    assert (done.exit_code, done.stderr) == (
        2,
        "error: nothing to forget; name --event NAME or --before YYYY-MM-DD\n",
    )
    done = db("prune", "--before", "2001-01-01", variable=url)
    assert (done.exit_code, done.stdout) == (0, "nothing to forget\n")
    done = db("prune", "--before", "2100-01-01", "--dry-run", variable=url)
    assert done.stdout.startswith("would forget event spring: 1 entries, 6 matches")
    done = db("prune", "--event", EVENT, variable=url)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("forgot event spring: 1 entries, 6 matches")
    done = db("prune", "--event", "a\x1b[2J", variable=url)
    assert (done.exit_code, "\x1b" in done.stderr) == (2, False)


@pytest.mark.postgres
def test_no_command_shows_a_password(postgres_server: PostgresServer, tmp_path: Path) -> None:
    name = postgres_server.new_database()
    good, secret = postgres_server.url(name), "Zx9-hidden"
    asyncio.run(filled(good))
    bad = postgres_server.url(name, password=secret)
    for url in (good, bad, good.replace("@", "@@"), good.replace(f":{postgres_server.port}", ":x")):
        for words in (
            ("status",),
            ("upgrade",),
            ("backup", tmp_path / "x"),
            ("prune", "--before", "2001-01-01"),
        ):
            for done in (db(*words, variable=url), db(*words, "--database", url)):
                assert done.exit_code in (0, 2), done.output
                assert done.exception is None or isinstance(done.exception, SystemExit)
                for part in (secret, postgres_server.password):
                    assert part not in done.output


@pytest.mark.postgres
def test_a_password_may_come_from_where_postgres_looks_for_it(
    postgres_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = postgres_server.new_database()
    bare = f"postgresql://referee@127.0.0.1:{postgres_server.port}/{name}"
    assert db("upgrade", "--database", bare).exit_code == 2
    monkeypatch.setenv("PGPASSWORD", postgres_server.password)
    assert db("upgrade", "--database", bare).stdout.endswith(f"made, {NOW}\n")
    monkeypatch.delenv("PGPASSWORD")
    file = tmp_path / "pgpass"
    file.write_text(f"*:*:*:referee:{postgres_server.password}\n")
    file.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(file))
    assert db("status", "--database", bare).exit_code == 0


def test_no_command_that_needs_no_database_loads_sqlalchemy() -> None:
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from referee.cli.main import main\n"
        "for words in ('--help', 'db --help', 'db prune --help', 'db status'):\n"
        "    CliRunner(env={'TICHU_DATABASE': None}).invoke(main, words.split())\n"
        "print([name for name in ('sqlalchemy', 'alembic', 'asyncpg') if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")
