"""`referee ladder run` and its processes: signals, kills, bots that fail, bots that dial in."""

import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.ladders import SMALL, Ladder, one_error
from tests.integration.test_play_conduct import RAISES

TLS = Path(__file__).with_name("tls")
LONG = SMALL.replace("boards = 3", "boards = 4000")
_LIMIT_S = 90


def wait_for_records(process: "subprocess.Popen[str]", ladder: Ladder, count: int) -> None:
    """Return once so many legs are on record; the process is to be alive then."""
    while len(ladder.records()) < count:
        try:
            process.wait(0.05)
        except subprocess.TimeoutExpired:
            continue
        raise AssertionError(f"ended early: {process.communicate()}")


@pytest.fixture
def ladder(tmp_path: Path) -> Ladder:
    return Ladder(tmp_path, LONG)


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_a_signal_ends_it_in_order_and_the_same_command_goes_on(
    ladder: Ladder, number: signal.Signals
) -> None:
    with ladder.player.running("ladder", "run", ladder.file.name) as process:
        wait_for_records(process, ladder, 2)
        process.send_signal(number)
        out, err = process.communicate(timeout=_LIMIT_S)
    assert process.returncode == 128 + number
    assert "the same command goes on" in err
    assert "Traceback" not in err
    assert out == ladder.table()
    assert not ladder.player.left_behind()
    assert_goes_on(ladder)


def assert_goes_on(ladder: Ladder) -> None:
    """The same command plays to an end, and a rebuild gives the same table."""
    ladder.change("boards = 4000", f"boards = {len(ladder.records()) // 2 + 1}")
    done = ladder.run("run")
    assert done.returncode == 0, done.stderr
    before = ladder.table()
    assert ladder.run("rebuild").returncode == 0
    assert ladder.table() == before


@pytest.mark.slow
def test_a_kill_leaves_no_bot_and_the_same_command_goes_on(ladder: Ladder) -> None:
    with ladder.player.running("ladder", "run", ladder.file.name) as process:
        wait_for_records(process, ladder, 2)
        process.kill()
        process.communicate(timeout=_LIMIT_S)
    assert not ladder.player.left_behind()
    assert_goes_on(ladder)


@pytest.mark.slow
def test_a_second_run_is_told_who_plays(ladder: Ladder) -> None:
    with ladder.player.running("ladder", "run", ladder.file.name) as process:
        wait_for_records(process, ladder, 2)
        said = one_error(ladder.run("run"))
        assert f"pid {process.pid}" in said
        assert f"pid {process.pid}" in one_error(ladder.run("rebuild"))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=_LIMIT_S)
    assert process.returncode == 130


def test_a_ruling_is_heeded_by_a_run_that_goes_on(ladder: Ladder) -> None:
    with ladder.player.running("ladder", "run", ladder.file.name) as process:
        wait_for_records(process, ladder, 4)
        assert ladder.run("freeze", "--reason", "enough").returncode == 0
        out, err = process.communicate(timeout=_LIMIT_S)
    assert process.returncode == 0, err
    assert "enough" in out


@pytest.mark.slow
def test_a_reader_that_closes_the_pipe_loses_no_result(ladder: Ladder) -> None:
    ladder.change("boards = 4000", "boards = 2")
    with ladder.player.running("ladder", "run", ladder.file.name) as process:
        assert process.stdout is not None
        process.stdout.close()
        process.wait(_LIMIT_S)
    assert not ladder.player.left_behind()
    assert len(ladder.records()) == 4
    assert ladder.table()


# --- bots that fail


def test_a_bot_that_always_crashes_is_quarantined_and_the_others_go_on(tmp_path: Path) -> None:
    text = SMALL + '[[entry]]\nname = "broken"\nowner = "bob"\nbot = "chaos:crash"\n'
    ladder = Ladder(tmp_path, text)
    done = ladder.run("run")
    assert done.returncode == 1, done.stderr
    assert re.search(r"^broken plays no more: 3 failed matches in a row", done.stderr, re.M)
    assert re.search(r"^.* broken .* quarantined$", done.stdout, re.M)
    assert re.search(r"^.*\bgreedy\b.*$", done.stdout, re.M)
    assert not ladder.player.left_behind()


def test_check_names_the_bot_that_fails_and_what_it_said(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path)
    ladder.player.bot("bot.py", 'import sys\nsys.exit("no weights found")\n')
    ladder.change('bot = "greedy"', 'bot = "./bot.py"')
    done = ladder.run("check")
    assert done.returncode == 1, done.stderr
    assert re.fullmatch(r"random ok sha256:\w{64}\ngreedy failed sha256:\w{64}\n", done.stdout)
    assert re.search(r"no weights found \(4 times\)$", done.stderr, re.M), done.stderr
    assert "the-opponent" not in done.stderr
    assert "never_started" not in done.stderr
    kept = re.search(r"^  greedy: its logs are in (.+)$", done.stderr, re.M)
    assert kept is not None, done.stderr
    assert any("no weights" in one.read_text() for one in Path(kept[1]).rglob("*.err"))
    shutil.rmtree(Path(kept[1]).parent)
    assert not ladder.kept.exists()
    assert not ladder.player.left_behind()


