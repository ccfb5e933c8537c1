"""The fits of statsmodels, brought to the scale of ours: mean 0 over the entries."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import statsmodels.api as sm
from numpy.typing import NDArray

Row = tuple[str, str, float, Hashable]  # first, second, value, cluster


class Oracle(NamedTuple):
    """Values with mean 0, their covariance, and the entries in their order."""

    entries: tuple[str, ...]
    values: NDArray[np.float64]
    covariance: NDArray[np.float64]


def _arrays(
    rows: Sequence[Row],
) -> tuple[tuple[str, ...], NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    entries = tuple(sorted({name for row in rows for name in row[:2]}))
    x = np.zeros((len(rows), len(entries)))
    for at, (first, second, _, _) in enumerate(rows):
        x[at, entries.index(first)] += 1
        x[at, entries.index(second)] -= 1
    numbers: dict[Hashable, int] = {}
    clusters = np.array([numbers.setdefault(row[3], len(numbers)) for row in rows])
    return entries, x, np.array([row[2] for row in rows]), clusters


def _with_mean_0(
    entries: tuple[str, ...], values: NDArray[np.float64], covariance: NDArray[np.float64]
) -> Oracle:
    """The fit has no parameter for the first entry, which stands at 0."""
    size = len(entries)
    centring = (np.eye(size) - 1 / size)[:, 1:]
    return Oracle(entries, centring @ values, centring @ covariance @ centring.T)


def least_squares(rows: Sequence[Row], *, within: bool = False) -> Oracle:
    """OLS with covariance by cluster; `within` takes the means of the clusters away first."""
    entries, x, y, clusters = _arrays(rows)
    if within:
        for cluster in set(clusters.tolist()):
            rows_of = clusters == cluster
            x[rows_of] -= x[rows_of].mean(axis=0)
            y[rows_of] -= y[rows_of].mean()
    found = sm.OLS(y, x[:, 1:]).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    return _with_mean_0(entries, found.params, found.cov_params())


def deal_dummies(rows: Sequence[Row]) -> Oracle:
    """OLS with a parameter for each cluster instead of taking means away; values alone count."""
    entries, x, y, clusters = _arrays(rows)
    dummies = np.eye(int(clusters.max()) + 1)[clusters]
    found = sm.OLS(y, np.hstack([x[:, 1:], dummies])).fit()
    size = len(entries) - 1
    return _with_mean_0(entries, found.params[:size], found.cov_params()[:size, :size])


def bradley_terry(rows: Sequence[Row]) -> Oracle:
    """GLM Binomial with covariance by cluster; values are wins, 0 to 1."""
    entries, x, y, clusters = _arrays(rows)
    model = sm.GLM(y, x[:, 1:], family=sm.families.Binomial())
    found = model.fit(tol=1e-12, cov_type="cluster", cov_kwds={"groups": clusters})
    return _with_mean_0(entries, found.params, found.cov_params())
