"""How fast the rules core is: random full rounds a second, and the cost of each question.

    python tests/bench/rules_bench.py [SECONDS]

`random_round` plays everything that the rules of a game have: Grand and small calls, the exchange,
wishes, bombs in turn, out of turn and after the last pass, and Dragon gifts. Every play comes from
the canonical list of legal plays, and after every action every other seat is asked for a bomb.
"""

import random
import sys
import time
from collections.abc import Callable, Sequence

import msgspec

from referee.rules.cards import MAHJONG, Seat, card_numbers, pack
from referee.rules.exchanges import Forced, Slots, forced_choice
from referee.rules.option_values import Variant
from referee.rules.options import DEFAULT_OPTIONS, RuleOptions, seats
from referee.rules.phases import CallKind, Phase
from referee.rules.round import Round
from referee.rules.seating import TRICHU_PLAYERS, order_of_ranks

_GRAND_CHANCE = 0.05
_TICHU_CHANCE = 0.02  # before each turn while it is still possible
_BOMB_CHANCE = 0.3  # by each seat that could throw one, after each action
_WISH_CHANCE = 0.8

# a member looked up through its enum costs ten times a global
_OVER, _DRAGON, _DOG, _TICHU = Phase.ROUND_OVER, Phase.DRAGON, Phase.DOG, CallKind.TICHU


class RoundStats(msgspec.Struct, kw_only=True):
    """What happened in one round, or in many added up."""

    rounds: int = 0
    decisions: int = 0  # plays, passes, gifts, calls, exchanges
    plays: int = 0
    passes: int = 0
    listed: int = 0  # plays in all lists
    bombs_out_of_turn: int = 0
    wishes: int = 0
    calls: int = 0
    score_sum: int = 0

    def add(self, other: "RoundStats") -> None:
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def random_round(rng: random.Random, options: RuleOptions = DEFAULT_OPTIONS) -> RoundStats:
    """Play one round at random to its end."""
    round_ = _dealt(rng, options)
    stats = RoundStats(rounds=1)
    _before_play(round_, rng, stats)
    while round_.phase is not _OVER:
        _one_action(round_, rng, stats)
        if round_.table is not None and round_.phase is not _DRAGON:
            _window(round_, rng, stats)
    stats.score_sum = sum(round_.card_points)
    return stats


def _dealt(rng: random.Random, options: RuleOptions) -> Round:
    """Deal a round by any seat; one of Grand Seigneur as after another, so with an exchange."""
    order = pack(options)
    rng.shuffle(order)
    if options.variant is Variant.GRAND_SEIGNEUR:
        ranks = rng.sample(list(map(Seat, range(seats(options)))), seats(options))
        turns = order_of_ranks(ranks, options)
        return Round.deal(order, dealer=ranks[-1], options=options, turn_order=turns, ranks=ranks)
    dealers = TRICHU_PLAYERS if options.variant is Variant.TRICHU else range(seats(options))
    return Round.deal(order, dealer=Seat(rng.choice(dealers)), options=options)


def _before_play(round_: Round, rng: random.Random, stats: RoundStats) -> None:
    for seat in round_.decisions_owed():
        grand = rng.random() < _GRAND_CHANCE
        round_.call(seat, CallKind.GRAND if grand else CallKind.NO_GRAND)
        stats.calls += grand
        stats.decisions += 1
    for seat in map(Seat, range(round_.n)):
        slots = round_.exchange_slots(seat)
        if slots:
            round_.exchange(seat, _given(round_, seat, slots, rng))
            stats.decisions += 1


def _given(round_: Round, seat: Seat, slots: Slots, rng: random.Random) -> Sequence[int]:
    """Return random cards, one mask a slot, or those that a low rank must give (I3)."""
    if slots[0].forced is not Forced.FREE:
        return forced_choice(slots, round_.hands[seat], round_.options)
    numbers = rng.sample(card_numbers(round_.hands[seat]), sum(slot.count for slot in slots))
    return [sum([1 << numbers.pop() for _ in range(slot.count)]) for slot in slots]


