"""Can a hand fulfil the wish? Answered without listing any play (E3 to E5)."""

from referee.rules.cards import (
    HIGHEST_RANK,
    LOWEST_RANK,
    ONE_PACK,
    PHOENIX,
    PHOENIXES,
    RANK_MASKS,
    RANKED,
    rank_counts,
)
from referee.rules.combinations import (
    BOMB,
    FULL_HOUSE,
    PAIR,
    SINGLE,
    STRAIGHT,
    TRIPLE,
    Combination,
)
from referee.rules.hands import bombs_with, hand_has_bomb
from referee.rules.two_packs import counts_of_both

_NEVER = 3  # more than there are Phoenixes


def can_fulfil(
    hand: int, table: Combination | None, wish: int, two_phoenixes: bool = False
) -> bool:
    """True when the hand may put a play with a natural card of the rank `wish` on the table.

    On an empty table the single always works (E4). A bomb that holds the rank counts (E5); the
    Phoenix standing for the rank does not (E4). `two_phoenixes` is the option
    `gs_two_phoenix_in_combo` (I5).
    """
    held = hand & RANK_MASKS[wish]
    if not held:
        return False
    if table is None:
        return True
    if hand <= ONE_PACK:
        phoenixes = 1 if hand & PHOENIX else 0
    else:
        phoenixes = min((hand & PHOENIXES).bit_count(), 1 + two_phoenixes)
    if _fulfils_by_type(hand, table, wish, held.bit_count(), phoenixes):
        return True
    return can_bomb_with(hand, table, wish)


def can_bomb_with(hand: int, table: Combination, wish: int) -> bool:
    """True when the hand has a bomb with the rank `wish` that beats the table (E5, E6)."""
    return hand_has_bomb(hand) and bombs_with(hand, table, wish)


def _fulfils_by_type(hand: int, table: Combination, wish: int, held: int, phoenixes: int) -> bool:
    kind, rank2 = table.kind, table.rank2
    if kind is SINGLE:
        return 2 * wish > rank2
    if kind is PAIR:
        return 2 * wish > rank2 and held + phoenixes >= 2
    if kind is TRIPLE:
        return 2 * wish > rank2 and held + phoenixes >= 3
    if kind is BOMB:
        return False
    if kind is FULL_HOUSE:
        return _full_house_with(hand, rank2, wish, phoenixes)
    if kind is STRAIGHT:
        return _straight_with(hand, table, wish, phoenixes)
    return _stairs_with(hand, table, wish, phoenixes)


def _counts(hand: int) -> int:
    return rank_counts(hand & RANKED) if hand <= ONE_PACK else counts_of_both(hand)


def _full_house_with(hand: int, rank2: int, wish: int, phoenixes: int) -> bool:
    counts = _counts(hand)
    held = counts >> 4 * wish & 15
    for rank in range(LOWEST_RANK, HIGHEST_RANK + 1):
        other = counts >> 4 * rank & 15
        if not other or rank == wish:
            continue
        if 2 * wish > rank2 and max(0, 3 - held) + max(0, 2 - other) <= phoenixes:
            return True
        if 2 * rank > rank2 and max(0, 3 - other) + max(0, 2 - held) <= phoenixes:
            return True
    return False


def _straight_with(hand: int, table: Combination, wish: int, phoenixes: int) -> bool:
    """Try every window that holds the rank. It lies above a straight, so no 1 is in it (B6)."""
    length = table.length
    lowest_top = max(table.rank2 // 2 + 1, wish)
    for top in range(lowest_top, min(HIGHEST_RANK, wish + length - 1) + 1):
        window = RANK_MASKS[top - length + 1 : top + 1]
        if sum(not hand & rank for rank in window) <= phoenixes:
            return True
    return False


def _stairs_with(hand: int, table: Combination, wish: int, phoenixes: int) -> bool:
    width = table.length // 2
    counts = _counts(hand)
    lowest_top = max(table.rank2 // 2 + 1, wish)
    for top in range(lowest_top, min(HIGHEST_RANK, wish + width - 1) + 1):
        missing = 0
        for rank in range(top - width + 1, top + 1):
            held = counts >> 4 * rank & 15
            # a rank of stairs needs a natural card beside the Phoenix
            missing += _NEVER if held == 0 else held == 1
        if missing <= phoenixes:
            return True
    return False
