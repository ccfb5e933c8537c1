"""A ladder's referee that is killed while legs run, and the next one over its store."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from referee._gen.tichu.referee.v1 import match_pb2
from referee.bootstrap import Referee
from referee.match.values import Ending
from referee.rules.errors import ConfigError
from tests.integration.ladder_legs import (
    LEG_1,
    LEG_1_OVER,
    LEG_2,
    LEG_2_RUNS,
    LISTENS,
    SEATS,
    admitted,
    dealt,
    ears,
    ears_of,
    ending_of,
    ladder,
    leave,
    leg_config,
    play_leg,
    record_of,
    recorded,
    records_in,
    setup,
    token,
)
from tests.integration.serving import LIMIT_S, Bot
from tests.integration.test_event_goes_on import vanish
from tests.unit.formats.placed import place_of

ROOT = Path(__file__).resolve().parents[2]


@contextlib.asynccontextmanager
async def referee_process(folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.integration.ladder_legs", str(folder)),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def said(process: asyncio.subprocess.Process, text: str) -> None:
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), 3 * LIMIT_S)
    assert line.decode().strip() == text


async def connected(folder: Path, leg: int) -> list[Bot]:
    """The processes of a leg of that referee."""
    bots = []
    for seat in range(SEATS):
        bot = Bot(f"unix:{folder}/r.sock", token(leg, seat))
        bots.append(await bot.hello())
    return bots


async def kill_between_the_legs(folder: Path) -> None:
    """Kill a referee when leg 1 is over and leg 2 runs."""
    async with referee_process(folder) as process:
        await said(process, LISTENS)
        first, second = await connected(folder, 1), await connected(folder, 2)
        playing = [asyncio.create_task(bot.play()) for bot in first]
        await said(process, LEG_1_OVER)
        await asyncio.wait_for(asyncio.gather(*playing), LIMIT_S)
        await said(process, LEG_2_RUNS)
        for bot in second:
            await bot.ask()  # its facts are durable
        assert records_in(folder) == set()
        process.kill()
        await process.wait()
        await leave([*first, *second])
    assert records_in(folder) == set()


async def test_a_kill_between_the_legs_leaves_sealed_facts_and_the_next_start_two_records(
    tmp_path: Path,
) -> None:
    await kill_between_the_legs(tmp_path)
    referee = await Referee.start(setup(tmp_path))
    names = [referee.match_name(place) for place in (LEG_1, LEG_2)]
    records = [record_of(tmp_path / "records" / f"{name}.jsonl") for name in names]
    assert [ending_of(record) for record in records] == [Ending.COMPLETED, Ending.CANCELLED]
    assert [record.header.place for record in records] == [LEG_1, LEG_2]
    assert referee.resumed == 0
    instances = admitted(referee, 2)
    again = await ears(referee, 2)
    for ear in again:
        ended = await ear.until(lambda frame: any(_ends(update) for update in frame.updates))
        (update,) = [one for one in ended.updates if _ends(one)]
        assert update.events[-1].match_ended.ending == match_pb2.ENDING_CANCELLED
    next_leg = await play_leg(referee, place_of(attempt=2), again, instances)
    referee.unseal([next_leg.match_id])
    third = await recorded(next_leg)
    assert dealt(third)[0].seed != dealt(records[0])[0].seed
    await referee.stop(0.2)
    await leave(again)
    assert len(records_in(tmp_path)) == 3


def _ends(update: match_pb2.Update) -> bool:
    return any(event.HasField("match_ended") for event in update.events)


async def test_a_start_that_fails_leaves_what_it_found(tmp_path: Path) -> None:
    await kill_between_the_legs(tmp_path)
    with pytest.raises(ConfigError):
        await Referee.start(setup(tmp_path, listen=("unix:/nowhere/at/all.sock",)))
    before = records_in(tmp_path)
    async with ladder(tmp_path) as referee:
        path = tmp_path / "records" / f"{referee.match_name(LEG_2)}.jsonl"
        assert path.name not in before
        assert ending_of(record_of(path)) is Ending.CANCELLED


async def test_a_match_of_no_ladder_goes_on_or_ends_as_the_setup_says(tmp_path: Path) -> None:
    for resume, goes_on in ((True, 1), (False, 0)):
        folder = tmp_path / str(resume)
        folder.mkdir()
        first = await Referee.start(setup(folder))
        instances, bots = admitted(first, 1), await ears_of(first)
        running = first.start_match(
            leg_config(first, LEG_1), instances
        )  # of that name, but no leg of a ladder
        await bots[0].ask()
        await vanish(first)
        await leave(bots)
        second = await Referee.start(setup(folder, resume=resume))
        assert second.resumed == goes_on
        assert records_in(folder) == (set() if goes_on else {f"{running.match_id}.jsonl"})
        await second.stop(0.2)
