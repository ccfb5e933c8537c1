"""The echo's server process: a bare grpc.aio stream per client, and units that ask in cycles.

A unit stands for a match. A cycle is one ask to one seat, then one to each of the three others at
once; seat 0 to 3 come first in turn. Asks wait in their stream's list; a list leaves as one message
as soon as the client has answered the message before, or 1 ms after that one.
"""

import asyncio
import resource
import sys
from collections.abc import Sequence
from time import perf_counter_ns

import grpc
import grpc.aio
import msgspec

from referee.transport.server import OPTIONS
from tests.bench.child import orders, report
from tests.bench.echo_messages import NAME, SERVICE, STREAMS, new_frame, padding, parse
from tests.bench.figures import percentile

PACING_S = 0.001
Stream = grpc.aio.ServicerContext[bytes, bytes]


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """Order: let `units` cycle; measure for `seconds` after a warm-up."""

    units: int
    warm_up_s: float
    seconds: float


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """Report. A trip is the lone ask of a cycle and its answer; times in microseconds."""

    cycles_s: float
    cycle_p50_us: float
    cycle_p99_us: float
    trip_p50_us: float
    server_us_a_cycle: float
    messages_s: float


class Ready(msgspec.Struct, frozen=True):
    """Report: all streams are there."""


class Unit:
    """One match's worth of asks: a coroutine that waits for the answers to each part of a cycle."""

    def __init__(self, number: int, echo: "Echo") -> None:
        self.number = number
        self._echo = echo
        self._asked = [0] * STREAMS
        self._missing = 0
        self._answered = echo.loop.create_future()

    async def run(self) -> None:
        """Cycle until the echo stops."""
        echo = self._echo
        first = self.number % STREAMS
        while echo.going:
            began = perf_counter_ns()
            await self._ask((first,))
            echo.trips.append(perf_counter_ns() - began)
            await self._ask(_OTHERS[first])
            echo.cycles.append(perf_counter_ns() - began)
            first = (first + 1) % STREAMS

    def answered(self, seat: int, number: int) -> None:
        """Take an answer; the last of a part ends the wait."""
        if number != self._asked[seat] or not self._missing:
            raise AssertionError(f"unit {self.number} seat {seat}: {number} is no open ask")
        self._missing -= 1
        if not self._missing:
            self._answered.set_result(None)

    def _ask(self, seats: Sequence[int]) -> asyncio.Future[None]:
        self._missing = len(seats)
        for seat in seats:
            self._asked[seat] += 1
            self._echo.links[seat].add(self.number, self._asked[seat])
        self._answered = self._echo.loop.create_future()
        return self._answered


_OTHERS = tuple(tuple(s for s in range(STREAMS) if s != first) for first in range(STREAMS))


class Link:
    """One stream: what waits to be sent, and the pacing of its writer."""

    def __init__(self, seat: int, echo: "Echo") -> None:
        self._seat = seat
        self._echo = echo
        self._frame = new_frame()
        self._go = asyncio.Event()
        self._hold: asyncio.TimerHandle | None = None  # running while the reply is awaited

    def add(self, unit: int, number: int) -> None:
        """Put an ask into the frame that waits; wake the writer, unless it awaits a reply."""
        self._frame.items.add(unit=unit, number=number, pad=self._echo.pad)
        if self._hold is None:
            self._go.set()

    def _release(self) -> None:
        self._hold = None
        if len(self._frame.items):
            self._go.set()

    async def read(self, stream: Stream) -> None:
        """Take answers until the client ends."""
        units = self._echo.units
        while isinstance(data := await stream.read(), bytes):  # not bytes: EOF
            if self._hold is not None:
                self._hold.cancel()
                self._release()
            for answer in parse(data):
                units[answer.unit].answered(self._seat, answer.number)

    async def write(self, stream: Stream) -> None:
        """Send frames as they fill."""
        loop = self._echo.loop
        while True:
            await self._go.wait()
            self._go.clear()
            frame, self._frame = self._frame, new_frame()
            self._echo.messages += 1
            self._hold = loop.call_later(PACING_S, self._release)
            await stream.write(frame.SerializeToString())


class Echo:
    """All streams and units, and what is measured."""

    def __init__(self, ask_bytes: int) -> None:
        self.pad = padding(ask_bytes)
        self.links: list[Link] = []
        self.units: list[Unit] = []
        self.cycles: list[int] = []
        self.trips: list[int] = []
        self.messages = 0
        self.going = False
        self.loop = asyncio.get_running_loop()
        self.all_here = asyncio.Event()

    async def handle(self, request: object, stream: Stream) -> None:
        """Serve one client."""
        link = Link(len(self.links), self)
        await stream.read()
        self.links.append(link)
        if len(self.links) == STREAMS:
            self.all_here.set()
        writer = asyncio.create_task(link.write(stream))
        try:
            await link.read(stream)
        finally:
            writer.cancel()

    async def run(self, order: Run) -> Ran:
        """Let units cycle, measure, and wait until all asks are answered."""
        self.units[:] = [Unit(number, self) for number in range(order.units)]
        self.going = True
        running = asyncio.gather(*(unit.run() for unit in self.units))
        await asyncio.sleep(order.warm_up_s)
        measured = await self._measure(order.seconds)
        self.going = False
        await running
        return measured

    async def _measure(self, seconds: float) -> Ran:
        self.cycles, self.trips, self.messages = [], [], 0
        began, cpu = perf_counter_ns(), processor_s()
        await asyncio.sleep(seconds)
        spent_s, cpu = (perf_counter_ns() - began) / 1e9, processor_s() - cpu
        cycles, trips = sorted(self.cycles), sorted(self.trips)
        return Ran(
            cycles_s=len(cycles) / spent_s,
            cycle_p50_us=percentile(cycles, 0.5) / 1e3,
            cycle_p99_us=percentile(cycles, 0.99) / 1e3,
            trip_p50_us=percentile(trips, 0.5) / 1e3,
            server_us_a_cycle=1e6 * cpu / max(1, len(cycles)),
            messages_s=self.messages / spent_s,
        )


def processor_s() -> float:
    """Return the processor time of this process, all threads, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def _serve(address: str, ask_bytes: int) -> None:
    echo = Echo(ask_bytes)
    server = grpc.aio.server(options=OPTIONS)
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(
        echo.handle
    )
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(SERVICE, {NAME: handler}),)
    )
    server.add_insecure_port(address)
    await server.start()
    await echo.all_here.wait()
    report(Ready())
    async for order in orders(Run):
        report(await echo.run(order))
    await server.stop(0)


def main() -> None:
    """Run until stdin ends: `echo_server ADDRESS ASK_BYTES`."""
    asyncio.run(_serve(sys.argv[1], int(sys.argv[2])))


if __name__ == "__main__":
    main()
