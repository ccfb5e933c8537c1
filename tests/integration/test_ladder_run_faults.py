"""What a ladder does about bots that fail: they are started again, and others go on."""

import contextlib
import signal
from pathlib import Path

import psutil
import pytest

from referee.bootstrap.ladder import LadderRun, Notice, NoticeKind, OutcomeKind, Progress
from referee.ladder.values import RulingKind
from referee.match.values import Ending
from referee.rules.errors import ConfigError
from referee.store.journal import RulingJournal
from tests.integration.ladder_world import (
    EVENT,
    entry,
    ours,
    plan,
    play,
    resolved,
    results,
    script,
)

CRASHES_ONCE = """
import os
import sys
from pathlib import Path

from tichu_bot import run
from tichu_bot.bots.random_play import RandomBot

FLAG = Path(__file__).with_suffix(".crashed")


class CrashingBot(RandomBot):
    def act(self, view):
        try:
            FLAG.touch(exist_ok=False)
        except FileExistsError:
            return super().act(view)
        print("looking for my model", flush=True)
        print("my model is gone", file=sys.stderr, flush=True)
        os._exit(7)


run(CrashingBot)
"""
SPY = """
import os
import sys
from pathlib import Path

from tichu_bot import run
from tichu_bot.bots.random_play import RandomBot

folder = Path(os.environ["TICHU_LOG_DIR"])
files = [os.readlink(f"/proc/self/fd/{number}") for number in (1, 2)]
(folder / "deep").mkdir()
(folder / "deep" / "told.txt").write_text("\\n".join([str(folder), *files, ""]))
(folder / "link").symlink_to("/etc/passwd")
print("hello", file=sys.stderr, flush=True)
run(RandomBot)
"""
LEAVES = """
from tichu_bot import run
from tichu_bot.bots.random_play import RandomBot


class LeavingBot(RandomBot):
    def match_over(self, view, result):
        raise SystemExit(0)


run(LeavingBot)
"""


def test_a_bot_that_crashed_is_started_again_for_its_next_match(tmp_path: Path) -> None:
    bot = script(tmp_path / "once.py", CRASHES_ONCE)
    what = plan(tmp_path, [entry(bot), entry(ours("random"))], boards=3)
    done = play(what)
    assert (done.outcome.why, done.outcome.boards) == (OutcomeKind.PLAYED, 3)
    endings = [leg.ending for leg in results(what)]
    assert sorted(endings) == [*[Ending.COMPLETED] * 5, Ending.CRASHED]
    (crashed,) = [leg for leg in results(what) if leg.ending == Ending.CRASHED]
    assert crashed.faulty == ("once",)
    told = done.notices(NoticeKind.FAULT)
    first = "exit code 7; it printed last: looking for my model (stdout), "
    last = "my model is gone (stderr)"
    assert any(first in one and last in one for one in told), told


def test_new_code_is_not_played_under_the_version_of_the_old(tmp_path: Path) -> None:
    bot = script(tmp_path / "leaves.py", LEAVES)
    file = bot.artefact[0]

    def change(run: LadderRun, news: Progress | Notice) -> None:
        if isinstance(news, Progress) and news.done == 1:
            file.write_text(f"{LEAVES}# a better one\n", encoding="utf-8")

    what = plan(tmp_path, [entry(bot), entry(ours("random"))], boards=4)
    with pytest.raises(ConfigError) as caught:
        play(what, change)
    line = str(caught.value)
    assert line.startswith("entry leaves: files of bot leaves were changed while the ladder ran")
    assert "referee ladder replace cup.toml leaves --reason" in line
    assert "\n" not in line
    assert len(resolved(what).boards) == 1
    file.write_text(LEAVES, encoding="utf-8")
    assert play(what).outcome.boards == 4


def test_what_a_bot_is_told_of_its_logs_leads_to_no_cards(tmp_path: Path) -> None:
    bot = script(tmp_path / "spy.py", SPY)
    what = plan(tmp_path, [entry(bot), entry(ours("random"))], boards=1)
    assert play(what).outcome.boards == 1
    told = [path.read_text("utf-8") for path in (what.folder / "logs").rglob("told.txt")]
    assert len(told) == 4
    printed = list((what.folder / "logs").rglob("spy.err"))
    assert [path.read_text("utf-8").count("hello\n") for path in printed] == [1] * 4
    assert not any(path.is_symlink() for path in (what.folder / "logs").rglob("*"))
    for line in "".join(told).splitlines():
        assert not Path(line).is_relative_to(tmp_path), line
        assert not Path(line).exists()  # nothing stays of it


