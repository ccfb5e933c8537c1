"""Points of a finished round by team (F1 to F3, G8, H7, H8)."""

from collections.abc import Sequence

from referee.rules.cards import card_points
from referee.rules.option_values import BothCallScoring, Variant
from referee.rules.options import TEAMS, RuleOptions
from referee.rules.phases import CALL_VALUE, CallKind
from referee.rules.seat import Seat
from referee.rules.seating import Seating


def is_double_victory(out: Sequence[Seat], seating: Seating) -> bool:
    """True when the first to go out are one whole team (F1a; three of three with six, H7)."""
    teams = seating.teams
    size = seating.n // TEAMS
    if not teams or len(out) < size:
        return False
    team = teams[out[0]]
    return all(teams[seat] == team for seat in out[1:size])


def is_team_out(out: Sequence[Seat], seating: Seating) -> bool:
    """True when some whole team is out, in whatever order (`tientsin_end_when_team_out`)."""
    sides = [seating.teams[seat] for seat in out]
    return any(sides.count(side) * TEAMS == seating.n for side in range(TEAMS))


def card_points_by_team(
    hands: Sequence[int],
    won: Sequence[int],
    out: Sequence[Seat],
    seating: Seating,
    options: RuleOptions,
) -> tuple[int, ...]:
    """Return each team's card points after the transfers (F2, H8); none on a double victory (F3).

    Hands that are left go to the other team. `pile_heirs` says where tricks go.
    """
    points = [0] * TEAMS
    if is_double_victory(out, seating):
        return tuple(points)
    holders = [Seat(seat) for seat, hand in enumerate(hands) if hand]
    heirs = pile_heirs((*out, *holders), seating, options, holders=len(holders))
    for seat, heir in enumerate(heirs):
        if heir is not None:
            points[heir] += card_points(won[seat])
    for seat in holders:
        if not options.trichu_last_burns_points:
            points[1 - seating.teams[seat]] += card_points(hands[seat])
    return tuple(points)


def pile_heirs(
    order: Sequence[Seat], seating: Seating, options: RuleOptions, *, holders: int = 1
) -> list[int | None]:
    """Return by seat the team that gets its tricks; None where they are lost.

    `order` is that of going out, with those who still hold cards at its end (`holders` of them).
    With four the last player's tricks go to the first out (F2), or burn in Trichu with
    `trichu_last_burns_points`. With six they go to the other team, and the fifth's to the first
    out (H8). Where a round of six ends with a whole team out and two players left
    (`tientsin_end_when_team_out`) neither of them is fifth: both are last.
    """
    heirs: list[int | None] = list(seating.teams)
    last = order[-1]
    if options.variant is not Variant.TIENTSIN:
        heirs[last] = None if options.trichu_last_burns_points else seating.teams[order[0]]
        return heirs
    for seat in order[len(order) - holders :]:
        heirs[seat] = 1 - seating.teams[seat]
    if holders == 1:
        heirs[order[-2]] = seating.teams[order[0]]
    return heirs


def call_points(
    calls: Sequence[CallKind | None],
    first_out: Seat | None,
    seating: Seating,
    options: RuleOptions,
) -> tuple[int, ...]:
    """Return what the calls add to each team: won only by a caller who went out first (F3)."""
    points = [0] * TEAMS
    for seat in map(Seat, range(len(calls))):
        points[seating.teams[seat]] += seat_call_points(calls, seat, first_out, seating, options)
    return tuple(points)


def seat_call_points(
    calls: Sequence[CallKind | None],
    seat: Seat,
    first_out: Seat | None,
    seating: Seating,
    options: RuleOptions,
) -> int:
    """Return what the call of one seat adds to its team; 0 without a call (F3)."""
    call = calls[seat]
    if call is None:
        return 0
    if seat == first_out:
        return CALL_VALUE[call]
    return 0 if _is_forgiven(calls, seat, first_out, seating, options) else -CALL_VALUE[call]


def _is_forgiven(
    calls: Sequence[CallKind | None],
    seat: Seat,
    first_out: Seat | None,
    seating: Seating,
    options: RuleOptions,
) -> bool:
    """BSW does not deduct a failed Grand beside a partner whose own call won (J)."""
    return (
        options.both_call_scoring is BothCallScoring.BSW
        and calls[seat] is CallKind.GRAND
        and first_out is not None
        and first_out in seating.partners[seat]
        and calls[first_out] is not None
    )


def refused_points(call: CallKind, caller: Seat, seating: Seating) -> tuple[int, ...]:
    """Return the points of a round that ended with a call refused (`refuse_call`).

    The opponents of the caller lose the value of the call. Nothing else counts: no card has been
    won by anybody, and every other call of the round is void.
    """
    points = [0] * TEAMS
    points[1 - seating.teams[caller]] = -CALL_VALUE[call]
    return tuple(points)
