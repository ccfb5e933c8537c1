"""A store of facts in memory that takes time and may fail."""

from collections.abc import Callable, Sequence

from referee.ports import Batch, StoreError
from referee.store.memory import MemoryStore
from tests.simulation.service.clock import SimClock


class SimStore(MemoryStore):
    """Keeps the facts of all matches; from `fails_at` (time of the clock) on it refuses them.

    Each append takes what `latency` draws, ns. `on_failure` hears of each refusal.
    """

    def __init__(
        self,
        clock: SimClock,
        *,
        fails_at: int | None,
        latency: Callable[[], int],
        on_failure: Callable[[Sequence[str]], None],
    ) -> None:
        super().__init__()
        self._clock = clock
        self._fails_at = fails_at
        self._latency = latency
        self._on_failure = on_failure

    def append(self, batches: Sequence[Batch]) -> None:
        """Keep the facts of a pass, or raise `StoreError`."""
        self._clock.work(self._latency())
        if self._fails_at is not None and self._clock.time >= self._fails_at:
            self._on_failure([batch.match_id for batch in batches])
            raise StoreError("no space left on the simulated device")
        super().append(batches)
