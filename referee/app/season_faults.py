"""Which entries fail one match after the other."""

from referee.ladder.values import LegResult

FAILED_IN_A_ROW = 3  # and no more boards


class FailedInARow:
    """Failed matches in a row, by entry.

    What fails at the same time counts once: a process that plays several boards ends all of them
    when it crashes. The legs of one board count each, since each has processes of its own.
    """

    def __init__(self) -> None:
        self._endings: dict[str, list[str]] = {}
        self._at: dict[str, tuple[int, int]] = {}  # last failure: its board, boards begun by then

    def take(self, leg: LegResult, *, board: int, begun: int) -> tuple[str, ...]:
        """Take a match; return the entries that have just failed too often.

        `board` counts boards in the order in which they began, from 1; `begun` is how many have by
        now.
        """
        full = []
        for side in leg.place.sides:
            name = side.entry
            if name in leg.faulty:
                if self._add(name, leg.ending, board, begun) == FAILED_IN_A_ROW:
                    full.append(name)
            elif leg.rated:
                self._endings.pop(name, None)
                self._at.pop(name, None)
        return tuple(full)

    def endings(self, entry: str) -> tuple[str, ...]:
        """Return how the last matches of an entry ended that it failed, in a row."""
        return tuple(self._endings.get(entry, ()))

    def forget(self, entry: str) -> None:
        """Begin anew: the entry plays on with another version."""
        self._endings.pop(entry, None)
        self._at.pop(entry, None)

    def _add(self, entry: str, ending: str, board: int, begun: int) -> int:
        """Return how many there are now, or 0 where this one counts for nothing."""
        last, known = self._at.get(entry, (0, 0))
        if board != last and board <= known:
            return 0
        self._at[entry] = (board, begun)
        endings = self._endings.setdefault(entry, [])
        endings.append(ending)
        return len(endings)
