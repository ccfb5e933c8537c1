"""The one door of this package: `WireCodec` is the `Codec` that the orchestration gets."""

from collections.abc import Sequence
from functools import lru_cache

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.match.snapshot import SeatSnapshot
from referee.match.step import Ack, Ask, Cancelled, Event, Refused
from referee.match.values import MS, RECEIVED, Clock, MatchConfig
from referee.ports import (
    PROTOCOL_VERSION,
    ClosingCode,
    EventBytes,
    FieldFault,
    Frame,
    SeatingIn,
    Welcome,
)
from referee.rules.options import options_dict, player_seats
from referee.rules.seat import Seat
from referee.rules.seating import seating as first_seating
from referee.wire.asks import encode_ask
from referee.wire.decode import decode_frame
from referee.wire.events import encode_events
from referee.wire.fragments import sized, tag, varint
from referee.wire.numbers import ACKS, CANCELS, CLOSINGS, OBJECTIVES, PACES, REFUSALS
from referee.wire.snapshots import encode_snapshot

_MATCH = varint(match_pb2.Update.MATCH_FIELD_NUMBER << 3)
_SEATING = tag(match_pb2.Update.SEATING_FIELD_NUMBER)
_EVENTS = tag(match_pb2.Update.EVENTS_FIELD_NUMBER)
_ASKS = tag(match_pb2.Update.ASKS_FIELD_NUMBER)
_CANCELLED = tag(match_pb2.Update.CANCELLED_FIELD_NUMBER)
_ACKS = tag(match_pb2.Update.ACKS_FIELD_NUMBER)
_ASK_ID = varint(match_pb2.Acknowledgement.ASK_ID_FIELD_NUMBER << 3)
_REQUEST_ID = varint(match_pb2.Acknowledgement.REQUEST_ID_FIELD_NUMBER << 3)
_ACK_STATUS = {
    status: match_pb2.Acknowledgement(status=number).SerializeToString()
    for status, number in ACKS.items()
}
_REFUSED = tag(match_pb2.Update.REFUSED_FIELD_NUMBER)
_SNAPSHOT = tag(match_pb2.Update.SNAPSHOT_FIELD_NUMBER)
_UPDATES = tag(referee_pb2.PlayResponse.UPDATES_FIELD_NUMBER)


class WireCodec:
    """Implements `referee.ports.Codec`; without state but the caches of pure functions."""

    def decode(self, data: bytes, most_items: int) -> Frame | FieldFault:
        """Return what a bot sent; a fault when it is no frame at all."""
        return decode_frame(data, most_items)

    def events(self, first: int, events: Sequence[Event], seats: int) -> list[EventBytes]:
        """Return each event with its number; public ones once for all seats."""
        return encode_events(first, events, seats)

    def event_part(self, events: Sequence[bytes]) -> bytes:
        """Return the part of an update that holds these events, at least one."""
        return _EVENTS + _EVENTS.join(events)

    def ask_part(self, ask: Ask, *, time_left_ms: int | None, legal_plays: bool) -> bytes:
        """Return an ask."""
        return _ASKS + encode_ask(ask, time_left_ms=time_left_ms, legal_plays=legal_plays)

    def cancelled_part(self, cancelled: Cancelled) -> bytes:
        """Return the end of an ask."""
        message = match_pb2.AskCancelled(ask_id=cancelled.ask_id, reason=CANCELS[cancelled.reason])
        return _CANCELLED + sized(message.SerializeToString())

    def ack_part(self, ack: Ack) -> bytes:
        """Return an acknowledgement."""
        if ack.status is RECEIVED and ack.used_ns is None and ack.ask_id is not None:
            return _received(ack.ask_id)
        if ack.ask_id is not None:
            subject = _ASK_ID + varint(ack.ask_id)
        elif ack.request_id is not None:
            subject = _REQUEST_ID + varint(ack.request_id)
        else:
            subject = b""
        rest = _ACK_STATUS[ack.status]
        if ack.used_ns is not None:
            rest += _ack_times(
                ack.used_ns // MS, _ms(ack.charged_ns), _ms(ack.network_ns), _ms(ack.bank_ns)
            )
        return _ACKS + sized(subject + rest)

    def refused_part(self, refused: Refused) -> bytes:
        """Return a refusal beside an acknowledgement."""
        return _REFUSED + sized(_refused(refused).SerializeToString())

    def seating_part(self, seating: SeatingIn) -> bytes:
        """Return the seating."""
        message = _seating(seating.config, seating.seat)
        return _SEATING + sized(message.SerializeToString())

    def snapshot_part(self, snapshot: SeatSnapshot, events: Sequence[bytes]) -> bytes:
        """Return a snapshot with the events of its round as the seat got them."""
        return _SNAPSHOT + encode_snapshot(snapshot, events)

    def update(self, number: int, parts: Sequence[bytes]) -> bytes:
        """Return the part of a frame that says what is new in the match with this number."""
        return _UPDATES + sized(_MATCH + varint(number) + b"".join(parts))

    def welcome(self, welcome: Welcome) -> bytes:
        """Return the acceptance of a Hello."""
        message = referee_pb2.Welcome(
            session_token=welcome.session_token,
            protocol_version=PROTOCOL_VERSION,
            server=welcome.server,
            grace_ms=welcome.grace_ms,
            max_frame_bytes=welcome.max_frame_bytes,
            resumed=welcome.resumed,
        )
        return referee_pb2.PlayResponse(welcome=message).SerializeToString()

    def redirect(self, address: str) -> bytes:
        """Return the answer to Hello that sends a bot elsewhere."""
        message = referee_pb2.Redirect(address=address)
        return referee_pb2.PlayResponse(redirect=message).SerializeToString()

    def moved(self, address: str) -> bytes:
        """Return the request to reconnect elsewhere."""
        message = referee_pb2.Moved(address=address)
        return referee_pb2.PlayResponse(moved=message).SerializeToString()

    def closing(self, code: ClosingCode, text: str, *, retry: bool) -> bytes:
        """Return the reason of a stream's end."""
        message = referee_pb2.Closing(code=CLOSINGS[code], text=text, retry=retry)
        return referee_pb2.PlayResponse(closing=message).SerializeToString()

    def ping(self, number: int) -> bytes:
        """Return a probe."""
        message = referee_pb2.Ping(number=number)
        return referee_pb2.PlayResponse(ping=message).SerializeToString()

    def refused(self, refused: Refused) -> bytes:
        """Return a refusal of a part that names no match of the stream."""
        return referee_pb2.PlayResponse(refused=[_refused(refused)]).SerializeToString()


