"""What a ladder is to be: its entries, what they play, when it is over, and where it lies."""

import enum
from pathlib import Path

import msgspec

from referee.app.limits import Limits
from referee.bootstrap.setup import Isolation
from referee.ladder.final import FinalRule
from referee.ladder.movements import Entry
from referee.ladder.schedule import Schedule, ScheduleKind
from referee.ladder.seats import sides_of
from referee.ladder.values import Deals, Unit
from referee.match.values import Settings
from referee.ports import Durability
from referee.rules.options import RuleOptions, player_seats

WAIT_S = 600.0  # for bots that dial in, before the first board
RECORDS, LOGS = "records", "logs"  # in the folder of a ladder
FACTS, JOURNAL, SECRET, PLAYED = "referee.db", "rulings.jsonl", "event.secret", "played"
FINAL_PLAYED = "final-played"  # how much of what was played is the final's

RUN_GOES_ON = "another run of it goes on: wait for its end, or stop it"


class BotPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A bot at one place of an entry.

    `argv` None: nothing is started, its processes dial in with tokens that were made for `name`.
    `artefact` are the files and folders whose contents are its version; `image` is the digest of
    an image, which then is the version instead.
    """

    name: str
    argv: tuple[str, ...] | None
    artefact: tuple[Path, ...] = ()
    image: str = ""
    house: bool = False


class EntryPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What is ranked: its bots by place; the same one at each is a bot with its own copies.

    `missing` says where the file names what is not there to be started; "" where all is there.
    """

    name: str
    owner: str
    bots: tuple[BotPlan, ...]
    missing: str = ""

    @property
    def house(self) -> bool:
        """True if all bots are of the house."""
        return all(bot.house for bot in self.bots)

    @property
    def dials_in(self) -> bool:
        """True if a bot is not started by us."""
        return any(bot.argv is None for bot in self.bots)


class SchedulePlan(msgspec.Struct, frozen=True, kw_only=True):
    """Who meets whom.

    `boards` (1 or more): of a pairing; in a swiss schedule of a pairing in each round; in a field
    tables of two entries; None: no end but by a rule to stop. `hero` meets all others in a
    gauntlet. `rounds` are those of a swiss schedule.
    """

    kind: ScheduleKind
    boards: int | None = None
    hero: str | None = None
    rounds: int | None = None


class StopPlan(msgspec.Struct, frozen=True, kw_only=True):
    """When it is enough, before the schedule is played; whatever comes first.

    `boards` of every pairing; `hours` of playing, over all runs; the first `separated` places are
    surely apart.
    """

    boards: int | None = None
    hours: float | None = None
    separated: int | None = None


class LadderPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a ladder is to be. What cannot be is refused when it is run, with `ConfigError`.

    `database` is a URL. `listen` holds addresses for bots that dial in; those that are started here
    have a socket of their own. `seed` is chosen by a person, and makes the ladder practice.
    `public_salt` is a text drawn in public after entries closed, mixed into the event secret.
    `boards_an_entry` bounds the boards of one entry at once, `parallel` those of all.
    `file` is where it was written, as its operator named it, and `chosen_database` the database
    where a flag named it: commands that are advised have both.
    """

    event: str
    entries: tuple[EntryPlan, ...]
    settings: Settings
    schedule: SchedulePlan
    folder: Path
    database: str
    unit: Unit = Unit.BOARD
    deals: Deals = Deals.BOARD
    stop: StopPlan = StopPlan()
    final: FinalRule | None = None
    parallel: int = 1
    boards_an_entry: int = 1
    isolation: Isolation = Isolation.ISOLATED
    seed: str | None = None
    public_salt: str = ""
    listen: tuple[str, ...] = ()
    tls_cert: Path | None = None
    tls_key: Path | None = None
    plaintext: bool = False
    grace_ms: int = 10_000
    start_ms: int = 30_000
    limits: Limits = Limits()
    wait_s: float = WAIT_S
    durability: Durability = Durability.PROCESS
    metrics_port: int | None = None
    metrics_host: str = "127.0.0.1"
    file: Path | None = None
    chosen_database: str | None = None
    tournament: Entry | None = None  # what is placed in one; None: it is a ladder
    movement: dict[str, str] = {}  # of a tournament: what makes it, by the keys of its file

    @property
    def kind(self) -> str:
        """What it is, in a word."""
        return "ladder" if self.tournament is None else "tournament"

    @property
    def played(self) -> str:
        """What is played in it, one of it in a word."""
        return "board" if self.tournament is None else "table"

    @property
    def places(self) -> int:
        """How many bots an entry has."""
        return bots_of_entry(self.settings.rules)

    @property
    def sides(self) -> int:
        """How many entries meet at a board, which has as many legs."""
        return sides_of(self.settings.rules)

    @property
    def practice(self) -> bool:
        """True if a person chose the cards."""
        return self.seed is not None


def bots_of_entry(rules: RuleOptions) -> int:
    """Return how many bots an entry has: one for each seat of a team, one in Trichu."""
    return len(player_seats(rules)) // max(1, sides_of(rules))


def schedule_of(plan: LadderPlan) -> Schedule:
    """Return what is to be played; boards of a pairing end it by whatever is less."""
    chosen, stop = plan.schedule, plan.stop.boards
    boards = chosen.boards
    if stop is not None and chosen.kind is not ScheduleKind.SWISS:
        boards = stop if boards is None else min(boards, stop)
    return Schedule(
        kind=chosen.kind,
        deals=plan.deals,
        boards=boards,
        rounds=chosen.rounds or 0,
        hero=chosen.hero or "",
        sides=plan.sides,
    )


class Verdict(enum.Enum):
    """What a check can say of an entry."""

    OK = "ok"
    FAILED = "failed"
    UNCHECKED = "not checked"  # its bots dial in: there is nothing to start


class CheckedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What a check found of an entry. `lines` say what went wrong, and what it printed last."""

    entry: str
    versions: tuple[str, ...]  # by place
    verdict: Verdict
    lines: tuple[str, ...] = ()
