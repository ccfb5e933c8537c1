"""The rule options of a command line: `--rounds`, `--target` and `--option NAME=VALUE`."""

from collections.abc import Sequence

from referee.rules.errors import ConfigError
from referee.rules.options import parse_option_text


def rules_given(
    texts: Sequence[str], *, rounds: int | None = None, target: int | None = None
) -> dict[str, object]:
    """Return plain values by name. Raises `ConfigError` for a mistake, and for a name given twice.

    >>> rules_given(["great_grand=true"], rounds=3)
    {'rounds': 3, 'great_grand': True}
    """
    named = {"rounds": rounds, "target": target}
    given: dict[str, object] = {name: value for name, value in named.items() if value is not None}
    for text in texts:
        name, value = parse_option_text(text)
        if name in given:
            raise ConfigError(f"option {name} is given twice; leave one out")
        given[name] = value
    return given
