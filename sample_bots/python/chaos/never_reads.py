"""`chaos:never-reads` takes its seat, then reads nothing more, and answers without looking.

Asks are numbered from 1, so it can leave the decisions of the next ones to the referee blindly. The
match goes on, and all that it says piles up: with each ask a view of the whole round. A match to
1,000 points says less than the 2 MiB that may wait for a bot, one of 100 rounds more.
"""

import asyncio

from chaos.process import hello_of
from chaos.stream import for_ever, stream
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.link import PlayCall

MATCH = 1  # the first of a session
TICK_S = 0.01
TICKS_AN_ASK = 3  # others may play faster: the match then waits for us
AHEAD = 4  # asks that are answered before they are put, over and over; 500 answers a second in all
BEHIND = 64  # of these one a tick, upwards: one that was missed would hold the match up


async def main() -> None:
    """Read to the seat, then only write."""
    async with stream() as call:
        hello = hello_of("never-reads")
        hello.without_snapshots = False
        await call.write(pb.PlayRequest(hello=hello))
        await _seat(call)
        tick = 0
        while not call.done():
            tick += 1
            await call.write(blind(tick))
            await asyncio.sleep(TICK_S)
        await for_ever()


def blind(tick: int) -> pb.PlayRequest:
    """Return the answers of a tick, from 1: to the asks around its number."""
    first = tick // TICKS_AN_ASK
    missed = first - BEHIND + tick % BEHIND
    frame = pb.PlayRequest()
    for ask_id in (missed, *range(first, first + AHEAD)):
        if ask_id > 0:
            frame.answers.add(match=MATCH, ask_id=ask_id).default_action.SetInParent()
    return frame


async def _seat(call: PlayCall) -> None:
    """Read on to the first update; what is not read then is never read."""
    while True:
        frame = await call.read()
        if not isinstance(frame, pb.PlayResponse) or frame.updates:
            return


if __name__ == "__main__":
    asyncio.run(main())
