"""Bots as processes: the README's five lines, the house bots, signals and exit statuses."""

import asyncio
import os
import re
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from tests.unit.sample_bots.conftest import PACKAGE, PATIENCE_S, ScriptedReferee, Spawn, ended
from tests.unit.sample_bots.frames import act_ask, seating, update
from tichu_bot import HOUSE, Bot, ExitCode
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.run import own_name

SINGLES = ("2j", "3s", "4p", "5r", "6j")


async def test_the_five_lines_of_the_readme_are_a_whole_bot(
    referee: ScriptedReferee, spawn: Spawn, tmp_path: Path
) -> None:
    readme = (PACKAGE / "README.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    assert code is not None
    assert len(code[1].splitlines()) == 5
    (tmp_path / "mine.py").write_text(code[1], encoding="utf-8")
    process = await spawn(str(tmp_path / "mine.py"), TICHU_SERVER=referee.address, TICHU_TOKEN="t")
    stream = await referee.stream()
    hello = await stream.welcome()
    assert (hello.bot_name, hello.event_delivery) == ("mine", pb.EVENT_DELIVERY_WITH_ASKS)
    assert hello.max_matches == 1
    await stream.update(seating(), update(1, act_ask(1, SINGLES)))
    assert (await stream.frame()).answers[0].act.HasField("index")
    process.terminate()
    assert (await stream.frame()).HasField("goodbye")
    stream.end()
    assert (await ended(process))[0] == ExitCode.DONE


async def test_the_docstring_of_bot_shows_the_same_five_lines() -> None:
    readme = (PACKAGE / "README.md").read_text(encoding="utf-8")
    docstring = (PACKAGE / "tichu_bot" / "bot.py").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    assert code is not None
    indented = "".join(f"        {line}\n" for line in code[1].splitlines())
    assert indented in docstring


@pytest.mark.parametrize("module", [*HOUSE.values(), "tichu_bot.minimal"])
async def test_a_house_bot_plays_and_ends_on_sigterm(
    referee: ScriptedReferee, spawn: Spawn, module: str
) -> None:
    process = await spawn("-m", module, TICHU_SERVER=referee.address)
    stream = await referee.stream()
    hello = await stream.welcome()
    assert hello.bot_name == module.removeprefix("tichu_bot.")
    assert hello.without_snapshots
    assert hello.max_matches > 1
    await stream.update(seating(), update(1, act_ask(1, SINGLES)))
    answer = (await stream.frame()).answers[0].act
    assert answer.HasField("index")
    assert answer.index < len(SINGLES)
    process.terminate()
    assert (await stream.frame()).HasField("goodbye")
    stream.end()
    assert (await ended(process))[0] == ExitCode.DONE


IMPATIENT = "from tichu_bot import Bot, run; run(Bot, patience_s=0.5)"


async def test_a_bot_ends_when_its_referee_stays_away(
    referee: ScriptedReferee, spawn: Spawn
) -> None:
    process = await spawn("-c", IMPATIENT, TICHU_SERVER=referee.address)
    await (await referee.stream()).welcome()
    await referee.stop()  # its socket goes with it
    status, told = await ended(process)
    assert status == ExitCode.GONE
    assert "no referee answers" in told


async def test_settings_that_cannot_work_are_told_and_end_the_process(spawn: Spawn) -> None:
    process = await spawn(
        "-m", "tichu_bot.random", TICHU_SERVER="192.0.2.1:7643", TICHU_TOKEN="secret"
    )
    status, told = await ended(process)
    assert status == ExitCode.SETTINGS
    assert "--plaintext" in told
    assert "secret" not in told


async def test_a_strategy_loads_neither_grpc_nor_protobuf(spawn: Spawn) -> None:
    check = (
        "import sys, tichu_bot, tichu_bot.bots.greedy_play, tichu_bot.bots.random_play;"
        "sys.exit(bool({'grpc', 'google.protobuf'} & set(sys.modules)))"
    )
    assert (await ended(await spawn("-c", check)))[0] == 0


async def test_library_and_referee_live_in_one_process(spawn: Spawn) -> None:
    """Each package has its own copy of the generated code; equal descriptors register twice."""
    check = (
        "from referee._gen.tichu.referee.v1 import referee_pb2 as ours;"
        "from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as theirs;"
        "frame = theirs.PlayRequest(hello=ours.Hello(bot_name='both'));"
        "assert ours.PlayRequest.FromString(frame.SerializeToString()).hello.bot_name == 'both'"
    )
    root = os.pathsep.join((str(PACKAGE), str(PACKAGE.parents[1])))
    assert await ended(await spawn("-c", check, PYTHONPATH=root)) == (0, "")


@pytest.mark.parametrize("flag", ["--help", "-h"])
async def test_help_names_the_variables(spawn: Spawn, flag: str) -> None:
    process = await spawn("-m", "tichu_bot.greedy", flag, stdout=PIPE)
    shown, _ = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert process.returncode == 0
    for word in ("greedy.py", "TICHU_SERVER", "TICHU_TOKEN", "TICHU_CA_FILE", "--plaintext"):
        assert word in shown.decode()


async def test_an_address_that_cannot_be_ends_the_process_at_once(spawn: Spawn) -> None:
    status, told = await ended(await spawn("-m", "tichu_bot.random", TICHU_SERVER="nonsense"))
    assert status == ExitCode.SETTINGS
    assert "nonsense" in told


@pytest.mark.parametrize(
    ("program", "name"),
    [("/bots/mine.py", "mine"), ("-c", "First"), ("", "First"), ("/x/__main__.py", "First")],
)
def test_a_bot_without_a_name_is_called_by_its_file_or_class(program: str, name: str) -> None:
    class First(Bot):
        pass

    assert own_name(First, program) == name
