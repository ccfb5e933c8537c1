"""I: ranks, seats, gifts by rank, and a match without points, by hand."""

from collections.abc import Mapping

import pytest

from referee.rules.cards import pack
from referee.rules.errors import NotationError, RefereeBug
from referee.rules.exchanges import by_slot, forced_choice
from referee.rules.match_score import MatchScore
from referee.rules.notation import parse_cards
from referee.rules.options import parse_options
from referee.rules.phases import CallKind, Phase
from referee.rules.refusals import Refusal
from referee.rules.round import Round
from referee.rules.views import public_view
from referee.rules.worst import worst_result
from tests.unit.rules.positions import S, at, play

GS: dict[str, object] = {"variant": "grand_seigneur"}


def cards(*names: str) -> list[int]:
    return [parse_cards(name) for name in names]


def given(round_: Round, seat: int, *names: str) -> Refusal | None:
    """Give cards as they are written in a vector: one after the other, in slot order."""
    return round_.exchange(S[seat], by_slot(round_.exchange_slots(S[seat]), cards(*names)))


@pytest.mark.parametrize(("seats", "counts"), [(5, [11] * 5), (6, [9] * 6), (7, [15] * 7)])
def test_all_cards_are_dealt_and_the_first_round_begins_with_play(
    seats: int, counts: list[int]
) -> None:
    options = parse_options(GS | {"seats": seats})
    dealt = Round.deal(pack(options), dealer=S[0], options=options)
    sizes = [hand.bit_count() for hand in dealt.hands]
    extra = sum(sizes) - sum(counts)
    assert sizes == [size + (seat < extra) for seat, size in enumerate(counts)]
    assert dealt.phase is Phase.PLAY
    assert dealt.decisions_owed() == ()
    assert dealt.hands[dealt.turn or 0] & parse_cards("Mj")


def test_the_last_of_the_round_before_deals_along_the_turn_order() -> None:
    options = parse_options(GS | {"seats": 6})
    ranks = (S[3], S[1], S[5], S[0], S[4], S[2])
    score = MatchScore(options)
    score.add((), order=ranks)
    assert (score.dealer, score.turn_order) == (2, ranks)
    dealt = Round.deal(
        pack(options),
        dealer=score.dealer,
        options=options,
        turn_order=score.turn_order,
        ranks=score.ranks,
    )
    assert dealt.phase is Phase.EXCHANGE
    # 55 cards: the dealer has the first and the last one
    assert [hand.bit_count() for hand in dealt.hands] == [9, 9, 10, 9, 9, 9]
    assert dealt.hands[2] & 1 << pack(options)[0]
    assert dealt.hands[3] & 1 << pack(options)[1]
    assert public_view(dealt).order == public_view(dealt).ranks == ranks


def test_turns_passes_and_leads_follow_the_turn_order() -> None:
    order = (S[3], S[1], S[4], S[0], S[2])
    round_ = at("2j 3j", "Aj", "4p 3p", "2r 9r", "Ts 3s", options=GS, lead=S[3], turn_order=order)
    play(round_, (3, "2r"), (1, "Aj"), (4, ""), (0, ""), (2, ""), (3, ""))
    assert (round_.phase, round_.out) == (Phase.CLOSING, [1])
    assert round_.collect() is None
    assert round_.turn == 4  # next(1)


def test_bombs_are_asked_for_from_the_next_in_turn_order() -> None:
    order = (S[3], S[1], S[4], S[0], S[2])
    hands = ("2j 2s 2p 2r Kj", "3j 3s 3p 3r Ks", "4j 4s 4p 4r Kp", "9r 9s", "8s Tj")
    round_ = at(*hands, options=GS, lead=S[3], turn_order=order)
    play(round_, (3, "9r"))
    assert round_.bomb_holders() == [1, 0, 2]


def test_the_ranks_are_the_order_of_going_out_and_there_are_no_points() -> None:
    round_ = at("2j", "3s", "4p", "5r", "6j Tj", options=GS, lead=S[0])
    play(round_, (0, "2j"), (1, "3s"), (2, "4p"), (3, "5r"))
    assert (round_.phase, round_.finishing_order) == (Phase.ROUND_OVER, (0, 1, 2, 3, 4))
    assert (round_.round_score, round_.card_points, round_.scores) == ((), (), ())
    assert not round_.double_victory


