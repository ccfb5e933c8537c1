"""From the JSON of a rule vector to values. Strict: what the notation does not name is a fault."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

from referee.formats.vector_fields import (
    as_cards,
    as_held_cards,
    as_int,
    as_list,
    as_object,
    as_rank,
    as_seat,
    as_seat_key,
    as_text,
    as_true,
    decode_object,
    known_keys,
    shown,
    unknown_keys,
)
from referee.formats.vector_steps import (
    PASS,
    UNNAMED,
    AnyError,
    CallStep,
    CheckStep,
    CollectStep,
    DogStep,
    DragonStep,
    ExchangeStep,
    Expected,
    PassStep,
    PlayStep,
    Step,
    Vector,
)
from referee.rules.cards import (
    DOG,
    DUPLICATE,
    ONE_PACK,
    PHOENIXES,
    SECOND_DRAGON,
    SECOND_PHOENIX,
    SECOND_RANKED,
    Seat,
)
from referee.rules.errors import ConfigError, NotationError
from referee.rules.notation import parse_cards, parse_play, parse_rank
from referee.rules.option_values import GsDog, Variant
from referee.rules.options import RuleOptions, parse_options, seats
from referee.rules.phases import CallKind, Phase
from referee.rules.position import Position
from referee.rules.refusals import Refusal
from referee.rules.round_state import FIRST_CARDS

_VECTOR_KEYS = ("id", "title", "options", "start", "steps")
_START_KEYS = (
    "phase", "hands", "won", "out", "lead", "calls", "played", "wish", "scores", "ranks",
    "dealer", "turn_order",
)  # fmt: skip
_Code = TypeVar("_Code", bound=StrEnum)
_Item = TypeVar("_Item")
_Other = TypeVar("_Other")


def parse_line(data: bytes) -> Vector:
    """Return the vector of one line. Raises `NotationError` that says what is wrong with it."""
    return parse_vector(decode_object(data))


def parse_vector(raw: Mapping[str, object]) -> Vector:
    """Return the vector of a decoded object. Raises `NotationError`."""
    known_keys(raw, _VECTOR_KEYS, "vector")
    for key in ("id", "start", "steps"):
        if key not in raw:
            raise NotationError(f"vector: {key} is missing")
    name = as_text(raw["id"], "id")
    if not name:
        raise NotationError("id is empty")
    as_text(raw.get("title", ""), "title")
    options = parse_vector_options(raw)
    try:
        start = parse_start(as_object(raw["start"], "start"), options)
    except NotationError as wrong:
        raise NotationError(f"start: {wrong}") from None
    return Vector(name=name, start=start, steps=parse_steps(raw["steps"], options))


def parse_vector_options(raw: Mapping[str, object]) -> RuleOptions:
    """Return the options of a vector; raises `NotationError` with the reason.

    In Grand Seigneur the number of hands is the number of seats, unless the options say it (I).
    """
    given = as_object(raw.get("options", {}), "options")
    start = raw.get("start")
    hands = start.get("hands") if isinstance(start, dict) else None
    if given.get("variant") == Variant.GRAND_SEIGNEUR and isinstance(hands, list):
        given = {"seats": len(hands), **given}
    try:
        return parse_options(given)
    except ConfigError as wrong:
        raise NotationError(str(wrong)) from None


def _cards_of(options: RuleOptions) -> int:
    """Return every card that a position of the game may name.

    In Grand Seigneur those of both packs with any number of seats: a position is a part of a deal,
    and what the second pack does is seen as well among five (I1).
    """
    if options.variant is not Variant.GRAND_SEIGNEUR:
        return ONE_PACK
    dog = 0 if options.gs_dog is GsDog.REMOVED else DOG
    return ONE_PACK & ~DOG | dog | SECOND_RANKED | SECOND_PHOENIX | SECOND_DRAGON


def parse_start(raw: Mapping[str, object], options: RuleOptions) -> Position:
    """Return the position of a `start` object.

    Raises `NotationError` that names every fault, of notation and by the rules, not only the first.
    """
    reader = _StartReader(raw)
    position = _read_start(reader, raw, options)
    faults = reader.faults or position.faults()
    if faults:
        raise NotationError("; ".join(faults))
    return position


class _StartReader:
    """Reads a `start` and goes on after a fault, so that all of them can be told at once."""

    def __init__(self, raw: Mapping[str, object]) -> None:
        self._raw = raw
        self.faults: list[str] = []

    def once(self, key: str, read: Callable[[object, str], _Item], absent: _Item) -> _Item:
        """Return the value of a key, `absent` when it is not given or faulty."""
        return self._noted(read, self._raw[key], key, absent) if key in self._raw else absent

    def each(self, key: str, read: Callable[[object, str], _Item]) -> tuple[_Item, ...]:
        """Return the items of a list without those that are faulty."""
        nothing: list[object] = []
        values = self.once(key, as_list, nothing)
        items = [self._noted(read, value, f"{key}[{at}]", None) for at, value in enumerate(values)]
        return tuple([item for item in items if item is not None])

    def _noted(
        self, read: Callable[[object, str], _Item], value: object, where: str, instead: _Other
    ) -> _Item | _Other:
        try:
            return read(value, where)
        except NotationError as wrong:
            self.faults.append(str(wrong))
            return instead


def _read_start(start: _StartReader, raw: Mapping[str, object], options: RuleOptions) -> Position:
    n, game = seats(options), _cards_of(options)

    def seat(value: object, where: str) -> Seat:
        return as_seat(value, where, n)

    def held(value: object, where: str) -> int:
        return as_held_cards(value, where, game)

    start.faults += unknown_keys(raw, _START_KEYS)
    if "hands" not in raw:
        start.faults.append("hands is missing")
    if "ranks" in raw and options.variant is not Variant.GRAND_SEIGNEUR:
        start.faults.append("ranks belongs to grand_seigneur")
    for key in ("won", "scores", "ranks", "turn_order"):
        if raw.get(key) == []:
            start.faults.append(f"{key} is empty; leave it out for the default")
    return Position(
        phase=start.once("phase", lambda value, where: _code(value, Phase, where), Phase.PLAY),
        hands=start.each("hands", held),
        dealt_first=_dealt_first(raw.get("hands"), options),
        won=start.each("won", held),
        out=start.each("out", seat),
        lead=start.once("lead", seat, None),
        calls=start.once("calls", lambda value, where: _start_calls(value, where, n), ()),
        played=start.each("played", seat),
        wish=start.once("wish", as_rank, 0),
        scores=start.each("scores", as_int),
        ranks=start.each("ranks", seat),
        dealer=start.once("dealer", seat, Seat(0)),
        turn_order=start.each("turn_order", seat) or None,
        options=options,
    )


def _code(value: object, codes: type[_Code], where: str) -> _Code:
    text = as_text(value, where)
    try:
        return codes(text)
    except ValueError:
        raise NotationError(f"{where}: {shown(text)} is none of {', '.join(codes)}") from None


def _dealt_first(hands: object, options: RuleOptions) -> tuple[int, ...]:
    """Return the first cards of each hand, in the order in which they are written (A3)."""
    if not isinstance(hands, list):
        return ()
    first = FIRST_CARDS[options.variant]
    tokens = [hand.split()[:first] if isinstance(hand, str) else [] for hand in hands]
    try:
        return tuple(parse_cards(" ".join(cards)) for cards in tokens)
    except NotationError:
        return ()  # reported where the hands are read


def _start_calls(value: object, where: str, n: int) -> tuple[tuple[Seat, CallKind], ...]:
    return tuple(
        (as_seat_key(seat, where, n), _code(call, CallKind, where))
        for seat, call in as_object(value, where).items()
    )


# Steps

_ACTIONS = ("play", "pass", "collect", "dragon_to", "dog_to", "call", "exchange")


def parse_steps(value: object, options: RuleOptions) -> tuple[Step, ...]:
    """Return a script. Raises `NotationError` that names the step, counted from 1."""
    steps = enumerate(as_list(value, "steps"), start=1)
    return tuple([parse_step(step, options, f"step {number}") for number, step in steps])


def parse_step(value: object, options: RuleOptions, where: str) -> Step:
    """Return one step. Raises `NotationError`."""
    raw = as_object(value, where)
    kinds = [key for key in (*_ACTIONS, "check") if key in raw]
    if len(kinds) != 1:
        raise NotationError(f"{where}: one of {', '.join(_ACTIONS)}, check must be given")
    kind = kinds[0]
    if kind == "check":
        known_keys(raw, ("check",), where)
        return CheckStep(expected=parse_check(raw["check"], options, where))
    extra = {"collect": (), "play": ("seat", "wish")}.get(kind, ("seat",))
    known_keys(raw, (kind, "error", *extra), where)
    error = _expected_error(raw, where)
    if kind == "collect":
        as_true(raw["collect"], f"{where}: collect")
        return CollectStep(error=error)
    if "seat" not in raw:
        raise NotationError(f"{where}: seat is missing")
    seat = as_seat(raw["seat"], f"{where}: seat", seats(options))
    return _seat_step(kind, raw, seat, error, where)


def _seat_step(
    kind: str, raw: Mapping[str, object], seat: Seat, error: Expected, where: str
) -> Step:
    value, named = raw[kind], f"{where}: {kind}"
    match kind:
        case "play":
            cards, phoenix_rank = _play(value, named)
            wish = _wish(raw["wish"], f"{where}: wish") if "wish" in raw else None
            return PlayStep(
                seat=seat, cards=cards, phoenix_rank=phoenix_rank, wish=wish, error=error
            )
        case "pass":
            as_true(value, named)
            return PassStep(seat=seat, error=error)
        case "dragon_to":
            return DragonStep(seat=seat, to=Seat(as_int(value, named)), error=error)
        case "dog_to":
            return DogStep(seat=seat, to=Seat(as_int(value, named)), error=error)
        case "call":
            return CallStep(seat=seat, call=_code(value, CallKind, named), error=error)
        case _:
            choice = tuple(_given_card(cards, named) for cards in as_list(value, named))
            return ExchangeStep(seat=seat, choice=choice, error=error)


def _given_card(value: object, where: str) -> int:
    """An entry that is not one card is marked as named twice, which no exchange takes."""
    cards = as_cards(value, where)
    return cards if cards.bit_count() == 1 else cards | DUPLICATE


def _expected_error(raw: Mapping[str, object], where: str) -> Expected:
    if "error" not in raw:
        return None
    if raw["error"] == "*":
        return AnyError()
    return _code(raw["error"], Refusal, f"{where}: error")


def _play(value: object, where: str) -> tuple[int, int | None]:
    text = as_text(value, where)
    try:
        return parse_play(text)
    except NotationError as wrong:
        raise NotationError(f"{where}: {wrong}") from None


def _wish(value: object, where: str) -> int:
    """A text that is no rank is a bad wish, which the rules refuse: BAD_WISH."""
    text = as_text(value, where)
    try:
        return parse_rank(text)
    except NotationError:
        return 0


# Checks


def parse_check(value: object, options: RuleOptions, where: str) -> Mapping[str, object]:
    """Return what a check expects, by key, in comparable values. Raises `NotationError`."""
    raw = as_object(value, f"{where}: check")
    readers = _check_readers(seats(options))
    known_keys(raw, tuple(readers), f"{where}: check")
    return {key: readers[key](expected, f"{where}: {key}") for key, expected in raw.items()}


def _check_readers(n: int) -> Mapping[str, Callable[[object, str], object]]:
    def seat(value: object, where: str) -> object:
        return as_seat(value, where, n)

    def by_seat(read: Callable[[object, str], object]) -> Callable[[object, str], object]:
        def read_all(value: object, where: str) -> object:
            raw = as_object(value, where)
            return {as_seat_key(key, where, n): read(item, where) for key, item in raw.items()}

        return read_all

    return {
        "phase": lambda value, where: _code(value, Phase, where),
        "turn": _or_null(seat),
        "wish": _or_null(as_rank),
        "hands": by_seat(as_cards),
        "out": _list_of(seat),
        "owner": _or_null(seat),
        "won_points": _list_of(as_int),
        "legal": by_seat(_legal_entries),
        "round_score": _list_of(as_int),
        "scores": _list_of(as_int),
        "match_over": _boolean,
        "winner": _or_null(as_int),
    }


def _or_null(read: Callable[[object, str], object]) -> Callable[[object, str], object]:
    return lambda value, where: None if value is None else read(value, where)


def _list_of(read: Callable[[object, str], object]) -> Callable[[object, str], object]:
    return lambda value, where: tuple(read(item, where) for item in as_list(value, where))


def _boolean(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise NotationError(f"{where} is neither true nor false: {shown(value)}")
    return value


def _legal_entries(value: object, where: str) -> object:
    return tuple(sorted(_legal_entry(entry, where) for entry in as_list(value, where)))


def _legal_entry(value: object, where: str) -> tuple[int, int]:
    if value == "pass":
        return PASS
    cards, phoenix_rank = _play(value, where)
    if not cards:
        raise NotationError(f"{where}: an entry without cards")
    if phoenix_rank is not None:
        return cards, phoenix_rank
    return cards, UNNAMED if cards & PHOENIXES and cards.bit_count() > 1 else 0
