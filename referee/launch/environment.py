"""What a bot finds in its environment: where to connect, and who it is (PROTOCOL 1)."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

_OURS = "TICHU_"
# Files of a CI runner: what is written into them becomes the environment, the path, the outputs
# or the summary of the job, which are not a bot's to set.
_THE_RUNNERS = frozenset(
    {"GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"}
)


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """One process's way to the referee. The token is a secret: it goes into no log or argument."""

    server: str  # one address, or several with commas: tried in order
    token: str
    name: str  # for display
    log_dir: Path  # a folder that the bot may write to
    ca_file: Path | None = None  # None: no TLS


def access_variables(access: Access) -> dict[str, str]:
    """Return the variables that a bot reads."""
    variables = {
        "TICHU_SERVER": access.server,
        "TICHU_TOKEN": access.token,
        "TICHU_BOT_NAME": access.name,
        "TICHU_LOG_DIR": str(access.log_dir),
    }
    if access.ca_file is not None:
        variables["TICHU_CA_FILE"] = str(access.ca_file)
    return variables


def bot_environment(inherited: Mapping[str, str], access: Access) -> dict[str, str]:
    """Return a whole environment: ours, and what is inherited.

    Old `TICHU_` values are left out, and the files by which a step of CI steers its job.
    """
    kept = {
        key: value
        for key, value in inherited.items()
        if not key.startswith(_OURS) and key not in _THE_RUNNERS
    }
    return kept | access_variables(access)