@pytest.mark.parametrize("call", CallKind)
def test_there_are_no_calls(call: CallKind) -> None:
    round_ = at("2j", "3s", "4p", "5r", "6j Tj", options=GS, lead=S[0])
    expected = Refusal.CALL_NOT_ALLOWED
    if call in (CallKind.ACCEPT, CallKind.REFUSE):
        expected = Refusal.WRONG_PHASE
    assert round_.call(S[0], call) is expected


# Two packs


SEVEN = ("Dr 2j", "3s 9s", "Dr' 9p", "5r 9r", "6j Tj", "7j 8j", "7s 8s")


def test_of_two_dragons_and_phoenixes_the_later_lies_higher() -> None:
    round_ = at("Dr 2j", *SEVEN[1:], options=GS, lead=S[2])
    play(round_, (2, "Dr'"), (3, ""), (4, ""), (5, ""), (6, ""), (0, "Dr"))
    assert round_.owner == 0
    assert round_.table is not None
    assert round_.legal_plays(S[2]) == []
    phoenixes = at(
        "8j 2j", "Ph 9s", "Ph' 7p", "5r 9r", *SEVEN[4:5], "7j Jj", SEVEN[6], options=GS, lead=S[0]
    )
    play(phoenixes, (0, "8j"), (1, "Ph"), (2, "Ph'"))
    assert phoenixes.table is not None
    assert phoenixes.table.rank2 == 17
    assert phoenixes.play(S[3], parse_cards("9r")) is None


def test_a_trick_with_either_dragon_is_simply_won() -> None:
    for dragon, owner in (("Dr", 0), ("Dr'", 2)):
        round_ = at(*SEVEN, options=GS, lead=S[owner])
        play(round_, (owner, dragon))
        for step in range(1, 7):
            play(round_, ((owner + step) % 7, ""))
        assert round_.collect() is None
        assert (round_.phase, round_.turn) == (Phase.PLAY, owner)


def test_the_one_dog_gives_the_lead_to_the_next() -> None:
    options = GS | {"gs_dog": "one"}
    round_ = at("Dg 2j", *SEVEN[1:], options=options, lead=S[0])
    play(round_, (0, "Dg"))
    assert (round_.phase, round_.turn) == (Phase.PLAY, 1)
    last = at("Dg", *SEVEN[1:], options=options, lead=S[0])
    play(last, (0, "Dg"))
    assert (last.turn, last.out) == (1, [0])


def test_two_phoenixes_in_a_combination_only_by_option() -> None:
    hands = ("Ph Ph' Aj 2j", *SEVEN[1:])
    plain = at(*hands, options=GS, lead=S[0])
    assert plain.play(S[0], parse_cards("Ph Ph' Aj")) is Refusal.NOT_A_COMBINATION
    both = at(*hands, options=GS | {"gs_two_phoenix_in_combo": True}, lead=S[0])
    assert len(both.every_play(S[0])) > len(plain.every_play(S[0]))
    assert both.play(S[0], parse_cards("Ph Ph' Aj")) is None


# Exchange


def exchange(options: Mapping[str, object], *hands: str, ranks: str) -> Round:
    by_rank = tuple(S[int(seat)] for seat in ranks)
    return at(*hands, options={**GS, **options}, phase=Phase.EXCHANGE, ranks=by_rank)


FIVE = ("Mj 2j 3j", "Dr 5s", "6p 7p", "Tr 9r", "Ph 6j Kj")
SIX = ("Mj 2j 3j 4j", "Dr 5s As Ks", "6p 7p 8p 9p", "Tr 9r 4r 3r", "Ph 6j Kj Qj", "7s 8s Qs Js")


def owed(round_: Round) -> list[list[tuple[int, int, str]]]:
    return [
        [(slot.to, slot.count, slot.forced.name) for slot in round_.exchange_slots(seat)]
        for seat in S[: round_.n]
    ]


