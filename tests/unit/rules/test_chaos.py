"""`chaos`: every seat bids 0 to 3, and in each team the highest bidder has to call Grand."""

import pytest

from referee.rules.cards import pack
from referee.rules.options import parse_options
from referee.rules.phases import BIDS, CallKind, Phase
from referee.rules.refusals import Refusal
from referee.rules.round import Round
from referee.rules.views import seat_view
from referee.rules.worst import worst_new_round, worst_round
from tests.unit.rules.positions import S

GRAND = CallKind.GRAND


def dealt(dealer: int = 0, **more: object) -> Round:
    options = parse_options({"chaos": True, **more})
    return Round.deal(pack(options), dealer=S[dealer], options=options)


def bid(round_: Round, *bids: int) -> None:
    for seat, number in enumerate(bids):
        assert round_.call(S[seat], BIDS[number]) is None


@pytest.mark.parametrize(
    ("dealer", "bids", "callers"),
    [
        (0, (0, 3, 1, 2), (2, 1)),
        (0, (0, 0, 0, 0), (0, 1)),  # ties: the first from the dealer
        (1, (2, 2, 2, 2), (2, 1)),
        (2, (3, 1, 3, 1), (2, 3)),
        (3, (1, 0, 0, 0), (0, 3)),
    ],
)
def test_the_higher_bidder_of_each_team_calls(
    dealer: int, bids: tuple[int, ...], callers: tuple[int, int]
) -> None:
    round_ = dealt(dealer)
    bid(round_, *bids)
    assert round_.phase is Phase.EXCHANGE
    assert [s for s in S[:4] if round_.calls[s] is GRAND] == sorted(callers)


def test_six_bid_as_well() -> None:
    round_ = dealt(4, variant="tientsin")
    bid(round_, 1, 0, 3, 2, 3, 2)
    assert [s for s in S[:6] if round_.calls[s] is GRAND] == [4, 5]


def test_a_bid_is_in_the_place_of_a_decision() -> None:
    round_ = dealt()
    assert round_.call(S[0], GRAND) is Refusal.CALL_NOT_ALLOWED
    assert round_.call(S[0], CallKind.NO_GRAND) is Refusal.CALL_NOT_ALLOWED
    assert round_.call(S[0], CallKind.TICHU) is Refusal.WRONG_PHASE
    assert round_.call(S[2], CallKind.BID_3) is None
    assert round_.call(S[2], CallKind.BID_0) is Refusal.CALL_TOO_LATE
    assert round_.decisions_owed() == (0, 1, 3)
    bid(round_, 0, 0)
    assert round_.call(S[3], CallKind.BID_1) is None
    assert round_.call(S[0], CallKind.BID_1) is Refusal.CALL_TOO_LATE
    assert round_.call(S[2], CallKind.TICHU) is Refusal.ALREADY_CALLED
    assert round_.call(S[0], CallKind.TICHU) is None


def test_without_the_option_nobody_bids() -> None:
    options = parse_options({})
    round_ = Round.deal(pack(options), dealer=S[0], options=options)
    for call in BIDS:
        assert round_.call(S[0], call) is Refusal.CALL_NOT_ALLOWED


def test_a_bid_is_seen_by_the_partner_only_and_after_all_have_bid() -> None:
    round_ = dealt()
    bid(round_, 0, 3, 1)
    assert [seat_view(round_, seat).bids for seat in S[:4]] == [((0, 0),), ((1, 3),), ((2, 1),), ()]
    assert round_.call(S[3], CallKind.BID_2) is None
    assert seat_view(round_, S[0]).bids == ((0, 0), (2, 1))
    assert seat_view(round_, S[1]).bids == ((1, 3), (3, 2))


def test_the_worst_has_a_grand_in_each_team() -> None:
    options = parse_options({"chaos": True})
    # own Grand and Tichu lost; of the others the Grand is won
    assert worst_new_round(0, options) == (-300, 400)
    round_ = dealt()
    assert worst_round(round_, 1) == (400, -300)
    bid(round_, 3, 0, 0, 0)
    assert worst_round(round_, 0) == (-300, 400)
    only_one = parse_options({"chaos": True, "both_partners_may_call": False})
    assert worst_new_round(0, only_one) == (-200, 400)
