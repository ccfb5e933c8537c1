"""Facts in memory: kept for tests, or let go where nobody wants a record."""

from collections.abc import Sequence

import msgspec

from referee.match.values import MatchConfig
from referee.ports import Batch, MatchHeader
from referee.rules.errors import RefereeBug


class StoredMatch(msgspec.Struct, kw_only=True):
    """One match as it was stored."""

    config: MatchConfig
    header: MatchHeader
    lines: list[bytes]
    closed: bool = False


class MemoryStore:
    """A `FactStore` that keeps everything; it has no place to name."""

    def __init__(self) -> None:
        self.matches: dict[str, StoredMatch] = {}

    def open_match(self, config: MatchConfig, header: MatchHeader) -> None:
        """Begin a match."""
        if config.match_id in self.matches:
            raise RefereeBug(f"match {config.match_id} was opened before")
        self.matches[config.match_id] = StoredMatch(config=config, header=header, lines=[])

    def append(self, batches: Sequence[Batch]) -> None:
        """Keep the facts of a pass; every (match, number) once and in order."""
        for batch in batches:
            lines = self.matches[batch.match_id].lines
            if batch.first_seq != len(lines):
                raise RefereeBug(f"fact {batch.first_seq} after {len(lines)} of them")
            lines.extend(batch.lines)

    def close_match(self, match_id: str) -> None:
        """Mark the match as complete."""
        self.matches[match_id].closed = True


class ForgetfulStore:
    """A `FactStore` for a referee that was told to keep no records."""

    def open_match(self, config: MatchConfig, header: MatchHeader) -> None:
        """Begin a match that leaves no trace."""

    def append(self, batches: Sequence[Batch]) -> None:
        """Let the facts of a pass go."""

    def close_match(self, match_id: str) -> None:
        """Nothing was kept."""
