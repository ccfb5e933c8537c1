"""What a seat, and what everybody, may know: built field by field from an allowlist.

A new piece of state is private until somebody writes a line here for it.
"""

import msgspec

from referee.rules.cards import Seat, card_points, count
from referee.rules.combinations import Combination
from referee.rules.phases import CallKind, Phase
from referee.rules.round import Round


class PublicView(msgspec.Struct, frozen=True, kw_only=True):
    """What everybody at the table sees."""

    phase: Phase
    dealer: Seat
    turn: Seat | None
    hand_counts: tuple[int, ...]  # cards dealt so far and still held, by seat
    table: Combination | None  # the play on top
    owner: Seat | None  # whose it is
    trick: int  # mask of all cards lying in the trick
    passes: int  # in a row since the last play
    won: tuple[int, ...]  # masks captured, by seat: every trick was open (C2)
    won_points: tuple[int, ...]
    out: tuple[Seat, ...]  # in the order of going out
    calls: tuple[CallKind | None, ...]
    has_played: tuple[bool, ...]  # by seat; Tichu is over for those who have (A4)
    wish: int  # open wish 2..14, 0 = none
    scores: tuple[int, ...]  # match score by team; includes the round once it is over
    round_score: tuple[int, ...] | None  # once it is over


class SeatView(msgspec.Struct, frozen=True, kw_only=True):
    """What one seat sees: the public view, its own cards, and what it gave and got."""

    seat: Seat
    public: PublicView
    hand: int  # mask; the first cards only while Grand is decided, none before (A3, A6)
    given: tuple[int, ...] | None  # its own exchange choice, masks by slot; None = not given yet
    received: tuple[tuple[Seat, int], ...]  # (giver, mask), once all have given (A7)
    grand_decided: bool  # its own decision; the others' are not shown before all have decided
    great_grand_decided: bool


def public_view(round_: Round) -> PublicView:
    """Return what everybody may know of a round."""
    hands, won = _dealt_hands(round_), round_.won
    over = round_.phase is Phase.ROUND_OVER
    return PublicView(
        phase=round_.phase,
        dealer=round_.dealer,
        turn=round_.turn,
        hand_counts=tuple([count(hand) for hand in hands]),
        table=round_.table,
        owner=round_.owner,
        trick=round_.trick,
        passes=round_.passes,
        won=tuple(won),
        won_points=tuple([card_points(cards) for cards in won]),
        out=tuple(round_.out),
        calls=tuple(round_.calls),
        has_played=tuple(round_.has_played),
        wish=round_.wish,
        scores=round_.scores,
        round_score=round_.round_score if over else None,
    )


def seat_view(round_: Round, seat: Seat) -> SeatView:
    """Return what one seat may know of a round."""
    return SeatView(
        seat=seat,
        public=public_view(round_),
        hand=_dealt_hands(round_)[seat],
        given=round_.exchange_choices[seat],
        received=round_.received[seat],
        grand_decided=round_.grand_decided[seat],
        great_grand_decided=round_.great_grand_decided[seat],
    )


def _dealt_hands(round_: Round) -> list[int]:
    """The cards that have left the pack: none, the first ones, or all (A2)."""
    if round_.phase is Phase.GREAT_GRAND:
        return [0] * round_.n
    return round_.dealt_first if round_.phase is Phase.GRAND else round_.hands
