"""What the services for people and pages ask for: matches, registered bots, ladders."""

import enum
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from referee.ladder.table import Standings
from referee.ladder.values import LegResult
from referee.match.values import Ending


class Problem(enum.Enum):
    """Why a call came to nothing. The transport has a status of the same name for each."""

    NOT_FOUND = enum.auto()  # what it names is not there
    FAILED_PRECONDITION = enum.auto()  # not as things stand; the text says what to do first
    INVALID_ARGUMENT = enum.auto()  # a field cannot be meant
    ALREADY_EXISTS = enum.auto()  # there is another one of that name
    PERMISSION_DENIED = enum.auto()  # not from there
    RESOURCE_EXHAUSTED = enum.auto()  # too many, or too slow
    UNAVAILABLE = enum.auto()  # later


class CallRefused(Exception):
    """A call that came to nothing. The text is for the caller: one line, what and what to do.

    `subject` is the field at fault, or what was asked for.
    """

    def __init__(self, problem: Problem, text: str, *, subject: str = "") -> None:
        super().__init__(text)
        self.problem = problem
        self.text = text
        self.subject = subject


# --- matches


class MatchState(enum.StrEnum):
    """How far a match is."""

    RUNNING = "running"
    SEALED = "sealed"  # a leg of a board that is not over
    OVER = "over"


class MatchInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A match as everybody may know it. How it ended is told once its state is OVER.

    `names` are by seat, and somebody else's text. `totals` are those of its columns.
    """

    match_id: str
    state: MatchState
    names: tuple[str, ...]
    ending: Ending | None = None
    totals: tuple[int, ...] = ()
    rounds: int = 0


class PublicView(Protocol):
    """The public events of a match, encoded as for a bot, from the first one on."""

    @property
    def over(self) -> bool:
        """True if nothing is added any more."""

    def shown(self, delay: int) -> int:
        """Return how many events may be shown to somebody who is so many tricks behind."""

    def part(self, first: int, end: int) -> Sequence[bytes]:
        """Return the events at these places, counted from 0; `end` is left out."""

    def on_news(self, callback: Callable[[], None]) -> None:
        """Call back whenever there may be more to show."""

    def off_news(self, callback: Callable[[], None]) -> None:
        """Call back no more."""


class Matches(Protocol):
    """The matches of a referee, for those who do not play. All but `all` raise `CallRefused`."""

    def create(self, request_id: str, bots: Sequence[str], *, board: bool) -> Sequence[str]:
        """Begin a match or all legs of a board, once for a request; return their ids."""

    def cancel(self, match_id: str) -> Sequence[str]:
        """End a match and all legs of its board; return the ids of those that ran."""

    def all(self) -> Sequence[MatchInfo]:
        """Return the matches that run and the last that are over, in the order they began."""

    async def info(self, match_id: str) -> MatchInfo:
        """Return what a match is now."""

    async def unsealed(self, match_id: str) -> None:
        """Return once a match is not sealed."""

    async def view(self, match_id: str) -> PublicView:
        """Return the public view of a match that is not sealed."""

    async def record(self, match_id: str) -> bytes:
        """Return the record of a match that is over."""


# --- bots


class BotProcess(msgspec.Struct, frozen=True, kw_only=True):
    """A process of a bot. `number` counts from 1 for the bot, `matches` are those that it plays."""

    number: int
    ready: bool
    matches: int


class RegisteredBot(msgspec.Struct, frozen=True, kw_only=True):
    """A bot that has tokens; its processes by number."""

    name: str
    owner: str
    processes: tuple[BotProcess, ...]


class IssuedToken(msgspec.Struct, frozen=True, kw_only=True):
    """A token, which is shown this once, and the number of the process that it is for."""

    process: int
    token: str


class Registry(Protocol):
    """The bots that may dial in. Methods that change something raise `CallRefused`."""

    def bots(self) -> Sequence[RegisteredBot]:
        """Return the bots that have tokens, by name."""

    async def register(self, name: str, owner: str, processes: int) -> Sequence[IssuedToken]:
        """Register a bot; an empty owner is the bot, 0 processes are as many as a board needs."""

    async def rotate(self, name: str, process: int) -> Sequence[IssuedToken]:
        """Replace the token of a process, 0: of all processes of a bot."""


class TokenKeeper(Protocol):
    """Where tokens of bots are kept beside the referee's own store. Raises `CallRefused`."""

    async def add(self, bot: str, hashes: Sequence[bytes]) -> None:
        """Keep the hashes of new tokens of a bot."""

    async def forget(self, bot: str, hashes: Sequence[bytes]) -> None:
        """Forget tokens of a bot; those that are not there are no error."""


# --- ladders


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """A ladder at one moment. `results` are in the order of their keys; `counted` are match ids."""

    ladder: str
    standings: Standings
    results: tuple[LegResult, ...]
    counted: frozenset[str]


class Ladders(Protocol):
    """The ladders that are published here."""

    @property
    def names(self) -> Sequence[str]:
        """Return their names."""

    async def now(self, ladder: str) -> Published:
        """Return how a ladder stands, some seconds old at most. Raises `CallRefused`."""


class Services(msgspec.Struct, frozen=True, kw_only=True):
    """What a referee offers beside its streams. `delay_tricks`: watchers are so far behind."""

    matches: Matches
    registry: Registry
    ladders: Ladders
    delay_tricks: int
