"""Who sits where in a match, or in the legs of a board, that somebody asks for by names of bots."""

from collections.abc import Sequence

import msgspec

from referee.app.seating import players_by_seat
from referee.config.names import NAME_RULE, is_name
from referee.formats.printable import printable
from referee.ladder.seats import TRIO, side_at, sides_of, turned
from referee.ladder.values import Deals, LegPlace, Side, Unit, pairing_of
from referee.ladder.values import Player as Fielded
from referee.match.values import Player
from referee.ports.services import CallRefused, Problem
from referee.rules.options import RuleOptions, player_seats

_UNPROVED = "hello:"  # a version that nobody vouches for


class LegPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A leg: its place, its players by seat, and the bots by the seats that players sit at."""

    place: LegPlace
    players: tuple[Player, ...]
    bots: tuple[str, ...]


def match_bots(rules: RuleOptions, bots: Sequence[str]) -> tuple[Player, ...]:
    """Return the players of a match. Raises `CallRefused` for another number of bots."""
    seats = len(player_seats(rules))
    if len(bots) != seats:
        raise _wrong(
            f"this game is for {seats} bots, {len(bots)} are named; name one for each seat, or "
            "with board one for each side"
        )
    return players_by_seat(rules, bots)


def board_legs(
    rules: RuleOptions, bots: Sequence[str], *, event: str, board: int
) -> tuple[LegPlan, ...]:
    """Return all legs of a board between bots, one a side. Raises `CallRefused`."""
    sides = sides_of(rules)
    if not sides:
        raise CallRefused(
            Problem.FAILED_PRECONDITION,
            f"there are no boards in {rules.variant}: its sides change",
            subject="board",
        )
    if len(bots) != sides or len(set(bots)) < len(bots):
        raise _wrong(f"a board is between {sides} bots of different names; {len(bots)} are named")
    for bot in bots:
        if not is_name(bot):
            raise _wrong(f"bot {printable(bot[:80])!r} can play no board; {NAME_RULE}")
    numbers = range(1, sides + 1)
    return tuple(_leg(rules, sorted(bots), event=event, board=board, leg=leg) for leg in numbers)


def _leg(rules: RuleOptions, bots: Sequence[str], *, event: str, board: int, leg: int) -> LegPlan:
    order = turned(bots, board=board, leg=leg)
    sides = len(order)
    seats = player_seats(rules)
    seated = tuple(order[side] for seat in seats if (side := side_at(sides, seat)) is not None)
    each = len(seats) // sides
    one_round = rules.rounds == (TRIO if sides == TRIO else 1)
    place = LegPlace(
        event=event,
        pairing=pairing_of(*bots),
        board=board,
        attempt=1,
        leg=leg,
        unit=Unit.BOARD if one_round else Unit.MATCH,
        deals=Deals.BOARD,
        sides=tuple(
            Side(entry=bot, owner=bot, players=(Fielded(bot=bot, version=_UNPROVED),) * each)
            for bot in order
        ),
    )
    return LegPlan(place=place, players=players_by_seat(rules, seated), bots=seated)


def _wrong(text: str) -> CallRefused:
    return CallRefused(Problem.INVALID_ARGUMENT, f"bots: {text}", subject="bots")
