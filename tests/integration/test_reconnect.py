"""A bot that comes back sits where it sat and sees what it saw (PROTOCOL 1 and 2)."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import grpc
import msgspec
import pytest

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.bootstrap import IssuedInstance, Referee, RunningMatch
from referee.match.values import MS, Blame, Clock, Ending, MatchConfig, Pace, Player, Settings
from referee.rules.options import RuleOptions
from tests.integration.scripted import PatientBot, by_default, by_hand, moment, seated
from tests.integration.serving import LIMIT_S, Bot, serving, table

SETTINGS = Settings(
    rules=RuleOptions(rounds=1),
    pace=Pace.FAST,
    window_ns=50 * MS,
    clock=Clock(base_ns=30_000 * MS),
    lag_limit_ns=60_000 * MS,  # a machine that stalls asks nobody anew
)
MATCHES = 64
HELD = 5  # answers to act asks before the tested seat holds still


class SeatView:
    """What one seat of a match was told over one stream, since the round began."""

    def __init__(self) -> None:
        self.match_id = ""
        self.events: dict[int, bytes] = {}
        self.snapshot: match_pb2.Snapshot | None = None
        self.open: dict[int, match_pb2.Ask] = {}
        self.acts = 0

    def take(self, update: match_pb2.Update) -> None:
        """Take one update in."""
        if update.HasField("seating"):
            self.match_id = update.seating.match_id
        if update.HasField("snapshot"):
            self.snapshot = update.snapshot
        for event in update.events:
            if event.HasField("round_started"):
                self.events.clear()
            self.events[event.number] = event.SerializeToString(deterministic=True)
        for ack in update.acks:
            if ack.status != match_pb2.ACK_STATUS_REFUSED:
                self.open.pop(ack.ask_id, None)
        for cancelled in update.cancelled:
            self.open.pop(cancelled.ask_id, None)
        for ask in update.asks:
            self.open[ask.ask_id] = ask

    @property
    def shown(self) -> dict[int, bytes]:
        """The events of the round that the snapshot lists."""
        assert self.snapshot is not None
        listed = self.snapshot.events
        return {e.number: e.SerializeToString(deterministic=True) for e in listed}


class ManySeats:
    """One process of a bot: its seats over one stream. Holds still at its act ask number `hold`."""

    def __init__(self, bot: PatientBot, hold: int) -> None:
        self.bot = bot
        self.hold = hold
        self.seats: dict[int, SeatView] = {}
        self.frames = 0
        self.read_at: dict[tuple[int, int], float] = {}  # when an open ask was read
        self.closing: referee_pb2.Closing | None = None

    async def read(self, done: Callable[[], bool]) -> None:
        """Read and answer until `done` is true after a frame."""
        while not done():
            async with asyncio.timeout(LIMIT_S):  # `wait_for` may swallow the order to end
                frame = await self.bot.next_frame()
            assert frame is not None, f"the stream ended: {await self.bot.status()}"
            self.frames += bool(frame.updates)
            reply = referee_pb2.PlayRequest()
            if frame.HasField("ping"):
                reply.pong.number = frame.ping.number
            for update in frame.updates:
                view = self.seats.setdefault(update.match, SeatView())
                view.take(update)
                self._answer(update, view, reply)
            if reply.ByteSize():
                await self.bot.send(reply)

    def _answer(
        self, update: match_pb2.Update, view: SeatView, reply: referee_pb2.PlayRequest
    ) -> None:
        now = asyncio.get_running_loop().time()
        for ask in update.asks:
            self.read_at[update.match, ask.ask_id] = now
            if ask.HasField("act"):
                view.acts += 1
                if view.acts > self.hold:
                    continue
            answer = reply.answers.add(match=update.match, ask_id=ask.ask_id)
            answer.default_action.SetInParent()

    def all_held(self) -> bool:
        """True where every match waits for this seat to act, and for nothing else of it."""
        held = [view for view in self.seats.values() if view.acts > self.hold and view.open]
        return len(held) == MATCHES


@contextlib.asynccontextmanager
async def back(address: str, token: str, **hello: object) -> AsyncIterator[ManySeats]:
    """A new stream of a bot, which answers nothing that waits for it to act."""
    async with PatientBot(address, token) as bot:
        yield ManySeats(await bot.hello(max_matches=MATCHES, **hello), hold=0)


class Hall:
    """Many matches of the same four processes; those of seats 1 to 3 play by themselves."""

    def __init__(
        self, referee: Referee, issued: list[IssuedInstance], matches: list[RunningMatch]
    ) -> None:
        self.referee = referee
        self.address = referee.addresses[0]
        self.token = issued[0].token
        self.matches = matches

    def undisturbed(self) -> bool:
        """True where no match has ended."""
        return not any(match.done.done() for match in self.matches)


@contextlib.asynccontextmanager
async def hall(folder: Path, *, rounds: int = 1) -> AsyncIterator[tuple[Hall, ManySeats]]:
    """64 matches that all wait for the process of seat 0 to act."""
    settings = msgspec.structs.replace(SETTINGS, rules=RuleOptions(rounds=rounds))
    async with serving(folder, grace_ms=20_000) as referee, contextlib.AsyncExitStack() as stack:
        issued = [referee.issue_instance(f"b{seat}") for seat in range(4)]
        bots = []
        for one in issued:
            bot = await stack.enter_async_context(PatientBot(referee.addresses[0], one.token))
            bots.append(await bot.hello(max_matches=MATCHES))
        players = tuple(Player(name=f"p{seat}") for seat in range(4))
        matches = [
            referee.start_match(
                MatchConfig(match_id=f"m{number:02d}", settings=settings, players=players),
                [one.instance_id for one in issued],
            )
            for number in range(MATCHES)
        ]
        seats = [ManySeats(bot, 10_000) for bot in bots]
        seats[0].hold = HELD
        others = [asyncio.create_task(one.read(lambda: False)) for one in seats[1:]]
        try:
            await seats[0].read(seats[0].all_held)
            yield Hall(referee, issued, matches), seats[0]
        finally:
            for other in others:
                other.cancel()
            await asyncio.gather(*others, return_exceptions=True)


def untimed(ask: match_pb2.Ask) -> bytes:
    """An ask without what passes."""
    copy = match_pb2.Ask()
    copy.CopyFrom(ask)
    copy.ClearField("time_left_ms")
    return copy.SerializeToString(deterministic=True)


@pytest.mark.parametrize("by", ["session token", "bearer token alone"])
async def test_a_process_with_64_matches_gets_all_back_as_they_were_in_few_frames(
    tmp_path: Path, by: str
) -> None:
    now = asyncio.get_running_loop().time
    async with hall(tmp_path) as (room, before):
        before.bot.call.cancel()
        fields = {"session_token": before.bot.session_token} if by == "session token" else {}
        cut_at = now()
        await moment(cut_at + 0.05)  # of thinking time that is gone for good
        async with back(room.address, room.token, **fields) as after:
            await after.read(after.all_held)
            came_at = now()
            assert after.frames <= 4  # of 256 KiB
            assert after.seats.keys() == before.seats.keys()
            for number, seat in after.seats.items():
                had = before.seats[number]
                assert seat.match_id == had.match_id
                assert seat.snapshot == had.snapshot
                assert seat.shown == had.events
                assert not seat.events  # the snapshot has told them
                assert seat.open.keys() == had.open.keys()
                for ask_id, ask in seat.open.items():
                    assert untimed(ask) == untimed(had.open[ask_id])
                    gone_ms = had.open[ask_id].time_left_ms - ask.time_left_ms
                    read_at = before.read_at[number, ask_id]
                    assert gone_ms >= (cut_at + 0.05 - read_at) * 1000 - 1  # whole milliseconds
                    assert gone_ms <= 1 + (came_at - cut_at + LIMIT_S) * 1000
            assert room.undisturbed()


@pytest.mark.slow
async def test_the_match_goes_on_with_the_answer_of_the_new_stream(tmp_path: Path) -> None:
    async with hall(tmp_path) as (room, before):
        before.bot.call.cancel()
        async with back(room.address, room.token) as after:
            after.hold = 10_000  # answers whatever is asked, from the first frame on
            await after.read(lambda: all(match.done.done() for match in room.matches))
        ends = [match.done.result() for match in room.matches]
    assert {end.ending for end in ends} == {Ending.COMPLETED}
    assert all(set(end.banks) == {60_000 * MS} for end in ends)


@pytest.mark.slow
async def test_a_bot_that_crashes_twenty_times_in_a_row_is_not_locked_out(tmp_path: Path) -> None:
    """Each time its new process says Hello, gets 64 matches, answers in each, and dies."""
    async with hall(tmp_path, rounds=2) as (room, before):
        before.bot.call.cancel()
        for _ in range(20):
            async with back(room.address, room.token) as crashing:
                crashing.hold = 1
                await crashing.read(lambda: len(crashing.seats) == MATCHES)
        async with back(room.address, room.token) as steady:
            steady.hold = 10_000
            await steady.read(lambda: all(match.done.done() for match in room.matches))
        ends = [match.done.result() for match in room.matches]
    assert {(end.ending, end.blame) for end in ends} == {(Ending.COMPLETED, Blame.NONE)}


async def test_the_newer_stream_takes_all_matches_from_the_older(tmp_path: Path) -> None:
    async with (
        hall(tmp_path) as (room, older),
        back(room.address, room.token, session_token=older.bot.session_token) as newer,
    ):
        await newer.read(newer.all_held)
        while (frame := await asyncio.wait_for(older.bot.next_frame(), LIMIT_S)) is not None:
            assert not frame.updates  # nothing of a match goes to the older any more
            if frame.HasField("closing"):
                older.closing = frame.closing
        assert older.closing is not None
        assert older.closing.code == referee_pb2.CLOSING_CODE_SUPERSEDED
        assert not older.closing.retry
        assert (await older.bot.status())[0] is grpc.StatusCode.ABORTED
        assert room.undisturbed()


async def test_who_is_superseded_takes_over_again_as_often_as_it_likes(tmp_path: Path) -> None:
    async with table(tmp_path) as (match, bot), contextlib.AsyncExitStack() as stack:
        number, ask = await bot.ask()
        address = match.referee.addresses[0]
        streams = [bot]
        for _ in range(30):
            newer = await stack.enter_async_context(Bot(address, match.token))
            await newer.hello(session_token=streams[-1].session_token)
            _, again = await newer.ask()
            assert untimed(again) == untimed(ask)
            streams.append(newer)
        for old in streams[:-1]:
            await old.until(lambda frame: frame.HasField("closing"))
        answer = referee_pb2.PlayRequest()
        answer.answers.add(match=number, ask_id=ask.ask_id).default_action.SetInParent()
        await streams[-1].send(answer)
        await streams[-1].play()
        assert (await match.end()).ending is Ending.COMPLETED


async def test_thirty_streams_at_once_leave_one_with_the_seat(tmp_path: Path) -> None:
    """Hellos that come together supersede each other in the order in which they are read."""
    async with table(tmp_path) as (match, bot), contextlib.AsyncExitStack() as stack:
        await bot.ask()
        address = match.referee.addresses[0]
        streams = [await stack.enter_async_context(Bot(address, match.token)) for _ in range(30)]
        frame = referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol_version=1))
        await asyncio.gather(*(stream.send(frame) for stream in streams))
        plays = [asyncio.create_task(stream.play_along()) for stream in streams]
        assert (await match.end()).ending is Ending.COMPLETED
        ends = await asyncio.wait_for(asyncio.gather(*plays), LIMIT_S)
        assert [end.ending for end in ends if end is not None] == [match_pb2.ENDING_COMPLETED]


async def test_the_session_token_of_another_seat_gives_nothing(tmp_path: Path) -> None:
    async with (
        serving(tmp_path) as referee,
        seated(referee, SETTINGS, deciding=(by_hand,) * 4) as seats,
    ):
        for bot in seats.bots:
            await bot.ask("call")
        victim, thief = seats.bots[0], seats.bots[1]
        async with PatientBot(referee.addresses[0], thief.bot.token) as new:
            hello = referee_pb2.Hello(protocol_version=1, session_token=victim.bot.session_token)
            await new.send(referee_pb2.PlayRequest(hello=hello))
            frame = await new.next_frame()
            assert frame is not None
            assert not frame.welcome.resumed
            assert frame.welcome.session_token not in ("", victim.bot.session_token)
            while frame is not None and not frame.updates:
                frame = await new.next_frame()
            assert frame is not None
            assert {update.seating.seat for update in frame.updates} == {1}
            assert {gift.seat for u in frame.updates for gift in u.snapshot.hands} <= {1}
            await thief.gone()
            assert not victim.lost
            await victim.leave_to(by_default)  # its stream and its seat are its own as before
            assert await victim.first_status(1) == "RECEIVED"


@pytest.mark.parametrize("known", [True, False], ids=["of a seat", "made up"])
async def test_a_session_token_opens_nothing_without_a_bearer_token(
    tmp_path: Path, *, known: bool
) -> None:
    async with table(tmp_path) as (match, bot):
        await bot.ask()
        for bearer in (None, "guess"):
            async with Bot(match.referee.addresses[0], bearer) as thief:
                token = bot.session_token if known else "made-up"
                hello = referee_pb2.Hello(protocol_version=1, session_token=token)
                await thief.send(referee_pb2.PlayRequest(hello=hello))
                assert await thief.read() is None
                # a frame that meets a stream which is over hides the status from the library
                codes = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.INTERNAL)
                assert (await thief.status())[0] in codes
        await bot.send(referee_pb2.PlayRequest())  # the seat's own stream lives
        assert not match.match.done.done()


async def test_an_open_bot_with_the_session_token_of_a_seat_is_a_stranger(tmp_path: Path) -> None:
    async with (
        table(tmp_path, open_identity=True) as (match, bot),
        Bot(match.referee.addresses[0]) as thief,
    ):
        hello = referee_pb2.Hello(protocol_version=1, session_token=bot.session_token)
        await thief.send(referee_pb2.PlayRequest(hello=hello))
        frame = await thief.read()
        assert frame is not None
        assert not frame.welcome.resumed
        assert not frame.updates
        await bot.play()
        assert (await match.end()).ending is Ending.COMPLETED


async def test_an_old_session_token_is_worth_nothing_after_a_newer_welcome(tmp_path: Path) -> None:
    async with table(tmp_path, open_identity=True) as (match, bot):
        await bot.ask()
        async with Bot(match.referee.addresses[0], match.token) as second:
            await second.hello()  # a new process: the token of the first one is replaced
            async with Bot(match.referee.addresses[0], match.token) as third:
                hello = referee_pb2.Hello(protocol_version=1, session_token=bot.session_token)
                await third.send(referee_pb2.PlayRequest(hello=hello))
                frame = await third.read()
                assert frame is not None
                assert not frame.welcome.resumed  # but the bearer token gives the seat all the same
                await third.play(frame)
        assert (await match.end()).ending is Ending.COMPLETED


class Processes:
    """A house bot of seat 0 as a real process, and its successor with the same bearer token."""

    def __init__(self, address: str, folder: Path) -> None:
        self.address = address
        self.folder = folder
        self.running: list[asyncio.subprocess.Process] = []
        self.token = ""

    async def launch(self, issued: IssuedInstance) -> None:
        """Start the first one."""
        self.token = issued.token
        await self.start()

    async def start(self) -> None:
        """Start one more."""
        python = f"{Path.cwd()}:{Path.cwd() / 'sample_bots' / 'python'}"
        own = {"TICHU_SERVER": self.address, "TICHU_TOKEN": self.token, "PYTHONPATH": python}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tichu_bot.random"),
            cwd=self.folder,
            env={**os.environ, **own},
            stderr=asyncio.subprocess.PIPE,
        )
        self.running.append(process)

    async def end(self) -> None:
        """Let go of all of them."""
        for process in self.running:
            if process.returncode is None:
                process.kill()
            await process.communicate()


async def test_a_process_that_is_killed_comes_back_as_a_new_one_with_its_bearer_token_alone(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, grace_ms=20_000) as referee:
        seat0 = Processes(referee.addresses[0], tmp_path)
        try:
            async with seated(
                referee,
                SETTINGS,
                deciding=(by_hand, by_default, by_hand, by_default),
                outside={0: seat0.launch},
            ) as seats:
                held = seats.bots[1]  # seat 2: nothing moves without it
                await held.ask("call")
                seat0.running[0].send_signal(signal.SIGKILL)
                await seat0.running[0].wait()
                await seat0.start()
                await referee.wait_ready("i1", LIMIT_S)
                await held.leave_to(by_default)
                end = await seats.end()
        finally:
            await seat0.end()
    assert (end.ending, end.seat, end.blame) == (Ending.COMPLETED, None, Blame.NONE)
    assert end.banks[0] == 60_000 * MS


async def test_an_ask_that_came_while_nobody_was_there_has_the_time_that_is_left(
    tmp_path: Path,
) -> None:
    """It counts as handed over at the moment when it would have been sent."""
    now = asyncio.get_running_loop().time
    async with (
        serving(tmp_path, grace_ms=20_000) as referee,
        seated(referee, SETTINGS, deciding=(by_default, by_hand, by_hand, by_hand)) as seats,
    ):
        absent, others = seats.bots[0], seats.bots[1:]
        await absent.first_status(1)
        token, secret = absent.bot.token, absent.bot.session_token
        await absent.stop()
        absent.bot.call.cancel()
        for bot in others:
            await bot.ask("call")
            await bot.leave_to(by_default)
        late = await others[0].ask("exchange")  # of all seats in one step
        asked_at = others[0].came[late.ask_id]
        await moment(asked_at + 0.05)
        async with PatientBot(referee.addresses[0], token) as again:
            await again.hello(session_token=secret)
            _, ask = await again.ask()
        came_at = now()
    assert ask.HasField("exchange")
    assert late.time_left_ms - ask.time_left_ms >= 45
    assert late.time_left_ms - ask.time_left_ms <= 1 + (came_at - asked_at + LIMIT_S) * 1000
