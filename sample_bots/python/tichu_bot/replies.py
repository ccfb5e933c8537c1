"""What a program or a person wrote as an answer, read as a decision."""

import json
from collections.abc import Mapping

from tichu_bot.acts import DEFAULT, PASS, Act, CallKind, Decision, Exchange, choice_of
from tichu_bot.cards import RANKS, Play, parse
from tichu_bot.view import View

LONGEST = 120  # characters of what is wrong: it may quote the answer
Reply = str | int | Mapping[str, object]

# Words that need no reading, by what they mean.
_PASSES = ("pass",)
_DECLINES = ("decline", "no bomb", "no_bomb", "none")
_DEFAULTS = ("default",)
# Keys of which an answer has one; beside a play go `wish` and `tichu`.
_SAYINGS = ("index", "cards", "pass", "decline", "choice", "gifts", "default")
_ACT = '{"index": N} (0 is the first play), a play by its cards, or {"pass": true}'
_EXPECTED = {
    "act": _ACT,
    "bomb": '{"index": N}, or {"decline": true}',
    "call": '{"choice": "..."}, one of the choices',
    "exchange": '{"gifts": ["2j", ...]}, one text of cards for each slot, in their order',
    "choose_seat": '{"seat": N}, one of the seats',
}


def answer_from(view: View, reply: Reply) -> Decision:
    """Read an answer to the ask of `view`; ValueError says what is wrong, and what is expected.

    A mapping, or text that holds one as JSON, has the keys `index`, `cards`, `pass`, `decline`,
    `choice`, `gifts`, `seat` or `default`, and beside them `wish` and `tichu`. A number, or text
    that is one, is a play's place in `view.plays`, in `choose_seat` a seat. Any other text is a
    word (`pass`, `no_grand`), or cards; after it may come `wish 8` and `tichu`.

    >>> view = View()
    >>> view.start_ask("call")
    >>> view.call_choices = (CallKind.GRAND, CallKind.NO_GRAND)
    >>> answer_from(view, "no_grand")
    <CallKind.NO_GRAND: 3>
    """
    try:
        if isinstance(reply, str):
            return _from_text(view, reply.strip())
        if isinstance(reply, int):
            return _from_object(view, {"seat" if view.ask == "choose_seat" else "index": reply})
        return _from_object(view, reply)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        expected = _EXPECTED.get(view.ask, '{"default": true}')
        wrong = str(error.args[0])[:LONGEST]
        raise ValueError(f"{wrong}; {view.ask or 'this'} expects {expected}") from None


def _from_text(view: View, text: str) -> Decision:
    if text.startswith("{"):
        try:
            told = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"no JSON: {error}") from None
        return _from_object(view, told)
    words = text.lower().removesuffix(".").split()
    told = {}
    if words[-1:] == ["tichu"] and len(words) > 1:
        told["tichu"] = True
        words.pop()
    if words[-2:-1] == ["wish"]:
        told["wish"] = _wish(words[-1])
        del words[-2:]
    plain = " ".join(words)
    if plain in _PASSES:
        told["pass"] = True
    elif plain in _DECLINES:
        told["decline"] = True
    elif plain in _DEFAULTS:
        return DEFAULT
    elif plain.isdecimal():
        told["seat" if view.ask == "choose_seat" else "index"] = int(plain)
    elif view.ask == "call":
        told["choice"] = plain.replace(" ", "_")
    else:
        told["cards"] = " ".join(text.split()[: len(words)])
    return _from_object(view, told)


def _from_object(view: View, told: Mapping[str, object]) -> Decision:
    if not isinstance(told, Mapping):
        raise ValueError(f"{told!r} is no JSON object")
    said = [key for key in _SAYINGS if told.get(key) is not None and told[key] is not False]
    if view.ask == "choose_seat" and "seat" in told:  # else it may be the view's own, given back
        said.append("seat")
    if len(said) > 1:
        raise ValueError(f"it says {said[0]} and {said[1]} at once")
    if told.get("default"):
        return DEFAULT
    match view.ask:
        case "act" if told.get("pass"):
            return PASS._replace(tichu=_flag(told, "tichu"))
        case "act":
            wish = told.get("wish")
            return Act(
                _play(view, told), None if wish is None else _wish(wish), _flag(told, "tichu")
            )
        case "bomb" if told.get("decline") or told.get("pass"):
            return None
        case "bomb":
            return _play(view, told)
        case "call":
            return _choice(view, told["choice"])
        case "exchange":
            return _exchange(view, told)
        case "choose_seat":
            return _seat(view, told["seat"])
        case _:
            return DEFAULT


def _play(view: View, told: Mapping[str, object]) -> Play:
    if "index" in told:
        index = told["index"]
        if type(index) is not int or not 0 <= index < len(view.plays):
            raise ValueError(f"index {index!r} is none of the {len(view.plays)} plays")
        return view.plays[index]
    if "cards" not in told:
        raise ValueError("no key says what to play")
    cards = tuple(sorted(parse(_text(told["cards"]))))
    for play in view.plays:
        if tuple(sorted(play.cards)) == cards:
            return play
    if not cards:
        raise ValueError("no card is named")
    return Play(cards)  # the same pattern in other suits is as legal


def _exchange(view: View, told: Mapping[str, object]) -> Exchange:
    gifts = told["gifts"] if "gifts" in told else _text(told["cards"]).split()
    if isinstance(gifts, str) or not hasattr(gifts, "__iter__"):
        raise ValueError(f"gifts {gifts!r} is no list")
    by_slot = [parse(_text(gift)) for gift in gifts]
    sizes = [len(cards) for cards in by_slot]
    owed = [slot.size for slot in view.slots]
    if sizes != owed and not ("gifts" not in told and sum(sizes) == sum(owed)):
        raise ValueError(f"the slots want {owed} cards, the gifts have {sizes}")
    cards = tuple(card for gift in by_slot for card in gift)
    if not set(cards) <= set(view.hand) or len(set(cards)) != len(cards):
        raise ValueError("a gift is not in the hand, or given twice")
    return Exchange(cards, _flag(told, "tichu"))


def _choice(view: View, told: object) -> CallKind:
    choice = CallKind.__members__.get(_text(told).upper())
    if choice is None or choice_of(view.call_choices, choice) is None:
        raise ValueError(f"choice {told!r} is none of the choices")
    return choice


def _seat(view: View, told: object) -> int:
    if type(told) is not int or told not in view.recipients:
        raise ValueError(f"seat {told!r} is none of the seats")
    return told


def _wish(told: object) -> int:
    """Return a rank to wish for: 2 to 14, or its letter."""
    letter = str(told).upper()
    rank = RANKS.find(letter) + 2 if len(letter) == 1 and letter in RANKS else told
    number = int(rank) if isinstance(rank, str) and rank.isdecimal() else rank
    if not isinstance(number, int) or number not in range(2, 15):
        raise ValueError(f"wish {told!r} is no rank from 2 to 14")
    return number


def _flag(told: Mapping[str, object], name: str) -> bool:
    return bool(told.get(name))


def _text(told: object) -> str:
    if not isinstance(told, str):
        raise ValueError(f"{told!r} is no text")
    return told
