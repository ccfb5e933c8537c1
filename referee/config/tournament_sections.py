"""What a tournament's file may hold: who takes part, how tables are played, and what they bring."""

import typing
from typing import Annotated

import msgspec
from msgspec import Meta

from referee.config.ladder_sections import (
    DEFAULT_PARALLEL,
    EntrySection,
    LadderFile,
    LadderMatchSection,
)
from referee.config.sections import FaultsSection
from referee.ladder.movements import Entry
from referee.ladder.tournament_scores import VICTORY_ROWS, Points
from referee.ladder.tournaments import DEFAULT_DEALS
from referee.ladder.values import Deals, Unit
from referee.rules.options import MAX_ROUNDS


class TournamentFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tournament as its organiser writes it. Paths are as written, from the file's folder on.

    What a ladder's file has too means the same.
    """

    name: str
    entrants: Entry
    rounds: int | None = None  # None: a full movement
    deals: Annotated[int, Meta(ge=1, le=MAX_ROUNDS)] = DEFAULT_DEALS  # of a table
    same_deals: bool = True  # all tables of a round
    points: Points = Points.TICHU
    victory: tuple[str, ...] = VICTORY_ROWS  # "LEAST WINNER:LOSER", from a difference of 0 on
    folder: str | None = None  # None: NAME.tournament beside the file NAME.toml
    database: str | None = None
    seed: str | None = None
    public_salt: str = ""
    parallel: Annotated[int, Meta(ge=1, le=512)] = DEFAULT_PARALLEL  # tables at once
    isolation: typing.Literal["isolated", "declared", "none"] | None = None
    listen: tuple[str, ...] = ()
    tls_cert: str | None = None
    tls_key: str | None = None
    plaintext: bool = False
    match: LadderMatchSection = LadderMatchSection()
    options: dict[str, str | int | bool] = {}
    faults: FaultsSection = FaultsSection()
    entry: tuple[EntrySection, ...] = ()

    def ladder(self, *, folder: str) -> LadderFile:
        """Return what a ladder would call the same: who plays, what a table is, where it lies.

        `folder` is where, unless the file says so.
        """
        shared = {
            name: getattr(self, name)
            for name in set(LadderFile.__struct_fields__) & set(self.__struct_fields__)
        }
        return LadderFile(
            **{
                **shared,
                "folder": self.folder or folder,
                "unit": Unit.MATCH,
                "deals": Deals.FIELD,
                "options": {**self.options, "rounds": self.deals},
            }
        )
