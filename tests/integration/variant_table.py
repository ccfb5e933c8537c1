"""A match of any game over real gRPC, played by the Python bots in this process.

What each bot knows is built from events alone, and held against every snapshot that comes. Links go
through a proxy, so that they can be cut; a second process can take a seat over.
"""

import asyncio
import contextlib
import copy
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from referee.app.seating import players_by_seat
from referee.bootstrap import Referee, RunningMatch
from referee.formats.conduct import read_conduct
from referee.formats.records import Record, read_record
from referee.match.facts import MatchEnded
from referee.match.replay import Difference, replay
from referee.match.values import MS, Clock, Ending, MatchConfig, Pace, Settings
from referee.rules.options import parse_options, player_seats
from tests.integration.link_proxy import LinkProxy, link_proxy
from tests.integration.serving import serving
from tichu_bot import Bot, ExitCode, View
from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.outbox import Outbox
from tichu_bot.player import Player
from tichu_bot.seat import SeatPlayer
from tichu_bot.session import Session
from tichu_bot.settings import Settings as BotSettings
from tichu_bot.tracker import take_event, take_seating, take_snapshot

LIMIT_S = 90.0  # for what takes seconds: a shared machine may stall
HOUR_MS = 3_600_000 * MS

KEPT = (
    *("round", "dealer", "totals", "turn_order", "teams", "ranks", "bids", "counts", "table"),
    *("owner", "wish", "calls", "out", "won_points", "gave", "received", "played", "events"),
)  # of a view: what a round is; asks and clocks apart


def known(view: View) -> Mapping[str, object]:
    """What a view says of the round."""
    state = {name: copy.copy(getattr(view, name)) for name in KEPT}
    hands = {seat: hand for seat, hand in view.hands.items() if hand}
    return {**state, "hands": hands, "trick": sorted(view.trick)}


class Witness:
    """A bot that keeps its view from events, and compares it with each snapshot."""

    def __init__(self, bot: Bot, on_ask: dict[int, Callable[[], None]]) -> None:
        """`on_ask` is called at the ask of that number, before its answer is sent."""
        self.bot = bot
        self.seat: SeatPlayer | None = None
        self.compared = 0  # snapshots with asks
        self.returns = 0  # snapshots of a stream that came back
        self.differences: list[str] = []
        self._on_ask = on_ask
        self._seating: match_pb.Seating | None = None
        self._predecessor: Witness | None = None

    def succeed(self, other: "Witness") -> None:
        """Take the seat of another one over, knowing nothing; what it knew is compared."""
        self._predecessor = other

    def frame(self, frame: pb.PlayResponse, out: pb.PlayRequest) -> None:
        """Take a frame in, and answer its asks."""
        for update in frame.updates:
            self._update(update, out)

    def came_back(self, out: pb.PlayRequest, *, resumed: bool) -> None:
        """A stream came back."""
        if self.seat is not None:
            self.seat.came_back(out)

    def _update(self, update: match_pb.Update, out: pb.PlayRequest) -> None:
        shown = match_pb.Snapshot()
        shown.CopyFrom(update.snapshot)
        has_shown, returns = update.HasField("snapshot"), update.HasField("seating")
        if returns:
            self._seating = update.seating
        before = self._before() if returns and has_shown else None
        if has_shown and not returns:
            update.ClearField("snapshot")
        if self.seat is None:
            self.seat = SeatPlayer(update.match, self.bot)
        self.seat.update(update, out)
        if has_shown:
            self._compare(shown, before)
        for ask in update.asks:
            self._on_ask.pop(ask.ask_id, _nothing)()  # once: the ask may come again

    def _before(self) -> View | None:
        """What was known before the stream broke, by this process or by the one before."""
        last = self if self._predecessor is None else self._predecessor
        return None if last.seat is None else copy.deepcopy(last.seat.view)

    def _compare(self, shown: match_pb.Snapshot, before: View | None) -> None:
        assert self.seat is not None
        assert self._seating is not None
        if before is None:
            before = View()
            take_seating(before, self._seating)
            take_snapshot(before, shown)
            self.compared += 1
        else:
            heard = max((event.number for event in before.events), default=0)
            for event in shown.events:
                if event.number > heard:
                    take_event(before, event)
            self.returns += 1
        expected, found = known(before), known(self.seat.view)
        self.differences += [
            f"{name}: {expected[name]} by one way, {found[name]} by the other"
            for name in expected
            if expected[name] != found[name]
        ]


def _nothing() -> None:
    """What happens at most asks."""


