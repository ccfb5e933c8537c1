"""The rules core in this process: whole random rounds, and the cost of each of its questions."""

import random
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from referee.rules import combinations, hands, legal, round_checks, wish
from referee.rules.cards import Seat, pack
from referee.rules.combinations import read
from referee.rules.options import DEFAULT_OPTIONS
from referee.rules.phases import CallKind, Phase
from referee.rules.round import Round
from tests.bench.figures import Measured, Table, Target
from tests.bench.rules_bench import RoundStats, positions, random_round

PUBLIC_ENGINE_ROUNDS_S = 523  # the fastest public Python engine, on the same class of machine
TO_REACH_ROUNDS_S, AIM_ROUNDS_S = 1_600, 2_600
_POSITIONS = 1_500
_LISTED = 300  # positions whose lists are timed: few enough for the caches to hold
_BATCH = 25  # rounds between two looks at the clock

_CACHED = tuple(
    function
    for module in (combinations, hands, legal, round_checks, wish)
    for function in vars(module).values()
    if hasattr(function, "cache_clear")
)


def forget() -> None:
    """Empty every cache of the rules."""
    for function in _CACHED:
        function.cache_clear()


class Question(NamedTuple):
    """One cost: what to do before a pass, what to time, and how many calls that is.

    Prepared by the work itself, everything that a cache can hold is in it.
    """

    name: str
    prepare: Callable[[], None]
    work: Callable[[], None]
    calls: int


def _cold(name: str, work: Callable[[], None], calls: int) -> Question:
    return Question(f"{name}, cold", forget, work, calls)


def _warm(name: str, work: Callable[[], None], calls: int) -> Question:
    return Question(f"{name}, warm", work, work, calls)


def rules_section(*, seconds: float, passes: int, seed: int) -> tuple[list[Table], list[Target]]:
    """Measure rounds and costs in turns; `seconds` is the processor time of all round passes."""
    rng = random.Random(seed)
    questions = list(_questions(seed))
    rates: list[float] = []
    costs: dict[str, list[float]] = {question.name: [] for question in questions}
    total = RoundStats()
    for _ in range(passes):
        rates.append(_rounds_s(rng, seconds / passes, total))
        for question in questions:
            costs[question.name].append(_ns(question))
    rate = Measured.of(rates)
    tables = [_rounds_table(rate, total), _costs_table(costs)]
    return tables, [rules_target(rate.median)]


def rules_target(rounds_s: float) -> Target:
    """Return the figure to reach of the rules."""
    return Target(
        name="rules: random full rounds/s",
        value=rounds_s,
        unit="rounds/s",
        bound=TO_REACH_ROUNDS_S,
        at_least=True,
        aim=AIM_ROUNDS_S,
    )


def _rounds_s(rng: random.Random, seconds: float, total: RoundStats) -> float:
    """Return rounds a second of processor time: other load on the machine counts less so."""
    rounds = 0
    began = time.process_time()
    while (spent := time.process_time() - began) < seconds:
        for _ in range(_BATCH):
            total.add(random_round(rng, DEFAULT_OPTIONS))
        rounds += _BATCH
    return rounds / spent


def _ns(question: Question) -> float:
    question.prepare()
    began = time.perf_counter_ns()
    question.work()
    return (time.perf_counter_ns() - began) / question.calls


def _questions(seed: int) -> Iterator[Question]:
    stopped = positions(_POSITIONS, seed)
    turns = [(round_, round_.turn) for round_ in stopped if round_.turn is not None]
    free = [(r, seat) for r, seat in turns if not r.wish]
    bound = [(r, seat) for r, seat in turns if r.wish]
    following = [(r, seat) for r, seat in turns if r.table is not None][:_LISTED]
    leading = _first_leads(_LISTED, seed)
    for name, work, calls in (
        ("classify", *_classify(turns)),
        ("list, 14-card lead", *_list(leading)),
        ("list, following", *_list(following)),
    ):
        yield _cold(name, work, calls)
        yield _warm(name, work, calls)
    yield _warm("validate, no wish", *_validate(free))
    yield _warm("validate, open wish", *_validate(bound))


Turns = list[tuple[Round, Seat]]
Work = tuple[Callable[[], None], int]  # and how many calls it makes


def _classify(turns: Turns) -> Work:
    plays = [
        (play.cards, play.phoenix_rank or None)
        for round_, seat in turns
        for play in round_.legal_plays(seat)
    ]

    def work() -> None:
        for cards, rank in plays:
            read(cards, rank)

    return work, len(plays)


def _validate(turns: Turns) -> Work:
    plays = [
        (round_, seat, play.cards, play.phoenix_rank or None)
        for round_, seat in turns
        for play in round_.legal_plays(seat)
    ]

    def work() -> None:
        for round_, seat, cards, rank in plays:
            round_.check_play(seat, cards, phoenix_rank=rank)

    return work, len(plays)


def _list(turns: Turns) -> Work:
    def work() -> None:
        for round_, seat in turns:
            round_.legal_plays(seat)

    return work, len(turns)


def _first_leads(count: int, seed: int) -> Turns:
    """Return positions in which a seat leads with all of its 14 cards."""
    rng = random.Random(seed)
    found: Turns = []
    while len(found) < count:
        order = pack(DEFAULT_OPTIONS)
        rng.shuffle(order)
        round_ = Round.deal(order, dealer=Seat(0), options=DEFAULT_OPTIONS)
        for seat in map(Seat, range(round_.n)):
            round_.call(seat, CallKind.NO_GRAND)
        for seat in map(Seat, range(round_.n)):
            round_.exchange(seat, [1 << n for n in order[seat :: round_.n][:3]])
        if round_.phase is not Phase.PLAY or round_.turn is None:
            raise AssertionError(f"no lead after the exchange, seed {seed}: {round_.phase}")
        found.append((round_, round_.turn))
    return found


def _rounds_table(rate: Measured, total: RoundStats) -> Table:
    decisions = total.decisions / total.rounds
    microseconds = 1e6 / rate.median / decisions
    return Table(
        title="Rules: random full rounds in one process",
        head=("figure", "value"),
        rows=[
            ("rounds/s of processor time", rate.text()),
            ("ratio to the fastest public engine", f"{rate.median / PUBLIC_ENGINE_ROUNDS_S:.2f}"),
            ("microseconds a decision", f"{microseconds:.2f}"),
            ("decisions a round", f"{decisions:.1f}"),
            *(
                (f"{name.replace('_', ' ')} a round", f"{getattr(total, name) / total.rounds:.2f}")
                for name in ("plays", "passes", "bombs_out_of_turn", "wishes", "calls")
            ),
        ],
    )


def _costs_table(costs: dict[str, list[float]]) -> Table:
    return Table(
        title="Rules: nanoseconds a call",
        head=("question", "median", "lowest", "highest"),
        rows=[
            (name, f"{m.median:,.0f}", f"{m.lowest:,.0f}", f"{m.highest:,.0f}")
            for name, m in ((name, Measured.of(values)) for name, values in costs.items())
        ],
        notes=("cold: no hand was asked about before; warm: every one was.",),
    )
