"""The short way to start clocks: `Machine.hand_over` beside a step with `Handed`."""

import pytest

from referee.match.inputs import Handed, Input
from referee.match.machine import Machine
from referee.match.step import Step
from referee.match.values import MS, Pace
from referee.rules.errors import RefereeBug
from referee.rules.options import RuleOptions
from referee.rules.seat import Seat
from tests.simulation.chaos import LENIENT, Chaos
from tests.simulation.table import Table, settings


class ShortWay(Machine):
    """Takes the short way wherever the dispatcher would."""

    __slots__ = ()

    def step(self, what: Input, now: int) -> Step:
        if not isinstance(what, Handed) or self.over or (self.due is not None and self.due <= now):
            return super().step(what, now)
        step = Step(self._state.event_number + 1)
        step.due = self.hand_over(what.seats, now, what.lags)
        step.needs_deal, step.over = self.needs_deal, self.over
        return step


@pytest.mark.parametrize("pace", Pace)
@pytest.mark.parametrize("number", range(3))
def test_the_short_way_leads_to_the_same_facts_at_the_same_times(
    pace: Pace, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = f"short way {pace} {number}"
    what = settings(pace=pace, rules=RuleOptions(rounds=2), max_strikes=LENIENT)
    with_steps = Chaos(what, seed=seed, bombs=number > 0)
    with_steps.play()
    monkeypatch.setattr("tests.simulation.table.Machine", ShortWay)
    short = Chaos(what, seed=seed, bombs=number > 0)
    short.play()
    assert isinstance(short.table.machine, ShortWay)
    assert short.table.facts == with_steps.table.facts, f"{seed=}"


def test_a_hand_over_with_something_due_is_our_bug() -> None:
    table = Table(settings()).start()
    due = table.machine.due
    assert due is not None
    with pytest.raises(RefereeBug, match="due"):
        table.machine.hand_over([Seat(0)], due)
    table.wait(5)
    with pytest.raises(RefereeBug, match="past"):
        table.machine.hand_over([Seat(0)], 4 * MS)
