"""The windows of ranks in which a hand of one pack has a straight, in canonical order (B1, B6)."""

from collections.abc import Sequence
from functools import lru_cache

from referee.rules.cards import FIRST_PACK_RANKS, HIGHEST_RANK, LOWEST_RANK, PHOENIX

# A window of a straight: the mask of its ranks, the Phoenix's own left out and its bit put in;
# length; twice the top; the Phoenix's rank or 0
Window = tuple[int, int, int, int]


def natural_windows(ranks: int) -> Sequence[Window]:
    """Return the windows of a set of ranks (bit `4 * rank`), run by run."""
    found: list[Window] = []
    runs = 0
    left = ranks * 15  # every nibble full, so that adding 1 carries to the end of a run
    while left:
        beyond = left + (left & -left)
        run = left & ~beyond
        bottom, top = (run & -run).bit_length() >> 2, run.bit_length() >> 2
        if top - bottom > 4:
            found += _RUN_WINDOWS[bottom, top - 1]
            runs += 1
        left &= beyond
    if runs > 1:
        found.sort(key=_window_key)
    return found


def _run_windows(bottom: int, top: int) -> tuple[Window, ...]:
    """Return every window of a run of ranks, by length, then top."""
    found = []
    for length in range(5, top - bottom + 2):
        for last in range(bottom + length - 1, top + 1):
            window = sum(FIRST_PACK_RANKS[last - length + 1 : last + 1])
            found.append((window, length, 2 * last, 0))
    return tuple(found)


_RUN_WINDOWS = {
    (bottom, top): _run_windows(bottom, top)
    for bottom in range(1, HIGHEST_RANK - 3)
    for top in range(bottom + 4, HIGHEST_RANK + 1)
}


@lru_cache(1 << 7)
def windows_with_phoenix(ranks: int) -> tuple[Window, ...]:
    """Return the windows in which the Phoenix may stand, and the natural ones."""
    found: list[Window] = []
    for bottom in range(1, HIGHEST_RANK - 3):
        window = gap = 0
        for rank in range(bottom, HIGHEST_RANK + 1):
            if ranks >> 4 * rank & 1:
                window |= FIRST_PACK_RANKS[rank]
            elif gap or rank < LOWEST_RANK:
                break
            else:
                gap = rank
            if rank >= bottom + 4:
                found += _window_plays(window, bottom, rank, gap)
    found.sort(key=_window_key)
    return tuple(found)


def _window_plays(window: int, bottom: int, top: int, gap: int) -> list[Window]:
    length = top - bottom + 1
    if gap:
        return [(window | PHOENIX, length, 2 * top, gap)]
    plays = [(window, length, 2 * top, 0)]
    for rank in range(max(bottom, LOWEST_RANK), top + 1):
        plays.append((window & ~FIRST_PACK_RANKS[rank] | PHOENIX, length, 2 * top, rank))
    return plays


def _window_key(play: Window) -> tuple[int, int, bool, int]:
    """Canonical order: with the Phoenix first, and a higher gap keeps the lower numbers."""
    _, length, rank2, phoenix_rank = play
    return (length, rank2, phoenix_rank == 0, -phoenix_rank)
