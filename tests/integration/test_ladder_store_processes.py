"""Ladder databases between processes: written to by many, killed, full, or not there any more."""

import asyncio
import contextlib
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.ports.ladder import LadderStoreError
from referee.rules.errors import ConfigError, RefereeBug
from referee.store.ladder.memory import MemoryLadderStore
from referee.store.ladder.schema import open_ladder_store
from tests.integration.playing import ROOT
from tests.integration.postgres import PostgresServer
from tests.unit.store.ladder.matches import EVENT, boards, entry, summary

WRITERS = 8
RESULTS = 64
_LIMIT_S = 100

WRITER = f"""
import asyncio, random, sys
from referee.store.ladder.schema import open_ladder_store
from tests.unit.store.ladder.matches import boards, entry

async def main():
    number = int(sys.argv[2])
    added = boards({RESULTS} // 2)
    random.Random(number).shuffle(added)
    sys.stdin.readline()  # all at once
    store = await open_ladder_store(sys.argv[1])
    await store.keep_entries([entry("zoe", version=str(number)), entry(version=str(number))])
    for one in added:
        if await store.add_match(one):
            print(one.match_id)
    await store.close()

asyncio.run(main())
"""


def python(code: str, *words: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def test_what_eight_writers_add_at_once_is_as_added_one_by_one(ladder_url: str) -> None:
    writers = [python(WRITER, ladder_url, number) for number in range(WRITERS)]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    said = [writer.communicate(timeout=_LIMIT_S) for writer in writers]
    assert [(writer.returncode, err) for writer, (_, err) in zip(writers, said, strict=True)] == (
        [(0, "")] * WRITERS
    )
    kept = [match for out, _ in said for match in out.split()]
    one_by_one = MemoryLadderStore()
    for one in boards(RESULTS // 2):
        assert await one_by_one.add_match(one)
    assert sorted(kept) == sorted(one.match_id for one in boards(RESULTS // 2))
    async with await open_ladder_store(ladder_url) as store:
        assert await store.results(EVENT) == await one_by_one.results(EVENT)
        assert await store.summaries(EVENT, "zoe.a") == await one_by_one.summaries(EVENT, "zoe.a")
        for one_entry in await store.entries(EVENT):
            versions = sorted(version for version, _ in one_entry.versions)
            assert versions == sorted(map(str, range(WRITERS)))


# --- killed

LIVES = 4
# Says what is kept once the store has said so, and is killed by the clock.
KILLED = """
import asyncio, signal, sys
from referee.store.ladder.schema import open_ladder_store
from tests.unit.store.ladder.matches import place, summary

async def main():
    store = await open_ladder_store(sys.argv[1])
    have = {leg.match_id for leg in await store.results("spring")}
    print("opened", flush=True)
    signal.setitimer(signal.ITIMER_PROF, float(sys.argv[2]))  # kills, as nobody heeds it
    board = 0
    while True:
        board += 1
        one = summary(place(board=board))
        if one.match_id not in have and await store.add_match(one):
            print(one.match_id, flush=True)

asyncio.run(main())
"""


async def kill_again_and_again(url: str, code: str, lives: int) -> None:
    """Kill writers of one database, and look at what is there after each."""
    seed = random.randrange(2**32)
    draw = random.Random(seed)
    said: list[str] = []
    for life in range(lives):
        with python(code, url, draw.uniform(0.02, 0.4)) as writer:
            out, err = writer.communicate(timeout=_LIMIT_S)
        where = f"{seed=}, {life=}, {err}"
        assert writer.returncode == -signal.SIGPROF, where
        lines = out[: out.rindex("\n")].split("\n")  # the last may be cut short
        assert lines[0] == "opened", where
        said += lines[1:]
        await _whole(url, said, where, unsaid=lives)
    assert said, f"{seed=}: nothing was kept in {lives} lives"


async def test_a_writer_that_is_killed_loses_nothing_and_leaves_no_match_in_half(
    ladder_url: str,
) -> None:
    await kill_again_and_again(ladder_url, KILLED, LIVES)


IMPORT = "import asyncio, signal, sys\n"
IN_PIECES = KILLED.replace(
    IMPORT,
    IMPORT + "from referee.store.ladder import connecting\n"
    "connecting._on_sqlite_begin = lambda connection: None\n",
)
TOO_SOON = KILLED.replace(
    "        if one.match_id not in have and await store.add_match(one):\n"
    "            print(one.match_id, flush=True)\n",
    "        if one.match_id not in have:\n"
    "            print(one.match_id, flush=True)\n"
    "            await store.add_match(one)\n",
)


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [IN_PIECES, TOO_SOON])
async def test_a_writer_that_keeps_a_match_in_pieces_or_speaks_too_soon_is_found(
    tmp_path: Path, wrong: str
) -> None:
    assert wrong != KILLED
    with pytest.raises((AssertionError, ValueError, IndexError, RefereeBug)) as found:
        await kill_again_and_again(f"sqlite:///{tmp_path}/ladder.db", wrong, 40)
    assert "Traceback" not in str(found.value)  # the writer itself did not fail
    if isinstance(found.value, RefereeBug):  # half a match, as the store itself sees it
        assert "a leg of these sides has 4 seats" in str(found.value)


async def _whole(url: str, said: list[str], where: str, *, unsaid: int = 1) -> None:
    async with await open_ladder_store(url) as store:
        kept = await store.summaries(EVENT, "adam.a")
        results = await store.results(EVENT)
    assert len(kept) == len(results), where
    for one in kept:
        assert one.place is not None
        assert one == summary(one.place), where
    ids = {one.match_id for one in kept}
    assert ids >= set(said), where
    assert len(ids) <= len(said) + unsaid, where  # kept, and not yet said


@pytest.mark.postgres
async def test_a_server_that_crashes_loses_no_match_that_was_kept(
    postgres_server: PostgresServer,
) -> None:
    url = postgres_server.url(postgres_server.new_database())
    said: list[str] = []
    async with await open_ladder_store(url) as store:
        crash_at = 20
        crash: asyncio.Task[None] | None = None
        failure = ""
        for one in boards(2_000):
            try:
                if await store.add_match(one):
                    said.append(one.match_id)
            except LadderStoreError as error:
                failure = str(error)
                break
            if len(said) == crash_at:
                crash = asyncio.create_task(asyncio.to_thread(postgres_server.stop))
        assert crash is not None
        await crash
        with pytest.raises(LadderStoreError, match="cannot be reached"):
            await store.add_match(summary())
        await asyncio.to_thread(postgres_server.start)
        assert postgres_server.password not in failure
        assert failure.startswith("database postgresql://referee@127.0.0.1:")
        await _whole(url, said, failure)
        rest = [one for one in boards(40) if one.match_id not in said]
        for one in rest:  # the same store goes on, with the match that failed
            await store.add_match(one)
        assert {one.match_id for one in await store.summaries(EVENT, "adam.a")} >= (
            {one.match_id for one in boards(40)}
        )


# --- full

FULL = """
import asyncio, resource, signal, sys
from pathlib import Path
from referee.ports.ladder import LadderStoreError
from referee.store.ladder.schema import open_ladder_store
from tests.unit.store.ladder.matches import boards

async def main():
    path = Path(sys.argv[1])
    store = await open_ladder_store(f"sqlite:///{path}")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    log = path.with_name(path.name + "-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (log + 200_000, hard))
    kept, said = [], ""
    for one in boards(500):
        try:
            await store.add_match(one)
        except LadderStoreError as error:
            said = str(error)
            break
        kept.append(one)
    assert await store.summaries("spring", "adam.a") == tuple(kept)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    assert await store.add_match(one)
    assert await store.summaries("spring", "adam.a") == (*kept, one)
    await store.close()
    print(len(kept), said)

asyncio.run(main())
"""


def test_a_full_disk_is_told_and_the_same_call_works_once_there_is_space(tmp_path: Path) -> None:
    path = tmp_path / "ladder.db"
    with python(FULL, path) as writer:
        out, err = writer.communicate(timeout=_LIMIT_S)
    assert (writer.returncode, err) == (0, "")
    count, _, said = out.strip().partition(" ")
    assert int(count) > 0
    assert said == f"database {path}: its disk fails or is full; make space"


FULL_FROM_THE_START = """
import asyncio, resource, signal, sys
from referee.rules.errors import ConfigError
from referee.store.ladder.schema import open_ladder_store

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
async def main():
    for limit in (0, 5_000, 50_000):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        try:
            await open_ladder_store(f"sqlite:///{sys.argv[1]}")
        except ConfigError as error:
            print(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    await (await open_ladder_store(f"sqlite:///{sys.argv[1]}")).close()
asyncio.run(main())
"""


def test_a_database_that_finds_no_space_is_made_once_there_is_some(tmp_path: Path) -> None:
    path = tmp_path / "ladder.db"
    with python(FULL_FROM_THE_START, path) as writer:
        out, err = writer.communicate(timeout=_LIMIT_S)
    assert (writer.returncode, err) == (0, "")
    assert out.splitlines() == [f"database {path}: its disk fails or is full; make space"] * 3


# --- modes, and files that are none

# Permissions bind everybody but root: a process of root becomes somebody else first.
AS_NOBODY = """
import asyncio, os, sys
from referee.rules.errors import ConfigError
from referee.store.ladder.schema import open_ladder_store

async def main():
    try:
        await (await open_ladder_store(f"sqlite:///{sys.argv[1]}")).close()
        print("opened")
    except ConfigError as error:
        print(error)

async def warm_up():  # what is imported lazily is there before it cannot be read any more
    await (await open_ladder_store(f"sqlite:///{sys.argv[2]}")).close()

asyncio.run(warm_up())
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
asyncio.run(main())
"""


def as_nobody(path: Path) -> str:
    warm = path.parents[1] / "warm.db"
    warm.unlink(missing_ok=True)
    with python(AS_NOBODY, path, warm) as other:
        out, err = other.communicate(timeout=_LIMIT_S)
    assert (other.returncode, err) == (0, "")
    return out


@pytest.fixture
def open_path(tmp_path: Path) -> Iterator[Path]:
    """A folder in which everybody may write, as pytest's own are not."""
    for folder in (tmp_path, *tmp_path.parents[:2]):
        if folder.stat().st_uid == os.geteuid():
            folder.chmod(0o755)
    place = tmp_path / "place"
    place.mkdir()
    place.chmod(0o777)
    yield place
    place.chmod(0o777)


def test_a_file_that_may_only_be_read_is_refused(open_path: Path) -> None:
    path = open_path / "ladder.db"
    assert as_nobody(path) == "opened\n"
    path.chmod(0o400)
    assert as_nobody(path) == (
        f"database {path}: it cannot be written, and must be, for who only reads keeps an index "
        "beside it too; change its mode or its owner, or copy the folder to where you may write\n"
    )


def test_a_folder_that_may_only_be_read_is_refused(open_path: Path) -> None:
    path = open_path / "ladder.db"
    open_path.chmod(0o555)
    assert as_nobody(path) == (
        f"database {path}: Permission denied; name a file in a folder that can be written\n"
    )
    open_path.chmod(0o777)
    assert as_nobody(path) == "opened\n"
    open_path.chmod(0o555)
    assert as_nobody(path) == (
        f"database {path}: its folder cannot be written, and must be: the log of the database "
        "lies there; change its mode or its owner, or copy the folder to where you may write\n"
    )


async def test_a_database_is_its_owners_alone_whatever_the_mask(tmp_path: Path) -> None:
    path = tmp_path / "ladder.db"
    before = os.umask(0)
    try:
        async with await open_ladder_store(f"sqlite:///{path}") as store:
            await store.keep_entries([entry()])
            names = sorted(os.listdir(tmp_path))
            modes = {(tmp_path / name).stat().st_mode & 0o777 for name in names}
        assert names == ["ladder.db", "ladder.db-shm", "ladder.db-wal"]
        assert modes == {0o600}
        path.chmod(0o664)
        async with await open_ladder_store(f"sqlite:///{path}"):
            assert path.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


async def refused(url: str) -> str:
    with pytest.raises(ConfigError) as caught:
        await open_ladder_store(url)
    assert "\n" not in str(caught.value)
    return str(caught.value)


async def test_a_file_that_is_no_database_of_a_ladder_is_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_bytes(b"a ladder?\n" * 1_000)
    other = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE matches (id INTEGER)")
    for path, said in (
        (text, "this is no database; name another file"),
        (other, "it has other tables than a ladder's; name another"),
        (tmp_path, "this is a folder; name a file in it"),
        (tmp_path / "no" / "x.db", "No such file or directory; name a file in a folder that can"),
    ):
        before = path.read_bytes() if path.is_file() else b""
        assert (await refused(f"sqlite:///{path}")).startswith(f"database {path}: {said}")
        assert (path.read_bytes() if path.is_file() else b"") == before
    assert sorted(os.listdir(tmp_path)) == ["other.db", "text"]


async def test_the_mode_of_a_file_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    text, other = tmp_path / "text", tmp_path / "other.db"
    text.write_text("x" * 2_000)
    with contextlib.closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE stamps (id INTEGER)")
    for path in (text, other):
        path.chmod(0o644)
        await refused(f"sqlite:///{path}")
        assert path.stat().st_mode & 0o777 == 0o644


async def test_a_damaged_database_is_told(tmp_path: Path) -> None:
    path = tmp_path / "ladder.db"
    async with await open_ladder_store(f"sqlite:///{path}") as store:
        for one in boards(10):
            await store.add_match(one)
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    said = ""
    try:
        async with await open_ladder_store(f"sqlite:///{path}") as store:
            await store.results(EVENT)
    except (ConfigError, LadderStoreError) as error:
        said = str(error)
    assert said == f"database {path}: the file is damaged; put a backup in its place"


# --- the server


@pytest.mark.postgres
async def test_what_a_server_refuses_is_said_without_the_password(
    postgres_server: PostgresServer,
) -> None:
    name = postgres_server.new_database()
    secret = "Zx9%2Fhidden"
    shown = f"127.0.0.1:{postgres_server.port}"
    away = f"postgresql://referee:{secret}@127.0.0.1:1/{name}"
    for url, said in (
        (postgres_server.url(name, password=secret), f"@{shown}/{name}: the server refuses this"),
        (postgres_server.url(name, user="eve", password=secret), f"eve@{shown}/{name}: the server"),
        (postgres_server.url("nowhere"), "/nowhere: the server has no such database; make it with"),
        (away, f"127.0.0.1:1/{name}: the server cannot be reached: "),
        (f"postgresql://u:{secret}@no.invalid/{name}", "no.invalid/"),
        (f"{postgres_server.url(name)}?sslmode=sometimes", f"/{name}?sslmode=sometimes: "),
        (f"{postgres_server.url(name)}?sslmode=require", f"/{name}?sslmode=require: "),
        (f"{postgres_server.url(name)}?nonsense=1", f"/{name}"),
    ):
        text = await refused(url)
        assert said in text, text
        for part in (secret, "hidden", "Zx9", postgres_server.password):
            assert part not in text


@pytest.mark.postgres
async def test_a_user_who_may_not_make_tables_is_told(postgres_server: PostgresServer) -> None:
    name = postgres_server.new_database()
    postgres_server.query(name, "CREATE ROLE guest LOGIN PASSWORD 'guest-word'")
    said = await refused(postgres_server.url(name, user="guest", password="guest-word"))
    assert "this user may not do that there" in said
    async with await open_ladder_store(postgres_server.url(name)):
        pass
    said = await refused(postgres_server.url(name, user="guest", password="guest-word"))
    assert "this user may not do that there" in said
    postgres_server.query(name, "DROP ROLE guest")


@pytest.mark.postgres
async def test_tables_of_others_on_a_server_are_left_alone(
    postgres_server: PostgresServer,
) -> None:
    name = postgres_server.new_database()
    postgres_server.query(name, "CREATE TABLE stamps (id int)")
    async with await open_ladder_store(postgres_server.url(name)) as store:
        await store.keep_entries([entry()])
    assert postgres_server.query(name, "SELECT count(*) FROM stamps") == "0"
    taken = postgres_server.new_database()
    postgres_server.query(taken, "CREATE TABLE bots (id int)")
    assert "it has other tables than a ladder's" in await refused(postgres_server.url(taken))
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    assert postgres_server.query(taken, tables) == "bots"


@pytest.mark.postgres
async def test_a_unix_socket_leads_to_a_server_too(postgres_server: PostgresServer) -> None:
    name = postgres_server.new_database()
    async with await open_ladder_store(postgres_server.socket_url(name)) as store:
        assert await store.add_match(summary())
    async with await open_ladder_store(postgres_server.url(name)) as store:
        assert [one.match_id for one in await store.results(EVENT)] == [summary().match_id]


def test_without_postgres_the_tests_fail_and_say_what_to_install(tmp_path: Path) -> None:
    test = "tests/integration/test_ladder_store_contract.py::test_a_new_store_has_nothing[postgres]"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test],
        cwd=ROOT,
        env={**os.environ, "POSTGRES_BIN": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
        check=False,
    )
    assert done.returncode == 1
    assert re.search(r"PostgreSQL 15 is not installed: apt-get install postgresql-15", done.stdout)
    assert "skipped" not in done.stdout
