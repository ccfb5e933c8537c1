"""Numbers of a table as text: whole hundredths with two decimals, shares, times."""

from referee.ladder.table import HUNDREDTHS, Interval

NOTHING = "-"  # where nothing can be said


def signed(value: int | None) -> str:
    """Return hundredths with a sign; `NOTHING` for None.

    >>> signed(1234), signed(-5), signed(0), signed(None)
    ('+12.34', '-0.05', '0.00', '-')
    """
    if value is None:
        return NOTHING
    return ("+" if value > 0 else "") + plain(value)


def plain(value: int) -> str:
    """Return hundredths as a decimal number.

    >>> plain(-1234), plain(7)
    ('-12.34', '0.07')
    """
    whole, rest = divmod(abs(value), HUNDREDTHS)
    return f"{'-' if value < 0 else ''}{whole}.{rest:02}"


def span(interval: Interval | None) -> str:
    """Return the ends of an interval.

    >>> span(Interval(value=0, low=-150, high=150)), span(Interval(value=0))
    ('-1.50 .. +1.50', '-')
    """
    if interval is None or interval.low is None or interval.high is None:
        return NOTHING
    return f"{signed(interval.low)} .. {signed(interval.high)}"


def rounded(value: int | None) -> str:
    """Return hundredths as a whole number, halves away from zero.

    >>> rounded(-1250), rounded(1249), rounded(None)
    ('-13', '12', '-')
    """
    if value is None:
        return NOTHING
    size = (abs(value) + HUNDREDTHS // 2) // HUNDREDTHS
    return str(-size if value < 0 else size)


def rounded_span(interval: Interval | None) -> str:
    """Return the ends of an interval as whole numbers.

    >>> rounded_span(Interval(value=0, low=-150, high=149))
    '-2 .. 1'
    """
    if interval is None or interval.low is None or interval.high is None:
        return NOTHING
    return f"{rounded(interval.low)} .. {rounded(interval.high)}"


def share(part: int, whole: int) -> str:
    """Return a part in percent.

    >>> share(1, 3), share(0, 0)
    ('33 %', '-')
    """
    return f"{(200 * part + whole) // (2 * whole)} %" if whole else NOTHING


def seconds(ms: int) -> str:
    """Return milliseconds as seconds.

    >>> seconds(61_234), seconds(5)
    ('61.234 s', '0.005 s')
    """
    return f"{ms // 1000}.{ms % 1000:03} s"
