"""The match machine: the one door through which a match changes.

`Machine.step(input, now)` takes one input and returns one `Step`. Nothing here reads a clock,
draws a number or talks to anybody, so the same inputs at the same times give the same match.
What is due before an input happens before it: the outcome depends on stamps alone, never on when
the loop got round to them. An input that a bot got wrong comes back as a refusal; one that we got
wrong raises `RefereeBug` and leaves the match to be ended by its owner.
"""

from collections.abc import Sequence
from typing import assert_never

from referee.match import answers, endings, requests, rounds, stalls, turns, windows
from referee.match.facts import Answered, Fact, Faulted, Released, TimedOut, WindowClosed
from referee.match.facts import Stalled as StalledFact
from referee.match.inputs import (
    Answer,
    CallRequest,
    Deal,
    Fault,
    Faults,
    Handed,
    Input,
    Resumed,
    Stalled,
    StandDownRequest,
    Tick,
)
from referee.match.snapshot import SeatSnapshot, take_snapshot
from referee.match.state import MatchState, all_handed, deadline, start_clock
from referee.match.step import Ack, Ask, Step
from referee.match.values import AckStatus, MatchConfig
from referee.match.window import SHUT, WindowInput, WindowState
from referee.rules.errors import RefereeBug
from referee.rules.options import seats
from referee.rules.seat import Seat


class Machine:
    """One match, from its first deal to its last fact.

    A new machine needs a `Deal`; so does it after each round that does not end the match.
    """

    __slots__ = ("_due", "_state")

    def __init__(self, config: MatchConfig) -> None:
        n = seats(config.settings.rules)
        if len(config.players) != n:
            raise RefereeBug(f"{n} seats and {len(config.players)} players")
        self._state = MatchState(config, n)
        self._due: int | None = None  # kept, since every step asks for it twice

    # --- what may be known from outside

    @property
    def config(self) -> MatchConfig:
        """What the match is made of."""
        return self._state.config

    @property
    def over(self) -> bool:
        """True after the last fact."""
        return self._state.over

    @property
    def needs_deal(self) -> bool:
        """True while the machine waits for a `Deal`."""
        return self._state.needs_deal

    @property
    def round_number(self) -> int:
        """Number of the running or last round, 0 before the first."""
        return self._state.round_number

    @property
    def totals(self) -> tuple[int, ...]:
        """Points over the finished rounds by team, in Trichu by seat; () without points."""
        return tuple(self._state.score.totals)

    @property
    def strikes(self) -> tuple[int, ...]:
        """Strikes of each player in the match so far, by seat."""
        return tuple(self._state.strikes)

    @property
    def rounds_played(self) -> int:
        """Rounds that are finished."""
        return self._state.score.rounds_played

    @property
    def banks(self) -> tuple[int, ...]:
        """What is left of each hand's bank, nanoseconds."""
        return tuple(self._state.banks)

    @property
    def seats(self) -> int:
        """Number of seats: hands, not players."""
        return self._state.n

    def player_of(self, hand: Seat) -> Seat:
        """The seat of the player who plays a hand in the running or last round (G5)."""
        return self._state.players[hand]

    @property
    def due(self) -> int | None:
        """When something happens by itself, match nanoseconds; None: only inputs change it."""
        return self._due

    def was_asked(self, seat: Seat, ask_id: int) -> bool:
        """True if an ask of that number was put to the player at a seat, open or not."""
        return self._state.asks.was_asked(seat, ask_id)

    def open_asks(self, seat: Seat) -> list[Ask]:
        """The asks that the player at a seat has not answered, oldest first."""
        return [ask for ask in self._state.asks.of(seat) if ask.choice is None]

    def snapshot(self, seat: Seat) -> SeatSnapshot:
        """Everything that the player at a seat may know now, its open asks included."""
        return take_snapshot(self._state, seat)

    # --- the door

    def step(self, what: Input, now: int) -> Step:
        """Take one input at match time `now`; return what came of it, and of the time before."""
        state = self._state
        if now < state.now:
            raise RefereeBug(f"match time runs back from {state.now} to {now}")
        step = state.step = Step(state.event_number + 1)
        banks = state.banks.copy()
        try:
            if self._due is not None and self._due <= now:
                if isinstance(what, Resumed):
                    raise RefereeBug("match time ran on before the resume")
                self._run_due(now)
            state.now = now
            self._dispatch(what)
        except Exception:
            state.banks = banks  # no fact of this step is kept, so nobody was charged in it
            raise
        self._note_due()
        step.due = self._due
        step.needs_deal = state.needs_deal
        step.over = state.over
        return step

    def _dispatch(self, what: Input) -> None:
        state = self._state
        if state.over:
            _after_the_end(state, what)
            return
        match what:
            case Answer():
                answers.receive(state, what)
                if state.failures:
                    endings.end_by_faults(state, state.failures)
            case Handed():
                self._handed(what)
            case Tick():
                pass
            case CallRequest():
                requests.call(state, what)
            case StandDownRequest():
                requests.stand_down(state, what)
            case Deal():
                rounds.deal(state, what)
            case Stalled():
                stalls.stalled(state, what.blocked_ns)
            case Resumed():
                stalls.resumed(state, what.epoch)
            case Fault():
                endings.take_faults(state, (what,))
            case Faults():
                endings.take_faults(state, what.faults)
            case _:
                assert_never(what)

    def _handed(self, what: Handed) -> None:
        """Start the clocks of these players' asks; the window opens with the last of them.

        Asks that came of what was due in this very step are not handed over yet.
        """
        state = self._state
        fresh = {id(ask) for ask in state.step.asks}
        asks = state.asks.all()
        _start_clocks(state, [a for a in asks if id(a) not in fresh], what.seats, what.lags)

    def hand_over(self, seats: Sequence[Seat], now: int, lags: Sequence[int] = ()) -> int | None:
        """Do what `Handed` does where nothing is due by `now`: only clocks start, so no `Step`.

        `lags` are estimates for `seats`, as in `Handed`. Return the new `due`. Where something is
        due, what comes of it needs a step: our bug here.
        """
        state = self._state
        if now < state.now or (self._due is not None and self._due <= now):
            raise RefereeBug(f"a hand-over at {now}, in the past or with something due")
        state.now = now
        _start_clocks(state, state.asks.all(), seats, lags)
        self._note_due()
        return self._due

    # --- time

    def _note_due(self) -> None:
        upcoming = self._upcoming()
        self._due = upcoming[0] if upcoming else None

    def _run_due(self, now: int) -> None:
        """Let everything happen that was due up to `now`, each at its own instant."""
        state = self._state
        while not state.over and (upcoming := self._upcoming()) and upcoming[0] <= now:
            at, order, ask = upcoming
            if state.failures and (at > state.now or order != _TIME_OUT):
                break  # the instant of the forfeit is over
            state.now = max(state.now, at)
            if order == _CLOSE:
                windows.close_at(state, at)
            elif order == _RELEASE:
                turns.release_at(state, at)
            elif order == _WALL:
                endings.abandon(state)
            elif ask is not None:
                answers.time_out(state, ask)
        if state.failures:
            endings.end_by_faults(state, state.failures)

    def _upcoming(self) -> tuple[int, int, Ask | None] | None:
        """What happens next by itself: its instant, its order among equals, and its ask."""
        state = self._state
        first: tuple[int, int, Ask | None] | None = None
        if state.window.state is not SHUT and (closes := windows.due(state)) is not None:
            first = (closes, _CLOSE, None)
        if state.held is not None:
            released = turns.release_due(state)
            if released is not None and (first is None or released < first[0]):
                first = (released, _RELEASE, None)
        if state.settings.clock is None:
            return first
        for ask in state.asks.all():
            ends = deadline(state, ask) if ask.sent >= 0 else None
            if ends is not None and (first is None or ends < first[0]):
                first = (ends, _TIME_OUT, ask)
        wall = state.wall
        if wall is not None and (first is None or wall < first[0]):
            return (wall, _WALL, None)
        return first

    # --- replay

    def recall(self, fact: Fact) -> None:
        """Set the times that a recorded input fact names, which `Handed` set when it was live."""
        state = self._state
        if isinstance(fact, (Answered, TimedOut, Released)) and fact.sent >= 0:
            ask = state.asks.get(fact.seat, fact.ask)
            if ask is not None and ask.sent < 0:
                start_clock(state, ask, fact.sent, lag=fact.lag)
        if isinstance(fact, Released):
            state.grid = fact.asked
            if state.held is not None:
                state.held.sent = fact.sent
        if isinstance(fact, WindowClosed) and fact.opened >= 0:
            state.grid = fact.opened
            state.window.opened = fact.opened
            if state.window.state is WindowState.HANDING:
                state.window.feed(WindowInput.HANDED)
        if isinstance(fact, Faulted):
            state.recalled = fact.sent
        if isinstance(fact, StalledFact):
            for seat, number in fact.asks:
                ask = state.asks.get(seat, number)
                if ask is not None and ask.sent < 0:
                    start_clock(state, ask, fact.at)  # cancelled in the next step: no time counts
        self._note_due()

    def check(self) -> None:
        """Raise `RefereeBug` if an invariant does not hold. For tests, after every step."""
        from referee.match.invariants import check_invariants

        check_invariants(self._state)


