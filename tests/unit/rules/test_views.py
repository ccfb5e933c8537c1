"""Views come from an allowlist: every field is named here, with why a seat may know it."""

from referee.rules.cards import Seat
from referee.rules.notation import parse_cards
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind, Phase
from referee.rules.position import Position
from referee.rules.round import Round
from referee.rules.views import PublicView, SeatView, public_view, seat_view

# A new field of a view fails here until somebody has thought about who may see it.
PUBLIC = {
    "phase": "the table sees what is owed",
    "dealer": "who won the last round (A2)",
    "turn": "whose turn it is",
    "order": "the seats at the table are seen",
    "teams": "the seats at the table are seen",
    "ranks": "everybody saw who went out when (I2)",
    "soloist": "the dealer is seen (G1)",
    "tisch": "the open hand is on the table (G1)",
    "hand_counts": "cards are held in the hand, their number is seen",
    "table": "played open",
    "owner": "played open",
    "trick": "played open",
    "passes": "said aloud",
    "won": "every trick was played open",
    "won_points": "follows from won",
    "out": "seen",
    "calls": "said aloud",
    "has_played": "seen",
    "wish": "said aloud",
    "judged": "a call is said aloud",
    "refused": "it ended the round before all",
    "open_hands": "the Tisch lies open after the exchange (G5)",
    "scores": "written down",
    "round_score": "written down",
}
PRIVATE = {
    "seat": "its own",
    "public": "the public view",
    "hand": "its own",
    "given": "its own choice",
    "received": "its own, once all have given (A7)",
    "grand_decided": "its own",
    "great_grand_decided": "its own",
    "answer": "its own; the others' would tell what they hold",
    "bids": "its own, and its partners' once all have bid (chaos)",
    "open_hands": "what lies open, and of soloist and Tisch the other hand (G3)",
}


def dealt(phase: Phase, *, great_grand: bool = False) -> Round:
    hands = tuple(
        parse_cards(" ".join(f"{rank}{suit}" for rank in "23456789TJQKA") + f" {special}")
        for suit, special in zip("jspr", ("Mj", "Dg", "Ph", "Dr"), strict=True)
    )
    first = tuple(parse_cards(" ".join(f"{rank}{suit}" for rank in "23456789")) for suit in "jspr")
    chosen = RuleOptions(great_grand=great_grand)
    return Round.from_position(
        Position(hands=hands, dealt_first=first, phase=phase, options=chosen)
    )


def test_every_field_of_a_view_is_on_the_list() -> None:
    assert PublicView.__struct_fields__ == tuple(PUBLIC)
    assert SeatView.__struct_fields__ == tuple(PRIVATE)


def test_before_the_deal_nobody_sees_a_card() -> None:
    view = seat_view(dealt(Phase.GREAT_GRAND, great_grand=True), Seat(0))
    assert (view.hand, view.public.hand_counts) == (0, (0, 0, 0, 0))


def test_while_grand_is_decided_a_seat_sees_its_first_eight_cards() -> None:
    view = seat_view(dealt(Phase.GRAND), Seat(1))
    assert view.hand == parse_cards("2s 3s 4s 5s 6s 7s 8s 9s")
    assert view.public.hand_counts == (8, 8, 8, 8)


def test_then_it_sees_all_fourteen() -> None:
    round_ = dealt(Phase.EXCHANGE)
    view = seat_view(round_, Seat(1))
    assert view.hand == round_.hands[1]
    assert view.public.hand_counts == (14, 14, 14, 14)


def test_chosen_cards_are_seen_by_their_giver_only_and_received_ones_when_all_have_given() -> None:
    round_ = dealt(Phase.EXCHANGE)
    choice = [parse_cards(card) for card in ("2j", "3j", "4j")]
    before = seat_view(round_, Seat(1))
    assert round_.exchange(Seat(0), choice) is None
    assert seat_view(round_, Seat(0)).given == tuple(choice)
    assert seat_view(round_, Seat(1)) == before
    for seat, suit in ((1, "s"), (2, "p"), (3, "r")):
        given = [parse_cards(f"{rank}{suit}") for rank in "234"]
        assert round_.exchange(Seat(seat), given) is None
    assert seat_view(round_, Seat(1)).received == (
        (0, parse_cards("2j")),
        (2, parse_cards("4p")),
        (3, parse_cards("3r")),
    )


def test_the_public_view_of_a_trick() -> None:
    masks = tuple(parse_cards(hand) for hand in ("5j Kj", "Ts 8s", "9p", "Ar 2r"))
    start = Position(
        hands=masks, lead=Seat(0), wish=8, scores=(100, 55), calls=((Seat(3), CallKind.TICHU),)
    )
    round_ = Round.from_position(start)
    assert round_.play(Seat(0), parse_cards("5j")) is None
    view = public_view(round_)
    assert (view.phase, view.turn, view.owner) == (Phase.PLAY, 1, 0)
    assert view.table is not None
    assert view.table.cards == view.trick == parse_cards("5j")
    assert view.hand_counts == (1, 2, 1, 2)
    assert view.has_played == (True, False, False, False)
    assert view.calls == (None, None, None, CallKind.TICHU)
    assert (view.wish, view.passes, view.out, view.won) == (8, 0, (), (0, 0, 0, 0))
    assert (view.scores, view.round_score) == ((100, 55), None)


def test_the_score_of_the_round_is_shown_once_it_is_over() -> None:
    masks = tuple(parse_cards(hand) for hand in ("Aj", "3s", "", "2r"))
    round_ = Round.from_position(Position(hands=masks, lead=Seat(0), out=(Seat(2),)))
    assert round_.play(Seat(0), parse_cards("Aj")) is None
    view = public_view(round_)
    assert (view.round_score, view.scores, view.phase) == ((200, 0), (200, 0), Phase.ROUND_OVER)