def test_a_strategy_that_always_fails_is_told_though_its_bot_looks_healthy(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path)
    ladder.player.bot("raises.py", RAISES)
    ladder.change('bot = "greedy"', 'bot = "./raises.py"')
    checked = ladder.run("check")
    assert checked.returncode == 1
    assert re.search(r"^greedy failed sha256:", checked.stdout, re.M)
    words = r"\d+ of \d+ answers left to the substitute action"
    assert re.search(rf"^  greedy: {words}; so does a bot library", checked.stderr, re.M)
    assert re.search(r"^  greedy:     File .*raises\.py\", line \d+, in act$", checked.stderr, re.M)
    assert re.search(
        r"^  greedy: failed without a fault; leg 1 completed, leg 2", checked.stderr, re.M
    )
    shutil.rmtree(Path(checked.stderr.split("its logs are in ")[1].splitlines()[0]).parent)
    done = ladder.run("run")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^greedy left \d+ of \d+ answers to the substitute", done.stdout, re.M)
    assert not re.search(r"^random left", done.stdout, re.M)
    report = ladder.player.run("bot", "report", "greedy", ladder.file.name)
    assert re.search(rf"^{words}; so does", report.stdout, re.M)
    assert ladder.say("rebuild").returncode == 0
    assert ladder.table() == done.stdout


@pytest.mark.slow
def test_check_is_ended_by_a_signal(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path)
    with ladder.player.running("ladder", "check", ladder.file.name) as process:
        while not ladder.player.descendants()[1:]:
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=_LIMIT_S)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert not ladder.player.left_behind()


# --- bots that dial in


NAMES = ("ann", "ben", "cid", "dan")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def dial_in(ladder: Ladder, bot: str, module: str) -> "list[subprocess.Popen[bytes]]":
    """Start a process for every line that `token create` prints."""
    made = ladder.player.run("token", "create", bot, "--ladder", ladder.file.name)
    assert made.returncode == 0, made.stderr
    return [
        subprocess.Popen(
            [sys.executable, "-P", "-m", module],
            env={**ladder.player.environment, **variables(line)},
            cwd=ladder.folder,
            stderr=subprocess.DEVNULL,
        )
        for line in made.stdout.splitlines()
    ]


def variables(line: str) -> dict[str, str]:
    return dict(word.split("=", 1) for word in shlex.split(line))


@pytest.mark.parametrize("deals", ["board", pytest.param("field", marks=pytest.mark.slow)])
def test_bots_that_dial_in_play_with_their_tokens(tmp_path: Path, deals: str) -> None:
    names = NAMES[:2] if deals == "board" else NAMES
    text = f"""
name = "small"
deals = "{deals}"
listen = ["127.0.0.1:{free_port()}"]
[stop]
boards = 2
""" + "".join(
        f'[[entry]]\nname = "{name}"\nowner = "{name}"\nbot = "{name}-bot"\ndial_in = true\n'
        for name in names
    )
    ladder = Ladder(tmp_path, text)
    bots = [bot for name in names for bot in dial_in(ladder, f"{name}-bot", "tichu_bot.random")]
    try:
        done = ladder.run("run")
    finally:
        for bot in bots:
            bot.kill()
            bot.wait()
    assert done.returncode == 0, done.stderr
    assert "Declared: bots dialled in" in done.stdout
    assert [name for name in names if not re.search(rf"\b{name}\b", done.stdout)] == []


def test_with_tls_the_lines_that_are_printed_are_all_that_a_bot_needs(tmp_path: Path) -> None:
    for name in ("cert.pem", "key.pem"):
        shutil.copy(TLS / name, tmp_path)
    text = f"""
name = "small"
listen = ["127.0.0.1:{free_port()}"]
tls_cert = "cert.pem"
tls_key = "key.pem"
[stop]
boards = 1
""" + "".join(
        f'[[entry]]\nname = "{name}"\nowner = "{name}"\nbot = "{name}-bot"\ndial_in = true\n'
        for name in NAMES[:2]
    )
    ladder = Ladder(tmp_path, text)
    bots = [bot for name in NAMES[:2] for bot in dial_in(ladder, f"{name}-bot", "tichu_bot.random")]
    try:
        done = ladder.run("run")
    finally:
        for bot in bots:
            bot.kill()
            bot.wait()
    assert done.returncode == 0, done.stderr
    assert len(ladder.records()) == 2
