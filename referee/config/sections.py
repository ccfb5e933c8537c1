"""Sections that files of several kinds have: what matches are played like, limits of faults."""

from typing import Annotated

import msgspec
from msgspec import Meta

from referee.match.values import MAX_TIME_NS, MIN_LAG_LIMIT_NS, MS, Objective, Pace
from referee.rules.options import MAX_ROUNDS

_DAY_MS = MAX_TIME_NS // MS
_HOUR_MS = 3_600_000
_MANY = 1_000_000  # more is no limit: a whole match has some 5,000 asks

_Time = Annotated[int, Meta(ge=1, le=_DAY_MS)]
_TimeOrNone = Annotated[int, Meta(ge=0, le=_DAY_MS)]
Grace = Annotated[int, Meta(ge=0, le=_HOUR_MS)]


class TimesSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Times of a match, in milliseconds where they are numbers."""

    window_ms: Annotated[int, Meta(ge=20, le=86_400_000)] | None = None  # None: by pace and place
    clock: str = "2s+60s"  # BASE+BANK, or none
    call_ms: _Time | None = None  # longer base times of a kind of ask; None: the clock's
    exchange_ms: _Time | None = None
    act_ms: _Time | None = None
    choose_seat_ms: _Time | None = None
    lag_cap_ms: _TimeOrNone | None = None  # credited an ask; None: the default of a clock
    lag_quota_ms: _TimeOrNone | None = None  # and a match; 0: none


class MatchSection(TimesSection, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[match]` of a server: what waiting bots play."""

    pace: Pace = Pace.FAIR
    objective: Objective = Objective.MATCH


class FaultsSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[faults]`: how much is too much. None: the default of a match or of the service."""

    max_resends: Annotated[int, Meta(ge=0, le=_MANY)] | None = None
    max_strikes: Annotated[int, Meta(ge=0, le=_MANY)] | None = None
    max_actions: Annotated[int, Meta(ge=1, le=_MANY)] | None = None
    max_rounds: Annotated[int, Meta(ge=1, le=MAX_ROUNDS)] | None = None
    wall_per_round_ms: _Time | None = None
    lag_limit_ms: Annotated[int, Meta(ge=MIN_LAG_LIMIT_NS // MS, le=_DAY_MS)] | None = None
    grace_ms: Grace | None = None
    resume_grace_ms: Grace | None = None
    start_ms: Annotated[int, Meta(ge=1, le=_HOUR_MS)] | None = None
