"""Pieces of serialised messages. Repeated fields concatenate, so an update is a join of pieces.

What is the same for several seats is serialised once and joined into the frame of each; the
generated classes would copy it field by field for every seat. A piece is the length and bytes of a
message, or (with `field`) the tag before that.
"""

from functools import cache, lru_cache

from referee._gen.tichu.referee.v1 import card_pb2, match_pb2
from referee.rules.cards import card_numbers
from referee.rules.combinations import Combination

_SMALL = tuple(bytes((n,)) for n in range(128))
_CONTINUED = tuple(bytes((n | 128,)) for n in range(128))  # digits that another follows
_LENGTH_DELIMITED = 2  # the wire type of messages, strings and packed lists
_CACHED_PLAYS = 4096  # some 250 bytes each; see `play_bytes`


def varint(n: int) -> bytes:
    """Return an unsigned number in base 128, lowest digits first."""
    if n < 128:
        return _SMALL[n]
    if n < 1 << 14:
        return _CONTINUED[n & 127] + _SMALL[n >> 7]
    digits = bytearray()
    while n > 127:
        digits.append(n & 127 | 128)
        n >>= 7
    digits.append(n)
    return bytes(digits)


def tag(number: int) -> bytes:
    """Return the tag of a field that holds a message."""
    return varint(number << 3 | _LENGTH_DELIMITED)


def sized(body: bytes) -> bytes:
    """Return a message with its length before it."""
    size = len(body)
    return (_SMALL[size] if size < 128 else varint(size)) + body


def cards_of(mask: int) -> list[card_pb2.Card.ValueType]:
    """Return a set of cards as the wire lists it: ascending."""
    return [card_pb2.Card.ValueType(number) for number in card_numbers(mask)]


def play_message(play: Combination) -> match_pb2.Play:
    """Return a play with its reading, as the referee writes it."""
    return match_pb2.Play(
        cards=cards_of(play.cards),
        phoenix_rank=play.phoenix_rank or None,
        kind=match_pb2.PlayKind.ValueType(play.kind.value),
        rank_halves=play.rank2,
        second_phoenix_rank=play.second_phoenix_rank or None,
    )


_CARDS = tag(match_pb2.Play.CARDS_FIELD_NUMBER)


@lru_cache(_CACHED_PLAYS)
def play_bytes(play: Combination) -> bytes:
    """Return `play_message` with its length, from a cache: lists of plays repeat themselves."""
    if play.second_phoenix_rank:
        return sized(play_message(play).SerializeToString())
    cards = bytes(card_numbers(play.cards))  # all numbers are under 128: varints of one byte
    return sized(_CARDS + sized(cards) + _reading(play.phoenix_rank, play.kind, play.rank2))


@cache
def _reading(phoenix_rank: int, kind: int, rank2: int) -> bytes:
    """Return a Play without its cards: there are some hundred."""
    return match_pb2.Play(
        phoenix_rank=phoenix_rank or None,
        kind=match_pb2.PlayKind.ValueType(kind),
        rank_halves=rank2,
    ).SerializeToString()
