"""Text of strangers, made safe to print."""


def printable(text: str) -> str:
    r"""Return text with its control characters escaped: it may move no cursor and break no line.

    >>> printable("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
