"""The `Meter` as plain numbers, read by Prometheus when it asks.

Counting is an addition to an int: prometheus-client's own counters take a lock each time, which
the path of every action would feel. A scrape runs in a thread of its own and sees numbers that may
be one action apart.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from prometheus_client import Metric
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.registry import Collector

from referee.match.facts import MatchEnded
from referee.match.values import AckStatus, AskKind, Blame, Ending, WireRefusal
from referee.ports import Status
from referee.rules.refusals import Refusal

_SECONDS = (
    *(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1),
    *(0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0),
)
# faults that sessions report; a seat that resigns one match alone is a request, not lost
_OF_SESSIONS = (
    *(Ending.CRASHED, Ending.DISCONNECTED, Ending.FLOODED, Ending.NEVER_STARTED),
    *(Ending.RESIGNED, Ending.SLOW_READER),
)
LATE = "late"  # the reason of a strike for an ask that ran out; the others are refusals
_SIZES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0)


class Histogram:
    """Counts by upper bound, and a sum."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Count one value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def buckets(self) -> list[tuple[str, float]]:
        """Return the cumulated counts as Prometheus wants them."""
        rows, reached = [], 0
        for bound, number in zip((*map(str, self.bounds), "+Inf"), self.counts, strict=True):
            reached += number
            rows.append((bound, float(reached)))
        return rows


