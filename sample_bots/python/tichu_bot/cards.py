"""Cards and combinations: names, points, what a set of cards is, the bombs of a hand.

A card is an int, the number it has on the wire: 4 * rank + suit for ranks 2 to 14 (suits jade 0,
sword 1, pagoda 2, star 3), below them the four special cards. A second pack has the same
numbers plus 64. In text a card is rank then suit (`Tj`, `As`), or `Mj Dg Ph Dr`; a card of the
second pack ends in `'`. Clauses such as `B6` are those of the rules page.
"""

import enum
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple

DOG, PHOENIX, DRAGON, MAH_JONG = 1, 2, 3, 4
SECOND_PACK = 64
ACE = 14
RANKS = "23456789TJQKA"
SUITS = "jspr"  # jade, sword, pagoda, star

_SPECIAL_NAMES = {DOG: "Dg", PHOENIX: "Ph", DRAGON: "Dr", MAH_JONG: "Mj"}
_NAMES = _SPECIAL_NAMES | {
    4 * rank + suit: RANKS[rank - 2] + SUITS[suit] for rank in range(2, 15) for suit in range(4)
}
_NAMES |= {card + SECOND_PACK: name + "'" for card, name in _NAMES.items()}
_CARDS = {name: card for card, name in _NAMES.items()}
_POINTS_BY_RANK = {5: 5, 10: 10, 13: 10}
_POINTS = {card: _POINTS_BY_RANK.get((card % SECOND_PACK) >> 2, 0) for card in _NAMES}
_POINTS |= {DRAGON: 25, PHOENIX: -25, DRAGON + SECOND_PACK: 25, PHOENIX + SECOND_PACK: -25}
_RANKS = {card: (card % SECOND_PACK) >> 2 for card in _NAMES}
_SPECIAL_WORTH = {DOG: 0.0, MAH_JONG: 14.5, PHOENIX: 15.0, DRAGON: 16.0}
_WORTH = {card: _SPECIAL_WORTH.get(card % SECOND_PACK, float(_RANKS[card])) for card in _NAMES}

_DRAGON_HALVES = 32
_NATURALS = (1 << 60) - (1 << 8)  # the suited cards of a pack as a bit mask
_FIRST_SUIT = sum(1 << 4 * rank for rank in range(2, 15))


class Kind(enum.IntEnum):
    """Type of a combination; the numbers are those of the wire. A kind of the future is UNKNOWN."""

    UNKNOWN = 0
    SINGLE = 1
    PAIR = 2
    TRIPLE = 3
    FULL_HOUSE = 4
    STRAIGHT = 5
    STAIRS = 6
    BOMB = 7


class Play(NamedTuple):
    """Cards played together, and how they are read.

    `rank_halves` counts half ranks (Mah Jong 2, a six 12, Ace 28); it compares plays of one kind
    and number of cards. `place` is the play's place in the list of the ask that offered it; a play
    of your own making has None and travels as its cards. `second_phoenix_rank`: what the second of
    two Phoenixes stands for; `phoenix_rank` is then the lower rank, in a full house the triple's.
    """

    cards: tuple[int, ...]
    kind: Kind = Kind.UNKNOWN
    rank_halves: int = 0
    phoenix_rank: int | None = None
    place: int | None = None
    second_phoenix_rank: int | None = None

    def __str__(self) -> str:
        return show(self.cards)


def rank(card: int) -> int:
    """Return 2 to 14, 1 for the Mah Jong, 0 for Dog, Phoenix and Dragon, and for no card."""
    return _RANKS.get(card, 0)


def known(cards: Iterable[int]) -> tuple[int, ...]:
    """Return the cards that there are, ascending: a later protocol may have others.

    >>> known([250, 8, 4])
    (4, 8)
    """
    return tuple(sorted(card for card in cards if card in _NAMES))


def name(card: int) -> str:
    """Return the card's text; a number that no card has is shown as `?99`.

    >>> name(40), name(2)
    ('Tj', 'Ph')
    """
    return _NAMES.get(card, f"?{card}")


def show(cards: Iterable[int]) -> str:
    """Return the cards as text in the order given.

    >>> show([4, 59])
    'Mj Ar'
    """
    return " ".join(map(name, cards))


def parse(text: str) -> tuple[int, ...]:
    """Return the cards named in the text; ValueError names the first word that is no card.

    >>> parse("Mj Ar")
    (4, 59)
    """
    try:
        return tuple(_CARDS[word] for word in text.split())
    except KeyError as unknown:
        raise ValueError(f"no card is called {unknown.args[0]!r}") from None


def points(cards: Iterable[int]) -> int:
    """Return what the cards count: 5, 10, K, Dragon and Phoenix; others 0 (A1)."""
    return sum(_POINTS.get(card, 0) for card in cards)  # 0, too, for one of a later protocol


def worth(card: int) -> float:
    """Order cards from bad to good: Dog, 2 to Ace, Mah Jong, Phoenix, Dragon (the order of I3).

    >>> show(sorted(parse("Dr 2j Dg As Mj"), key=worth))
    'Dg 2j As Mj Dr'
    """
    return _WORTH.get(card, -1.0)  # below all for a card of a later protocol


def as_mask(cards: Iterable[int]) -> int:
    """Return one pack's bits for the cards; a card of the second pack falls on its twin."""
    mask = 0
    for card in cards:
        if card in _NAMES:
            mask |= 1 << card % SECOND_PACK
    return mask


