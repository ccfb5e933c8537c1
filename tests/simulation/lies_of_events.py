"""Lies about what happened: each a good transcript with one thing told otherwise."""

from dataclasses import replace

from referee._gen.tichu.referee.v1 import card_pb2, match_pb2
from tests.simulation.audit.transcript import Out, Transcript
from tests.simulation.transcripts import Response, event_lie, first, good, without


def a_seat_misses_an_event() -> Transcript:
    def drop(entry: Out, update: match_pb2.Update) -> bool:
        if entry.seat != 2 or not any(e.number == 20 for e in update.events):
            return False
        kept = [event for event in update.events if event.number != 20]
        del update.events[:]
        update.events.extend(kept)
        return True

    return first(good(), drop)


def a_seat_hears_of_another_pass() -> Transcript:
    def other(event: match_pb2.Event) -> None:
        event.passed.seat = (event.passed.seat + 1) % 4

    return event_lie(good(), "passed", other, seats=(1,))


def a_seat_is_dealt_the_hand_of_another() -> Transcript:
    def other(event: match_pb2.Event) -> None:
        event.cards_dealt.hands[0].seat = 2

    return event_lie(good(), "cards_dealt", other, seats=(1,))


def a_seat_is_told_another_window() -> Transcript:
    def longer(entry: Out, update: match_pb2.Update) -> bool:
        if entry.seat != 3 or not update.HasField("seating"):
            return False
        update.seating.window_ms += 1
        return True

    return first(good(), longer)


def nobody_hears_of_the_end() -> Transcript:
    def cut(update: match_pb2.Update) -> None:
        if update.events and update.events[-1].HasField("match_ended"):
            del update.events[-1]

    return replace(without(good(), cut), record=None)


def the_match_ends_twice() -> Transcript:
    def again(update: match_pb2.Update) -> None:
        if update.events and update.events[-1].HasField("match_ended"):
            twin = update.events.add()
            twin.CopyFrom(update.events[-2])
            twin.number += 1

    return without(good(), again)


def a_seat_is_asked_after_the_end() -> Transcript:
    transcript = good()
    frame = Response()
    update = frame.updates.add(match=transcript.numbers[0])
    update.asks.add(ask_id=999).bomb.SetInParent()
    late = Out(transcript.entries[-1].at, 0, frame.SerializeToString())
    return replace(transcript, entries=(*transcript.entries, late))


def a_snapshot_miscounts() -> Transcript:
    def miscount(entry: Out, update: match_pb2.Update) -> bool:
        if not update.HasField("snapshot"):
            return False
        update.snapshot.hand_counts[1] += 1
        return True

    return first(good(), miscount, skip=9)


def a_snapshot_shows_a_foreign_hand() -> Transcript:
    def show(entry: Out, update: match_pb2.Update) -> bool:
        if not update.HasField("snapshot") or not update.snapshot.HasField("table"):
            return False
        hand = update.snapshot.hands.add(seat=(entry.seat + 1) % 4)
        hand.cards.extend(card_pb2.Card.ValueType(card) for card in range(8, 60))
        return True

    return first(good(), show)


def a_refusal_names_a_hidden_card() -> Transcript:
    hidden = " ".join(f"{rank}{suit}" for rank in "23456789TJQKA" for suit in "jspr")

    def name(entry: Out, update: match_pb2.Update) -> bool:
        if not any(ask.HasField("act") for ask in update.asks):
            return False
        update.acks.add(ask_id=1, status=match_pb2.ACK_STATUS_REFUSED)
        update.refused.add(ask_id=1, text=f"another seat holds {hidden}")
        return True

    return first(good(), name)


def a_card_is_dealt_twice() -> Transcript:
    def twice(event: match_pb2.Event) -> None:
        cards = event.cards_dealt.hands[0].cards
        cards[0] = cards[1]

    return event_lie(good(), "cards_dealt", twice, seats=(3,))


def the_commitment_is_another() -> Transcript:
    def other(event: match_pb2.Event) -> None:
        event.round_started.commitment = bytes(32)

    return event_lie(good(), "round_started", other)


def a_decision_is_made_that_nobody_owes() -> Transcript:
    def other(event: match_pb2.Event) -> None:
        event.call_made.call = match_pb2.CALL_KIND_GREAT_GRAND

    return event_lie(good(), "call_made", other)


def a_seat_receives_what_nobody_gave() -> Transcript:
    def other(event: match_pb2.Event) -> None:
        gift = event.cards_exchanged.hands[0].received[0]
        gift.cards[0] = card_pb2.Card.ValueType(60 - gift.cards[0] % 52)

    return event_lie(good(), "cards_exchanged", other, seats=(0,))


def a_play_is_told_too_high() -> Transcript:
    def higher(event: match_pb2.Event) -> None:
        event.played.play.rank_halves += 2

    return event_lie(good(), "played", higher)


def a_hand_is_told_too_large() -> Transcript:
    def larger(event: match_pb2.Event) -> None:
        event.played.cards_left += 1

    return event_lie(good(), "played", larger)


def the_wrong_seat_plays() -> Transcript:
    def other(event: match_pb2.Event) -> None:
        event.passed.seat = (event.passed.seat + 2) % 4

    return event_lie(good(), "passed", other)


def a_trick_has_other_points() -> Transcript:
    def more(event: match_pb2.Event) -> None:
        event.trick_taken.points += 5

    return event_lie(good(), "trick_taken", more)


def a_seat_goes_out_on_another_place() -> Transcript:
    def other(event: match_pb2.Event) -> None:
        event.went_out.place += 1

    return event_lie(good(), "went_out", other)


def the_round_has_other_points() -> Transcript:
    def more(event: match_pb2.Event) -> None:
        event.round_ended.points[0] += 5

    return event_lie(good(), "round_ended", more)


def the_match_has_other_totals() -> Transcript:
    def more(event: match_pb2.Event) -> None:
        event.match_ended.totals[1] += 5

    return event_lie(good(), "match_ended", more)


def the_other_team_wins() -> Transcript:
    def other(event: match_pb2.Event) -> None:
        event.match_ended.winner = 1 - event.match_ended.winner

    return event_lie(good(), "match_ended", other)
