"""The closed sets of the rule options, one enum a row of table J. The first member is the default.

Values are those of the rules and travel in vectors, records and command lines: never rename one.
"""

import enum
from collections.abc import Mapping
from types import MappingProxyType


class Variant(enum.StrEnum):
    """Which game is played."""

    TICHU = "tichu"
    TRICHU = "trichu"
    TIENTSIN = "tientsin"
    GRAND_SEIGNEUR = "grand_seigneur"


# Hands that play; Grand Seigneur has no number of its own.
OWN_SEATS: Mapping[Variant, int] = MappingProxyType(
    {Variant.TICHU: 4, Variant.TRICHU: 4, Variant.TIENTSIN: 6}
)


class TieAtTarget(enum.StrEnum):
    """F4: both teams reach the target with exactly the same total."""

    PLAY_ON = "play_on"
    DRAW = "draw"


class BothCallScoring(enum.StrEnum):
    """F3: partners who both called. `bsw` forgives a failed Grand beside a won call."""

    INDEPENDENT = "independent"
    BSW = "bsw"


class HopelessCall(enum.StrEnum):
    """A4: a call when somebody is already out."""

    ALLOWED = "allowed"
    REJECTED = "rejected"


class GrandOrder(enum.StrEnum):
    """A3: everybody at once, or in turn order from the dealer."""

    TOGETHER = "together"
    BY_SEAT = "by_seat"


class ExchangeRechoose(enum.StrEnum):
    """A7: who may replace the cards he has chosen to give."""

    AFTER_CALL = "after_call"
    UNTIL_ALL_GAVE = "until_all_gave"
    NEVER = "never"


class WishBombExempt(enum.StrEnum):
    """E6: which bombs are free of the wish."""

    INTERRUPT = "interrupt"
    OUT_OF_TURN_ONLY = "out_of_turn_only"
    NEVER = "never"
    ALSO_LEAD = "also_lead"


class PhoenixChoice(enum.StrEnum):
    """B7: whether the player may name a lower reading."""

    PLAYER = "player"
    HIGHEST = "highest"


class SelfOvertake(enum.StrEnum):
    """C3: with what the owner may overtake his own play when all others have passed."""

    BOMBS_ONLY = "bombs_only"
    ANY = "any"


class BombArbitration(enum.StrEnum):
    """D5: which of several bombs of one window is played. Decided by the match."""

    STRONGEST = "strongest"
    SEAT_ORDER = "seat_order"


class DragonGiftToFinished(enum.StrEnum):
    """C5: whether an opponent who is out may get the Dragon's trick."""

    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"


class DogPartnerOut(enum.StrEnum):
    """C4: who leads when the Dog's partner is out; the same seat in both with four players."""

    NEXT_AFTER_PARTNER = "next_after_partner"
    NEXT_OPPONENT = "next_opponent"


class Direction(enum.StrEnum):
    """For displays only: turn order is always seat + 1."""

    RIGHT = "right"
    LEFT = "left"


class TrichuOpponentsExchange(enum.StrEnum):
    """G4."""

    THREE = "three"
    TWO = "two"


class TrichuGrand(enum.StrEnum):
    """G2."""

    OPPONENTS = "opponents"
    NOBODY = "nobody"


class TientsinDealStart(enum.StrEnum):
    """H1: who has ten cards."""

    DEALER = "dealer"
    AFTER_DEALER = "after_dealer"


class TientsinDogNoPartner(enum.StrEnum):
    """H5."""

    NEXT = "next"
    LEFT = "left"


class GsDog(enum.StrEnum):
    """I1."""

    REMOVED = "removed"
    ONE = "one"


class GsExchange(enum.StrEnum):
    """I3."""

    LEVELS = "levels"
    ALL_TO_FIRST = "all_to_first"


class GsBestOrder(enum.StrEnum):
    """I3."""

    DRAGON_PHOENIX_MAHJONG = "dragon_phoenix_mahjong"
    MAHJONG_LAST = "mahjong_last"


class GsSecondPhoenix(enum.StrEnum):
    """I5."""

    THIRD = "third"
    HALF = "half"


class GsSeating(enum.StrEnum):
    """I2."""

    BY_RANK = "by_rank"
    ALTERNATING = "alternating"


class GsReturn(enum.StrEnum):
    """I3."""

    FREE = "free"
    WORST = "worst"


class GsGoal(enum.StrEnum):
    """I4."""

    ROUNDS = "rounds"
    FIRST_AGAIN = "first_again"
