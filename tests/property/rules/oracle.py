"""A second referee for small hands, written from the rules' words alone: slow, and nothing shared.

Cards are texts; a play is looked for among all subsets of a hand, and a Phoenix is tried as every
rank. It answers for the default options of every game; a card of the second pack ends in '.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

RANKS = {sign: rank for rank, sign in enumerate("23456789TJQKA", start=2)} | {"M": 1}

DRAGON = 16.0
LONE = {"Dg": 0.0, "Ph": 1.5, "Dr": DRAGON}  # specials alone, and how high they are led

# type, number of cards, what compares
Shape = tuple[str, int, float]


def natural_shape(cards: Sequence[tuple[int, str]]) -> Shape | None:
    """What cards (rank, suit) are without Dog, Phoenix and Dragon; the suit ? is no suit at all."""
    n = len(cards)
    ranks = Counter(rank for rank, _ in cards)
    lowest, highest = min(ranks), max(ranks)
    in_a_row = sorted(ranks) == list(range(lowest, highest + 1))
    suits = {suit for _, suit in cards}
    if n == 1:
        return ("single", 1, highest)
    if in_a_row and len(ranks) == n >= 5:
        bomb = len(suits) == 1 and "?" not in suits
        return ("bomb" if bomb else "straight", n, highest)
    if 1 in ranks:
        return None
    if len(ranks) == 1 and n in (2, 3):
        return ("pair" if n == 2 else "triple", n, highest)
    if len(ranks) == 1 and n == len(suits) == 4 and "?" not in suits:
        return ("bomb", 4, highest)
    if sorted(ranks.values()) == [2, 3]:
        return ("full house", 5, ranks.most_common(1)[0][0])
    if in_a_row and n >= 4 and set(ranks.values()) == {2}:
        return ("stairs", n, highest)
    return None


def shapes(cards: Sequence[str]) -> Iterator[tuple[Shape, int]]:
    """Yield every reading of a set with the rank of its Phoenix, 0 = none or alone."""
    special = [card for card in cards if card[:2] in LONE]
    if special and len(cards) == 1:
        yield ("single", 1, LONE[cards[0][:2]]), 0
    if [card[:2] for card in special] not in ([], ["Ph"]) or len(cards) == len(special):
        return
    natural = [(RANKS[c[0]], "?" if c == "Mj" else c[1]) for c in cards if c not in special]
    if not special:
        shape = natural_shape(natural)
        if shape:
            yield shape, 0
        return
    for rank in range(2, 15):
        shape = natural_shape([*natural, (rank, "?")])
        if shape and shape[0] != "bomb":
            yield shape, rank


def is_higher(play: Shape, table: Shape, *, phoenix_alone: bool) -> bool:
    """B2, B5; I5: a Dragon lies on a Dragon, a Phoenix on a Phoenix."""
    if play[0] == "bomb":
        return table[0] != "bomb" or play[1:] > table[1:]
    if play[:2] != table[:2]:
        return False
    if phoenix_alone:
        return table[2] < DRAGON
    return play[2] > table[2] or play == table == ("single", 1, DRAGON)


Found = set[tuple[frozenset[str], int]]


def open_plays(hand: Sequence[str], table: Shape | None, wish: int, *, on_turn: bool) -> Found:
    """Return every set and Phoenix's rank that may be played, wish and exempt bombs considered.

    `wish` 0 = none, or none that binds this hand (G7).
    """
    found: dict[tuple[frozenset[str], int], Shape] = {}
    for size in range(1, len(hand) + 1):
        for cards in combinations(hand, size):
            for shape, phoenix_rank in shapes(cards):
                alone = len(cards) == 1 and cards[0][:2] == "Ph"
                if table is None or is_higher(shape, table, phoenix_alone=alone):
                    found[frozenset(cards), phoenix_rank] = shape
    if table is not None:
        found = {play: shape for play, shape in found.items() if "Dg" not in play[0]}
    if not on_turn:
        return {play for play, shape in found.items() if table and shape[0] == "bomb"}
    fulfilling = {
        play
        for play in found
        if any(card[0] in RANKS and RANKS[card[0]] == wish for card in play[0] if card != "Mj")
    }
    if not wish or not fulfilling:
        return set(found)
    exempt = {play for play, shape in found.items() if table and shape[0] == "bomb"}
    return fulfilling | exempt
