"""A match of this process, for whoever started it."""

import asyncio
from pathlib import Path

from referee.app.running import RunningMatch as AppMatch
from referee.app.service import Service
from referee.match.facts import MatchEnded
from referee.match.values import Ending
from referee.ports import Audience
from referee.rules.seat import Seat


class RunningMatch:
    """A match of this process."""

    def __init__(self, service: Service, match: AppMatch) -> None:
        self._service = service
        self._match = match
        self.match_id = match.id
        self.record_path = Path(match.record_path) if match.record_path else None
        self.done: asyncio.Future[MatchEnded] = asyncio.get_running_loop().create_future()
        match.on_over.append(self._ended)

    def _ended(self, ended: MatchEnded) -> None:
        if not self.done.done():
            self.done.set_result(ended)

    def hear(self, audience: Audience | None) -> None:
        """Have somebody watch from here on."""
        self._match.audience = audience

    def cancel(self) -> None:
        """End the match by order; `done` gets its `MatchEnded` with `CANCELLED`."""
        self._service.end_match(self._match, Ending.CANCELLED)

    def fault(self, seat: Seat, ending: Ending) -> None:
        """End the match by a fault of a seat that only its starter can see."""
        self._service.end_match(self._match, ending, seat)
