"""What a leg scores that its bot's fault ended: positions and legs by hand, team 0 failing."""

import pytest

from referee.rules.cards import Seat, pack
from referee.rules.notation import parse_cards
from referee.rules.option_values import (
    BothCallScoring,
    DragonGiftToFinished,
    HopelessCall,
    SelfOvertake,
)
from referee.rules.options import DEFAULT_OPTIONS, RuleOptions
from referee.rules.phases import CallKind, Phase
from referee.rules.position import Position
from referee.rules.round import Round
from referee.rules.worst import worst_new_round, worst_result, worst_round

S = [Seat(seat) for seat in range(4)]
ALL = tuple(S)
TICHU, GRAND = CallKind.TICHU, CallKind.GRAND
LONG = "2j 4p 6j 8p 9j Jp Qs"  # hands that nothing forces, without a point
HANDS = (LONG, "2p 4j 6p 8j 9p Jj Qr", "3j 4s 6s 8s 9s Js Qj", "3p 4r 6r 8r 9r Jr Qp")


def at(
    *hands: str, won: tuple[str, ...] = (), options: RuleOptions = DEFAULT_OPTIONS, **start: object
) -> Round:
    fields: dict[str, object] = {"lead": S[0], "played": ALL} | start
    return Round.from_position(
        Position(
            hands=tuple(map(parse_cards, hands)),
            won=tuple(map(parse_cards, won)),
            options=options,
            **fields,  # type: ignore[arg-type]
        )
    )


@pytest.mark.parametrize(
    ("options", "worst"),
    [
        (RuleOptions(), (-400, 400)),  # two lost Grands against 200 and one won
        (RuleOptions(both_partners_may_call=False), (-200, 400)),
        (RuleOptions(grand_allowed=False), (-200, 300)),
        (RuleOptions(great_grand=True), (-800, 600)),
        (RuleOptions(double_victory_points=100), (-425, 325)),  # all cards cost more than 100
        (RuleOptions(both_call_scoring=BothCallScoring.BSW), (-400, 400)),
    ],
)
def test_the_worst_round_is_lost_bets_a_won_one_and_all_points(
    options: RuleOptions, worst: tuple[int, int]
) -> None:
    assert worst_new_round(0, options) == worst
    assert worst_new_round(1, options) == worst[::-1]
    dealt = Round.deal(pack(options), dealer=S[0], options=options)
    assert worst_round(dealt, 0) == worst


def test_a_declined_grand_leaves_the_small_bet() -> None:
    dealt = Round.deal(pack(DEFAULT_OPTIONS), dealer=S[0], options=DEFAULT_OPTIONS)
    for seat in (S[0], S[1], S[3]):
        assert dealt.call(seat, CallKind.NO_GRAND) is None
    assert worst_round(dealt, 0) == (-100 - 200, 200 + 100)
    assert dealt.call(S[2], GRAND) is None
    assert dealt.phase is Phase.EXCHANGE
    assert worst_round(dealt, 0) == (-300, 300)


def test_only_one_bet_of_two_partners_can_be_won() -> None:
    both = at(*HANDS, calls=((S[1], TICHU), (S[3], GRAND)))
    assert worst_round(both, 0) == (0, 200 + 200 - 100)
    one = at(*HANDS, calls=((S[1], TICHU),), played=(S[0], S[1], S[2]))
    assert worst_round(one, 0) == (0, 200 + 100)  # seat 3 had better not bet as well


def test_a_failed_grand_beside_a_won_bet_costs_nothing_where_the_options_forgive_it() -> None:
    options = RuleOptions(both_call_scoring=BothCallScoring.BSW)
    both = at(*HANDS, calls=((S[1], GRAND), (S[3], GRAND)), options=options)
    assert worst_round(both, 0) == (0, 200 + 200)


def test_a_bet_is_open_until_the_first_card_or_where_barred_until_one_is_out() -> None:
    def third_unplayed(options: RuleOptions) -> Round:
        played = (S[0], S[1], S[3])
        return at("", *HANDS[1:], out=(S[0],), played=played, lead=S[1], options=options)

    assert worst_round(third_unplayed(DEFAULT_OPTIONS), 0)[0] == -100
    barred = RuleOptions(hopeless_call=HopelessCall.REJECTED)
    assert worst_round(third_unplayed(barred), 0)[0] == 0


def test_once_a_seat_of_the_team_is_first_out_the_double_victory_and_the_bets_are_gone() -> None:
    position = at("", *HANDS[1:], out=(S[0],), lead=S[1], calls=((S[0], TICHU), (S[1], GRAND)))
    # only points are left, and none lie outside the hands
    assert worst_round(position, 0) == (100, -200)


def test_points_in_piles_are_safe_but_for_those_of_a_seat_that_may_end_last() -> None:
    won = ("Kj Tj", "5j", "Kp", "")
    hands = ("", *HANDS[1:])
    position = at(*hands, won=won, out=(S[0],), lead=S[1])
    assert worst_round(position, 0) == (30, 5)  # seat 2 last: its king goes to the first out
    first = at(HANDS[0], "", *HANDS[2:], won=won, out=(S[1],), lead=S[2])
    assert worst_round(first, 0) == (0, 200)  # seat 3 goes out as well (F1)


