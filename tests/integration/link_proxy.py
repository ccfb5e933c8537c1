"""A link between bots and a referee that a test can slow down, freeze and cut.

One loop, one queue a direction: bytes come out in the order in which they went in, each chunk no
earlier than its delay after it was read. Nothing is lost but by a cut.
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

_CHUNK = 64 * 1024  # bytes read at once, and held by a frozen reader at most twice


class _Direction:
    """Bytes on their way from one end to the other. Frozen it gives none, its end included."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay_s: float
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._delay_s = delay_s
        self._given = 0  # bytes
        self._gave = asyncio.Event()
        self._waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        self._thawed = asyncio.Event()
        self._thawed.set()

    def freeze(self) -> None:
        """Read nothing more: the sender's buffers fill up."""
        self._thawed.clear()

    def thaw(self) -> None:
        """Read on."""
        self._thawed.set()

    async def take_in(self) -> None:
        """Read to the end of the stream."""
        now = asyncio.get_running_loop().time
        data = b"-"
        while data:
            await self._thawed.wait()
            data = await self._reader.read(_CHUNK)
            self._waiting.put_nowait((now() + self._delay_s, data))

    async def give_out(self) -> None:
        """Write what was read when its time has come; then end the stream."""
        now = asyncio.get_running_loop().time
        while True:
            due, data = await self._waiting.get()
            await asyncio.sleep(max(0.0, due - now()))
            if not data:
                return
            await self._thawed.wait()
            self._writer.write(data)
            self._given += len(data)
            self._gave.set()
            await self._writer.drain()

    async def given(self, size: int) -> None:
        """Return when that many bytes have been given out."""
        while self._given < size:
            self._gave.clear()
            await self._gave.wait()


class Link:
    """One connection of a bot, and the proxy's own to the referee."""

    def __init__(self, upward: _Direction, downward: _Direction, cut: Callable[[], None]) -> None:
        self._upward = upward
        self._downward = downward
        self._cut = cut

    def cut(self) -> None:
        """End both connections at once, whatever is on its way."""
        self._cut()

    def freeze(self) -> None:
        """Carry nothing more either way, and close nothing: the link is half-open at both ends."""
        self._upward.freeze()
        self._downward.freeze()

    async def carried_down(self, size: int) -> None:
        """Return when that many bytes went from the referee to the bot."""
        await self._downward.given(size)

    def freeze_downward(self) -> None:
        """Take no more bytes from the referee, as a bot whose process stands still."""
        self._downward.freeze()

    def thaw_downward(self) -> None:
        """Take bytes from the referee again."""
        self._downward.thaw()

    async def carry(self) -> None:
        """Carry bytes until one end is gone, then let go of the other."""
        steps: tuple[Callable[[], Awaitable[None]], ...] = (
            self._upward.take_in,
            self._upward.give_out,
            self._downward.take_in,
            self._downward.give_out,
        )
        tasks = [asyncio.ensure_future(step()) for step in steps]
        try:
            await asyncio.wait(tasks[1::2], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._cut()


def _shut(writer: asyncio.StreamWriter) -> None:
    """End a connection now: `abort` alone waits for the next turn of the loop."""
    with contextlib.suppress(OSError):
        writer.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


class LinkProxy:
    """Each connection to it becomes a `Link` to the referee."""

    def __init__(self, target: str, *, delay_s: float) -> None:
        """`target` is an address as the referee gives it; `delay_s` counts for each direction."""
        self.address = ""  # to dial, in the same form
        self.links: list[Link] = []  # in the order in which they came
        self.linked = asyncio.Event()  # once there was one
        self._target = target
        self._delay_s = delay_s
        self._tasks: set[asyncio.Task[None]] = set()

    async def listen(self, socket: Path | None) -> asyncio.Server:
        """Listen on a unix socket, or without one on a free port of this machine."""
        if socket is not None:
            self.address = f"unix:{socket}"
            return await asyncio.start_unix_server(self.serve, socket, limit=_CHUNK)
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0, limit=_CHUNK)
        host, port = server.sockets[0].getsockname()
        self.address = f"{host}:{port}"
        return server

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection to its end."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            up_reader, up_writer = await self._dial()

            def cut() -> None:
                for one in (writer, up_writer):
                    _shut(one)
                    one.transport.abort()

            link = Link(
                _Direction(reader, up_writer, self._delay_s),
                _Direction(up_reader, writer, self._delay_s),
                cut,
            )
            self.links.append(link)
            self.linked.set()
            await link.carry()
        except (asyncio.CancelledError, OSError):
            writer.transport.abort()
        finally:
            self._tasks.discard(task)

    async def _dial(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._target.startswith("unix:"):
            path = self._target.removeprefix("unix:")
            return await asyncio.open_unix_connection(path, limit=_CHUNK)
        host, _, port = self._target.rpartition(":")
        return await asyncio.open_connection(host, int(port), limit=_CHUNK)

    def cut_all(self) -> None:
        """Cut every link in one step of the loop, as a switch that loses its power."""
        for link in self.links:
            link.cut()

    async def close(self) -> None:
        """Let go of everything."""
        self.cut_all()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@contextlib.asynccontextmanager
async def link_proxy(
    socket: Path | None, target: str, *, delay_s: float = 0
) -> AsyncIterator[LinkProxy]:
    """A proxy on a unix socket or port, for bots that are to dial its `address` for `target`."""
    proxy = LinkProxy(target, delay_s=delay_s)
    server = await proxy.listen(socket)
    try:
        yield proxy
    finally:
        server.close()
        await proxy.close()
        await server.wait_closed()
