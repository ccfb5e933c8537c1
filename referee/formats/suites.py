"""Suites: positions with a question, and what of an answer is right or wrong.

A line is a vector (its id, title, options, start, steps) with `seat`, `ask`, and `one_of`,
`none_of`. What an answer meant is compared, not how it was written: the same pattern in other suits
is the same, as are cards of the same rank in an exchange; only bombs are compared card by card.
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from referee.formats.printable import printable
from referee.formats.vector_fields import (
    as_cards,
    as_list,
    as_object,
    as_rank,
    as_seat,
    as_text,
    decode_object,
    known_keys,
    shown,
)
from referee.formats.vector_parsing import parse_start, parse_steps, parse_vector_options
from referee.formats.vector_steps import Step
from referee.match.step import Choice
from referee.match.values import AskKind
from referee.rules.cards import DUPLICATE, card_numbers, rank_of
from referee.rules.combinations import BOMB, Combination, read
from referee.rules.errors import NotationError
from referee.rules.exchanges import Slots
from referee.rules.notation import format_cards, format_play, format_rank, parse_play
from referee.rules.options import RuleOptions, seats
from referee.rules.phases import CallKind
from referee.rules.position import Position
from referee.rules.refusals import Refusal
from referee.rules.seat import Seat

_KEYS = ("id", "title", "options", "start", "steps", "seat", "ask", "one_of", "none_of")
_ENTRY_KEYS = ("play", "wish", "call", "exchange", "seat")
PASS, NO_BOMB, DEFAULT, NO_TICHU = "pass", "no_bomb", "default", "no_tichu"
_WORDS = (PASS, NO_BOMB, DEFAULT, NO_TICHU, *CallKind)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer may be: everything that is set must hold of it."""

    text: str  # for people
    play: Combination | None = None
    words: tuple[str, ...] = ()  # of _WORDS
    wish: int | None = None
    gifts: tuple[int | None, ...] = ()  # one card each, in the order of a vector; None = any
    seat: Seat | None = None