def test_a_double_victory_may_be_worth_less_than_the_points() -> None:
    options = RuleOptions(double_victory_points=100)
    won = ("Kj Kp", "Ks Kr", "", "Dr 5j 5p")
    position = at(HANDS[0], "", *HANDS[2:], won=won, out=(S[1],), lead=S[2], options=options)
    assert worst_round(position, 0) == (0, 100)
    won = ("Kj Kp Tj Tp", "Ks Kr Ts Tr", "", "Dr 5j 5p 5s 5r")
    position = at(HANDS[0], "", *HANDS[2:], won=won, out=(S[1],), lead=S[2], options=options)
    assert worst_round(position, 0) == (0, 125)  # seat 0 last: its tricks go to seat 1 (F2)


def test_the_phoenix_may_be_taken_and_the_dragon_must_be_given_away() -> None:
    hands = ("", HANDS[1], "Dr Ph Ks 2s 4s 6s 8s 9s Js", HANDS[3])
    position = at(*hands, out=(S[0],), lead=S[1])
    assert worst_round(position, 0) == (-25, 25 + 10)
    theirs = at("", "Dr 2s 3s 5s 7s As", HANDS[2], HANDS[3], out=(S[0],), lead=S[2])
    # nobody holds a bomb, so who plays the Dragon gives it to the team; so does a last hand
    assert worst_round(theirs, 0) == (25, 5)


def test_a_bomb_on_their_own_dragon_keeps_the_trick() -> None:
    hands = ("", "Dr 3s 7s As", HANDS[2], "2j 2s 2p 2r 3r")
    position = at(*hands, out=(S[0],), lead=S[2])
    assert worst_round(position, 0) == (0, 25)


@pytest.mark.parametrize(
    ("overtaking", "worst"), [(SelfOvertake.BOMBS_ONLY, (10, 0)), (SelfOvertake.ANY, (0, 10))]
)
def test_a_trick_that_its_owner_may_reopen_is_not_his_yet(
    overtaking: SelfOvertake, worst: tuple[int, int]
) -> None:
    options = RuleOptions(self_overtake=overtaking)
    hands = ("", "Aj 2j", "Tj Js 3s", "2p 4p")
    position = at(*hands, out=(S[0],), lead=S[2], options=options)
    assert position.play(S[2], parse_cards("Tj")) is None
    assert position.pass_turn(S[3]) is None
    assert position.pass_turn(S[1]) is None
    assert position.phase is Phase.CLOSING
    assert worst_round(position, 0) == worst


def with_the_gift_owed(options: RuleOptions) -> Round:
    won = ("Kj", "Kp", "", "Ts")
    position = at("", "", "Dr", "2j 5p", won=won, out=(S[0], S[1]), lead=S[2], options=options)
    assert position.play(S[2], parse_cards("Dr")) is None
    assert position.phase is Phase.DRAGON
    return position


def test_an_owed_gift_is_all_that_is_left_of_a_round() -> None:
    position = with_the_gift_owed(DEFAULT_OPTIONS)
    # seat 3 is last: its hand goes to team 0, its tricks to seat 0; the Dragon to seat 1
    assert worst_round(position, 0) == (10 + 10 + 5, 10 + 25)
    forbidden = RuleOptions(dragon_gift_to_finished=DragonGiftToFinished.FORBIDDEN)
    to_the_last = with_the_gift_owed(forbidden)
    assert worst_round(to_the_last, 0) == (10 + 10 + 5 + 25, 10)
    assert worst_round(to_the_last, 1) == worst_round(to_the_last, 0)


def test_what_one_forced_card_decides_is_known() -> None:
    # seat 0 must lead its last card and is out; the double victory of seats 1 and 3 with it
    position = at("Aj", "2p 3p", "3j 4j", "4p 5p")
    assert worst_round(position, 0) == (0, 5)


def test_a_round_that_is_over_counts_as_it_is() -> None:
    won = ("Kj", "", "", "")
    position = at("2j", "", "3j", "4j", won=won, out=(S[1],), lead=S[3])
    assert position.play(S[3], parse_cards("4j")) is None
    assert position.phase is Phase.ROUND_OVER
    assert worst_round(position, 0) == position.round_score == (0, 200)


def test_rounds_that_are_left_count_as_the_worst_ones() -> None:
    options = RuleOptions(rounds=4)
    assert worst_result(None, 0, totals=(0, 0), rounds_played=0, options=options) == (-1600, 1600)
    assert worst_result(None, 0, totals=(90, 110), rounds_played=3, options=options) == (-310, 510)
    position = at(*HANDS, options=options)
    worst = worst_result(position, 0, totals=(90, 110), rounds_played=2, options=options)
    assert worst == (90 + 0 - 400, 110 + 200 + 400)
    last = worst_result(position, 1, totals=(90, 110), rounds_played=3, options=options)
    assert last == (290, 110)


@pytest.mark.parametrize("totals", [(0, 0), (990, -500), (300, 990), (1200, 1200), (999, 0)])
@pytest.mark.parametrize("team", [0, 1])
def test_a_match_to_a_target_is_lost(totals: tuple[int, int], team: int) -> None:
    for position in (None, at(*HANDS)):
        worst = worst_result(
            position, team, totals=totals, rounds_played=5, options=DEFAULT_OPTIONS
        )
        assert worst[1 - team] >= 1000 > worst[team] or worst[1 - team] > worst[team] >= 1000
        # no more rounds than it takes
        assert worst[1 - team] - 400 < 1000 or worst[1 - team] - 400 <= worst[team] + 400


def test_a_far_target_takes_no_time() -> None:
    options = RuleOptions(target=10**15)
    worst = worst_result(None, 0, totals=(0, 0), rounds_played=0, options=options)
    assert worst == (-(10**15), 10**15)
