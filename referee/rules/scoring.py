"""Points of a finished round (F1 to F3)."""

from collections.abc import Sequence

from referee.rules.cards import card_points
from referee.rules.option_values import BothCallScoring
from referee.rules.options import RuleOptions, partners_of, seats, team_of, teams
from referee.rules.phases import CALL_VALUE, CallKind
from referee.rules.seat import Seat


def is_double_victory(out: Sequence[Seat], options: RuleOptions) -> bool:
    """True when the first to go out are one whole team (F1a; three of three with six, H7)."""
    size = seats(options) // teams(options)
    if len(out) < size:
        return False
    return len({team_of(options, seat) for seat in out[:size]}) == 1


def card_points_by_team(
    hands: Sequence[int], won: Sequence[int], out: Sequence[Seat], options: RuleOptions
) -> tuple[int, ...]:
    """Return each team's card points after the transfers (F2); nothing on a double victory (F3).

    The last hand goes to the opponents of its player, his tricks to the first out.
    """
    points = [0] * teams(options)
    if is_double_victory(out, options):
        return tuple(points)
    for seat in map(Seat, range(len(hands))):
        if hands[seat]:  # the one player who still holds cards
            points[1 - team_of(options, seat)] += card_points(hands[seat])
            points[team_of(options, out[0])] += card_points(won[seat])
        else:
            points[team_of(options, seat)] += card_points(won[seat])
    return tuple(points)


def call_points(
    calls: Sequence[CallKind | None], first_out: Seat, options: RuleOptions
) -> tuple[int, ...]:
    """Return what the calls add to each team: won only by a caller who went out first (F3)."""
    points = [0] * teams(options)
    for seat in map(Seat, range(len(calls))):
        points[team_of(options, seat)] += seat_call_points(calls, seat, first_out, options)
    return tuple(points)


def seat_call_points(
    calls: Sequence[CallKind | None], seat: Seat, first_out: Seat, options: RuleOptions
) -> int:
    """Return what the call of one seat adds to its team; 0 without a call (F3)."""
    call = calls[seat]
    if call is None:
        return 0
    if seat == first_out:
        return CALL_VALUE[call]
    return 0 if _is_forgiven(calls, seat, first_out, options) else -CALL_VALUE[call]


def _is_forgiven(
    calls: Sequence[CallKind | None], seat: Seat, first_out: Seat, options: RuleOptions
) -> bool:
    """BSW does not deduct a failed Grand beside a partner whose own call won (J)."""
    return (
        options.both_call_scoring is BothCallScoring.BSW
        and calls[seat] is CallKind.GRAND
        and first_out in partners_of(options, seat)
        and calls[first_out] is not None
    )
