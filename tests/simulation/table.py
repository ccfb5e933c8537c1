"""A match in virtual time, for tests: the machine, a clock that the test moves, and what seats got.

Invariants are checked after every step, so every test that uses a `Table` is a test of them.
"""

import hashlib
import random
from collections.abc import Callable, Sequence

from referee.match import rounds
from referee.match.facts import Fact, MatchEnded, Strike, WindowClosed
from referee.match.inputs import (
    Answer,
    BombDecision,
    CallDecision,
    CallRequest,
    Deal,
    Decision,
    DeclineDecision,
    DefaultDecision,
    ExchangeDecision,
    Handed,
    Input,
    PassDecision,
    PlayDecision,
    SeatDecision,
    Stalled,
    StandDownRequest,
    Tick,
)
from referee.match.machine import Machine
from referee.match.replay import Difference, replay_into
from referee.match.step import Ack, Ask, Cancelled, Event, Refused, Step
from referee.match.values import (
    MS,
    AckStatus,
    AskKind,
    Clock,
    MatchConfig,
    Pace,
    Player,
    Settings,
)
from referee.rules.cards import card_numbers
from referee.rules.exchanges import ExchangeSlot, Forced, forced_choice
from referee.rules.notation import format_cards
from referee.rules.options import RuleOptions, seats
from referee.rules.phases import CallKind
from referee.rules.position import Position
from referee.rules.round import Round
from referee.rules.seat import Seat
from referee.rules.views import PublicView

Policy = Callable[["Table", Ask], Decision]

SHORT_CLOCK = Clock(base_ns=1000 * MS, bank_ns=5000 * MS)


def settings(
    *,
    pace: Pace = Pace.FAST,
    rules: RuleOptions | None = None,
    window_ms: int = 50,
    clock: Clock | None = SHORT_CLOCK,
    max_strikes: int = 10,
    max_actions: int = 1_000,
    max_rounds: int = 60,
    wall_per_round_ms: int = 600_000,
) -> Settings:
    """Settings with short windows, for tests."""
    return Settings(
        rules=rules or RuleOptions(rounds=1),
        pace=pace,
        window_ns=window_ms * MS,
        clock=clock,
        max_strikes=max_strikes,
        max_actions=max_actions,
        max_rounds=max_rounds,
        wall_per_round_ns=wall_per_round_ms * MS,
    )


