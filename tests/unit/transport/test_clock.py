"""Turns of the real loop: a busy one is noticed, and frames that waited get its beginning."""

import asyncio
import socket
import time

import pytest

from referee.clock import BLOCKED_NS, LoopClock, new_loop, run


def hog(duration_ns: int) -> int:
    """Keep the loop busy; return when that began."""
    began = time.monotonic_ns()
    while time.monotonic_ns() - began < duration_ns:
        pass
    return began


def test_what_waited_through_a_busy_turn_is_stamped_with_its_beginning() -> None:
    async def main() -> tuple[int, list[int], list[int]]:
        loop = asyncio.get_running_loop()
        clock = LoopClock(loop)
        turns: list[int] = []
        clock.on_turn(turns.append)
        stamps: list[int] = []
        done = loop.create_future()
        ours, theirs = socket.socketpair()

        def readable() -> None:
            """As gRPC does: the poll wakes this, and this wakes the reader of a stream."""
            loop.remove_reader(ours)
            loop.call_soon(read)

        def read() -> None:
            stamps.append(clock.stamp())
            loop.call_soon(loop.call_soon, lambda: done.set_result(clock.stamp()))

        with ours, theirs:
            loop.add_reader(ours, readable)
            await asyncio.sleep(0)
            theirs.send(b"frame")
            began = hog(4 * BLOCKED_NS)
            stamps.append(await done)
        return began, stamps, turns

    began, (read, later), turns = run(main())
    assert read <= began
    assert later >= began + 4 * BLOCKED_NS
    assert max(turns) >= 4 * BLOCKED_NS


def test_what_is_read_in_the_busy_turn_itself_is_stamped_with_its_beginning() -> None:
    """It was found by the poll before, so it was there before."""

    async def main() -> tuple[int, int, int]:
        loop = asyncio.get_running_loop()
        clock = LoopClock(loop)
        await asyncio.sleep(0)
        began = hog(4 * BLOCKED_NS)
        stamp = clock.stamp()
        await asyncio.sleep(0)
        return began, stamp, clock.stamp()

    began, stamp, later = run(main())
    assert stamp <= began
    assert later == stamp


def test_what_waited_through_two_busy_turns_is_stamped_with_the_begin_of_the_first() -> None:
    async def main() -> tuple[int, int, int]:
        loop = asyncio.get_running_loop()
        clock = LoopClock(loop)
        began: list[int] = []
        stamped: asyncio.Future[int] = loop.create_future()

        def block(times: int) -> None:
            if times:
                loop.call_soon(block, times - 1)
                began.append(hog(2 * BLOCKED_NS))
            else:  # read now is what the poll between the two has found
                stamped.set_result(clock.stamp())

        block(2)
        return began[0], await stamped, clock.stamp()

    began, stamp, later = run(main())
    assert stamp <= began
    assert later > stamp


def test_what_the_end_of_a_blocked_turn_brings_up_is_not_slept_through() -> None:
    """The loop has chosen how long to sleep before it hears of the block."""

    async def main() -> int:
        loop = asyncio.get_running_loop()
        clock = LoopClock(loop)
        heard: asyncio.Future[int] = loop.create_future()

        def turned(duration_ns: int) -> None:
            if duration_ns > 3 * BLOCKED_NS and not heard.done():
                clock.call_soon(lambda: heard.set_result(clock.now()))

        clock.on_turn(turned)
        loop.call_later(30, heard.cancel)  # nothing else would wake the loop
        loop.call_soon(lambda: ended.append(hog(4 * BLOCKED_NS) + 4 * BLOCKED_NS))
        ended: list[int] = []
        return await heard - ended[0]

    assert run(main()) < 5_000_000_000


def test_in_an_idle_loop_the_stamp_is_now() -> None:
    async def main() -> None:
        clock = LoopClock(asyncio.get_running_loop())
        hog(2 * BLOCKED_NS)
        await clock.sleep(2_000_000)
        before = clock.now()
        assert clock.stamp() >= before

    run(main())


def test_the_clock_calls_back_in_time() -> None:
    async def main() -> int:
        loop = asyncio.get_running_loop()
        clock = LoopClock(loop)
        rung: asyncio.Future[int] = loop.create_future()
        when = clock.now() + 3_000_000
        clock.call_at(when, lambda: rung.set_result(clock.now() - when))
        clock.call_at(when - 1, lambda: pytest.fail("cancelled")).cancel()
        return await rung

    assert run(main()) >= -1_000


def test_another_loop_stamps_with_now() -> None:
    async def main() -> None:
        clock = LoopClock(asyncio.get_running_loop())
        hog(2 * BLOCKED_NS)
        await asyncio.sleep(0)
        before = clock.now()
        assert clock.stamp() >= before

    asyncio.run(main())


def test_a_new_loop_can_be_closed() -> None:
    new_loop().close()
