"""What a later referee may send: fields, events, asks and numbers that no bot of today knows."""

from collections.abc import Callable, Iterator

from google.protobuf.message import Message

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2

FUTURE = 77  # a number that no enum has
FUTURE_CARD = 250
# A varint, a fixed 64, a text and a fixed 32, in fields that no message has.
_FIELDS = (
    b"\xc0\x3e\x07" + b"\xc9\x3e" + b"\x01" * 8 + b"\xd2\x3e\x05later" + b"\xdd\x3e\x01\x02\x03\x04"
)
_KIND = b"\xda\x06\x03\x0a\x01\x07"  # field 107, a message

Edit = Callable[[referee_pb2.PlayResponse], None]


def edited(edit: Edit) -> Callable[[bytes], bytes]:
    """Return how a frame is changed on its way."""

    def change(data: bytes) -> bytes:
        frame = referee_pb2.PlayResponse.FromString(data)
        edit(frame)
        return frame.SerializeToString()

    return change


def messages(message: Message) -> Iterator[Message]:
    """Yield a message and all that it holds."""
    yield message
    for field, value in message.ListFields():
        if field.type != field.TYPE_MESSAGE:
            continue
        for one in value if field.is_repeated else [value]:
            yield from messages(one)


def add_fields(frame: referee_pb2.PlayResponse) -> None:
    """Give every message of a frame fields that nobody knows."""
    for message in list(messages(frame)):
        message.MergeFromString(_FIELDS)


def events_of(frame: referee_pb2.PlayResponse) -> Iterator[match_pb2.Event]:
    """Yield the events of a frame, those in snapshots too."""
    for update in frame.updates:
        yield from update.events
        yield from update.snapshot.events if update.HasField("snapshot") else ()


def hide_decisions(frame: referee_pb2.PlayResponse) -> None:
    """Make events of a kind that nobody knows of the decisions not to call."""
    for event in events_of(frame):
        if event.HasField("call_made") and event.call_made.call == match_pb2.CALL_KIND_NO_GRAND:
            event.ClearField("call_made")
            event.MergeFromString(_KIND)


def hide_asks(frame: referee_pb2.PlayResponse) -> set[tuple[int, int]]:
    """Make asks of a kind that nobody knows of all in a frame; return (match, ask)."""
    hidden = set()
    for update in frame.updates:
        for ask in update.asks:
            ask.ClearField("kind")
            ask.MergeFromString(_KIND)
            hidden.add((update.match, ask.ask_id))
    return hidden


def future_cards(frame: referee_pb2.PlayResponse) -> None:
    """Put a card that nobody knows into hands and tricks, but for hands that give cards away.

    A bot may give any card that it holds, and this one is refused.
    """
    card = FUTURE_CARD  # enums are open
    giving = (match_pb2.PHASE_GREAT_GRAND, match_pb2.PHASE_GRAND, match_pb2.PHASE_EXCHANGE)
    for update in frame.updates:
        if update.HasField("snapshot"):
            for gift in () if update.snapshot.phase in giving else update.snapshot.hands:
                gift.cards.append(card)  # type: ignore[arg-type]
            update.snapshot.trick.append(card)  # type: ignore[arg-type]
    for event in events_of(frame):
        for hand in event.cards_exchanged.hands:
            for gift in hand.received:
                gift.cards.append(card)  # type: ignore[arg-type]


def future_plays(frame: referee_pb2.PlayResponse) -> None:
    """Name the kinds of plays by a number that nobody knows."""
    for message in list(messages(frame)):
        if isinstance(message, match_pb2.Play):
            message.kind = FUTURE  # type: ignore[assignment]


def future_phase(frame: referee_pb2.PlayResponse) -> None:
    """Say a phase that nobody knows."""
    for update in frame.updates:
        if update.HasField("snapshot"):
            update.snapshot.phase = FUTURE  # type: ignore[assignment]


def future_pace(frame: referee_pb2.PlayResponse) -> None:
    """Say a pace, an objective and an option that nobody knows."""
    for update in frame.updates:
        if update.HasField("seating"):
            update.seating.pace = FUTURE  # type: ignore[assignment]
            update.seating.objective = FUTURE  # type: ignore[assignment]
            update.seating.options.add(name="later_option", value="later")


def future_calls(frame: referee_pb2.PlayResponse) -> None:
    """Make calls that nobody knows, and offer one."""
    for event in events_of(frame):
        if event.HasField("call_made"):
            event.call_made.call = FUTURE  # type: ignore[assignment]
    for update in frame.updates:
        for made in update.snapshot.calls:
            made.call = FUTURE  # type: ignore[assignment]
        for ask in update.asks:
            if ask.HasField("call"):
                ask.call.choices.append(FUTURE)  # type: ignore[arg-type]


def future_acks(frame: referee_pb2.PlayResponse) -> None:
    """Acknowledge with a status that nobody knows."""
    for update in frame.updates:
        for ack in update.acks:
            ack.status = FUTURE  # type: ignore[assignment]


def future_ending(frame: referee_pb2.PlayResponse) -> None:
    """End matches in a way that nobody knows."""
    for event in events_of(frame):
        if event.HasField("match_ended"):
            event.match_ended.ending = FUTURE  # type: ignore[assignment]
            event.match_ended.blame = FUTURE  # type: ignore[assignment]


def future_reasons(frame: referee_pb2.PlayResponse) -> None:
    """Cancel and ask for reasons that nobody knows."""
    for update in frame.updates:
        for cancelled in update.cancelled:
            cancelled.reason = FUTURE  # type: ignore[assignment]
        for ask in update.asks:
            if ask.HasField("choose_seat"):
                ask.choose_seat.why = FUTURE  # type: ignore[assignment]
