"""The store between processes: killed while it writes, on a full disk, in folders of others."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from referee.formats.records import read_record
from referee.ports import Durability, Left
from referee.store.sqlite import SqliteStore
from tests.integration.playing import ROOT
from tests.unit.store.facts import config, end, fact

MATCHES = 5  # at once; each pass has facts of all of them
FACTS = 12  # of a match, three a pass

# The three lines of a pass, in the order in which they must stand.
APPEND = f"""\
    store.append([batch(name, n, 3, last=n == {FACTS - 3}) for name, n in facts.items()])
"""
ADD = """\
    facts = {name: n + 3 for name, n in facts.items()}
"""
SAY = """\
    print("kept", *facts, *facts.values(), flush=True)
"""

# Plays matches, and says what is kept once the store has said so. Goes on where the one before it
# was killed. Its clock moves with each look at it, so that matches are forgotten soon, and what is
# done rarely is done often: dead rows are removed, and the database's log is moved and begun anew.
WRITER = f"""
import itertools, signal, sys
from pathlib import Path
from referee.ports import Durability
from referee.store.records import RecordFolder
from referee.store.sqlite import SqliteStore
from referee.store import checkpoints, forgetting
from tests.unit.store.facts import HEADER, SEATS, SECRET, batch, config

forgetting._LEAST_DEAD, forgetting._SWEEP_ROWS = 20, 7
checkpoints._EVERY_BYTES, checkpoints._LONG_LOG = 4_000, 20
folder = Path(sys.argv[1])
store = SqliteStore(folder / "x.db", durability=Durability(sys.argv[2]),
                    records=RecordFolder(folder / "records"), now_s=itertools.count().__next__)
left = store.left()
if left.event_secret is None:
    store.begin_event(SECRET)
print("epoch", store.epoch, flush=True)
signal.setitimer(signal.ITIMER_PROF, float(sys.argv[3]))  # kills, as nobody heeds it
facts = {{match.config.match_id: len(match.lines) for match in left.matches}}
begun = left.started
while True:
    for name in [name for name, count in facts.items() if count == {FACTS}]:
        store.close_match(name)
        print("closed", name, flush=True)
        store.let_go(name)
        del facts[name]
    while len(facts) < {MATCHES}:
        name = f"m{{begun}}"
        store.open_match(config(name), HEADER, SEATS)
        facts[name], begun = 0, begun + 1
{APPEND}{ADD}{SAY}"""


def python(code: str, *words: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


class Witness:
    """What the writers said, over all their lives."""

    def __init__(self) -> None:
        self.kept: dict[str, int] = {}
        self.closed: set[str] = set()

    def hear(self, line: str) -> None:
        word, *said = line.split()
        if word == "kept":
            names, counts = said[: len(said) // 2], said[len(said) // 2 :]
            self.kept.update(zip(names, map(int, counts), strict=True))
        elif word == "closed":
            self.closed.update(said)

    def check(self, left: Left, records: Path, story: str) -> None:
        """All that was said is there, and the pass that was under way is there or not."""
        found = {match.config.match_id: len(match.lines) for match in left.matches}
        for match in left.matches:
            name, count = match.config.match_id, len(match.lines)
            lines = [fact(n) for n in range(count)]
            if count == FACTS:
                lines[-1] = end(count - 1)
            assert (match.config, list(match.lines)) == (config(name), lines), f"{name}: {story}"
            assert match.over == (count == FACTS), f"{name}: {story}"
        running = {name: count for name, count in found.items() if name not in self.closed}
        ahead = {name: count - self.kept.get(name, 0) for name, count in running.items()}
        assert set(ahead.values()) <= {0} or set(ahead.values()) == {3}, f"{ahead}: {story}"
        for name, count in self.kept.items():
            assert found.get(name, FACTS) >= count, f"{name}: {story}"
            assert name in found or name in self.closed, f"{name}: {story}"
        for name in self.closed:
            record = read_record((records / f"{name}.jsonl").read_bytes().splitlines())
            assert (record.complete, len(record.facts)) == (True, FACTS), f"{name}: {story}"
        assert left.started == len({*self.kept, *found}), story
        over = {name for name, count in self.kept.items() if count == FACTS}
        over |= {name for name, count in found.items() if count == FACTS}
        assert left.over == len(over), story
        self.kept.update(found)  # what was not said is kept all the same


def kill_again_and_again(folder: Path, code: str, durability: Durability, kills: int) -> Witness:
    """Let writers follow each other, kill each at a drawn moment, and check what it left."""
    seed, witness = random.randrange(2**32), Witness()
    draw = random.Random(seed)
    for life in range(1, kills + 1):
        story = f"seed {seed}, life {life}"
        # after some time at work, so that it dies in the middle of it; or as soon as it has spoken
        at_work = (draw.uniform(0.001, 0.1), 1_000_000)
        work_s, passes = draw.choice([at_work, (60, draw.randrange(3))])
        with python(code, folder, durability.value, work_s) as writer:
            assert writer.stdout is not None
            line = writer.stdout.readline()
            assert line == f"epoch {2 * life - 1}\n", story
            for heard, line in enumerate(writer.stdout):
                if line.endswith("\n"):  # the last one may be cut off
                    witness.hear(line)
                if heard == passes:
                    writer.kill()
            assert writer.wait() in (-signal.SIGKILL, -signal.SIGPROF), story
        store = SqliteStore(folder / "x.db", durability=durability)
        try:
            witness.check(store.left(), folder / "records", story)
        finally:
            store.close()
    return witness


@pytest.mark.parametrize(
    ("durability", "kills"),
    [
        (Durability.PROCESS, 8),
        (Durability.POWER, 4),
        pytest.param(Durability.PROCESS, 40, marks=pytest.mark.slow),
    ],
)
def test_a_process_that_is_killed_loses_nothing_and_leaves_nothing_in_half(
    tmp_path: Path, durability: Durability, kills: int
) -> None:
    assert kill_again_and_again(tmp_path, WRITER, durability, kills).kept


KEEP_OLD = "    old = facts\n"
SPEAKS_TOO_SOON = WRITER.replace(
    f"{APPEND}{ADD}{SAY}", f"{KEEP_OLD}{ADD}{SAY}{APPEND.replace('facts.items', 'old.items')}"
)
KEEPS_IN_PIECES = WRITER.replace(
    APPEND,
    "    for one in facts.items():\n    " + APPEND.replace("facts.items()", "[one]"),
)


@pytest.mark.parametrize("wrong", [SPEAKS_TOO_SOON, KEEPS_IN_PIECES])
def test_a_writer_that_speaks_too_soon_or_keeps_a_pass_in_pieces_is_found(
    tmp_path: Path, wrong: str
) -> None:
    assert wrong != WRITER
    with pytest.raises(AssertionError, match=", life "):
        kill_again_and_again(tmp_path, wrong, Durability.PROCESS, 60)


# A limit on the size of files is the disk that is full for this process alone.
FULL = """
import resource, signal, sys
from pathlib import Path
from referee.ports import Durability, StoreError
from referee.store.sqlite import SqliteStore
from tests.unit.store.facts import HEADER, SEATS, SECRET, batch, config

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path = Path(sys.argv[1])
store = SqliteStore(path, durability=Durability.PROCESS)
store.begin_event(SECRET)
for name in ("m", "n"):
    store.open_match(config(name), HEADER, SEATS)
