"""What a match brought, taken from its record: the result of a leg, faults, times, calls."""

import msgspec

from referee.ladder.values import LegPlace, LegResult


class FaultNote(msgspec.Struct, frozen=True, kw_only=True):
    """A seat failed: a strike, or the end of the match by its fault.

    `at_ms` is match time. `ask` and `kind` are those of the ask that it failed at, or of the last
    one that it got; 0 and "" where it got none. `why` is the reason of the strike, or the ending.
    """

    seat: int
    round: int
    at_ms: int
    ask: int
    kind: str
    why: str
    ended_match: bool = False


class TimeBill(msgspec.Struct, frozen=True, kw_only=True):
    """Where the time of one seat's asks of one kind went, summed over a match; milliseconds.

    `thinking` from the ask to its answer less `network`; `network` is the lag that was granted, as
    far as it was used; `referee` from the answer to the moment when it took effect (windows, the
    grid of pace fair, barriers). `charged` left the bank. `timed_out` are asks whose time ran out;
    that of a bomb ask is the whole window, and no fault.
    """

    seat: int
    kind: str
    asks: int
    thinking_ms: int
    network_ms: int
    referee_ms: int
    charged_ms: int
    longest_ms: int
    timed_out: int


class CallCount(msgspec.Struct, frozen=True, kw_only=True):
    """Bets of one seat in the finished rounds of a match: how many it made and won, by kind
    (`tichu`, `grand`, `great_grand`).
    """

    seat: int
    call: str
    made: int
    won: int


class RoundPoints(msgspec.Struct, frozen=True, kw_only=True):
    """A round that was finished: points by team (in Trichu by seat), and the luck of its deal.

    `luck` is the control variate of `referee.ladder.luck`, points by which the hands that were
    dealt favour team 0; it does not depend on anything that a bot did. It is 0 in every game but
    Tichu, for which it was measured.
    """

    round: int
    points: tuple[int, ...]
    luck: float


class MatchSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a match brought. `leg` is None where the match belongs to no ladder.

    `refused`, `answers` and `defaults` count answers by seat: those that were refused, those that
    were not (declined bombs left out), and those of them that asked for the substitute action.
    `digest` is the SHA-256 of the record's file, as hex; "" where it was taken from no file, or by
    a release that did not keep it.
    """

    match_id: str
    practice: bool
    isolation: str
    players: tuple[str, ...]  # names by seat
    place: LegPlace | None
    leg: LegResult | None
    rounds: tuple[RoundPoints, ...]
    faults: tuple[FaultNote, ...]
    times: tuple[TimeBill, ...]
    calls: tuple[CallCount, ...]
    refused: tuple[int, ...]
    answers: tuple[int, ...] = (0, 0, 0, 0)
    defaults: tuple[int, ...] = (0, 0, 0, 0)
    digest: str = ""
