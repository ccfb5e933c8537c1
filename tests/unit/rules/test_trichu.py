"""G: the soloist and the open hand, by hand. Every soloist, not only seat 0 of the vectors."""

from collections.abc import Mapping

import pytest

from referee.rules.cards import pack
from referee.rules.errors import NotationError
from referee.rules.match_score import MatchScore
from referee.rules.notation import parse_cards
from referee.rules.options import parse_options
from referee.rules.phases import CallKind, Phase
from referee.rules.refusals import Refusal
from referee.rules.round import Round
from referee.rules.views import public_view, seat_view
from referee.rules.worst import worst_new_round, worst_result
from tests.unit.rules.positions import S, at, play

TRICHU: dict[str, object] = {"variant": "trichu"}
SOLOISTS = [S[0], S[1], S[3]]


def dealt(soloist: int, more: Mapping[str, object] | None = None) -> Round:
    options = parse_options({**TRICHU, **(more or {})})
    return Round.deal(pack(options), dealer=S[soloist], options=options)


@pytest.mark.parametrize(("soloist", "order"), [(0, "0123"), (1, "1320"), (3, "3021")])
def test_the_turn_goes_soloist_opponent_tisch_opponent(soloist: int, order: str) -> None:
    hands = [f"{rank}j {rank}s" for rank in "2345"]
    by_seat = [""] * 4
    for at_seat, hand in zip(order, hands, strict=True):
        by_seat[int(at_seat)] = hand
    round_ = at(*by_seat, options=TRICHU, lead=S[soloist], dealer=S[soloist])
    for at_seat, rank in zip(order, "2345", strict=True):
        assert round_.turn == int(at_seat)
        play(round_, (int(at_seat), f"{rank}j"))
    assert round_.turn == soloist


@pytest.mark.parametrize(("soloist", "opponents"), [(0, (1, 3)), (1, (3, 0)), (3, (0, 1))])
def test_only_the_opponents_decide_on_grand(soloist: int, opponents: tuple[int, ...]) -> None:
    round_ = dealt(soloist)
    assert round_.decisions_owed() == opponents
    for seat in (S[soloist], S[2]):
        for call in (CallKind.GRAND, CallKind.NO_GRAND):
            assert round_.check_call(seat, call) is Refusal.CALL_NOT_ALLOWED
    for opponent in opponents:
        assert round_.call(S[opponent], CallKind.GRAND) is None
    assert round_.phase is Phase.EXCHANGE


def test_great_grand_is_for_the_same_seats() -> None:
    round_ = dealt(1, {"great_grand": True})
    assert (round_.phase, round_.decisions_owed()) == (Phase.GREAT_GRAND, (3, 0))
    assert round_.check_call(S[1], CallKind.GREAT_GRAND) is Refusal.CALL_NOT_ALLOWED
    assert round_.check_call(S[2], CallKind.NO_GREAT_GRAND) is Refusal.CALL_NOT_ALLOWED


def test_nobody_may_call_grand() -> None:
    round_ = dealt(0, {"trichu_grand": "nobody"})
    assert round_.phase is Phase.EXCHANGE
    assert round_.check_call(S[1], CallKind.GRAND) is Refusal.CALL_NOT_ALLOWED


def slots(round_: Round) -> list[list[int]]:
    return [[slot.to for slot in round_.exchange_slots(seat)] for seat in S[:4]]


def test_who_gives_to_whom() -> None:
    assert slots(dealt(0)) == [[1, 3], [2, 3, 0], [3, 1], [0, 1, 2]]
    assert slots(dealt(1)) == [[1, 3, 2], [3, 0], [0, 3], [2, 0, 1]]
    two = {"trichu_opponents_exchange": "two"}
    assert slots(dealt(0, two)) == [[1, 3], [2, 0], [3, 1], [0, 2]]
    assert slots(dealt(3, two)) == [[2, 3], [3, 2], [1, 0], [0, 1]]


@pytest.mark.parametrize("soloist", SOLOISTS)
@pytest.mark.parametrize("more", [{}, {"trichu_opponents_exchange": "two"}])
def test_every_hand_keeps_its_number_of_cards(soloist: int, more: dict[str, object]) -> None:
    round_ = dealt(soloist, more | {"grand_allowed": False})
    for seat in S[:4]:
        lowest, hand = [], round_.hands[seat]
        for _ in round_.exchange_slots(seat):
            lowest.append(hand & -hand)
            hand &= hand - 1
        assert round_.exchange(seat, lowest) is None
    assert round_.phase is Phase.PLAY
    assert [hand.bit_count() for hand in round_.hands] == [14] * 4