def _one_action(round_: Round, rng: random.Random, stats: RoundStats) -> None:
    stats.decisions += 1
    seat = round_.turn
    if seat is None:
        round_.collect()
        return
    if round_.phase is _DOG:
        round_.give_dog(seat, rng.choice(round_.dog_recipients(seat)))
        return
    if round_.phase is _DRAGON:
        round_.give_dragon(seat, rng.choice(round_.dragon_recipients(seat)))
        return
    if not round_.has_played[seat] and rng.random() < _TICHU_CHANCE:
        stats.calls += round_.call(seat, _TICHU) is None
    plays = round_.legal_plays(seat)
    listed = len(plays)
    stats.listed += listed
    chosen = int(rng.random() * (listed + round_.may_pass(seat)))
    if chosen == listed:
        round_.pass_turn(seat)
        stats.passes += 1
        return
    play = plays[chosen]
    wish = None
    if play.cards & MAHJONG and rng.random() < _WISH_CHANCE:
        wish = rng.randrange(2, 15)
        stats.wishes += 1
    round_.play_checked(seat, play, wish)
    stats.plays += 1


def _window(round_: Round, rng: random.Random, stats: RoundStats) -> None:
    for seat in round_.bomb_holders():
        if seat != round_.turn and rng.random() < _BOMB_CHANCE:
            round_.play_checked(seat, rng.choice(round_.legal_bombs(seat)))
            stats.bombs_out_of_turn += 1
            return


def rounds_per_second(seconds: float, seed: int) -> tuple[float, RoundStats]:
    """Return random full rounds a second of processor time in this process, and what was played."""
    rng = random.Random(seed)
    total = RoundStats()
    began = time.process_time()
    while time.process_time() - began < seconds:
        for _ in range(50):
            total.add(random_round(rng))
    return total.rounds / (time.process_time() - began), total


def positions(count: int, seed: int, options: RuleOptions = DEFAULT_OPTIONS) -> list[Round]:
    """Return rounds stopped at a random turn of play."""
    rng = random.Random(seed)
    found: list[Round] = []
    stats = RoundStats()
    while len(found) < count:
        round_ = _dealt(rng, options)
        _before_play(round_, rng, stats)
        while round_.phase is not Phase.ROUND_OVER:
            if round_.phase is Phase.PLAY and rng.random() < 0.1:
                found.append(round_.copy())
            _one_action(round_, rng, stats)
    return found[:count]


def _ns(work: Callable[[], object], calls: int) -> float:
    """Return nanoseconds a call, the best of five runs."""
    best = float("inf")
    for _ in range(5):
        began = time.process_time_ns()
        work()
        best = min(best, time.process_time_ns() - began)
    return best / calls


def costs(seed: int) -> dict[str, float]:
    """Return nanoseconds for classify, validate, pass check, bomb check, list, copy."""
    from referee.rules.combinations import read

    stopped = positions(300, seed)  # few enough for the caches to hold
    plays = [(r, r.turn, p.cards, p.phoenix_rank or None) for r in stopped if r.turn is not None
             for p in r.legal_plays(r.turn)]  # fmt: skip
    turns = [(r, r.turn) for r in stopped if r.turn is not None]

    def classify() -> None:
        for _, _, cards, rank in plays:
            read(cards, rank)

    def validate() -> None:
        for r, seat, cards, rank in plays:
            r.check_play(seat, cards, phoenix_rank=rank)

    def passes() -> None:
        for r, seat in turns:
            r.check_pass(seat)

    def bombs() -> None:
        for r, seat in turns:
            r.holds_legal_bomb(seat)

    def lists() -> None:
        for r, seat in turns:
            r.legal_plays(seat)

    def copies() -> None:
        for r, _ in turns:
            r.copy()

    return {
        "classify": _ns(classify, len(plays)),
        "validate": _ns(validate, len(plays)),
        "pass check": _ns(passes, len(turns)),
        "bomb check": _ns(bombs, len(turns)),
        "list, warm": _ns(lists, len(turns)),
        "copy": _ns(copies, len(turns)),
    }


def main(seconds: float = 5.0, seed: int = 1) -> None:
    """Print the figures."""
    rate, stats = rounds_per_second(seconds, seed)
    print(f"random full rounds/s  {rate:10,.0f}   (seed {seed}, {stats.rounds} rounds)")
    print(f"microseconds/decision {1e6 / rate * stats.rounds / stats.decisions:10.2f}")
    for name in ("decisions", "plays", "passes", "listed", "bombs_out_of_turn", "wishes", "calls"):
        print(f"{name + ' a round':22s}{getattr(stats, name) / stats.rounds:10.2f}")
    for name, ns in costs(seed).items():
        print(f"{name + ', ns':22s}{ns:10.0f}")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 5.0)
