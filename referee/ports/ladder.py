"""Where a ladder is kept: results and statistics, rulings, bots and their tokens."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from referee.formats.summary import MatchSummary
from referee.ladder.values import LegResult, Ruling


class LadderStoreError(Exception):
    """The database cannot do it now; the text says what and why, without passwords."""


class StoredEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of an event. `bots` by place; `versions` are those that it played with, in order."""

    event: str
    name: str
    owner: str
    bots: tuple[str, ...]
    house: bool = False
    versions: tuple[tuple[str, ...], ...] = ()


class BotToken(msgspec.Struct, frozen=True, kw_only=True):
    """A process of a bot that may dial in. Only the hash (SHA-256, 32 bytes) of its token is kept.

    `number` counts from 1 for the bot. `created` is wall time as text (UTC, ISO 8601).
    """

    bot: str
    number: int
    token_hash: bytes
    created: str


class LadderStore(Protocol):
    """Keeps ladders of many events. Every method is durable on return, and one transaction.

    All raise `LadderStoreError`. What several processes add at once comes out as if one had added
    it after the other.
    """

    async def keep_entries(self, entries: Sequence[StoredEntry]) -> None:
        """Keep entries with their bots and versions; a version that is new is added behind."""

    async def entries(self, event: str) -> tuple[StoredEntry, ...]:
        """Return the entries of an event by name."""

    async def add_match(self, summary: MatchSummary) -> bool:
        """Keep what a match brought; False where it is kept already. `summary.leg` is not None."""

    async def add_matches(self, summaries: Sequence[MatchSummary]) -> int:
        """Keep what matches brought, all or none; return how many were not kept already.

        Nobody sees some of them without the others: so the legs of a board are kept together.
        """

    async def digests(self, event: str) -> dict[str, str]:
        """Return the digest of the record of each match of an event, by match id."""

    async def results(self, event: str) -> tuple[LegResult, ...]:
        """Return the results of an event in the order of their keys."""

    async def summaries(self, event: str, bot: str) -> tuple[MatchSummary, ...]:
        """Return the matches of an event in which a bot played, in the order of their keys."""

    async def add_ruling(self, ruling: Ruling) -> bool:
        """Keep a ruling; False where one of its event and number is kept already."""

    async def rulings(self, event: str) -> tuple[Ruling, ...]:
        """Return the rulings of an event in the order of their numbers."""

    async def clear_event(self, event: str) -> None:
        """Forget entries, matches, results, rulings and the claim of an event; tokens stay."""

    async def replace_event(
        self,
        event: str,
        *,
        entries: Sequence[StoredEntry],
        summaries: Sequence[MatchSummary],
        rulings: Sequence[Ruling],
    ) -> None:
        """Keep this of an event and nothing else; on an error all stays as it was."""

    async def claim_event(self, event: str, ladder: str) -> str:
        """Return whose the event is: the identity of a ladder, this one if it was nobody's."""

    async def ladder_of(self, event: str) -> str | None:
        """Return the identity of the ladder whose the event is; None if it is nobody's yet."""

    async def add_tokens(self, tokens: Sequence[BotToken]) -> None:
        """Keep tokens of processes that may dial in."""

    async def tokens(self, bot: str | None = None) -> tuple[BotToken, ...]:
        """Return tokens, of one bot or of all, by bot and number."""

    async def revoke_token(self, bot: str, number: int) -> bool:
        """Forget a token; False where there is none of that number."""

    async def close(self) -> None:
        """Let go of the database."""
