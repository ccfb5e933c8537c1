"""What one stream and one process may use. Every number can be set by the operator."""

from typing import Annotated

import msgspec
from msgspec import Meta

from referee.match.values import MS

SECOND = 1_000 * MS
KIB = 1024


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of a process. Times in nanoseconds, sizes in bytes; bounds are for files."""

    grace_ns: int = 10 * SECOND  # a seat without a stream, before it is a fault; 0 = at once
    # the longest that a frame waits for the peer's reply (PROTOCOL 2)
    hold_ns: Annotated[int, Meta(ge=0, le=SECOND)] = MS
    # a frame to a bot is cut after the match that passes this
    frame_bytes: Annotated[int, Meta(ge=4 * KIB, le=1024 * KIB)] = 256 * KIB
    # waiting for a bot that does not read, then SLOW_READER
    unsent_bytes: Annotated[int, Meta(ge=64 * KIB)] = 2 * KIB * KIB
    # between probes of a link that owes nothing
    ping_ns: Annotated[int, Meta(ge=SECOND // 10, le=3_600 * SECOND)] = 5 * SECOND
    # between two tries of a store that is away, and the longest that matches pause for it
    store_retry_ns: Annotated[int, Meta(ge=10 * MS, le=10 * SECOND)] = 250 * MS
    store_away_ns: Annotated[int, Meta(ge=0, le=3_600 * SECOND)] = 60 * SECOND
    sessions: Annotated[int, Meta(ge=4)] = 512  # fewer fill no table

    # Flooding. A bot earns frames by being asked, so a fast honest one never meets the limit;
    # beside that it has a rate and a burst of its own. Over it it is read no faster than the rate.
    frames_per_s: Annotated[int, Meta(ge=1)] = 500
    frames_burst: Annotated[int, Meta(ge=1)] = 4_000
    frames_per_ask: Annotated[int, Meta(ge=1)] = 4
    # held back for longer within ten seconds, then FLOODED
    flood_ns: Annotated[int, Meta(ge=0, le=10 * SECOND)] = 2 * SECOND
    # 512 matches, each with a full window
    items_per_frame: Annotated[int, Meta(ge=1)] = 4_096


DEFAULT_LIMITS = Limits()
