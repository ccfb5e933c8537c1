"""What a hand knew when it was asked, and what it chose: the JSON of the sample bots' page.

A view is built from the snapshot of the player that was asked, which holds nothing that the player
may not know.
"""

from collections.abc import Mapping

from referee.match.machine import Machine
from referee.match.step import Ask, Choice
from referee.match.values import AskKind
from referee.rules.cards import card_numbers, card_points
from referee.rules.combinations import Combination
from referee.rules.errors import RefereeBug
from referee.rules.exchanges import Forced
from referee.rules.notation import format_cards
from referee.rules.phases import CallKind
from referee.rules.seat import Seat
from referee.rules.views import PublicView

Json = dict[str, object]

_BETS = (CallKind.TICHU, CallKind.GRAND, CallKind.GREAT_GRAND)


def view_of(machine: Machine, ask: Ask) -> Json:
    """Return the view of the hand that is asked, as `python -m tichu_bot.stdio` would write it.

    The machine stands where the ask was put.
    """
    known = machine.snapshot(ask.to).view
    if known is None:
        raise RefereeBug(f"ask {ask.id} of seat {ask.to} was put before a deal")
    public = known.public
    hand = known.hand if ask.seat == ask.to else dict(known.open_hands).get(ask.seat, 0)
    partners, opponents = _sides(public, ask.seat)
    view: Json = {
        "ask": ask.kind.value,
        "seat": ask.seat,
        "partners": partners,
        "opponents": opponents,
        "hand": format_cards(hand),
        "counts": list(public.hand_counts),
        **_asked(ask),
    }
    if public.table is not None:
        view |= {"table": _play(public.table), "owner": public.owner}
    calls = {str(seat): call.value for seat, call in enumerate(public.calls) if call in _BETS}
    view["trick_points"] = card_points(public.trick)
    view["calls"] = calls
    view["called"] = str(ask.seat) in calls
    return view


def choice_of(ask: Ask) -> Json:
    """Return what was chosen, in the words of an answer."""
    choice = ask.choice
    if choice is None:
        raise RefereeBug(f"ask {ask.id} of seat {ask.to} was answered without a choice")
    match ask.kind:
        case AskKind.CALL:
            return {"choice": str(choice.call)}
        case AskKind.CHOOSE_SEAT:
            return {"seat": choice.seat}
        case AskKind.EXCHANGE:
            return {"gifts": [format_cards(mask) for mask in choice.cards], **_tichu(choice)}
        case AskKind.BOMB:
            return {"decline": True} if choice.play is None else _named(ask, choice.play)
        case AskKind.ACT:
            if choice.play is None:
                return {"pass": True, **_tichu(choice)}
            wish = {"wish": choice.wish} if choice.wish else {}
            return {**_named(ask, choice.play), **wish, **_tichu(choice)}


def _named(ask: Ask, play: Combination) -> Json:
    """Return the place of a play among those of the ask; its cards where others are listed."""
    if play in ask.plays:
        return {"index": ask.plays.index(play)}
    return {"cards": format_cards(play.cards)}


def _tichu(choice: Choice) -> Mapping[str, object]:
    return {"tichu": True} if choice.tichu else {}


def _sides(public: PublicView, seat: Seat) -> tuple[list[int], list[int]]:
    """Return partners and opponents, each in turn order after the seat."""
    order = list(public.order)
    at = order.index(seat)
    others = order[at + 1 :] + order[:at]
    teams = public.teams
    partners = [int(other) for other in others if teams and teams[other] == teams[seat]]
    return partners, [int(other) for other in others if other not in partners]


def _asked(ask: Ask) -> Json:
    """Return what the kind of ask has of its own."""
    plays = [_play(play) for play in ask.plays]
    match ask.kind:
        case AskKind.ACT:
            return {
                "plays": plays,
                "may_pass": ask.may_pass,
                "leading": ask.leading,
                "may_call_tichu": ask.may_call_tichu,
            }
        case AskKind.BOMB:
            return {"plays": plays}
        case AskKind.CALL:
            return {"choices": [choice.value for choice in ask.choices]}
        case AskKind.EXCHANGE:
            slots = [
                {"to_seat": to, "count": size, "forced": forced is not Forced.FREE}
                for to, size, forced in ask.slots
            ]
            return {"slots": slots, "may_call_tichu": ask.may_call_tichu}
        case AskKind.CHOOSE_SEAT:
            why = {} if ask.why is None else {"why": ask.why.value}
            return {"seats": list(ask.seats), **why}


def _play(play: Combination) -> Json:
    return {
        "cards": " ".join(format_cards(1 << number) for number in card_numbers(play.cards)),
        "kind": play.kind.name.lower(),
        "rank_halves": play.rank2,
    }
