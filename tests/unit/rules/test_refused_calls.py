"""`refuse_call`: all opponents may refuse a call; they lose its value and the round is over."""

import pytest

from referee.rules.cards import pack
from referee.rules.errors import RefereeBug
from referee.rules.match_score import MatchScore
from referee.rules.notation import parse_cards
from referee.rules.options import parse_options
from referee.rules.phases import CallKind, Phase
from referee.rules.refusals import Refusal
from referee.rules.round import Round
from referee.rules.views import public_view, seat_view
from referee.rules.worst import worst_round
from tests.unit.rules.positions import S, at

REFUSED: dict[str, object] = {"refuse_call": True}
HANDS = ("Mj 2j", "3s 9s", "4p 9p", "5r 9r")
TICHU, GRAND, NO_GRAND = CallKind.TICHU, CallKind.GRAND, CallKind.NO_GRAND
ACCEPT, REFUSE = CallKind.ACCEPT, CallKind.REFUSE


def dealt(dealer: int = 0, **more: object) -> Round:
    options = parse_options(REFUSED | more)
    return Round.deal(pack(options), dealer=S[dealer], options=options)


def say(round_: Round, *calls: tuple[int, CallKind]) -> None:
    for seat, call in calls:
        assert round_.call(S[seat], call) is None, (seat, call)


def test_both_opponents_refuse_a_grand() -> None:
    round_ = dealt()
    say(round_, (0, NO_GRAND), (1, GRAND), (2, NO_GRAND))
    assert round_.phase is Phase.GRAND
    say(round_, (3, NO_GRAND))
    assert (round_.phase, round_.turn, round_.judged) == (Phase.REFUSAL, None, 1)
    assert round_.decisions_owed() == (0, 2)
    say(round_, (2, REFUSE))
    assert round_.decisions_owed() == (0,)
    say(round_, (0, REFUSE))
    assert (round_.phase, round_.refused) == (Phase.ROUND_OVER, 1)
    assert (round_.round_score, round_.card_points) == ((-200, 0), (0, 0))
    assert (round_.first_out, round_.finishing_order, round_.double_victory) == (None, (), False)
    assert round_.call_results[1] == (GRAND, False)
    assert [round_.call_points(seat) for seat in S[:4]] == [0] * 4


@pytest.mark.parametrize("answers", [(ACCEPT, REFUSE), (REFUSE, ACCEPT), (ACCEPT, ACCEPT)])
def test_one_is_not_enough_and_the_round_goes_on(answers: tuple[CallKind, CallKind]) -> None:
    round_ = dealt()
    say(round_, *((seat, GRAND if seat == 3 else NO_GRAND) for seat in range(4)))
    say(round_, (0, answers[0]), (2, answers[1]))
    assert (round_.phase, round_.calls[3], round_.judged) == (Phase.EXCHANGE, GRAND, None)


def test_several_grands_are_judged_in_turn_order_from_the_dealer() -> None:
    round_ = dealt(2)
    say(round_, *((seat, GRAND) for seat in range(4)))
    for caller in (2, 3, 0):
        assert round_.judged == caller
        say(round_, *((seat, ACCEPT) for seat in round_.decisions_owed()))
    assert round_.judged == 1
    say(round_, (2, REFUSE), (0, REFUSE))
    assert round_.round_score == (-200, 0)  # the other calls are void


def test_a_great_grand_is_judged_before_any_card_is_seen() -> None:
    round_ = dealt(great_grand=True)
    great, none = CallKind.GREAT_GRAND, CallKind.NO_GREAT_GRAND
    say(round_, (0, great), (1, none), (2, none), (3, none))
    assert (round_.phase, round_.stage) == (Phase.REFUSAL, Phase.GREAT_GRAND)
    assert seat_view(round_, S[0]).hand == 0
    accepted = round_.copy()
    say(accepted, (1, REFUSE), (3, ACCEPT))
    assert (accepted.phase, accepted.decisions_owed()) == (Phase.GRAND, (1, 2, 3))
    say(round_, (1, REFUSE), (3, REFUSE))
    assert round_.round_score == (0, -400)


def test_while_a_grand_is_judged_only_the_first_cards_are_seen() -> None:
    round_ = dealt()
    say(round_, *((seat, GRAND if seat == 3 else NO_GRAND) for seat in range(4)))
    assert public_view(round_).hand_counts == (8, 8, 8, 8)
    assert round_.call(S[0], TICHU) is Refusal.WRONG_PHASE


def test_what_was_not_dealt_is_not_shown_after_the_refusal_either() -> None:
    round_ = dealt()
    say(round_, *((seat, GRAND if seat == 1 else NO_GRAND) for seat in range(4)))
    say(round_, (0, REFUSE), (2, REFUSE))
    assert public_view(round_).hand_counts == (8, 8, 8, 8)
    trichu = dealt(variant="trichu")
    say(trichu, (1, GRAND), (3, NO_GRAND), (0, REFUSE), (2, REFUSE))
    assert trichu.phase is Phase.ROUND_OVER
    for seat in S[:4]:
        view = seat_view(trichu, seat)
        assert (view.hand.bit_count(), view.open_hands, view.public.open_hands) == (8, (), ())