class Table:
    """A running match. `now` is match time; it moves only when the test says so.

    With a `position` the match begins there instead of at a deal.
    """

    def __init__(
        self,
        what: Settings,
        *,
        seed: str = "table",
        match_id: str = "m-test",
        position: Position | None = None,
    ) -> None:
        n = seats(what.rules)
        players = tuple(Player(name=f"bot {seat}") for seat in range(n))
        self.config = MatchConfig(match_id=match_id, settings=what, players=players)
        self.machine = Machine(self.config)
        self.seed = seed
        self.position = position
        self.now = 0
        self.facts: list[Fact] = []
        self.events: list[Event] = []
        self.acks: list[Ack] = []
        self.refused: list[Refused] = []
        self.cancelled: list[Cancelled] = []
        self.asks: list[Ask] = []
        self.unhanded: list[Seat] = []
        self.hold_hands = False  # True: the test hands asks over itself
        self.lags = [0] * n  # what each link is taken to need there and back, nanoseconds

    # --- moving

    def start(self) -> "Table":
        """Deal the first round, or enter the crafted position."""
        if self.position is None:
            self._deal()
            return self
        self._keep(enter(self.machine, self.position))
        if self.unhanded and not self.hold_hands:
            self.hand_over(*self.unhanded)
        return self

    def _deal(self) -> Step:
        number = self.machine.round_number + 1
        seed = hashlib.sha256(f"{self.seed}|{number}".encode()).hexdigest()
        return self.step(Deal(seed=seed))

    def step(self, what: Input) -> Step:
        """Feed an input, check the invariants, keep what came out, hand asks over, deal on."""
        step = self.machine.step(what, self.now)
        self.machine.check()
        self._keep(step)
        if self.unhanded and not self.hold_hands:
            self.hand_over(*self.unhanded)
        if step.needs_deal and not isinstance(what, Deal):
            self._deal()
        return step

    def _keep(self, step: Step) -> None:
        assert step.first_event == len(self.events) + 1, "events are numbered without gap"
        self.facts += step.facts
        self.events += step.events
        self.acks += step.acks
        self.refused += step.refused
        self.cancelled += step.cancelled
        told = [(cancelled.seat, cancelled.ask_id) for cancelled in self.cancelled]
        assert len(told) == len(set(told)), "an ask is cancelled once"
        self.asks += step.asks
        self.unhanded += [ask.to for ask in step.asks]

    def hand_over(self, *who: Seat | int, lags: Sequence[int] = ()) -> Step:
        """Tell the machine that the asks of these seats were handed to the writers.

        `lags` are those of their links, in nanoseconds; none given: as `self.lags` has them.
        """
        names = tuple(Seat(s) for s in who)
        self.unhanded = [seat for seat in self.unhanded if seat not in names]
        given = tuple(lags) or tuple(self.lags[seat] for seat in names)
        step = self.machine.step(Handed(seats=names, lags=given), self.now)
        self.machine.check()
        self._keep(step)
        return step

    def wait(self, ms: float) -> Step:
        """Let time pass, then tick."""
        self.now += int(ms * MS)
        return self.step(Tick())

    def stall(self, ms: float) -> Step:
        """The referee is blocked from now on, for so long, and hands over what it asks anew."""
        held, self.hold_hands = self.hold_hands, True
        step = self.step(Stalled(blocked_ns=int(ms * MS)))
        self.now += int(ms * MS)
        self.hold_hands = held
        if self.unhanded and not held:
            self.hand_over(*self.unhanded)
        return step

    @property
    def wall(self) -> int | None:
        """When the match is abandoned in its running round: due as long as nothing else is."""
        what = self.config.settings
        return what.wall_ns(seats=self.machine.seats, round_number=self.machine.round_number)

    def wait_until_due(self) -> Step:
        """Let time pass until something happens by itself."""
        due = self.machine.due
        assert due is not None, "nothing will happen by itself"
        self.now = max(self.now, due)
        return self.step(Tick())

    # --- seats

    def ask(self, seat: int, kind: AskKind | None = None) -> Ask:
        """The open ask of a seat (of a kind)."""
        found = [a for a in self.machine.open_asks(Seat(seat)) if kind is None or a.kind is kind]
        assert found, f"seat {seat} has no open ask {kind or ''}"
        return found[-1]

    def asked(self, kind: AskKind | None = None) -> list[Seat]:
        """The seats with an open ask (of a kind)."""
        return [
            Seat(seat)
            for seat in range(self.machine.seats)
            if any(kind is None or ask.kind is kind for ask in self.machine.open_asks(Seat(seat)))
        ]

    def answer(self, seat: int, decision: Decision, *, kind: AskKind | None = None) -> Ack:
        """Answer the open ask of a seat; return the first acknowledgement."""
        return self.answer_ask(self.ask(seat, kind), decision)

    def answer_ask(self, ask: Ask, decision: Decision) -> Ack:
        """Answer an ask, open or not; return the first acknowledgement."""
        before = len(self.acks)
        self.step(Answer(ask.to, ask.id, decision))
        mine = [a for a in self.acks[before:] if a.seat == ask.to and a.ask_id == ask.id]
        assert mine, "an answer was dropped silently"
        return mine[0]

    def default(self, ask: Ask) -> Ack:
        """Ask for the substitute action."""
        return self.answer_ask(ask, DefaultDecision())

    def act(self, seat: int, decision: Decision) -> None:
        """Answer the act or choose_seat ask of a seat, and let the answer take effect."""
        asks = [*self.machine.open_asks(Seat(seat))]
        ask = next(a for a in asks if a.kind in (AskKind.ACT, AskKind.CHOOSE_SEAT))
        self.answer_ask(ask, decision)
        while self.statuses(ask)[-1] is AckStatus.RECEIVED:
            self.wait_until_due()
        assert self.statuses(ask)[-1] is AckStatus.APPLIED, self.refused[-1:]

    def call(self, seat: int) -> AckStatus:
        """Call Tichu alone."""
        before = len(self.acks)
        self.step(CallRequest(seat=Seat(seat), call=CallKind.TICHU, request_id=7))
        return next(a.status for a in self.acks[before:] if a.request_id == 7)

    def stand_down(self, seat: int) -> AckStatus:
        """Stand down."""
        before = len(self.acks)
        self.step(StandDownRequest(seat=Seat(seat), request_id=8))
        return next(a.status for a in self.acks[before:] if a.request_id == 8)

    # --- whole matches

    def play(self, policy: Policy, rng: random.Random, *, max_steps: int = 50_000) -> MatchEnded:
        """Let every open ask be answered by `policy`, in random order, to the end of the match."""
        for _ in range(max_steps):
            if self.machine.over:
                break
            waiting = [
                ask
                for seat in range(self.machine.seats)
                for ask in self.machine.open_asks(Seat(seat))
            ]
            if waiting and rng.random() < 0.9:
                ask = rng.choice(waiting)
                self.now += rng.randrange(3) * MS
                self.step(Answer(ask.to, ask.id, policy(self, ask)))
            elif self.machine.due is not None:
                self.now = max(self.now, min(self.machine.due, self.now + 20 * MS))
                self.step(Tick())
        ended = self.facts[-1]
        assert isinstance(ended, MatchEnded), f"no end after {max_steps} steps: {ended}"
        return ended

    def replays(self) -> list[Difference]:
        """Feed the recorded inputs again; return where the facts differ (nowhere)."""
        machine = Machine(self.config)
        if self.position is not None:
            enter(machine, self.position)
        return [d for d in replay_into(machine, self.facts) if isinstance(d, Difference)]

    # --- what came of it

    def hand(self, seat: int) -> str:
        """The cards that a seat holds, by its own snapshot."""
        view = self.machine.snapshot(Seat(seat)).view
        assert view is not None
        return format_cards(view.hand)

    @property
    def public(self) -> PublicView:
        """What everybody sees now."""
        view = self.machine.snapshot(Seat(0)).view
        assert view is not None
        return view.public

    def quota(self, seat: int) -> int:
        """Nanoseconds of lag that a seat may yet be credited."""
        return self.machine._state.quotas[seat]

    @property
    def lag_quota_ns(self) -> int:
        """What each seat may be credited over the match."""
        clock = self.config.settings.clock
        return clock.lag_quota_ns if clock else 0

    def bank(self, seat: int) -> int:
        """Nanoseconds left in the bank of a seat."""
        return self.machine._state.banks[seat]

    def landings(self) -> list[int | None]:
        """Who bombed in each window that is over, None where nobody did."""
        return [fact.bomber for fact in self.facts if isinstance(fact, WindowClosed)]

    def strikes(self) -> list[tuple[int, str]]:
        """Who was given a strike, and why, in order."""
        return [(fact.seat, fact.why) for fact in self.facts if isinstance(fact, Strike)]

    @property
    def ended(self) -> MatchEnded:
        """The last fact of a match that is over."""
        last = self.facts[-1]
        assert isinstance(last, MatchEnded), f"the match is not over: {last}"
        return last

    def told(self) -> list[str]:
        """The names of all events so far."""
        return [type(event).__name__ for event in self.events]

    def statuses(self, ask: Ask) -> list[AckStatus]:
        """Every acknowledgement of the answers to an ask, in order."""
        return [a.status for a in self.acks if a.seat == ask.to and a.ask_id == ask.id]


