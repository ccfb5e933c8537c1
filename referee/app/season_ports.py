"""The world as a season or a tournament sees it, and how results are kept there."""

import asyncio
from collections.abc import Callable, Sequence

import msgspec
import structlog

from referee.app.season_news import Notice, NoticeKind, Progress
from referee.formats.summary import MatchSummary
from referee.ports import Clock
from referee.ports.arena import Arena, Journal
from referee.ports.ladder import LadderStore, LadderStoreError

_SECOND = 1_000_000_000
_STORE_WAITS_S = (1, 2, 4, 8, 16)  # a database that is restarted is back by then

_log = structlog.get_logger("referee.season")


def _nothing(final_ns: int) -> None:
    """Keep nothing: a tournament has no final."""


class SeasonPorts(msgspec.Struct, frozen=True, kw_only=True):
    """The world, as a season sees it. `keep_played` keeps how long all runs have played.

    `keep_final` keeps how much of that was the final's.
    """

    arena: Arena
    store: LadderStore
    journal: Journal
    clock: Clock
    tell: Callable[[Progress | Notice], None]
    keep_played: Callable[[int], None]
    keep_final: Callable[[int], None] = _nothing

    async def keep(self, summaries: Sequence[MatchSummary], order: asyncio.Event) -> None:
        """Add the results of a board at once; a database that is away is waited for.

        Whoever reads meanwhile sees all legs or none, and takes no board for void that is not. The
        records are there in any case, and the next run adds what is missing: so after `order`, the
        one to stop, nothing is waited for. Raises `LadderStoreError` where it does not come back.
        """
        for wait_s in _STORE_WAITS_S:
            try:
                await self.store.add_matches(summaries)
                return
            except LadderStoreError as error:
                ids = [summary.match_id for summary in summaries]
                _log.warning("results were not kept", matches=ids, error=str(error))
                text = f"{error}; trying again in {wait_s} s"
                self.tell(Notice(kind=NoticeKind.INFO, text=text))
            if await self.ordered_within(wait_s, order):
                return
        await self.store.add_matches(summaries)

    async def ordered_within(self, seconds: int, order: asyncio.Event) -> bool:
        """Wait; return early, and True, once there is the order."""
        wait = asyncio.ensure_future(self.clock.sleep(seconds * _SECOND))
        ordered = asyncio.ensure_future(order.wait())
        try:
            await asyncio.wait({wait, ordered}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            wait.cancel()
            ordered.cancel()
        return order.is_set()
