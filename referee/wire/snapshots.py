"""The snapshot of a seat as bytes, field by field from its view."""

from collections.abc import Sequence

from referee._gen.tichu.referee.v1 import match_pb2
from referee.match.snapshot import SeatSnapshot
from referee.rules.phases import BIDS
from referee.rules.views import PublicView, SeatView
from referee.wire.events import bid_of
from referee.wire.fragments import cards_of, play_message, sized, tag
from referee.wire.numbers import CALLS, PHASES

_EVENTS = tag(match_pb2.Snapshot.EVENTS_FIELD_NUMBER)


def encode_snapshot(snapshot: SeatSnapshot, events: Sequence[bytes]) -> bytes:
    """Return a snapshot with its length; `events` are the round's, each with its length."""
    message = match_pb2.Snapshot(
        round=snapshot.round_number,
        totals=snapshot.totals,
        stood_down=snapshot.stood_down,
        last_event=snapshot.last_event,
    )
    if snapshot.view is not None:
        _fill_public(message, snapshot.view.public)
        _fill_own(message, snapshot.view)
    told = _EVENTS + _EVENTS.join(events) if events else b""
    return sized(message.SerializeToString() + told)


def _fill_public(message: match_pb2.Snapshot, view: PublicView) -> None:
    message.phase = PHASES[view.phase]
    message.dealer = view.dealer
    message.turn_order.extend(view.order)
    message.teams.extend(view.teams)
    message.ranks.extend(view.ranks)
    message.hand_counts.extend(view.hand_counts)
    message.trick.extend(cards_of(view.trick))
    message.out.extend(view.out)
    message.won_points.extend(view.won_points)
    if view.table is not None:
        message.table.CopyFrom(play_message(view.table))
    if view.owner is not None:
        message.owner = view.owner
    if view.turn is not None:
        message.turn = view.turn
    if view.wish:
        message.wish = view.wish
    if view.judged is not None:
        message.judged = view.judged
    for seat, call in enumerate(view.calls):
        if call is not None:
            message.calls.add(seat=seat, call=CALLS[call])


def _fill_own(message: match_pb2.Snapshot, view: SeatView) -> None:
    message.hands.add(seat=view.seat, cards=cards_of(view.hand))
    for seat, cards in view.open_hands:
        message.hands.add(seat=seat, cards=cards_of(cards))
    message.bids.extend(bid_of(seat, BIDS[bid]) for seat, bid in view.bids)
