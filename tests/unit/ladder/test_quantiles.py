from itertools import product

import pytest
from scipy import stats

from referee.ladder.quantiles import normal_tail, t_critical, t_quantile, t_tail
from referee.rules.errors import RefereeBug

DEGREES = (0.3, 1, 1.7, 2, 3, 5.5, 10, 49, 999, 37_999, 1e6, 9.9e6, 1e9)
TAILS = (0.999, 0.5, 0.05, 0.01, 2.6e-4, 1e-7, 1e-12)


@pytest.mark.parametrize(("df", "tail"), list(product(DEGREES, TAILS)))
def test_critical_values_are_those_of_scipy(df: float, tail: float) -> None:
    assert t_critical(tail, df) == pytest.approx(stats.t.isf(tail / 2, df), rel=2e-7)


@pytest.mark.parametrize(("df", "t"), list(product(DEGREES, (0.0, 1e-6, 0.3, 1, 1.96, 7, 300))))
def test_tails_are_those_of_scipy(df: float, t: float) -> None:
    assert t_tail(t, df) == pytest.approx(2 * stats.t.sf(t, df), rel=1e-6, abs=1e-300)


@pytest.mark.parametrize("p", [0.025, 0.2, 0.5, 0.9, 0.975])
def test_quantiles_lie_on_both_sides(p: float) -> None:
    assert t_quantile(p, 4) == pytest.approx(stats.t.ppf(p, 4), rel=1e-9)


def test_values_of_the_tables_in_print() -> None:
    """Two-sided 5 %: 1, 4, 30 degrees of freedom."""
    assert [round(t_critical(0.05, df), 3) for df in (1, 4, 30)] == [12.706, 2.776, 2.042]


def test_many_degrees_are_the_normal_distribution() -> None:
    assert normal_tail(1.959964) == pytest.approx(0.05, abs=1e-7)
    assert t_critical(0.05, 1e8) == pytest.approx(1.959964, abs=1e-6)


@pytest.mark.parametrize("tail", [0.0, 1.0, -0.1])
def test_no_tail_no_critical_value(tail: float) -> None:
    with pytest.raises(RefereeBug):
        t_critical(tail, 5)


@pytest.mark.parametrize(("t", "df"), [(1.0, 0.0), (-1.0, 5.0), (1.0, float("nan"))])
def test_what_is_no_t_is_our_bug(t: float, df: float) -> None:
    with pytest.raises(RefereeBug):
        t_tail(t, df)
