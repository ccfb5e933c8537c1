"""A failed probe as a file: what to repeat, and what was sent and received."""

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
from google.protobuf.json_format import MessageToDict

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.check.probe import Probe
from referee.check.runner import Result
from referee.check.stream import Frame
from referee.rules.errors import ConfigError

_FORMAT = "tichu-referee bot check 1"


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """What a file of a failed probe says to run again."""

    probe: str
    seed: str
    bot: tuple[str, ...]  # words of its command, as they were given


def replay_text(result: Result, *, seed: str, bot: Sequence[str]) -> str:
    """Return the file of a probe that failed. No token is in it: frames hold none."""
    report = {
        "format": _FORMAT,
        "probe": result.probe.id,
        "seed": seed,
        "bot": list(bot),
        "what": result.what,
        "cure": result.cure,
        "stderr": list(result.errors),
        "frames_dropped": result.dropped,
        "frames": [_frame(frame) for frame in result.frames],
    }
    return json.dumps(report, indent=1) + "\n"


def _frame(frame: Frame) -> dict[str, object]:
    told: dict[str, object] = {
        "at_ms": round(frame.at_s * 1000),
        "stream": frame.stream,
        "from": "bot" if frame.of_bot else "proctor",
    }
    if frame.event:
        return {**told, "event": frame.event}
    kind = referee_pb2.PlayRequest if frame.of_bot else referee_pb2.PlayResponse
    try:
        said: object = MessageToDict(kind.FromString(frame.data), preserving_proto_field_name=True)
    except Exception:  # no message of ours: its bytes tell
        said = {"bytes": frame.data.hex()}
    return {**told, "frame": said}


def read_replay(path: Path, probes: Sequence[Probe]) -> Replay:
    """Return what a file says to run again. Raises `ConfigError` for what is no such file."""
    try:
        raw = json.loads(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise ConfigError(f"{path}: no JSON; name a file that --failed wrote") from None
    if not isinstance(raw, dict) or raw.get("format") != _FORMAT:
        raise ConfigError(f"{path}: no file of a failed probe; name one that --failed wrote")
    try:
        replay = msgspec.convert({key: raw.get(key) for key in ("probe", "seed", "bot")}, Replay)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: {error}; name a file that --failed wrote") from None
    if replay.probe not in {probe.id for probe in probes}:
        raise ConfigError(f"{path}: there is no probe {replay.probe!r} in this release")
    return replay
