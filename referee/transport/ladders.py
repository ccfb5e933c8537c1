"""LadderService: tables and results of the ladders that are published here."""

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator

from referee._gen.tichu.referee.v1 import ladder_pb2
from referee.ports.services import CallRefused, Ladders, Problem
from referee.transport.calls import Calls
from referee.transport.paging import no_page, size_of
from referee.wire.services import leg_key_of, outcome_of, page_token, standings_of

_LOOK_S = 2.0  # between two looks of one who watches


class LadderCalls:
    """The calls of the service."""

    def __init__(self, ladders: Ladders, calls: Calls) -> None:
        self._ladders = ladders
        self._calls = calls

    async def list_ladders(
        self, _: ladder_pb2.ListLaddersRequest
    ) -> ladder_pb2.ListLaddersResponse:
        """Name the ladders."""
        return ladder_pb2.ListLaddersResponse(ladders=self._ladders.names)

    async def get_standings(
        self, request: ladder_pb2.GetStandingsRequest
    ) -> ladder_pb2.GetStandingsResponse:
        """Return a table."""
        now = await self._ladders.now(self._chosen(request.ladder))
        return ladder_pb2.GetStandingsResponse(standings=standings_of(now))

    async def watch_standings(
        self, request: ladder_pb2.WatchStandingsRequest
    ) -> AsyncIterator[bytes]:
        """Yield a table whenever it is another one."""
        ladder, told = self._chosen(request.ladder), b""
        while not self._calls.closing.done():
            now = await self._ladders.now(ladder)
            message = ladder_pb2.WatchStandingsResponse(standings=standings_of(now))
            data = message.SerializeToString(deterministic=True)
            if data != told:
                yield data
                told = data
            await asyncio.wait({self._calls.closing}, timeout=_LOOK_S)
        raise CallRefused(Problem.UNAVAILABLE, "the referee goes down; come back later")

    async def list_results(
        self, request: ladder_pb2.ListResultsRequest
    ) -> ladder_pb2.ListResultsResponse:
        """Return a page of results. Its token is the key of its last one."""
        size = size_of(request.page_size)
        now = await self._ladders.now(self._chosen(request.ladder))
        results, first = now.results, 0
        if request.entry:
            entry = request.entry
            results = tuple(
                one for one in results if any(side.entry == entry for side in one.place.sides)
            )
        if request.page_token:
            after = leg_key_of(request.page_token)
            if after is None or after.event != now.ladder:
                raise no_page()
            first = bisect_right(results, after, key=lambda one: one.place.key)
        page = results[first : first + size]
        more = first + size < len(results)
        return ladder_pb2.ListResultsResponse(
            results=[outcome_of(one, counted=one.match_id in now.counted) for one in page],
            next_page_token=page_token(page[-1].place.key) if more else "",
        )

    def _chosen(self, ladder: str) -> str:
        names = self._ladders.names
        if not names:
            raise CallRefused(
                Problem.FAILED_PRECONDITION,
                "no ladder is published here; start the referee with --ladder FILE",
                subject="ladder",
            )
        if not ladder:
            if len(names) == 1:
                return names[0]
            raise CallRefused(
                Problem.INVALID_ARGUMENT,
                f"ladder: several are published here ({', '.join(names)}); name one",
                subject="ladder",
            )
        if ladder not in names:
            raise CallRefused(
                Problem.NOT_FOUND,
                f"no ladder of that name is published here; there are {', '.join(names)}",
                subject="ladder",
            )
        return ladder
