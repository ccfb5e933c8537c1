"""Critical values of Student's t, for any degrees of freedom, whole or not.

The tail is a regularised incomplete beta function: P(|T| > t) = I_x(df / 2, 1 / 2) with
x = df / (df + t^2) (NIST Digital Library of Mathematical Functions, 8.17; Abramowitz and Stegun
26.7.1). Its continued fraction is DLMF 8.17.22, evaluated by Lentz's method as modified by
Thompson and Barnett (1986).
"""

import math
from functools import lru_cache

from referee.rules.errors import RefereeBug

_TINY = 1e-300  # stands for 0 where Lentz's method divides
_CLOSE = 1e-15
_STEPS = 20_000  # needed: about the root of the larger argument; df 10^8 takes 7,000
_NORMAL_DF = 1e7  # from here t and normal tails agree to six digits
_HALVINGS = 200  # more than the bits of a float: the search ends when nothing changes


def t_tail(t: float, df: float) -> float:
    """Return P(|T| > t) for Student's t with `df` > 0 degrees of freedom; `t` >= 0.

    >>> round(t_tail(12.706205, 1), 6)
    0.05
    """
    if not (df > 0 and t >= 0):
        raise RefereeBug(f"no tail of {t=} at {df=}")
    if df >= _NORMAL_DF:
        return math.erfc(t / math.sqrt(2))
    square = t * t
    return _incomplete_beta(df / (df + square), square / (df + square), df / 2, 0.5)


@lru_cache(4096)
def t_critical(tail: float, df: float) -> float:
    """Return the t with P(|T| > t) = `tail`, which lies between 0 and 1, both excluded.

    >>> round(t_critical(0.05, 1), 4), round(t_critical(0.05, 10), 4)
    (12.7062, 2.2281)
    """
    if not 0 < tail < 1:
        raise RefereeBug(f"no critical value of {tail=}")
    low, high = 0.0, 1.0
    while t_tail(high, df) > tail:
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if t_tail(middle, df) > tail:
            low = middle
        else:
            high = middle
    return high


def t_quantile(p: float, df: float) -> float:
    """Return the quantile of Student's t at probability `p` between 0 and 1, both excluded.

    >>> round(t_quantile(0.975, 4), 4), t_quantile(0.5, 4)
    (2.7764, 0.0)
    """
    if p == 0.5:
        return 0.0
    size = t_critical(2 * min(p, 1 - p), df)
    return size if p > 0.5 else -size


def normal_tail(z: float) -> float:
    """Return P(|Z| > z) of the normal distribution, for `z` >= 0."""
    return math.erfc(z / math.sqrt(2))


def _incomplete_beta(x: float, rest: float, a: float, b: float) -> float:
    """Return I_x(a, b); `rest` is 1 - x, given apart since the difference loses digits."""
    if x == 0 or rest == 0:
        return float(rest == 0)
    front = math.exp(_log_front(x, rest, a, b))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(rest, b, a) / b


def _log_front(x: float, rest: float, a: float, b: float) -> float:
    """Return the logarithm of x^a (1 - x)^b / B(a, b)."""
    beta = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    log_x = math.log1p(-rest) if rest < 0.5 else math.log(x)
    log_rest = math.log1p(-x) if x < 0.5 else math.log(rest)
    return beta + a * log_x + b * log_rest


def _fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function."""
    c, d = 1.0, 1 / _off_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _off_zero(1 + term * d)
            c = _off_zero(1 + term / c)
            value *= d * c
        if abs(d * c - 1) < _CLOSE:
            return value
    raise RefereeBug(f"no incomplete beta function at {x=} {a=} {b=}")


def _off_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
