"""The echo's client process: answers every frame of asks with one frame of answers."""

import asyncio
import sys

import grpc
import grpc.aio

from tests.bench.echo_messages import METHOD, new_frame, padding, parse

Call = grpc.aio.StreamStreamCall[bytes, bytes]


async def _run(address: str, answer_bytes: int) -> None:
    from tichu_bot.link import CHANNEL_OPTIONS

    pad = padding(answer_bytes)
    async with grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS) as channel:
        call: Call = channel.stream_stream(METHOD)(wait_for_ready=True)
        await call.write(b"")  # the stream exists for the server once something was sent
        while isinstance(data := await call.read(), bytes):  # not bytes: EOF
            frame = new_frame()
            add = frame.items.add
            for ask in parse(data):
                add(unit=ask.unit, number=ask.number, pad=pad)
            await call.write(frame.SerializeToString())


def main() -> None:
    """Run until the server ends the stream: `echo_client ADDRESS ANSWER_BYTES`."""
    asyncio.run(_run(sys.argv[1], int(sys.argv[2])))


if __name__ == "__main__":
    main()
