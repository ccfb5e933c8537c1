"""What a match brought, as rows of the tables and back."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec
from sqlalchemy import RowMapping, Table

from referee.formats.summary import CallCount, FaultNote, MatchSummary, RoundPoints, TimeBill
from referee.ladder.values import (
    TEAMS,
    Deals,
    LegPlace,
    LegResult,
    Player,
    Side,
    Unit,
)
from referee.store.ladder.refusals import SEATS
from referee.store.ladder.tables import CALLS, FAULTS, PLAYERS, RESULTS, ROUNDS, TIMES

Row = dict[str, object]
Lists = Mapping[str, Sequence[RowMapping]]  # rows of one match, by the name of their table

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
    yield RESULTS, [_result_row(leg, team, match) for team in range(TEAMS)]
    yield PLAYERS, [_player_row(summary, leg, seat, match) for seat in range(SEATS)]
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
    player = leg.place.sides[seat % TEAMS].players[seat // TEAMS]
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
        "points_0": one.points[0],
        "points_1": one.points[1],
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
    first, second = (_side(row, players) for row in results)
    return LegResult(
        place=LegPlace(
            event=head["event"],
            pairing=head["pairing"],
            board=head["board"],
            attempt=head["attempt"],
            leg=head["leg"],
            unit=Unit(head["unit"]),
            deals=Deals(head["deals"]),
            sides=(first, second),
        ),
        match_id=head["match_id"],
        points=(results[0]["points"], results[1]["points"]),
        rounds=head["rounds"],
        ending=head["ending"],
        blame=head["blame"],
        rated=head["rated"],
        faulty=_FAULTY.decode(head["faulty"]),
        answers=_by_team(players, "answers"),
        defaults=_by_team(players, "defaults"),
    )


def _by_team(players: Sequence[RowMapping], column: str) -> tuple[int, int]:
    first, second = (sum(int(row[column]) for row in players[team::TEAMS]) for team in range(TEAMS))
    return first, second


def _side(result: RowMapping, players: Sequence[RowMapping]) -> Side:
    team: int = result["team"]
    first, second = (Player(bot=row["bot"], version=row["version"]) for row in players[team::TEAMS])
    return Side(entry=result["entry"], owner=result["owner"], players=(first, second))


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
    points = (row["points_0"], row["points_1"])
    return RoundPoints(round=row["round"], points=points, luck=row["luck"])


def _notes(kind: type[_Note], rows: Iterable[RowMapping]) -> tuple[_Note, ...]:
    fields = kind.__struct_fields__
    return tuple(kind(**{name: row[name] for name in fields}) for row in rows)


def _in_order(lists: Lists, table: Table) -> Sequence[RowMapping]:
    key = _KEY.get(table.name, "number")
    return sorted(lists.get(table.name, ()), key=lambda row: int(row[key]))
