"""Bots that crash while they think, or never answer: the match ends in the time promised."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import pytest

from referee._gen.tichu.referee.v1 import match_pb2
from referee.formats.records import read_record
from referee.match.facts import MatchEnded, Strike, TimedOut
from referee.match.values import MS, Blame, Clock, Ending, Settings
from referee.rules.options import RuleOptions
from tests.integration.playing import Player
from tests.integration.scripted import by_default, by_hand, seated
from tests.integration.serving import LIMIT_S, serving

CRASHED_S = 2.0
WORD = "dying"
KILLED = "os.kill(os.getpid(), signal.SIGKILL)"
DIES = """
import os, signal
from tichu_bot import Bot, run

class Dies(Bot):
    def act(self, view):
        with open("dying.fifo", "w") as pipe:
            pipe.write("dying")
        {death}

run(Dies)
"""


@pytest.mark.parametrize(
    ("death", "clock"),
    [
        (KILLED, "none"),
        (KILLED, "2s+60s"),
        pytest.param("os._exit(0)", "none", marks=pytest.mark.slow),
    ],
    ids=["killed-none", "killed-2s+60s", "exits-none"],
)
def test_a_bot_that_crashes_while_it_thinks_ends_the_match_within_two_seconds(
    tmp_path: Path, clock: str, death: str
) -> None:
    player = Player(tmp_path)
    pipe = tmp_path / "dying.fifo"
    os.mkfifo(pipe)
    player.bot("dies.py", DIES.format(death=death))
    words = ("play", "./dies.py", "greedy", "random", "greedy", "--clock", clock)
    with player.running(*words) as process, ThreadPoolExecutor(1) as waiting:
        assert waiting.submit(pipe.read_text).result(LIMIT_S) == WORD
        died = monotonic()
        assert process.stdout is not None
        ended = next(line for line in process.stdout if line.startswith("ended: "))
        assert monotonic() - died < CRASHED_S
        assert ended.startswith("ended: crashed by dies/")
        process.communicate(timeout=LIMIT_S)
        assert process.returncode == 1
    (path,) = player.records()
    end = read_record(path.read_bytes().splitlines(keepends=True)).facts[-1]
    assert isinstance(end, MatchEnded)
    assert (end.ending, end.seat, end.blame) == (Ending.CRASHED, 0, Blame.BOT)
    assert player.left_behind() == []


async def test_a_bot_that_never_answers_forfeits_in_the_time_that_its_clock_gives(
    tmp_path: Path,
) -> None:
    base, bank = 60 * MS, 300 * MS
    settings = Settings(
        rules=RuleOptions(rounds=9), window_ns=20 * MS, clock=Clock(base_ns=base, bank_ns=bank)
    )
    deciding = (by_hand, by_default, by_default, by_default)
    async with (
        serving(tmp_path) as referee,
        seated(referee, settings, deciding=deciding) as table,
    ):
        began = asyncio.get_running_loop().time()
        end = await table.end()
        took = asyncio.get_running_loop().time() - began
        silent = table.bots[0]
        told = (await silent.event("match_ended")).match_ended
    assert (end.ending, end.seat, end.blame) == (Ending.FORFEIT_TIME, 0, Blame.BOT)
    assert (told.ending, told.seat) == (match_pb2.ENDING_FORFEIT_TIME, 0)
    record = table.record()
    late = [fact for fact in record.facts if isinstance(fact, TimedOut)]
    strikes = [fact for fact in record.facts if isinstance(fact, Strike)]
    asks = settings.max_strikes + 1
    assert [fact.seat for fact in late] == [fact.seat for fact in strikes] == [0] * asks
    assert [fact.charged for fact in late] == [bank] + [0] * (asks - 1)
    thought = bank + asks * base
    spent = [fact.at - fact.sent - fact.lag for fact in late]
    assert spent == [bank + base] + [base] * (asks - 1)
    assert end.banks[0] == 0
    assert thought <= end.at <= thought + 2_000 * MS  # the others' answers and the way to and fro
    assert took >= thought / 1e9
