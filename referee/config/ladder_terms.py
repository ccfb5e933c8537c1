"""What must stay as a ladder began, by the keys and in the units of its file."""

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from referee.formats.times_text import clock_text
from referee.match.values import MS, Clock

CLOCK = "match.clock"
_PRACTICE = "practice"  # it is one while somebody chose the seed
_NS, _MS = "_ns", "_ms"

# of the settings of a match those that a file has in another section, or under another name
_SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "match.max_resends": "faults.max_resends",
        "match.max_strikes": "faults.max_strikes",
        "match.max_actions": "faults.max_actions",
        "match.max_rounds": "faults.max_rounds",
        "match.wall_per_round_ns": "faults.wall_per_round_ns",
        "match.lag_limit_ns": "faults.lag_limit_ns",
    }
)
# whatever follows from others comes behind them: the first that differs is the one to mend
_LAST = ("match.window_ms", "faults.max_rounds", _PRACTICE)


def written_terms(terms: Mapping[str, str]) -> dict[str, str]:
    """Return terms by keys of a ladder's file, each as the file has it; "" is left out there.

    Values of the settings of a match are JSON text, as `terms.json` has them.

    >>> written_terms({"match.window_ns": "50000000", "unit": "board"})
    {'unit': '"board"', 'match.window_ms': '50'}
    """
    found: dict[str, str] = {}
    for name, text in terms.items():
        if name == CLOCK:
            found |= _clock(text)
        elif name.startswith("match."):
            found |= dict([_setting(_SECTIONS.get(name, name), text)])
        elif name.startswith("options."):
            found[name] = "" if text == "null" else text
        elif name == _PRACTICE:
            found[name] = text
        else:
            found[name] = msgspec.json.encode(text).decode()
    return {name: found[name] for name in sorted(found, key=lambda name: name in _LAST)}


def _setting(name: str, text: str) -> tuple[str, str]:
    """Return a value of a match as the file has it: times in milliseconds."""
    if not name.endswith(_NS):
        return name, "" if text == "null" else text
    return name.removesuffix(_NS) + _MS, _milliseconds(msgspec.json.decode(text))


def _milliseconds(duration_ns: object) -> str:
    return f"{duration_ns / MS:g}" if isinstance(duration_ns, int) else ""


def _clock(text: str) -> dict[str, str]:
    """Return the keys of a clock: base and bank in one text, the others by themselves."""
    clock = msgspec.json.decode(text, type=Clock | None)
    found = {CLOCK: f'"{clock_text(clock)}"'}
    for field in Clock.__struct_fields__:
        if field not in ("base_ns", "bank_ns"):
            name, value = f"match.{field.removesuffix(_NS)}{_MS}", getattr(clock, field, None)
            found[name] = _milliseconds(value)
    return found