def test_a_bot_that_leaves_after_each_match_plays_on(tmp_path: Path) -> None:
    bot = script(tmp_path / "leaves.py", LEAVES)
    what = plan(tmp_path, [entry(bot), entry(ours("random"))], boards=2)
    assert play(what).outcome.boards == 2
    assert {leg.ending for leg in results(what)} == {Ending.COMPLETED}


def test_three_failed_matches_in_a_row_end_it_for_one_and_others_go_on(tmp_path: Path) -> None:
    broken = script(tmp_path / "broken.py", "raise SystemExit('no model file')\n")
    entries = [entry(broken), entry(ours("random")), entry(ours("random", called="other"))]
    what = plan(tmp_path, entries, boards=3)
    done = play(what)
    assert done.outcome.quarantined == ("broken",)
    (line,) = done.notices(NoticeKind.QUARANTINED)
    assert line.startswith("broken plays no more: 3 failed matches in a row: never_started")
    assert any("no model file" in one for one in done.notices(NoticeKind.FAULT))
    boards = [board.pairing for board in resolved(what).boards]
    assert boards.count("other~random") == 3
    (ruling,) = RulingJournal(what.folder / "rulings.jsonl", EVENT).rulings()
    assert (ruling.kind, ruling.subject) == (RulingKind.QUARANTINE, "broken")
    assert play(what).outcome.played == 0


@pytest.mark.slow
def test_a_bot_that_never_says_hello_loses_its_matches_after_the_start_budget(
    tmp_path: Path,
) -> None:
    hangs = script(tmp_path / "hangs.py", "import signal\nsignal.pause()\n")
    what = plan(tmp_path, [entry(hangs), entry(ours("random"))], boards=1, start_ms=10_000)
    done = play(what)
    assert {leg.ending for leg in results(what)} == {Ending.NEVER_STARTED}
    assert {leg.faulty for leg in results(what)} == {("hangs",)}
    assert any("said no Hello within 10 s" in one for one in done.notices(NoticeKind.FAULT))


def test_a_program_that_is_not_there_is_a_bot_that_never_started(tmp_path: Path) -> None:
    bot = script(tmp_path / "gone.py", "")
    gone = type(bot)(name="gone", argv=(str(tmp_path / "no-such-program"),))
    what = plan(tmp_path, [entry(gone), entry(ours("random"))], boards=1)
    assert play(what).outcome.boards == 1
    assert {leg.faulty for leg in results(what)} == {("gone",)}


def test_a_board_that_both_entries_fail_is_void_and_ends_for_both(tmp_path: Path) -> None:
    one = script(tmp_path / "one.py", "raise SystemExit(1)\n")
    two = script(tmp_path / "two.py", "raise SystemExit(2)\n")
    what = plan(tmp_path, [entry(one), entry(two)], boards=2)
    done = play(what)
    assert done.outcome.why is OutcomeKind.NOBODY
    assert sorted(done.outcome.quarantined) == ["one", "two"]
    assert resolved(what).boards == ()


def test_a_house_bot_that_is_killed_is_started_again(tmp_path: Path) -> None:
    killed: list[int] = []

    def kill(run: LadderRun, news: Progress | Notice) -> None:
        if isinstance(news, Progress) and news.done == 1 and not killed:
            for child in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error):  # of a test before
                    if "tichu_bot.random" in child.cmdline():
                        child.send_signal(signal.SIGKILL)
                        killed.append(child.pid)

    what = plan(tmp_path, [entry(ours("random")), entry(ours("greedy"))], boards=6)
    done = play(what, kill)
    assert killed
    assert (done.outcome.boards, done.outcome.quarantined) == (6, ())
    endings = [leg.ending for leg in results(what) if leg.rated]
    assert endings.count(Ending.COMPLETED) >= 12 - 4  # one match of each process at most
