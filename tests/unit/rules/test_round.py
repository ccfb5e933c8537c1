"""The round as an object: the deal, the exchange, copies, refusals that change nothing."""

from collections.abc import Callable

import pytest

from referee.rules.cards import Seat, card_numbers, pack
from referee.rules.combinations import read
from referee.rules.errors import NotationError, RefereeBug
from referee.rules.notation import format_cards, format_play, parse_cards
from referee.rules.option_values import GrandOrder, SelfOvertake
from referee.rules.options import DEFAULT_OPTIONS, RuleOptions
from referee.rules.phases import CallKind, Phase
from referee.rules.position import Position
from referee.rules.refusals import Refusal
from referee.rules.round import Round

S = [Seat(seat) for seat in range(4)]


def at(*hands: str, options: RuleOptions = DEFAULT_OPTIONS, **start: object) -> Round:
    """A round in play; seat 0 leads unless the position says otherwise."""
    fields: dict[str, object] = {"lead": S[0]} | start
    masks = tuple(parse_cards(hand) for hand in hands)
    return Round.from_position(Position(hands=masks, options=options, **fields))  # type: ignore[arg-type]


def done(*refusals: Refusal | None) -> None:
    assert refusals == (None,) * len(refusals)


def test_cards_go_round_one_at_a_time_from_the_dealer() -> None:
    order = pack(DEFAULT_OPTIONS)
    dealt = Round.deal(order, dealer=S[2], options=DEFAULT_OPTIONS)
    assert [hand.bit_count() for hand in dealt.hands] == [14] * 4
    assert [first.bit_count() for first in dealt.dealt_first] == [8] * 4
    assert card_numbers(dealt.hands[2]) == order[0::4]
    assert card_numbers(dealt.hands[3]) == order[1::4]
    assert card_numbers(dealt.hands[1]) == order[3::4]
    assert card_numbers(dealt.dealt_first[2]) == order[0:32:4]
    assert (dealt.phase, dealt.turn) == (Phase.GRAND, None)


def test_a_card_dealt_twice_is_our_bug() -> None:
    with pytest.raises(RefereeBug):
        Round.deal([8, 9, 8, 10], dealer=S[0], options=DEFAULT_OPTIONS)


def test_the_options_decide_where_a_round_begins() -> None:
    order = pack(DEFAULT_OPTIONS)
    great = Round.deal(order, dealer=S[0], options=RuleOptions(great_grand=True))
    none = Round.deal(order, dealer=S[0], options=RuleOptions(grand_allowed=False))
    assert (great.phase, none.phase) == (Phase.GREAT_GRAND, Phase.EXCHANGE)


def test_who_decides_on_grand_by_seat_is_asked_from_the_dealer() -> None:
    options = RuleOptions(grand_order=GrandOrder.BY_SEAT)
    dealt = Round.deal(pack(options), dealer=S[3], options=options)
    asked: list[Seat] = []
    while owed := dealt.decisions_owed():
        asked += owed
        done(dealt.call(owed[0], CallKind.NO_GRAND))
    assert asked == [3, 0, 1, 2]
    assert dealt.phase is Phase.EXCHANGE


def test_together_all_decisions_are_owed_at_once() -> None:
    dealt = Round.deal(pack(DEFAULT_OPTIONS), dealer=S[1], options=DEFAULT_OPTIONS)
    assert dealt.decisions_owed() == (1, 2, 3, 0)
    done(dealt.call(S[2], CallKind.GRAND))
    assert dealt.decisions_owed() == (1, 3, 0)


def test_the_exchange_says_who_gave_what() -> None:
    hands = ("Mj 2j 3j 4j", "2s 3s 4s 5s", "2p 3p 4p 5p", "2r 3r 4r 5r")
    round_ = at(*hands, phase=Phase.EXCHANGE, lead=None)
    assert [slot.to for slot in round_.exchange_slots(S[2])] == [3, 0, 1]
    for seat, cards in zip(S, hands, strict=True):
        done(round_.exchange(seat, [parse_cards(card) for card in cards.split()[:3]]))
    assert [(giver, format_cards(card)) for giver, card in round_.received[0]] == [
        (1, "4s"),
        (2, "3p"),
        (3, "2r"),
    ]
    assert (round_.phase, round_.turn) == (Phase.PLAY, 1)  # the Mah Jong went to seat 1 (A8)


