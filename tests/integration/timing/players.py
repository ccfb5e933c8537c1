"""The three roles that are not timed, in a process of their own.

python -m tests.integration.timing.players

It is told `Join` on stdin, says `Joined` on stdout, and plays until its stdin ends.
"""

import asyncio

import msgspec

from tests.bench.child import orders, report
from tests.integration.timing.deals import Role
from tests.integration.timing.manners import Mannered
from tests.integration.timing.plan import Plan
from tests.integration.timing.player import Player
from tests.integration.timing.senders import Sender
from tests.integration.timing.stream import Stream


class Join(msgspec.Struct, frozen=True):
    """Order: dial and say Hello; tokens by role."""

    address: str
    tokens: tuple[str, ...]
    plan: Plan


class Joined(msgspec.Struct, frozen=True):
    """Report: every stream has its Welcome."""


async def main() -> None:
    """Play until stdin ends."""
    async with asyncio.TaskGroup() as group:
        playing: list[asyncio.Task[None]] = []
        async for join in orders(Join):
            for role in (Role.LEADER, Role.IDLER, Role.HOLDER):
                stream = Stream(join.address, join.tokens[role])
                await stream.hello(join.plan.matches)
                player = _player(role, stream, join.plan)
                playing.append(group.create_task(stream.run(player.handle)))
            report(Joined())
        for task in playing:
            task.cancel()


def _player(role: Role, stream: Stream, plan: Plan) -> Player:
    if role is not Role.HOLDER:
        return Player(stream, plan)
    return Sender(stream, plan) if plan.channels else Mannered(stream, plan)


if __name__ == "__main__":
    asyncio.run(main())
