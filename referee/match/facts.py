"""Facts: what happened in a match, recorded for ever.

Every input that changed the machine is a fact, followed by the facts that came of it. Feeding the
inputs again gives the same facts (`referee.match.replay`). `at` is match time in nanoseconds.
Fields may be added with a default, never renamed: records outlive releases.
"""

import msgspec

from referee.match.inputs import Decision
from referee.match.values import AckStatus, Blame, Ending
from referee.rules.phases import CallKind
from referee.rules.seat import Seat


class Dealt(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="dealt", omit_defaults=True
):
    """Input: a round begins. `seed` and `commitment` are 64 hex digits.

    `order` is the turn order of the round where it is not that of the numbers, and `ranks` the
    seats from first to last of the round before, in Grand Seigneur (I2). In Trichu the dealer is
    the soloist, who plays the Tisch too (G1). `cards` is the order in which the pack is dealt where
    no seed gives it: in a record that was imported.
    """

    at: int
    round: int
    dealer: Seat
    seed: str
    commitment: str
    totals: tuple[int, ...]
    order: tuple[Seat, ...] = ()
    ranks: tuple[Seat, ...] = ()
    cards: tuple[int, ...] = ()


class Answered(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="answered", omit_defaults=True
):
    """Input: a decision arrived. `sent` is when the ask's clock started.

    `seat` is the player's that was asked; the number of the ask says for which hand. `code` is set
    when it was refused. `charged` is what left the bank where that is settled at once (bets and the
    exchange); of an answer that a bomb can make void `Released` has it. `lag` is what the ask was
    granted when its clock started, nanoseconds, used or not.
    """

    at: int
    seat: Seat
    ask: int
    decision: Decision
    status: AckStatus
    sent: int = -1
    code: str = ""
    charged: int = 0
    lag: int = 0


class TimedOut(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="timed_out", omit_defaults=True
):
    """Input (time): an ask's time ran out, its granted `lag` included. `charged` left the bank."""

    at: int
    seat: Seat
    ask: int
    sent: int
    charged: int
    lag: int = 0


class WindowClosed(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="t",
    tag="window_closed",
    omit_defaults=True,
):
    """The bomb window closed. `bomber` is the seat whose bomb landed.

    Input (time) where `opened` says when its interval began; -1: the last answer closed it.
    """

    at: int
    opened: int = -1
    bomber: Seat | None = None


class Released(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="released", omit_defaults=True
):
    """An answer in turn took effect, and `charged` left the bank.

    Input (time) in pace `fair`, where `asked` is the origin of the grid; -1: it followed from
    another fact, and is recorded only where something was charged.
    """

    at: int
    seat: Seat
    ask: int
    sent: int
    asked: int
    charged: int = 0
    lag: int = 0


class CallAsked(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="call_asked", omit_defaults=True
):
    """Input: a call that stood alone, and what became of it.

    `request` is its number where that is acknowledged once more: a call that waits for the
    exchange. `for_seat` is the hand that calls where that is not the player's own.
    """

    at: int
    seat: Seat
    call: CallKind
    status: AckStatus
    code: str = ""
    request: int = 0
    for_seat: Seat | None = None


class StoodDown(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="stood_down", omit_defaults=True
):
    """Input: a hand gave up bombs out of turn for the round; `for_seat` as in `CallAsked`."""

    at: int
    seat: Seat
    status: AckStatus
    code: str = ""
    for_seat: Seat | None = None


class Faulted(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="faulted", omit_defaults=True
):
    """Input: the match ends by a fault, a resignation or an order.

    Several in a row are one input. Input (time) where `sent` is set: the match ran longer than its
    settings allow; it says by hand when the clock of its open ask started, -1 without one.
    """

    at: int
    ending: Ending
    seat: Seat | None = None
    blame: Blame = Blame.NONE
    sent: tuple[int, ...] = ()


class Stalled(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="stalled", omit_defaults=True
):
    """Input: the referee was blocked for `blocked_ns` from `at`, over its limit.

    `asks` (seat, number) were open; they are cancelled and asked anew under the next numbers.
    """

    at: int
    blocked_ns: int
    asks: tuple[tuple[Seat, int], ...] = ()


class Resumed(msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="resumed"):
    """Input: a new process of the referee, number `epoch` of its store, goes on with the match.

    `at` is the time of the fact before, 0 without any: match time stood still meanwhile. Asks that
    were open are so still, under the same numbers, and their clocks and the window begin anew.
    """

    at: int
    epoch: int


