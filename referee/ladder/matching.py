"""Largest matchings: as many pairs as possible of players that may meet."""

from collections import deque
from collections.abc import Callable, Sequence

May = Callable[[str, str], bool]


def first_matching(players: Sequence[str], may: May) -> tuple[tuple[str, str], ...]:
    """Return as many pairs as possible; of all ways, the one that serves earlier players first.

    The first player that can have a partner without loss gets the earliest that costs no pair,
    then the next one who is left, and so on. Without a pair of the answer the other players would
    be matched in the same way. `may` is symmetric.
    """
    left = list(players)
    best = matching_size(left, may)
    found: list[tuple[str, str]] = []
    while best and len(left) > 1:
        one, rest = left[0], left[1:]
        for other in rest:
            others = [player for player in rest if player != other]
            if may(one, other) and matching_size(others, may) == best - 1:
                found.append((one, other))
                left, best = others, best - 1
                break
        else:
            left = rest
    return tuple(found)


def matching_size(players: Sequence[str], may: May) -> int:
    """Return the number of pairs of a largest matching.

    Edmonds' blossom algorithm (Paths, trees, and flowers, 1965), in time O(n^3): a search from
    each free player for a path that alternates, odd cycles shrunk to their base.
    """
    graph = [
        [other for other, name in enumerate(players) if name != player and may(player, name)]
        for player in players
    ]
    mates = [-1] * len(graph)
    for at, near in enumerate(graph):  # a greedy start saves most of the searches
        free = next((other for other in near if mates[other] < 0), None)
        if mates[at] < 0 and free is not None:
            mates[at], mates[free] = free, at
    for root in range(len(graph)):
        if mates[root] < 0:
            _Search(graph, mates, root).augment()
    return sum(mate >= 0 for mate in mates) // 2


class _Search:
    """A search for an augmenting path from one free player."""

    def __init__(self, graph: list[list[int]], mates: list[int], root: int) -> None:
        self.graph, self.mates, self.root = graph, mates, root
        self.parent = [-1] * len(graph)
        self.base = list(range(len(graph)))
        self.even = [False] * len(graph)
        self.queue = deque([root])

    def augment(self) -> None:
        """Enlarge the matching by one pair if a path is there."""
        self.even[self.root] = True
        while self.queue:
            at = self.queue.popleft()
            for to in self.graph[at]:
                end = self._step(at, to)
                if end >= 0:
                    self._flip(end)
                    return

    def _step(self, at: int, to: int) -> int:
        """Look along one edge; return the free player that it leads to, or -1."""
        if self.base[at] == self.base[to] or self.mates[at] == to:
            return -1
        mate = self.mates[to]
        if to == self.root or (mate >= 0 and self.parent[mate] >= 0):
            self._shrink(at, to)
        elif self.parent[to] < 0:
            self.parent[to] = at
            if mate < 0:
                return to
            self.even[mate] = True
            self.queue.append(mate)
        return -1

    def _flip(self, end: int) -> None:
        """Exchange what is matched and what is not along the path to `end`."""
        while end >= 0:
            before = self.parent[end]
            after = self.mates[before]
            self.mates[end], self.mates[before] = before, end
            end = after

    def _shrink(self, one: int, other: int) -> None:
        base = self._common_base(one, other)
        inside = [False] * len(self.graph)
        self._mark(one, base, other, inside)
        self._mark(other, base, one, inside)
        for at in range(len(self.graph)):
            if inside[self.base[at]]:
                self.base[at] = base
                if not self.even[at]:
                    self.even[at] = True
                    self.queue.append(at)

    def _common_base(self, one: int, other: int) -> int:
        seen = set()
        while True:
            one = self.base[one]
            seen.add(one)
            if self.mates[one] < 0:
                break
            one = self.parent[self.mates[one]]
        while self.base[other] not in seen:
            other = self.parent[self.mates[self.base[other]]]
        return self.base[other]

    def _mark(self, at: int, base: int, child: int, inside: list[bool]) -> None:
        while self.base[at] != base:
            mate = self.mates[at]
            inside[self.base[at]] = inside[self.base[mate]] = True
            self.parent[at] = child
            child = mate
            at = self.parent[mate]
