"""Keeps a view true: seatings, events and snapshots of the wire go in."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from google.protobuf.descriptor import EnumValueDescriptor

from tichu_bot import cards
from tichu_bot._gen.tichu.referee.v1 import match_pb2 as pb
from tichu_bot.acts import CallKind
from tichu_bot.events import (
    BidsShown,
    CallMade,
    CallResult,
    CardsDealt,
    CardsExchanged,
    DragonGiven,
    Event,
    HandExchanged,
    HandShown,
    LeadHanded,
    MatchEnded,
    Passed,
    Played,
    RoundEnded,
    RoundStarted,
    TrickTaken,
    Unknown,
    WentOut,
)
from tichu_bot.view import Objective, Pace, View, read_play

_CALLS = tuple(CallKind)
_PACES = {int(pace): pace for pace in Pace}
_OBJECTIVES = {int(objective): objective for objective in Objective}


def call_kind(number: int) -> CallKind:
    """Return the call; a number of the future is UNKNOWN."""
    return _CALLS[number] if number < len(_CALLS) else CallKind.UNKNOWN


def gifts(given: Iterable[pb.Gift]) -> dict[int, tuple[int, ...]]:
    """Return cards by seat."""
    return {gift.seat: tuple(gift.cards) for gift in given}


def take_seating(view: View, seating: pb.Seating) -> None:
    """Take in what holds for the whole match; it comes again after a lost link."""
    fresh = not view.match_id
    view.match_id = seating.match_id
    view.seat = view.own_seat = seating.seat
    view.names = tuple(seating.names)
    view.player_seats = tuple(seating.player_seats) or tuple(range(len(view.names)))
    view.options = {option.name: option.value for option in seating.options}
    view.pace = _PACES.get(seating.pace, Pace.UNKNOWN)
    view.window_ms = seating.window_ms
    view.base_ms = seating.base_ms if seating.HasField("base_ms") else None
    view.bank_ms = seating.bank_ms if seating.HasField("bank_ms") else None
    view.objective = _OBJECTIVES.get(seating.objective, Objective.UNKNOWN)
    view.bot_seed = seating.bot_seed
    if fresh:
        view.teams = tuple(seating.teams)
        view.start_round(0, 0, ())


def take_event(view: View, wire: pb.Event) -> Event:
    """Take in one event and return it as a value; an unknown one changes nothing."""
    read = _READERS.get(wire.WhichOneof("event") or "")
    event: Event = read(view, wire) if read is not None else Unknown(wire.number)
    view.events.append(event)
    return event


def take_snapshot(view: View, snapshot: pb.Snapshot) -> list[Event]:
    """Rebuild the round from a snapshot and return its events.

    The events give the history (exchange, tricks, bets), the fields the present; where the two
    could differ the fields hold.
    """
    _start_round(view, snapshot, tuple(snapshot.totals))
    for wire in snapshot.events:
        take_event(view, wire)
    view.hands = {hand.seat: cards.known(hand.cards) for hand in snapshot.hands}
    view.counts = list(snapshot.hand_counts)
    on_table = snapshot.HasField("table")
    view.table = read_play(snapshot.table) if on_table else None
    view.owner = snapshot.owner if on_table else None
    view.trick = list(snapshot.trick)
    view.wish = snapshot.wish if snapshot.HasField("wish") else None
    calls = ((made.seat, call_kind(made.call)) for made in snapshot.calls)
    view.calls = {seat: call for seat, call in calls if call.is_bet}
    view.out = list(snapshot.out)
    view.won_points = list(snapshot.won_points)
    view.bids = _bids(snapshot.bids)
    view.stood_down = set(snapshot.stood_down)
    return view.events


def _start_round(view: View, it: pb.RoundStarted | pb.Snapshot, totals: tuple[int, ...]) -> None:
    order, ranks = tuple(it.turn_order), tuple(it.ranks)
    if order:  # a referee that names none knows only the teams of the seating
        view.teams = tuple(it.teams)
    view.start_round(it.round, it.dealer, totals, turn_order=order, ranks=ranks)


def _round_started(view: View, wire: pb.Event) -> Event:
    it = wire.round_started
    _start_round(view, it, tuple(it.totals))
    return RoundStarted(
        wire.number,
        it.round,
        it.dealer,
        it.commitment,
        view.totals,
        view.turn_order,
        view.teams,
        view.ranks,
    )


def _cards_dealt(view: View, wire: pb.Event) -> Event:
    it = wire.cards_dealt
    dealt = gifts(it.hands)
    for seat, fresh in dealt.items():
        view.hands[seat] = cards.known(view.hands.get(seat, ()) + fresh)
    own = len(dealt.get(view.own_seat, ()))
    counts = tuple(it.counts) or (own,) * len(view.names)
    view.counts = [before + now for before, now in zip(view.counts, counts, strict=True)]
    return CardsDealt(wire.number, dealt, it.complete, counts)


def _call_made(view: View, wire: pb.Event) -> Event:
    it = wire.call_made
    call = call_kind(it.call)
    if call.is_bet:
        view.calls[it.seat] = call
    return CallMade(wire.number, it.seat, call)


def _bids(bids: Iterable[pb.Bid]) -> dict[int, int]:
    read = ((bid.seat, call_kind(bid.bid).bid) for bid in bids)
    return {seat: bid for seat, bid in read if bid is not None}


def _bids_shown(view: View, wire: pb.Event) -> Event:
    view.bids = _bids(wire.bids_shown.bids)
    return BidsShown(wire.number, view.bids)


def _hand_shown(view: View, wire: pb.Event) -> Event:
    it = wire.hand_shown
    view.hands[it.seat] = cards.known(it.cards)
    return HandShown(wire.number, it.seat, view.hands[it.seat])


def _cards_exchanged(view: View, wire: pb.Event) -> Event:
    moved = tuple(
        HandExchanged(hand.seat, gifts(hand.gave), gifts(hand.received))
        for hand in wire.cards_exchanged.hands
    )
    for hand in moved:
        gone = _flat(hand.gave.values())
        came = _flat(hand.received.values())
        kept = [card for card in view.hands.get(hand.seat, ()) if card not in gone]
        view.hands[hand.seat] = cards.known(kept + came)
        view.counts[hand.seat] += len(came) - len(gone)
        if hand.seat == view.own_seat:
            view.gave, view.received = dict(hand.gave), dict(hand.received)
    return CardsExchanged(wire.number, moved)


def _flat(groups: Iterable[Sequence[int]]) -> list[int]:
    return [card for group in groups for card in group]


def _played(view: View, wire: pb.Event) -> Event:
    it = wire.played
    seat, play = it.seat, read_play(it.play)
    if (hand := view.hands.get(seat)) is not None:
        view.hands[seat] = tuple(card for card in hand if card not in play.cards)
    view.counts[seat] = it.cards_left
    view.played += play.cards
    if not cards.is_card(play, cards.DOG):  # C4: no trick, also while its lead is given away
        view.table, view.owner = play, seat
        view.trick += play.cards
    if view.wish is not None and any(cards.rank(card) == view.wish for card in play.cards):
        view.wish = None  # E2
    wish = it.wish if it.HasField("wish") else None
    if wish is not None:
        view.wish = wish  # E1: the straight's own cards do not fulfil it
    return Played(wire.number, seat, play, wish, it.cards_left)


def _passed(view: View, wire: pb.Event) -> Event:
    return Passed(wire.number, wire.passed.seat)


def _trick_taken(view: View, wire: pb.Event) -> Event:
    it = wire.trick_taken
    if not _waits_for_its_gift(view):
        view.won_points[it.seat] += it.points
        _clear_table(view)
    return TrickTaken(wire.number, it.seat, it.points)


def _waits_for_its_gift(view: View) -> bool:
    """Tell whether the trick on the table is the Dragon's, which lies until it is given (C5)."""
    return bool(view.teams) and view.table is not None and cards.is_card(view.table, cards.DRAGON)


