"""MatchService: begin, end, watch and list matches, and fetch their records."""

import asyncio
import io
import re
from collections.abc import AsyncIterator

from referee._gen.tichu.referee.v1 import matches_pb2
from referee.ports.services import CallRefused, Matches, MatchState, Problem, PublicView
from referee.transport.calls import Calls
from referee.transport.paging import no_page, size_of
from referee.wire.services import key_of, match_of, page_token, watched

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_MOST_DELAY = 1_000  # tricks; more than a match of some rounds has
_PART_EVENTS = 500  # of one message: some 20 KiB
_PART_BYTES = 64 * 1024  # of a record


class MatchCalls:
    """The calls of the service. Watchers are `delay_tricks` behind, or more."""

    def __init__(self, matches: Matches, calls: Calls, *, delay_tricks: int) -> None:
        self._matches = matches
        self._calls = calls
        self._delay = delay_tricks

    async def create_match(
        self, request: matches_pb2.CreateMatchRequest
    ) -> matches_pb2.CreateMatchResponse:
        """Begin a match, or all legs of a board."""
        if not _REQUEST_ID.fullmatch(request.request_id):
            raise CallRefused(
                Problem.INVALID_ARGUMENT,
                "request_id: write 1 to 64 letters, digits, or any of . _ -",
                subject="request_id",
            )
        made = self._matches.create(request.request_id, tuple(request.bots), board=request.board)
        return matches_pb2.CreateMatchResponse(match_ids=made)

    async def cancel_match(
        self, request: matches_pb2.CancelMatchRequest
    ) -> matches_pb2.CancelMatchResponse:
        """End a match."""
        ended = self._matches.cancel(request.match_id)
        return matches_pb2.CancelMatchResponse(match_ids=ended)

    async def list_matches(
        self, request: matches_pb2.ListMatchesRequest
    ) -> matches_pb2.ListMatchesResponse:
        """Return a page of matches. Its token is the id of its last one."""
        size, matches, first = size_of(request.page_size), self._matches.all(), 0
        if request.page_token:
            after = key_of(request.page_token)
            ids = [info.match_id for info in matches]
            if after not in ids:
                raise no_page()
            first = ids.index(after) + 1
        page = matches[first : first + size]
        more = first + size < len(matches)
        return matches_pb2.ListMatchesResponse(
            matches=[match_of(info) for info in page],
            next_page_token=page_token(page[-1].match_id) if more else "",
        )

    async def watch_match(self, request: matches_pb2.WatchMatchRequest) -> AsyncIterator[bytes]:
        """Yield what is new of a match, to its end."""
        if request.delay_tricks > _MOST_DELAY:
            raise CallRefused(
                Problem.INVALID_ARGUMENT,
                f"delay_tricks: {request.delay_tricks} is not 0 to {_MOST_DELAY}; write one of "
                "these, or leave it out for the referee's own",
                subject="delay_tricks",
            )
        match_id, delay = request.match_id, max(request.delay_tricks, self._delay)
        info = await self._matches.info(match_id)
        yield watched(info=info, delay=delay)
        if info.state is MatchState.SEALED:
            await self._unsealed(match_id)
            info = await self._matches.info(match_id)
            yield watched(info=info)
        async for part in self._parts(await self._matches.view(match_id), delay):
            yield part
        if info.state is not MatchState.OVER:
            yield watched(info=await self._matches.info(match_id))

    async def _parts(self, view: PublicView, delay: int) -> AsyncIterator[bytes]:
        """Yield events as they may be shown. Nothing waits here for one who reads slowly."""
        news, at = asyncio.Event(), 0

        def wake(_: object = None) -> None:
            news.set()

        view.on_news(wake)
        self._calls.closing.add_done_callback(wake)
        try:
            while True:
                news.clear()
                over, end = view.over, view.shown(delay)
                while at < end:
                    part = view.part(at, min(end, at + _PART_EVENTS))
                    at += len(part)
                    yield watched(events=part)
                if over:
                    return
                if self._calls.closing.done():
                    raise _going_down()
                await news.wait()
        finally:
            view.off_news(wake)
            self._calls.closing.remove_done_callback(wake)

    async def _unsealed(self, match_id: str) -> None:
        waiting = asyncio.get_running_loop().create_task(self._matches.unsealed(match_id))
        try:
            ends = {waiting, self._calls.closing}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if not waiting.done():
                raise _going_down()
        finally:
            waiting.cancel()

    async def get_record(self, request: matches_pb2.GetRecordRequest) -> AsyncIterator[bytes]:
        """Yield a record, some lines at a time."""
        data = await self._matches.record(request.match_id)
        lines: list[str] = []
        size = 0
        for line in io.BytesIO(data):  # one by one: a long record would hold up the matches
            lines.append(line.removesuffix(b"\n").decode())
            size += len(line)
            if size >= _PART_BYTES:
                yield matches_pb2.GetRecordResponse(lines=lines).SerializeToString()
                lines, size = [], 0
        if lines:
            yield matches_pb2.GetRecordResponse(lines=lines).SerializeToString()


def _going_down() -> CallRefused:
    return CallRefused(Problem.UNAVAILABLE, "the referee goes down; come back later")
