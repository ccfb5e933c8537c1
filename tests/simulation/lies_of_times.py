"""Lies about times, windows and endings."""

from dataclasses import replace

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.match.values import MS, Pace
from tests.simulation.audit.transcript import SECOND, Out, Transcript, World, WorldEvent
from tests.simulation.transcripts import (
    Response,
    ack_lie,
    ask_lie,
    edited,
    event_lie,
    events,
    good,
    landed,
    number_of,
    record_lie,
    with_a_cut_link,
    with_bombs,
    with_silence,
    without,
)


def more_time_was_used() -> Transcript:
    def more(update: match_pb2.Update, ack: match_pb2.Acknowledgement) -> None:
        ack.used_ms += 5

    return ack_lie(good(), match_pb2.ACK_STATUS_APPLIED, more)


def a_bank_is_told_too_small() -> Transcript:
    def less(ask: match_pb2.Ask) -> None:
        ask.bank_left_ms -= 2

    return ask_lie(with_silence(), "exchange", less, lambda ask: ask.bank_left_ms > 2)


def the_base_time_was_longer() -> Transcript:
    def longer(update: match_pb2.Update) -> None:
        if update.HasField("seating"):
            update.seating.base_ms += 500

    return without(with_silence(), longer)


def more_lag_was_taken_off() -> Transcript:
    def more(update: match_pb2.Update, ack: match_pb2.Acknowledgement) -> None:
        ack.network_ms += 30

    return ack_lie(good(), match_pb2.ACK_STATUS_APPLIED, more)


def a_charge_is_recorded_too_small() -> Transcript:
    def less(fact: dict[str, object]) -> None:
        fact["charged"] = 1

    return record_lie(with_silence(), "timed_out", less)


def the_record_has_another_play() -> Transcript:
    def other(fact: dict[str, object]) -> None:
        fact["cards"] = [1]

    return record_lie(good(), "played", other)


def the_record_has_no_strike() -> Transcript:
    def other(fact: dict[str, object]) -> None:
        fact["t"] = "something"

    return record_lie(with_silence(), "strike", other)


def another_bomb_landed() -> Transcript:
    transcript = with_bombs()
    number = landed(transcript)[0]

    def other(entry: Out, frame: referee_pb2.PlayResponse) -> None:
        for event in events(frame, "played"):
            if event.number == number:
                event.played.seat = (event.played.seat + 1) % 4

    return edited(transcript, other)


def the_window_was_longer() -> Transcript:
    def longer(update: match_pb2.Update) -> None:
        if update.HasField("seating"):
            update.seating.window_ms += 7

    return without(good(), longer)


def a_seat_hears_later() -> Transcript:
    transcript, number = good(), number_of(good(), "passed", 2)
    entries = []
    for entry in transcript.entries:
        if isinstance(entry, Out) and entry.seat == 2:
            told = events(Response.FromString(entry.frame), "passed")
            late = any(event.number == number for event in told)
            entry = replace(entry, at=entry.at + 40 * MS * late)
        entries.append(entry)
    return replace(transcript, entries=tuple(entries))


def the_time_stands_still() -> Transcript:
    """An hour goes by in the middle, for everybody and for the record."""
    transcript = good(Pace.FAST)
    middle = transcript.entries[len(transcript.entries) // 2].at
    entries = tuple(
        replace(entry, at=entry.at + 3600 * SECOND) if entry.at > middle else entry
        for entry in transcript.entries
    )
    return replace(transcript, entries=entries, record=None)


def ending_lie(transcript: Transcript, **fields: object) -> Transcript:
    def other(event: match_pb2.Event) -> None:
        for name, value in fields.items():
            if isinstance(value, tuple):
                del getattr(event.match_ended, name)[:]
                getattr(event.match_ended, name).extend(value)
            else:
                setattr(event.match_ended, name, value)

    return event_lie(transcript, "match_ended", other)


def a_bot_crashed_that_lives() -> Transcript:
    return ending_lie(
        good(), ending=match_pb2.ENDING_CRASHED, seat=1, blame=match_pb2.BLAME_BOT, winner=0
    )


def the_referee_fails_by_itself() -> Transcript:
    return ending_lie(good(), ending=match_pb2.ENDING_REFEREE_FAILED, blame=match_pb2.BLAME_REFEREE)


def the_network_is_blamed() -> Transcript:
    return ending_lie(with_a_cut_link(), blame=match_pb2.BLAME_NETWORK)


def the_team_that_failed_wins() -> Transcript:
    return ending_lie(with_a_cut_link(), winner=0)


def failing_pays() -> Transcript:
    return ending_lie(with_a_cut_link(), awarded=(2000, 0))


def a_link_is_gone_and_the_match_goes_on() -> Transcript:
    transcript = good()
    lost = World(transcript.began + 10 * MS, WorldEvent.LOST, 1)
    before = tuple(entry for entry in transcript.entries if entry.at <= lost.at)
    entries = (*before, lost, *transcript.entries[len(before) :])
    limits = replace(transcript.limits, grace=20 * MS)
    return replace(transcript, entries=entries, limits=limits)