def test_an_exchange_is_refused_by_what_is_wrong_with_it() -> None:
    round_ = at("Mj 2j 3j 4j", "2s 3s 4s 5s", "2p", "2r", phase=Phase.EXCHANGE, lead=None)
    two_in_one, foreign = parse_cards("2j 3j"), parse_cards("2s")
    one, other, third = (parse_cards(card) for card in ("2j", "3j", "4j"))
    twice_in_one = parse_cards("2j 2j")
    assert round_.exchange(S[0], [one, other]) is Refusal.BAD_EXCHANGE
    assert round_.exchange(S[0], [one, other, one]) is Refusal.BAD_EXCHANGE
    assert round_.exchange(S[0], [two_in_one, third, 0]) is Refusal.BAD_EXCHANGE
    assert round_.exchange(S[0], [twice_in_one, other, third]) is Refusal.BAD_EXCHANGE
    assert round_.exchange(S[0], [foreign, other]) is Refusal.CARDS_NOT_HELD
    done(round_.exchange(S[0], [one, other, third]))


def test_a_copy_goes_its_own_way() -> None:
    round_ = at("Aj 3j", "4s 5s", "6p 7p", "8r 9r")
    before = round_.state()
    twin = round_.copy()
    assert twin.state() == before
    done(twin.call(S[1], CallKind.TICHU), twin.play(S[0], parse_cards("Aj")), twin.pass_turn(S[1]))
    assert round_.state() == before
    assert twin.state() != before


@pytest.mark.parametrize(
    "refused",
    [
        lambda r: r.play(S[0], parse_cards("2j")),
        lambda r: r.play(S[1], parse_cards("4s")),
        lambda r: r.play(S[0], parse_cards("3j"), wish=8),
        lambda r: r.pass_turn(S[0]),
        lambda r: r.collect(),
        lambda r: r.give_dragon(S[0], S[1]),
        lambda r: r.give_dog(S[0], S[2]),
        lambda r: r.call(S[0], CallKind.GRAND),
        lambda r: r.call(S[3], CallKind.TICHU),
        lambda r: r.exchange(S[0], [parse_cards("Aj")] * 3),
    ],
)
def test_a_refused_action_changes_nothing(refused: Callable[[Round], Refusal | None]) -> None:
    round_ = at("Aj 3j", "4s 5s", "6p 7p", "8r 9r", calls=((S[3], CallKind.TICHU),))
    before = round_.state()
    assert isinstance(refused(round_), Refusal)
    assert round_.state() == before


def test_what_follows_the_closing_trick_is_known_before_it_is_collected() -> None:
    closing = at("Aj", "4s 5s", "6p 7p", "8r 9r")
    done(closing.play(S[0], parse_cards("Aj")), *[closing.pass_turn(seat) for seat in S[1:]])
    assert closing.collect_leader() == (1, False)
    later = closing.after_collect()
    assert (later.phase, later.turn, closing.phase) == (Phase.PLAY, 1, Phase.CLOSING)
    assert [format_play(play) for play in later.legal_plays(S[1])] == ["4s", "5s"]


def test_the_giver_of_the_dragon_is_known_before_it_is_collected() -> None:
    closing = at("Dr", "4s 5s", "6p 7p", "8r 9r")
    done(closing.play(S[0], parse_cards("Dr")), *[closing.pass_turn(seat) for seat in S[1:]])
    assert closing.collect_leader() == (0, True)
    assert closing.after_collect().phase is Phase.DRAGON
    assert closing.after_collect().dragon_recipients(S[0]) == (1, 3)


def test_bomb_holders_are_named_from_the_seat_after_the_owner() -> None:
    bomb = "{0}j {0}s {0}p {0}r 2{1}"
    hands = [bomb.format(rank, suit) for rank, suit in zip("3456", "jspr", strict=True)]
    round_ = at(*hands, lead=S[2])
    assert round_.bomb_holders() == []  # nothing lies on the table (D2)
    done(round_.play(S[2], parse_cards("2p")))
    assert round_.bomb_holders() == [3, 0, 1, 2]
    done(round_.play(S[0], parse_cards("3j 3s 3p 3r")))
    assert round_.bomb_holders() == [1, 2, 3]
    done(round_.play(S[2], parse_cards("5j 5s 5p 5r")))
    assert round_.bomb_holders() == [3]