class CallMade(msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="call"):
    """A bet, or the decision against one, is public now (A3 to A6).

    Also what an opponent said about a call that may be refused (`refuse_call`).
    """

    at: int
    seat: Seat
    call: CallKind


class Bidden(msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="bidden"):
    """All bids are in (`chaos`): (seat, bid), by seat. Only partners see each other's."""

    at: int
    bids: tuple[tuple[Seat, CallKind], ...]


class Exchanged(msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="exchanged"):
    """All cards moved together (A7): (giver, recipient, card numbers)."""

    at: int
    gifts: tuple[tuple[Seat, Seat, tuple[int, ...]], ...]


class Played(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="played", omit_defaults=True
):
    """A play is on the table. `phoenix_rank` and `wish` 0 mean none.

    Of two Phoenixes `phoenix_rank` is the lower rank and `second_phoenix_rank` the other, else 0.
    """

    at: int
    seat: Seat
    cards: tuple[int, ...]
    phoenix_rank: int = 0
    wish: int = 0
    second_phoenix_rank: int = 0


class Passed(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="passed", omit_defaults=True
):
    """A seat passed. `forced`: the referee passed for it, since it had no legal play."""

    at: int
    seat: Seat
    forced: bool = False


class TrickTaken(msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="taken"):
    """A trick was collected (C2)."""

    at: int
    seat: Seat
    points: int


class DragonGiven(msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="dragon"):
    """A trick won with the Dragon was given away (C5)."""

    at: int
    seat: Seat
    to: Seat
    points: int


class LeadHanded(msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="lead"):
    """The Dog handed the lead on (C4)."""

    at: int
    seat: Seat
    to: Seat


class WentOut(msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="out"):
    """A seat has no cards any more. `place` 1 is the first out."""

    at: int
    seat: Seat
    place: int


class Strike(msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="strike"):
    """A player failed to answer legally in time; `count` is its strikes in the match."""

    at: int
    seat: Seat
    ask: int
    why: str
    count: int


class RoundEnded(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="round_ended", omit_defaults=True
):
    """A round is over (F1 to F3). Points and totals by team; `calls` (seat, call, won, points).

    In Trichu points are by seat (G8), in Grand Seigneur there are none, and `ranks` are the seats
    from first to last (I2). `refused` is the caller whose call all opponents refused: that ended
    the round, and no card and no other call counts (`refuse_call`).
    """

    at: int
    round: int
    points: tuple[int, ...]
    card_points: tuple[int, ...]
    calls: tuple[tuple[Seat, CallKind, bool, int], ...]
    double_victory: bool
    totals: tuple[int, ...]
    ranks: tuple[Seat, ...] = ()
    refused: Seat | None = None


class MatchEnded(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="match_ended", omit_defaults=True
):
    """The match is over. The last fact.

    `seat` is at fault and `blame` says who answers for it; with several the lowest seat, and
    `failed` names all. `awarded` are the points by team that count where bots of one team failed:
    the worst that was still possible for it. Where it is empty and the match was not completed,
    the match counts for nothing. `winner` is a team, in Trichu the seat of a player; None in a
    draw and in Grand Seigneur. `banks` are those of the hands.
    """

    at: int
    ending: Ending
    totals: tuple[int, ...]
    rounds: int
    banks: tuple[int, ...] = ()
    seat: Seat | None = None
    blame: Blame = Blame.NONE
    winner: int | None = None
    failed: tuple[Seat, ...] = ()
    awarded: tuple[int, ...] = ()


InputFact = (
    Dealt
    | Answered
    | TimedOut
    | WindowClosed
    | Released
    | CallAsked
    | StoodDown
    | Faulted
    | Stalled
    | Resumed
)
PublicFact = (
    CallMade
    | Played
    | Passed
    | TrickTaken
    | DragonGiven
    | LeadHanded
    | WentOut
    | RoundEnded
    | MatchEnded
)
Fact = InputFact | PublicFact | Bidden | Exchanged | Strike

_ENCODER = msgspec.json.Encoder(order="sorted")
_DECODER = msgspec.json.Decoder(Fact)


def encode_fact(fact: Fact) -> bytes:
    """One canonical JSON line without its newline: sorted keys, no blanks, integers only."""
    return _ENCODER.encode(fact)


def decode_fact(line: bytes) -> Fact:
    """The fact of one line. Raises `msgspec.ValidationError` naming the field that is wrong."""
    return _DECODER.decode(line)
