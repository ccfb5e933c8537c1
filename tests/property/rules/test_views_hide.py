"""A seat's view does not change when cards it cannot see are exchanged."""

import random

from referee.rules.cards import Seat, card_numbers
from referee.rules.options import DEFAULT_OPTIONS, RuleOptions
from referee.rules.phases import Phase
from referee.rules.round import Round
from referee.rules.views import public_view, seat_view
from tests.property.rules.playing import playing


def seen(round_: Round, seat: int) -> int:
    """The cards of a hand that its holder has seen."""
    if round_.phase is Phase.GREAT_GRAND:
        return 0
    return round_.dealt_first[seat] if round_.phase is Phase.GRAND else round_.hands[seat]


def exchange_hidden(round_: Round, viewer: Seat | None, rng: random.Random) -> Round:
    """A copy in which all cards that the viewer has not seen have changed places."""
    twin = round_.copy()
    known = 0 if viewer is None else seen(round_, viewer)
    hidden = [number for hand in round_.hands for number in card_numbers(hand & ~known)]
    rng.shuffle(hidden)
    for seat, hand in enumerate(round_.hands):
        kept = hand & known if seat == viewer else 0
        hand_size = (hand & ~kept).bit_count()
        drawn = [hidden.pop() for _ in range(hand_size)]
        twin.hands[seat] = kept | sum(1 << number for number in drawn)
        if round_.phase in (Phase.GRAND, Phase.GREAT_GRAND):
            first = kept.bit_count() if seat == viewer else round_.dealt_first[seat].bit_count()
            new = card_numbers(twin.hands[seat])[:first]
            twin.dealt_first[seat] = kept or sum(1 << number for number in new)
        if seat != viewer and round_.exchange_choices[seat] is not None:
            chosen = card_numbers(twin.hands[seat])[:3]
            twin.exchange_choices[seat] = tuple(1 << number for number in chosen)
    return twin


def test_what_a_seat_cannot_see_does_not_show() -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    for number in range(12):
        options = RuleOptions(great_grand=True) if number % 2 else DEFAULT_OPTIONS
        for step, round_ in enumerate(playing(rng, options)):
            if round_.phase is Phase.ROUND_OVER:
                break  # the last hand is scored, which is public
            story = f"seed {seed} round {number} step {step}"
            for seat in map(Seat, range(round_.n)):
                twin = exchange_hidden(round_, seat, rng)
                assert seat_view(twin, seat) == seat_view(round_, seat), story
                assert twin.hands[seat].bit_count() == round_.hands[seat].bit_count(), story
            twin = exchange_hidden(round_, None, rng)
            assert public_view(twin) == public_view(round_), story


def test_the_exchange_of_hidden_cards_does_change_the_round() -> None:
    """Else the property above would hold for nothing."""
    rng = random.Random(5)
    round_ = next(playing(rng, DEFAULT_OPTIONS))
    twin = exchange_hidden(round_, Seat(0), rng)
    assert twin.hands != round_.hands
    assert any(seat_view(twin, Seat(s)) != seat_view(round_, Seat(s)) for s in (1, 2, 3))


def test_decisions_of_others_are_not_shown_before_they_are_calls() -> None:
    rng = random.Random(6)
    round_ = next(playing(rng, DEFAULT_OPTIONS))
    before = seat_view(round_, Seat(0))
    round_.grand_decided[2] = True
    assert seat_view(round_, Seat(0)) == before
