"""H: six players in two teams of three, by hand."""

import pytest

from referee.rules.cards import pack
from referee.rules.notation import parse_cards
from referee.rules.options import parse_options
from referee.rules.phases import CallKind, Phase
from referee.rules.refusals import Refusal
from referee.rules.round import Round
from referee.rules.worst import worst_new_round, worst_result, worst_round
from tests.unit.rules.positions import S, at, play

TIENTSIN: dict[str, object] = {"variant": "tientsin"}
HANDS = ("2j Mj", "2s 3s", "2p 3p", "Ts 9s", "4j 5j", "4s 5s")
ENDS_EARLY = TIENTSIN | {"tientsin_end_when_team_out": True}


def counts(options: dict[str, object]) -> list[int]:
    parsed = parse_options(options)
    dealt = Round.deal(pack(parsed), dealer=S[4], options=parsed)
    return [hand.bit_count() for hand in dealt.hands]


def test_the_dealer_or_who_follows_him_has_ten_cards() -> None:
    assert counts(TIENTSIN) == [9, 9, 9, 9, 10, 10]
    assert counts(TIENTSIN | {"tientsin_deal_start": "after_dealer"}) == [10, 9, 9, 9, 9, 10]


def test_grand_is_decided_by_all_six_with_six_cards() -> None:
    options = parse_options(TIENTSIN)
    dealt = Round.deal(pack(options), dealer=S[4], options=options)
    assert dealt.decisions_owed() == (4, 5, 0, 1, 2, 3)
    assert [cards.bit_count() for cards in dealt.dealt_hands] == [6] * 6


def test_who_gives_the_lead_away_without_partners() -> None:
    hands = ("Dg 2j", "3s 9s", "", "5r 9r", "", "7s Ts")
    start: dict[str, object] = {"lead": S[0], "out": (S[2], S[4])}
    following = at(*hands, options=TIENTSIN, **start)
    play(following, (0, "Dg"))
    assert following.turn == 1
    left = TIENTSIN | {"tientsin_dog_no_partner": "left"}
    other_side = at(*hands, options=left, **start)
    play(other_side, (0, "Dg"))
    assert other_side.turn == 5


def test_a_dog_as_the_last_card_of_the_last_partner() -> None:
    round_ = at("Dg", "3s 9s", "", "5r 9r", "", "7s", options=TIENTSIN, lead=S[0], out=(S[2], S[4]))
    play(round_, (0, "Dg"))
    assert (round_.phase, round_.round_score) == (Phase.ROUND_OVER, (300, 0))  # a triple victory
    left = TIENTSIN | {"tientsin_dog_no_partner": "left"}
    mixed = at("Dg", "3s 9s", "", "5r 9r", "", "", options=left, lead=S[0], out=(S[2], S[5], S[4]))
    play(mixed, (0, "Dg"))
    assert (mixed.phase, mixed.turn) == (Phase.PLAY, 3)  # the last with cards before seat 0


def test_the_lead_may_be_given_to_a_partner_who_went_out_with_the_dog_pending() -> None:
    round_ = at("Dg", "3s", "4p 9p", "5r", "6j", "7s", options=TIENTSIN, lead=S[0])
    play(round_, (0, "Dg"))
    assert (round_.phase, round_.turn, round_.out) == (Phase.DOG, 0, [0])
    assert round_.give_dog(S[0], S[4]) is None
    assert round_.turn == 4


@pytest.mark.parametrize("out", [(2, 4, 5), (5, 2, 4), (2, 5, 4)])
def test_a_whole_team_out_ends_the_round_only_by_option(out: tuple[int, ...]) -> None:
    hands = ("Aj", "3s Ks", "", "5r 9r", "", "")
    won = ("Kj", "Tj", "5s", "Kp", "Ts", "Tr")
    start: dict[str, object] = {"lead": S[0], "out": tuple(S[seat] for seat in out)}
    goes_on = at(*hands, options=TIENTSIN, won=won, **start)
    play(goes_on, (0, "Aj"))
    assert goes_on.phase is Phase.PLAY
    ended = at(*hands, options=ENDS_EARLY, won=won, **start)
    play(ended, (0, "Aj"))
    assert ended.phase is Phase.ROUND_OVER
    assert ended.finishing_order == (*out, 0)
    # seats 1 and 3 are both last: their hands (10 and 5) and tricks (10 and 10) go to team 0
    assert ended.round_score == (10 + 5 + 10 + 10 + 5 + 10 + 10, 10)


def test_an_early_end_may_owe_the_dragon_and_no_more() -> None:
    hands = ("Dr", "3s Ks", "", "5r 9r", "", "")
    round_ = at(*hands, options=ENDS_EARLY, lead=S[0], out=(S[2], S[5], S[4]))
    play(round_, (0, "Dr"))
    assert (round_.phase, round_.turn) == (Phase.DRAGON, 0)
    assert round_.give_dragon(S[0], S[2]) is Refusal.BAD_RECIPIENT
    assert round_.give_dragon(S[0], S[5]) is None
    assert (round_.phase, round_.round_score) == (Phase.ROUND_OVER, (15, 25))


def test_a_position_with_a_team_out_is_over_by_option() -> None:
    hands = ("", "3s Ks", "", "5r 9r", "", "")
    out = (S[2], S[5], S[4], S[0])
    assert at(*hands, options=TIENTSIN, lead=S[1], out=out).turn == 1
    with pytest.raises(ValueError, match="the round is over already"):
        at(*hands, options=ENDS_EARLY, lead=S[1], out=out)


def test_partners_give_each_other_one_card() -> None:
    dealt = at(*HANDS, options=TIENTSIN, phase=Phase.EXCHANGE)
    assert [slot.to for slot in dealt.exchange_slots(S[3])] == [5, 1]
    assert dealt.exchange(S[3], [parse_cards("Ts")]) is Refusal.BAD_EXCHANGE


def test_the_worst_round_is_a_triple_victory_with_bets() -> None:
    options = parse_options(TIENTSIN)
    assert worst_new_round(0, options) == (-600, 500)
    assert worst_new_round(1, options) == (500, -600)
    lost = worst_result(None, 0, totals=(900, 0), rounds_played=4, options=options)
    assert lost == (900 - 1200, 1000)
    four = parse_options(TIENTSIN | {"rounds": 4})
    assert worst_result(None, 1, totals=(0, 0), rounds_played=2, options=four) == (1000, -1200)


def test_the_worst_end_of_a_running_round() -> None:
    everybody = tuple(S[:6])
    won = ("Kj", "", "5s", "", "", "Tr")
    hands = ("Aj 3j", "3s 9s", "", "5r 9r", "2j 4j", "7s Ts")
    start: dict[str, object] = {"lead": S[0], "out": (S[2],), "played": everybody}
    # seats 0 and 4 end fifth and last: the fifth's tricks stay, the last one's are lost
    assert worst_round(at(*hands, options=TIENTSIN, won=won, **start), 0) == (5, 10 + 10 + 10 + 5)
    called = at(*hands, options=TIENTSIN, calls=((S[0], CallKind.GRAND),), **start)
    assert worst_round(called, 0)[0] == -200
