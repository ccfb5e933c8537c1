"""Rated boards for tests of the fits, by hand and at random."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import msgspec
import numpy as np

from referee.ladder.boards import FieldLeg, RatedBoard, Resolved
from referee.ladder.values import (
    FIELD,
    Deals,
    LegPlace,
    LegResult,
    Player,
    Side,
    Unit,
    pairing_of,
)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry as the table wants it."""

    name: str
    owner: str = "someone"
    bots: tuple[str, str] = ("bot", "bot")
    house: bool = False


def side(entry: str) -> Side:
    player = Player(bot=entry, version="sha256:00")
    return Side(entry=entry, owner=f"owner of {entry}", players=(player, player))


def leg_result(
    first: str,
    second: str,
    points: tuple[int, int],
    *,
    pairing: str,
    board: int,
    leg: int,
    attempt: int = 1,
    rounds: int = 1,
    faulty: tuple[str, ...] = (),
) -> LegResult:
    """A rated leg; `first` is team 0."""
    place = LegPlace(
        event="e",
        pairing=pairing,
        board=board,
        attempt=attempt,
        leg=leg,
        unit=Unit.BOARD,
        deals=Deals.FIELD if pairing == FIELD else Deals.BOARD,
        sides=(side(first), side(second)),
    )
    return LegResult(
        place=place,
        match_id=f"{pairing}/{board}/{attempt}/{leg}",
        points=points,
        rounds=rounds,
        ending="completed",
        blame="none",
        rated=True,
        faulty=faulty,
    )


def rated_board(
    first: str,
    second: str,
    board: int,
    *,
    margins: tuple[int, int],
    rounds: tuple[int, int] = (1, 1),
    faulty: tuple[str, ...] = (),
) -> RatedBoard:
    """A board in which `first`, the name that sorts first, was better by `margins` in the legs."""
    assert first < second
    pairing = pairing_of(first, second)
    one = leg_result(
        first, second, (margins[0], 0), pairing=pairing, board=board, leg=1, rounds=rounds[0],
        faulty=faulty,
    )  # fmt: skip
    two = leg_result(
        second, first, (0, margins[1]), pairing=pairing, board=board, leg=2, rounds=rounds[1]
    )
    return RatedBoard(
        pairing=pairing,
        board=board,
        attempt=1,
        first=first,
        second=second,
        margin=sum(margins),
        rounds=sum(rounds),
        legs=(one, two),
    )


def field_leg(first: str, second: str, board: int, table: int, margin: int) -> FieldLeg:
    """A table of a field's deal, in which `first` was better by `margin`."""
    result = leg_result(first, second, (margin, 0), pairing=FIELD, board=board, leg=table)
    return FieldLeg(
        board=board,
        attempt=1,
        table=table,
        first=first,
        second=second,
        margin=margin,
        rounds=1,
        leg=result,
    )


def boards_of(
    strengths: Mapping[str, float],
    numbers: Mapping[tuple[str, str], int],
    rng: np.random.Generator,
    *,
    sigma: float = 100.0,
) -> list[RatedBoard]:
    """Boards at random: both legs share no luck, each has half the error; whole points."""
    found = []
    for (one, other), count in numbers.items():
        first, second = sorted((one, other))
        mean = strengths[first] - strengths[second]
        margins = np.rint(mean + sigma * rng.standard_normal((count, 2))).astype(int)
        found += [
            rated_board(first, second, at + 1, margins=(int(pair[0]), int(pair[1])))
            for at, pair in enumerate(margins)
        ]
    return found


def everyone(names: Iterable[str], count: int) -> dict[tuple[str, str], int]:
    """As many boards for each two."""
    return dict.fromkeys(combinations(sorted(names), 2), count)


def field_of(
    strengths: Mapping[str, float], deals: int, rng: np.random.Generator, *, luck: float = 100.0
) -> list[FieldLeg]:
    """A field of an even number of entries, paired anew at each deal, who is first by chance."""
    found = []
    for deal in range(1, deals + 1):
        order = [str(name) for name in rng.permutation(sorted(strengths))]
        worth = luck * rng.standard_normal()
        for table, (one, other) in enumerate(zip(order[::2], order[1::2], strict=True), start=1):
            mean = worth + strengths[one] - strengths[other]
            margin = round(mean + 100.0 * rng.standard_normal())
            found.append(field_leg(one, other, deal, table, margin))
    return found


def resolved(boards: Sequence[RatedBoard] = (), field_legs: Sequence[FieldLeg] = ()) -> Resolved:
    """What counts, where all of it does."""
    return Resolved(boards=tuple(boards), field_legs=tuple(field_legs))
