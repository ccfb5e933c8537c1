"""Cards, plays and ranks as text: `7j`, `Mj`, `2j 2p 3j 3p Ph=3`.

Rank then suit (`j` jade, `s` sword, `p` pagoda, `r` star), specials `Mj Dg Ph Dr`, the second
pack's cards with a closing `'`; a set of cards is separated by blanks, in any order.
"""

from referee.rules.cards import (
    DUPLICATE,
    SECOND_PACK,
    card_numbers,
    is_card,
    mask_of,
)
from referee.rules.combinations import Combination
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

    `Ph=1` is read as the rank 1, which the rules refuse (B6). Raises `NotationError`.
    """
    numbers = []
    phoenix_rank = None
    for token in text.split():
        card, names, rank = token.partition("=")
        number = parse_card(card)
        if names:
            if card not in ("Ph", "Ph'"):
                raise NotationError(f"{token!r}: only the Phoenix names a rank")
            phoenix_rank = 1 if rank == "1" else parse_rank(rank)
        numbers.append(number)
    return mask_of(numbers), phoenix_rank


def format_cards(cards: int) -> str:
    """Return a set of cards as text, in ascending order of card numbers."""
    return " ".join([_TEXT[number] for number in card_numbers(cards & ~DUPLICATE)])


def format_play(play: Combination) -> str:
    """Return a play as text; the Phoenix in a combination names its rank."""
    text = format_cards(play.cards)
    if play.phoenix_rank:
        return text.replace("Ph", f"Ph={format_rank(play.phoenix_rank)}", 1)
    return text
