"""One line of a Brettspielwelt log: what kind it is and what it holds.

A name may hold anything, colons, parentheses, even cards. So a line is recognised by its first
word and read from its end, where the cards stand, and the seat number alone says who it is.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from referee.formats.bsw.events import Called, Gift, LoggedCall, LoggedCards, Result, Wish
from referee.rules.cards import DOG, DRAGON, MAHJONG, PHOENIX, Seat

RANKS: Mapping[str, int] = MappingProxyType(
    {**{str(rank): rank for rank in range(2, 11)}, "B": 11, "D": 12, "K": 13, "A": 14}
)
SUITS: Mapping[str, int] = MappingProxyType({"G": 0, "S": 1, "B": 2, "R": 3})
CARDS: Mapping[str, int] = MappingProxyType(
    {
        **{suit + rank: 4 * RANKS[rank] + SUITS[suit] for suit in SUITS for rank in RANKS},
        "Hu": DOG.bit_length() - 1,
        "Ph": PHOENIX.bit_length() - 1,
        "Dr": DRAGON.bit_length() - 1,
        "Ma": MAHJONG.bit_length() - 1,
    }
)

_CARD = "(?:[GSBR](?:10|[2-9BDKA])|Hu|Ph|Dr|Ma)"
_SEAT_LINE = re.compile(r"\((\d+)\)(.*)", re.DOTALL)
# Greedy: the last colon that only cards follow, whatever the name holds.
_PLAY = re.compile(rf".*:\s*({_CARD}(?:\s+{_CARD})*)", re.DOTALL)
_GIVEN = re.compile(rf":\s*({_CARD})\s+-")
_CALL = re.compile(r"(Gro(?:ss|ß|\ufffd)es )?Tichu:\s*\(([0-3])\)")
_GIFT = re.compile(r"Drache an:\s*\(([0-3])\)")
_WISH = re.compile(r"Wunsch:\s*(\S*)")
_RESULT = re.compile(r"Ergebnis:\s*(-?\d{1,6})\s*-\s*(-?\d{1,6})")


def seat_and_rest(text: str) -> tuple[Seat | None, str] | None:
    """Return seat and text behind it for a line `(n)...`, else None; the seat is None if not 0..3.

    >>> seat_and_rest("(2)a (b): Ma")
    (2, 'a (b): Ma')
    """
    found = _SEAT_LINE.fullmatch(text)
    if found is None:
        return None
    digit = found[1]
    return (Seat(int(digit)) if digit in ("0", "1", "2", "3") else None), found[2]


def read_hand(line: int, rest: str, *, size: int) -> LoggedCards:
    """Return the last `size` cards of a hand's line, fewer if others words stand among them."""
    words = rest.rsplit(maxsplit=size)
    cards: list[int] = []
    for word in reversed(words[-size:]):
        if word not in CARDS:
            break
        cards.append(CARDS[word])
    name = words[0] if len(words) > size else ""
    return LoggedCards(line=line, name=name.strip(), cards=tuple(reversed(cards)))


def is_given(rest: str) -> bool:
    """True for a line of the exchange, readable or not."""
    return " gibt:" in rest


def read_given(line: int, rest: str, *, names: Sequence[str]) -> LoggedCards | None:
    """Return the cards of a line `name gibt: name: C - name: C - name: C - `, or None.

    `names` are the recipients' names as last seen. They only decide between several readings,
    which a name like `x: S2 - y` allows.
    """
    name = rest.partition(" gibt:")[0]
    body = rest.rstrip(" -") + " -"
    cards: Sequence[str] = _GIVEN.findall(body)
    if len(cards) > 3:
        cards = _given_by_name(body, names) or cards[-3:]
    if len(cards) < 3:
        return None
    return LoggedCards(line=line, name=name, cards=tuple(CARDS[card] for card in cards))


def _given_by_name(body: str, names: Sequence[str]) -> tuple[str, ...]:
    parts = (rf"\s*{re.escape(name)}\s*:\s*({_CARD})\s+-" for name in names)
    found = re.search(rf"gibt:{''.join(parts)}\Z", body)
    return found.groups() if found else ()


def read_play(rest: str) -> tuple[int, ...] | None:
    """Return the cards played in a line `name: C C ...`, in the order printed, or None."""
    found = _PLAY.fullmatch(rest)
    return tuple(CARDS[word] for word in found[1].split()) if found else None


def is_pass(rest: str) -> bool:
    """True for `name passt.`; the full stop may be missing."""
    return rest.removesuffix(".").endswith("passt")


def read_call(line: int, text: str) -> Called | None:
    """Return the call of `Tichu: (n)name` or `Grosses Tichu: (n)name`, or None."""
    found = _CALL.match(text)
    if found is None:
        return None
    call = LoggedCall.GRAND if found[1] else LoggedCall.TICHU
    return Called(line=line, seat=Seat(int(found[2])), call=call)


def read_gift(line: int, text: str) -> Gift | None:
    """Return the gift of `Drache an: (n)name`, or None."""
    found = _GIFT.match(text)
    return Gift(line=line, to=Seat(int(found[1]))) if found else None


def read_wish(line: int, text: str) -> Wish | None:
    """Return the wish of `Wunsch:r`, rank 0 when r is no rank, or None for another line."""
    found = _WISH.fullmatch(text)
    return Wish(line=line, rank=RANKS.get(found[1], 0)) if found else None


def read_result(line: int, text: str) -> Result | None:
    """Return the points of `Ergebnis: a - b`, or None.

    >>> read_result(9, "Ergebnis: -30 - 30").scores
    (-30, 30)
    """
    found = _RESULT.fullmatch(text)
    return Result(line=line, scores=(int(found[1]), int(found[2]))) if found else None