def enter(machine: Machine, position: Position) -> Step:
    """Put a new machine into a position, as if its round had come there.

    The one place where tests reach into the machine: no seed gives a wanted position.
    """
    state = machine._state
    state.begin(Round.from_position(position))
    state.round_number, state.needs_deal = 1, False
    state.wall = state.settings.wall_ns(seats=state.n, round_number=1)
    state.step = Step(state.event_number + 1)
    rounds.enter_phase(state)
    return state.step


def random_policy(rng: random.Random) -> Policy:
    """A bot that answers anything legal, calls now and then and bombs half the time."""

    def choose(table: Table, ask: Ask) -> Decision:
        match ask.kind:
            case AskKind.CALL:
                return CallDecision(choice=rng.choice(ask.choices[-1:] * 5 + ask.choices))
            case AskKind.EXCHANGE:
                return _random_gifts(table, ask, rng)
            case AskKind.ACT:
                return _random_act(ask, rng)
            case AskKind.BOMB:
                if ask.plays and rng.random() < 0.5:
                    return BombDecision(index=rng.randrange(len(ask.plays)))
                return DeclineDecision()
            case AskKind.CHOOSE_SEAT:
                return SeatDecision(seat=rng.choice(ask.seats))

    return choose


def hand_of(table: Table, ask: Ask) -> int:
    """The hand that an ask is about, as the snapshot of its player shows it."""
    view = table.machine.snapshot(ask.to).view
    assert view is not None
    return view.hand if ask.seat == ask.to else dict(view.open_hands)[ask.seat]


def _random_gifts(table: Table, ask: Ask, rng: random.Random) -> Decision:
    hand, chosen = hand_of(table, ask), []
    free = [size for _, size, forced in ask.slots if forced is Forced.FREE]
    for to, size, forced in ask.slots:
        if forced is not Forced.FREE:
            slot = ExchangeSlot(to, size, forced)
            (cards,) = forced_choice((slot,), hand, table.config.settings.rules)
            chosen.append((int(to), tuple(card_numbers(cards))))
            hand &= ~cards
    drawn = iter(rng.sample(card_numbers(hand), sum(free)))
    for to, size, forced in ask.slots:
        if forced is Forced.FREE:
            chosen.append((int(to), tuple(next(drawn) for _ in range(size))))
    gifts = tuple(chosen)
    return ExchangeDecision(gifts=gifts, tichu=ask.may_call_tichu and rng.random() < 0.05)


def _random_act(ask: Ask, rng: random.Random) -> Decision:
    tichu = ask.may_call_tichu and rng.random() < 0.05
    if ask.may_pass and (not ask.plays or rng.random() < 0.3):
        return PassDecision(tichu=tichu)
    index = rng.randrange(len(ask.plays))
    holds_one = bool(ask.plays[index].cards & 1 << 4)
    wish = rng.randrange(2, 15) if holds_one and (ask.wish_required or rng.random() < 0.7) else None
    return PlayDecision(index=index, wish=wish, tichu=tichu)


def random_match(what: Settings, *, seed: str) -> Table:
    """A whole match of random bots; the seed gives the deals and every decision."""
    rng = random.Random(seed)
    table = Table(what, seed=seed).start()
    table.play(random_policy(rng), rng)
    return table
