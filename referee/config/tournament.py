"""The file of a tournament, read and checked."""

from pathlib import Path

from referee.config.ladder import load_ladder
from referee.config.ladder_sections import LadderFile
from referee.config.toml_file import FileKind, TomlFile, has_key
from referee.config.tournament_checks import wrongs
from referee.config.tournament_sections import TournamentFile
from referee.rules.errors import ConfigError

_KIND = FileKind(
    root=TournamentFile,
    flags_only={
        "entries": '[[entry]], one for each; entrants = "single" or "pair" says what they are',
        "unit": "deals = 4, the rounds of a table",
        "boards": "rounds = N, of the movement, and deals = N, of a table",
        "target": "deals = 4, the rounds of a table",
        "clock": '[match] clock = "BASE+BANK"',
        "salt": 'public_salt = "..."',
        "record_dir": 'folder = "..."; records lie in its folder records',
    },
    missing={
        "name": 'name = "..."',
        "owner": 'owner = "...", who runs the bot',
        "entrants": 'entrants = "single", or "pair" for fixed partners',
    },
)


def load_either(path: Path) -> LadderFile:
    """Return the ladder in a file; of a tournament's, which says `entrants`, what both have.

    Raises `ConfigError` as `load_tournament` and `load_ladder` do.
    """
    if not has_key(path, "entrants"):
        return load_ladder(path)
    return load_tournament(path).ladder(folder=f"{path.stem}.tournament")


def load_tournament(path: Path) -> TournamentFile:
    """Return the tournament in a file. Raises `ConfigError` naming line or key, and the cure."""
    file = TomlFile.read(path, _KIND) if has_key(path, "entrants") else _no_tournament(path)
    tournament = file.convert(TournamentFile)
    for wrong in wrongs(tournament):
        raise file.error(wrong.text, *wrong.keys)
    return tournament


def _no_tournament(path: Path) -> TomlFile:
    """Return a file without `entrants`. Raises `ConfigError` for one that is a ladder's."""
    for section in ("schedule", "stop"):
        if has_key(path, section):
            raise ConfigError(
                f"{path}: this is a ladder, which has [{section}]; its commands are those of "
                "`referee ladder`"
            )
    return TomlFile.read(path, _KIND)
