"""Files of the repository that travel with the referee: in the wheel, or where a checkout has them.

The wheel holds them below `referee/_shipped`, under the paths of the repository.
"""

from pathlib import Path

import referee
from referee.rules.errors import RefereeBug

_PACKAGE = Path(referee.__file__).parent
COUNTS = "tests/vectors/counts.jsonl"


def packed() -> bool:
    """True where the referee was installed from a wheel, False in a checkout."""
    return (_PACKAGE / "_shipped").is_dir()


def shipped(path: str) -> Path:
    """Return where a file or folder of the repository lies. `RefereeBug`: it was not packed."""
    place = _root() / path
    if not place.exists():
        raise RefereeBug(f"{path} is not where it should be: {place}")
    return place


def _root() -> Path:
    return _PACKAGE / "_shipped" if packed() else _PACKAGE.parent
