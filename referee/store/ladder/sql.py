"""Ladders in SQLite or PostgreSQL: one set of statements for both."""

import contextlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Self

import msgspec
from sqlalchemy import Connection, RowMapping, Select, Table, delete, select

from referee.formats.summary import MatchSummary
from referee.ladder.values import LegKey, LegPlace, LegResult, Ruling, RulingKind
from referee.ports.ladder import BotToken, LadderStoreError, StoredEntry
from referee.store.ladder.connecting import Link
from referee.store.ladder.failures import FAILURES, reason
from referee.store.ladder.refusals import boards_differ, leg_of, tokens_taken
from referee.store.ladder.rows import (
    OF_RESULT,
    OF_SUMMARY,
    Lists,
    board_row,
    leg_from,
    match_row,
    rows_of_match,
    summary_from,
)
from referee.store.ladder.statements import Insert, board_insert, insert_in, match_insert
from referee.store.ladder.tables import (
    BOARDS,
    BOTS,
    ENTRIES,
    LADDERS,
    MATCHES,
    MOST_BOTS,
    PLAYERS,
    RULINGS,
    TOKENS,
    VERSIONS,
)

_Match = tuple[MatchSummary, LegResult]
_HEAD = (
    BOARDS.c.event,
    BOARDS.c.pairing,
    BOARDS.c.board,
    BOARDS.c.attempt,
    BOARDS.c.unit,
    BOARDS.c.deals,
    MATCHES,
)
_BOTS, _VERSIONS = (  # of an entry, by place
    tuple(f"{what}_{place}" for place in range(MOST_BOTS)) for what in ("bot", "version")
)
_OF_EVENT = (BOARDS, ENTRIES, RULINGS)  # what belongs to their rows goes with them


class SqlLadderStore:
    """A `LadderStore` in a database, used by one event loop. `async with` closes it."""

    def __init__(self, link: Link, *, now_s: Callable[[], float] = time.time) -> None:
        """Take a database whose schema is that of this release: `open_ladder_store`.

        `now_s` is wall time, in seconds since 1970: a label on matches, for `prune`.
        """
        self._link = link
        self._now_s = now_s

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the database."""
        await self._link.close()

    # --- entries

    async def keep_entries(self, entries: Sequence[StoredEntry]) -> None:
        """Keep entries with their bots and versions; a version that is new is added behind."""
        with self._told():
            await self._link.write(_keep_entries, sorted(entries, key=_key_of_entry))

    async def entries(self, event: str) -> tuple[StoredEntry, ...]:
        """Return the entries of an event by name."""
        with self._told():
            return await self._link.read(_entries, event)

    # --- matches

    async def add_match(self, summary: MatchSummary) -> bool:
        """Keep what a match brought; False where it is kept already. `summary.leg` is not None."""
        return await self.add_matches([summary]) > 0

    async def add_matches(self, summaries: Sequence[MatchSummary]) -> int:
        """Keep what matches brought, all or none; return how many were not kept already."""
        matches = [(summary, leg_of(summary)) for summary in summaries]
        matches.sort(key=_key_of_match)  # in one order everywhere, so that no two wait for ever
        with self._told():
            return await self._link.write(_add_matches, matches, int(self._now_s()))

    async def digests(self, event: str) -> dict[str, str]:
        """Return the digest of the record of each match of an event, by match id."""
        with self._told():
            return await self._link.read(_digests, event)

    async def results(self, event: str) -> tuple[LegResult, ...]:
        """Return the results of an event in the order of their keys."""
        with self._told():
            return await self._link.read(_results, event)

    async def summaries(self, event: str, bot: str) -> tuple[MatchSummary, ...]:
        """Return the matches of an event in which a bot played, in the order of their keys."""
        with self._told():
            return await self._link.read(_summaries, event, bot)

    # --- rulings

    async def add_ruling(self, ruling: Ruling) -> bool:
        """Keep a ruling; False where one of its event and number is kept already."""
        with self._told():
            return await self._link.write(_add_ruling, ruling)

    async def rulings(self, event: str) -> tuple[Ruling, ...]:
        """Return the rulings of an event in the order of their numbers."""
        with self._told():
            return await self._link.read(_rulings, event)

    async def clear_event(self, event: str) -> None:
        """Forget entries, matches, results, rulings and the claim of an event; tokens stay."""
        with self._told():
            await self._link.write(forget_events, (event,))

    async def replace_event(
        self,
        event: str,
        *,
        entries: Sequence[StoredEntry],
        summaries: Sequence[MatchSummary],
        rulings: Sequence[Ruling],
    ) -> None:
        """Keep this of an event and nothing else; on an error all stays as it was."""
        matches = [(summary, leg_of(summary)) for summary in summaries]
        kept, added = sorted(entries, key=_key_of_entry), int(self._now_s())
        with self._told():
            await self._link.write(_replace, event, kept, matches, rulings, added=added)

    # --- whose an event is

    async def claim_event(self, event: str, ladder: str) -> str:
        """Return whose the event is: the identity of a ladder, this one if it was nobody's."""
        with self._told():
            return await self._link.write(_claim, event, ladder)

    async def ladder_of(self, event: str) -> str | None:
        """Return the identity of the ladder whose the event is; None if it is nobody's yet."""
        with self._told():
            return await self._link.read(_ladder_of, event)

    # --- tokens

    async def add_tokens(self, tokens: Sequence[BotToken]) -> None:
        """Keep tokens of processes that may dial in, all of them or, if one is there, none."""
        with self._told():
            await self._link.write(_add_tokens, tokens)

    async def tokens(self, bot: str | None = None) -> tuple[BotToken, ...]:
        """Return tokens, of one bot or of all, by bot and number."""
        with self._told():
            return await self._link.read(_tokens, bot)

    async def revoke_token(self, bot: str, number: int) -> bool:
        """Forget a token; False where there is none of that number."""
        gone = delete(TOKENS).where(TOKENS.c.bot == bot, TOKENS.c.number == number)
        with self._told():
            return await self._link.write(lambda link: link.execute(gone).rowcount == 1)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except FAILURES as error:
            raise LadderStoreError(f"database {self._link.shown}: {reason(error)}") from None


