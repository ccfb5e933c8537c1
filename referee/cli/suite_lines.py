"""Files of positions, one a line."""

from collections.abc import Iterator

import click


def lines_of(name: str) -> Iterator[bytes]:
    """Yield the lines of a file, - for stdin; of one that is too long only enough to say so.

    Raises `ConfigError` where it cannot be read.
    """
    from referee.formats.vector_fields import MOST_BYTES
    from referee.rules.errors import ConfigError

    try:
        with click.open_file(name, "rb") as file:
            while line := file.readline(MOST_BYTES + 2):
                yield line
                while len(line) == MOST_BYTES + 2 and not line.endswith(b"\n"):
                    line = file.readline(MOST_BYTES + 2)
    except OSError as wrong:
        raise ConfigError(
            f"{name}: {wrong.strerror or wrong}; name a file of positions, or - for stdin"
        ) from None
