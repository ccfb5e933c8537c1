"""Who gives how many cards to whom, and which (RULES A7, G4, H3, I3)."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from tests.simulation.audit.cards import DOG, DRAGON, MAH_JONG, PHOENIX, SECOND, cards_of
from tests.simulation.audit.rulebook import Rulebook
from tests.simulation.audit.seats import Seats


class Forced(enum.Enum):
    """Which cards a slot takes."""

    FREE = enum.auto()
    BEST = enum.auto()
    WORST = enum.auto()


@dataclass(frozen=True, slots=True)
class Slot:
    """So many cards for one seat."""

    to: int
    count: int = 1
    forced: Forced = Forced.FREE


def slots_of(rules: Rulebook, seats: Seats, ranks: Sequence[int], giver: int) -> list[Slot]:
    """What a hand owes, in the order in which an ask has it."""
    if rules.variant == "grand_seigneur":
        return _by_ranks(rules, ranks, giver) if ranks else []
    if rules.variant == "tientsin":
        return [Slot(to) for to in seats.partners[giver]]
    two = rules.says("trichu_opponents_exchange", "two")
    if seats.tisch is not None and (two or giver in (seats.soloist, seats.tisch)):
        return [Slot(to) for to in seats.opponents[giver]]
    return [Slot(to) for to in seats.after[giver]]


def _by_ranks(rules: Rulebook, ranks: Sequence[int], giver: int) -> list[Slot]:
    counts = (2, 1) if len(ranks) == 5 else (3, 2, 1)
    back = Forced.WORST if rules.says("gs_return", "worst") else Forced.FREE
    found = []
    for level, cards in enumerate(counts):
        low = ranks[len(ranks) - 1 - level]
        high = ranks[0 if rules.says("gs_exchange", "all_to_first") else level]
        if giver == low:
            found.append(Slot(high, cards, Forced.BEST))
        elif giver == high:
            found.append(Slot(low, cards, back))
    return found


def worth(card: int, rules: Rulebook) -> int:
    """Where a card stands among the best and the worst."""
    card %= SECOND
    low = rules.says("gs_best_order", "mahjong_last")
    places = {DRAGON: 100, PHOENIX: 99, MAH_JONG: 1 if low else 98, DOG: 0}
    return places.get(card, card >> 2)


def fits(slot: Slot, hand: int, given: int, rules: Rulebook) -> bool:
    """Whether a slot takes these cards of what the slots before have left of a hand."""
    if given < 0 or given & ~hand or given.bit_count() != slot.count:
        return False
    if slot.forced is Forced.FREE:
        return True
    ladder = sorted(worth(card, rules) for card in cards_of(hand))
    due = ladder[-slot.count :] if slot.forced is Forced.BEST else ladder[: slot.count]
    return sorted(worth(card, rules) for card in cards_of(given)) == due


def choice_fits(slots: Sequence[Slot], hand: int, given: Sequence[int], rules: Rulebook) -> bool:
    """Whether all slots are filled as they must be, one after the other."""
    for slot, mask in zip(slots, given, strict=True):
        if not fits(slot, hand, mask, rules):
            return False
        hand &= ~mask
    return True


def substitute(slots: Sequence[Slot], hand: int, rules: Rulebook) -> dict[int, int]:
    """What goes to whom where nothing was chosen: the lowest numbers, or what a slot takes."""
    found = {}
    for slot in slots:
        cards = sorted(cards_of(hand))
        if slot.forced is not Forced.FREE:
            sign = -1 if slot.forced is Forced.BEST else 1
            cards.sort(key=lambda card: (sign * worth(card, rules), card))
        found[slot.to] = sum(1 << card for card in cards[: slot.count])
        hand &= ~found[slot.to]
    return found
