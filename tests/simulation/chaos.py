"""Bots at their worst: illegal, late and repeated answers, silence, odd calls, slow writers.

And links of any lag, true or faked, and a referee that is blocked now and then.

Everything comes from one seed. What must hold whatever they do is in `audit`.
"""

import random
from collections.abc import Callable, Sequence

from referee.match.facts import (
    Answered,
    MatchEnded,
    Released,
    RoundEnded,
    TimedOut,
    decode_fact,
    encode_fact,
)
from referee.match.inputs import (
    Answer,
    CallRequest,
    Decision,
    Stalled,
    StandDownRequest,
    Tick,
)
from referee.match.step import Ask
from referee.match.values import MS, AckStatus, Settings
from referee.rules.cards import FIRST_PACK_RANKS, ONE_PACK, SUITS, card_numbers, mask_of
from referee.rules.option_values import Variant
from referee.rules.options import RuleOptions, columns, player_seats, seats
from referee.rules.phases import CallKind, Phase
from referee.rules.position import Position
from referee.rules.seat import Seat
from tests.simulation.nonsense import nonsense
from tests.simulation.table import Table, random_policy

LENIENT = 100_000  # strikes that a seat may have where a match is to be played to its end


class Chaos:
    """Drives a table with inputs of every kind. `seed` gives them all."""

    def __init__(self, what: Settings, *, seed: str, bombs: bool = False) -> None:
        self.rng = random.Random(seed)
        position = bomb_rich(self.rng, what) if bombs else None
        self.table = Table(what, seed=seed, position=position)
        self.table.hold_hands = True
        self.table.start()
        self._policy = random_policy(self.rng)
        self._said: list[tuple[Ask, Decision]] = []
        self._tricks: Sequence[tuple[float, Callable[[], None]]] = (
            (60, self.answer),
            (25, self.hand_over),
            (8, self.pass_time),
            (4, self.nonsense),
            (3, self.repeat),
            (3, self.crossed),
            (2, self.call),
            (2, self.stand_down),
            (1, self.fall_silent),
            (1, self.stall),
        )

    def play(self, *, max_steps: int = 30_000) -> MatchEnded:
        """Run to the end of the match."""
        self.run(steps=max_steps)
        assert self.table.machine.over, f"no end after {max_steps} steps"
        return self.table.ended

    def run(self, *, steps: int) -> None:
        """Run for so many steps, or to the end of the match."""
        weights = [weight for weight, _ in self._tricks]
        tricks = [trick for _, trick in self._tricks]
        for _ in range(steps):
            if self.table.machine.over:
                return
            self.rng.choices(tricks, weights)[0]()

    # --- what can happen

    def _open(self) -> list[Ask]:
        machine = self.table.machine
        return [ask for seat in range(machine.seats) for ask in machine.open_asks(Seat(seat))]

    def _say(self, ask: Ask, decision: Decision) -> None:
        self._said.append((ask, decision))
        before = len(self.table.acks)
        self.table.step(Answer(ask.to, ask.id, decision))
        mine = [a for a in self.table.acks[before:] if (a.seat, a.ask_id) == (ask.to, ask.id)]
        assert mine, "an answer was dropped silently"

    def answer(self) -> None:
        """A legal answer to some open ask, handed over or not."""
        asks = self._open()
        if asks:
            ask = self.rng.choice(asks)
            self.table.now += self.rng.randrange(8 * MS)
            if ask.choice is None:
                self._say(ask, self._policy(self.table, ask))

    def hand_over(self) -> None:
        """The writers let some frames go."""
        waiting = sorted(set(self.table.unhanded))
        if waiting:
            some = self.rng.sample(waiting, self.rng.randint(1, len(waiting)))
            self.table.now += self.rng.randrange(2 * MS)
            self.table.hand_over(*some, lags=[self._lag() for _ in some])

    def _lag(self) -> int:
        """None, a good link's, a bad one's, or a lie."""
        most = self.rng.choice((1, 3 * MS, 200 * MS, 10_000 * MS))
        return self.rng.randrange(most)

    def stall(self) -> None:
        """The referee was blocked, and asks anew what was open."""
        self.table.now += self.rng.randrange(2 * MS)
        self.table.step(Stalled(blocked_ns=self.rng.randrange(1, 3_000) * MS))

    def pass_time(self) -> None:
        """A while without inputs; sometimes exactly to what is due next, or just before it."""
        due = self.table.machine.due
        running = due is not None and self.table.now < due != self.table.wall
        if due is not None and running and self.rng.random() < 0.6:
            self.table.now = due - self.rng.choice((0, 0, 1))
        else:
            self.table.now += self.rng.randrange(60 * MS)
        self.table.step(Tick())

    def fall_silent(self) -> None:
        """Nobody says anything until somebody's time is over."""
        self.hand_over()
        self.table.now += 7_000 * MS
        self.table.step(Tick())

    def nonsense(self) -> None:
        """An answer that is illegal, most of the time; now and then until it counts."""
        asks = self._open()
        if asks:
            ask = self.rng.choice(asks)
            for _ in range(self.rng.choice((1, 1, 1, 3))):
                self._say(ask, nonsense(self.rng))

    def repeat(self) -> None:
        """An answer once more, open, closed or long forgotten."""
        if self._said:
            ask, decision = self.rng.choice(self._said[-30:] + self._said[:1])
            self._say(ask, decision)

    def crossed(self) -> None:
        """An answer to an ask that may be over, or never was."""
        if self.table.asks:
            ask = self.rng.choice(self.table.asks[-40:])
            number = ask.id + self.rng.choice((0, 0, 0, 5))
            odd = Ask(seat=ask.seat, to=ask.to, id=number, kind=ask.kind)
            self._say(odd, nonsense(self.rng))

    def call(self) -> None:
        """A call that stands alone."""
        hand, player = self._any_hand()
        kind = self.rng.choice((CallKind.TICHU, CallKind.TICHU, CallKind.GRAND))
        request = CallRequest(seat=player, call=kind, request_id=3, for_seat=hand)
        step = self.table.step(request)
        assert 3 in [ack.request_id for ack in step.acks]

    def stand_down(self) -> None:
        """Out of the bomb windows, where that is legal."""
        hand, player = self._any_hand()
        step = self.table.step(StandDownRequest(seat=player, request_id=4, for_seat=hand))
        assert 4 in [ack.request_id for ack in step.acks]

    def _any_hand(self) -> tuple[Seat | None, Seat]:
        """A hand, None = the player's own, and its player; now and then one that it is not."""
        machine = self.table.machine
        hand = Seat(self.rng.randrange(machine.seats))
        player = machine.player_of(hand)
        if hand == player:
            return None, player
        wrong = self.rng.choice(player_seats(machine.config.settings.rules))
        return hand, self.rng.choice((player, player, wrong))


