"""What a place in a ladder must be to make sense: in a record, and before a match begins."""

from collections.abc import Iterator, Sequence

from referee.formats.printable import printable
from referee.formats.words import counted
from referee.ladder.seats import seats_of, sides_of, turned
from referee.ladder.values import FIELD, PAIR_MARK, Deals, LegPlace, pairing_of
from referee.rules.options import RuleOptions, player_seats

_JOINT = "|"  # between the parts of what seeds and names are made from


def place_lines(place: LegPlace) -> Iterator[str]:
    """Yield a place as lines for people: which leg it is, and who has which seats."""
    leg = "leg" if place.deals is Deals.BOARD else "table"
    where = f"board {place.board}, attempt {place.attempt}, {leg} {place.leg}"
    yield f"  ladder {printable(place.event)}: {printable(place.pairing)}, {where}"
    for team, side in enumerate(place.sides):
        seats = seats_text(place, team)
        seats = f"{'seats' if len(side.players) > 1 else 'seat'} {seats}"
        bots = ", ".join(f"{printable(one.bot)} {printable(one.version)}" for one in side.players)
        yield f"  {seats}  {printable(side.entry)} of {printable(side.owner)}: {bots}"


def seats_text(place: LegPlace, team: int) -> str:
    """Return the seats of a side for people: `0 and 2`, `1, 3 and 5`, in Trichu `3`."""
    players = len(place.sides[team].players)
    *others, last = map(str, seats_of(len(place.sides), team, players=players))
    return f"{', '.join(others)} and {last}" if others else last


def place_fault(place: LegPlace, rules: RuleOptions) -> str:
    """Return what is wrong with a place, with the name of its field; "" when nothing is.

    `rules` are those of its match: a leg is of two teams that are fixed, or of three players.
    """
    return next(_faults(place, rules), "")


def _faults(place: LegPlace, rules: RuleOptions) -> Iterator[str]:
    wanted = sides_of(rules)
    bots = len(player_seats(rules)) // wanted if wanted else 0
    if not wanted:
        yield f"sides: entries cannot meet in {rules.variant}"
    elif len(place.sides) != wanted:
        yield f"sides: {wanted} meet in {rules.variant}"
    elif any(len(side.players) != bots for side in place.sides):
        yield f"sides: each has {counted(bots, 'bot')}"
    for field in ("board", "attempt", "leg"):
        if getattr(place, field) < 1:
            yield f"{field}: {getattr(place, field)} is not 1 or more"
    for field, text in (("event", place.event), ("pairing", place.pairing)):
        if not text or _JOINT in text:
            yield f"{field}: a name of one character or more, without {_JOINT}"
    entries = [side.entry for side in place.sides]
    if not all(entries) or len(set(entries)) < len(entries):
        yield f"sides: {len(entries)} entries"
    match place.deals:
        case Deals.FIELD:
            yield from _field_faults(place)
        case Deals.BOARD:
            yield from _board_faults(place, entries)


def _field_faults(place: LegPlace) -> Iterator[str]:
    if place.pairing != FIELD:
        yield f"pairing: deals of a field are of {FIELD}"


def _board_faults(place: LegPlace, entries: Sequence[str]) -> Iterator[str]:
    if any(PAIR_MARK in entry for entry in entries) or place.pairing != pairing_of(*entries):
        yield "pairing: not that of the sides"
    if place.leg > len(entries):
        yield f"leg: a board has {len(entries)}"
    if turned(entries, board=place.board, leg=place.leg) != tuple(entries):
        yield "sides: in leg 1 they stand by name; in each further leg the first goes to the end"