class Chair:
    """A player's seat: its token, its link, and the processes that held it, the last one last."""

    def __init__(self, proxy: LinkProxy, token: str, instance_id: str) -> None:
        self.proxy = proxy
        self.token = token
        self.instance_id = instance_id
        self.witnesses: list[Witness] = []
        self.tasks: list[asyncio.Task[ExitCode]] = []
        self._sessions: list[Session] = []

    def start(self, player: Player) -> None:
        """Start a process that dials for this seat."""
        if isinstance(player, Witness):
            self.witnesses.append(player)
        outbox = Outbox()
        hello = pb.Hello(protocol_version=1, bot_name="tested")
        settings = BotSettings(servers=(self.proxy.address,), token=self.token)
        session = Session(settings, hello, player, outbox, patience_s=LIMIT_S)
        self._sessions.append(session)
        self.tasks.append(asyncio.create_task(session.run()))

    def take_over(self, bot: Bot) -> None:
        """A new process with the same token and no memory."""
        fresh = Witness(bot, {})
        fresh.succeed(self.witnesses[-1])
        self.start(fresh)

    async def stop(self) -> None:
        """Say Goodbye and end."""
        for session in self._sessions:
            session.stop()
        await asyncio.wait_for(asyncio.gather(*self.tasks), LIMIT_S)


class Game(NamedTuple):
    """What is played: rule options, and pace."""

    options: Mapping[str, object]
    pace: Pace = Pace.FAST

    @property
    def settings(self) -> Settings:
        """No time runs out: how long an answer takes is not what is tested."""
        return Settings(
            rules=parse_options(self.options),
            pace=self.pace,
            window_ns=20 * MS,
            clock=Clock(base_ns=HOUR_MS, bank_ns=HOUR_MS),
            lag_limit_ns=HOUR_MS,
        )


class Played(NamedTuple):
    """A match that is over, its record read and executed again."""

    ended: MatchEnded
    record: Record
    lines: Sequence[bytes]

    def assert_in_order(self, players: Sequence[int], *, defaults: bool = False) -> None:
        """It was played to its end, replays, and nobody was late, refused or struck.

        With `defaults` bots may leave an answer to the referee.
        """
        assert self.ended.ending is Ending.COMPLETED, self.ended
        differs = [
            one
            for one in replay(self.record.config, self.record.facts)
            if isinstance(one, Difference)
        ]
        assert not differs, differs
        conduct = read_conduct(self.lines, seats=len(self.record.config.players))
        for seat in players:
            one = conduct[seat]
            assert (one.refused, one.strikes) == (0, ()), (seat, one)
            assert defaults or not one.defaults, (seat, one)


class VariantTable:
    """Chairs around a referee that will play one game."""

    def __init__(self, referee: Referee, game: Game, chairs: Mapping[int, Chair]) -> None:
        self.referee = referee
        self.game = game
        self.chairs = chairs  # by the seats that players sit at

    async def play(self) -> Played:
        """Play a match to its end."""
        match = self.start()
        ended = await asyncio.wait_for(match.done, LIMIT_S)
        return read_played(match, ended)

    def start(self) -> RunningMatch:
        """Start the match."""
        settings = self.game.settings
        names = [f"p{seat}" for seat in self.chairs]
        config = MatchConfig(
            match_id="m", settings=settings, players=players_by_seat(settings.rules, names)
        )
        return self.referee.start_match(
            config, [chair.instance_id for chair in self.chairs.values()]
        )

    async def ready(self) -> None:
        """All have said Hello."""
        waits = [
            self.referee.wait_ready(chair.instance_id, LIMIT_S) for chair in self.chairs.values()
        ]
        await asyncio.gather(*waits)

    def assert_snapshots_agree(self, *, returns: int = 0) -> None:
        """Every snapshot said what its bot had from events; so many streams came back."""
        witnesses = [one for chair in self.chairs.values() for one in chair.witnesses]
        differences = [line for one in witnesses for line in one.differences]
        assert not differences, "\n".join(differences[:5])
        for chair in self.chairs.values():
            assert any(one.compared for one in chair.witnesses)
        assert sum(one.returns for one in witnesses) >= returns


def read_played(match: RunningMatch, ended: MatchEnded) -> Played:
    """Read the record of a match that is over."""
    assert match.record_path is not None
    lines = match.record_path.read_bytes().splitlines()
    return Played(ended, read_record(lines), lines)


@contextlib.asynccontextmanager
async def variant_table(folder: Path, game: Game) -> AsyncIterator[VariantTable]:
    """A table with a chair for each player, on which nobody sits yet."""
    async with (
        serving(folder, grace_ms=60_000) as referee,
        contextlib.AsyncExitStack() as stack,
    ):
        chairs = {}
        for seat in player_seats(game.settings.rules):
            issued = referee.issue_instance(f"p{seat}")
            proxy = await stack.enter_async_context(
                link_proxy(folder / f"{seat}.sock", referee.addresses[0])
            )
            chairs[int(seat)] = Chair(proxy, issued.token, issued.instance_id)
        try:
            yield VariantTable(referee, game, chairs)
        finally:
            for chair in chairs.values():
                await chair.stop()
