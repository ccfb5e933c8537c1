"""What a place in a ladder must be to make sense: in a record, and before a match begins."""

from collections.abc import Iterator

from referee.formats.printable import printable
from referee.ladder.values import FIELD, PAIR_MARK, Deals, LegPlace, pairing_of

_LEGS = 2
_JOINT = "|"  # between the parts of what seeds and names are made from


def place_lines(place: LegPlace) -> Iterator[str]:
    """Yield a place as lines for people: which leg it is, and who has which seats."""
    leg = "leg" if place.deals is Deals.BOARD else "table"
    where = f"board {place.board}, attempt {place.attempt}, {leg} {place.leg}"
    yield f"  ladder {printable(place.event)}: {printable(place.pairing)}, {where}"
    for seats, side in zip(("0 and 2", "1 and 3"), place.sides, strict=True):
        bots = ", ".join(f"{printable(one.bot)} {printable(one.version)}" for one in side.players)
        yield f"  seats {seats}  {printable(side.entry)} of {printable(side.owner)}: {bots}"


def place_fault(place: LegPlace) -> str:
    """Return what is wrong with a place, with the name of its field; "" when nothing is."""
    return next(_faults(place), "")


def _faults(place: LegPlace) -> Iterator[str]:
    for field in ("board", "attempt", "leg"):
        if getattr(place, field) < 1:
            yield f"{field}: {getattr(place, field)} is not 1 or more"
    for field, text in (("event", place.event), ("pairing", place.pairing)):
        if not text or _JOINT in text:
            yield f"{field}: a name of one character or more, without {_JOINT}"
    first, second = (side.entry for side in place.sides)
    if not first or not second or first == second:
        yield "sides: two entries"
    match place.deals:
        case Deals.FIELD:
            yield from _field_faults(place)
        case Deals.BOARD:
            yield from _board_faults(place, first, second)


def _field_faults(place: LegPlace) -> Iterator[str]:
    if place.pairing != FIELD:
        yield f"pairing: deals of a field are of {FIELD}"


def _board_faults(place: LegPlace, first: str, second: str) -> Iterator[str]:
    if PAIR_MARK in first or PAIR_MARK in second or place.pairing != pairing_of(first, second):
        yield "pairing: not that of the two sides"
    if place.leg > _LEGS:
        yield f"leg: a board has {_LEGS}"
    if (place.leg == 1) != (first < second):
        yield "sides: the first entry by name has seats 0 and 2 in leg 1, 1 and 3 in leg 2"
