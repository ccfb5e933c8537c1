"""The match machine alone: matches in virtual time, with nothing around it but random seats.

Three depths are played in turns: the machine, then its facts written as lines of a record too, then
everything that would go over the wire too. Their differences say what each part costs.
"""

import random
import time
from collections.abc import Callable
from typing import NamedTuple

from referee.match.facts import encode_fact
from referee.match.step import Step
from referee.ports import Codec
from referee.wire.codec import WireCodec
from tests.bench.figures import Measured, Table, ratio
from tests.bench.virtual_match import VirtualMatch

_WARM_UP_ROUNDS = 50
_BATCH = 10  # rounds between two looks at the clock
_NAMES = ("machine alone", "with facts as JSON lines", "with wire messages too")


class _Pass(NamedTuple):
    """What one pass of one depth measured."""

    us_an_action: float
    actions_a_round: float
    asks_an_action: float
    facts_an_action: float


class MachineFigures(NamedTuple):
    """Microseconds of processor time an action, by depth, and what a round is made of."""

    us_an_action: dict[str, Measured]
    actions_a_round: Measured
    asks_an_action: Measured
    facts_an_action: Measured


def measure_machine(*, seconds: float, passes: int, seed: int) -> MachineFigures:
    """Play at all depths in turns; `seconds` is the processor time of all passes together."""
    depths = dict(zip(_NAMES, (_nothing, _facts, as_told(WireCodec())), strict=True))
    share = seconds / passes / len(depths)
    found: dict[str, list[_Pass]] = {name: [] for name in depths}
    for number in range(passes):
        for name, on_step in depths.items():
            found[name].append(_one_pass(on_step, share, seed + number))
    alone = found[_NAMES[0]]
    return MachineFigures(
        us_an_action={n: Measured.of([p.us_an_action for p in ps]) for n, ps in found.items()},
        actions_a_round=Measured.of([p.actions_a_round for p in alone]),
        asks_an_action=Measured.of([p.asks_an_action for p in alone]),
        facts_an_action=Measured.of([p.facts_an_action for p in alone]),
    )


def machine_table(figures: MachineFigures, echo_us: float | None) -> Table:
    """Return the table; `echo_us` is the echo's processor time a cycle in the same run."""
    rows = [
        (name, m.text(1), f"{1e6 / m.median / figures.actions_a_round.median:,.0f}",
         ratio(m.median, echo_us))
        for name, m in figures.us_an_action.items()
    ]  # fmt: skip
    return Table(
        title="Match machine alone, pace fast, legal plays included",
        head=("what runs", "us an action", "rounds/s", "x echo, CPU a cycle"),
        rows=rows,
        notes=(
            f"{figures.actions_a_round.median:.1f} actions a round, "
            f"{figures.asks_an_action.median:.2f} asks and "
            f"{figures.facts_an_action.median:.2f} facts an action.",
        ),
    )


def _one_pass(on_step: Callable[[Step], None], seconds: float, seed: int) -> _Pass:
    match = VirtualMatch(random.Random(seed), on_step)
    for _ in range(_WARM_UP_ROUNDS):
        match.play_round()
    match.actions = match.asks = match.facts = 0
    rounds = 0
    began = time.process_time()
    while (spent := time.process_time() - began) < seconds:
        for _ in range(_BATCH):
            match.play_round()
        rounds += _BATCH
    actions = match.actions
    return _Pass(
        1e6 * spent / actions, actions / rounds, match.asks / actions, match.facts / actions
    )


def _nothing(step: Step) -> None:
    """Look at nothing: the machine alone."""


def _facts(step: Step) -> None:
    for fact in step.facts:
        encode_fact(fact)


def as_told(codec: Codec) -> Callable[[Step], None]:
    """Return what encodes a step as for four seats that want their events with their asks."""

    def encode(step: Step) -> None:
        _facts(step)
        if step.events:
            codec.events(step.first_event, step.events, 4)
        for ask in step.asks:
            codec.update(1, (codec.ask_part(ask, time_left_ms=1_000, legal_plays=True),))
        for ack in step.acks:
            codec.ack_part(ack)
        for cancelled in step.cancelled:
            codec.cancelled_part(cancelled)

    return encode
