"""Reading plain JSON values strictly: every fault is a `NotationError` that says where."""

import json
from collections.abc import Mapping, Sequence

from referee.rules.cards import DUPLICATE
from referee.rules.errors import NotationError
from referee.rules.notation import format_cards, parse_cards, parse_rank
from referee.rules.seat import Seat

_TOO_LARGE = 1 << 53  # what every JSON reader keeps exactly
MOST_BYTES = 1 << 20  # a line; a whole round with every check takes about ten thousand


def decode_object(data: bytes) -> dict[str, object]:
    """Return the JSON object of one line. Raises `NotationError` for anything else."""
    if len(data) > MOST_BYTES:
        raise NotationError(f"longer than {MOST_BYTES} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        raise NotationError(f"not UTF-8 at byte {wrong.start + 1}") from None
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except NotationError:
        raise
    except RecursionError:
        raise NotationError("nested too deeply") from None
    except json.JSONDecodeError as wrong:
        raise NotationError(f"bad JSON: {wrong.msg} at character {wrong.pos + 1}") from None
    except ValueError:
        raise NotationError("bad JSON: a number with thousands of digits") from None
    return as_object(value, "the line")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise NotationError(f"key {shown(key)} is given twice")
        found[key] = value
    return found


def _no_constant(text: str) -> object:
    raise NotationError(f"bad JSON: {text} is no number")


def shown(value: object) -> str:
    """Return a value as short one-line text for a message."""
    try:
        text = json.dumps(value, ensure_ascii=True)
    except (RecursionError, ValueError):
        text = type(value).__name__
    return text if len(text) <= 60 else text[:57] + "..."


def as_object(value: object, where: str) -> dict[str, object]:
    """Return a JSON object."""
    if not isinstance(value, dict):
        raise NotationError(f"{where} is no object: {shown(value)}")
    return value


def unknown_keys(value: Mapping[str, object], allowed: Sequence[str]) -> list[str]:
    """Return a text for each key that is not allowed, with the nearest that is."""
    found = []
    for key in value:
        if key not in allowed:
            import difflib  # only a mistake pays for it

            near = difflib.get_close_matches(key, allowed, n=1)
            hint = f"; did you mean {shown(near[0])}?" if near else ""
            found.append(f"unknown key {shown(key)}{hint}")
    return found


def known_keys(value: Mapping[str, object], allowed: Sequence[str], where: str) -> None:
    """Refuse a key that is not allowed."""
    for fault in unknown_keys(value, allowed):
        raise NotationError(f"{where}: {fault}")


def as_list(value: object, where: str) -> list[object]:
    """Return a JSON list."""
    if not isinstance(value, list):
        raise NotationError(f"{where} is no list: {shown(value)}")
    return value


def as_text(value: object, where: str) -> str:
    """Return a JSON string."""
    if not isinstance(value, str):
        raise NotationError(f"{where} is no text: {shown(value)}")
    return value


def as_int(value: object, where: str) -> int:
    """Return a JSON integer; true and 1.0 are none."""
    if type(value) is not int or abs(value) >= _TOO_LARGE:
        raise NotationError(f"{where} is no whole number in range: {shown(value)}")
    return value


def as_true(value: object, where: str) -> None:
    """Accept only true."""
    if value is not True:
        raise NotationError(f"{where} can only be true: {shown(value)}")


def as_seat(value: object, where: str, seats: int) -> Seat:
    """Return a seat that plays."""
    seat = as_int(value, where)
    if not 0 <= seat < seats:
        raise NotationError(f"{where}: there is no seat {shown(seat)}")
    return Seat(seat)


def as_seat_key(key: str, where: str, seats: int) -> Seat:
    """Return the seat of an object key such as "0"."""
    for seat in range(seats):
        if key == str(seat):
            return Seat(seat)
    raise NotationError(f"{where}: there is no seat {shown(key)}")


def as_rank(value: object, where: str) -> int:
    """Return a rank 2..14."""
    text = as_text(value, where)
    try:
        return parse_rank(text)
    except NotationError:
        raise NotationError(f"{where}: {shown(text)} is no rank from 2 to A") from None


def as_cards(value: object, where: str) -> int:
    """Return the mask of a card string; a card named twice leaves `DUPLICATE` in it."""
    text = as_text(value, where)
    try:
        return parse_cards(text)
    except NotationError as wrong:
        raise NotationError(f"{where}: {wrong}") from None


def as_held_cards(value: object, where: str, game: int) -> int:
    """Return the mask of cards that lie somewhere: of the mask `game`, each once."""
    cards = as_cards(value, where)
    if cards & DUPLICATE:
        raise NotationError(f"{where}: a card is in two places")
    foreign = cards & ~game
    if foreign:
        raise NotationError(f"{where}: {format_cards(foreign)} is not in this game's pack")
    return cards
