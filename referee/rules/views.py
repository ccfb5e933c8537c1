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
    order: tuple[Seat, ...]  # the seats in turn order of this round
    teams: tuple[int, ...]  # by seat; () without teams
    ranks: tuple[Seat, ...]  # of the round before, first to last (I2); () = none
    soloist: Seat | None  # of Trichu (G1)
    tisch: Seat | None  # the hand that the soloist plays besides its own
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
    judged: Seat | None  # whose call may be refused now (`refuse_call`)
    refused: Seat | None  # whose call was refused, which ended the round
    open_hands: tuple[tuple[Seat, int], ...]  # (seat, mask) that lie open: the Tisch's (G5)
    scores: tuple[int, ...]  # match score by column; includes the round once it is over
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
    answer: bool | None  # in a refusal whether it refuses; the others' are not shown (J)
    bids: tuple[tuple[Seat, int], ...]  # its own, and once all have bid its partners' (`chaos`)
    # (seat, mask) of other seats' hands that it sees: what lies open, and for the soloist and the
    # Tisch each other's, from the exchange on (G3)
    open_hands: tuple[tuple[Seat, int], ...]


def public_view(round_: Round) -> PublicView:
    """Return what everybody may know of a round."""
    hands, won = round_.dealt_hands, round_.won
    over = round_.phase is Phase.ROUND_OVER
    return PublicView(
        phase=round_.phase,
        dealer=round_.dealer,
        turn=round_.turn,
        order=round_.seating.order,
        teams=round_.seating.teams,
        ranks=round_.ranks,
        soloist=round_.seating.soloist,
        tisch=round_.seating.tisch,
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
        judged=round_.judged,
        refused=round_.refused,
        open_hands=_open_hands(round_),
        scores=round_.scores,
        round_score=round_.round_score if over else None,
    )


def seat_view(round_: Round, seat: Seat) -> SeatView:
    """Return what one seat may know of a round."""
    return SeatView(
        seat=seat,
        public=public_view(round_),
        hand=round_.dealt_hands[seat],
        given=round_.exchange_choices[seat],
        received=round_.received[seat],
        grand_decided=round_.grand_decided[seat],
        great_grand_decided=round_.great_grand_decided[seat],
        answer=round_.answers[seat] if round_.judged is not None else None,
        bids=_bids_seen(round_, seat),
        open_hands=_hands_seen(round_, seat),
    )


def _open_hands(round_: Round) -> tuple[tuple[Seat, int], ...]:
    """After the exchange the Tisch lies open (G5)."""
    tisch = round_.seating.tisch
    if tisch is None or round_.stage in _BEFORE_PLAY:
        return ()
    return ((tisch, round_.hands[tisch]),)


def _hands_seen(round_: Round, seat: Seat) -> tuple[tuple[Seat, int], ...]:
    """Once all cards are dealt soloist and Tisch see each other's hand (G3)."""
    soloist, tisch = round_.seating.soloist, round_.seating.tisch
    if soloist is None or tisch is None or seat not in (soloist, tisch):
        return _open_hands(round_)
    if round_.stage in (Phase.GREAT_GRAND, Phase.GRAND):
        return ()
    other = tisch if seat == soloist else soloist
    return ((other, round_.hands[other]),)


def _bids_seen(round_: Round, seat: Seat) -> tuple[tuple[Seat, int], ...]:
    all_bid = round_.stage not in (Phase.GREAT_GRAND, Phase.GRAND)
    shown = (seat, *round_.seating.partners[seat]) if all_bid else (seat,)
    return tuple([(s, bid) for s in shown if (bid := round_.bids[s]) is not None])


_BEFORE_PLAY = (Phase.GREAT_GRAND, Phase.GRAND, Phase.EXCHANGE)
