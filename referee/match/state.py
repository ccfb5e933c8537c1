"""The state of a running match, private to the machine and changed in place.

The modules beside this one are the machine's parts; each takes the state as its first argument.
Nothing here is for anybody outside `referee.match`.
"""

from referee.match.askbook import AskBook
from referee.match.facts import CallMade, Fact, PublicFact, Strike
from referee.match.inputs import Fault
from referee.match.step import Ack, Ask, Cancelled, Event, Refused, Step
from referee.match.values import (
    AckStatus,
    AskKind,
    CancelReason,
    MatchConfig,
    WireRefusal,
)
from referee.match.window import HANDING, Window, WindowInput
from referee.rules.cards import SECOND_PACK, pack
from referee.rules.errors import RefereeBug
from referee.rules.match_score import MatchScore
from referee.rules.phases import TICHU, CallKind
from referee.rules.refusals import CLAUSE, Refusal, explain
from referee.rules.round import Round
from referee.rules.seat import Seat


class Barrier:
    """Answers that are released together: calls on the first cards, or the exchange.

    `owed` are the seats whose answer is missing. `calls` were made while the exchange is owed and
    are published when all have answered, `requests` the numbers of those that stood alone; `made`
    are those that are public, and let the others choose again. `chosen` holds the choices, also of
    seats that are not asked again. All is by hand.
    """

    __slots__ = ("calls", "chosen", "made", "owed", "requests")

    def __init__(self) -> None:
        self.owed: set[Seat] = set()
        self.calls: list[Seat] = []
        self.made: list[Seat] = []
        self.requests: dict[Seat, int] = {}
        self.chosen: dict[Seat, tuple[int, ...]] = {}