def test_what_is_owed_by_levels() -> None:
    assert owed(exchange({}, *FIVE, ranks="01234")) == [
        [(4, 2, "FREE")],
        [(3, 1, "FREE")],
        [],
        [(1, 1, "BEST")],
        [(0, 2, "BEST")],
    ]
    assert owed(exchange({"gs_return": "worst"}, *SIX, ranks="543210"))[3:] == [
        [(2, 1, "WORST")],
        [(1, 2, "WORST")],
        [(0, 3, "WORST")],
    ]


def test_what_is_owed_with_all_to_the_first() -> None:
    six = ("Mj 2j 3j 4j 5j 6j", *SIX[1:4], "Ph 7j Kj Qj", SIX[5])
    round_ = exchange({"gs_exchange": "all_to_first"}, *six, ranks="012345")
    assert owed(round_) == [
        [(5, 3, "FREE"), (4, 2, "FREE"), (3, 1, "FREE")],
        [],
        [],
        [(0, 1, "BEST")],
        [(0, 2, "BEST")],
        [(0, 3, "BEST")],
    ]
    assert given(round_, 0, "2j", "3j", "4j", "5j", "6j") is Refusal.BAD_EXCHANGE
    assert given(round_, 0, "2j", "3j", "4j", "5j", "6j", "6j") is Refusal.BAD_EXCHANGE
    assert given(round_, 0, "2j", "3j", "4j", "5j", "6j", "Mj") is None
    assert given(round_, 1, "5s") is Refusal.BAD_EXCHANGE
    assert given(round_, 3, "Tr") is None
    assert given(round_, 4, "Ph", "Kj") is None
    assert given(round_, 5, "8s", "Qs", "Js") is None
    assert round_.phase is Phase.PLAY
    assert round_.hands[0] == parse_cards("Tr Ph Kj 8s Qs Js")
    assert round_.hands[5] == parse_cards("7s 2j 3j 4j")
    assert round_.hands[4] == parse_cards("7j Qj 5j 6j")
    assert round_.hands[3] == parse_cards("9r 4r 3r Mj")
    five = exchange({"gs_exchange": "all_to_first"}, "Mj 2j 3j", *FIVE[1:], ranks="01234")
    assert owed(five)[0] == [(4, 2, "FREE"), (3, 1, "FREE")]


@pytest.mark.parametrize(
    ("order", "best"),
    [("dragon_phoenix_mahjong", ("Ph", "Mj")), ("mahjong_last", ("Ph", "Aj"))],
)
def test_where_the_mah_jong_stands(order: str, best: tuple[str, str]) -> None:
    hands = ("Kj 2j 3j", "3s 5s", "6p 7p", "Tr 9r", "Mj Ph Aj 2s")
    round_ = exchange({"gs_best_order": order}, *hands, ranks="01234")
    for wrong in (("Ph", "2s"), ("Mj", "Aj"), ("Ph", "Mj"), ("Ph", "Aj")):
        if set(wrong) != set(best):
            assert given(round_, 4, *wrong) is Refusal.BAD_EXCHANGE
    assert given(round_, 4, *best) is None


def test_only_the_worst_comes_back_by_option_and_equal_cards_are_a_choice() -> None:
    hands = ("Mj 2j 2s Aj", "3s 5s", "6p 7p", "Tr 9r", "Kj Kp Ks 9s")
    free = exchange({}, *hands, ranks="01234")
    assert given(free, 0, "Aj", "2j") is None
    worst = exchange({"gs_return": "worst"}, *hands, ranks="01234")
    assert given(worst, 0, "Aj", "2j") is Refusal.BAD_EXCHANGE
    assert given(worst, 0, "2s", "2j") is None
    last = exchange({"gs_return": "worst", "gs_best_order": "mahjong_last"}, *hands, ranks="01234")
    assert given(last, 0, "2s", "2j") is Refusal.BAD_EXCHANGE
    assert given(last, 0, "Mj", "2j") is None