def bomb_rich(rng: random.Random, what: Settings) -> Position:
    """All cards dealt, the exchange owed, and far more bombs than a shuffle gives."""
    hands, free = [0] * 4, ONE_PACK
    for _ in range(5):
        seat = rng.randrange(4)
        bomb = rng.choice(_BOMBS)
        if not bomb & ~free and (hands[seat] | bomb).bit_count() <= 14:
            hands[seat] |= bomb
            free &= ~bomb
    rest = card_numbers(free)
    rng.shuffle(rest)
    for seat in range(4):
        missing = 14 - hands[seat].bit_count()
        hands[seat] |= mask_of(rest[:missing])
        rest = rest[missing:]
    return Position(
        hands=tuple(hands),
        phase=Phase.EXCHANGE if what.rules.rounds == 1 else Phase.GRAND,
        dealt_first=() if what.rules.rounds == 1 else tuple(_first_eight(hand) for hand in hands),
        options=what.rules,
    )


def _first_eight(hand: int) -> int:
    return mask_of(card_numbers(hand)[:8])


_FOURS = [FIRST_PACK_RANKS[rank] for rank in range(2, 15)]
_ROWS = [
    sum(FIRST_PACK_RANKS[rank] & SUITS[suit] for rank in range(low, low + 5))
    for low in range(2, 11)
    for suit in range(4)
]
_BOMBS = _FOURS + _ROWS


# --- the auditor


def audit(table: Table, seed: str) -> None:
    """What must hold after any match, whatever the bots did."""
    assert table.replays() == [], f"{seed=}"
    for fact in table.facts:
        assert decode_fact(encode_fact(fact)) == fact, f"{seed=} {fact}"
    _audit_scores(table, seed)
    _audit_banks(table, seed)
    _audit_quotas(table, seed)
    _audit_times(table, seed)
    _audit_acks(table, seed)
    assert [fact.at for fact in table.facts] == sorted(fact.at for fact in table.facts), f"{seed=}"
    assert len(table.events) == table.machine.snapshot(Seat(0)).last_event, f"{seed=}"


