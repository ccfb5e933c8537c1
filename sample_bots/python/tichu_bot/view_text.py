"""A position in words, for people and for models of language.

Names of bots are left out: they are what others chose to write.
"""

from collections.abc import Iterable, Sequence

from tichu_bot.acts import CallKind
from tichu_bot.cards import MAH_JONG, RANKS, SECOND_PACK, Play, show
from tichu_bot.view import Slot, View, Why

_GAMES = {
    "": "Tichu",
    "trichu": "Trichu",
    "tientsin": "Tientsin",
    "grand_seigneur": "Grand Seigneur",
}


def text_of(view: View) -> str:
    """Return the position, what is asked, and how to answer."""
    lines = [_who(view), *_score(view), _hand(view), _counts(view), *_calls(view), *_table(view)]
    return "\n".join([*lines, *_asked(view)])


def _who(view: View) -> str:
    game = _GAMES.get(view.options.get("variant", ""), "Tichu")
    partners, opponents = _seats(view.partners), _seats(view.opponents)
    own = f"you are seat {view.seat}" + (f", your partner is {partners}" if partners else "")
    return f"{game}, round {view.round}: {own}, opponents are {opponents}."


def _score(view: View) -> list[str]:
    if not view.totals:
        return []
    if len(view.totals) == len(view.names):  # Trichu: by seat
        each = (f"seat {seat} {view.totals[seat]}" for seat in view.player_seats)
        return [f"Score: {', '.join(each)}."]
    own = view.teams[view.seat]
    others = (total for team, total in enumerate(view.totals) if team != own)
    return [f"Score: your team {view.totals[own]}, the other {', '.join(map(str, others))}."]


def _hand(view: View) -> str:
    held = view.hand
    return f"Your hand ({len(held)}): {show(sorted(held)) or 'no cards yet'}"


def _counts(view: View) -> str:
    left = (f"seat {seat} {view.counts[seat] or 'is out'}" for seat in view.others)
    return f"Cards of the others: {', '.join(left)}."


def _calls(view: View) -> list[str]:
    lines = []
    if view.calls:
        made = (f"seat {seat} {_word(call)}" for seat, call in view.calls.items())
        lines.append(f"Called: {', '.join(made)}.")
    if view.wish is not None:
        lines.append(f"Wished for: {_rank(view.wish)}. Who can play it on turn has to.")
    return lines


def _table(view: View) -> list[str]:
    if view.table is None or view.owner is None:
        return []
    whose = (
        "yours" if view.owner == view.seat else f"by seat {view.owner}, {_side(view, view.owner)}"
    )
    return [
        f"On the table: {_play(view.table)}, {whose}; the trick has {view.table_points} points."
    ]


def _asked(view: View) -> list[str]:
    match view.ask:
        case "act":
            return _act(view)
        case "bomb":
            return [
                "You may throw a bomb now:",
                *_numbered(view.plays),
                'Answer with its number, or "decline".',
            ]
        case "call":
            return _call(view)
        case "exchange":
            slots = ", ".join(_slot(view, slot) for slot in view.slots)
            tichu = ' Add "tichu" to call Tichu first.' if view.may_call_tichu else ""
            return [f"Give cards away: {slots}.", f"Answer with the cards in this order.{tichu}"]
        case "choose_seat":
            what = "the lead" if view.why is Why.DOG else "the trick that the Dragon won"
            seats = (f"seat {s} ({view.counts[s]} cards)" for s in view.recipients)
            return [f"Who gets {what}: {', '.join(seats)}?", "Answer with the seat's number."]
        case _:
            return []


def _act(view: View) -> list[str]:
    turn = "You lead" if view.leading else "It is your turn"
    lines = [f"{turn}. Your plays:", *_numbered(view.plays)]
    if not view.plays:
        lines = [f"{turn}, and nothing you have can be played."]
    answers = ["the number of a play"] if view.plays else []
    answers += ['"pass"'] if view.may_pass else []
    lines.append(f"Answer with {' or '.join(answers)}.")
    if any(card % SECOND_PACK == MAH_JONG for card in view.hand) and view.leading:
        must = (
            "With the Mah Jong a wish must"
            if view.wish_required
            else "With the Mah Jong a wish may"
        )
        lines.append(f'{must} follow: "0 wish 8".')
    if view.may_call_tichu:
        lines.append('Add "tichu" to call Tichu with it.')
    return lines


def _call(view: View) -> list[str]:
    choices = " or ".join(f'"{_word(call)}"' for call in view.call_choices)
    if view.judged is not None:
        call = view.calls.get(view.judged, CallKind.UNKNOWN)
        return [f"Seat {view.judged} called {_word(call)}.", f"Answer with {choices}."]
    return [f"A bet? Answer with {choices}."]


def _numbered(plays: Sequence[Play]) -> list[str]:
    return [f"  {number}  {_play(play)}" for number, play in enumerate(plays)]


def _play(play: Play) -> str:
    phoenix = [rank for rank in (play.phoenix_rank, play.second_phoenix_rank) if rank is not None]
    stands = f", the Phoenix as {' and '.join(map(_rank, phoenix))}" if phoenix else ""
    return f"{show(sorted(play.cards))} ({play.kind.name.lower().replace('_', ' ')}{stands})"


def _slot(view: View, slot: Slot) -> str:
    cards = "1 card" if slot.size == 1 else f"{slot.size} cards"
    forced = " (your best)" if slot.forced_best else " (your worst)" if slot.forced_worst else ""
    return f"{cards}{forced} to seat {slot.to_seat}, {_side(view, slot.to_seat)}"


def _side(view: View, seat: int) -> str:
    return "your partner" if seat in view.partners else "an opponent"


def _seats(seats: Iterable[int]) -> str:
    return " and ".join(f"seat {seat}" for seat in seats)


def _rank(rank: int) -> str:
    return RANKS[rank - 2] if 2 <= rank < len(RANKS) + 2 else str(rank)


def _word(call: CallKind) -> str:
    return call.name.lower()