def test_a_bomb_is_judged_from_the_own_hand_and_the_table_alone() -> None:
    round_ = at("2j 9j", "7j 7s 7p 7r 4s", "5p 6j", "8j 8s 8p 8r", wish=4)
    sevens = parse_cards("7j 7s 7p 7r")
    assert round_.bomb_refusal(S[1], sevens) is Refusal.NO_BOMB_HERE
    done(round_.play(S[0], parse_cards("2j")))
    # on turn the 4 is owed and a plain card would be in time; thrown as a bomb only the bomb counts
    assert round_.bomb_refusal(S[1], sevens) is None
    assert round_.bomb_refusal(S[1], parse_cards("4s")) is Refusal.NOT_YOUR_TURN
    assert round_.bomb_refusal(S[1], parse_cards("8j 8s 8p 8r")) is Refusal.CARDS_NOT_HELD
    assert round_.bomb_refusal(S[1], sevens, wish=4) is Refusal.WISH_WITHOUT_MAH_JONG
    assert round_.check_bomb(S[1], sevens) == read(sevens)


def test_the_single_phoenix_on_the_dragon_is_refused() -> None:
    """The trap of half steps: 32 + 1 > 32."""
    round_ = at("Dr 3j", "Ph 4s", "6p 7p", "8r 9r")
    done(round_.play(S[0], parse_cards("Dr")))
    assert round_.play(S[1], parse_cards("Ph")) is Refusal.TOO_LOW
    assert round_.legal_plays(S[1]) == round_.every_play(S[1]) == []


def test_the_phoenix_lies_half_a_rank_above_what_it_was_played_on() -> None:
    round_ = at("Aj 3j", "Ph 4s", "6p 7p", "Dr 9r")
    done(round_.play(S[0], parse_cards("Aj")), round_.play(S[1], parse_cards("Ph")))
    assert round_.table is not None
    assert round_.table.rank2 == 29


def test_overtaking_oneself_needs_the_option() -> None:
    options = RuleOptions(self_overtake=SelfOvertake.ANY)
    round_ = at("Tj Qj 9j Ph", "4s 5s", "6p 7p", "8r 9r", options=options)
    done(round_.play(S[0], parse_cards("Tj")), *[round_.pass_turn(seat) for seat in S[1:]])
    assert [format_play(play) for play in round_.legal_plays(S[0])] == ["Ph", "Qj"]
    assert round_.legal_plays(S[1]) == []


def test_applying_what_is_plainly_not_legal_is_our_bug() -> None:
    round_ = at("Aj 3j", "4s 5s", "6p 7p", "8r 9r")
    foreign = read(parse_cards("4s"))
    assert not isinstance(foreign, Refusal)
    with pytest.raises(RefereeBug):
        round_.play_checked(S[0], foreign)


@pytest.mark.parametrize("ask", [lambda r: r.round_score, lambda r: r.call_results])
def test_asking_for_the_result_too_early_is_our_bug(ask: Callable[[Round], object]) -> None:
    with pytest.raises(RefereeBug):
        ask(at("Aj 3j", "4s 5s", "6p 7p", "8r 9r"))


def test_asking_what_follows_a_trick_that_is_not_closing_is_our_bug() -> None:
    round_ = at("Aj 3j", "4s 5s", "6p 7p", "8r 9r")
    with pytest.raises(RefereeBug):
        round_.collect_leader()
    with pytest.raises(RefereeBug):
        round_.after_collect()


def test_results_of_a_round() -> None:
    calls = ((S[0], CallKind.TICHU), (S[1], CallKind.GRAND))
    round_ = at("7j", "2s", "", "", out=(S[3], S[2]), calls=calls, scores=(100, 200))
    done(round_.play(S[0], parse_cards("7j")))
    assert round_.phase is Phase.ROUND_OVER
    assert (round_.first_out, round_.double_victory) == (3, False)
    assert round_.card_points == (0, 0)
    assert round_.round_score == (-100, -200)
    assert round_.scores == (0, 0)
    assert round_.call_results[:2] == ((CallKind.TICHU, False), (CallKind.GRAND, False))


def test_a_position_that_does_not_stand_names_every_fault() -> None:
    position = Position(
        hands=tuple(parse_cards(hand) for hand in ("2j 3j", "2j", "4p", "")),
        won=(parse_cards("3j"), 0, 0, 0),
        scores=(0,),
        wish=15,
        lead=S[0],
        played=(Seat(7),),
    )
    assert position.faults() == [
        "in two places: 2j 3j",
        "scores: 1 given, 2 columns",
        "wish: 15 is no rank from 2 to A",
        "played: there is no seat 7",
    ]
    with pytest.raises(NotationError, match="in two places: 2j 3j; scores: 1 given"):
        Round.from_position(position)