def test_with_all_to_the_first_the_worst_go_to_the_last() -> None:
    options = {"gs_exchange": "all_to_first", "gs_return": "worst"}
    round_ = exchange(options, "2j 3j 4j 5j", *FIVE[1:], ranks="01234")
    assert given(round_, 0, "3j", "4j", "2j") is Refusal.BAD_EXCHANGE
    assert given(round_, 0, "3j", "2j", "4j") is None


def test_cards_of_both_packs_are_equal() -> None:
    hands = ("2j 3j 4j Mj", "3s 5s", "6p 7p", "Tr 9r", "6j Tj", "7j 8j", "Dr Dr' Ph Ph' Aj")
    round_ = exchange({}, *hands, ranks="0123456")
    assert given(round_, 6, "Dr", "Ph", "Ph'") is Refusal.BAD_EXCHANGE
    assert given(round_, 6, "Dr", "Ph'", "Dr'") is None
    dog = exchange({"gs_dog": "one"}, *hands[:6], "Dg 2s 8s 4s", ranks="0123456")
    assert given(dog, 6, "2s", "8s", "Dg") is Refusal.BAD_EXCHANGE  # the Dog is the worst
    assert given(dog, 6, "2s", "8s", "4s") is None


def test_codes_of_an_exchange() -> None:
    round_ = exchange({}, *FIVE, ranks="01234")
    assert given(round_, 2, "6p") is Refusal.BAD_EXCHANGE  # owes nothing
    assert given(round_, 2) is Refusal.BAD_EXCHANGE
    assert given(round_, 2, "Aj") is Refusal.CARDS_NOT_HELD
    assert given(round_, 0, "2j") is Refusal.BAD_EXCHANGE
    assert given(round_, 0, "2j", "2j") is Refusal.BAD_EXCHANGE
    assert given(round_, 0, "2j", "3j", "Mj") is Refusal.BAD_EXCHANGE
    assert given(round_, 0, "2j", "3j") is None
    assert given(round_, 0, "Mj", "3j") is Refusal.BAD_EXCHANGE  # already given


def test_a_choice_that_always_fits() -> None:
    round_ = exchange({"gs_return": "worst"}, *SIX, ranks="012345")
    for seat in S[:6]:
        choice = forced_choice(round_.exchange_slots(seat), round_.hands[seat], round_.options)
        assert round_.exchange(seat, choice) is None
    assert round_.phase is Phase.PLAY
    with pytest.raises(RefereeBug):
        forced_choice(round_.exchange_slots(S[5]), parse_cards("2j"), round_.options)


# Match


def test_four_rounds_are_a_match_and_who_is_first_at_the_end_has_it() -> None:
    score = MatchScore(parse_options(GS | {"seats": 5}))
    for first in (0, 3, 3, 1):
        assert (score.is_over, score.winner) == (False, None)
        score.add((), order=(S[first], *[s for s in S[:5] if s != first]))
    assert (score.is_over, score.winner, score.totals) == (True, 1, ())


def test_first_again_ends_the_match() -> None:
    score = MatchScore(parse_options(GS | {"seats": 5, "gs_goal": "first_again"}))
    for first in (0, 3, 0, 1, 4, 4):
        assert not score.is_over
        score.add((), order=(S[first], *[s for s in S[:5] if s != first]))
    assert (score.is_over, score.winner) == (True, 4)


def test_without_points_nothing_is_the_worst() -> None:
    options = parse_options(GS | {"seats": 5})
    assert worst_result(None, 0, totals=(), rounds_played=1, options=options) == ()


@pytest.mark.parametrize(
    ("start", "fault"),
    [
        ({"phase": Phase.EXCHANGE}, "ranks: say who was first to last"),
        ({"phase": Phase.EXCHANGE, "ranks": (S[0],) * 5}, "ranks: not every seat once"),
        ({"turn_order": (S[0],)}, "turn_order: not every seat once"),
        ({"phase": Phase.GRAND}, "no phase grand"),
        ({"calls": ((S[0], CallKind.TICHU),)}, "grand_seigneur has no calls"),
    ],
)
def test_what_is_no_position(start: dict[str, object], fault: str) -> None:
    with pytest.raises(NotationError, match=fault):
        at(*FIVE, options=GS, **start)
