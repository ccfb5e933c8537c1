"""`referee play` with bots that do not behave: it ends, says why, and leaves no process."""

import json
from pathlib import Path

import pytest

from tests.integration.playing import Player

THEN_PLAYS = "\nfrom tichu_bot.greedy import main\nmain()\n"


@pytest.fixture
def player(tmp_path: Path) -> Player:
    return Player(tmp_path)


def test_a_bot_that_exits_at_once_shows_its_last_twenty_lines(player: Player) -> None:
    player.bot(
        "gone.py", "import sys\nfor n in range(30): print('line', n, file=sys.stderr)\nsys.exit(3)"
    )
    result = player.run("play", "./gone.py", "random", "--format", "json")
    assert result.returncode == 1
    assert "error: gone/" in result.stderr
    assert "ended before its Hello" in result.stderr
    assert "ended: exit code 3\n  | line 10\n" in result.stderr
    assert "  | line 29\n" in result.stderr
    assert "hint: --log-dir DIR" in result.stderr
    match = json.loads(result.stdout.splitlines()[-1])
    assert (match["ending"], match["blame"]) == ("never_started", "bot")
    assert (match["seat"], match["failed"], match["winner"]) == (0, [0, 2], 1)
    assert player.left_behind() == []


def test_not_starting_loses_like_any_other_fault_and_leaves_a_record(player: Player) -> None:
    result = player.run(
        *("play", "chaos:exits-early", "greedy", "greedy", "greedy"),
        *("--rounds", "2", "--format", "json"),
    )
    assert result.returncode == 1
    match = json.loads(result.stdout.splitlines()[-1])
    assert (match["ending"], match["seat"], match["blame"]) == ("never_started", 0, "bot")
    assert (match["winner"], match["awarded"]) == (1, [-800, 800])
    assert match["record"] == f"records/{player.records()[0].name}"
    verified = player.run("record", "verify", *player.records())
    assert verified.returncode == 0, verified.stdout


def test_bots_of_both_teams_that_do_not_start_are_all_named_and_nothing_counts(
    player: Player,
) -> None:
    result = player.run("play", "chaos:exits-early", "chaos:exits-early")
    assert result.returncode == 1
    assert (
        "ended: never_started by exits-early/0, exits-early-2/1, exits-early/2 and "
        "exits-early-2/3 (blame: bot), 0 : 0 after 0 rounds; both teams failed: it counts for "
        "nothing" in result.stdout
    )
    (record,) = player.records()
    assert b'"awarded"' not in record.read_bytes()
    assert player.left_behind() == []


def test_a_bot_that_leaves_after_its_hello_and_before_the_match_crashed(player: Player) -> None:
    player.bot(
        "leaves.py",
        "import os, tichu_bot.session\n"
        "tichu_bot.session.Session._welcomed = lambda *_: os._exit(3)" + THEN_PLAYS,
    )
    result = player.run("play", "./leaves.py", "greedy", "connect:x", "greedy")
    assert result.returncode == 1
    assert "error: leaves/0 ended before the match began" in result.stderr
    assert "ended: crashed by leaves/0 (blame: bot)" in result.stdout


def test_a_program_that_cannot_be_run_says_so(player: Player) -> None:
    player.bot("broken", "#!/no/such/interpreter\n").chmod(0o755)
    result = player.run("play", "./broken", "random")
    assert result.returncode == 1
    assert "| cannot start " in result.stderr


def test_a_bot_that_dies_in_mid_match_ends_it_as_crashed(player: Player) -> None:
    player.bot(
        "dies.py",
        "import os, sys\n"
        "from tichu_bot import Bot, run\n"
        "class Dies(Bot):\n"
        "    def act(self, view):\n"
        "        print('out of memory', file=sys.stderr, flush=True)\n"
        "        os.kill(os.getpid(), 9)\n"
        "run(Dies)\n",
    )
    result = player.run("play", "./dies.py", "random")
    assert result.returncode == 1
    assert "ended: crashed by dies/" in result.stdout
    assert "ended: killed by SIGKILL\n  | " in result.stderr
    assert "\n  | out of memory\n" in result.stderr
    assert result.stdout.splitlines()[-1].startswith("again: referee play ./dies.py random --seed ")
    assert player.run("record", "verify", *player.records()).returncode == 0
    assert player.left_behind() == []


def test_a_bot_that_prints_megabytes_does_not_block(player: Player) -> None:
    player.bot(
        "loud.py",
        "import sys\n"
        "for _ in range(8): sys.stderr.write('x' * (1 << 20)); sys.stdout.write('y' * (1 << 20))"
        + THEN_PLAYS,
    )
    result = player.run("play", "./loud.py", "random", "--rounds", "1")
    assert (result.returncode, result.stderr) == (0, "")


def test_a_bot_that_ignores_sigterm_and_its_escaped_daemon_are_killed(player: Player) -> None:
    player.bot(
        "stubborn.py",
        "import os, signal, tichu_bot.session\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "        while True: signal.pause()\n"
        "    os._exit(0)\n"
        "tichu_bot.session.Session.stop_on_signals = lambda self: None\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)" + THEN_PLAYS,
    )
    result = player.run("play", "./stubborn.py", "greedy", "--rounds", "1")
    assert (result.returncode, result.stderr) == (0, "")
    assert player.left_behind() == []


def test_a_bot_that_never_answers_forfeits_by_its_clock(player: Player) -> None:
    player.bot(
        "silent.py",
        "from threading import Event\n"
        "from tichu_bot import Bot, run\n"
        "class Silent(Bot):\n"
        "    def act(self, view):\n"
        "        Event().wait()\n"
        "run(Silent)\n",
    )
    result = player.run("play", "./silent.py", "random", "--clock", "30ms+0s", "--window", "20")
    assert result.returncode == 1
    assert "ended: forfeit_time by silent/" in result.stdout
    assert "11 strikes (late x11)" in result.stderr
    (record,) = player.records()
    assert f"hint: referee record show records/{record.name} --seat " in result.stderr
    assert player.left_behind() == []
