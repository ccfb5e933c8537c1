"""Ladders in memory: for tests, and for what shall be gone with its process."""

from collections.abc import Sequence

import msgspec

from referee.formats.summary import MatchSummary
from referee.ladder.values import Deals, LegKey, LegResult, Ruling, Unit
from referee.ports.ladder import BotToken, StoredEntry
from referee.store.ladder.refusals import boards_differ, leg_of, tokens_taken


class MemoryLadderStore:
    """A `LadderStore` without a database."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._entries: dict[tuple[str, str], StoredEntry] = {}
        self._matches: dict[LegKey, tuple[MatchSummary, LegResult]] = {}
        self._boards: dict[LegKey, tuple[Unit, Deals]] = {}  # by the key of a leg 0
        self._rulings: dict[tuple[str, int], Ruling] = {}
        self._tokens: dict[tuple[str, int], BotToken] = {}
        self._ladders: dict[str, str] = {}  # by event

    async def keep_entries(self, entries: Sequence[StoredEntry]) -> None:
        """Keep entries with their bots and versions; a version that is new is added behind."""
        for entry in entries:
            before = self._entries.get((entry.event, entry.name))
            old = () if before is None else before.versions
            versions = tuple(dict.fromkeys((*old, *entry.versions)))
            kept = msgspec.structs.replace(entry, versions=versions)
            self._entries[entry.event, entry.name] = kept

    async def entries(self, event: str) -> tuple[StoredEntry, ...]:
        """Return the entries of an event by name."""
        return tuple(self._entries[key] for key in sorted(self._entries) if key[0] == event)

    async def add_match(self, summary: MatchSummary) -> bool:
        """Keep what a match brought; False where it is kept already. `summary.leg` is not None."""
        return await self.add_matches([summary]) > 0

    async def add_matches(self, summaries: Sequence[MatchSummary]) -> int:
        """Keep what matches brought, all or none; return how many were not kept already."""
        matches, boards = dict(self._matches), dict(self._boards)
        for summary in summaries:
            place = (leg := leg_of(summary)).place
            board = msgspec.structs.replace(place.key, leg=0)
            if boards.setdefault(board, kind := (place.unit, place.deals)) != kind:
                raise boards_differ(place)
            matches.setdefault(place.key, (summary, leg))
        added = len(matches) - len(self._matches)
        self._matches, self._boards = matches, boards
        return added

    async def digests(self, event: str) -> dict[str, str]:
        """Return the digest of the record of each match of an event, by match id."""
        kept = (self._matches[key][0] for key in self._keys(event))
        return {summary.match_id: summary.digest for summary in kept}

    async def results(self, event: str) -> tuple[LegResult, ...]:
        """Return the results of an event in the order of their keys."""
        return tuple(self._matches[key][1] for key in self._keys(event))

    async def summaries(self, event: str, bot: str) -> tuple[MatchSummary, ...]:
        """Return the matches of an event in which a bot played, in the order of their keys."""
        kept = (self._matches[key] for key in self._keys(event))
        return tuple(summary for summary, leg in kept if bot in _bots(leg))

    def _keys(self, event: str) -> list[LegKey]:
        return sorted(key for key in self._matches if key.event == event)

    async def add_ruling(self, ruling: Ruling) -> bool:
        """Keep a ruling; False where one of its event and number is kept already."""
        key = (ruling.event, ruling.number)
        if key in self._rulings:
            return False
        self._rulings[key] = ruling
        return True

    async def rulings(self, event: str) -> tuple[Ruling, ...]:
        """Return the rulings of an event in the order of their numbers."""
        return tuple(self._rulings[key] for key in sorted(self._rulings) if key[0] == event)

    async def clear_event(self, event: str) -> None:
        """Forget entries, matches, results, rulings and the claim of an event; tokens stay."""
        self._forget(event)
        self._ladders.pop(event, None)

    def _forget(self, event: str) -> None:
        self._entries = {key: kept for key, kept in self._entries.items() if key[0] != event}
        self._matches = {key: kept for key, kept in self._matches.items() if key.event != event}
        self._boards = {key: kind for key, kind in self._boards.items() if key.event != event}
        self._rulings = {key: kept for key, kept in self._rulings.items() if key[0] != event}

    async def replace_event(
        self,
        event: str,
        *,
        entries: Sequence[StoredEntry],
        summaries: Sequence[MatchSummary],
        rulings: Sequence[Ruling],
    ) -> None:
        """Keep this of an event and nothing else; on an error all stays as it was."""
        before = (self._entries, self._matches, self._boards, self._rulings)
        self._forget(event)  # makes new ones of these
        try:
            await self.keep_entries(entries)
            await self.add_matches(summaries)
            for ruling in rulings:
                await self.add_ruling(ruling)
        except BaseException:
            self._entries, self._matches, self._boards, self._rulings = before
            raise

    async def claim_event(self, event: str, ladder: str) -> str:
        """Return whose the event is: the identity of a ladder, this one if it was nobody's."""
        return self._ladders.setdefault(event, ladder)

    async def ladder_of(self, event: str) -> str | None:
        """Return the identity of the ladder whose the event is; None if it is nobody's yet."""
        return self._ladders.get(event)

    async def add_tokens(self, tokens: Sequence[BotToken]) -> None:
        """Keep tokens of processes that may dial in, all of them or, if one is there, none."""
        new = {(token.bot, token.number): token for token in tokens}
        hashes = {token.token_hash for token in (*self._tokens.values(), *tokens)}
        if new.keys() & self._tokens.keys() or len(hashes) < len(self._tokens) + len(tokens):
            raise tokens_taken(tokens)
        self._tokens.update(new)

    async def tokens(self, bot: str | None = None) -> tuple[BotToken, ...]:
        """Return tokens, of one bot or of all, by bot and number."""
        return tuple(self._tokens[key] for key in sorted(self._tokens) if bot in (None, key[0]))

    async def revoke_token(self, bot: str, number: int) -> bool:
        """Forget a token; False where there is none of that number."""
        return self._tokens.pop((bot, number), None) is not None

    async def close(self) -> None:
        """Keep what is there: a memory has nothing to let go of."""


def _bots(leg: LegResult) -> set[str]:
    return {player.bot for side in leg.place.sides for player in side.players}
