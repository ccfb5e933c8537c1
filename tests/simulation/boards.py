"""Boards in virtual time: one deal played twice with the teams' seats swapped, by strategies.

The service is the real one, with its codec; processes and links are in memory. A process holds as
many seats as a plan gives it, which needs a service of isolation none where they are of one match
or of both legs of a board.
"""

import enum
import hashlib
from collections.abc import Callable, Sequence
from itertools import count
from statistics import NormalDist, fmean, stdev
from typing import NamedTuple, assert_never

from referee.app.limits import Limits
from referee.app.reception import ServiceSetup
from referee.app.seeds import EventSeeds
from referee.app.service import Service, ServicePorts
from referee.match.values import MS, Ending, MatchConfig, Pace, Player, Settings
from referee.metrics.meter import PrometheusMeter
from referee.rules.options import RuleOptions
from referee.rules.seat import Seat
from referee.store.memory import MemoryStore
from referee.wire.codec import WireCodec
from tests.unit.app.world import HEADER, MemoryLink, VirtualClock, hello_frame
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.bot import Bot
from tichu_bot.player import SeatsPlayer

SEATS = 4
SETTINGS = Settings(rules=RuleOptions(rounds=1), pace=Pace.FAST, clock=None)
SECRET = bytes(range(32))

MakeBot = Callable[[], Bot]


class BotSeeds(enum.Enum):
    """Which bots draw the same random numbers."""

    ONE = enum.auto()  # all bots of all boards
    COMMON = enum.auto()  # those that hold the same cards in the legs of a board: as in a ladder
    APART = enum.auto()  # no two


class BoardSeeds(EventSeeds):
    """Both legs have the deal of their board: it is what a match id begins with, up to a dot."""

    def deal_seed(self, match_id: str, round_number: int, *, deal: str | None = None) -> bytes:
        """Return the 32 bytes that decide the cards of a round."""
        board = match_id.partition(".")[0]
        return hashlib.sha256(f"{board} {round_number}".encode() + SECRET).digest()


class Process:
    """A bot process that answers at once: whatever its strategies know, they know together."""

    def __init__(self, service: Service, name: str, make_bot: MakeBot) -> None:
        self.instance, _ = service.reception.instances.issue(name)
        self._link = MemoryLink()
        self._read = 0
        self._player = SeatsPlayer(make_bot)
        self._stream = service.reception.connect(self._link, self.instance)
        hello = hello_frame(max_matches=2 * SEATS, without_snapshots=True, event_delivery=1)
        self._stream.receive(hello.SerializeToString())

    def answer(self) -> bool:
        """Answer what came; False where nothing did."""
        came, self._read = self._link.raw[self._read :], len(self._link.raw)
        out = pb.PlayRequest()
        for data in came:
            self._player.frame(pb.PlayResponse.FromString(data), out)
        if out.ByteSize():
            self._stream.receive(out.SerializeToString())
        return bool(came)

    def forget(self) -> None:
        """Let go of the frames of matches that are over."""
        self._link.raw.clear()
        self._read = 0


class Hall:
    """A referee in memory, the processes that dialled it, and the boards that they play."""

    def __init__(
        self,
        *,
        may_share: bool = False,
        settings: Settings = SETTINGS,
        bot_seeds: BotSeeds = BotSeeds.ONE,
    ) -> None:
        self._settings = settings
        self._bot_seeds = bot_seeds
        self._seeds = BoardSeeds(SECRET)
        self._clock = VirtualClock()
        self._processes: list[Process] = []
        tokens = count(1)
        store = MemoryStore(keep=False)
        store.begin_event(SECRET)
        ports = ServicePorts(
            clock=self._clock,
            store=store,
            seeds=self._seeds,
            codec=WireCodec(),
            meter=PrometheusMeter(),
            new_token=lambda: f"token-{next(tokens)}",
        )
        setup = ServiceSetup(server="test", limits=Limits(), may_share=may_share)
        self.service = Service(setup, ports)

    def process(self, make_bot: MakeBot) -> Process:
        """A process that has said Hello."""
        process = Process(self.service, f"p{len(self._processes)}", make_bot)
        self._processes.append(process)
        return process

    def board(self, name: str, mine: Sequence[Process], theirs: Sequence[Process]) -> float:
        """Play a board; return by how many points a round the first entry was better.

        An entry is four processes: two partners for a leg each.
        """
        return fmean(self.legs(name, mine, theirs))

    def legs(
        self, name: str, mine: Sequence[Process], theirs: Sequence[Process]
    ) -> tuple[int, int]:
        """Play a board; return by how many points the first entry was better in each leg."""
        first = self._leg(f"{name}.1", name, _seated(mine[:2], theirs[:2]))
        second = self._leg(f"{name}.2", name, _seated(theirs[2:], mine[2:]))
        self.service.seating.board_over(name)
        return first, -second

    def _leg(self, match_id: str, board: str, seats: Sequence[Process]) -> int:
        """Play a leg; return by how many points the team of seat 0 was better.

        Answers come in the order of the seats, whoever sits there: in pace fast a bomb may come
        before or after the play of the seat on turn, and both legs of a board must be alike.
        """
        players = tuple(
            Player(name=f"s{seat}", bot_seed=self._bot_seed(match_id, board, Seat(seat)).hex())
            for seat in range(SEATS)
        )
        config = MatchConfig(match_id=match_id, settings=self._settings, players=players)
        sessions = [self.service.reception.session_of(one.instance) for one in seats]
        match = self.service.start_match(config, sessions, header=HEADER, board=board)
        in_order = dict.fromkeys([*seats, *self._processes])
        while match.ended is None:
            self._clock.settle()
            answered = [process.answer() for process in in_order]
            if not any(answered):
                self._clock.pass_time(MS)
        self._clock.settle()
        for process in self._processes:
            process.answer()
            process.forget()
        assert match.ended.ending is Ending.COMPLETED, match.ended
        return match.ended.totals[0] - match.ended.totals[1]

    def _bot_seed(self, match_id: str, board: str, seat: Seat) -> bytes:
        match self._bot_seeds:
            case BotSeeds.ONE:
                return bytes(32)
            case BotSeeds.COMMON:
                return self._seeds.bot_seed(match_id, seat, board=board)
            case BotSeeds.APART:
                return self._seeds.bot_seed(match_id, seat)
            case _ as never:
                assert_never(never)


def _seated(evens: Sequence[Process], odds: Sequence[Process]) -> list[Process]:
    """Partners face each other."""
    return [evens[0], odds[0], evens[1], odds[1]]


class Gain(NamedTuple):
    """By how much an entry was better, in points a round, with its 95 % interval."""

    mean: float
    low: float
    high: float
    boards: int

    @classmethod
    def of(cls, boards: Sequence[float]) -> "Gain":
        """From the difference of each board."""
        error = NormalDist().inv_cdf(0.975) * stdev(boards) / len(boards) ** 0.5
        mean = fmean(boards)
        return cls(mean, mean - error, mean + error, len(boards))
