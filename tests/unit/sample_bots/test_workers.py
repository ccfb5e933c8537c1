"""Strategies in worker processes: thinking beside the stream, deaths, and what is left behind."""

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import Process
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.unit.sample_bots.conftest import PATIENCE_S, ScriptedReferee, Spawn, Stream, ended
from tests.unit.sample_bots.frames import act_ask, bomb_ask, dealt, seating, update
from tichu_bot import ExitCode
from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb

SINGLES = ("2j", "3s", "4p", "5r", "6j")
WITH_BOMB = "Mj 2j 2s 2p 2r 6j 7s 8p 9r Tj Qs Kp Ar Dr"
# What it plays tells how often it was asked; a table of one play makes it wait for the test, of two
# die, of three raise.
STRATEGY = """
import os
from tichu_bot import Bot, run

class Mine(Bot):
    asked = 0

    def act(self, view):
        self.asked += 1
        if len(view.plays) == 1:
            open(os.environ["GATE"]).read()
        if len(view.plays) == 2:
            os._exit(9)
        if len(view.plays) == 3:
            raise RuntimeError("no idea")
        if view.may_call_tichu:
            view.call_tichu()
        return view.plays[self.asked]

    def match_over(self, view, result):
        print("heard the end of", view.match_id, "after", self.asked, flush=True)

run(Mine, processes=%d, max_matches=8)
"""


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Path]:
    """A pipe that holds a worker until something is written; opened again at the end."""
    path = tmp_path / "gate"
    os.mkfifo(path)
    yield path
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))