# --- transactions


def _insert(connection: Connection, table: Table) -> Insert:
    return insert_in(connection.dialect.name, table)


def _heads(event: str) -> Select[*tuple[object, ...]]:
    joined = MATCHES.join(BOARDS, MATCHES.c.board == BOARDS.c.id)
    return select(*_HEAD).select_from(joined).where(BOARDS.c.event == event)


def _add_match(connection: Connection, summary: MatchSummary, leg: LegResult, added: int) -> bool:
    board = _board(connection, leg.place)
    row = match_row(summary, leg, board=board, added=added)
    match = connection.execute(match_insert(connection.dialect.name), row).scalar_one_or_none()
    if match is None:
        return False
    for table, rows in rows_of_match(summary, leg, match):
        connection.execute(table.insert(), rows)
    return True


def _add_matches(connection: Connection, matches: Sequence[_Match], added: int) -> int:
    return sum(_add_match(connection, summary, leg, added) for summary, leg in matches)


def _key_of_match(match: _Match) -> LegKey:
    return match[1].place.key


def _digests(connection: Connection, event: str) -> dict[str, str]:
    heads = _heads(event).with_only_columns(MATCHES.c.match_id, MATCHES.c.digest)
    return {row["match_id"]: row["digest"] for row in connection.execute(heads).mappings()}


def _board(connection: Connection, place: LegPlace) -> int:
    """Return the row of a board, which is made by its first leg."""
    kept = connection.execute(board_insert(connection.dialect.name), board_row(place))
    board = kept.scalar_one_or_none()
    if board is None:
        raise boards_differ(place)
    return int(board)


def _keep_bots(connection: Connection, names: Iterable[str]) -> None:
    # in one order everywhere, so that two that keep the same bots do not wait for each other
    rows = [{"name": name} for name in sorted(set(names))]
    if rows:
        connection.execute(_insert(connection, BOTS).on_conflict_do_nothing(), rows)


def _key_of_entry(entry: StoredEntry) -> tuple[str, str]:
    return entry.event, entry.name


def _keep_entries(connection: Connection, entries: Sequence[StoredEntry]) -> None:
    _keep_bots(connection, [bot for entry in entries for bot in entry.bots])
    for entry in entries:
        into = _insert(connection, ENTRIES)
        changed = {name: into.excluded[name] for name in ("owner", *_BOTS, "places", "house")}
        row = {
            "event": entry.event,
            "name": entry.name,
            "owner": entry.owner,
            **dict(zip_longest(_BOTS, _two_or_more(entry.bots))),
            "places": len(entry.bots),
            "house": entry.house,
        }
        # The row is ours until the end: nobody else numbers its versions meanwhile.
        connection.execute(
            into.on_conflict_do_update(index_elements=["event", "name"], set_=changed), row
        )
        _add_versions(connection, entry)


def _add_versions(connection: Connection, entry: StoredEntry) -> None:
    of_entry = (VERSIONS.c.event == entry.event) & (VERSIONS.c.entry == entry.name)
    rows = connection.execute(select(VERSIONS).where(of_entry)).mappings()
    places = len(entry.bots)
    kept = {_present(row, _VERSIONS, places) for row in rows}
    for version in dict.fromkeys(entry.versions):
        if version not in kept:
            kept.add(version)
            row = {
                "event": entry.event,
                "entry": entry.name,
                "number": len(kept),
                **dict(zip_longest(_VERSIONS, _two_or_more(version))),
            }
            connection.execute(VERSIONS.insert(), row)


def _entry_from(row: RowMapping, versions: Sequence[RowMapping]) -> StoredEntry:
    return StoredEntry(
        event=row["event"],
        name=row["name"],
        owner=row["owner"],
        bots=_present(row, _BOTS, row["places"]),
        house=row["house"],
        versions=tuple(_present(one, _VERSIONS, row["places"]) for one in versions),
    )


