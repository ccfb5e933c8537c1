"""What a match brought, as rows of the tables and back."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TypeVar

import msgspec
from sqlalchemy import RowMapping, Table

from referee.formats.answer_counts import by_side
from referee.formats.summary import CallCount, FaultNote, MatchSummary, RoundPoints, TimeBill
from referee.ladder.seats import seats_of, side_at
from referee.ladder.values import (
    Deals,
    LegPlace,
    LegResult,
    Player,
    Side,
    Unit,
)
from referee.store.ladder.tables import CALLS, FAULTS, PLAYERS, RESULTS, ROUNDS, TIMES

Row = dict[str, object]
Lists = Mapping[str, Sequence[RowMapping]]  # rows of one match, by the name of their table

_POINTS = ("points_0", "points_1", "points_2", "points_3")  # by column; the last two in Trichu
_NOBODY = Player(bot="", version="")  # holds the Tisch of Trichu
_Note = TypeVar("_Note", FaultNote, TimeBill, CallCount)
_FAULTY = msgspec.json.Decoder(tuple[str, ...])

# The tables whose rows belong to a match; what a `LegResult` is made of comes first.
OF_RESULT = (RESULTS, PLAYERS)
OF_SUMMARY = (*OF_RESULT, ROUNDS, FAULTS, TIMES, CALLS)
_KEY = {RESULTS.name: "team", PLAYERS.name: "seat"}  # others: number


def board_row(place: LegPlace) -> Row:
    """Return the row of the board that a leg belongs to."""
    return {
        "event": place.event,
        "pairing": place.pairing,
        "board": place.board,
        "attempt": place.attempt,
        "unit": place.unit.value,
        "deals": place.deals.value,
    }


def match_row(summary: MatchSummary, leg: LegResult, *, board: int, added: int) -> Row:
    """Return the row of a match."""
    return {
        "board": board,
        "leg": leg.place.leg,
        "match_id": leg.match_id,
        "practice": summary.practice,
        "isolation": summary.isolation,
        "rounds": leg.rounds,
        "ending": leg.ending,
        "blame": leg.blame,
        "rated": leg.rated,
        "faulty": msgspec.json.encode(leg.faulty).decode(),
        "added": added,
        "digest": summary.digest,
    }


def rows_of_match(
    summary: MatchSummary, leg: LegResult, match: int
) -> Iterator[tuple[Table, list[Row]]]:
    """Return the rows that belong to a match, a list for each table that gets any."""
    yield RESULTS, [_result_row(leg, team, match) for team in range(len(leg.place.sides))]
    seats = range(len(summary.players))
    yield PLAYERS, [_player_row(summary, leg, seat, match) for seat in seats]
    rounds = [_round_row(one, number, match) for number, one in enumerate(summary.rounds, 1)]
    for table, rows in (
        (ROUNDS, rounds),
        (FAULTS, _numbered(summary.faults, match)),
        (TIMES, _numbered(summary.times, match)),
        (CALLS, _numbered(summary.calls, match)),
    ):
        if rows:
            yield table, rows


def _result_row(leg: LegResult, team: int, match: int) -> Row:
    side = leg.place.sides[team]
    return {
        "match": match,
        "team": team,
        "entry": side.entry,
        "owner": side.owner,
        "points": leg.points[team],
    }


def _player_row(summary: MatchSummary, leg: LegResult, seat: int, match: int) -> Row:
    sides = leg.place.sides
    side = side_at(len(sides), seat)
    player = _NOBODY
    if side is not None:
        players = sides[side].players
        player = players[seats_of(len(sides), side, players=len(players)).index(seat)]
    return {
        "match": match,
        "seat": seat,
        "name": summary.players[seat],
        "bot": player.bot,
        "version": player.version,
        "refused": summary.refused[seat],
        "answers": summary.answers[seat],
        "defaults": summary.defaults[seat],
    }


def _round_row(one: RoundPoints, number: int, match: int) -> Row:
    return {
        "match": match,
        "number": number,
        "round": one.round,
        **dict(zip_longest(_POINTS, one.points)),
        "luck": one.luck,
    }


def _numbered(notes: Sequence[FaultNote | TimeBill | CallCount], match: int) -> list[Row]:
    return [
        {"match": match, "number": number, **msgspec.structs.asdict(note)}
        for number, note in enumerate(notes, 1)
    ]


def leg_from(head: RowMapping, lists: Lists) -> LegResult:
    """Return a result of the row of its match and board, and the rows that belong to it."""
    results, players = _in_order(lists, RESULTS), _in_order(lists, PLAYERS)
    sides = len(results)
    return LegResult(
        place=LegPlace(
            event=head["event"],
            pairing=head["pairing"],
            board=head["board"],
            attempt=head["attempt"],
            leg=head["leg"],
            unit=Unit(head["unit"]),
            deals=Deals(head["deals"]),
            sides=tuple(_side(row, players, sides) for row in results),
        ),
        match_id=head["match_id"],
        points=tuple(row["points"] for row in results),
        rounds=head["rounds"],
        ending=head["ending"],
        blame=head["blame"],
        rated=head["rated"],
        faulty=_FAULTY.decode(head["faulty"]),
        answers=by_side([row["answers"] for row in players], sides),
        defaults=by_side([row["defaults"] for row in players], sides),
    )


def _side(result: RowMapping, players: Sequence[RowMapping], sides: int) -> Side:
    team: int = result["team"]
    sat = tuple(
        Player(bot=row["bot"], version=row["version"])
        for row in players
        if side_at(sides, row["seat"]) == team
    )
    return Side(entry=result["entry"], owner=result["owner"], players=sat)


def summary_from(head: RowMapping, lists: Lists) -> MatchSummary:
    """Return what a match brought, as it was added."""
    leg = leg_from(head, lists)
    players = _in_order(lists, PLAYERS)
    return MatchSummary(
        match_id=leg.match_id,
        practice=head["practice"],
        isolation=head["isolation"],
        players=tuple(row["name"] for row in players),
        place=leg.place,
        leg=leg,
        rounds=tuple(_round_from(row) for row in _in_order(lists, ROUNDS)),
        faults=_notes(FaultNote, _in_order(lists, FAULTS)),
        times=_notes(TimeBill, _in_order(lists, TIMES)),
        calls=_notes(CallCount, _in_order(lists, CALLS)),
        refused=tuple(row["refused"] for row in players),
        answers=tuple(row["answers"] for row in players),
        defaults=tuple(row["defaults"] for row in players),
        digest=head["digest"],
    )


def _round_from(row: RowMapping) -> RoundPoints:
    points = tuple(row[name] for name in _POINTS if row[name] is not None)
    return RoundPoints(round=row["round"], points=points, luck=row["luck"])


def _notes(kind: type[_Note], rows: Iterable[RowMapping]) -> tuple[_Note, ...]:
    fields = kind.__struct_fields__
    return tuple(kind(**{name: row[name] for name in fields}) for row in rows)


def _in_order(lists: Lists, table: Table) -> Sequence[RowMapping]:
    key = _KEY.get(table.name, "number")
    return sorted(lists.get(table.name, ()), key=lambda row: int(row[key]))