def _audit_scores(table: Table, seed: str) -> None:
    ended = [fact for fact in table.facts if isinstance(fact, RoundEnded)]
    rules = table.config.settings.rules
    totals = [0] * columns(rules)
    for fact in ended:
        _audit_round(rules, fact, seed)
        totals = [total + points for total, points in zip(totals, fact.points, strict=True)]
        assert list(fact.totals) == totals, f"{seed=} {fact}"
    assert table.ended.rounds == len(ended), f"{seed=}"


def _audit_round(rules: RuleOptions, fact: RoundEnded, seed: str) -> None:
    """What a round brings: 100 points of cards to share, or none at all (F2, F3, G8, H8, I4)."""
    where = f"{seed=} {fact}"
    if rules.variant is Variant.GRAND_SEIGNEUR:
        assert sorted(fact.ranks) == list(range(seats(rules))), where
        assert (fact.points, fact.card_points, fact.calls, fact.totals) == ((), (), (), ()), where
        return
    assert not fact.ranks, where
    if fact.refused is not None:
        assert fact.card_points == (), where
        assert sorted(set(fact.points))[1:] == [0], where
        assert min(fact.points) in (-100, -200, -400), where
    elif not fact.double_victory and not rules.trichu_last_burns_points:
        whole = 200 if rules.variant is Variant.TRICHU else 100  # each player has its team's
        assert sum(fact.card_points) == whole, where
    if rules.variant is Variant.TRICHU:
        assert len(set(fact.points)) <= 2, where


def _audit_banks(table: Table, seed: str) -> None:
    """The bank at the start minus the charges on record is the bank left, exactly."""
    clock = table.config.settings.clock
    start = clock.bank_ns if clock else 0
    hands = {(ask.to, ask.id): ask.seat for ask in table.asks}
    charged = [0] * table.machine.seats
    for fact in table.facts:
        if isinstance(fact, Answered | Released | TimedOut) and fact.charged:
            charged[hands[fact.seat, fact.ask]] += fact.charged
    assert [start - spent for spent in charged] == list(table.ended.banks), f"{seed=}"


def _audit_quotas(table: Table, seed: str) -> None:
    """No ask is granted more lag than its cap, and the quota is used up by what that saved."""
    clock = table.config.settings.clock
    cap, quota = (clock.lag_cap_ns, clock.lag_quota_ns) if clock else (0, 0)
    for fact in table.facts:
        if isinstance(fact, Answered | Released | TimedOut):
            assert 0 <= fact.lag <= cap, f"{seed=} {fact}"
    for seat in range(table.machine.seats):
        saved = sum(_saved(ask) for ask in table.asks if ask.to == seat and ask.charged >= 0)
        assert quota - saved == table.quota(seat) >= 0, f"{seed=} {seat=}"


def _saved(ask: Ask) -> int:
    """What the lag of a settled ask saved of its bank or of its end: time over the base."""
    if ask.base_ns is None or ask.sent < 0:
        return 0
    over = ask.stamp - ask.sent - ask.base_ns
    return max(0, over) - max(0, over - ask.lag)


def _audit_times(table: Table, seed: str) -> None:
    """What a seat is told of its time adds up to the time from hand-over to stamp."""
    asks = {(ask.to, ask.id): ask for ask in table.asks}
    for ack in table.acks:
        if ack.used_ns is None or ack.ask_id is None:
            continue
        ask = asks[ack.seat, ack.ask_id]
        assert ack.charged_ns == ask.charged, f"{seed=} {ack}"
        assert ack.used_ns + (ack.network_ns or 0) == max(0, ask.stamp - ask.sent), f"{seed=} {ack}"
        assert (ack.network_ns or 0) <= ask.lag, f"{seed=} {ack}"


def _audit_acks(table: Table, seed: str) -> None:
    """No answer is applied twice, and none is applied that was void."""
    said: dict[tuple[int, int], list[AckStatus]] = {}
    for ack in table.acks:
        if ack.ask_id is not None:
            said.setdefault((ack.seat, ack.ask_id), []).append(ack.status)
    for key, statuses in said.items():
        applied = statuses.count(AckStatus.APPLIED)
        assert applied + (AckStatus.VOID_BOMBED in statuses) <= 1, f"{seed=} {key} {statuses}"
        if applied:
            assert AckStatus.RECEIVED in statuses[: statuses.index(AckStatus.APPLIED)], f"{seed=}"