def test_a_small_call_is_judged_at_once_and_the_exchange_goes_on() -> None:
    round_ = dealt(grand_allowed=False)
    given, hand = [], round_.hands[0]
    for _ in range(3):
        given.append(hand & -hand)
        hand &= hand - 1
    assert round_.exchange(S[0], given) is None
    say(round_, (1, TICHU))
    assert (round_.phase, round_.stage) == (Phase.REFUSAL, Phase.EXCHANGE)
    assert round_.exchange(S[2], [1, 2, 4]) is Refusal.WRONG_PHASE
    say(round_, (0, ACCEPT), (2, REFUSE))
    assert round_.phase is Phase.EXCHANGE
    assert round_.may_replace_exchange(S[0])


def test_a_small_call_before_the_first_lead_and_none_after_it() -> None:
    round_ = at(*HANDS, options=REFUSED)
    say(round_, (3, TICHU))
    assert (round_.phase, round_.turn) == (Phase.REFUSAL, None)
    assert round_.play(S[0], parse_cards("Mj")) is Refusal.WRONG_PHASE
    assert round_.pass_turn(S[0]) is Refusal.WRONG_PHASE
    say(round_, (0, REFUSE), (2, ACCEPT))
    assert (round_.phase, round_.turn) == (Phase.PLAY, 0)
    assert round_.play(S[0], parse_cards("Mj")) is None
    for seat in S[:3]:
        assert round_.call(seat, TICHU) is Refusal.CALL_TOO_LATE


def test_a_call_while_another_is_judged_waits_for_it() -> None:
    round_ = at(*HANDS, options=REFUSED)
    say(round_, (3, TICHU), (0, TICHU))
    assert round_.judged == 3
    say(round_, (0, ACCEPT), (2, ACCEPT))
    assert (round_.judged, round_.decisions_owed()) == (0, (1, 3))
    say(round_, (1, REFUSE), (3, REFUSE))
    assert round_.round_score == (0, -100)


def test_who_may_answer() -> None:
    round_ = at(*HANDS, options=REFUSED)
    assert round_.call(S[1], ACCEPT) is Refusal.WRONG_PHASE
    say(round_, (3, TICHU))
    for seat in (S[1], S[3]):
        assert round_.call(seat, REFUSE) is Refusal.CALL_NOT_ALLOWED
    say(round_, (2, REFUSE))
    assert round_.call(S[2], ACCEPT) is Refusal.CALL_TOO_LATE


def test_an_answer_is_not_shown_to_others() -> None:
    round_ = at(*HANDS, options=REFUSED)
    say(round_, (3, TICHU), (2, REFUSE))
    assert [seat_view(round_, seat).answer for seat in S[:4]] == [None, None, True, None]
    assert public_view(round_).judged == 3


def test_without_the_option_a_call_stands() -> None:
    round_ = at(*HANDS, options={})
    say(round_, (3, TICHU))
    assert round_.phase is Phase.PLAY
    assert round_.call(S[0], REFUSE) is Refusal.WRONG_PHASE


def test_of_six_all_three_opponents_must_refuse() -> None:
    round_ = dealt(variant="tientsin")
    say(round_, *((seat, GRAND if seat == 3 else NO_GRAND) for seat in range(6)))
    assert round_.decisions_owed() == (0, 2, 4)
    say(round_, (0, REFUSE), (2, REFUSE))
    assert round_.phase is Phase.REFUSAL
    say(round_, (4, REFUSE))
    assert round_.round_score == (-200, 0)


def test_each_hand_of_the_soloist_answers() -> None:
    round_ = dealt(1, variant="trichu")
    say(round_, (3, GRAND), (0, NO_GRAND))
    assert round_.decisions_owed() == (1, 2)
    say(round_, (2, REFUSE), (1, REFUSE))
    assert round_.round_score == (0, -200, -200, 0)


def test_a_round_that_nobody_finished_leaves_the_dealer() -> None:
    score = MatchScore(parse_options(REFUSED))
    score.add((60, 40), order=tuple(S[2:4]))
    score.add((-100, 0))
    assert (score.dealer, score.totals) == (2, (-40, 40))


def test_points_are_not_asked_for_before_the_end() -> None:
    round_ = at(*HANDS, options=REFUSED)
    say(round_, (3, TICHU))
    with pytest.raises(RefereeBug):
        _ = round_.round_score


def test_to_refuse_may_be_the_worst_that_is_left() -> None:
    # seat 0 leads its last card and is first out: the Tichu of seat 3 can only be lost
    hands = ("Aj", "3s 9s", "4p 2p", "5r 6r")
    called = at(*hands, options=REFUSED, lead=S[0])
    say(called, (3, TICHU))
    assert worst_round(called, 0) == (-100, 0)
    upheld = at(*hands, options=REFUSED, lead=S[0], calls=((S[3], TICHU), (S[1], TICHU)))
    # nothing can be refused any more: seat 2 calls and loses, and so have the others
    assert worst_round(upheld, 0) == (-100, 5 - 200)
