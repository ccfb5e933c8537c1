"""Rule options as the command line writes them."""

from referee.rules.options import RuleOptions, options_dict


def option_texts(rules: RuleOptions) -> dict[str, str]:
    """Return what differs from the defaults, name to text: `great_grand` to `true`.

    >>> option_texts(RuleOptions(great_grand=True, rounds=4))
    {'rounds': '4', 'great_grand': 'true'}
    """
    return {name: _text(value) for name, value in options_dict(rules).items()}


def _text(value: object) -> str:
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
