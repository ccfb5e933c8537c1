"""The bots that tests of the server speak with."""

import asyncio
from pathlib import Path

from referee._gen.tichu.referee.v1 import referee_pb2
from tests.integration.serving import Bot, serving


async def test_two_tasks_of_a_test_may_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    frame = referee_pb2.PlayRequest(answers=[referee_pb2.Answer(match=7, ask_id=1)])
    async with serving(tmp_path, open_identity=True) as referee, Bot(referee.addresses[0]) as bot:
        await bot.hello()
        await asyncio.gather(*(bot.send(frame) for _ in range(4)))
        refused = 0
        while refused < 4:
            told = await bot.read()
            assert told is not None, await bot.status()
            refused += len(told.refused)
