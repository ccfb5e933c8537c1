"""A PostgreSQL server of the tests' own: in a folder that goes with it, on a free port.

It listens on the loopback interface and asks for a password, as servers do. Where PostgreSQL is
not installed the tests that need it fail and say so.
"""

import os
import pwd
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

_DEBIAN = Path("/usr/lib/postgresql/15/bin")
_VARIABLE = "POSTGRES_BIN"
_MISSING = (
    "PostgreSQL 15 is not installed: apt-get install postgresql-15, or name the folder of "
    f"its programs in {_VARIABLE} (looked in {{folder}})"
)
_USER = "referee"
_LIMIT_S = 60
_TRIES = 5  # the free port may be taken before the server has it


class PostgresServer:
    """A server with one superuser. `stop` and `start` it as its owner would."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._folder = Path(tempfile.mkdtemp(prefix="referee-pg-"))
        self._user = _owner()
        self._group: int | None = None
        self._groups: list[int] | None = None
        if self._user is not None:
            self._group, self._groups = pwd.getpwuid(self._user).pw_gid, []
            os.chown(self._folder, self._user, self._group)
        self.password = secrets.token_hex(12)
        self.port = 0
        self._process: subprocess.Popen[str] | None = None
        self._drain: threading.Thread | None = None
        self._databases = 0
        self._make()

    def _make(self) -> None:
        secret = self._folder / "password"
        secret.write_text(self.password)
        secret.chmod(0o644)
        self._run(
            "initdb", "--pgdata", self._folder / "data", "--username", _USER, "--pwfile", secret,
            "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--no-sync",
        )  # fmt: skip

    def start(self) -> None:
        """Start the server, or start it again on its port; return once it takes connections."""
        for _ in range(_TRIES):
            said = self._try_start()
            if said is None:
                return
        raise AssertionError(f"no server came up:\n{said}")

    def _try_start(self) -> str | None:
        """Return None once it is up, else what it said."""
        port = self.port or _free_port()
        self._process = subprocess.Popen(
            [
                self._programs / "postgres", "-D", self._folder / "data", "-p", str(port),
                "-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={self._folder}",
                "-c", "fsync=off", "-c", "max_connections=60", "-c", "shared_buffers=16MB",
            ],
            cwd=self._folder,
            env=self._environment,
            user=self._user,
            group=self._group,
            extra_groups=self._groups,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        assert self._process.stderr is not None
        said = []
        for line in self._process.stderr:
            said.append(line)
            if "ready to accept connections" in line:
                self.port = port
                drain = threading.Thread(target=self._process.stderr.read)
                drain.start()
                self._drain = drain
                return None
        self._process.wait()
        self._process.stderr.close()
        return "".join(said)

    def stop(self, order: signal.Signals = signal.SIGQUIT) -> None:
        """Stop the server; at once and without a good-bye, unless told otherwise."""
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(order)
        try:
            process.wait(_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stderr is not None
        if self._drain is not None:
            self._drain.join(_LIMIT_S)
        process.stderr.close()

    def close(self) -> None:
        """Stop the server and remove all that it had."""
        self.stop()
        shutil.rmtree(self._folder)

    def url(self, database: str, *, user: str = _USER, password: str | None = None) -> str:
        """The URL of a database, which need not be there."""
        secret = self.password if password is None else password
        return f"postgresql://{user}:{secret}@127.0.0.1:{self.port}/{database}"

    def socket_url(self, database: str) -> str:
        """The URL of a database by way of the unix socket."""
        return (
            f"postgresql://{_USER}:{self.password}@/{database}?host={self._folder}&port={self.port}"
        )

    def new_database(self) -> str:
        """Make an empty database and return its name."""
        self._databases += 1
        name = f"ladders_{self._databases}"
        self.query("postgres", f"CREATE DATABASE {name}")
        return name

    def query(self, database: str, statement: str) -> str:
        """Run SQL as the superuser; return its rows as psql prints them, unaligned."""
        return self._run(
            "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
            "--set", "ON_ERROR_STOP=1", "--command", statement, self.url(database, password=""),
        ).strip()  # fmt: skip

    def _run(self, program: str, *words: str | Path) -> str:
        done = subprocess.run(
            [self._programs / program, *words],
            cwd=self._folder,
            env=self._environment,
            user=self._user,
            group=self._group,
            extra_groups=self._groups,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
        assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"
        return done.stdout

    @property
    def _environment(self) -> dict[str, str]:
        outside = {k: v for k, v in os.environ.items() if not re.match(r"PG|LC_|LANG", k)}
        return {**outside, "LC_ALL": "C", "PGPASSWORD": self.password}


def _owner() -> int | None:
    """The user that a server of root runs as, which refuses to be root; else None."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_uid
        except KeyError:
            continue
    raise AssertionError("there is neither a user postgres nor nobody to run a server as")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def postgres_programs() -> Path:
    """Return the folder of the programs; the test fails where they are missing."""
    folder = Path(os.environ.get(_VARIABLE, _DEBIAN))
    if not all((folder / name).exists() for name in ("initdb", "postgres", "psql")):
        pytest.fail(_MISSING.format(folder=folder), pytrace=False)
    return folder


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A server for the whole run: each test makes a database of its own."""
    server = PostgresServer(postgres_programs())
    try:
        server.start()
        yield server
    finally:
        server.close()
