"""What events, entries, owners and bots may be called."""

import re

NAME_RULE = "a name is up to 32 letters, digits or any of . _ -, and begins with a letter or digit"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}")


def is_name(text: str) -> bool:
    """True if an event, entry, owner or bot may be called so.

    >>> is_name("deep-blue_2.1"), is_name("a~b"), is_name("../x")
    (True, False, False)
    """
    return _NAME.fullmatch(text) is not None
