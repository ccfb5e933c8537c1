"""Lies about asks, answers and acknowledgements."""

from dataclasses import replace

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from tests.simulation.audit.transcript import In, Out, Transcript
from tests.simulation.transcripts import ack_lie, answer_lie, ask_lie, first, good


def a_follower_may_not_pass() -> Transcript:
    def forbid(ask: match_pb2.Ask) -> None:
        ask.act.may_pass = False

    return ask_lie(good(), "act", forbid, lambda ask: ask.act.may_pass)


def a_legal_play_is_not_listed() -> Transcript:
    def drop(ask: match_pb2.Ask) -> None:
        del ask.act.plays[-1]

    return ask_lie(good(), "act", drop, lambda ask: len(ask.act.plays) > 1)


def an_ask_is_not_provisional() -> Transcript:
    def settle(ask: match_pb2.Ask) -> None:
        ask.provisional = False

    return ask_lie(good(), "act", settle, lambda ask: ask.provisional)


def a_seat_is_not_asked_for_bombs() -> Transcript:
    def drop(entry: Out, update: match_pb2.Update) -> bool:
        for i, ask in enumerate(update.asks):
            if ask.HasField("bomb"):
                del update.asks[i]
                return True
        return False

    return first(good(), drop)


def an_answer_is_not_acknowledged() -> Transcript:
    def drop(update: match_pb2.Update, ack: match_pb2.Acknowledgement) -> None:
        update.acks.remove(ack)

    return ack_lie(good(), match_pb2.ACK_STATUS_RECEIVED, drop, kind="bomb")


def an_answer_is_applied_twice() -> Transcript:
    def again(update: match_pb2.Update, ack: match_pb2.Acknowledgement) -> None:
        update.acks.add().CopyFrom(ack)

    return ack_lie(good(), match_pb2.ACK_STATUS_APPLIED, again)


def a_first_answer_is_a_duplicate() -> Transcript:
    def other(update: match_pb2.Update, ack: match_pb2.Acknowledgement) -> None:
        ack.status = match_pb2.ACK_STATUS_DUPLICATE

    return ack_lie(good(), match_pb2.ACK_STATUS_RECEIVED, other)


def an_answer_in_time_is_too_late() -> Transcript:
    def other(update: match_pb2.Update, ack: match_pb2.Acknowledgement) -> None:
        ack.status = match_pb2.ACK_STATUS_TOO_LATE

    return ack_lie(good(), match_pb2.ACK_STATUS_RECEIVED, other)


def a_legal_answer_is_refused() -> Transcript:
    def other(update: match_pb2.Update, ack: match_pb2.Acknowledgement) -> None:
        ack.status = match_pb2.ACK_STATUS_REFUSED
        update.refused.add(ask_id=ack.ask_id)

    return ack_lie(good(), match_pb2.ACK_STATUS_RECEIVED, other)


def a_guess_is_accepted() -> Transcript:
    """The first answer comes in before the frame with its ask is written."""
    transcript = good()
    entries = list(transcript.entries)
    answer = next(
        place
        for place, entry in enumerate(entries)
        if isinstance(entry, In) and referee_pb2.PlayRequest.FromString(entry.frame).answers
    )
    guess = entries.pop(answer)
    ask = next(
        place
        for place, entry in enumerate(entries)
        if isinstance(entry, Out)
        and entry.seat == guess.seat
        and any(u.asks for u in referee_pb2.PlayResponse.FromString(entry.frame).updates)
    )
    entries.insert(ask, replace(guess, at=entries[ask].at))
    return replace(transcript, entries=tuple(entries))


def a_call_is_offered_that_the_seat_has_not() -> Transcript:
    def offer(ask: match_pb2.Ask) -> None:
        ask.act.may_call_tichu = True

    return ask_lie(good(), "act", offer, lambda ask: not ask.act.may_call_tichu)


def an_illegal_answer_is_accepted() -> Transcript:
    def beyond(answer: referee_pb2.Answer) -> bool:
        if answer.act.WhichOneof("choice") != "index":
            return False
        answer.act.index = 4000
        return True

    return answer_lie(good(), beyond)


def a_refusal_stands_alone() -> Transcript:
    def refuse(entry: Out, update: match_pb2.Update) -> bool:
        if not update.asks:
            return False
        update.refused.add(ask_id=1)
        return True

    return first(good(), refuse)


def another_play_than_the_one_decided() -> Transcript:
    def other(answer: referee_pb2.Answer) -> bool:
        if answer.act.WhichOneof("choice") != "index" or answer.act.index == 0:
            return False
        answer.act.index -= 1
        return True

    return answer_lie(good(), other)