class MatchState:
    """Everything the machine knows. Times are match nanoseconds, -1 where unknown.

    Lists by seat are by hand, but for `quotas`, `thought` and `strikes`: those are by player.
    """

    __slots__ = (
        "actions",
        "ahead",
        "asks",
        "banks",
        "barrier",
        "base_act",
        "base_call",
        "base_choose_seat",
        "base_exchange",
        "config",
        "event_number",
        "failures",
        "forced",
        "grid",
        "held",
        "may_bomb",
        "most_actions",
        "n",
        "needs_deal",
        "now",
        "over",
        "paused",
        "players",
        "quotas",
        "recalled",
        "round",
        "round_event",
        "round_number",
        "score",
        "settings",
        "shown",
        "step",
        "stood_down",
        "strikes",
        "thought",
        "wall",
        "window",
    )

    def __init__(self, config: MatchConfig, seats: int) -> None:
        self.config = config
        self.settings = config.settings
        self.n = seats
        self.players = [Seat(seat) for seat in range(seats)]  # by hand who plays it in this round
        packs = 1 + (max(pack(config.settings.rules)) >= SECOND_PACK)
        self.most_actions = packs * config.settings.max_actions
        self.round: Round | None = None
        self.ahead: Round | None = None  # the position once the closing trick is collected
        self.round_number = 0
        self.score = MatchScore(config.settings.rules)
        clock = config.settings.clock
        self.base_call = clock.base_of(AskKind.CALL) if clock else None
        self.base_exchange = clock.base_of(AskKind.EXCHANGE) if clock else None
        self.base_act = clock.base_of(AskKind.ACT) if clock else None
        self.base_choose_seat = clock.base_of(AskKind.CHOOSE_SEAT) if clock else None
        self.banks = [clock.bank_ns if clock else 0] * seats
        self.quotas = [clock.lag_quota_ns if clock else 0] * seats  # lag that may yet be credited
        self.thought = [0] * seats  # time used for all settled asks; pace fast: windows held open
        self.wall: int | None = None  # when a match in this round is abandoned
        self.recalled: tuple[int, ...] = ()  # replay: when the clocks ran that the wall cut off
        self.failures: list[Fault] = []  # forfeits of this instant; empty between two steps
        self.strikes = [0] * seats
        self.asks = AskBook(seats)
        self.window = Window()
        self.grid = -1  # when the asks of the running window or turn were handed over
        self.held: Ask | None = None  # the act or choose_seat ask whose answer waits
        self.forced: Seat | None = None  # pace fast: the seat that the referee passes for
        self.barrier: Barrier | None = None
        self.paused: Barrier | None = None  # that of the exchange while a call may be refused
        self.stood_down = [False] * seats
        self.may_bomb = [False] * seats  # the hand holds a bomb; a hand never grows
        self.shown = [0] * seats  # cards of its own that each seat was told of
        self.actions = 0
        self.event_number = 0  # of the last event
        self.round_event = 1  # number of the round's first event
        self.needs_deal = True
        self.over = False
        self.now = 0
        self.step = Step(1)

    # --- what the parts share

    @property
    def current(self) -> Round:
        """The running round. Asking for it between rounds is our bug."""
        if self.round is None:
            raise RefereeBug("there is no round yet")
        return self.round

    @property
    def position(self) -> Round:
        """The position that the provisional ask is about."""
        return self.ahead or self.current

    def begin(self, position: Round) -> None:
        """Make a round the running one, its soloist the player of the Tisch too (G5)."""
        self.round = position
        self.players = [Seat(seat) for seat in range(self.n)]
        seats = position.seating
        if seats.tisch is not None and seats.soloist is not None:
            self.players[seats.tisch] = seats.soloist

    def fact(self, fact: Fact) -> None:
        """Record a fact that only the record is told."""
        self.step.facts.append(fact)

    def event(self, event: Event) -> None:
        """Tell every seat."""
        self.event_number += 1
        self.step.events.append(event)

    def public(self, fact: PublicFact) -> None:
        """Record a fact and tell every seat."""
        self.step.facts.append(fact)
        self.event_number += 1
        self.step.events.append(fact)

    def put(self, ask: Ask) -> None:
        """Open an ask."""
        self.asks.add(ask)
        self.step.asks.append(ask)

    def ack(self, ask: Ask, status: AckStatus, *, charged: int | None = None) -> None:
        """Acknowledge an answer; with `charged` the clock of the ask is settled."""
        if charged is None or self.settings.clock is None:
            self.step.acks.append(Ack(seat=ask.to, status=status, ask_id=ask.id))
            return
        gross = elapsed(ask)
        lag = min(ask.lag, gross) if ask.lag else 0
        self.step.acks.append(
            Ack(
                seat=ask.to,
                status=status,
                ask_id=ask.id,
                used_ns=gross - lag,
                charged_ns=charged,
                network_ns=lag,
                bank_ns=self.banks[ask.seat],
            )
        )

    def ack_number(self, seat: Seat, ask_id: int, status: AckStatus) -> None:
        """Acknowledge an answer to an ask that is not open."""
        self.step.acks.append(Ack(seat=seat, status=status, ask_id=ask_id))

    def cancel(self, ask: Ask, reason: CancelReason, status: AckStatus) -> None:
        """Close an ask that will not be answered any more, and say so."""
        self.asks.close(ask, status)
        self.step.cancelled.append(Cancelled(seat=ask.to, ask_id=ask.id, reason=reason))

    def refuse(
        self,
        seat: Seat,
        code: Refusal | WireRefusal,
        *,
        text: str | None = None,
        ask_id: int | None = None,
        request_id: int | None = None,
        resends_left: int = 0,
    ) -> None:
        """Refuse an answer or request: an acknowledgement, and the reason beside it."""
        clause = CLAUSE[code] if isinstance(code, Refusal) else ""
        said = text or (explain(code) if isinstance(code, Refusal) else code.value)
        self.step.acks.append(
            Ack(seat=seat, status=AckStatus.REFUSED, ask_id=ask_id, request_id=request_id)
        )
        self.step.refused.append(
            Refused(
                seat=seat,
                code=code.value,
                clause=clause,
                text=said,
                ask_id=ask_id,
                request_id=request_id,
                resends_left=resends_left,
            )
        )

    def say(self, seat: Seat, call: CallKind) -> None:
        """Give the rules what was checked, and tell nobody."""
        for position in (self.round, self.ahead):
            if position is not None and (refused := position.call(seat, call)) is not None:
                raise RefereeBug(f"the call {call} of seat {seat} was checked, then {refused}")

    def make_call(self, seat: Seat, call: CallKind) -> None:
        """Make a call that was checked, and tell everybody."""
        self.say(seat, call)
        self.tell_call(seat, call)

    def tell_call(self, seat: Seat, call: CallKind) -> None:
        """Tell everybody of a call that was made."""
        self.public(CallMade(at=self.now, seat=seat, call=call))
        for ask in self.asks.all():  # one that waits to be sent, or is sent again, offers no more
            if ask.may_call_tichu and self.position.check_call(ask.seat, TICHU) is not None:
                ask.may_call_tichu = False

    def holds_call(self, hand: Seat) -> bool:
        """True if a Tichu call of the hand waits to be published with the exchange."""
        barrier = self.paused or self.barrier
        return barrier is not None and hand in barrier.calls

    def strike(self, ask: Ask, why: str) -> None:
        """Count a failure of a player."""
        self.strikes[ask.to] += 1
        count = self.strikes[ask.to]
        self.fact(Strike(at=self.now, seat=ask.to, ask=ask.id, why=why, count=count))


