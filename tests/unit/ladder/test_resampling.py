import numpy as np
import pytest
from scipy import stats

from referee.ladder.points import points_fits
from referee.ladder.resampling import bootstrap_intervals, largest_difference, normals
from tests.unit.ladder.rated import boards_of, everyone, field_of, rated_board

SEED = 22


def test_normal_numbers_are_normal() -> None:
    drawn = normals(5, 20_001)
    assert len(drawn) == 20_001
    assert stats.kstest(drawn, "norm").pvalue > 0.01
    assert drawn.tolist() == normals(5, 20_001).tolist()


def test_the_same_seed_gives_the_same_numbers_for_ever() -> None:
    """Raw bits of PCG64 with seed 5, which numpy keeps from release to release."""
    assert np.random.PCG64(5).random_raw(2).tolist() == [14849682912918955432, 14903876974979881461]


@pytest.mark.parametrize("entries", [3, 6, 10])
def test_the_largest_of_equal_differences_is_the_studentised_range(entries: int) -> None:
    """Equal variances: range / sqrt 2 (Tukey), within what 20,000 draws are sure of."""
    names = "abcdefghij"[:entries]
    boards = boards_of(dict.fromkeys(names, 0.0), everyone(names, 400), np.random.default_rng(SEED))
    ((found,),) = (tuple(fit.estimates()) for fit in points_fits(boards))
    tukey = stats.studentized_range.ppf(0.95, entries, np.inf) / 2**0.5
    assert largest_difference(found) == pytest.approx(tukey, abs=0.06)


def test_the_bootstrap_comes_out_as_wide_as_the_interval() -> None:
    names = dict(zip("abcde", (20.0, 10.0, 0.0, -5.0, -25.0), strict=True))
    (fit,) = points_fits(boards_of(names, everyone(names, 60), np.random.default_rng(SEED)))
    (found,) = fit.estimates()
    intervals = bootstrap_intervals(fit, found)
    for at, name in enumerate(found.entries):
        half = found.half_width(at)
        low, high = intervals[name]
        assert half is not None
        assert high - low == pytest.approx(2 * half, rel=0.1)
        assert low < found.values[at] < high


def test_the_bootstrap_of_a_field_draws_whole_deals() -> None:
    names = dict.fromkeys("abcdef", 0.0)
    (fit,) = points_fits([], field_of(names, 80, np.random.default_rng(SEED), luck=1_000))
    (found,) = fit.estimates()
    intervals = bootstrap_intervals(fit, found)
    for at, name in enumerate(found.entries):
        half = found.half_width(at)
        assert half is not None
        assert intervals[name][1] - intervals[name][0] == pytest.approx(2 * half, rel=0.15)


def test_a_bootstrap_that_mostly_loses_an_entry_is_none() -> None:
    """A chain of single boards: of four drawn from four, all are there in one draw of ten."""
    links = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")]
    (fit,) = points_fits([rated_board(*pair, 1, margins=(9, 0)) for pair in links])
    (found,) = fit.estimates()
    assert bootstrap_intervals(fit, found) == {}


def test_one_deal_has_no_bootstrap() -> None:
    (fit,) = points_fits([rated_board("a", "b", 1, margins=(9, 0))])
    (found,) = fit.estimates()
    assert bootstrap_intervals(fit, found) == {}
