"""The echo from outside: a server, four clients, and one run after another."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from tests.bench.child import Child
from tests.bench.echo_messages import STREAMS
from tests.bench.echo_server import Ran, Ready, Run


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes of a message. The defaults are those of the first measurements of this protocol."""

    ask: float = 199
    answer: float = 17


class EchoTable:
    """Five processes that stay for many runs."""

    def __init__(self, server: Child, clients: list[Child]) -> None:
        self._server = server
        self._clients = clients

    def run(self, units: int, *, warm_up_s: float, seconds: float) -> tuple[Ran, float]:
        """Measure; return the server's figures and the clients' processor time a cycle, us."""
        before = sum(client.cpu_s() for client in self._clients)
        order = Run(units=units, warm_up_s=warm_up_s, seconds=seconds)
        ran = self._server.ask(order, Ran)
        cpu_s = sum(client.cpu_s() for client in self._clients) - before
        return ran, 1e6 * cpu_s / max(1.0, ran.cycles_s * (warm_up_s + seconds))


@contextlib.contextmanager
def echo_table(sizes: Sizes) -> Iterator[EchoTable]:
    """Start the processes, and end them."""
    with tempfile.TemporaryDirectory(prefix="tichu-echo-") as folder:
        address = f"unix:{Path(folder) / 'socket'}"
        children = [Child("tests.bench.echo_server", (address, str(round(sizes.ask))))]
        try:
            for _ in range(STREAMS):
                arguments = (address, str(round(sizes.answer)))
                children.append(Child("tests.bench.echo_client", arguments))
            children[0].hear(Ready)
            yield EchoTable(children[0], children[1:])
        finally:
            for child in children:
                child.stop()