def elapsed(ask: Ask) -> int:
    """Time from the hand-over of an answered ask to its stamp; 0 if its frame was not written."""
    return ask.stamp - ask.sent if 0 <= ask.sent < ask.stamp else 0


def used(ask: Ask) -> int:
    """Time that a seat thought about an answered ask: without the granted lag (PROTOCOL 3)."""
    net = ask.stamp - ask.sent - ask.lag
    return net if net > 0 and ask.sent >= 0 else 0


def start_clock(state: MatchState, ask: Ask, at: int, *, lag: int = 0) -> None:
    """An ask was handed to the writers. `lag` is the estimate of its link's.

    What is granted of it is fixed now, so the deadline is known. Only asks with a base time are
    granted any: a faked lag would buy a longer look in a window.
    """
    ask.sent = at
    clock = state.settings.clock
    if lag > 0 and ask.base_ns is not None and clock is not None:
        ask.lag = min(lag, clock.lag_cap_ns, state.quotas[ask.to])


def settle(state: MatchState, ask: Ask) -> int:
    """Settle the clock of an answered ask, once; return what that took from its bank.

    That is the time over its base, at most all of the bank. The lag quota pays what the grant saved
    of it.
    """
    base = ask.base_ns
    if base is None or ask.charged >= 0:
        return 0
    seat, thought = ask.seat, used(ask)
    state.thought[ask.to] += thought
    over = thought - base if thought > base else 0
    if ask.lag:
        gross = elapsed(ask) - base
        state.quotas[ask.to] -= gross - over if gross > 0 else 0
    ask.charged = 0
    if over and ask.bank_ns is not None:
        ask.charged = min(over, state.banks[seat])
        state.banks[seat] -= ask.charged
    return ask.charged


def deadline(state: MatchState, ask: Ask) -> int | None:
    """When the time of an open ask runs out, bank and lag included; None: it does not."""
    if ask.sent < 0 or ask.base_ns is None or ask.choice is not None:
        return None
    bank = state.banks[ask.seat] if ask.bank_ns is not None else 0
    return ask.sent + ask.base_ns + bank + ask.lag


def all_handed(state: MatchState) -> None:
    """Once every open ask was handed over, the grid of pace `fair` and the window begin."""
    for ask in state.asks.all():
        if ask.sent < 0:
            return
    if state.grid < 0:
        state.grid = state.now
    if state.window.state is HANDING:
        state.window.feed(WindowInput.HANDED)
        state.window.opened = state.now


def surely_handed(state: MatchState, ask: Ask) -> None:
    """An ask that is answered before we heard of its frame was handed over at that moment."""
    if ask.sent < 0:
        start_clock(state, ask, state.now)
        all_handed(state)
