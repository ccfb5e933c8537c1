"""What the services for people and pages answer, as messages; and the tokens of their pages."""

import base64
import binascii
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from referee._gen.tichu.referee.v1 import ladder_pb2, match_pb2, matches_pb2, registry_pb2
from referee.ladder.table import HUNDREDTHS, Interval, Row
from referee.ladder.values import LegKey, LegResult
from referee.match.values import Blame, Ending
from referee.ports.services import (
    IssuedToken,
    MatchInfo,
    MatchState,
    Published,
    RegisteredBot,
)
from referee.wire.fragments import tag
from referee.wire.numbers import BLAMES, ENDINGS

_K = TypeVar("_K")
_EVENTS = tag(matches_pb2.WatchMatchResponse.EVENTS_FIELD_NUMBER)
_STATES = {
    MatchState.RUNNING: matches_pb2.MATCH_STATE_RUNNING,
    MatchState.SEALED: matches_pb2.MATCH_STATE_SEALED,
    MatchState.OVER: matches_pb2.MATCH_STATE_OVER,
}


# --- ladders


def standings_of(now: Published) -> ladder_pb2.Standings:
    """Return the table of a ladder."""
    table = now.standings
    return ladder_pb2.Standings(
        ladder=now.ladder,
        unit=table.unit.value,
        rows=[_row(row) for row in table.rows],
        notes=table.notes,
        results=len(now.results),
    )


def _row(row: Row) -> ladder_pb2.StandingsRow:
    return ladder_pb2.StandingsRow(
        rank=row.rank,
        best_rank=row.best,
        worst_rank=row.worst,
        entry=row.entry,
        owner=row.owner,
        bots=row.bots,
        boards=row.boards,
        points=None if row.points is None else _estimate(row.points),
        wins=row.wins,
        ties=row.ties,
        losses=row.losses,
        void_boards=row.void,
        faults=row.faults,
        unknown=row.unknown,
        unknown_charged=row.charged,
        state=row.state,
    )


def _estimate(interval: Interval) -> ladder_pb2.Estimate:
    return ladder_pb2.Estimate(
        value=interval.value / HUNDREDTHS,
        low=None if interval.low is None else interval.low / HUNDREDTHS,
        high=None if interval.high is None else interval.high / HUNDREDTHS,
    )


def outcome_of(result: LegResult, *, counted: bool) -> ladder_pb2.LegOutcome:
    """Return what a leg brought."""
    place = result.place
    return ladder_pb2.LegOutcome(
        match_id=result.match_id,
        pairing=place.pairing,
        board=place.board,
        attempt=place.attempt,
        leg=place.leg,
        entries=[side.entry for side in place.sides],
        points=result.points,
        rounds=result.rounds,
        ending=ENDINGS[Ending(result.ending)],
        blame=BLAMES[Blame(result.blame)],
        rated=result.rated,
        faulty=result.faulty,
        counted=counted,
    )


# --- matches


def match_of(info: MatchInfo) -> matches_pb2.MatchInfo:
    """Return what everybody may know of a match."""
    return matches_pb2.MatchInfo(
        match_id=info.match_id,
        state=_STATES[info.state],
        names=info.names,
        ending=match_pb2.ENDING_UNSPECIFIED if info.ending is None else ENDINGS[info.ending],
        totals=info.totals,
        rounds=info.rounds,
    )


def watched(
    *, info: MatchInfo | None = None, delay: int | None = None, events: Sequence[bytes] = ()
) -> bytes:
    """Return one message to somebody who watches; `events` are encoded with their lengths."""
    head = matches_pb2.WatchMatchResponse(
        match=None if info is None else match_of(info), delay_tricks=delay
    )
    return head.SerializeToString() + b"".join([_EVENTS + event for event in events])


# --- bots


def bot_of(bot: RegisteredBot) -> registry_pb2.RegisteredBot:
    """Return a bot that has tokens."""
    return registry_pb2.RegisteredBot(
        name=bot.name,
        owner=bot.owner,
        processes=[
            registry_pb2.BotProcess(number=one.number, ready=one.ready, matches=one.matches)
            for one in bot.processes
        ],
    )


def token_of(issued: IssuedToken) -> registry_pb2.IssuedToken:
    """Return a token."""
    return registry_pb2.IssuedToken(process=issued.process, token=issued.token)


# --- pages


def page_token(key: str | LegKey) -> str:
    """Return the token of the page behind the entry with this key."""
    return base64.urlsafe_b64encode(msgspec.json.encode(key)).decode()


def key_of(token: str) -> str | None:
    """Return the key in the token of a page; None for a text that is none."""
    return _decoded(token, str)


def leg_key_of(token: str) -> LegKey | None:
    """Return the key of a result in the token of a page; None for a text that is none."""
    return _decoded(token, LegKey)


def _decoded(token: str, kind: type[_K]) -> _K | None:
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(token), type=kind)
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        return None
