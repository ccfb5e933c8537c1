"""`chaos:never-started` opens a stream and never says Hello."""

import asyncio

from chaos.stream import for_ever, stream


async def main() -> None:
    """Dial, and wait."""
    async with stream() as call:
        await call.wait_for_connection()
        await for_ever()


if __name__ == "__main__":
    asyncio.run(main())
