"""Counting, as Prometheus reads it."""

import urllib.request

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from referee.match.facts import MatchEnded
from referee.match.values import AckStatus, AskKind, Blame, Ending
from referee.metrics.endpoint import MetricsEndpoint
from referee.metrics.meter import Histogram, PrometheusMeter
from referee.ports import Status
from referee.rules.errors import ConfigError


def sample(meter: PrometheusMeter, name: str, **labels: str) -> float | None:
    registry = CollectorRegistry()
    registry.register(meter)
    return registry.get_sample_value(name, labels)


def test_a_match_is_running_from_its_start_to_its_end() -> None:
    meter = PrometheusMeter()
    meter.match_started()
    meter.match_started()
    meter.match_ended(MatchEnded(at=0, ending=Ending.CRASHED, totals=(), rounds=0, blame=Blame.BOT))
    assert sample(meter, "referee_matches_started_total") == 2
    assert sample(meter, "referee_matches_running") == 1
    assert sample(meter, "referee_matches_ended_total", ending="crashed", blame="bot") == 1


def test_only_endings_that_happen_have_a_series() -> None:
    meter = PrometheusMeter()
    assert sample(meter, "referee_matches_ended_total", ending="completed", blame="none") == 0
    assert sample(meter, "referee_matches_ended_total", ending="completed", blame="bot") is None
    meter.match_ended(
        MatchEnded(at=0, ending=Ending.CRASHED, totals=(), rounds=0, blame=Blame.UNKNOWN)
    )
    assert sample(meter, "referee_matches_ended_total", ending="crashed", blame="unknown") == 1


def test_answers_are_counted_by_kind_and_outcome_and_measured() -> None:
    meter = PrometheusMeter()
    meter.asked(AskKind.ACT)
    meter.answered(AskKind.ACT, AckStatus.APPLIED, 3_000_000)
    assert sample(meter, "referee_asks_total", kind="act") == 1
    assert sample(meter, "referee_answers_total", kind="act", status="applied") == 1
    assert sample(meter, "referee_decision_seconds_sum", kind="act") == pytest.approx(0.003)
    bucket = "referee_decision_seconds_bucket"
    assert sample(meter, bucket, kind="act", le="0.0025") == 0
    assert sample(meter, bucket, kind="act", le="0.005") == 1
    assert sample(meter, bucket, kind="act", le="+Inf") == 1


def test_streams_and_refusals_are_counted() -> None:
    meter = PrometheusMeter()
    meter.stream_opened()
    meter.stream_opened()
    meter.stream_closed(Status.ABORTED)
    meter.refused("TOO_LOW")
    assert sample(meter, "referee_open_streams") == 1
    assert sample(meter, "referee_streams_closed_total", status="aborted") == 1
    assert sample(meter, "referee_refusals_total", code="TOO_LOW") == 1


def test_only_faults_that_sessions_report_have_a_series() -> None:
    meter = PrometheusMeter()
    meter.fault(Ending.DISCONNECTED)
    assert sample(meter, "referee_faults_total", ending="disconnected") == 1
    assert sample(meter, "referee_faults_total", ending="crashed") == 0
    for ending in (Ending.COMPLETED, Ending.CANCELLED, Ending.FORFEIT_TIME, Ending.STORE_FAILED):
        assert sample(meter, "referee_faults_total", ending=ending.value) is None


def test_a_value_on_a_bound_belongs_below_it() -> None:
    histogram = Histogram((1.0, 2.0))
    for value in (0.5, 1.0, 1.5, 9.0):
        histogram.observe(value)
    assert histogram.buckets() == [("1.0", 2.0), ("2.0", 3.0), ("+Inf", 4.0)]


def test_no_label_names_a_match_or_a_bot() -> None:
    labels = {
        label
        for metric in PrometheusMeter().collect()
        for one in metric.samples
        for label in one.labels
    }
    assert labels == {"kind", "status", "code", "ending", "blame", "why", "le"}


def test_the_endpoint_serves_text_that_prometheus_reads() -> None:
    endpoint = MetricsEndpoint(PrometheusMeter(), host="127.0.0.1", port=0)
    try:
        with urllib.request.urlopen(f"http://{endpoint.address}/metrics") as answer:
            text = answer.read().decode()
    finally:
        endpoint.close()
    names = {family.name for family in text_string_to_metric_families(text)}
    assert {"referee_matches_running", "referee_loop_lag_seconds", "python_info"} <= names


def test_a_port_that_is_taken_is_an_operators_mistake() -> None:
    endpoint = MetricsEndpoint(PrometheusMeter(), host="127.0.0.1", port=0)
    try:
        port = int(endpoint.address.rpartition(":")[2])
        with pytest.raises(ConfigError, match="metrics port"):
            MetricsEndpoint(PrometheusMeter(), host="127.0.0.1", port=port)
    finally:
        endpoint.close()


def test_a_port_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match="metrics port 70000: write a number from 0 to 65535"):
        MetricsEndpoint(PrometheusMeter(), host="127.0.0.1", port=70_000)


def test_strikes_are_counted_by_reason() -> None:
    meter = PrometheusMeter()
    meter.struck("late")
    meter.struck("NOT_HELD_BEFORE")
    assert sample(meter, "referee_strikes_total", why="late") == 1
    assert sample(meter, "referee_strikes_total", why="MALFORMED") == 0
    assert sample(meter, "referee_strikes_total", why="NOT_HELD_BEFORE") == 1


def test_times_of_blocks_links_and_throttles_are_sums_of_seconds() -> None:
    meter = PrometheusMeter()
    for _ in range(2):
        meter.stalled(1_500_000_000)
        meter.lag_credited(30_000_000)
        meter.throttled(2_000_000)
    assert sample(meter, "referee_stalls_total") == 2
    assert sample(meter, "referee_stalled_seconds_total") == pytest.approx(3)
    assert sample(meter, "referee_lag_credited_seconds_total") == pytest.approx(0.06)
    assert sample(meter, "referee_throttled_seconds_total") == pytest.approx(0.004)
