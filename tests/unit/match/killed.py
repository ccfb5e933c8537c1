"""Matches whose referee is killed at one moment, for tests of how they go on."""

import pytest

from referee.match.inputs import CallDecision
from referee.match.inputs import Resumed as ResumedInput
from referee.match.machine import Machine
from referee.match.step import Step
from referee.match.values import MS, Pace, Settings
from referee.rules.phases import CallKind
from referee.rules.seat import Seat
from tests.simulation.positions import PASS, at, bombing, playing
from tests.simulation.rebuilt import resumed
from tests.simulation.table import Table, settings

HANDS = ("3j 4s 5j 6s Kj", "3s 4p 5s 6p Aj", "8j 8s 8p 8r 2s", "9j 9s 9p 9r 2p")
EIGHTS, NINES = bombing("8j 8s 8p 8r"), bombing("9j 9s 9p 9r")
NO_GRAND = CallDecision(choice=CallKind.NO_GRAND)
BASE, BANK, WINDOW = 1000 * MS, 5000 * MS, 50 * MS
ALL = tuple(map(Seat, range(4)))
PACES = pytest.mark.parametrize("pace", Pace)


def waiting(table: Table, *, epoch: int = 2) -> Table:
    """The referee was killed and goes on; no frame has left yet."""
    table.hold_hands = True
    return resumed(table, epoch=epoch)


def resume(machine: Machine, now: int) -> Step:
    """The resume alone."""
    return machine.step(ResumedInput(epoch=2), now)


def outage(table: Table) -> Table:
    """The same, and every seat got its frame 3 ms of match time after it."""
    again = waiting(table)
    again.now += 3 * MS
    again.hand_over(*ALL)
    again.hold_hands = False
    return again


def bets() -> Table:
    """Seat 1 has decided, seat 2 was refused once; the others have said nothing for 900 ms."""
    table = Table(settings()).start()
    table.now += 900 * MS
    table.answer(1, NO_GRAND)
    table.answer(2, PASS)
    return table


def window(pace: Pace = Pace.FAIR, what: Settings | None = None) -> Table:
    """Seat 0 has led; a window of 50 ms is open, seat 1 is on turn."""
    table = at(what or settings(pace=pace), *HANDS)
    table.act(0, playing("Kj"))
    return table
