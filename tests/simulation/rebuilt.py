"""A match whose referee was killed, built again from its facts (DESIGN 3)."""

from collections.abc import Iterator, Sequence

import msgspec

from referee.match.facts import Fact
from referee.match.inputs import Resumed
from referee.match.machine import Machine
from referee.match.replay import Replayed, replay_into
from referee.match.state import Barrier, MatchState
from referee.match.step import Ask, Step
from referee.rules.match_score import MatchScore
from referee.rules.round import Round
from referee.rules.round_state import RoundState
from referee.rules.seat import Seat
from tests.simulation.table import Table, enter

HANDED = ("grid", "now", "recalled", "step")  # what hand-overs set, and what is of one step only
OF_PARTS = ("asks", "config", "held", "settings", "window")


def rebuilt(table: Table, count: int | None = None) -> Table:
    """Return a table with the same past up to fact number `count`, all of it told again.

    Nothing is taken from `table` but its facts and where it began. The match waits to be resumed.
    """
    facts = table.facts if count is None else table.facts[:count]
    again = Table(
        table.config.settings,
        seed=table.seed,
        match_id=table.config.match_id,
        position=table.position,
    )
    again.hold_hands = table.hold_hands
    if table.position is not None:
        again._keep(enter(again.machine, table.position))
    for step in steps_of(again.machine, facts):
        again._keep(step)
    again.unhanded = []
    again.now = facts[-1].at if facts else 0
    return again


def steps_of(machine: Machine, facts: Sequence[Fact]) -> Iterator[Step]:
    """Feed the inputs among facts to a machine; yield each step while the machine stands at it."""
    for one in replay_into(machine, facts):
        assert isinstance(one, Replayed), one
        machine.check()
        yield one.step


def resumed(table: Table, *, epoch: int, count: int | None = None) -> Table:
    """Return the same match in the process number `epoch`; every seat waits for its frame."""
    again = rebuilt(table, count)
    step = again.machine.step(Resumed(epoch=epoch), again.now)
    again.machine.check()
    again._keep(step)
    again.unhanded = [Seat(seat) for seat in range(again.machine.seats)]
    if not again.hold_hands:
        again.hand_over(*again.unhanded)
    return again


def truth(machine: Machine) -> dict[str, object]:
    """All that a machine knows but when asks were handed over that wait for their answer."""
    state = machine._state
    plain = {
        name: _plain(getattr(state, name))
        for name in MatchState.__slots__
        if name not in HANDED and name not in OF_PARTS
    }
    plain["asks"] = [_ask(ask) for ask in state.asks.all()]
    plain["numbers"] = list(state.asks._next)
    plain["closed"] = [list(memory.items()) for memory in state.asks._closed]
    plain["held"] = state.held and _ask(state.held)
    plain["held is open"] = any(ask is state.held for ask in state.asks.all())
    plain["window"] = (state.window.shut(), set(state.window.waiting), list(state.window.attempts))
    return plain


def _plain(value: object) -> object:
    """The values of a thing that is changed in place, by name."""
    if isinstance(value, list | dict | set):
        return value.copy()
    if isinstance(value, Round):
        return {name: _plain(getattr(value, name)) for name in RoundState.__slots__}
    if isinstance(value, Barrier | MatchScore):
        return {name: _plain(getattr(value, name)) for name in type(value).__slots__}
    return value


def _ask(ask: Ask) -> Ask:
    copied = msgspec.structs.replace(ask)
    if ask.choice is None:
        copied.sent, copied.lag = -1, 0
    return copied