def holds_bomb(cards: Iterable[int]) -> bool:
    """Tell whether a hand holds any bomb: four of a rank, or five in a row of a suit (B1)."""
    suited = as_mask(cards) & _NATURALS
    quads = suited & suited >> 1 & suited >> 2 & suited >> 3 & _FIRST_SUIT
    runs = suited & suited >> 4 & suited >> 8 & suited >> 12 & suited >> 16
    return bool(quads | runs)


def find_bombs(cards: Sequence[int]) -> list[Play]:
    """Return every bomb of a hand, weakest first (B2); of two equal cards the first pack's (I5)."""
    held = {card % SECOND_PACK: card for card in reversed(known(cards))}
    quads = (range(4 * r, 4 * r + 4) for r in range(2, 15))
    found = [_bomb([held[card] for card in quad]) for quad in quads if set(quad) <= held.keys()]
    for low in held:
        run = [low]
        while low > MAH_JONG and run[-1] + 4 in held:
            run.append(run[-1] + 4)
            if len(run) >= 5:
                found.append(_bomb([held[card] for card in run]))
    return sorted(found, key=lambda bomb: (len(bomb.cards), bomb.rank_halves, bomb.cards))


def beats(play: Play, table: Play) -> bool:
    """Tell whether `play` may be laid on `table` (B2), wish and turn apart."""
    size, height = len(play.cards), play.rank_halves
    if play.kind == Kind.BOMB:
        if table.kind != Kind.BOMB:
            return True
        return (size, height) > (len(table.cards), table.rank_halves)
    if play.kind != table.kind or size != len(table.cards):
        return False
    if is_card(play, PHOENIX):
        return not is_card(table, DRAGON)  # B5: half a rank above whatever lies there
    if is_card(play, DRAGON) and is_card(table, DRAGON):
        return True  # I5: the later of two
    return not is_card(play, DOG) and height > table.rank_halves


def is_card(play: Play, card: int) -> bool:
    """Tell whether the play is this one card, of either pack."""
    return len(play.cards) == 1 and play.cards[0] in (card, card + SECOND_PACK)


def readings(cards: Sequence[int], *, two_phoenixes: bool = False) -> list[Play]:
    """Return every reading of the cards as a combination, the highest first; [] if they are none.

    Only a Phoenix in a combination gives more than one (B7). `two_phoenixes` is the option
    `gs_two_phoenix_in_combo`; else two Phoenixes are never in one combination (I5).
    """
    held = known(cards)
    if len(held) < len(cards):
        return []  # what a card of a later protocol makes of them nobody knows
    if len(held) == 1:
        return [Play(held, Kind.SINGLE, _single_height(held[0] % SECOND_PACK))]
    specials = [card % SECOND_PACK for card in held if card % SECOND_PACK < MAH_JONG]
    if DOG in specials or DRAGON in specials or len(specials) > 1 + two_phoenixes:
        return []
    if not specials:
        return _read_natural(held)
    naturals = Counter(rank(card) for card in held if rank(card))
    found = []
    for ranks in combinations_with_replacement(range(2, ACE + 1), len(specials)):
        shape = _shape(naturals + Counter(ranks))
        apart = len(set(ranks)) == len(ranks) or ranks[0] in naturals  # two of them are no pair
        if shape is not None and apart and naturals:
            if shape == (Kind.FULL_HOUSE, 2 * ranks[-1]):
                ranks = ranks[::-1]  # the triple's rank is the one that tells readings apart
            second = ranks[1] if len(ranks) > 1 else None
            found.append(Play(held, *shape, ranks[0], None, second))
    return sorted(found, key=lambda play: -play.rank_halves)


def _read_natural(held: tuple[int, ...]) -> list[Play]:
    ranks = Counter(map(rank, held))
    suits = {card & 3 for card in held}
    if len(ranks) == 1 and len(held) == len(suits) == 4:
        return [_bomb(held)]
    shape = _shape(ranks)
    if shape is None:
        return []
    one_suit = len(suits) == 1 and MAH_JONG not in held
    if shape[0] == Kind.STRAIGHT and one_suit:
        return [_bomb(held)]  # B8
    return [Play(held, *shape)]


def _single_height(card: int) -> int:
    if card == DRAGON:
        return _DRAGON_HALVES
    return 3 if card == PHOENIX else 2 * rank(card)


def _bomb(cards: Iterable[int]) -> Play:
    held = tuple(sorted(cards))
    return Play(held, Kind.BOMB, 2 * max(map(rank, held)))


def _shape(ranks: Counter[int]) -> tuple[Kind, int] | None:
    """Read two cards or more by how often each rank occurs; bombs apart."""
    top, distinct = max(ranks), len(ranks)
    consecutive = top - min(ranks) == distinct - 1
    counts = set(ranks.values())
    if counts == {1} and consecutive and distinct >= 5:
        return Kind.STRAIGHT, 2 * top
    if 1 in ranks:  # B3: the Mah Jong has no suit and no twin
        return None
    if distinct == 1 and ranks[top] in (2, 3):
        return (Kind.PAIR if ranks[top] == 2 else Kind.TRIPLE), 2 * top
    if counts == {2} and consecutive:
        return Kind.STAIRS, 2 * top
    if distinct == 2 and sorted(ranks.values()) == [2, 3]:
        return Kind.FULL_HOUSE, 2 * max(ranks, key=lambda r: ranks[r])
    return None