def _dragon_given(view: View, wire: pb.Event) -> Event:
    it = wire.dragon_given
    view.won_points[it.to_seat] += it.points
    _clear_table(view)
    return DragonGiven(wire.number, it.seat, it.to_seat, it.points)


def _lead_handed(view: View, wire: pb.Event) -> Event:
    return LeadHanded(wire.number, wire.lead_handed.seat, wire.lead_handed.to_seat)


def _clear_table(view: View) -> None:
    view.table = view.owner = None
    view.trick = []


def _went_out(view: View, wire: pb.Event) -> Event:
    it = wire.went_out
    view.out.append(it.seat)
    view.counts[it.seat] = 0
    return WentOut(wire.number, it.seat, it.place)


def _round_ended(view: View, wire: pb.Event) -> Event:
    it = wire.round_ended
    view.totals = tuple(it.totals)
    if view.owner is not None:  # F1: the last trick is its owner's, and no event says so
        view.won_points[view.owner] += view.table_points
    _clear_table(view)
    results = tuple(
        CallResult(result.seat, call_kind(result.call), result.won, result.points)
        for result in it.calls
    )
    points, card_points = tuple(it.points), tuple(it.card_points)
    return RoundEnded(
        wire.number,
        it.round,
        points,
        card_points,
        results,
        it.double_victory,
        view.totals,
        tuple(it.ranks),
        it.refused_seat if it.HasField("refused_seat") else None,
    )


def _match_ended(view: View, wire: pb.Event) -> Event:
    it = wire.match_ended
    view.totals = tuple(it.totals)
    return MatchEnded(
        wire.number,
        _word(pb.Ending.DESCRIPTOR.values_by_number, it.ending, "ENDING_"),
        it.seat if it.HasField("seat") else None,
        _word(pb.Blame.DESCRIPTOR.values_by_number, it.blame, "BLAME_"),
        view.totals,
        it.winner if it.HasField("winner") else None,
        it.rounds,
    )


def refusal_name(code: int) -> str:
    """Return the word of a refusal code, such as MUST_LEAD."""
    return _word(pb.RefusalCode.DESCRIPTOR.values_by_number, code, "REFUSAL_CODE_")


def _word(values: Mapping[int, EnumValueDescriptor], number: int, prefix: str) -> str:
    value = values.get(number)
    return f"UNKNOWN_{number}" if value is None else value.name.removeprefix(prefix)


_READERS: Mapping[str, Callable[[View, pb.Event], Event]] = {
    "round_started": _round_started,
    "cards_dealt": _cards_dealt,
    "call_made": _call_made,
    "bids_shown": _bids_shown,
    "hand_shown": _hand_shown,
    "cards_exchanged": _cards_exchanged,
    "played": _played,
    "passed": _passed,
    "trick_taken": _trick_taken,
    "dragon_given": _dragon_given,
    "lead_handed": _lead_handed,
    "went_out": _went_out,
    "round_ended": _round_ended,
    "match_ended": _match_ended,
}
