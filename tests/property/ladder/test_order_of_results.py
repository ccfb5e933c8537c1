"""The order in which results came is of no account, not even in the last bit."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.ladder.boards import Resolved
from referee.ladder.bradley_terry import fit_elo
from referee.ladder.estimates import Estimates
from referee.ladder.points import fit_points
from referee.ladder.standings import standings
from referee.ladder.table import Column
from referee.ladder.values import Unit
from tests.unit.ladder.rated import Entry, field_leg, rated_board

NAMES = "abcdef"
MARGIN = st.integers(-40, 40).map(lambda fives: 5 * fives)
PAIRS = st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True)
BOARDS = st.lists(
    st.builds(
        lambda pair, margins, rounds: (min(pair), max(pair), margins, rounds),
        PAIRS,
        st.tuples(MARGIN, MARGIN),
        st.tuples(st.integers(1, 9), st.integers(1, 9)),
    ),
    max_size=30,
)
DEALS = st.lists(
    st.tuples(st.permutations(NAMES), st.tuples(MARGIN, MARGIN, MARGIN), st.integers(1, 3)),
    max_size=12,
)
Drawn = list[tuple[str, str, tuple[int, int], tuple[int, int]]]
Deals = list[tuple[list[str], tuple[int, int, int], int]]
ENTRIES = [Entry(name=name) for name in NAMES]


def boards_and_field(drawn: Drawn, deals: Deals) -> Resolved:
    boards = [
        rated_board(first, second, number, margins=margins, rounds=rounds)
        for number, (first, second, margins, rounds) in enumerate(drawn, start=1)
    ]
    legs = [
        field_leg(order[2 * table], order[2 * table + 1], deal, table + 1, margins[table])
        for deal, (order, margins, tables) in enumerate(deals, start=1)
        for table in range(tables)
    ]
    return Resolved(boards=tuple(boards), field_legs=tuple(legs))


def bits(found: tuple[Estimates, ...]) -> list[object]:
    return [
        (
            one.entries,
            one.values.tobytes(),
            one.behind.tobytes(),
            one.between.tobytes(),
            None if one.covariance is None else one.covariance.tobytes(),
        )
        for one in found
    ]


@given(BOARDS, st.randoms(use_true_random=False))
def test_of_boards(drawn: Drawn, rng: random.Random) -> None:
    ordered = boards_and_field(drawn, [])
    shuffled = rng.sample(ordered.boards, len(ordered.boards))
    assert bits(fit_points(shuffled)) == bits(fit_points(ordered.boards))
    assert bits(fit_elo(shuffled)) == bits(fit_elo(ordered.boards))


@given(DEALS, st.randoms(use_true_random=False))
def test_of_tables_of_a_field(deals: Deals, rng: random.Random) -> None:
    ordered = boards_and_field([], deals)
    shuffled = rng.sample(ordered.field_legs, len(ordered.field_legs))
    assert bits(fit_points([], shuffled)) == bits(fit_points([], ordered.field_legs))
    assert bits(fit_elo([], shuffled)) == bits(fit_elo([], ordered.field_legs))


@settings(max_examples=20)
@given(BOARDS, DEALS, st.randoms(use_true_random=False))
def test_of_all_that_makes_a_table(
    drawn: Drawn,
    deals: Deals,
    rng: random.Random,
) -> None:
    """No ladder has both; each of them alone, and the entries too, in any order."""
    for ordered in (boards_and_field(drawn, []), boards_and_field([], deals)):
        shuffled = Resolved(
            boards=tuple(rng.sample(ordered.boards, len(ordered.boards))),
            field_legs=tuple(rng.sample(ordered.field_legs, len(ordered.field_legs))),
        )
        entries = rng.sample(ENTRIES, len(ENTRIES))
        columns = list(Column)
        one = standings(ordered, ENTRIES, [], unit=Unit.BOARD, columns=columns)
        assert standings(shuffled, entries, [], unit=Unit.BOARD, columns=columns) == one


@given(BOARDS)
def test_a_table_holds_together(
    drawn: Drawn,
) -> None:
    """Ranks lie in their ranges, intervals around their values, and every entry has one row."""
    table = standings(boards_and_field(drawn, []), ENTRIES, [], unit=Unit.BOARD)
    assert sorted(row.entry for row in table.rows) == list(NAMES)
    ranked = [row for row in table.rows if row.rank is not None]
    for row in ranked:
        assert row.best is not None
        assert row.worst is not None
        assert row.points is not None
        assert 1 <= row.best <= row.worst <= len(ranked)
        if row.points.low is not None and row.points.high is not None:
            assert row.points.low <= row.points.value <= row.points.high
    assert sum(row.wins for row in ranked) == sum(row.losses for row in ranked)
    assert sum(row.wins + row.ties + row.losses for row in ranked) == 4 * len(drawn)
