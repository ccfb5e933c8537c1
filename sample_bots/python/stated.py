"""Views and answers as the JSON of the vectors: cards as text, an empty key left out."""

from collections.abc import Mapping
from typing import Any  # noqa: TID251 - what JSON holds

from strategy import Answer, Play, Slot, View
from tichu_bot.cards import parse, show


def read_view(view: Mapping[str, Any]) -> View:
    """Return the view that a vector states. KeyError where what every view has is missing."""
    table = view.get("table")
    return View(
        ask=view["ask"],
        seat=view["seat"],
        partners=tuple(view.get("partners", ())),
        opponents=tuple(view.get("opponents", ())),
        hand=parse(view.get("hand", "")),
        counts=tuple(view.get("counts", ())),
        plays=tuple(map(_read_play, view.get("plays", ()))),
        may_pass=view.get("may_pass", False),
        leading=view.get("leading", False),
        may_call_tichu=view.get("may_call_tichu", False),
        table=_read_play(table) if table else None,
        owner=view.get("owner"),
        trick_points=view.get("trick_points", 0),
        calls={int(seat): call for seat, call in view.get("calls", {}).items()},
        called=view.get("called", False),
        choices=tuple(view.get("choices", ())),
        slots=tuple(map(_read_slot, view.get("slots", ()))),
        seats=tuple(view.get("seats", ())),
        why=view.get("why", ""),
    )


def _read_play(play: Mapping[str, Any]) -> Play:
    return Play(
        cards=parse(play["cards"]), kind=play["kind"], rank_halves=play.get("rank_halves", 0)
    )


def _read_slot(slot: Mapping[str, Any]) -> Slot:
    return Slot(to_seat=slot["to_seat"], count=slot["count"], forced=slot.get("forced", False))


def write_answer(answer: Answer) -> dict[str, Any]:
    """Return the answer as a vector states it.

    >>> write_answer({"gifts": ((8,), (58, 59))})
    {'gifts': ['2j', 'Ap Ar']}
    """
    written: dict[str, Any] = {**answer}
    if "gifts" in answer:
        written["gifts"] = [show(cards) for cards in answer["gifts"]]
    return written
