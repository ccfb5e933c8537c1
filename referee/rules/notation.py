"""Cards, plays and ranks as text: `7j`, `Mj`, `2j 2p 3j 3p Ph=3`.

Rank then suit (`j` jade, `s` sword, `p` pagoda, `r` star), specials `Mj Dg Ph Dr`, the second
pack's cards with a closing `'`; a set of cards is separated by blanks, in any order.

In a combination the Phoenix names its rank: `Ph=3`, `Ph'=3`. Two Phoenixes in one combination
(option `gs_two_phoenix_in_combo`) both do, in any order: `Ph=3 3j Ph'=7 7s`.
"""

from referee.rules.cards import (
    DUPLICATE,
    PHOENIXES,
    SECOND_PACK,
    card_numbers,
    is_card,
    mask_of,
)
from referee.rules.combinations import Combination, readings
from referee.rules.errors import NotationError

_RANKS = "23456789TJQKA"
_SUITS = "jspr"
_SPECIALS = {"Dg": 1, "Ph": 2, "Dr": 3, "Mj": 4}


def _all_texts() -> dict[int, str]:
    texts = {number: text for text, number in _SPECIALS.items()}
    for rank, rank_text in enumerate(_RANKS, start=2):
        for suit, suit_text in enumerate(_SUITS):
            texts[4 * rank + suit] = rank_text + suit_text
    second = {number + SECOND_PACK: text + "'" for number, text in texts.items()}
    return texts | {number: text for number, text in second.items() if is_card(number)}


_TEXT = _all_texts()
_NUMBER = {text: number for number, text in _TEXT.items()}


def parse_rank(text: str) -> int:
    """Return a rank 2..14 of one sign `2`..`9 T J Q K A`. Raises `NotationError`."""
    if len(text) != 1 or text not in _RANKS:
        raise NotationError(f"{text!r} is no rank; write one of 2 3 4 5 6 7 8 9 T J Q K A")
    return _RANKS.index(text) + 2


def format_rank(rank: int) -> str:
    """Return the sign of a rank 2..14. Raises `NotationError` for any other number."""
    if not 2 <= rank <= 14:
        raise NotationError(f"{rank} is no rank from 2 to 14")
    return _RANKS[rank - 2]


def parse_card(text: str) -> int:
    """Return the number of one card. Raises `NotationError`."""
    number = _NUMBER.get(text)
    if number is None:
        raise NotationError(f"{text!r} is no card; write rank and suit (7j), or Mj, Dg, Ph, Dr")
    return number


def parse_cards(text: str) -> int:
    """Return the mask of a list of cards; one named twice sets `DUPLICATE` as well.

    >>> parse_cards("Mj 2j") == 1 << 4 | 1 << 8
    True
    """
    return mask_of(parse_card(token) for token in text.split())


def parse_play(text: str) -> tuple[int, int | None]:
    """Return the mask of a play and the rank its Phoenix names, None when it names none.

    `Ph=1` is read as the rank 1, which the rules refuse (B6). Of two Phoenixes that
    rank is returned which settles the other (`Combination`); ranks that no reading has together, or
    one without the other, are returned as 1. Raises `NotationError`.
    """
    numbers = []
    named = []
    for token in text.split():
        card, names, rank = token.partition("=")
        number = parse_card(card)
        if names:
            if card not in ("Ph", "Ph'"):
                raise NotationError(f"{token!r}: only the Phoenix names a rank")
            named.append(1 if rank == "1" else parse_rank(rank))
        numbers.append(number)
    cards = mask_of(numbers)
    if named and cards & PHOENIXES == PHOENIXES:
        return cards, _settling_rank(cards, named)
    return cards, named[-1] if named else None


def _settling_rank(cards: int, named: list[int]) -> int:
    for reading in readings(cards, two_phoenixes=True):
        if sorted(named) == sorted((reading.phoenix_rank, reading.second_phoenix_rank)):
            return reading.phoenix_rank
    return 1


def format_cards(cards: int) -> str:
    """Return a set of cards as text, in ascending order of card numbers."""
    return " ".join([_TEXT[number] for number in card_numbers(cards & ~DUPLICATE)])


def format_play(play: Combination) -> str:
    """Return a play as text; the Phoenix in a combination names its rank, of two both do.

    >>> format_play(readings(parse_cards("Ph' 2j"))[0])
    "2j Ph'=2"
    """
    text = format_cards(play.cards)
    if not play.phoenix_rank:
        return text
    ranks = [format_rank(play.phoenix_rank)]
    if play.second_phoenix_rank:
        ranks.append(format_rank(play.second_phoenix_rank))
    named = iter(ranks)
    return " ".join([f"{t}={next(named)}" if t[0] == "P" else t for t in text.split()])
