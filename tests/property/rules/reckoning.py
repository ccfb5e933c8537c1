"""What a finished round has come to, reckoned once more from the words of the rules (F, G8, H8)."""

from referee.rules.cards import Seat, card_numbers, rank_of
from referee.rules.option_values import Variant
from referee.rules.phases import CallKind, Phase
from referee.rules.round import Round
from tests.property.rules.trick_flow import turn_order

VALUE = {CallKind.TICHU: 100, CallKind.GRAND: 200, CallKind.GREAT_GRAND: 400}
POINTS = {5: 5, 10: 10, 13: 10}  # by rank (A1)


def points_of(cards: int) -> int:
    numbers = card_numbers(cards)
    return sum(POINTS.get(rank_of(n), 0) + {2: -25, 3: 25}.get(n, 0) for n in numbers)


def assert_over(round_: Round, story: str) -> None:
    holders = [Seat(seat) for seat, hand in enumerate(round_.hands) if hand]
    if round_.options.variant is Variant.GRAND_SEIGNEUR:
        assert round_.round_score == (), story
        assert len(holders) == 1, story
        assert sorted(round_.finishing_order) == list(range(round_.n)), story
        return
    if round_.options.chaos:
        assert_bids_made_the_callers(round_, story)
    side = round_.seating.teams
    by_team = _expected_points(round_, holders, story)
    if round_.options.variant is Variant.TRICHU:
        assert round_.round_score == tuple(by_team[side[seat]] for seat in range(4)), story
    else:
        assert round_.round_score == tuple(by_team), story
    assert round_.scores == round_.round_score, story
    assert round_.phase is Phase.ROUND_OVER, story


def assert_bids_made_the_callers(round_: Round, story: str) -> None:
    """`chaos`: in each team who bid most, of equal ones the first in turn order from the dealer."""
    order = turn_order(round_)
    at = order.index(round_.dealer)
    from_dealer = order[at:] + order[:at]
    for team in range(2):
        bids = {s: round_.bids[s] for s in from_dealer if round_.seating.teams[s] == team}
        assert None not in bids.values(), story
        most = max(bid for bid in bids.values() if bid is not None)
        caller = next(seat for seat, bid in bids.items() if bid == most)
        grand = [seat for seat in bids if round_.calls[seat] is CallKind.GRAND]
        assert grand == [caller], story


def _expected_points(round_: Round, holders: list[Seat], story: str) -> list[int]:
    """The points by team, reckoned once more, with the bounds that they must keep."""
    calls, side, options = round_.calls, round_.seating.teams, round_.options
    if round_.refused is not None:
        call = calls[round_.refused]
        assert call is not None, story
        lost = [0, 0]
        lost[1 - side[round_.refused]] = -VALUE[call]
        return lost
    size = round_.n // 2
    first = round_.out[0]
    victory = len({side[seat] for seat in round_.out[:size]}) == 1 and len(round_.out) >= size
    value = 300 if options.variant is Variant.TIENTSIN else options.double_victory_points
    if victory:
        points = [value * (team == side[first]) for team in range(2)]
        assert len(round_.out) == size, story
    else:
        points = _card_points(round_, holders)
        whole = round_.options.trichu_last_burns_points is False
        assert (sum(points) == 100) >= whole, story
        assert all(-25 <= team <= 125 for team in points), story
    most = max(value, 125) + (400 if options.great_grand else 200)
    for seat, call in enumerate(calls):
        forgiven = (
            options.both_call_scoring.value == "bsw"
            and call is CallKind.GRAND
            and side[first] == side[seat]
            and calls[first] is not None
        )
        if call is not None and (seat == first or not forgiven):
            points[side[seat]] += VALUE[call] if seat == first else -VALUE[call]
    assert max(points) <= most, story
    return points


def _card_points(round_: Round, holders: list[Seat]) -> list[int]:
    """F2, H8: whose the hands and tricks are in the end."""
    side, options = round_.seating.teams, round_.options
    points = [0, 0]
    order = [*round_.out, *holders]
    for place, seat in enumerate(order):
        heir = side[seat]
        last = place >= len(round_.out)
        if options.variant is Variant.TIENTSIN:
            heir = 1 - heir if last else heir
            if len(holders) == 1 and place == round_.n - 2:
                heir = side[order[0]]
        elif last:
            heir = side[order[0]]
        if last and options.trichu_last_burns_points:
            continue
        points[heir] += points_of(round_.won[seat])
        points[1 - side[seat]] += points_of(round_.hands[seat])
    return points
