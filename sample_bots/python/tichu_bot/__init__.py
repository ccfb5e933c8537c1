"""Bots for the Tichu referee. A whole bot has five lines; see `Bot`.

The names here load no gRPC: a strategy can be imported and tested without it.
"""

from collections.abc import Mapping
from types import MappingProxyType

from tichu_bot.acts import DEFAULT, PASS, Act, CallKind, Decision, Exchange
from tichu_bot.async_bot import AsyncBot
from tichu_bot.bot import Bot
from tichu_bot.cards import Kind, Play
from tichu_bot.exit_code import ExitCode
from tichu_bot.many_bot import ManyBot
from tichu_bot.replies import answer_from
from tichu_bot.run import run
from tichu_bot.table import Table
from tichu_bot.view import Pace, Slot, View, Why

# The house bots: each runs as `python -m MODULE`.
HOUSE: Mapping[str, str] = MappingProxyType(
    {"random": "tichu_bot.random", "greedy": "tichu_bot.greedy"}
)

__all__ = [
    "DEFAULT",
    "HOUSE",
    "PASS",
    "Act",
    "AsyncBot",
    "Bot",
    "CallKind",
    "Decision",
    "Exchange",
    "ExitCode",
    "Kind",
    "ManyBot",
    "Pace",
    "Play",
    "Slot",
    "Table",
    "View",
    "Why",
    "answer_from",
    "run",
]