store.append([batch("m", 0, 1), batch("n", 0, 1)])
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
log = path.with_name(path.name + "-wal").stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (log + 30_000, hard))
facts = 1
for _ in range(200):
    try:
        store.append([batch("m", facts, 50), batch("n", facts, 50)])
    except StoreError as error:
        said = str(error)
        break
    facts += 50
store.append([batch("m", facts, 50), batch("n", facts, 50)])  # its log was begun anew
facts += 50
try:
    store.append([batch("m", facts, 20_000), batch("n", facts, 20_000)])
    print("more was kept than there is space for")
except StoreError:
    pass
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
store.append([batch("m", facts, 50), batch("n", facts, 50)])
print(facts + 50, said)
"""


def test_a_full_disk_is_told_and_the_same_call_works_once_there_is_space(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with python(FULL, path) as writer:
        out, err = writer.communicate(timeout=60)
    assert (writer.returncode, err) == (0, "")
    count, _, said = out.strip().partition(" ")
    assert said.startswith(f"store {path}: its disk fails or is full (")
    store = SqliteStore(path, durability=Durability.PROCESS)
    assert [len(match.lines) for match in store.left().matches] == [int(count)] * 2
    store.close()


# Permissions bind everybody but root: a process of root becomes somebody else first.
AS_NOBODY = """
import os, sys
from pathlib import Path
from referee.ports import Durability
from referee.rules.errors import ConfigError
from referee.store.sqlite import SqliteStore

if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    SqliteStore(Path(sys.argv[1]), durability=Durability.PROCESS)
    print("opened")
except ConfigError as error:
    print(error)
"""


def as_nobody(path: Path) -> str:
    with python(AS_NOBODY, path) as other:
        out, err = other.communicate(timeout=60)
    assert (other.returncode, err) == (0, "")
    return out


@pytest.fixture
def open_path(tmp_path: Path) -> Path:
    """A folder that everybody may pass through, as pytest's own are not."""
    for folder in (tmp_path, *tmp_path.parents[:2]):
        if folder.stat().st_uid == os.geteuid():
            folder.chmod(0o755)
    return tmp_path


def test_a_folder_that_cannot_be_written_is_refused(open_path: Path) -> None:
    folder = open_path / "folder"
    folder.mkdir()
    folder.chmod(0o555)
    path = folder / "x.db"
    assert as_nobody(path) == (
        f"store {path}: its lock x.db.lock cannot be opened: Permission denied; make the folder "
        "writable, or choose another --store\n"
    )


def test_a_folder_that_cannot_be_made_is_refused(open_path: Path) -> None:
    open_path.chmod(0o555)
    path = open_path / "new" / "x.db"
    assert as_nobody(path) == (
        f"store {path}: its folder cannot be made: Permission denied; choose another --store\n"
    )


def test_a_store_of_somebody_else_is_refused(open_path: Path) -> None:
    path = open_path / "x.db"
    SqliteStore(path, durability=Durability.PROCESS).close()
    path.with_name("x.db.lock").chmod(0o666)
    path.chmod(0o400)
    said = as_nobody(path)
    assert said.startswith(f"store {path}: ")
    assert said.count("\n") == 1
    assert "opened" not in said


def test_a_second_process_is_refused_while_the_first_lives_and_not_after(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with python(WRITER, tmp_path, "process", 60) as owner:
        assert owner.stdout is not None
        owner.stdout.readline()
        said = as_this_user(path)
        assert said.startswith(f"store {path}: in use by pid {owner.pid} on ")
        owner.kill()
    assert as_this_user(path) == "opened\n"


def as_this_user(path: Path) -> str:
    with python(AS_NOBODY.replace("geteuid() == 0", "geteuid() < 0"), path) as other:
        out, err = other.communicate(timeout=60)
    assert (other.returncode, err) == (0, "")
    return out
