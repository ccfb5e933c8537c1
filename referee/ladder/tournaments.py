"""A tournament: who takes part, in which movement, and how tables are scored."""

from functools import cached_property

import msgspec

from referee.ladder.movements import Entry, Movement, Table, movement
from referee.ladder.partners import side_name
from referee.ladder.tournament_scores import Scale

DEFAULT_DEALS = 4  # rounds of a table


class Tournament(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What is played. `entrants` by their numbers in the movement.

    `rounds` None: a full movement. `same_deals`: all tables of a round play the same cards.
    """

    event: str
    entry: Entry
    entrants: tuple[str, ...]
    rounds: int | None = None
    deals: int = DEFAULT_DEALS
    same_deals: bool = True
    scale: Scale = Scale()

    @cached_property
    def movement(self) -> Movement:
        """Who sits where. Raises `ConfigError` for too many or too few."""
        return movement(self.entry, len(self.entrants), self.rounds)

    @property
    def tables(self) -> int:
        """How many are played in all."""
        return sum(len(one.tables) for one in self.movement.rounds)

    def sides(self, number: int) -> tuple[tuple[str, str], ...]:
        """Return the sides that meet in a round, from 1, by table; those of seats 0 and 2 first."""
        tables = self.movement.rounds[number - 1].tables
        return tuple((self._side(table, 0), self._side(table, 1)) for table in tables)

    def byes(self, number: int) -> tuple[str, ...]:
        """Return who sits out in a round, from 1."""
        return tuple(self.entrants[one] for one in self.movement.rounds[number - 1].byes)

    def _side(self, table: Table, team: int) -> str:
        return side_name([self.entrants[one] for one in table[team]])
