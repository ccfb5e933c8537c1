"""Why a play is refused, for people: the code, the clause, the cards it is about, and a cure."""

import msgspec

from referee.rules.cards import (
    DOG,
    DRAGON,
    DUPLICATE,
    MAHJONG,
    ONE_PACK,
    PHOENIX,
    PHOENIXES,
    RANK_MASKS,
    SECOND_PHOENIX,
    Seat,
)
from referee.rules.combinations import readings
from referee.rules.phases import Phase
from referee.rules.refusals import CLAUSE, Refusal, explain
from referee.rules.round import Round


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What the rules say to a play or a pass. The code is None when it is legal."""

    code: Refusal | None
    clause: str  # "" when it is legal
    cards: int  # the cards that the refusal is about
    cure: str


_LEGAL = Verdict(code=None, clause="", cards=0, cure="")


def judge_pass(round_: Round, seat: Seat) -> Verdict:
    """Return the verdict on a pass."""
    refusal = round_.check_pass(seat)
    if refusal is None:
        return _LEGAL
    cards = _wished(round_, seat) if refusal is Refusal.MUST_FULFIL_WISH else 0
    return Verdict(code=refusal, clause=CLAUSE[refusal], cards=cards, cure=explain(refusal))


def judge_play(
    round_: Round, seat: Seat, cards: int, *, phoenix_rank: int | None, wish: int | None
) -> Verdict:
    """Return the verdict on a play."""
    refusal = round_.check_play(seat, cards, phoenix_rank=phoenix_rank, wish=wish)
    if not isinstance(refusal, Refusal):
        return _LEGAL
    return Verdict(
        code=refusal,
        clause=_clause(round_, cards, refusal),
        cards=_concerned(round_, seat, cards, refusal),
        cure=explain(refusal),
    )


def _clause(round_: Round, cards: int, refusal: Refusal) -> str:
    """Return the clause at work, closer than the one a code stands for in general."""
    if refusal is Refusal.WRONG_PHASE:
        return _PHASE_CLAUSE[round_.phase]
    if refusal is Refusal.NOT_A_COMBINATION:
        return _no_combination_clause(cards)
    two = round_.options.gs_two_phoenix_in_combo
    if refusal is Refusal.PHOENIX_RANK and len(readings(cards, two_phoenixes=two)) < 2:
        return "B5" if cards in (PHOENIX, SECOND_PHOENIX) else "B6"
    if refusal is Refusal.NOT_YOUR_TURN and round_.phase is Phase.CLOSING:
        return "D3"
    if refusal is Refusal.NO_BOMB_HERE and round_.table is not None:
        return "D3"
    if refusal is Refusal.TOO_LOW and cards in (PHOENIX, SECOND_PHOENIX):
        return "B5"
    if refusal is Refusal.MUST_FULFIL_WISH and round_.table is None:
        return "E7" if readings(cards, two_phoenixes=two)[0].is_bomb else "E4"
    return CLAUSE[refusal]


_PHASE_CLAUSE = {
    Phase.GREAT_GRAND: "A6",
    Phase.GRAND: "A3",
    Phase.REFUSAL: "J",
    Phase.EXCHANGE: "A7",
    Phase.PLAY: "C1",
    Phase.CLOSING: "D3",
    Phase.DRAGON: "C5",
    Phase.DOG: "H5",
    Phase.ROUND_OVER: "F1",
}


def _no_combination_clause(cards: int) -> str:
    if cards > ONE_PACK:
        return "I5"  # what two packs allow
    if cards & (DOG | DRAGON):
        return "B4"
    if cards & MAHJONG:
        return "B3"
    return "B6" if cards & PHOENIX else "B1"


def _concerned(round_: Round, seat: Seat, cards: int, refusal: Refusal) -> int:
    match refusal:
        case Refusal.CARDS_NOT_HELD:
            return cards & ~round_.hands[seat] & ~DUPLICATE or cards & ~DUPLICATE
        case Refusal.MUST_FULFIL_WISH:
            return _wished(round_, seat)
        case Refusal.PHOENIX_RANK:
            return cards & PHOENIXES
        case Refusal.DOG_ONLY_LEADS:
            return DOG
        case Refusal.WRONG_COMBINATION | Refusal.TOO_LOW:
            return 0 if round_.table is None else round_.table.cards
        case _:
            return cards & ~DUPLICATE


def _wished(round_: Round, seat: Seat) -> int:
    return round_.hands[seat] & RANK_MASKS[round_.wish]
