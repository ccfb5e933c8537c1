"""Where boards are played, and where rulings come from, as the season sees them."""

from collections.abc import Sequence
from typing import Protocol

from referee.formats.summary import MatchSummary
from referee.ladder.schedule import BoardPlan
from referee.ladder.values import Ruling, RulingKind


class Arena(Protocol):
    """Plays boards, many at once."""

    async def play(self, board: BoardPlan) -> Sequence[MatchSummary]:
        """Play all legs; return what they brought once all are over and on record.

        A bot that fails is part of what they brought. Fewer legs than were ordered where the arena
        was stopped meanwhile, or could not play on: the board is then void, and its attempt used.
        """

    def retire(self, entry: str) -> None:
        """The entry plays no more: its processes may go."""

    async def stop(self) -> None:
        """End what is running, as void; every `play` returns soon."""


class Journal(Protocol):
    """The rulings of a ladder; others may add to them at any time."""

    def rulings(self) -> tuple[Ruling, ...]:
        """Return all rulings in order."""

    def append(self, kind: RulingKind, subject: str, reason: str, *, version: str = "") -> Ruling:
        """Add a ruling of now. Durable on return."""
