"""A view as JSON: what programs get that read and write lines (`python -m tichu_bot.stdio`).

Cards are text, ascending by number. What an ask does not have is left out.
"""

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import cast

from tichu_bot.acts import CallKind
from tichu_bot.cards import Kind, Play, parse, show
from tichu_bot.view import Plays, Slot, View, Why

JsonObject = dict[str, object]


def to_json(view: View) -> JsonObject:
    """Return the view as `json.dumps` can write it."""
    told: JsonObject = {
        "ask": view.ask or "unknown",
        "seat": view.seat,
        "partners": list(view.partners),
        "opponents": list(view.opponents),
        "hand": show(sorted(view.hand)),
        "counts": list(view.counts),
    }
    told |= _asked(view)
    if view.table is not None:
        told |= {"table": _play(view.table), "owner": view.owner}
    told["trick_points"] = view.table_points
    told["calls"] = {str(seat): _word(call) for seat, call in sorted(view.calls.items())}
    told["called"] = view.seat in view.calls
    return told


def _asked(view: View) -> JsonObject:
    """What the ask has of its own."""
    match view.ask:
        case "act":
            return {
                "plays": [_play(play) for play in view.plays],
                "may_pass": view.may_pass,
                "leading": view.leading,
                "may_call_tichu": view.may_call_tichu,
            }
        case "bomb":
            return {"plays": [_play(play) for play in view.plays]}
        case "call":
            return {"choices": [_word(call) for call in view.call_choices]}
        case "exchange":
            return {
                "slots": [
                    {
                        "to_seat": slot.to_seat,
                        "count": slot.size,
                        "forced": slot.forced_best or slot.forced_worst,
                    }
                    for slot in view.slots
                ],
                "may_call_tichu": view.may_call_tichu,
            }
        case "choose_seat":
            why = {} if view.why is Why.UNKNOWN else {"why": _word(view.why)}
            return {"seats": list(view.recipients), **why}
        case _:
            return {}


def _play(play: Play) -> JsonObject:
    return {
        "cards": show(sorted(play.cards)),
        "kind": _word(play.kind),
        "rank_halves": play.rank_halves,
    }


def _word(value: CallKind | Kind | Why) -> str:
    return value.name.lower()


def from_json(given: str | Mapping[str, object]) -> View:
    """Return the view that `to_json` wrote; ValueError where it is none."""
    told = json.loads(given) if isinstance(given, str) else given
    if not isinstance(told, Mapping):
        raise ValueError("a view is a JSON object")
    try:
        return _view(told)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"this JSON is no view: {error!r}") from None


def _view(told: Mapping[str, object]) -> View:
    view = View()
    seat, counts = _number(told["seat"]), _numbers(told["counts"])
    partners, opponents = _numbers(told.get("partners")), _numbers(told.get("opponents"))
    view.names = tuple(f"seat {number}" for number in range(len(counts)))
    view.player_seats = tuple(range(len(counts)))
    sides = itertools.zip_longest(opponents, partners)  # who sits between whom is not told
    order = (seat, *(other for pair in sides for other in pair if other is not None))
    if partners:
        view.teams = tuple(int(s != seat and s not in partners) for s in range(len(counts)))
    view.start_round(1, 0, (), turn_order=order)
    ask = str(told["ask"])
    view.start_ask("" if ask == "unknown" else ask)
    view.own_seat = view.seat = seat
    view.counts = counts
    view.hands = {seat: tuple(sorted(parse(str(told["hand"]))))}
    if told.get("table") is not None:
        view.table = _read_play(told["table"])
        view.owner = None if told.get("owner") is None else _number(told["owner"])
    view.table_points = _number(told.get("trick_points", 0))
    calls = cast(Mapping[str, str], told.get("calls", {}))
    view.calls = {int(caller): CallKind[call.upper()] for caller, call in calls.items()}
    _take_ask(view, told)
    return view


def _take_ask(view: View, told: Mapping[str, object]) -> None:
    view.plays = Plays.of([_read_play(play) for play in _list(told.get("plays"))])
    view.may_pass = bool(told.get("may_pass"))
    view.leading = bool(told.get("leading"))
    view.may_call_tichu = bool(told.get("may_call_tichu"))
    view.call_choices = tuple(CallKind[str(c).upper()] for c in _list(told.get("choices")))
    slots = cast(Sequence[Mapping[str, int]], _list(told.get("slots")))
    view.slots = tuple(
        Slot(slot["to_seat"], slot.get("count", 1), bool(slot.get("forced"))) for slot in slots
    )
    view.recipients = tuple(_numbers(told.get("seats")))
    view.why = Why[str(told.get("why") or "unknown").upper()]


def _read_play(told: object) -> Play:
    play = cast(Mapping[str, object], told)
    cards = tuple(sorted(parse(str(play["cards"]))))
    return Play(cards, Kind[str(play["kind"]).upper()], _number(play["rank_halves"]))


def _list(told: object) -> Sequence[object]:
    return cast(Sequence[object], told or ())


def _numbers(told: object) -> list[int]:
    return [_number(one) for one in _list(told)]


def _number(told: object) -> int:
    if not isinstance(told, int) or isinstance(told, bool):
        raise TypeError(f"{told!r} is no number")
    return told