class Bot:
    """A bot's process with workers, and the referee's end of its stream."""

    def __init__(self, process: Process, stream: Stream) -> None:
        self.process = process
        self.stream = stream

    def workers(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    async def asked(self, ask_id: int, plays: int, match: int = 1) -> None:
        await self.stream.update(update(match, act_ask(ask_id, SINGLES[:plays])))

    async def answer(self) -> pb.Answer:
        (answer,) = (await self.stream.frame()).answers
        return answer


async def begin(
    spawn: Spawn,
    referee: ScriptedReferee,
    folder: Path,
    *,
    processes: int = 1,
    text: str = STRATEGY,
) -> Bot:
    """Start a bot, and seat it in match 1."""
    file = folder / "mine.py"
    file.write_text(text % processes, encoding="utf-8")
    process = await spawn(str(file), TICHU_SERVER=referee.address, GATE=str(folder / "gate"))
    stream = await referee.stream()
    await stream.welcome()
    await stream.update(seating())
    return Bot(process, stream)


async def test_a_ping_is_answered_while_a_worker_thinks(
    referee: ScriptedReferee, spawn: Spawn, tmp_path: Path, gate: Path
) -> None:
    bot = await begin(spawn, referee, tmp_path)
    await bot.asked(1, 5)
    assert (await bot.answer()).act.index == 1
    await bot.asked(2, 1)
    with await asyncio.to_thread(gate.open, "w"):  # the worker is at the gate
        await bot.stream.send(pb.PlayResponse(ping=pb.Ping(number=5)))
        assert (await bot.stream.frame()).pong.number == 5
    assert (await bot.answer()).ask_id == 2  # it failed: no second play; the match goes on
    await bot.asked(3, 5)
    assert (await bot.answer()).act.index == 3


async def test_a_worker_that_dies_costs_its_ask_and_a_new_one_goes_on(
    referee: ScriptedReferee, spawn: Spawn, tmp_path: Path
) -> None:
    bot = await begin(spawn, referee, tmp_path)
    await bot.asked(1, 5)
    assert (await bot.answer()).act.index == 1
    (first,) = bot.workers()
    await bot.asked(2, 2)
    assert (await bot.answer()).HasField("default_action")
    await bot.asked(3, 5)
    assert (await bot.answer()).act.index == 1  # the new one remembers nothing
    (second,) = bot.workers()
    assert first.pid != second.pid
    bot.process.terminate()
    status, told = await ended(bot.process)
    assert status == ExitCode.DONE
    assert "a worker ended with status 9; a new one starts" in told


async def test_a_worker_that_is_killed_while_nothing_is_asked_costs_no_ask(
    referee: ScriptedReferee, spawn: Spawn, tmp_path: Path
) -> None:
    bot = await begin(spawn, referee, tmp_path)
    await bot.asked(1, 5)
    await bot.answer()
    (worker,) = bot.workers()
    worker.kill()
    assert bot.process.stderr is not None
    while b"a worker ended" not in await asyncio.wait_for(
        bot.process.stderr.readline(), PATIENCE_S
    ):
        pass
    await bot.asked(2, 5)
    assert (await bot.answer()).act.index == 1


async def test_a_strategy_that_raises_in_a_worker_costs_its_ask_alone(
    referee: ScriptedReferee, spawn: Spawn, tmp_path: Path
) -> None:
    bot = await begin(spawn, referee, tmp_path)
    await bot.asked(1, 3)
    assert (await bot.answer()).HasField("default_action")
    await bot.asked(2, 5)
    assert (await bot.answer()).act.index == 2  # the same object
    bot.process.terminate()
    status, told = await ended(bot.process)
    assert status == ExitCode.DONE
    assert "RuntimeError: no idea" in told


async def test_each_match_has_its_strategy_in_one_of_the_workers_and_hears_its_end(
    referee: ScriptedReferee, spawn: Spawn, tmp_path: Path
) -> None:
    bot = await begin(spawn, referee, tmp_path, processes=2)
    await bot.stream.update(*(seating(match) for match in (2, 3, 4)))
    for ask_id, expected in ((1, 1), (2, 2)):
        for match in (1, 2, 3, 4):
            await bot.asked(ask_id, 5, match)
            answer = await bot.answer()
            assert (answer.match, answer.act.index) == (match, expected)
    assert len(bot.workers()) == 2
    ended_event = match_pb.Event(number=1, match_ended=match_pb.MatchEnded())
    await bot.stream.update(match_pb.Update(match=3, events=[ended_event]))
    bot.process.terminate()
    assert (await ended(bot.process))[0] == ExitCode.DONE


async def test_a_request_of_a_strategy_in_a_worker_is_sent(
    referee: ScriptedReferee, spawn: Spawn, tmp_path: Path
) -> None:
    bot = await begin(spawn, referee, tmp_path)
    ask = act_ask(1, SINGLES)
    ask.act.may_call_tichu = True
    await bot.stream.update(update(1, ask))
    frame = await bot.stream.frame()
    assert [call.for_seat for call in frame.calls] == [0]


async def test_a_slow_bot_with_a_quick_bomb_throws_it_while_its_worker_thinks(
    referee: ScriptedReferee, spawn: Spawn, tmp_path: Path, gate: Path
) -> None:
    quick = "slow = quick_bomb = True\n    bomb = lambda self, view: view.plays[0]\n    asked = 0"
    bot = await begin(spawn, referee, tmp_path, text=STRATEGY.replace("asked = 0", quick, 1))
    await bot.stream.update(match_pb.Update(match=1, events=dealt(WITH_BOMB)))
    await bot.asked(1, 1)
    with await asyncio.to_thread(gate.open, "w"):
        await bot.stream.update(update(1, bomb_ask(2, ["2j 2s 2p 2r"])))
        assert (await bot.answer()).bomb.index == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
async def test_no_worker_outlives_the_bot_even_in_the_middle_of_a_thought(
    referee: ScriptedReferee, spawn: Spawn, tmp_path: Path, gate: Path, number: int
) -> None:
    bot = await begin(spawn, referee, tmp_path, processes=2)
    await bot.asked(1, 1)
    with await asyncio.to_thread(gate.open, "w"):  # one of them thinks
        workers = bot.workers()
        assert len(workers) == 2
        bot.process.send_signal(number)
        status, _ = await ended(bot.process)
        assert status == (ExitCode.DONE if number != signal.SIGKILL else -number)
        gone, left = await asyncio.to_thread(psutil.wait_procs, workers, PATIENCE_S)
        assert left == []
        assert len(gone) == 2


async def test_a_program_whose_workers_cannot_start_ends_and_says_so(
    referee: ScriptedReferee, spawn: Spawn, tmp_path: Path
) -> None:
    text = "import os\nassert 'TICHU_WORKER' not in os.environ, 'not here'\n" + STRATEGY
    file = tmp_path / "mine.py"
    file.write_text(text % 1, encoding="utf-8")
    process = await spawn(str(file), TICHU_SERVER=referee.address)
    status, told = await ended(process)
    assert status == ExitCode.BUG
    assert "AssertionError: not here" in told
    assert "2 workers ended before they could decide" in told


async def test_the_token_is_not_in_the_environment_of_a_worker(
    referee: ScriptedReferee, spawn: Spawn, tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(STRATEGY % 1, encoding="utf-8")
    process = await spawn(str(file), TICHU_SERVER=referee.address, TICHU_TOKEN="secret")
    stream = await referee.stream()
    await stream.welcome()
    await stream.update(seating(), update(1, act_ask(1, SINGLES)))
    await stream.frame()
    (worker,) = psutil.Process(process.pid).children(recursive=True)
    environment = worker.environ()
    assert "TICHU_WORKER" in environment
    assert "TICHU_TOKEN" not in environment
