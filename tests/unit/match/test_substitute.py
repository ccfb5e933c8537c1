"""The substitute action, row by row (PROTOCOL 5)."""

from collections.abc import Sequence

import pytest

from referee.match.step import Ask, Choice
from referee.match.substitute import substitute
from referee.match.values import AskKind, ChooseReason, Pace
from referee.rules.cards import MAHJONG, ONE_PACK
from referee.rules.exchanges import Forced
from referee.rules.notation import format_cards, parse_cards
from referee.rules.options import RuleOptions
from referee.rules.phases import ANSWERS, BIDS, CallKind, Phase
from referee.rules.position import Position
from referee.rules.round import Round
from referee.rules.seat import Seat
from tests.simulation.positions import at, playing
from tests.simulation.table import settings

REST = ("8j 9s", "8s 9p", "8p 9r")  # three hands that hinder nothing


def led(hand: str) -> str:
    """The cards that stand in for the lead of seat 0."""
    table = at(settings(), hand, *REST)
    choice = substitute(table.ask(0), table.machine._state.position)
    assert choice.play is not None
    return format_cards(choice.play.cards)


@pytest.mark.parametrize(
    ("hand", "cards"),
    [
        # fewer cards first, then lower rank, then lower card numbers
        ("2j 2s 3j 3s", "2j"),
        ("Dr Aj", "Aj"),
        ("Dg Mj 2j", "Dg"),
        ("Mj Ph 2j", "Mj"),
        ("Ph 2j Aj", "Ph"),  # led alone half a rank above the Mah Jong
        ("3r 3p 3s Aj", "3s"),
        ("Kr Kp", "Kp"),
        # a bomb is no first play, however low
        ("2j 2s 2p 2r Aj", "2j"),
    ],
)
def test_a_lead_is_the_first_play_of_the_canonical_list(hand: str, cards: str) -> None:
    assert led(hand) == cards


@pytest.mark.parametrize(
    ("hand", "lead", "wish", "cards"),
    [
        ("Aj 2j", "Kj", 0, ""),
        ("3s 4s", "Kj", 0, ""),
        ("Aj As 2j", "Kj", 14, "Aj"),  # bound by a wish it may not pass (E3)
        ("Kj Ks Kp Kr 2j", "Qj", 13, "Kj"),  # one king is legal: no bomb
    ],
)
def test_over_a_play_it_passes_where_that_is_allowed(
    hand: str, lead: str, wish: int, cards: str
) -> None:
    over = at(settings(pace=Pace.FAIR), f"{lead} 3j", hand, *REST[:2], wish=wish)
    over.act(0, playing(lead))
    choice = substitute(over.ask(1, AskKind.ACT), over.machine._state.position)
    assert (format_cards(choice.play.cards) if choice.play else "") == cards


@pytest.mark.parametrize(
    ("lead", "hand", "wish", "cards", "phoenix"),
    [
        # a straight of four and the Phoenix at its low or its high end
        ("Mj 2j 3s 4s 5s", "3j 4j 5j 6j Ph", 6, "Ph 3j 4j 5j 6j", 7),
        # two pairs and the Phoenix: the triple of the higher pair
        ("2j 2s 2p 3j 3s", "Jj Js Qj Qs Ph", 11, "Ph Jj Js Qj Qs", 12),
        # the highest reading cannot go over the Ace: the gap is filled
        ("2j 3j 4s 5j 6j", "Tj Jj Kj Aj Ph", 10, "Ph Tj Jj Kj Aj", 12),
    ],
)
def test_the_phoenix_stands_as_high_as_its_cards_let_it(
    lead: str, hand: str, wish: int, cards: str, phoenix: int
) -> None:
    """The wish forbids a pass, so something has to be played."""
    over = at(settings(), lead, hand, *REST[:2], wish=wish)
    over.act(0, playing(lead))
    choice = substitute(over.ask(1, AskKind.ACT), over.machine._state.position)
    assert choice.play is not None
    assert parse_cards(cards) == choice.play.cards
    assert choice.play.phoenix_rank == phoenix


def test_a_wish_is_named_only_where_one_must_be() -> None:
    for optional, wish in ((True, 0), (False, 2)):
        rules = RuleOptions(rounds=1, wish_optional=optional)
        table = at(settings(rules=rules), "Mj Aj", *REST)
        choice = substitute(table.ask(0), table.machine._state.position)
        assert choice.play is not None
        assert choice.play.cards == MAHJONG
        assert (choice.wish, choice.tichu) == (wish, False)


