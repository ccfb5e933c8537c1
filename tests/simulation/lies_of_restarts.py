"""Lies about new streams, pauses of the store and restarts of the referee."""

import json
from collections.abc import Callable
from dataclasses import replace

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.match.values import MS
from tests.simulation.audit.transcript import Entry, Out, Transcript, World, WorldEvent
from tests.simulation.transcripts import (
    Response,
    edited,
    record_lie,
    with_a_new_stream,
    with_a_pause,
    with_a_restart,
)


def world_lie(
    transcript: Transcript, what: WorldEvent, change: Callable[[World], World]
) -> Transcript:
    """The transcript with every event of a kind changed."""
    entries = [
        change(entry) if isinstance(entry, World) and entry.what is what else entry
        for entry in transcript.entries
    ]
    return replace(transcript, entries=tuple(entries))


def place_of(transcript: Transcript, what: WorldEvent) -> int:
    """Where the first event of a kind stands."""
    return next(
        place
        for place, entry in enumerate(transcript.entries)
        if isinstance(entry, World) and entry.what is what
    )


def slipped_in(transcript: Transcript, place: int, entry: Entry) -> Transcript:
    """The transcript with one more entry."""
    entries = (*transcript.entries[:place], entry, *transcript.entries[place:])
    return replace(transcript, entries=entries)


def _again(transcript: Transcript, place: int) -> Out:
    """The last update before an entry, told once more just there."""
    at = transcript.entries[place].at
    for entry in reversed(transcript.entries[:place]):
        if isinstance(entry, Out) and Response.FromString(entry.frame).updates:
            return replace(entry, at=at)
    raise AssertionError("nothing was told before")


# --- streams


def an_older_stream_is_fed() -> Transcript:
    transcript = with_a_new_stream()
    entries = [
        replace(entry, stream=1)
        if isinstance(entry, Out) and entry.stream == 2 and i % 3 == 0 and not _greets(entry)
        else entry
        for i, entry in enumerate(transcript.entries)
    ]
    return replace(transcript, entries=tuple(entries))


def _greets(entry: Out) -> bool:
    return Response.FromString(entry.frame).HasField("welcome")


def a_session_is_not_resumed() -> Transcript:
    def forget(entry: Out, frame: referee_pb2.PlayResponse) -> None:
        if frame.HasField("welcome"):
            frame.welcome.resumed = False

    return edited(with_a_new_stream(), forget)


def an_open_ask_is_not_told_again() -> Transcript:
    return _first_of_streams(with_a_restart(), lambda update: update.ClearField("asks"))


def an_ask_is_told_again_as_another() -> Transcript:
    def other(update: match_pb2.Update) -> None:
        for ask in update.asks:
            ask.act.wish = 7

    return _first_of_streams(with_a_restart(), other)


def a_new_stream_begins_without_a_snapshot() -> Transcript:
    return _first_of_streams(with_a_new_stream(), lambda update: update.ClearField("snapshot"))


def _first_of_streams(
    transcript: Transcript, change: Callable[[match_pb2.Update], None]
) -> Transcript:
    """The transcript with the first update changed of every stream but the first."""

    def edit(entry: Out, frame: referee_pb2.PlayResponse) -> None:
        for update in frame.updates:
            if entry.stream > 1 and update.HasField("seating"):
                change(update)

    return edited(transcript, edit)


# --- pauses and restarts


def something_is_told_in_a_pause() -> Transcript:
    transcript = with_a_pause()
    place = place_of(transcript, WorldEvent.STORE_BACK)
    return slipped_in(transcript, place, _again(transcript, place))


def match_time_runs_on_in_a_pause() -> Transcript:
    transcript = with_a_pause()
    return world_lie(
        transcript, WorldEvent.STORE_BACK, lambda w: replace(w, began=transcript.began)
    )


def something_is_told_by_a_dead_referee() -> Transcript:
    transcript = with_a_restart()
    place = place_of(transcript, WorldEvent.RESTARTED)
    return slipped_in(transcript, place, _again(transcript, place))


def a_seat_is_told_before_all_are_back() -> Transcript:
    transcript = with_a_restart()
    place = place_of(transcript, WorldEvent.RESUMED)
    return slipped_in(transcript, place, _again(transcript, place))


def an_event_is_told_before_it_is_kept() -> Transcript:
    return world_lie(with_a_pause(), WorldEvent.STORED, lambda w: replace(w, lines=w.lines - 3))


def the_store_has_lost_facts() -> Transcript:
    return world_lie(
        with_a_restart(), WorldEvent.RESTARTED, lambda w: replace(w, lines=w.lines - 1)
    )


def the_epoch_is_that_of_the_first_process() -> Transcript:
    def first(fact: dict[str, object]) -> None:
        fact["epoch"] = 1

    return record_lie(with_a_restart(), "resumed", first)


def a_clock_began_before_the_restart() -> Transcript:
    transcript = with_a_restart()
    lines = list(transcript.record or ())
    resumed = next(i for i, line in enumerate(lines) if json.loads(line)["t"] == "resumed")
    for i, line in enumerate(lines[resumed:], resumed):
        fact = json.loads(line)
        if fact.get("sent", -1) >= 0 and fact["t"] == "answered":
            fact["sent"] = json.loads(lines[resumed])["at"] - MS
            lines[i] = json.dumps(fact).encode()
            break
    return replace(transcript, record=tuple(lines))


def an_answer_is_kept_twice() -> Transcript:
    transcript = with_a_restart()
    lines = list(transcript.record or ())
    last = max(i for i, line in enumerate(lines) if json.loads(line).get("status") == "received")
    return replace(transcript, record=(*lines[: last + 1], lines[last], *lines[last + 1 :]))
