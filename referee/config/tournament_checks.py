"""What a tournament's file says that cannot be, although each of its values could."""

from collections.abc import Iterator

from referee.config.ladder_checks import Wrong, shared_wrongs
from referee.config.tournament_sections import TournamentFile
from referee.ladder.movements import Entry, least_entrants, movement
from referee.ladder.tournament_scores import VICTORY_ROWS, Points, victory_rows
from referee.rules.errors import ConfigError

_ROUNDS_OPTIONS = ("rounds", "target")


def wrongs(file: TournamentFile) -> Iterator[Wrong]:
    """Yield what cannot be, in the order in which it should be mended."""
    yield from shared_wrongs(file.ladder(folder="folder"))
    yield from _entrants(file)
    yield from _movement(file)
    yield from _points(file)
    for option in _ROUNDS_OPTIONS:
        if option in file.options:
            text = f"a table has as many rounds as deals; leave {option} out, and write deals = N"
            yield Wrong(("options", option), text)


def _entrants(file: TournamentFile) -> Iterator[Wrong]:
    for number, entry in enumerate(file.entry):
        if file.entrants is Entry.SINGLE and entry.pair is not None:
            text = 'single entries are one bot each; write bot, or entrants = "pair"'
            yield Wrong(("entry", number, "pair"), text)
    least, there = least_entrants(file.entrants), len(file.entry)
    if there < least:
        cure = 'write [[entry]] with name, owner and bot; bot = "greedy" is a house bot'
        what = "single entries" if file.entrants is Entry.SINGLE else "pairs"
        yield Wrong(("entry",), f"there are {there}, and a table takes {least} {what}: {cure}")


def _movement(file: TournamentFile) -> Iterator[Wrong]:
    for keys, rounds in ((("entry",), None), (("rounds",), file.rounds)):
        try:
            movement(file.entrants, len(file.entry), rounds)
        except ConfigError as error:
            yield Wrong(keys, str(error))
            return


def _points(file: TournamentFile) -> Iterator[Wrong]:
    try:
        victory_rows(file.victory)
    except ConfigError as error:
        yield Wrong(("victory",), str(error))
    if file.points is Points.TICHU and file.victory != VICTORY_ROWS:
        text = 'Tichu points need no rows; write points = "victory", or leave it out'
        yield Wrong(("victory",), text)
