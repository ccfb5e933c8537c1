"""Lines for people, on stderr: stdout stays free for what a bot wants to print."""

import sys
import traceback


def say(event: str, **fields: object) -> None:
    """Print one line: what happened, then `name=value` for each field."""
    details = "".join(f" {name}={value}" for name, value in fields.items())
    print(f"tichu_bot: {event}{details}", file=sys.stderr, flush=True)


def times(count: int) -> str:
    """Return the count in words for a line.

    >>> times(1), times(2)
    ('once', '2 times')
    """
    return "once" if count == 1 else f"{count} times"


def say_failure(event: str, **fields: object) -> None:
    """Print one line, then the traceback of the exception being handled."""
    say(event, **fields)
    print(traceback.format_exc(), file=sys.stderr, end="", flush=True)
