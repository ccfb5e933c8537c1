"""The rules of a command line: `--variant`, `--rounds`, `--target` and `--option NAME=VALUE`."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from referee.rules.errors import ConfigError
from referee.rules.option_values import Variant
from referee.rules.options import parse_option_text

_F = TypeVar("_F", bound=Callable[..., Any])


def variant_flag(help_text: str) -> Callable[[_F], _F]:
    """Return the flag `--variant`, for commands that take rules."""
    games = click.Choice([game.value for game in Variant])
    return click.option("--variant", type=games, metavar="GAME", help=help_text)


def rules_given(
    texts: Sequence[str],
    *,
    variant: str | None = None,
    rounds: int | None = None,
    target: int | None = None,
) -> dict[str, object]:
    """Return plain values by name. Raises `ConfigError` for a mistake, and for a name given twice.

    >>> rules_given(["great_grand=true"], rounds=3)
    {'rounds': 3, 'great_grand': True}
    """
    named: dict[str, object] = {"variant": variant, "rounds": rounds, "target": target}
    given = {name: value for name, value in named.items() if value is not None}
    for text in texts:
        name, value = parse_option_text(text)
        if name in given:
            raise ConfigError(f"option {name} is given twice; leave one out")
        given[name] = value
    return given
