"""What a ladder's file may hold: who plays, what a board is, in which order, until when."""

import typing
from typing import Annotated

import msgspec
from msgspec import Meta

from referee.config.sections import FaultsSection, TimesSection
from referee.ladder.schedule import ScheduleKind
from referee.ladder.values import Deals, Unit
from referee.match.values import Objective, Pace

DEFAULT_PARALLEL = 4
_MOST_BOARDS = 1_000_000
_MOST_HOURS = 8_760  # a year

_Boards = Annotated[int, Meta(ge=1, le=_MOST_BOARDS)]


class LadderMatchSection(TimesSection, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[match]` of a ladder: what a leg is played like."""

    pace: Pace = Pace.FAST
    objective: Objective = Objective.POINTS  # the table adds points up


class ScheduleSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[schedule]`: which pairing plays next."""

    kind: ScheduleKind = ScheduleKind.ROUND_ROBIN
    hero: str | None = None  # of a gauntlet
    rounds: Annotated[int, Meta(ge=1, le=1_000)] | None = None  # of a Swiss
    boards: _Boards | None = None  # of a pairing in each round of a Swiss


class StopSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[stop]`: when a ladder is over; whatever comes first. None: not by this."""

    boards: _Boards | None = None  # of each pairing
    hours: Annotated[float, Meta(gt=0, le=_MOST_HOURS)] | None = None  # of all runs together
    separated: Annotated[int, Meta(ge=1, le=1_000)] | None = None  # places that are sure


class FinalSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[final]`: the leaders play on among themselves. Ends with what comes first; None: not by it.

    `entries` None: all that may yet be among the first `places`.
    """

    places: Annotated[int, Meta(ge=1, le=1_000)] = 1  # that are to be sure
    entries: Annotated[int, Meta(ge=2, le=1_000)] | None = None  # are in it
    boards: _Boards | None = None  # of each pair, beside those of the ladder
    hours: Annotated[float, Meta(gt=0, le=_MOST_HOURS)] | None = None  # of the final alone


class EntrySection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[entry]]`: who is ranked. A bot with its own copies, or partners, one for each seat."""

    name: str
    owner: str
    bot: str | None = None  # [LABEL=]SPEC as of `referee play`; a name where it dials in
    pair: tuple[str, str] | None = None
    team: tuple[str, str, str] | None = None  # of Tientsin
    dial_in: bool = False  # started by its owner, with a token of `referee token create`
    artefact: tuple[str, ...] | None = None  # files that make a version; None: the bot's folder

    @property
    def bots(self) -> tuple[str, ...]:
        """The bots as they are written: one that plays with its own copies, or partners."""
        alone = () if self.bot is None else (self.bot,)
        return self.pair or self.team or alone

    @property
    def bots_key(self) -> str:
        """The key that its bots stand at."""
        if self.pair is not None:
            return "pair"
        return "bot" if self.team is None else "team"


class LadderFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A ladder as its organiser writes it. Paths are as written, from the file's folder on."""

    name: str
    unit: Unit = Unit.BOARD
    deals: Deals = Deals.BOARD
    folder: str | None = None  # None: NAME.ladder beside the file NAME.toml
    database: str | None = None  # URL; None: ladder.db in the folder
    seed: str | None = None  # practice: the same cards each time
    public_salt: str = ""  # a text drawn in public after entries closed
    parallel: Annotated[int, Meta(ge=1, le=512)] = DEFAULT_PARALLEL  # boards at once
    boards_an_entry: Annotated[int, Meta(ge=1, le=512)] | None = None  # at once; None: `parallel`
    isolation: typing.Literal["isolated", "declared", "none"] | None = None  # None: as can be
    listen: tuple[str, ...] = ()  # for bots that dial in
    tls_cert: str | None = None
    tls_key: str | None = None
    plaintext: bool = False
    stop: StopSection = StopSection()
    schedule: ScheduleSection = ScheduleSection()
    final: FinalSection | None = None
    match: LadderMatchSection = LadderMatchSection()
    options: dict[str, str | int | bool] = {}  # rule options by name
    faults: FaultsSection = FaultsSection()
    entry: tuple[EntrySection, ...] = ()

    @property
    def dials_in(self) -> bool:
        """True if a bot of an entry is started by its owner."""
        return any(entry.dial_in for entry in self.entry)
