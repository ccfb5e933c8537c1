"""Programs that play by lines: what they are told, and what their faults lead to."""

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import psutil
import pytest

from tests.unit.sample_bots.conftest import PATIENCE_S, ScriptedReferee, Spawn, Stream, ended
from tests.unit.sample_bots.frames import act_ask, bomb_ask, dealt, seating, update
from tichu_bot import ExitCode
from tichu_bot import program as program_module
from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.program import Gone, Program

SINGLES = ("2j", "3s", "4p", "5r", "6j")
WITH_BOMB = "Mj 2j 2s 2p 2r 6j 7s 8p 9r Tj Qs Kp Ar Dr"
STDIO = ("-m", "tichu_bot.stdio")
# Answers with the number of lines that it has read, and keeps them.
COUNTS = """
import json, sys
for number, line in enumerate(sys.stdin):
    with open(sys.argv[1], "a") as kept:
        kept.write(line)
    print(json.dumps({"index": number}), flush=True)
"""


class Bot:
    """The bridge with its program, and the referee's end of its stream."""

    def __init__(self, process: Process, stream: Stream) -> None:
        self.process = process
        self.stream = stream

    async def ask(self, ask_id: int, match: int = 1, plays: int = 5) -> pb.Answer:
        await self.stream.update(update(match, act_ask(ask_id, SINGLES[:plays])))
        (answer,) = (await self.stream.frame()).answers
        return answer

    async def ends(self) -> tuple[int, str]:
        self.process.terminate()
        return await ended(self.process)


async def begin(
    spawn: Spawn, referee: ScriptedReferee, code: str, *words: str, flags: tuple[str, ...] = ()
) -> Bot:
    command = (sys.executable, "-c", code, *words)
    process = await spawn(*STDIO, *flags, "--", *command, TICHU_SERVER=referee.address)
    stream = await referee.stream()
    await stream.welcome()
    await stream.update(seating())
    return Bot(process, stream)


async def test_a_line_goes_out_for_each_ask_and_one_program_plays_all_matches(
    referee: ScriptedReferee, spawn: Spawn, tmp_path: Path
) -> None:
    (tmp_path / "kept").touch()
    bot = await begin(spawn, referee, COUNTS, str(tmp_path / "kept"))
    await bot.stream.update(seating(2))
    assert [(await bot.ask(1, match)).act.index for match in (1, 2)] == [0, 1]
    first, second = map(json.loads, (tmp_path / "kept").read_text().splitlines())
    assert [(one["match"], one["id"]) for one in (first, second)] == [(1, 1), (2, 2)]
    assert (first["ask"], first["leading"], len(first["plays"])) == ("act", True, 5)
    told = f"tichu_bot: connected to {referee.address} as kept, waiting for a match\n"
    assert await bot.ends() == (ExitCode.DONE, told)


async def test_each_match_has_a_program_of_its_own_if_told_so(
    referee: ScriptedReferee, spawn: Spawn, tmp_path: Path
) -> None:
    bot = await begin(spawn, referee, COUNTS, str(tmp_path / "kept"), flags=("--each",))
    await bot.stream.update(seating(2))
    assert [(await bot.ask(1, match)).act.index for match in (1, 2)] == [0, 0]
    assert (await bot.ask(2, 2)).act.index == 1
    programs = psutil.Process(bot.process.pid).children()
    assert len(programs) == 2
    over = match_pb.Event(number=1, match_ended=match_pb.MatchEnded())
    await bot.stream.update(match_pb.Update(match=1, events=[over]))
    gone, _ = psutil.wait_procs(programs[:1], PATIENCE_S)
    assert gone == programs[:1]
    assert (await bot.ask(3, 2)).act.index == 2
    await bot.ends()
    assert psutil.wait_procs(programs, PATIENCE_S)[1] == []


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("print('hello', flush=True)", "the program wrote 'hello': no card is called 'hello'"),
        ("print('{\"index\": 9}', flush=True)", "index 9 is none of the 5 plays"),
        ("print('\\x1b[2J\\xff' * 99, flush=True)", "\\x1b[2J"),
        ("print(flush=True)", "no card is named"),
        ("sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush()", "no card is called"),
        ("print('9' * (1 << 21), flush=True)", "a line over 1 MiB"),
    ],
)
async def test_a_bad_line_costs_its_ask_and_is_told_with_the_cure(
    referee: ScriptedReferee, spawn: Spawn, code: str, told: str
) -> None:
    bad_once = f"import sys\nsys.stdin.readline()\n{code}\n" + (
        "for line in sys.stdin: print('{\"index\": 1}', flush=True)"
    )
    bot = await begin(spawn, referee, bad_once)
    assert (await bot.ask(1)).HasField("default_action")
    assert (await bot.ask(2)).act.index == 1
    status, said = await bot.ends()
    assert status == ExitCode.DONE
    assert told in said
    assert 'act expects {"index": N}' in said
    assert "\x1b" not in said
    assert max(map(len, said.splitlines())) < 500