def test_the_soloist_sees_the_tisch_from_the_exchange_on_and_all_after_it() -> None:
    round_ = dealt(1)
    assert seat_view(round_, S[1]).open_hands == ()
    for seat in (S[0], S[3]):
        assert round_.call(seat, CallKind.NO_GRAND) is None
    tisch, soloist = (S[2], round_.hands[2]), (S[1], round_.hands[1])
    assert seat_view(round_, S[1]).open_hands == (tisch,)
    assert seat_view(round_, S[2]).open_hands == (soloist,)
    assert seat_view(round_, S[0]).open_hands == public_view(round_).open_hands == ()
    play_on = at("2j Mj", "3s 9s", "4p 9p", "5r 9r", options=TRICHU, dealer=S[3])
    shown = ((S[2], parse_cards("4p 9p")),)
    assert public_view(play_on).open_hands == seat_view(play_on, S[0]).open_hands == shown
    assert seat_view(play_on, S[3]).open_hands == shown
    assert seat_view(play_on, S[2]).open_hands == ((S[3], parse_cards("5r 9r")),)
    assert (public_view(play_on).soloist, public_view(play_on).tisch) == (3, 2)


def test_no_wish_binds_the_tisch_in_turn_leading_or_out_of_turn() -> None:
    never: dict[str, object] = {"wish_bomb_exempt": "never"}
    bombs = "8j 8s 8p 8r 9j 9s 9p 9r Kj"
    round_ = at("2j", "3s 4s", bombs, "5r 6r", options=TRICHU | never, lead=S[1], wish=9)
    play(round_, (1, "3s"))
    assert round_.play(S[2], parse_cards("8j 8s 8p 8r")) is None
    assert round_.wish == 9
    play(round_, (3, ""), (0, ""), (1, ""), (0, "-"), (2, "Kj"))
    assert round_.wish == 9
    out_of_turn = at("2j", "3s 4s", bombs, "5r 6r", options=TRICHU | never, lead=S[0], wish=9)
    play(out_of_turn, (0, "2j"))
    assert out_of_turn.play(S[2], parse_cards("8j 8s 8p 8r")) is None


def test_the_last_players_points_go_to_the_first_out_or_burn() -> None:
    won = ("Kj Tj", "Kp", "5j", "Ks")
    hands = ("7j", "Kr Tp", "", "")
    start: dict[str, object] = {"lead": S[0], "out": (S[3], S[2]), "won": won}
    kept = at(*hands, options=TRICHU, **start)
    play(kept, (0, "7j"))
    assert kept.round_score == (20 + 5 + 20, 20, 45, 20)
    burnt = at(*hands, options=TRICHU | {"trichu_last_burns_points": True}, **start)
    play(burnt, (0, "7j"))
    assert (burnt.team_points, burnt.round_score) == ((25, 10), (25, 10, 25, 10))


def test_points_are_by_team_and_by_column() -> None:
    round_ = at("2r", "Aj", "", "3s Ks", options=TRICHU, lead=S[1], out=(S[2],), dealer=S[1])
    play(round_, (1, "Aj"))
    assert (round_.team_points, round_.round_score) == ((200, 0), (0, 200, 200, 0))


def test_the_soloist_changes_every_round_and_nine_rounds_are_a_match() -> None:
    score = MatchScore(parse_options(TRICHU))
    dealers = []
    for number in range(9):
        assert not score.is_over
        dealers.append(score.dealer)
        score.add((0, 10, 200, -number), order=(S[2], S[1]))
    assert dealers == [0, 1, 3] * 3
    assert (score.totals, score.is_over, score.winner) == ((0, 90, 1800, -36), True, 1)


def test_equal_players_draw_and_the_tisch_wins_nothing() -> None:
    score = MatchScore(parse_options(TRICHU | {"rounds": 3}))
    for points in ((10, 0, 50, 0), (0, 10, 50, 0), (0, 0, 50, 0)):
        score.add(points)
    assert (score.is_over, score.winner) == (True, None)


def test_the_tisch_cannot_deal() -> None:
    with pytest.raises(NotationError, match="seat 2 cannot deal"):
        at("2j", "3j", "4j", "5j", options=TRICHU, lead=S[0], dealer=S[2])


def test_a_grand_of_the_soloist_is_no_position() -> None:
    with pytest.raises(NotationError, match="only the opponents of the soloist"):
        at("2j", "3j", "4j", "5j", options=TRICHU, lead=S[0], calls=((S[2], CallKind.GRAND),))


def test_the_worst_of_a_match_follows_the_soloist() -> None:
    options = parse_options(TRICHU)
    # the soloist's side has no Grand: two lost Tichus against 200 and a won Grand
    assert worst_new_round(0, options) == (-200, 400)
    assert worst_new_round(1, options) == (300, -400)
    # player 0 is the soloist of one round in three
    three = parse_options(TRICHU | {"rounds": 3})
    worst = worst_result(None, 0, totals=(0, 0, 0, 0), rounds_played=0, options=three)
    assert worst == (-200 - 400 - 400, *[400 + 300 + 300] * 3)  # nobody loses with a partner
    last = worst_result(None, 3, totals=(1, 2, 3, 4), rounds_played=2, options=three)
    assert last == (1 + 400, 2 + 400, 3 + 400, 4 - 200)
