"""`referee serve` and its store: what a killed server leaves, who may open it, and who may not."""

import signal
import sqlite3
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from tests.integration.playing import REFEREE, Player

NAMES = ("alice", "bob", "carol", "dave")
ISSUED = [word for name in NAMES for word in ("--issue", name)]
LIMIT_S = 60

# Plays at random, slowly enough that a match of two rounds is not over before it is looked at; says
# when it is asked for the first time.
BOT = """
import time
from tichu_bot import run
from tichu_bot.bots.random_play import RandomBot

class Slow(RandomBot):
    asked = 0

    def act(self, view):
        Slow.asked += 1
        if Slow.asked == 1:
            print("asked", flush=True)
        time.sleep(0.005)
        return super().act(view)

run(Slow, max_matches=8)
"""


class Server:
    """`referee serve` on a socket of its folder."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.tokens: dict[str, str] = {}
        self.said: list[str] = []  # on stdout

    def hear(self, start: str) -> str:
        """Read stdout up to a line that begins so; it must come."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line.rstrip("\n"))
            word, *values = line.split()
            if word == "token":
                self.tokens[values[0]] = values[1]
            if line.startswith(start):
                return self.said[-1]
        raise AssertionError(f"no line {start!r}: {self.said}")

    def ends(self, code: int) -> list[str]:
        """Wait for the end; return the last lines of stdout and of stderr that are no log."""
        out, err = self.process.communicate(timeout=LIMIT_S)
        assert self.process.returncode == code, err
        return [*out.splitlines(), *(line for line in err.splitlines() if line[:1] != "{")]


class House:
    """A folder in which servers follow each other, and bots that stay."""

    def __init__(self, folder: Path) -> None:
        self.player = Player(folder)
        self.folder = folder
        self.address = f"unix:{folder}/r.sock"
        self.store = folder / "records" / "referee.db"

    @contextmanager
    def serve(self, *flags: str, address: str = "") -> Iterator[Server]:
        words = ("serve", "--listen", address or self.address, "--log-format", "json", *flags)
        with self.player.running(*words) as process:
            yield Server(process)

    def refused(self, *flags: str) -> str:
        """Run a server that may not be; return the one line that it says."""
        result = self.player.run("serve", "--listen", f"{self.address}2", *flags)
        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr.count("\n") == 1
        return result.stderr

    @contextmanager
    def bots(self, tokens: Iterable[str]) -> Iterator[None]:
        """Bots that come back when the server does, once the first was asked for a play."""
        with ExitStack() as stack:
            bots = [stack.enter_context(self._bot(token)) for token in tokens]
            asked = bots[0].stdout
            assert asked is not None
            assert asked.readline() == "asked\n"
            yield

    @contextmanager
    def _bot(self, token: str) -> "Iterator[subprocess.Popen[str]]":
        known = {"TICHU_SERVER": self.address, "TICHU_TOKEN": token}
        with subprocess.Popen(
            [REFEREE[0], "-c", BOT],
            env={**self.player.environment, **known},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as bot:
            try:
                yield bot
            finally:
                bot.kill()


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_a_server_that_was_killed_goes_on_with_what_it_left(house: House) -> None:
    flags = ("--matches", "2", "--rounds", "2", "--pace", "fast", *ISSUED)
    with ExitStack() as bots:
        with house.serve(*flags) as first:
            first.hear("token dave")
            bots.enter_context(house.bots(first.tokens.values()))
            first.process.kill()
            assert first.process.wait() == -signal.SIGKILL
        with house.serve(*flags) as second:
            second.hear("token dave")
            assert second.said == [
                "resumed 1 match",
                f"listening {house.address}",
                *(f"token {name} kept" for name in NAMES),
            ]
            ended = second.ends(0)
    names = [line.split()[1] for line in ended]
    assert [name[-7:] for name in names] == ["-000001", "-000002"]
    assert all(" completed " in line for line in ended), ended
    assert [record.stem for record in house.player.records()] == names
    verified = house.player.run("record", "verify", *house.player.records())
    assert verified.returncode == 0, verified.stdout
    resumed = [b'"t":"resumed"' in record.read_bytes() for record in house.player.records()]
    assert resumed == [True, False]
    with house.serve(*flags) as third:  # a new event: other tokens, other names
        third.hear("token dave")
        assert third.said[0] == f"listening {house.address}"
        assert "kept" not in third.tokens.values()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_that_ends_in_good_order_leaves_nothing_to_come_back_to(
    house: House, number: signal.Signals
) -> None:
    with house.serve(*ISSUED) as server:
        server.hear("token dave")
        with house.bots(server.tokens.values()):
            server.process.send_signal(number)
            (ended,) = server.ends(0)
    assert " cancelled " in ended
    with closing(sqlite3.connect(house.store)) as store:
        for table in ("event", "instances", "sessions", "matches", "facts"):
            assert store.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
    assert len(house.player.records()) == 1
    assert house.player.run("record", "verify", *house.player.records()).returncode == 0


def test_a_second_server_is_refused_with_the_name_of_the_first(house: House) -> None:
    with house.serve() as server:
        server.hear("listening")
        said = house.refused()
        assert said.startswith(
            f"error: store {house.store}: in use by pid {server.process.pid} on "
        )
        assert said.endswith("; stop it, or choose another --store\n")
        with house.serve("--store", "other.db", address=f"{house.address}2") as other:
            other.hear("listening")


def test_a_server_whose_store_another_one_took_over_says_who_and_ends(house: House) -> None:
    flags = ("--pace", "fast", *ISSUED)
    with house.serve(*flags) as server:
        server.hear("token dave")
        with house.bots(server.tokens.values()):
            # somebody removes the lock, which is the one way to get past it
            house.store.with_name("referee.db.lock").unlink()
            with house.serve(*flags, address=f"{house.address}2") as newer:
                newer.hear("resumed 1 match")
                said = server.ends(1)
                # gRPC may add a line of its own about the calls that are cut off
                taken = f"error: store {house.store}: taken over by pid {newer.process.pid} on "
                assert [line for line in said if line.startswith(taken)], said
    assert house.player.records() == []


def test_another_seed_than_that_of_what_was_left_is_refused(house: House) -> None:
    with house.serve("--seed", "friday", *ISSUED) as server:
        server.hear("token dave")
        server.process.kill()
    said = house.refused("--seed", "monday")
    assert said.startswith("error: store records/referee.db: ")
    with house.serve("--seed", "friday", *ISSUED) as server:
        server.hear("token dave")
        assert set(server.tokens.values()) == {"kept"}


def test_the_files_are_for_their_owner_alone_while_it_runs(house: House) -> None:
    with house.serve("--durability", "power", "--store", "deep/facts.db") as server:
        server.hear("listening")
        folder = house.folder / "deep"
        modes = {file.name: file.stat().st_mode & 0o777 for file in folder.iterdir()}
    assert modes == dict.fromkeys(
        ["facts.db", "facts.db-wal", "facts.db-shm", "facts.db.lock"], 0o600
    )


def test_a_file_that_is_no_store_is_refused(house: House) -> None:
    (house.folder / "notes.txt").write_text("not a store " * 100)
    assert house.refused("--store", "notes.txt") == (
        f"error: store {house.folder}/notes.txt: this is no store but another file; choose "
        "another --store\n"
    )
    assert house.refused("--store", ".") == (
        f"error: store {house.folder}: this is a folder; name a file in it\n"
    )


def test_a_bad_durability_is_refused(house: House) -> None:
    result = house.player.run("serve", "--durability", "disk")
    assert result.returncode == 2
    assert result.stderr == "error: --durability 'disk': write process or power\n"
