"""Numbers with their nouns."""


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, whose plural takes an s.

    >>> counted(1, "round"), counted(2, "round")
    ('1 round', '2 rounds')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
