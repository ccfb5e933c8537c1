"""The configuration file: what is wrong, where, and what was meant."""

from pathlib import Path

import pytest

from referee.config import ServeConfig, load_config
from referee.match.values import Pace
from referee.rules.errors import ConfigError

FULL = """
listen = ["unix:/run/referee.sock", "127.0.0.1:7000"]
grace_ms = 5000
[match]
pace = "fast"
window_ms = 700
clock = "1s+10s"
[options]
great_grand = true
target = 500
[limits]
frames_per_s = 100
"""


def load(tmp_path: Path, text: str) -> ServeConfig:
    path = tmp_path / "referee.toml"
    path.write_text(text)
    return load_config(path)


def refusal(tmp_path: Path, text: str) -> str:
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, text)
    return str(refused.value).removeprefix(f"{tmp_path}/")


def test_a_whole_file(tmp_path: Path) -> None:
    config = load(tmp_path, FULL)
    assert config.listen == ("unix:/run/referee.sock", "127.0.0.1:7000")
    assert (config.match.pace, config.match.window_ms) == (Pace.FAST, 700)
    assert config.options == {"great_grand": True, "target": 500}
    assert config.limits.frames_per_s == 100


def test_an_empty_file_is_the_defaults(tmp_path: Path) -> None:
    assert load(tmp_path, "") == ServeConfig()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lsten = []", "referee.toml:1: unknown key 'lsten'; did you mean 'listen'?"),
        (
            "\n[match]\npace = 'fast'\nwindow_mss = 5",
            "referee.toml:4: unknown key 'match.window_mss'; did you mean 'window_ms'?",
        ),
        (
            "[options]\ngreat_grnd = true",
            "referee.toml:2: unknown key 'options.great_grnd'; did you mean 'great_grand'?",
        ),
        (
            "[limits]\n\nframes_per_sec = 3",
            "referee.toml:3: unknown key 'limits.frames_per_sec'; did you mean 'frames_per_s'?",
        ),
        ("match.pac = 1", "referee.toml:1: unknown key 'match.pac'; did you mean 'pace'?"),
        ("[matches_]\na = 1", "referee.toml:1: unknown key 'matches_'; did you mean 'matches'?"),
        (
            "max_strike = 3",
            "referee.toml:1: unknown key 'max_strike'; did you mean [faults] max_strikes?",
        ),
        (
            "[options]\nfoo = 1",
            "referee.toml:2: unknown key 'options.foo'; `referee rules show` lists them",
        ),
        (
            "[faults]\nqqqqq = 1",
            "referee.toml:2: unknown key 'faults.qqqqq'; there are max_resends, max_strikes, "
            "max_actions, max_rounds, wall_per_round_ms, lag_limit_ms, grace_ms, "
            "resume_grace_ms, start_ms",
        ),
        (
            "[faults]\nmax_strikes = 'abc'",
            'referee.toml:2: faults.max_strikes: write a whole number from 0 to 1000000, not "abc"',
        ),
        (
            "\n[[faults]]\nmax_strikes = 3",
            "referee.toml:2: faults: write [faults], with single brackets",
        ),
        ("faults = 3", "referee.toml:1: faults: write a section, [faults], not 3"),
        ("plaintext = 1", "referee.toml:1: plaintext: write true or false, not 1"),
        ("seed = 1", "referee.toml:1: seed: write a text in quotes, not 1"),
        ("seed = 2020-01-01", 'referee.toml:1: seed: write a text in quotes, not "2020-01-01"'),
        (
            "issue = ['a', 1]",
            """referee.toml:1: issue: write a list of texts, issue = ["..."], not ["a",1]""",
        ),
        (
            "[options]\ntarget = [1]",
            "referee.toml:2: options.target: write a number, true, false or a text in quotes, "
            "not [1]",
        ),
        (
            "[options]\nrounds = 4\n\ngreat_grand = 1.5",
            "referee.toml:4: options.great_grand: write a number, true, false or a text in "
            "quotes, not 1.5",
        ),
        ("grace_ms = 5\ngrace_ms = 6", "referee.toml:2: grace_ms is there twice; leave one out"),
        ("[match]\n[match]", "referee.toml:2: [match] is there twice; leave one out"),
        (
            "[match]\nwindow_ms = 'x'",
            'referee.toml:2: match.window_ms: write a whole number from 20 to 86400000, not "x"',
        ),
        (
            "[match]\npace = 'slow'",
            "referee.toml:2: match.pace: write one of 'fair', 'fast', not \"slow\"",
        ),
        (
            "log_format = 'xml'",
            "referee.toml:1: log_format: write one of 'console', 'json', not \"xml\"",
        ),
        (
            "listen = '127.0.0.1:7'",
            'referee.toml:1: listen: write a list of texts, listen = ["..."], not "127.0.0.1:7"',
        ),
        (
            "pace = 'fast'",
            "referee.toml:1: unknown key 'pace'; it belongs into a section: [match] pace",
        ),
        (
            "[match]\nrounds = 2",
            "referee.toml:2: unknown key 'match.rounds'; "
            "it belongs into a section: [options] rounds",
        ),
        (
            "[match]\nlisten = []",
            "referee.toml:2: unknown key 'match.listen'; "
            "it belongs above the first section: listen",
        ),
        (
            "[match]\nmax_strikes = 2",
            "referee.toml:2: unknown key 'match.max_strikes'; "
            "it belongs into a section: [faults] max_strikes",
        ),
        (
            "[faults]\nmax_strike = 2",
            "referee.toml:2: unknown key 'faults.max_strike'; did you mean 'max_strikes'?",
        ),
        (
            "base = 'act=5s'",
            "referee.toml:1: unknown key 'base'; "
            "write [match] call_ms, exchange_ms, act_ms or choose_seat_ms",
        ),
        ("once = true", "referee.toml:1: unknown key 'once'; write matches = 1"),
        (
            "[limits]\ngrace_ns = 5",
            "referee.toml:2: limits.grace_ns: write grace_ms, in milliseconds, "
            "above the first section",
        ),
        (
            "durability = 'disk'",
            "referee.toml:1: durability: write one of 'process', 'power', not \"disk\"",
        ),
        (
            "resume_grace_ms = 5",
            "referee.toml:1: unknown key 'resume_grace_ms'; it belongs into a section: "
            "[faults] resume_grace_ms",
        ),
        (
            "grace_ms = 1.5",
            "referee.toml:1: grace_ms: write a whole number from 0 to 3600000, not 1.5",
        ),
    ],
)
def test_what_is_wrong_and_where(tmp_path: Path, text: str, message: str) -> None:
    assert refusal(tmp_path, text) == message


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("limits", "hold_ns", -5),
        ("limits", "sessions", 0),
        ("limits", "sessions", 3),
        ("limits", "frame_bytes", 1),
        ("limits", "unsent_bytes", 1),
        ("limits", "ping_ns", 0),
        ("limits", "frames_per_s", 0),
        ("match", "window_ms", 19),
        ("match", "window_ms", 5_000_000_000),
        ("match", "act_ms", 0),
        ("match", "lag_cap_ms", -1),
        ("match", "lag_quota_ms", 86_400_001),
        ("faults", "max_resends", -1),
        ("faults", "max_strikes", -1),
        ("faults", "max_actions", 0),
        ("faults", "wall_per_round_ms", 0),
        ("faults", "lag_limit_ms", 49),
        ("faults", "grace_ms", 3_600_001),
        ("faults", "start_ms", 0),
        ("", "matches", 0),
        ("", "parallel", 0),
        ("", "parallel", 513),
        ("", "metrics_port", 70_000),
        ("", "grace_ms", -1),
    ],
)
def test_a_number_out_of_its_bounds_is_refused_at_its_line(
    tmp_path: Path, section: str, key: str, value: int
) -> None:
    text = f"[{section}]\n{key} = {value}" if section else f"\n{key} = {value}"
    dotted = f"{section}.{key}" if section else key
    assert refusal(tmp_path, text).startswith(
        f"referee.toml:2: {dotted}: write a whole number from "
    )


def test_text_that_is_no_toml_names_its_line(tmp_path: Path) -> None:
    said = refusal(tmp_path, "grace_ms = 5\nlisten = = 3")
    assert said == "referee.toml:2: this is no TOML: invalid value"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load_config(tmp_path / "none.toml")


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "referee.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_config(path)