async def test_a_line_that_nobody_asked_for_is_told_and_shifts_nothing(
    referee: ScriptedReferee, spawn: Spawn
) -> None:
    chatty = (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    number = json.loads(line)['id']\n"
        "    print(json.dumps({'id': number, 'index': number}), flush=True)\n"
        "    print(json.dumps({'id': number, 'index': 0}), flush=True)\n"
    )
    bot = await begin(spawn, referee, chatty)
    assert [(await bot.ask(ask_id)).act.index for ask_id in (1, 2, 3)] == [1, 2, 3]
    _, said = await bot.ends()
    assert "nobody asked for it; answer each line once, debug to stderr" in said


async def test_answers_with_an_id_may_come_in_any_order(
    referee: ScriptedReferee, spawn: Spawn
) -> None:
    backwards = (
        "import json, sys\n"
        "two = [json.loads(sys.stdin.readline())['id'] for _ in range(2)]\n"
        "for number in reversed(two):\n"
        "    print(json.dumps({'id': number, 'index': number}), flush=True)\n"
        "sys.stdin.read()\n"
    )
    bot = await begin(spawn, referee, backwards)
    await bot.stream.update(seating(2))
    await bot.stream.update(*(update(match, act_ask(1, SINGLES)) for match in (1, 2)))
    answers: list[pb.Answer] = []
    while len(answers) < 2:
        answers += (await bot.stream.frame()).answers
    assert {answer.match: answer.act.index for answer in answers} == {1: 1, 2: 2}


async def test_a_program_that_ends_ends_the_bot_and_is_told_with_its_status(
    referee: ScriptedReferee, spawn: Spawn
) -> None:
    code = "import sys; sys.stdin.readline(); print('oh', file=sys.stderr); sys.exit(3)"
    bot = await begin(spawn, referee, code)
    await bot.stream.update(update(1, act_ask(1, SINGLES)))
    status, said = await ended(bot.process)
    assert status == ExitCode.BUG
    assert "oh\n" in said
    assert "the program ended with status 3 after it answered 0 times: it has to answer" in said


async def test_a_program_of_one_match_that_ends_leaves_that_match_to_the_referee(
    referee: ScriptedReferee, spawn: Spawn, tmp_path: Path
) -> None:
    dies = COUNTS.replace("print(", "number == 1 and sys.exit(3)\n    print(")
    bot = await begin(spawn, referee, dies, str(tmp_path / "kept"), flags=("--each",))
    await bot.stream.update(seating(2))
    assert (await bot.ask(1)).act.index == 0
    for ask_id in (2, 3):
        assert (await bot.ask(ask_id)).HasField("default_action")
    assert (await bot.ask(1, 2)).act.index == 0
    status, said = await bot.ends()
    assert status == ExitCode.DONE
    assert said.count("ended with status 3") == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
async def test_the_program_dies_with_the_bot(
    referee: ScriptedReferee, spawn: Spawn, tmp_path: Path, number: int
) -> None:
    bot = await begin(spawn, referee, COUNTS, str(tmp_path / "kept"))
    await bot.ask(1)
    programs = psutil.Process(bot.process.pid).children()
    bot.process.send_signal(number)
    await ended(bot.process)
    assert len(programs) == 1
    assert psutil.wait_procs(programs, PATIENCE_S)[1] == []


