"""What is said of probes, and what files hold."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.check.exam import Exam
from referee.check.probe import Probe
from referee.check.replays import read_replay, replay_text
from referee.check.report import (
    badge_svg,
    barred_lines,
    cause,
    cause_lines,
    json_text,
    junit_text,
    last_lines,
    list_line,
    reached,
    result_lines,
)
from referee.check.runner import Result, Verdict
from referee.check.stream import Frame
from referee.rules.errors import ConfigError


async def nothing(exam: Exam) -> None:
    """A probe that demands nothing."""


def probe(name: str = "pong", level: int = 1) -> Probe:
    return Probe(
        id=name,
        level=level,
        title="answers pings",
        demand="each Ping is answered",
        place="the-stream",
        cure="answer it",
        run=nothing,
        limit_s=1.0,
    )


def result(
    verdict: Verdict = Verdict.OK, *, level: int = 1, what: str = "", name: str = "pong"
) -> Result:
    cure = "answer it" if what else ""
    return Result(
        probe=probe(name, level),
        verdict=verdict,
        what=what,
        cure=cure,
        notes=() if what else ("slow",),
        errors=("no <more>",) if what else (),
    )


OK, FAILED = result(), result(Verdict.FAILED, what="silence\x1b[2J <&>")


def test_a_line_of_the_list_has_level_id_and_title() -> None:
    assert list_line(probe()) == "1  pong                     answers pings"


def test_what_passed_is_a_line_and_its_notes() -> None:
    assert result_lines(OK) == [
        "ok      1  pong                     answers pings",
        "        note: slow",
    ]


def test_what_failed_says_what_was_demanded_where_and_the_cure_and_moves_no_cursor() -> None:
    lines = result_lines(FAILED)
    assert lines[0].startswith("FAILED  1  pong ")
    assert "\x1b" not in lines[1]
    assert lines[2] == "        demanded: each Ping is answered (docs/PROTOCOL.md#the-stream)"
    assert lines[3] == "        cure: answer it"


@pytest.mark.parametrize(
    ("verdicts", "level"),
    [
        ({1: "ok", 2: "ok", 3: "ok"}, 3),
        ({1: "ok", 2: "failed", 3: "ok"}, 1),
        ({1: "failed", 2: "ok", 3: "ok"}, 0),
        ({1: "ok", 2: "not run", 3: "ok"}, 1),
    ],
)
def test_a_level_is_reached_with_all_below_it(verdicts: dict[int, str], level: int) -> None:
    results = [result(Verdict(verdict), level=one) for one, verdict in verdicts.items()]
    assert reached(results, [1, 2, 3]) == level


def test_a_level_that_was_not_run_is_not_reached() -> None:
    assert reached([result(level=1)], [1]) == 1
    assert reached([], [1]) == 0


def test_the_last_lines_count_what_was_not_run() -> None:
    results = [OK, FAILED, result(Verdict.NOT_RUN)]
    assert last_lines(results, 0) == [
        "level 1 not reached: pong",
        "level 0 reached",
        "1 passed, 1 failed, 1 not run",
    ]
    assert last_lines(results[:1], None) == ["1 passed, 0 failed"]


def test_what_bars_each_level_is_named_lowest_level_first() -> None:
    results = [
        result(Verdict.FAILED, level=2, what="gone", name="moved"),
        result(Verdict.FAILED, what="gone"),
        result(Verdict.FAILED, what="gone", name="waits"),
        result(level=3),
    ]
    assert barred_lines(results) == [
        "level 1 not reached: pong, waits",
        "level 2 not reached: moved",
    ]


def test_what_failed_like_another_points_at_that_one_and_is_counted_at_the_end() -> None:
    first = result(Verdict.FAILED, what="no answer within 5 s to ask 7")
    again = result(Verdict.FAILED, what="no answer within 1 s to ask 12", name="waits")
    other = result(Verdict.FAILED, what="it printed", name="stdout-silent")
    assert cause(first) == cause(again) != cause(other)
    assert result_lines(again, first.probe)[2:] == ["        as pong above: cure that first"]
    assert cause_lines([first, again, other]) == [
        "2 failed alike, no answer within 5 s to ask 7: pong, waits"
    ]
    many = [result(Verdict.FAILED, what="x", name=f"probe-{n}") for n in range(10)]
    assert cause_lines(many)[0].endswith(", probe-7 and 2 more")


def test_json_has_every_probe() -> None:
    report = json.loads(json_text([OK, FAILED], level=0, seed="s"))
    assert (report["level"], report["seed"], report["protocol_version"]) == (0, "s", 1)
    assert [one["verdict"] for one in report["probes"]] == ["ok", "failed"]
    assert report["probes"][1]["what"] == FAILED.what
    assert report["probes"][0]["what"] is None


def test_junit_can_be_parsed_whatever_a_bot_said() -> None:
    suite = ET.fromstring(junit_text([OK, FAILED, result(Verdict.NOT_RUN)]))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    failure = suite[1][0]
    assert failure.tag == "failure"
    assert "<&>" in (failure.get("message") or "")


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_a_badge_says_level_and_protocol(level: int) -> None:
    badge = ET.fromstring(badge_svg(level))
    assert badge.get("aria-label") == f"Tichu-Referee Level {level}, protocol v1"


def test_a_failed_probe_goes_into_a_file_and_back(tmp_path: Path) -> None:
    ping = referee_pb2.PlayResponse(ping=referee_pb2.Ping(number=3)).SerializeToString()
    frames = (
        Frame(at_s=0.5, stream=1, of_bot=False, data=ping),
        Frame(at_s=0.6, stream=1, of_bot=True, data=b"\xff\xff"),
        Frame(at_s=0.7, stream=0, of_bot=False, data=b"", event="SIGTERM"),
    )
    failed = Result(probe=probe(), verdict=Verdict.FAILED, what="w", cure="c", frames=frames)
    path = tmp_path / "pong.json"
    path.write_text(replay_text(failed, seed="s", bot=("node", "bot.js")))
    kept = read_replay(path, [probe()])
    assert (kept.probe, kept.seed, kept.bot) == ("pong", "s", ("node", "bot.js"))
    said = json.loads(path.read_text())["frames"]
    assert said[0] == {
        "at_ms": 500,
        "stream": 1,
        "from": "proctor",
        "frame": {"ping": {"number": 3}},
    }
    assert said[1]["frame"] == {"bytes": "ffff"}
    assert said[2] == {"at_ms": 700, "stream": 0, "from": "proctor", "event": "SIGTERM"}


def test_a_file_that_is_nested_too_deep_is_no_json(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 200_000)
    with pytest.raises(ConfigError, match="no JSON"):
        read_replay(path, [probe()])


def test_a_file_of_another_release_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pong.json"
    failed = Result(probe=probe("gone"), verdict=Verdict.FAILED, what="w", cure="c")
    path.write_text(replay_text(failed, seed="s", bot=("greedy",)))
    with pytest.raises(ConfigError, match="there is no probe 'gone' in this release"):
        read_replay(path, [probe()])
