"""What a season tells while it runs, and what it brought."""

import enum

import msgspec


class NoticeKind(enum.StrEnum):
    """What a notice is about."""

    STARTED = "started"
    WAITING = "waiting"  # for bots that dial in
    VOID = "void"  # a board does not count, and is played again
    FAULT = "fault"  # a leg ended by an entry's fault
    QUARANTINED = "quarantined"
    RULED = "ruled"
    INFO = "info"


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """One line for people. It holds names that others chose."""

    kind: NoticeKind
    text: str


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a season is.

    `done` are the boards that count now. `wanted` None: nobody knows before the rule to stop says
    so. `void` boards are those of this run. `rate` is boards a minute of late, None before the
    second; `left_s` is None where `wanted` or `rate` is. `elapsed_s` is playing time over all runs.
    """

    done: int
    wanted: int | None
    running: int
    void: int
    rate: float | None
    left_s: float | None
    elapsed_s: float
    what: str = "boards"  # are counted


class OutcomeKind(enum.StrEnum):
    """Why a run of a ladder came to its end."""

    PLAYED = "played"  # all of the schedule
    HOURS = "hours"
    SEPARATED = "separated"
    FROZEN = "frozen"  # by a ruling
    REPLACED = "replaced"  # by a ruling: an entry is another version than this run started
    NOBODY = "nobody"  # fewer than two entries of different owners play
    STOPPED = "stopped"  # by order


class LadderOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a run brought. `boards` count in the ladder now; `played` are those of this run."""

    why: OutcomeKind
    boards: int
    played: int
    void: int  # of this run
    quarantined: tuple[str, ...]
    text: str  # one line for people
