"""Signals as orders to stop: those that come together are one."""

import asyncio
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

SIGNAL_EXIT = 128  # + number, as shells do: 130 for Ctrl-C
# A process manager or a shell sends two at once, SIGINT and SIGTERM or the same to a group twice;
# a hand that presses Ctrl-C again is slower than this.
TOGETHER_S = 0.1


class StopOrders:
    """Counts orders. `on_order` gets the number of the order, from 1, and its signal."""

    def __init__(
        self,
        on_order: Callable[[int, signal.Signals], None],
        *,
        together_s: float = TOGETHER_S,
        later: Callable[[float, Callable[[], object]], object] | None = None,
    ) -> None:
        """`later` calls back after seconds; the loop's own unless told."""
        self._on_order = on_order
        self._together_s = together_s
        self._later = later or asyncio.get_running_loop().call_later
        self._orders = 0
        self._together = False  # a signal now belongs to the order before

    def signalled(self, number: signal.Signals) -> None:
        """Take a signal: an order of its own unless it came together with the last order."""
        if self._together:
            return
        self._together = True
        self._orders += 1
        self._later(self._together_s, self._time_is_over)
        self._on_order(self._orders, number)

    def _time_is_over(self) -> None:
        # Heeding an order may keep the loop busy for longer than that. What came meanwhile is
        # handed out in this turn of the loop, before what is called soon.
        asyncio.get_running_loop().call_soon(self._part)

    def _part(self) -> None:
        self._together = False

    @contextmanager
    def heeded(self, numbers: Sequence[signal.Signals]) -> Iterator[None]:
        """Take these signals of the process, in the running loop."""
        loop = asyncio.get_running_loop()
        for number in numbers:
            loop.add_signal_handler(number, self.signalled, number)
        try:
            yield
        finally:
            for number in numbers:
                loop.remove_signal_handler(number)
