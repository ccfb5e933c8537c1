"""Probes of a link while its bot owes nothing, and the lag that they show (PROTOCOL 3)."""

from collections import deque

LAGS_KEPT = 8  # PROTOCOL 3: lag is the smallest of the last 8 pings


class Probe:
    """Pings of one session, one at a time. A pong that a bot holds back is a large lag: so lag can
    be faked, and what is granted for it is a quota.
    """

    __slots__ = ("_number", "_sent", "due", "lag", "lags")

    def __init__(self) -> None:
        self.lags: deque[int] = deque(maxlen=LAGS_KEPT)  # of the current stream
        self.lag = 0  # the smallest of them, 0 where none is known
        self.due = False  # a ping is to go as soon as the bot owes nothing
        self._number = 0
        self._sent: int | None = None  # None: no ping is under way

    def begin(self) -> None:
        """A stream begins: nothing is known of it, so a ping is due."""
        self.lags.clear()
        self.lag = 0
        self._sent = None
        self.due = True

    def ping(self, now: int) -> int | None:
        """Return the number of the ping that goes now; None while another is under way."""
        self.due = False
        if self._sent is not None:
            return None
        self._number += 1
        self._sent = now
        return self._number

    def pong(self, number: int, now: int) -> int | None:
        """Take the reply; return the lag that it shows. One that was not asked for says nothing."""
        if self._sent is None or number != self._number:
            return None
        lag = max(0, now - self._sent)
        self._sent = None
        self.lags.append(lag)
        self.lag = min(self.lags)
        return lag
