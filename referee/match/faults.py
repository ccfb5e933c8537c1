"""The one table of faults: what a bot or the referee can do wrong, and what follows (PROTOCOL 5).

It holds for every seat of both teams alike. Where a row has a limit it names the setting; the
numbers are those in force, and whoever prints the table puts them in.
"""

import enum

import msgspec

from referee.match.values import Blame, Ending


class FaultKind(enum.StrEnum):
    """What went wrong, by the name that people read."""

    ILLEGAL = "illegal answer"
    MALFORMED = "malformed answer"
    ILLEGAL_BOMB = "illegal bomb"
    LATE = "late or silent"
    STRIKES_ILLEGAL = "strikes, illegal"
    STRIKES_TIME = "strikes, late"
    OVER_RATE = "over the rate"
    FLOODING = "flooding"
    NOT_READING = "not reading"
    CRASHED = "crashed"
    GONE = "gone"
    NOT_BACK = "gone at restart"
    NEVER_STARTED = "never started"
    WRONG_VERSION = "wrong version"
    RESIGNED = "resigned"
    DRAGGING = "dragging"
    ENDLESS_ROUND = "endless round"
    ENDLESS_MATCH = "endless match"
    BLOCKED = "blocked referee"
    REFEREE_FAILED = "failed referee"
    STORE_FAILED = "failed store"
    CANCELLED = "cancelled"


class Consequence(enum.StrEnum):
    """What follows from a fault, in the words of the table."""

    CORRECT = "corrected, else substitute and strike"
    CORRECT_BOMB = "corrected, else no bomb and strike"
    STRIKE = "substitute and strike"
    THROTTLE = "read no faster than that"
    ENDS = "ends the match"
    ENDS_UNLESS_BACK = "ends the match unless back in time"
    NOT_LET_IN = "not let in, as one that never came"
    ENDS_FOR_SLOWEST = "ends the match, by the slowest seat"
    ASKED_ANEW = "running asks are put anew, uncharged"


class Limit(enum.StrEnum):
    """A setting that says how much is too much, by its name in the configuration."""

    MAX_RESENDS = "max_resends"
    MAX_STRIKES = "max_strikes"
    MAX_ACTIONS = "max_actions"
    MAX_ROUNDS = "max_rounds"
    WALL_PER_ROUND = "wall_per_round_ms"
    LAG_LIMIT = "lag_limit_ms"
    GRACE = "grace_ms"
    RESUME_GRACE = "resume_grace_ms"
    START = "start_ms"
    CLOCK = "clock"
    FRAMES_PER_S = "frames_per_s"
    FLOOD = "flood_ns"
    UNSENT = "unsent_bytes"


class FaultRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row. `ending` None: the match goes on. `blames` has the usual one first."""

    kind: FaultKind
    follows: Consequence
    ending: Ending | None = None
    blames: tuple[Blame, ...] = (Blame.BOT,)
    limits: tuple[Limit, ...] = ()


def _row(
    kind: FaultKind,
    follows: Consequence,
    ending: Ending | None = None,
    *limits: Limit,
    blames: tuple[Blame, ...] = (Blame.BOT,),
) -> FaultRow:
    return FaultRow(kind=kind, follows=follows, ending=ending, blames=blames, limits=limits)


_F, _C, _E, _L = FaultKind, Consequence, Ending, Limit
_OURS, _NOBODY = (Blame.REFEREE,), (Blame.NONE,)
_ANYBODY = (Blame.UNKNOWN,)  # we were not there to see why it did not come back
_LINK = (Blame.BOT, Blame.NETWORK, Blame.REFEREE)

FAULTS: tuple[FaultRow, ...] = (
    _row(_F.ILLEGAL, _C.CORRECT, None, _L.MAX_RESENDS),
    _row(_F.MALFORMED, _C.CORRECT, None, _L.MAX_RESENDS),
    _row(_F.ILLEGAL_BOMB, _C.CORRECT_BOMB, None, _L.MAX_RESENDS),
    _row(_F.LATE, _C.STRIKE, None, _L.CLOCK),
    _row(_F.STRIKES_ILLEGAL, _C.ENDS, _E.FORFEIT_ILLEGAL, _L.MAX_STRIKES),
    _row(_F.STRIKES_TIME, _C.ENDS, _E.FORFEIT_TIME, _L.MAX_STRIKES),
    _row(_F.OVER_RATE, _C.THROTTLE, None, _L.FRAMES_PER_S),
    _row(_F.FLOODING, _C.ENDS, _E.FLOODED, _L.FLOOD),
    _row(_F.NOT_READING, _C.ENDS, _E.SLOW_READER, _L.UNSENT),
    _row(_F.CRASHED, _C.ENDS, _E.CRASHED),
    _row(_F.GONE, _C.ENDS_UNLESS_BACK, _E.DISCONNECTED, _L.GRACE, blames=_LINK),
    _row(_F.NOT_BACK, _C.ENDS_UNLESS_BACK, _E.DISCONNECTED, _L.RESUME_GRACE, blames=_ANYBODY),
    _row(_F.NEVER_STARTED, _C.ENDS, _E.NEVER_STARTED, _L.START),
    _row(_F.WRONG_VERSION, _C.NOT_LET_IN, _E.NEVER_STARTED, _L.START),
    _row(_F.RESIGNED, _C.ENDS, _E.RESIGNED),
    _row(_F.DRAGGING, _C.ENDS_FOR_SLOWEST, _E.ABANDONED, _L.WALL_PER_ROUND),
    _row(_F.ENDLESS_ROUND, _C.ENDS, _E.ABANDONED, _L.MAX_ACTIONS, blames=_NOBODY),
    _row(_F.ENDLESS_MATCH, _C.ENDS, _E.ABANDONED, _L.MAX_ROUNDS, blames=_NOBODY),
    _row(_F.BLOCKED, _C.ASKED_ANEW, None, _L.LAG_LIMIT, blames=_OURS),
    _row(_F.REFEREE_FAILED, _C.ENDS, _E.REFEREE_FAILED, blames=_OURS),
    _row(_F.STORE_FAILED, _C.ENDS, _E.STORE_FAILED, blames=_OURS),
    _row(_F.CANCELLED, _C.ENDS, _E.CANCELLED, blames=_NOBODY),
)
