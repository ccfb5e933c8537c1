"""Options that make no sense together, each with the reason: a table, read when options are made.

What is listed would have no effect, or contradict itself. A row added here refuses records of
matches that were played by it, so nothing is listed that was ever accepted in a game of four.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from referee.rules.option_values import (
    OWN_SEATS,
    GrandOrder,
    GsGoal,
    HopelessCall,
    TrichuGrand,
    Variant,
)

if TYPE_CHECKING:
    from referee.rules.options import RuleOptions

SEATS_OF_GRAND_SEIGNEUR = range(5, 13)
ONE_PACK_SEATS = 6  # of Grand Seigneur; with more there are two packs (I1)
_ROUNDS_OF_TRICHU = 3  # each of the three is the soloist as often (G9)


def reasons(options: "RuleOptions") -> Iterator[str]:
    """Yield why options cannot be played together, each as one line with what to do."""
    yield from _seats(options)
    yield from _rows_of_other_games(options)
    for row in _SENSELESS:
        if row.applies(options):
            yield f"options {row.first} and {row.second}: {row.reason}"


@lru_cache
def _defaults(options: "type[RuleOptions]") -> dict[str, object]:
    return {field.name: field.default for field in msgspec.structs.fields(options)}


def _differs(options: "RuleOptions", name: str) -> bool:
    return bool(getattr(options, name) != _defaults(type(options))[name])


# Seats


def _seats(options: "RuleOptions") -> Iterator[str]:
    own = OWN_SEATS.get(options.variant)
    if own is not None:
        if options.seats not in (None, own):
            yield f"options seats and variant: {options.variant} has {own} seats; leave seats out"
        return
    few, many = SEATS_OF_GRAND_SEIGNEUR[0], SEATS_OF_GRAND_SEIGNEUR[-1]
    if options.seats is None:
        yield f"options seats and variant: {options.variant} needs seats={few} to seats={many}"
    elif options.seats not in SEATS_OF_GRAND_SEIGNEUR:
        yield f"options seats and variant: {options.variant} has {few} to {many} seats"


# Rows of one game

_GAME_OF_PREFIX = {
    "trichu": Variant.TRICHU,
    "tientsin": Variant.TIENTSIN,
    "gs": Variant.GRAND_SEIGNEUR,
}
_NO_CALLS = "Grand Seigneur has no calls"
_NO_GIFTS = "in Grand Seigneur the trick of a Dragon is simply won"
_NO_POINTS = "Grand Seigneur has no points"
_OWN_DOG = "write tientsin_dog_no_partner"
_ROUNDS_ONLY = "Trichu ends after a number of rounds"
_WITHOUT_PLACE: dict[Variant, dict[str, str]] = {
    Variant.TICHU: {},
    Variant.TRICHU: {
        "target": _ROUNDS_ONLY,
        "tie_at_target": _ROUNDS_ONLY,
        "chaos": "only the two opponents decide on Grand, so no team of them has a higher bidder",
    },
    Variant.TIENTSIN: {
        "double_victory_points": "a triple victory counts 300",
        "dog_partner_out": f"Tientsin has a row of its own for that; {_OWN_DOG}",
    },
    Variant.GRAND_SEIGNEUR: {
        "great_grand": _NO_CALLS,
        "grand_allowed": _NO_CALLS,
        "chaos": _NO_CALLS,
        "both_partners_may_call": _NO_CALLS,
        "both_call_scoring": _NO_CALLS,
        "hopeless_call": _NO_CALLS,
        "refuse_call": _NO_CALLS,
        "grand_order": _NO_CALLS,
        "exchange_rechoose": _NO_CALLS,
        "call_before_exchange": _NO_CALLS,
        "dragon_gift_to_finished": _NO_GIFTS,
        "dragon_last_trick_gift": _NO_GIFTS,
        "dog_partner_out": "Grand Seigneur has no partners",
        "target": _NO_POINTS,
        "tie_at_target": _NO_POINTS,
        "double_victory_points": _NO_POINTS,
    },
}


def _rows_of_other_games(options: "RuleOptions") -> Iterator[str]:
    for name in _defaults(type(options)):
        game = _GAME_OF_PREFIX.get(name.partition("_")[0])
        if game not in (None, options.variant) and _differs(options, name):
            yield f"options {name} and variant: {name} is a rule of {game} only; leave it out"
    for name, reason in _WITHOUT_PLACE[options.variant].items():
        if _differs(options, name):
            yield f"options {name} and variant: {reason}; leave {name} out"


# Pairs of rows


class _Senseless(msgspec.Struct, frozen=True):
    first: str
    second: str
    applies: "Callable[[RuleOptions], bool]"
    reason: str


def _of_the_second_pack(name: str) -> _Senseless:
    def applies(options: "RuleOptions") -> bool:
        one_pack = options.seats is not None and options.seats <= ONE_PACK_SEATS
        return options.variant is Variant.GRAND_SEIGNEUR and one_pack and _differs(options, name)

    reason = "it is about the second pack, which up to six seats have none of; name seven or more"
    return _Senseless(name, "seats", applies, reason)


_LEAVE_ONE = "leave one of them out"


def _without_effect(
    reason: str, *causes: "tuple[str, Callable[[RuleOptions], bool]]", other: str
) -> Iterator[_Senseless]:
    """Yield a row for each cause by which `other` has no effect.

    In a game of four such pairs were always accepted, and records name them.
    """
    for first, applies in causes:

        def both(it: "RuleOptions", applies: "Callable[[RuleOptions], bool]" = applies) -> bool:
            return it.variant is not Variant.TICHU and applies(it) and _differs(it, other)

        yield _Senseless(first, other, both, f"{reason}; leave {other} out")


_SENSELESS = (
    _Senseless(
        "great_grand",
        "grand_allowed",
        lambda it: it.great_grand and not it.grand_allowed,
        f"a game without Grand Tichu has no Great Grand either; {_LEAVE_ONE}",
    ),
    _Senseless(
        "rounds",
        "target",
        lambda it: it.rounds is not None and _differs(it, "target"),
        f"a match of a fixed number of rounds has no target; {_LEAVE_ONE}",
    ),
    _Senseless(
        "rounds",
        "variant",
        lambda it: it.variant is Variant.TRICHU and bool((it.rounds or 0) % _ROUNDS_OF_TRICHU),
        "in Trichu each of the three players is the soloist as often; name a multiple of 3",
    ),
    _Senseless(
        "rounds",
        "gs_goal",
        lambda it: it.gs_goal is GsGoal.FIRST_AGAIN and it.rounds is not None,
        f"with gs_goal=first_again no number of rounds ends the match; {_LEAVE_ONE}",
    ),
    _Senseless(
        "chaos",
        "grand_allowed",
        lambda it: it.chaos and not it.grand_allowed,
        f"in chaos each team has a Grand caller every round; {_LEAVE_ONE}",
    ),
    _Senseless(
        "chaos",
        "great_grand",
        lambda it: it.chaos and it.great_grand,
        f"who has called Great Grand could not call the Grand of its team; {_LEAVE_ONE}",
    ),
    _Senseless(
        "chaos",
        "grand_order",
        lambda it: it.chaos and it.grand_order is GrandOrder.BY_SEAT,
        f"nobody sees a bid before all have bid, so no order shows; {_LEAVE_ONE}",
    ),
    _Senseless(
        "chaos",
        "refuse_call",
        lambda it: it.chaos and it.refuse_call,
        f"a Grand that a team must call cannot be refused; {_LEAVE_ONE}",
    ),
    _Senseless(
        "hopeless_call",
        "refuse_call",
        lambda it: it.refuse_call and it.hopeless_call is HopelessCall.REJECTED,
        "with refuse_call small calls end with the first lead, before anybody is out; "
        "leave hopeless_call out",
    ),
    _Senseless(
        "trichu_grand",
        "grand_allowed",
        lambda it: it.trichu_grand is TrichuGrand.NOBODY and not it.grand_allowed,
        f"both say that nobody calls Grand; {_LEAVE_ONE}",
    ),
    _Senseless(
        "trichu_grand",
        "great_grand",
        lambda it: it.trichu_grand is TrichuGrand.NOBODY and it.great_grand,
        f"where nobody calls Grand nobody calls Great Grand either; {_LEAVE_ONE}",
    ),
    *_without_effect(
        "no Grand is decided on, so no order shows",
        ("grand_allowed", lambda it: not it.grand_allowed),
        ("trichu_grand", lambda it: it.trichu_grand is TrichuGrand.NOBODY),
        other="grand_order",
    ),
    *_without_effect(
        "it forgives a failed Grand, and nobody calls one",
        ("grand_allowed", lambda it: not it.grand_allowed),
        ("trichu_grand", lambda it: it.trichu_grand is TrichuGrand.NOBODY),
        other="both_call_scoring",
    ),
    *_without_effect(
        "it is about partners who both called, and only one may",
        ("both_partners_may_call", lambda it: not it.both_partners_may_call),
        other="both_call_scoring",
    ),
    *_without_effect(
        "a match of a fixed number of rounds has no target to be tied at",
        ("rounds", lambda it: it.rounds is not None),
        other="tie_at_target",
    ),
    *map(_of_the_second_pack, ("gs_dog", "gs_second_phoenix", "gs_two_phoenix_in_combo")),
)