class SuiteLine(msgspec.Struct, frozen=True, kw_only=True):
    """A position with a question. At least one of the lists is not empty."""

    name: str
    title: str
    start: Position
    steps: tuple[Step, ...]
    seat: Seat | None  # None: the only one that can be asked
    kind: AskKind | None
    one_of: tuple[Entry, ...]
    none_of: tuple[Entry, ...]


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot answered, checked: `choice` is what it means in the position."""

    kind: AskKind
    choice: Choice
    slots: Slots = ()
    tichu: bool = False  # called, riding or alone
    default: bool = False  # it asked for the substitute action


class BadLine(msgspec.Struct, frozen=True):
    """A line that is none of a suite: what is wrong, where, and the cure."""

    fault: str


def read_suite(lines: Iterable[bytes]) -> Iterator[tuple[int, SuiteLine | BadLine]]:
    """Yield the lines of a suite with their numbers, from 1; blank lines are skipped.

    An id that comes twice is a fault of the second.
    """
    names: dict[str, int] = {}
    for number, data in enumerate(lines, start=1):
        if number == 1:
            data = data.removeprefix(b"\xef\xbb\xbf")  # an editor's byte order mark
        if not data.strip():
            continue
        try:
            line = parse_suite_line(data)
            if line.name in names:
                raise NotationError(f"id {shown(line.name)} is that of line {names[line.name]} too")
        except NotationError as wrong:
            yield number, BadLine(printable(str(wrong)))
            continue
        names[line.name] = number
        yield number, line


def parse_suite_line(data: bytes) -> SuiteLine:
    """Return the question of one line. Raises `NotationError` that says what is wrong with it."""
    raw = decode_object(data)
    known_keys(raw, _KEYS, "line")
    for key in ("id", "start"):
        if key not in raw:
            raise NotationError(f"{key} is missing")
    name = as_text(raw["id"], "id")
    if not name:
        raise NotationError("id is empty; name the position")
    options = parse_vector_options(raw)
    try:
        start = parse_start(as_object(raw["start"], "start"), options)
    except NotationError as wrong:
        raise NotationError(f"start: {wrong}") from None
    one_of = _entries(raw, "one_of", options)
    none_of = _entries(raw, "none_of", options)
    if not one_of and not none_of:
        raise NotationError("one_of and none_of are empty; say which answers are right, or wrong")
    if one_of and all(entry in none_of for entry in one_of):
        raise NotationError("everything in one_of stands in none_of too, so nothing can pass")
    return SuiteLine(
        name=name,
        title=as_text(raw.get("title", ""), "title"),
        start=start,
        steps=parse_steps(raw.get("steps", []), options),
        seat=as_seat(raw["seat"], "seat", seats(options)) if "seat" in raw else None,
        kind=_kind(raw["ask"]) if "ask" in raw else None,
        one_of=one_of,
        none_of=none_of,
    )


def _kind(value: object) -> AskKind:
    text = as_text(value, "ask")
    try:
        return AskKind(text)
    except ValueError:
        raise NotationError(f"ask: {shown(text)} is none of {', '.join(AskKind)}") from None


def _entries(raw: Mapping[str, object], key: str, options: RuleOptions) -> tuple[Entry, ...]:
    items = enumerate(as_list(raw.get(key, []), key))
    return tuple([_entry(item, f"{key}[{at}]", options) for at, item in items])


def _entry(value: object, where: str, options: RuleOptions) -> Entry:
    if isinstance(value, str):
        if value in _WORDS:
            return Entry(text=value, words=(value,))
        named = _play(value, where, options)
        return Entry(text=format_play(named), play=named)
    raw = as_object(value, where)
    known_keys(raw, _ENTRY_KEYS, where)
    if not raw:
        raise NotationError(f"{where} is empty; name a play, wish, call, exchange or seat")
    words: tuple[str, ...] = ()
    play = None
    if raw.get("play") in (PASS, NO_BOMB):
        words = (as_text(raw["play"], where),)
    elif "play" in raw:
        play = _play(as_text(raw["play"], f"{where}: play"), f"{where}: play", options)
    if "call" in raw:
        call = as_text(raw["call"], f"{where}: call")
        if call not in _WORDS[3:]:
            raise NotationError(f"{where}: call: {shown(call)} is none of {', '.join(_WORDS[3:])}")
        words = (*words, call)
    wish = as_rank(raw["wish"], f"{where}: wish") if "wish" in raw else None
    gifts = _gifts(raw["exchange"], f"{where}: exchange") if "exchange" in raw else ()
    seat = as_seat(raw["seat"], f"{where}: seat", seats(options)) if "seat" in raw else None
    entry = Entry(text="", play=play, words=words, wish=wish, gifts=gifts, seat=seat)
    return msgspec.structs.replace(entry, text=_entry_text(entry))


def _entry_text(entry: Entry) -> str:
    parts = [] if entry.play is None else [format_play(entry.play)]
    if entry.gifts:
        parts.append("gives " + _gift_texts(entry.gifts))
    if entry.seat is not None:
        parts.append(f"seat {entry.seat}")
    if entry.wish is not None:
        parts.append(f"wish {format_rank(entry.wish)}")
    return ", ".join([*parts, *entry.words])


def _play(text: str, where: str, options: RuleOptions) -> Combination:
    try:
        cards, phoenix_rank = parse_play(text)
    except NotationError as wrong:
        raise NotationError(f"{where}: {wrong}; words are {', '.join(_WORDS)}") from None
    judged = read(cards, phoenix_rank, two_phoenixes=options.gs_two_phoenix_in_combo)
    if isinstance(judged, Refusal) or cards & DUPLICATE:
        raise NotationError(f"{where}: {shown(text)} is no combination")
    return judged


def _gifts(value: object, where: str) -> tuple[int | None, ...]:
    return tuple([None if card is None else _card(card, where) for card in as_list(value, where)])


def _card(value: object, where: str) -> int:
    card = as_cards(value, where)
    if card.bit_count() != 1 or card & DUPLICATE:
        raise NotationError(f"{where}: {shown(value)} is not one card; null is any")
    return card


# What fits what


def fault_of(line: SuiteLine, given: Given) -> str | None:
    """Return `expected ..., got ...` for an answer that is not right, None for one that is."""
    if line.one_of and not any(matches(entry, given) for entry in line.one_of):
        return f"expected {expected_text(line)}, got {given_text(given)}"
    if any(matches(entry, given) for entry in line.none_of):
        return f"expected {expected_text(line)}, got {given_text(given)}"
    if given.default and all(DEFAULT not in entry.words for entry in line.one_of):
        return f"expected {expected_text(line)}, got {given_text(given)}"
    return None


def expected_text(line: SuiteLine) -> str:
    """Return what a line wants, for people."""
    parts = []
    if line.one_of:
        parts.append(" or ".join([entry.text for entry in line.one_of]))
    if line.none_of:
        parts.append("not " + " nor ".join([entry.text for entry in line.none_of]))
    return ", ".join(parts)


def given_text(given: Given) -> str:
    """Return what was answered, for people."""
    choice = given.choice
    match given.kind:
        case AskKind.CALL:
            text = str(choice.call)
        case AskKind.EXCHANGE:
            text = "gives " + _gift_texts(tuple(_named_cards(given)))
        case AskKind.CHOOSE_SEAT:
            text = f"seat {choice.seat}"
        case AskKind.ACT | AskKind.BOMB:
            nothing = PASS if given.kind is AskKind.ACT else NO_BOMB
            text = nothing if choice.play is None else format_play(choice.play)
    if choice.wish:
        text += f", wish {format_rank(choice.wish)}"
    if given.tichu:
        text += ", tichu"
    return f"default ({text})" if given.default else text


def _gift_texts(gifts: Iterable[int | None]) -> str:
    return " ".join(["any" if card is None else format_cards(card) for card in gifts])


def matches(entry: Entry, given: Given) -> bool:
    """Tell whether an answer is what an entry says."""
    choice = given.choice
    if entry.play is not None and not (choice.play and _same_play(entry.play, choice.play)):
        return False
    if not all(_says(word, given) for word in entry.words):
        return False
    if entry.wish is not None and entry.wish != choice.wish:
        return False
    if entry.seat is not None and entry.seat != choice.seat:
        return False
    return not entry.gifts or _same_gifts(entry.gifts, given)


def _says(word: str, given: Given) -> bool:
    choice, kind = given.choice, given.kind
    match word:
        case "pass":
            return kind is AskKind.ACT and choice.play is None
        case "no_bomb":
            return kind is AskKind.BOMB and choice.play is None
        case "default":
            return given.default
        case "no_tichu":
            return not given.tichu
        case CallKind.TICHU:
            return given.tichu
        case _:
            return choice.call == word


def _same_play(wanted: Combination, got: Combination) -> bool:
    if BOMB in (wanted.kind, got.kind):
        return wanted.cards == got.cards
    return _pattern(wanted) == _pattern(got)


def _pattern(play: Combination) -> tuple[object, ...]:
    """Return the ranks of a play, and what its Phoenixes stand for; alone one stands for itself."""
    return (*_ranks(play.cards), "as", play.phoenix_rank, play.second_phoenix_rank)


def _ranks(cards: int) -> list[str]:
    return sorted([_rank_text(number) for number in card_numbers(cards)])


def _rank_text(number: int) -> str:
    """Return the rank of a card, the name of a special one; the pack makes no difference."""
    text = format_cards(1 << number).rstrip("'")
    return text[0] if rank_of(number) > 1 else text


def _same_gifts(wanted: tuple[int | None, ...], given: Given) -> bool:
    """Slot by slot, whatever the order within one."""
    cards = list(_named_cards(given))
    if len(wanted) != len(cards):
        return False
    at = 0
    for slot in given.slots:
        got = [_rank_text(card.bit_length() - 1) for card in cards[at : at + slot.count]]
        for want in wanted[at : at + slot.count]:
            if want is None:
                continue
            rank = _rank_text(want.bit_length() - 1)
            if rank not in got:
                return False
            got.remove(rank)
        at += slot.count
    return True


def _named_cards(given: Given) -> Iterator[int]:
    for mask in given.choice.cards:
        yield from (1 << number for number in card_numbers(mask))
