"""A process that stops with open streams ends without a word of the library's."""

import subprocess
import sys
from pathlib import Path

# Eight open calls, four of them cut by their client a moment before the server stops.
SERVER = """
import asyncio
import sys

import grpc

from referee.clock import run

opened = []
all_open = asyncio.Event()

async def play(_, context):
    opened.append(context)
    if len(opened) == 8:
        all_open.set()
    await asyncio.Event().wait()

async def main():
    server = grpc.aio.server()
    handler = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("a.B", {"C": handler}),)
    )
    server.add_insecure_port("unix:" + sys.argv[1])
    await server.start()
    channel = grpc.insecure_channel("unix:" + sys.argv[1])
    calls = [channel.stream_stream("/a.B/C")(iter(())) for _ in range(8)]
    await all_open.wait()
    for call in calls[:4]:
        call.cancel()
    await server.stop(0)

run(main())
"""


def test_a_loop_ends_after_the_calls_that_were_cut(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SERVER, str(tmp_path / "s.sock")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
