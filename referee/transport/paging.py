"""Pages of lists: how many entries one has, and where the next one begins."""

from referee.ports.services import CallRefused, Problem

_MOST, _USUAL = 1_000, 100


def size_of(asked: int) -> int:
    """Return how many entries a page has. Raises `CallRefused` for a number that cannot be."""
    if asked > _MOST:
        raise CallRefused(
            Problem.INVALID_ARGUMENT,
            f"page_size: {asked} is not 1 to {_MOST}; write one of these, or 0 for {_USUAL}",
            subject="page_size",
        )
    return asked or _USUAL


def no_page() -> CallRefused:
    """Return the refusal of a token that belongs to no page of this list."""
    return CallRefused(
        Problem.INVALID_ARGUMENT,
        "page_token: no token of this list, or too old a one; begin again without",
        subject="page_token",
    )
