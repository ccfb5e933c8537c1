"""Commands that an operator is advised to run: whole, to be copied as they are."""

import re
import shlex

from referee.bootstrap.ladder_plan import LadderPlan
from referee.config import place_in
from referee.formats.printable import printable
from referee.rules.errors import ConfigError
from referee.store.ladder.address import database_of

_FLAG = re.compile(r"\b(another|a) --store\b")


def command(plan: LadderPlan, name: str, *words: str, reason: str = "") -> str:
    """Return a command of `referee ladder` for this ladder, as one writes it in a shell.

    Of a tournament it is one of `referee tournament`.

    `reason` is what stands under the table, for those that take one.

    >>> from referee.bootstrap.ladder_plan import SchedulePlan
    >>> from referee.ladder.schedule import ScheduleKind
    >>> from referee.match.values import Settings
    >>> from referee.rules.options import RuleOptions
    >>> from pathlib import Path
    >>> plan = LadderPlan(
    ...     event="cup", entries=(), settings=Settings(rules=RuleOptions()), folder=Path("x"),
    ...     schedule=SchedulePlan(kind=ScheduleKind.ROUND_ROBIN), database="sqlite:///x",
    ...     file=Path("my cup.toml"))
    >>> command(plan, "withdraw", "zoe", reason="it is gone")
    "referee ladder withdraw 'my cup.toml' zoe --reason 'it is gone'"
    """
    all_words = ["referee", plan.kind, name, _file(plan), *words]
    if reason:
        all_words += ["--reason", reason]
    return printable(" ".join([*map(shlex.quote, all_words), *_database(plan)]))


def token_command(plan: LadderPlan, bot: str, instances: int) -> str:
    """Return the command that makes tokens for a bot of this ladder, as `command` does."""
    words = ["referee", "token", "create", bot, "--instances", str(instances)]
    words += ["--ladder", _file(plan)]
    return printable(" ".join([*map(shlex.quote, words), *_database(plan)]))


def place_of(plan: LadderPlan, *keys: str | int) -> str:
    """Return `file:line: ` of a key in the ladder's file, or the file alone; "" without a file."""
    if plan.file is None:
        return ""
    return f"{place_in(plan.file, *keys) or plan.file}: "


def in_a_ladder(error: ConfigError) -> ConfigError:
    """Return what a store says of itself, with the key of a ladder's file for the flag of a server.

    >>> print(in_a_ladder(ConfigError("store x: Read-only file system; choose another --store")))
    store x: Read-only file system; choose another `folder`
    """
    return ConfigError(_FLAG.sub(r"\1 `folder`", str(error)))


def _file(plan: LadderPlan) -> str:
    return f"{plan.event}.toml" if plan.file is None else str(plan.file)


def _database(plan: LadderPlan) -> list[str]:
    if plan.chosen_database is None:
        return []
    return ["--database", database_of(plan.chosen_database).word]