# At one instant a window closes first, then an answer takes effect, then time runs out.
_CLOSE, _RELEASE, _TIME_OUT, _WALL = 0, 1, 2, 3


def _start_clocks(
    state: MatchState, asks: Sequence[Ask], seats: Sequence[Seat], lags: Sequence[int]
) -> None:
    """These asks were handed over, as far as they went to `seats`; `lags` empty means none."""
    if lags and len(lags) != len(seats):
        raise RefereeBug(f"{len(lags)} lags for {len(seats)} seats")
    for ask in asks:
        if ask.sent < 0 and ask.to in seats:
            if lags:
                start_clock(state, ask, state.now, lag=lags[seats.index(ask.to)])
            else:
                ask.sent = state.now
    all_handed(state)


def _after_the_end(state: MatchState, what: Input) -> None:
    """Answers that crossed the end of the match are stale; nothing is recorded any more."""
    if isinstance(what, Answer):
        state.ack_number(what.seat, what.ask_id, AckStatus.STALE)
    elif isinstance(what, (CallRequest, StandDownRequest, Fault)):
        _stale_request(state, what)
    elif isinstance(what, Faults):
        for fault in what.faults:
            _stale_request(state, fault)
    elif isinstance(what, (Deal, Resumed)):
        raise RefereeBug(f"{type(what).__name__.lower()} after the end of the match")


def _stale_request(state: MatchState, what: CallRequest | StandDownRequest | Fault) -> None:
    if what.seat is not None and what.request_id is not None:
        state.step.acks.append(
            Ack(seat=what.seat, status=AckStatus.STALE, request_id=what.request_id)
        )