def _ms(duration_ns: int | None) -> int | None:
    return None if duration_ns is None else duration_ns // MS


@lru_cache(maxsize=1024)
def _received(ask_id: int) -> bytes:
    """Return the first word on an act, without times: half of all acknowledgements."""
    return _ACKS + sized(_ASK_ID + varint(ask_id) + _ACK_STATUS[RECEIVED])


@lru_cache(maxsize=1024)
def _ack_times(
    used_ms: int, charged_ms: int | None, network_ms: int | None, bank_ms: int | None
) -> bytes:
    """Return the times of an acknowledgement: quick bots in full matches get the same ones."""
    return match_pb2.Acknowledgement(
        used_ms=used_ms, charged_ms=charged_ms, network_ms=network_ms, bank_left_ms=bank_ms
    ).SerializeToString()


def _refused(refused: Refused) -> match_pb2.Refused:
    message = match_pb2.Refused(
        code=REFUSALS[refused.code],
        clause=refused.clause,
        text=refused.text,
        resends_left=refused.resends_left,
    )
    if refused.ask_id is not None:
        message.ask_id = refused.ask_id
    elif refused.request_id is not None:
        message.request_id = refused.request_id
    return message


def _seating(config: MatchConfig, seat: Seat) -> match_pb2.Seating:
    settings = config.settings
    clock = settings.clock
    options = options_dict(settings.rules, complete=True)
    return match_pb2.Seating(
        match_id=config.match_id,
        seat=seat,
        names=[player.name for player in config.players],
        teams=first_seating(settings.rules).teams,
        player_seats=player_seats(settings.rules),
        options=[match_pb2.Option(name=n, value=_option(v)) for n, v in options.items()],
        pace=PACES[settings.pace],
        window_ms=settings.window_ns // MS,
        bot_seed=bytes.fromhex(config.players[seat].bot_seed),
        objective=OBJECTIVES[settings.objective],
        **(_clock(clock) if clock is not None else {}),
    )


def _clock(clock: Clock) -> dict[str, int | None]:
    return {
        "base_ms": _ms(clock.base_ns),
        "bank_ms": _ms(clock.bank_ns),
        "call_ms": _ms(clock.call_ns),
        "exchange_ms": _ms(clock.exchange_ns),
        "act_ms": _ms(clock.act_ns),
        "choose_seat_ms": _ms(clock.choose_seat_ns),
        "lag_cap_ms": _ms(clock.lag_cap_ns),
        "lag_quota_ms": _ms(clock.lag_quota_ns),
    }


def _option(value: object) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
