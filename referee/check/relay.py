"""The link between a bot and the proctor: it can be delayed, cut, and be away for a while."""

import asyncio
import contextlib
import socket
from pathlib import Path

_CHUNK = 64 * 1024


class Relay:
    """Carries connections to a unix socket. `delay_s` counts for each direction, from now on."""

    def __init__(self, target: Path) -> None:
        self.address = ""  # to dial
        self.delay_s = 0.0
        self.dialled = 0  # connections so far
        self._target = target
        self._server: asyncio.Server | None = None
        self._path: Path | None = None
        self._port = 0
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def listen(self, path: Path | None = None) -> None:
        """Listen at a path, or without one on a port of this machine."""
        self._path = path
        await self.come_back()

    async def come_back(self) -> None:
        """Listen again where it was before."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)
            self._server = await asyncio.start_unix_server(self._serve, self._path, limit=_CHUNK)
            self.address = f"unix:{self._path}"
            return
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", self._port, limit=_CHUNK
        )
        self._port = self._server.sockets[0].getsockname()[1]
        self.address = f"127.0.0.1:{self._port}"

    def go_away(self) -> None:
        """Refuse connections, and cut those that are open."""
        if self._server is not None:
            self._server.close()
            self._server = None
        if self._path is not None:
            self._path.unlink(missing_ok=True)
        self.cut()

    def cut(self) -> None:
        """End all connections at once, whatever is on its way."""
        for writer in list(self._writers):
            with contextlib.suppress(OSError):
                writer.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
            writer.transport.abort()
        self._writers.clear()

    async def close(self) -> None:
        """Let go of everything."""
        self.go_away()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.dialled += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.add(writer)
        up_writer: asyncio.StreamWriter | None = None
        try:
            up_reader, up_writer = await asyncio.open_unix_connection(self._target, limit=_CHUNK)
            self._writers.add(up_writer)
            await self._carry((reader, up_writer), (up_reader, writer))
        except (asyncio.CancelledError, OSError):
            pass  # one end is gone, or all of it ends
        finally:
            for one in (writer, up_writer):
                if one is not None:
                    self._writers.discard(one)
                    one.transport.abort()
            self._tasks.discard(task)

    async def _carry(self, *ways: tuple[asyncio.StreamReader, asyncio.StreamWriter]) -> None:
        """Carry bytes until one end is gone; what it sent before reaches the other."""
        tasks: list[asyncio.Task[None]] = []
        ends: list[asyncio.Task[None]] = []
        for reader, writer in ways:
            waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
            tasks.append(asyncio.create_task(self._take_in(reader, waiting)))
            ends.append(asyncio.create_task(_give_out(waiting, writer)))
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*tasks, *ends):
                task.cancel()
            await asyncio.gather(*tasks, *ends, return_exceptions=True)

    async def _take_in(
        self, reader: asyncio.StreamReader, waiting: "asyncio.Queue[tuple[float, bytes]]"
    ) -> None:
        now = asyncio.get_running_loop().time
        data = b"-"
        while data:
            try:
                data = await reader.read(_CHUNK)
            except OSError:
                data = b""
            waiting.put_nowait((now() + self.delay_s, data))


async def _give_out(
    waiting: "asyncio.Queue[tuple[float, bytes]]", writer: asyncio.StreamWriter
) -> None:
    now = asyncio.get_running_loop().time
    while True:
        due, data = await waiting.get()
        if (wait_s := due - now()) > 0:
            await asyncio.sleep(wait_s)
        if not data:
            return
        try:
            writer.write(data)
            await writer.drain()
        except OSError:
            return
