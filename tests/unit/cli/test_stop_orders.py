"""Signals of one instant are one order to stop."""

import signal

from referee.cli.stop_orders import TOGETHER_S, StopOrders

TERM, INT = signal.SIGTERM, signal.SIGINT


class Orders:
    """Signals at times that the test sets, and the orders that came of them."""

    def __init__(self) -> None:
        self.now = 5.0
        self.came: list[tuple[int, signal.Signals]] = []
        self._orders = StopOrders(self._take, now=lambda: self.now)

    def _take(self, order: int, number: signal.Signals) -> None:
        self.came.append((order, number))

    async def signalled(self, after_s: float, number: signal.Signals) -> None:
        self.now += after_s
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