def _two_or_more(by_place: tuple[str, ...]) -> tuple[str, ...]:
    """Return what the columns hold; the first two cannot be empty: one bot is there twice."""
    return by_place if len(by_place) > 1 else by_place * 2


def _present(row: RowMapping, names: Sequence[str], places: int) -> tuple[str, ...]:
    """Return what columns of a row hold, for the places that an entry has."""
    return tuple(row[name] for name in names[:places])


def _entries(connection: Connection, event: str) -> tuple[StoredEntry, ...]:
    of_event = select(ENTRIES).where(ENTRIES.c.event == event)
    rows = connection.execute(of_event).mappings().all()
    versions = select(VERSIONS).where(VERSIONS.c.event == event).order_by(VERSIONS.c.number)
    by_entry: defaultdict[str, list[RowMapping]] = defaultdict(list)
    for row in connection.execute(versions).mappings():
        by_entry[row["entry"]].append(row)
    entries = (_entry_from(row, by_entry[row["name"]]) for row in rows)
    return tuple(sorted(entries, key=lambda entry: entry.name))


def _results(connection: Connection, event: str) -> tuple[LegResult, ...]:
    found = _matches(connection, _heads(event), OF_RESULT)
    legs = (leg_from(head, lists) for head, lists in found)
    return tuple(sorted(legs, key=lambda leg: leg.place.key))


def _summaries(connection: Connection, event: str, bot: str) -> tuple[MatchSummary, ...]:
    played = select(PLAYERS.c.match).where(PLAYERS.c.bot == bot)
    found = _matches(connection, _heads(event).where(MATCHES.c.id.in_(played)), OF_SUMMARY)
    summaries = (summary_from(head, lists) for head, lists in found)
    return tuple(sorted(summaries, key=lambda summary: leg_of(summary).place.key))


def _matches(
    connection: Connection, heads: Select[*tuple[object, ...]], tables: Sequence[Table]
) -> Iterator[tuple[RowMapping, Lists]]:
    found = connection.execute(heads).mappings().all()
    ids = heads.with_only_columns(MATCHES.c.id)
    lists: defaultdict[int, defaultdict[str, list[RowMapping]]]
    lists = defaultdict(lambda: defaultdict(list))
    for table in tables:
        for row in connection.execute(select(table).where(table.c.match.in_(ids))).mappings():
            lists[row["match"]][table.name].append(row)
    return ((head, lists[head["id"]]) for head in found)


def _add_ruling(connection: Connection, ruling: Ruling) -> bool:
    row = {**msgspec.structs.asdict(ruling), "kind": ruling.kind.value}
    into = _insert(connection, RULINGS).on_conflict_do_nothing().returning(RULINGS.c.number)
    return connection.execute(into, row).scalar_one_or_none() is not None


def _rulings(connection: Connection, event: str) -> tuple[Ruling, ...]:
    kept = select(RULINGS).where(RULINGS.c.event == event).order_by(RULINGS.c.number)
    rows = connection.execute(kept).mappings()
    return tuple(Ruling(**{**row, "kind": RulingKind(row["kind"])}) for row in rows)


def forget_events(connection: Connection, events: Sequence[str]) -> None:
    """Delete events; what belongs to their boards and entries goes with them."""
    for table in (*_OF_EVENT, LADDERS):
        connection.execute(delete(table).where(table.c.event.in_(events)))


def _replace(
    connection: Connection,
    event: str,
    entries: Sequence[StoredEntry],
    matches: Sequence[_Match],
    rulings: Sequence[Ruling],
    *,
    added: int,
) -> None:
    for table in _OF_EVENT:
        connection.execute(delete(table).where(table.c.event == event))
    _keep_entries(connection, entries)
    _add_matches(connection, matches, added)
    for ruling in rulings:
        _add_ruling(connection, ruling)


def _claim(connection: Connection, event: str, ladder: str) -> str:
    row = {"event": event, "ladder": ladder}
    connection.execute(_insert(connection, LADDERS).on_conflict_do_nothing(), row)
    return _ladder_of(connection, event) or ladder


def _ladder_of(connection: Connection, event: str) -> str | None:
    return connection.scalar(select(LADDERS.c.ladder).where(LADDERS.c.event == event))


def _add_tokens(connection: Connection, tokens: Sequence[BotToken]) -> None:
    _keep_bots(connection, [token.bot for token in tokens])
    for token in sorted(tokens, key=lambda token: (token.bot, token.number)):
        into = _insert(connection, TOKENS).on_conflict_do_nothing().returning(TOKENS.c.number)
        added = connection.execute(into, msgspec.structs.asdict(token))
        if added.scalar_one_or_none() is None:
            raise tokens_taken(tokens)


def _tokens(connection: Connection, bot: str | None) -> tuple[BotToken, ...]:
    kept = select(TOKENS) if bot is None else select(TOKENS).where(TOKENS.c.bot == bot)
    found = (BotToken(**row) for row in connection.execute(kept).mappings())
    return tuple(sorted(found, key=lambda token: (token.bot, token.number)))
