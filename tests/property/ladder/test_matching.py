"""The largest matching, against all matchings."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from referee.ladder.matching import May, first_matching, matching_size

Edges = set[tuple[str, str]]


def all_matchings(players: Sequence[str], may: May) -> Iterator[tuple[tuple[str, str], ...]]:
    """Every matching, in the order in which earlier players are served first."""
    if len(players) < 2:
        yield ()
        return
    one, rest = players[0], players[1:]
    for other in rest:
        if may(one, other):
            left = [player for player in rest if player != other]
            yield from (((one, other), *more) for more in all_matchings(left, may))
    yield from all_matchings(rest, may)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[str, Edges]:
    players = "abcdefgh"[: draw(st.integers(0, 8))]
    pairs = list(combinations(players, 2))
    return players, set(draw(st.lists(st.sampled_from(pairs), unique=True))) if pairs else set()


def allowed(edges: Edges) -> May:
    return lambda one, other: (min(one, other), max(one, other)) in edges


@given(graphs())
def test_no_matching_has_more_pairs_and_none_of_that_size_comes_before(
    graph: tuple[str, Edges],
) -> None:
    players, edges = graph
    may = allowed(edges)
    best = max(map(len, all_matchings(players, may)))
    assert matching_size(players, may) == best
    first = next(found for found in all_matchings(players, may) if len(found) == best)
    assert first_matching(players, may) == first


@given(graphs(), st.integers(0, 3))
def test_without_one_of_its_pairs_the_others_stay(graph: tuple[str, Edges], gone: int) -> None:
    players, edges = graph
    found = first_matching(players, allowed(edges))
    if gone < len(found):
        rest = [player for player in players if player not in found[gone]]
        assert first_matching(rest, allowed(edges)) == found[:gone] + found[gone + 1 :]


def test_a_blossom_by_hand() -> None:
    """Two triangles with a bridge: three pairs, of which one is the bridge."""
    edges = {("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("d", "e"), ("e", "f"), ("d", "f")}
    assert first_matching("abcdef", allowed(edges)) == (("a", "b"), ("c", "d"), ("e", "f"))


def test_large_graphs_with_a_hidden_perfect_matching() -> None:
    """Sixty players in two halves; who is in the answer is shuffled."""
    for seed in range(20):
        rng = Random(seed)
        players = [f"p{number}" for number in range(60)]
        rng.shuffle(players)
        hidden = {(min(pair), max(pair)) for pair in zip(players[::2], players[1::2], strict=True)}
        noise = [pair for pair in combinations(sorted(players), 2) if rng.random() < 0.03]
        assert matching_size(sorted(players), allowed(hidden | set(noise))) == 30, f"{seed=}"
