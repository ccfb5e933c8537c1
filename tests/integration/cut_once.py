"""`python -m tests.integration.cut_once BYTES COMMAND...`: a bot whose link is lost once by force.

The command is started with a proxy for its referee. When that many bytes have come down over the
first connection it is cut at both ends, and the proxy carries on with the next one. A file
`cut-PID` in TICHU_LOG_DIR says how many connections there were. Signals go to the bot, and its exit
status is ours.
"""

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.integration.link_proxy import LinkProxy, link_proxy


async def main(after: int, command: Sequence[str]) -> int:
    """Run the command behind a proxy and return its exit status."""
    environment = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="cut-") as folder:
        socket = Path(folder) / "s"
        async with link_proxy(socket, environment["TICHU_SERVER"]) as proxy:
            environment["TICHU_SERVER"] = proxy.address
            bot = await asyncio.create_subprocess_exec(*command, env=environment)
            loop = asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, _pass_on, bot, number)
            cutting = asyncio.create_task(_cut_first(proxy, after))
            status = await bot.wait()
            cutting.cancel()
            told = Path(environment["TICHU_LOG_DIR"]) / f"cut-{os.getpid()}"
            told.write_text(f"{len(proxy.links)}\n", encoding="utf-8")
            return status


def _pass_on(bot: asyncio.subprocess.Process, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        bot.send_signal(number)


async def _cut_first(proxy: LinkProxy, after: int) -> None:
    """Wait for the bytes, not for a time: how long they take is the bot's affair."""
    await proxy.linked.wait()
    await proxy.links[0].carried_down(after)
    proxy.links[0].cut()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]), sys.argv[2:])))
