"""The canonical lists: what a hand may lead or put on a table, one play a pattern.

The wish and the options are applied here by filtering the list (E3 to E7); the fast validator in
`wish` answers the same question without a list, and the tests hold one against the other.

`two_phoenixes` is the option `gs_two_phoenix_in_combo` (I5).
"""

from collections.abc import Sequence
from functools import lru_cache

from referee.rules.cards import (
    DRAGON,
    FIRST_PACK_RANKS,
    HIGHEST_RANK,
    LOWEST_RANK,
    ONE_PACK,
    PHOENIX,
    RANK_MASKS,
)
from referee.rules.combinations import (
    BOMB,
    DRAGON_RANK2,
    FULL_HOUSE,
    LYING_ON,
    PAIR,
    PHOENIX_ON,
    SINGLE,
    SMALL_SETS,
    STRAIGHT,
    TRIPLE,
    Combination,
    beats,
    canonical_key,
    readings,
)
from referee.rules.hands import (
    bombs,
    find_full_houses,
    find_stairs,
    find_straights,
    full_houses,
    hand_has_bomb,
    has_pair,
    pairs,
    ranked_singles,
    singles,
    stairs,
    straights,
    triples,
)
from referee.rules.kinds import LATER_DRAGON_RANK2
from referee.rules.two_pack_lists import follows_of_two_packs, leads_of_two_packs

_DRAGON = SMALL_SETS[DRAGON][0]
_DRAGON_ON = LYING_ON[DRAGON]

_LISTS = 1 << 7  # of long lists, and seldom asked for twice

# _ABOVE[rank2]: Phoenix, Dragon, and the cards of every rank that is higher
_ABOVE = tuple(
    sum(FIRST_PACK_RANKS[rank] for rank in range(LOWEST_RANK, HIGHEST_RANK + 1) if 2 * rank > rank2)
    | PHOENIX
    | DRAGON
    for rank2 in range(LATER_DRAGON_RANK2 + 1)
)


def leads(hand: int, two_phoenixes: bool = False) -> tuple[Combination, ...]:
    """Return every pattern a hand can lead, in canonical order; no wish applied (B1 to B8)."""
    if hand > ONE_PACK:
        return _leads_of_two_packs(hand, two_phoenixes)
    return _leads(hand)


_leads_of_two_packs = lru_cache(_LISTS)(leads_of_two_packs)


@lru_cache(_LISTS)
def _leads(hand: int) -> tuple[Combination, ...]:
    short = singles(hand) + pairs(hand) + triples(hand)
    length = hand.bit_count()
    if length < 4:
        return short
    rows = []
    if has_pair(hand):
        rows.append(find_stairs(hand))
        if length > 4:
            rows.append(find_full_houses(hand))
    if length > 4:
        rows.append(find_straights(hand))
    if hand_has_bomb(hand):
        rows.append(bombs(hand))
    found = [plays for plays in rows if plays]
    if not found:
        return short
    if len(found) == 1:
        return short + found[0]
    long = [play for plays in found for play in plays]
    long.sort(key=canonical_key)
    return (*short, *long)


def follows(hand: int, table: Combination, two_phoenixes: bool = False) -> list[Combination]:
    """Return every pattern of a hand that beats a table, in canonical order; no wish applied."""
    kind, length, rank2 = table.kind, table.length, table.rank2
    if kind is BOMB:
        return beating_bombs(hand, table)
    if hand > ONE_PACK:
        return follows_of_two_packs(hand, table, two_phoenixes)
    if kind is SINGLE:
        plays = _single_follows(hand, rank2)
    elif kind is PAIR:
        plays = list(pairs(hand & _ABOVE[rank2]))
    elif kind is TRIPLE:
        plays = list(triples(hand & _ABOVE[rank2]))
    elif kind is FULL_HOUSE:
        plays = [play for play in full_houses(hand) if play.rank2 > rank2]
    else:
        rows = straights(hand) if kind is STRAIGHT else stairs(hand)
        plays = [play for play in rows if play.length == length and play.rank2 > rank2]
    if hand_has_bomb(hand):
        plays += bombs(hand)
        if length > 3:
            plays.sort(key=canonical_key)
    return plays


def _single_follows(hand: int, rank2: int) -> list[Combination]:
    above = hand & _ABOVE[rank2]
    if not above:
        return []
    plays = list(ranked_singles(above))
    if above & PHOENIX and rank2 in PHOENIX_ON:
        plays.insert(0, PHOENIX_ON[rank2])
    if above & DRAGON:
        if rank2 < DRAGON_RANK2:
            plays.append(_DRAGON)
        elif rank2 in _DRAGON_ON:  # the other pack's lies there (I5)
            plays.append(_DRAGON_ON[rank2])
    return plays


def beating_bombs(hand: int, table: Combination) -> list[Combination]:
    """Return the bombs of a hand that beat a table, in canonical order (B2)."""
    if not hand_has_bomb(hand):
        return []
    return [bomb for bomb in bombs(hand) if beats(bomb, table)]


def under_wish(plays: Sequence[Combination], wish: int, *, bombs_exempt: bool) -> list[Combination]:
    """Return what an open wish leaves: what fulfils it and the exempt bombs, if any does (E3)."""
    rank = RANK_MASKS[wish]
    fulfilling = [play for play in plays if play.cards & rank]
    if not fulfilling:
        return list(plays)
    if not bombs_exempt:
        return fulfilling
    return [play for play in plays if play.cards & rank or play.kind is BOMB]


def highest_readings(plays: Sequence[Combination]) -> list[Combination]:
    """Return the plays whose Phoenix stands as high as it can (B7, `phoenix_choice` highest)."""
    return [play for play in plays if not play.phoenix_rank or _is_highest(play)]


def _is_highest(play: Combination) -> bool:
    both = bool(play.second_phoenix_rank)
    return readings(play.cards, two_phoenixes=both)[0].rank2 == play.rank2
