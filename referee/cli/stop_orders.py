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
        now: Callable[[], float] | None = None,
    ) -> None:
        """`now` returns seconds; the loop's time unless told."""
        self._on_order = on_order
        self._now = now or asyncio.get_running_loop().time
        self._orders = 0
        self._since = 0.0

    def signalled(self, number: signal.Signals) -> None:
        """Take a signal: an order of its own unless one came less than `TOGETHER_S` ago."""
        now = self._now()
        if self._orders and now - self._since < TOGETHER_S:
            return
        self._orders, self._since = self._orders + 1, now
        self._on_order(self._orders, number)

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
