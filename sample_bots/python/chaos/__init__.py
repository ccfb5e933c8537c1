"""Bots that misbehave, each in one way, to try what a referee makes of it.

`referee play chaos:NAME greedy greedy greedy` starts one; the README beside this file says what
each does and how its match should end. They speak through `tichu_bot` and know nothing of the
referee's own code.
"""

from collections.abc import Mapping
from types import MappingProxyType

PREFIX = "chaos:"

NAMES = (
    "illegal",
    "malformed",
    "silent",
    "late",
    "flood",
    "never-reads",
    "crash",
    "gone",
    "never-started",
    "exits-early",
    "resigns",
    "wrong-version",
    "just-in-time",
    "fakes-lag",
    "twice",
    "wrong-order",
    "other-seat",
    "stubborn",
    "raises-on-shutdown",
    "sore-loser",
    "drags",
    "shares-hand",
    "remembers-leg",
    "signals-by-time",
)

# As an operator names them; each runs as `python -m MODULE`.
CHAOS: Mapping[str, str] = MappingProxyType(
    {f"{PREFIX}{name}": f"chaos.{name.replace('-', '_')}" for name in NAMES}
)