async def test_a_program_that_does_not_end_with_its_input_is_ended(
    referee: ScriptedReferee, spawn: Spawn
) -> None:
    stubborn = (
        "import signal, sys, threading\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "sys.stdin.readline(); print('0', flush=True)\n"
        "threading.Event().wait()\n"
    )
    bot = await begin(spawn, referee, stubborn)
    assert (await bot.ask(1)).act.index == 0
    programs = psutil.Process(bot.process.pid).children()
    assert (await bot.ends())[0] == ExitCode.DONE
    assert psutil.wait_procs(programs, PATIENCE_S)[1] == []


async def test_a_slow_program_is_not_asked_in_windows(
    referee: ScriptedReferee, spawn: Spawn, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    bot = await begin(spawn, referee, COUNTS, str(kept), flags=("--slow",))
    await bot.stream.update(match_pb.Update(match=1, events=dealt(WITH_BOMB)))
    assert len((await bot.stream.frame()).stand_downs) == 1
    await bot.stream.update(update(1, bomb_ask(1, ["2j 2s 2p 2r"])))
    assert (await bot.stream.frame()).answers[0].bomb.HasField("decline")
    assert (await bot.ask(2)).act.index == 0
    assert len(kept.read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        ((), 2, "name the program behind --"),
        (("--",), 2, "name the program behind --"),
        (("--matches", "0", "--", "cat"), 2, "--matches is 1 to 512"),
        (("--faster", "--", "cat"), 2, "unrecognized arguments: --faster"),
        (("--", "/no/such/program"), 2, "cannot start /no/such/program: No such file"),
        (("--", "cat", "--help"), 2, "TICHU_SERVER is not set"),  # the flag is the program's
    ],
)
async def test_what_cannot_be_started_says_why(
    spawn: Spawn, words: tuple[str, ...], status: int, told: str
) -> None:
    ended_with, said = await ended(await spawn(*STDIO, *words))
    assert ended_with == status
    assert told in said
    assert "Traceback" not in said


async def test_help_shows_the_answers(spawn: Spawn) -> None:
    process = await spawn(*STDIO, "--help", stdout=PIPE)
    shown, _ = await process.communicate()
    assert process.returncode == 0
    for word in ("--each", "--slow", '{"decline": true}', "TICHU_SERVER"):
        assert word in shown.decode()


@pytest.mark.parametrize(
    ("answer", "both"),
    [
        ('{"index":0,"pass":true}', "index and pass"),
        ('{"index":0,"cards":"3s"}', "index and cards"),
        ('{"pass":true,"default":true}', "pass and default"),
    ],
)
async def test_an_answer_that_says_two_things_is_refused_and_told(
    referee: ScriptedReferee, spawn: Spawn, answer: str, both: str
) -> None:
    bot = await begin(
        spawn, referee, f"import sys\nfor line in sys.stdin: print({answer!r}, flush=1)"
    )
    assert (await bot.ask(1)).HasField("default_action")
    assert f"it says {both} at once; act expects" in (await bot.ends())[1]


async def test_what_an_answer_denies_or_gives_back_of_the_view_is_no_second_thing(
    referee: ScriptedReferee, spawn: Spawn
) -> None:
    echo = (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps({**json.loads(line), 'index': 2, 'pass': False}), flush=True)\n"
    )
    bot = await begin(spawn, referee, echo)
    assert (await bot.ask(1)).act.index == 2
    await bot.ends()


async def test_a_program_that_does_not_flush_is_told_of_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program_module, "LATE_S", 0.01)
    gone = asyncio.Event()
    silent = Program((sys.executable, "-c", "import sys; sys.stdin.read()"), on_gone=gone.set)
    asks = [asyncio.create_task(silent.ask({"ask": "act"}, match=1)) for _ in range(3)]
    told = ""
    async with asyncio.timeout(PATIENCE_S):
        while "flush" not in told:
            await asyncio.sleep(0.01)
            told += capfd.readouterr().err
    silent.close_input()
    for ask in asks:
        with pytest.raises(Gone):
            await ask
    await asyncio.to_thread(silent.end)
    told += capfd.readouterr().err
    assert told.count("after line 1: does the program flush? awk: fflush(), or mawk -W") == 1
    assert told.count("does the program flush?") == 1