@pytest.mark.parametrize(
    ("choices", "declined"),
    [
        ((CallKind.GRAND, CallKind.NO_GRAND), CallKind.NO_GRAND),
        ((CallKind.GREAT_GRAND, CallKind.NO_GREAT_GRAND), CallKind.NO_GREAT_GRAND),
        ((CallKind.NO_GRAND,), CallKind.NO_GRAND),
        (BIDS, CallKind.BID_0),
        (ANSWERS, CallKind.ACCEPT),
    ],
)
def test_a_bet_is_declined(choices: tuple[CallKind, ...], declined: CallKind) -> None:
    ask = Ask(seat=Seat(0), to=Seat(0), id=1, kind=AskKind.CALL, choices=choices)
    assert substitute(ask, position("2j", "3j", "4j", "5j")) == Choice(call=declined)


def test_a_bomb_is_declined() -> None:
    ask = Ask(seat=Seat(0), to=Seat(0), id=1, kind=AskKind.BOMB)
    assert substitute(ask, position("2j 2s 2p 2r", "3j", "4j", "5j")) == Choice()


def position(*hands: str, phase: Phase = Phase.PLAY) -> Round:
    masks = tuple(parse_cards(hand) for hand in hands)
    return Round.from_position(
        Position(
            hands=masks,
            phase=phase,
            won=(ONE_PACK & ~sum(masks), 0, 0, 0),
            lead=Seat(0),
            options=RuleOptions(rounds=1),
        )
    )


@pytest.mark.parametrize(
    ("hand", "given"),
    [
        ("2j 2s 3j Aj", ["2j", "2s", "3j"]),
        ("Ar Kr Qr Jr", ["Jr", "Qr", "Kr"]),
        ("Dg Ph Dr Mj", ["Dg", "Ph", "Dr"]),  # by number, whatever they are worth
        ("Mj 2r 2p 9j", ["Mj", "2p", "2r"]),
    ],
)
@pytest.mark.parametrize("seat", range(4))
def test_in_the_exchange_the_lowest_cards_go_in_turn_order(
    seat: int, hand: str, given: Sequence[str]
) -> None:
    hands = ["7j 7s 7p 7r"] * 4
    hands[(seat + 1) % 4], hands[(seat + 2) % 4] = "8j 8s", "8p 8r"
    hands[(seat + 3) % 4], hands[seat] = "6j 6s", hand
    slots = tuple((Seat((seat + step) % 4), 1, Forced.FREE) for step in (1, 2, 3))
    ask = Ask(seat=Seat(seat), to=Seat(seat), id=1, kind=AskKind.EXCHANGE, slots=slots)
    choice = substitute(ask, position(*hands))
    assert [format_cards(card) for card in choice.cards] == given


@pytest.mark.parametrize(
    ("giver", "seats", "counts", "to"),
    [
        (0, (1, 3), (3, 1, 3, 2), 3),  # most cards
        (0, (1, 3), (3, 2, 3, 1), 1),
        (0, (1, 3), (3, 2, 3, 2), 1),  # of equal ones the first after the giver
        (1, (0, 2), (2, 3, 2, 3), 2),
        (2, (1, 3), (3, 2, 3, 2), 3),
        (3, (0, 2), (2, 3, 2, 3), 0),
        (2, (1, 3), (3, 0, 3, 0), 3),  # both out
        (0, (2, 1, 3), (1, 3, 3, 3), 1),  # a Dog with several to choose from
        (3, (0, 1, 2), (1, 2, 2, 3), 1),
    ],
)
@pytest.mark.parametrize("why", ChooseReason)
def test_dragon_and_dog_go_to_the_seat_with_most_cards(
    why: ChooseReason, giver: int, seats: tuple[int, ...], counts: tuple[int, ...], to: int
) -> None:
    suits = "jspr"
    hands = [
        " ".join(f"{rank}{suits[seat]}" for rank in range(2, 2 + counts[seat])) for seat in range(4)
    ]
    eligible = tuple(Seat(seat) for seat in seats)
    who, kind = Seat(giver), AskKind.CHOOSE_SEAT
    ask = Ask(seat=who, to=who, id=1, kind=kind, why=why, seats=eligible)
    assert substitute(ask, holding(hands)).seat == to


def holding(hands: Sequence[str]) -> Round:
    """A round whose hands are these, whatever else it would need to be one."""
    found = position("2j", "2s", "2p", "2r")
    found.hands[:] = [parse_cards(hand) if hand else 0 for hand in hands]
    return found