class PrometheusMeter(Collector):
    """Implements `referee.ports.Meter`; register it as a collector."""

    def __init__(self) -> None:
        self._started = 0
        self._running = 0
        self._ended = dict.fromkeys(((e, _blame(e)) for e in Ending), 0)
        self._asks = dict.fromkeys(AskKind, 0)
        self._answers = dict.fromkeys(((k, s) for k in AskKind for s in AckStatus), 0)
        self._refusals = dict.fromkeys((*map(str, Refusal), *map(str, WireRefusal)), 0)
        self._faults = dict.fromkeys(_OF_SESSIONS, 0)
        self._strikes = dict.fromkeys((LATE, *self._refusals), 0)
        self._stalls = 0
        self._stalled_ns = 0
        self._credited_ns = 0
        self._throttled_ns = 0
        self._ready = True
        self._away_ns = 0
        self._resumed = 0
        self._open_streams = 0
        self._closed_streams = dict.fromkeys(Status, 0)
        self._facts = 0
        self._bytes_written = 0
        self._decisions = {kind: Histogram(_SECONDS) for kind in AskKind}
        self._turns = Histogram(_SECONDS)
        self._appends = Histogram(_SECONDS)
        self._lags = Histogram(_SECONDS)
        self._read = Histogram(_SIZES)
        self._written = Histogram(_SIZES)

    # --- the port

    def match_started(self) -> None:
        """Count a match."""
        self._started += 1
        self._running += 1

    def match_ended(self, ended: MatchEnded) -> None:
        """Count an ending."""
        self._running -= 1
        key = (ended.ending, ended.blame)
        self._ended[key] = self._ended.get(key, 0) + 1

    def asked(self, kind: AskKind) -> None:
        """Count an ask."""
        self._asks[kind] += 1

    def answered(self, kind: AskKind, status: AckStatus, duration_ns: int) -> None:
        """Count an answer and how long it took."""
        self._answers[kind, status] += 1
        self._decisions[kind].observe(duration_ns / 1e9)

    def refused(self, code: str) -> None:
        """Count a refusal."""
        self._refusals[code] += 1

    def fault(self, ending: Ending) -> None:
        """Count a fault of a session."""
        self._faults[ending] = self._faults.get(ending, 0) + 1

    def stream_opened(self) -> None:
        """Count an open stream."""
        self._open_streams += 1

    def stream_closed(self, status: Status) -> None:
        """Count a stream that ended."""
        self._open_streams -= 1
        self._closed_streams[status] += 1

    def frame_read(self, items: int) -> None:
        """Count a frame of a bot."""
        self._read.observe(items)

    def frame_written(self, updates: int, size: int) -> None:
        """Count a frame to a bot."""
        self._written.observe(updates)
        self._bytes_written += size

    def appended(self, facts: int, duration_ns: int) -> None:
        """Measure a commit."""
        self._facts += facts
        self._appends.observe(duration_ns / 1e9)

    def loop_blocked(self, duration_ns: int) -> None:
        """Measure a turn of the loop."""
        self._turns.observe(duration_ns / 1e9)

    def link_lag(self, duration_ns: int) -> None:
        """Measure a ping."""
        self._lags.observe(duration_ns / 1e9)

    def lag_credited(self, duration_ns: int) -> None:
        """Count time put down to a link."""
        self._credited_ns += duration_ns

    def struck(self, why: str) -> None:
        """Count a strike."""
        self._strikes[why] = self._strikes.get(why, 0) + 1

    def stalled(self, blocked_ns: int) -> None:
        """Count a block after which a match asked anew."""
        self._stalls += 1
        self._stalled_ns += blocked_ns

    def throttled(self, duration_ns: int) -> None:
        """Count time for which a bot is not read."""
        self._throttled_ns += duration_ns

    def ready(self, ready: bool) -> None:
        """Note whether facts can be kept."""
        self._ready = ready

    def store_away(self, duration_ns: int) -> None:
        """Count time for which nothing could be kept."""
        self._away_ns += duration_ns

    def resumed(self, matches: int) -> None:
        """Count matches that an earlier process left."""
        self._resumed += matches

    # --- for Prometheus

    def collect(self) -> Iterator[Metric]:
        """Return everything at this moment."""
        yield GaugeMetricFamily("referee_matches_running", "Matches now.", self._running)
        yield GaugeMetricFamily("referee_open_streams", "Streams now.", self._open_streams)
        yield GaugeMetricFamily("referee_ready", "1 while facts can be stored.", int(self._ready))
        yield _count("referee_matches_started", "Matches started.", self._started)
        yield _count("referee_matches_resumed", "Matches gone on with.", self._resumed)
        yield _count("referee_facts", "Facts stored.", self._facts)
        yield _count("referee_written_bytes", "Bytes handed to streams.", self._bytes_written)
        ended = (((e.value, b.value), n) for (e, b), n in self._ended.items())
        yield _counts("referee_matches_ended", "By ending and blame.", ("ending", "blame"), ended)
        asks = (((kind.value,), n) for kind, n in self._asks.items())
        yield _counts("referee_asks", "Asks by kind.", ("kind",), asks)
        answers = (((k.value, s.value), n) for (k, s), n in self._answers.items())
        yield _counts("referee_answers", "Answers by outcome.", ("kind", "status"), answers)
        refusals = (((code,), n) for code, n in self._refusals.items())
        yield _counts("referee_refusals", "Refusals by code.", ("code",), refusals)
        faults = (((ending.value,), n) for ending, n in self._faults.items())
        yield _counts("referee_faults", "Seats lost by faults of sessions.", ("ending",), faults)
        strikes = (((why,), n) for why, n in self._strikes.items())
        yield _counts("referee_strikes", "Strikes by reason.", ("why",), strikes)
        yield _count("referee_stalls", "Blocks of the loop over a limit.", self._stalls)
        for name, text, spent in (
            ("referee_stalled_seconds", "Time in such blocks.", self._stalled_ns),
            ("referee_lag_credited_seconds", "Time put down to links.", self._credited_ns),
            ("referee_throttled_seconds", "Time for which bots were not read.", self._throttled_ns),
            ("referee_store_away_seconds", "Time in which nothing was stored.", self._away_ns),
        ):
            yield _seconds(name, text, spent)
        closed = (((s.name.lower(),), n) for s, n in self._closed_streams.items())
        yield _counts("referee_streams_closed", "By status, or lost.", ("status",), closed)
        yield from self._histograms()

    def _histograms(self) -> Iterator[Metric]:
        decisions = HistogramMetricFamily(
            "referee_decision_seconds", "From an ask to its answer.", labels=("kind",)
        )
        for kind, histogram in self._decisions.items():
            decisions.add_metric((kind.value,), histogram.buckets(), histogram.total)
        yield decisions
        for name, text, histogram in (
            ("referee_loop_lag_seconds", "Length of a turn of the loop.", self._turns),
            ("referee_append_seconds", "One commit of facts.", self._appends),
            ("referee_link_lag_seconds", "From a ping to its pong.", self._lags),
            ("referee_frame_items", "Answers and requests in a frame read.", self._read),
            ("referee_frame_updates", "Updates in a frame written.", self._written),
        ):
            family = HistogramMetricFamily(name, text)
            family.add_metric((), histogram.buckets(), histogram.total)
            yield family


_BY_NOBODY = (Ending.COMPLETED, Ending.CANCELLED, Ending.ABANDONED)
_BY_US = (Ending.REFEREE_FAILED, Ending.STORE_FAILED)


def _blame(ending: Ending) -> Blame:
    """Whose fault an ending is as a rule: series for the other blames come when they happen."""
    if ending in _BY_NOBODY:
        return Blame.NONE
    return Blame.REFEREE if ending in _BY_US else Blame.BOT


def _count(name: str, text: str, value: int) -> Metric:
    return CounterMetricFamily(name, text, value)


def _seconds(name: str, text: str, duration_ns: int) -> Metric:
    return CounterMetricFamily(name, text, duration_ns / 1e9)


def _counts(
    name: str, text: str, labels: tuple[str, ...], values: Iterable[tuple[tuple[str, ...], int]]
) -> Metric:
    family = CounterMetricFamily(name, text, labels=labels)
    for key, value in values:
        family.add_metric(key, value)
    return family
