"""Signals of one instant are one order to stop."""

import asyncio
import os
import signal
from collections.abc import Callable

from referee.cli.stop_orders import TOGETHER_S, StopOrders

TERM, INT = signal.SIGTERM, signal.SIGINT
LIMIT_S = 10.0


class Orders:
    """Signals at times that the test sets, and the orders that came of them."""

    def __init__(self) -> None:
        self.now = 5.0
        self.due: list[tuple[float, Callable[[], object]]] = []
        self.came: list[tuple[int, signal.Signals]] = []
        self._orders = StopOrders(self._take, later=self._later)

    def _take(self, order: int, number: signal.Signals) -> None:
        self.came.append((order, number))

    def _later(self, after_s: float, callback: Callable[[], object]) -> None:
        self.due.append((self.now + after_s, callback))

    async def signalled(self, after_s: float, number: signal.Signals) -> None:
        self.now += after_s
        while self.due and self.due[0][0] <= self.now:
            self.due.pop(0)[1]()
            await asyncio.sleep(0)
        self._orders.signalled(number)


async def test_signals_that_come_together_are_one_order() -> None:
    orders = Orders()
    for number in (TERM, INT, TERM):
        await orders.signalled(0.02, number)
    assert orders.came == [(1, TERM)]


async def test_a_signal_at_the_end_of_the_time_is_the_next_order() -> None:
    orders = Orders()
    await orders.signalled(0, INT)
    await orders.signalled(TOGETHER_S - 0.001, INT)
    await orders.signalled(0.002, TERM)
    await orders.signalled(TOGETHER_S + 0.001, INT)
    assert orders.came == [(1, INT), (2, TERM), (3, INT)]


async def test_signals_without_end_are_heard_in_the_end() -> None:
    """The time runs from the signal that was the order, not from the last one."""
    orders = Orders()
    for _ in range(10):
        await orders.signalled(0.06, INT)
    assert [order for order, _ in orders.came] == [1, 2, 3, 4, 5]


async def test_a_signal_that_came_while_the_order_before_was_heeded_belongs_to_it() -> None:
    """However long the loop was busy: its time counts as nothing."""
    came: list[tuple[int, signal.Signals]] = []
    parted = asyncio.Event()

    def take(order: int, number: signal.Signals) -> None:
        came.append((order, number))
        if order == 1:
            os.kill(os.getpid(), TERM)
            os.kill(os.getpid(), INT)
            asyncio.get_running_loop().call_later(0.001, parted.set)
        else:
            again.set()

    again = asyncio.Event()
    with StopOrders(take, together_s=0).heeded((INT, TERM)):
        os.kill(os.getpid(), INT)
        await asyncio.wait_for(parted.wait(), LIMIT_S)
        assert came == [(1, INT)]
        os.kill(os.getpid(), TERM)
        await asyncio.wait_for(again.wait(), LIMIT_S)
    assert came == [(1, INT), (2, TERM)]
