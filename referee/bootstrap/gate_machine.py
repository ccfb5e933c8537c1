"""Processor time that the host of this machine took away from it."""

from pathlib import Path

STAT = Path("/proc/stat")
_STEAL = 7  # user nice system idle iowait irq softirq steal guest guest_nice
_COUNTED = 8  # guest time is in user time already


class StolenTime:
    """The share of processor time that was stolen since this was made, as Linux counts it."""

    def __init__(self, stat: Path = STAT) -> None:
        """`stat` is read now, and at each question."""
        self._stat = stat
        self._began = self._ticks()

    def stolen(self) -> float:
        """Return the share, 0 to 1; 0 where the system does not say it."""
        now = self._ticks()
        if self._began is None or now is None or now[1] <= self._began[1]:
            return 0.0
        stolen = max(0, now[0] - self._began[0])
        return min(1.0, stolen / (now[1] - self._began[1]))

    def _ticks(self) -> tuple[int, int] | None:
        """Return what was stolen, and all, since the machine began."""
        try:
            with self._stat.open(encoding="ascii") as lines:
                name, *words = lines.readline().split()
                ticks = [int(word) for word in words[:_COUNTED]]
        except (OSError, ValueError):
            return None
        return (ticks[_STEAL], sum(ticks)) if name == "cpu" and len(ticks) == _COUNTED else None
