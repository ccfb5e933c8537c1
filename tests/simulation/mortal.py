"""Bots at their worst, and a referee that is killed and started again now and then (DESIGN 3)."""

from referee.match.facts import Answered, Fact, Released, Resumed, TimedOut
from referee.match.step import Ask
from referee.match.values import Settings
from referee.rules.seat import Seat
from tests.simulation.chaos import Chaos, audit
from tests.simulation.rebuilt import resumed, truth
from tests.simulation.table import Table


def open_asks(table: Table) -> list[Ask]:
    """Every ask that waits for an answer."""
    return [ask for s in range(table.machine.seats) for ask in table.machine.open_asks(Seat(s))]


class Mortal(Chaos):
    """The same bots, and a referee that is killed and started again now and then."""

    def __init__(self, what: Settings, *, seed: str, bombs: bool = False, kills: float = 3) -> None:
        super().__init__(what, seed=seed, bombs=bombs)
        self.seed = seed
        self.epoch = 1
        self.asked_at: dict[tuple[int, int], int] = {}  # open at a resume: number of that fact
        self._tricks = (*self._tricks, (kills, self.kill))

    def kill(self) -> None:
        """Everything but the facts is lost; sometimes once more before a frame has left."""
        if self.table.machine.over:
            return
        where = f"seed={self.seed!r} epoch={self.epoch} facts={len(self.table.facts)}"
        for _ in range(self.rng.choice((1, 1, 1, 2))):
            lived = truth(self.table.machine)
            told = self._views()
            self.epoch += 1
            self.table = resumed(self.table, epoch=self.epoch)
            for name, value in truth(self.table.machine).items():
                assert value == lived[name], f"{where}: {name}"
            assert told == self._views(), where
        for ask in open_asks(self.table):
            self.asked_at[ask.to, ask.id] = len(self.table.facts) - 1
        if self.rng.random() < 0.7:
            lags = [self._lag() for _ in self.table.unhanded]
            self.table.hand_over(*self.table.unhanded, lags=lags)

    def _views(self) -> list[object]:
        machine = self.table.machine
        return [machine.snapshot(Seat(seat)).view for seat in range(machine.seats)]


def costs_nobody(chaos: Mortal) -> None:
    """No clock that is charged began before the resume in which its ask was open."""
    for (seat, number), place in chaos.asked_at.items():
        since = chaos.table.facts[place].at
        for fact in chaos.table.facts[place:]:
            if isinstance(fact, Answered | TimedOut | Released) and fact.sent >= 0:
                mine = (fact.seat, fact.ask) == (seat, number)
                assert not mine or fact.sent >= since, f"seed={chaos.seed!r} {fact}"


def lives_on(chaos: Mortal) -> None:
    """Play the match to its end and look at its books."""
    chaos.play()
    facts: list[Fact] = [fact for fact in chaos.table.facts if isinstance(fact, Resumed)]
    assert len(facts) == chaos.epoch - 1, f"seed={chaos.seed!r}"
    audit(chaos.table, chaos.seed)
    costs_nobody(chaos)
