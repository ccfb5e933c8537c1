"""The file of a ladder, read and checked."""

from pathlib import Path

from referee.config.ladder_checks import wrongs
from referee.config.ladder_sections import LadderFile
from referee.config.toml_file import FileKind, TomlFile, has_key
from referee.rules.errors import ConfigError

_KIND = FileKind(
    root=LadderFile,
    flags_only={
        "entries": "[[entry]], one for each",
        "command": 'bot = "COMMAND"',
        "bots": 'pair = ["A", "B"]',
        "clock": '[match] clock = "BASE+BANK"',
        "salt": 'public_salt = "..."',
        "record_dir": 'folder = "..."; records lie in its folder records',
    },
    missing={
        "name": 'name = "..."',
        "owner": 'owner = "...", who runs the bot; entries of one owner do not meet',
    },
)


def load_ladder(path: Path) -> LadderFile:
    """Return the ladder in a file. Raises `ConfigError` naming file, line or key, and the cure."""
    if has_key(path, "entrants"):
        raise ConfigError(
            f"{path}: this is a tournament, since it has the key entrants; its commands are those "
            "of `referee tournament`"
        )
    file = TomlFile.read(path, _KIND)
    ladder = file.convert(LadderFile)
    for wrong in wrongs(ladder):
        raise file.error(wrong.text, *wrong.keys)
    return ladder
