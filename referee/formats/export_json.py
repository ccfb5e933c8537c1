"""A ladder as one JSON object. Points and Elo are numbers with two decimals, None is null."""

import msgspec

from referee.formats.bot_report import in_order
from referee.formats.columns import EXPORTED_MEANINGS
from referee.formats.counting import Counting
from referee.formats.exported import Exported
from referee.ladder.table import HUNDREDTHS, Interval, PairRow, Row
from referee.ladder.values import LegResult

_Values = dict[str, object]


def json_text(exported: Exported) -> str:
    """Return the ladder: its table with all that stands under it, and the results of all legs."""
    standings = exported.standings
    whole: _Values = {
        "event": exported.event,
        "when": exported.when,
        "practice": exported.practice,
        "unit": standings.unit.value,
        "deals": exported.deals.value,
        "columns": [column.value for column in standings.columns],
        "rows": [_row(row) for row in standings.rows],
        "pairs": [_pair(pair) for pair in standings.pairs],
        "elo_anchors": dict(standings.elo_anchors),
        "notes": list(standings.notes),
        "meanings": dict(EXPORTED_MEANINGS),
        "results": [
            _result(match.leg, exported.counting)
            for match, _ in in_order(exported.matches)
            if match.leg is not None
        ],
    }
    return msgspec.json.format(msgspec.json.encode(whole), indent=2).decode() + "\n"


def _row(row: Row) -> _Values:
    values: _Values = {
        name: getattr(row, name)
        for name in Row.__struct_fields__
        if name not in ("points", "elo", "bootstrap")
    }
    values["points"] = _interval(row.points)
    for name, interval in (("elo", row.elo), ("bootstrap", row.bootstrap)):
        if interval is not None:
            values[name] = _interval(interval)
    return values


def _pair(pair: PairRow) -> _Values:
    return {
        "first": pair.first,
        "second": pair.second,
        "boards": pair.boards,
        "difference": _number(pair.difference),
        "expected": _number(pair.expected),
        "effect": _interval(pair.effect),
    }


def _interval(interval: Interval | None) -> _Values | None:
    if interval is None:
        return None
    ends = {"low": interval.low, "high": interval.high}
    return {
        "value": _number(interval.value),
        **{name: None if end is None else _number(end) for name, end in ends.items()},
    }


def _number(hundredths: int) -> float:
    return hundredths / HUNDREDTHS


def _result(leg: LegResult, counting: Counting) -> _Values:
    place = leg.place
    return {
        "pairing": place.pairing,
        "board": place.board,
        "attempt": place.attempt,
        "leg": place.leg,
        "match": leg.match_id,
        "teams": [side.entry for side in place.sides],
        "points": list(leg.points),
        "rounds": leg.rounds,
        "ending": leg.ending,
        "blame": leg.blame,
        "rated": leg.rated,
        "faulty": list(leg.faulty),
        "counts": leg.match_id in counting.counted,
        "why_not": counting.why_not(leg.match_id),
    }
