"""Who gives how many cards to whom (A7, G4, H3, I3), and which cards may be given."""

import enum
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from referee.rules.cards import (
    DOG,
    DRAGON,
    DUPLICATE,
    MAHJONG,
    PHOENIX,
    SECOND_PACK,
    card_numbers,
)
from referee.rules.errors import RefereeBug
from referee.rules.option_values import (
    GsBestOrder,
    GsExchange,
    GsReturn,
    TrichuOpponentsExchange,
    Variant,
)
from referee.rules.options import RuleOptions
from referee.rules.seat import Seat
from referee.rules.seating import Seating


class Forced(enum.Enum):
    """Which cards a slot takes. Among equal cards the giver always chooses."""

    FREE = enum.auto()
    BEST = enum.auto()  # I3
    WORST = enum.auto()  # `gs_return` worst


class ExchangeSlot(msgspec.Struct, frozen=True):
    """So many cards of one giver for one other seat."""

    to: Seat
    count: int = 1
    forced: Forced = Forced.FREE


Slots = tuple[ExchangeSlot, ...]


@lru_cache(1 << 6)
def exchange_slots(
    options: RuleOptions, seating: Seating, ranks: tuple[Seat, ...]
) -> tuple[Slots, ...]:
    """Return by seat what it owes, in the order in which the cards are named; () = nothing.

    `ranks` of the round before, first to last; () in the first round, in which Grand Seigneur has
    no exchange (I2).
    """
    if options.variant is Variant.GRAND_SEIGNEUR:
        return _by_ranks(options, ranks) if ranks else ((),) * seating.n
    return tuple(
        tuple(ExchangeSlot(to) for to in _gets_one(options, seating, Seat(seat)))
        for seat in range(seating.n)
    )


def _gets_one(options: RuleOptions, seating: Seating, seat: Seat) -> tuple[Seat, ...]:
    """Return who gets one card of a seat, in turn order from it."""
    if options.variant is Variant.TIENTSIN:
        return seating.partners[seat]
    if options.variant is Variant.TRICHU:
        own_side = seat in (seating.soloist, seating.tisch)
        only_two = options.trichu_opponents_exchange is TrichuOpponentsExchange.TWO
        return seating.opponents[seat] if own_side or only_two else seating.others[seat]
    return seating.others[seat]


_LEVELS = (3, 2, 1)  # cards of the last, of the last but one, of the last but two (I3)
_LEVELS_OF_FIVE = (2, 1)


def _by_ranks(options: RuleOptions, ranks: tuple[Seat, ...]) -> tuple[Slots, ...]:
    """Return what the last ranks give to the first ones, and those back (I3)."""
    slots: list[list[ExchangeSlot]] = [[] for _ in ranks]
    back = Forced.WORST if options.gs_return is GsReturn.WORST else Forced.FREE
    counts = _LEVELS_OF_FIVE if len(ranks) == 5 else _LEVELS
    for level, number in enumerate(counts):
        low = ranks[-1 - level]
        high = ranks[0] if options.gs_exchange is GsExchange.ALL_TO_FIRST else ranks[level]
        slots[low].append(ExchangeSlot(high, number, Forced.BEST))
        slots[high].append(ExchangeSlot(low, number, back))
    return tuple(map(tuple, slots))


def by_slot(slots: Slots, cards: Sequence[int]) -> tuple[int, ...]:
    """Return cards named one after the other (masks of one card each) as one mask a slot.

    A card named twice in a slot sets `DUPLICATE`. What is too much becomes slots of its own, and
    what lacks leaves slots out, so that `fits` refuses both.
    """
    given, rest = [], list(cards)
    counts = [slot.count for slot in slots]
    while rest:
        number = counts.pop(0) if counts else 1
        mask = 0
        for card in rest[:number]:
            mask |= card | (DUPLICATE if mask & card else 0)
        given.append(mask)
        del rest[:number]
    return tuple(given)


def fits(slots: Slots, hand: int, choice: Sequence[int], options: RuleOptions) -> bool:
    """True when a choice, one mask a slot, is what the slots take from a hand.

    Forced slots are filled one after the other: the best cards, then the best of what is left.
    """
    if not slots or len(choice) != len(slots):
        return False
    left = hand
    for slot, cards in zip(slots, choice, strict=True):
        if cards & ~left or cards.bit_count() != slot.count:
            return False
        if slot.forced is not Forced.FREE and not _are_forced(slot, left, cards, options):
            return False
        left &= ~cards
    return True


def _are_forced(slot: ExchangeSlot, hand: int, cards: int, options: RuleOptions) -> bool:
    worth = _worths(hand, options)
    if slot.forced is Forced.BEST:
        worth.reverse()
    return sorted(_worths(cards, options)) == sorted(worth[: slot.count])


def forced_choice(slots: Slots, hand: int, options: RuleOptions) -> tuple[int, ...]:
    """Return a choice that `fits` takes: forced cards where they are, else the lowest.

    Of equal cards those with the lower numbers. Raises `RefereeBug` for a hand that is too small.
    """
    chosen, left = [], hand
    for slot in slots:
        numbers = sorted(card_numbers(left), key=lambda number: (_worth(number, options), number))
        if len(numbers) < slot.count:
            raise RefereeBug(f"{slot.count} cards are owed of a hand of {len(numbers)}")
        if slot.forced is Forced.BEST:
            numbers.sort(key=lambda number: (-_worth(number, options), number))
        cards = sum(1 << number for number in numbers[: slot.count])
        chosen.append(cards)
        left &= ~cards
    return tuple(chosen)


def _worths(cards: int, options: RuleOptions) -> list[int]:
    """Return what cards are worth in the exchange, ascending."""
    return sorted([_worth(number, options) for number in card_numbers(cards)])


def _worth(number: int, options: RuleOptions) -> int:
    """Return where a card stands (I3): Dragon, Phoenix, Mah Jong, A, K ...; the Dog last of all.

    The second pack's cards are equal to those of the first.
    """
    card = 1 << number % SECOND_PACK
    special = _SPECIAL_WORTH.get(card)
    if special is None:
        return (number % SECOND_PACK) >> 2
    if card == MAHJONG and options.gs_best_order is GsBestOrder.MAHJONG_LAST:
        return 1  # below a 2
    return special


_SPECIAL_WORTH = {DOG: 0, MAHJONG: 15, PHOENIX: 16, DRAGON: 17}
