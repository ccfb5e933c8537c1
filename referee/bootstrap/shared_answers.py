"""Answers that take long to make: one is made at a time, and all who ask for it share it."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Answer = TypeVar("_Answer")


class _Making(Generic[_Answer]):
    """An answer that is made or is fresh, and how many wait for it."""

    def __init__(self) -> None:
        self.task: asyncio.Task[_Answer]
        self.waiting = 0
        self.begun = False


class SharedAnswers(Generic[_Key, _Answer]):
    """Makes an answer for all who ask for it at once, and keeps it while it is fresh.

    What has begun goes on when whoever asked for it leaves: a thread cannot be stopped, and callers
    that leave at once, again and again, would have many at work for nothing. What nobody waits for
    any more before it has begun is dropped. A refusal is an answer too.
    """

    def __init__(self, *, fresh_s: float, one: asyncio.Lock | None = None) -> None:
        """Answers with the same lock `one` are made one at a time."""
        self._fresh_s = fresh_s
        self._one = one or asyncio.Lock()
        self._makings: dict[_Key, _Making[_Answer]] = {}

    async def get(self, key: _Key, make: Callable[[], Awaitable[_Answer]]) -> _Answer:
        """Return the answer of this key, which `make` makes. Raises what that raises."""
        making = self._makings.get(key)
        if making is None:
            making = self._makings[key] = self._start(key, make)
        making.waiting += 1
        try:
            return await asyncio.shield(making.task)
        finally:
            making.waiting -= 1
            if not making.waiting and not making.begun:
                self._forget(key, making)
                making.task.cancel()

    def _start(self, key: _Key, make: Callable[[], Awaitable[_Answer]]) -> _Making[_Answer]:
        making: _Making[_Answer] = _Making()

        async def made() -> _Answer:
            async with self._one:
                making.begun = True
                return await make()

        making.task = asyncio.get_running_loop().create_task(made())
        making.task.add_done_callback(partial(self._made, key, making))
        return making

    def _made(self, key: _Key, making: _Making[_Answer], task: asyncio.Task[_Answer]) -> None:
        if task.cancelled():
            self._forget(key, making)
            return
        task.exception()  # nobody need have waited for it
        loop = asyncio.get_running_loop()
        loop.call_later(self._fresh_s, self._forget, key, making)

    def _forget(self, key: _Key, making: _Making[_Answer]) -> None:
        if self._makings.get(key) is making:
            del self._makings[key]
