"""Over real gRPC: nothing that is sent, logged or counted names a card that is not public yet.

Four curious bots play: illegal answers, broken frames, lost streams, a second stream. Strangers
knock. Then every frame, status, log line and page of metrics is read for cards, seeds and tokens.
"""

import asyncio
import enum
import random
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

import grpc
import pytest

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.bootstrap import Referee
from referee.formats.records import read_record
from referee.match.values import MS, MatchConfig, Pace, Player, Settings
from referee.rules.options import RuleOptions
from tests.integration.serving import LIMIT_S, Bot, serving
from tests.simulation.leaks.logs import faults_of_logs, faults_of_page, heard
from tests.simulation.leaks.scan import SeatScan, faults_of_text, secrets_of, truth_of

SECRET = bytes(range(32))
_PACK = (1, 2, 3, 4, *range(8, 60))
Request = referee_pb2.PlayRequest


class Ear(Bot):
    """A stream that remembers what it was sent."""

    def __init__(self, address: str, token: str | None, heard_: list[tuple[bool, bytes]]) -> None:
        super().__init__(address, token)
        self._all = heard_  # of all streams of its bot: whether the bot sent it, and the frame
        self._known: list[referee_pb2.PlayResponse] = []

    async def read(self) -> referee_pb2.PlayResponse | None:
        frame = await super().read()
        if frame is not None and not any(frame is one for one in self._known):
            self._known.append(frame)
            self._all.append((False, frame.SerializeToString()))
        return frame

    async def send_bytes(self, data: bytes) -> None:
        self._all.append((True, data))
        await super().send_bytes(data)

    async def end(self) -> str:
        """How the stream ended, in all words that came with it."""
        code, details = await self.status()
        metadata = await asyncio.wait_for(self.call.trailing_metadata(), LIMIT_S)
        return f"{code.name} {details} {[*(metadata or ())]}"


class Last(enum.Enum):
    """What ended a bot's reading."""

    MATCH = enum.auto()
    STREAM = enum.auto()  # by the referee
    CUT = enum.auto()  # by the bot itself


@dataclass
class Curious:
    """A bot that comes back whenever its stream ends, until its match is over."""

    address: str
    token: str
    rng: random.Random
    frames: list[tuple[bool, bytes]] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    session_tokens: list[str] = field(default_factory=list)
    metrics: str = ""
    pages: list[str] = field(default_factory=list)
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    async def play(self) -> None:
        """Stream after stream."""
        last = Last.CUT
        while last is not Last.MATCH:
            async with Ear(self.address, self.token, self.frames) as ear:
                await ear.hello()
                self.session_tokens.append(ear.session_token)
                self.ready.set()
                last = await self._stream(ear)
                if last is Last.STREAM:
                    self.ends.append(await ear.end())

    async def _stream(self, ear: Ear) -> "Last":
        """Play until something is over."""
        hand = set(_PACK)
        while (frame := await ear.read()) is not None:
            if frame.HasField("ping"):
                await ear.send(Request(pong=referee_pb2.Pong(number=frame.ping.number)))
            for update in frame.updates:
                if any(event.HasField("match_ended") for event in update.events):
                    return Last.MATCH
                for held in update.snapshot.hands:
                    hand = set(held.cards)
                for ask in update.asks:
                    if self.rng.random() < 0.02:
                        return Last.CUT
                    await self._answer(ear, update.match, ask, hand)
        return Last.STREAM

    async def _answer(self, ear: Ear, match: int, ask: match_pb2.Ask, hand: set[int]) -> None:
        rng = self.rng
        if rng.random() < 0.03:
            self.pages.append(await asyncio.to_thread(page_of, self.metrics))
        if rng.random() < 0.01:
            await ear.send_bytes(b"\xff\xff no frame")
        for _ in range(rng.choice((0, 0, 0, 1, 2))):
            await ear.send(self._wrong(match, ask, hand))
        frame = Request()
        answer = frame.answers.add(match=match, ask_id=ask.ask_id)
        plays = ask.act.plays or ask.bomb.plays
        if plays and rng.random() < 0.7:
            index = rng.randrange(len(plays))
            if ask.HasField("act"):
                answer.act.index = index
            else:
                answer.bomb.index = index
        else:
            answer.default_action.SetInParent()
        await ear.send(frame)

    def _wrong(self, match: int, ask: match_pb2.Ask, hand: set[int]) -> referee_pb2.PlayRequest:
        """Cards of anybody, by name; a call; a number of no match."""
        rng, frame = self.rng, Request()
        cards = sorted(hand) if rng.random() < 0.5 else list(_PACK)
        some = rng.sample(cards, min(len(cards), rng.choice((1, 2, 3, 5))))
        drawn = rng.randrange(4)
        if drawn == 0:
            frame.calls.add(match=match, call=match_pb2.CALL_KIND_GRAND, request_id=1)
        elif drawn == 1:
            frame.stand_downs.add(match=match + 7, request_id=2)
        else:
            answer = frame.answers.add(match=match, ask_id=ask.ask_id)
            if ask.HasField("bomb"):
                answer.bomb.play.cards.extend(some)  # type: ignore[arg-type]
            elif ask.HasField("exchange"):
                answer.exchange.gifts.add(seat=1, cards=some[:2])
            else:
                answer.act.play.cards.extend(some)  # type: ignore[arg-type]
        return frame


async def knock(address: str) -> list[str]:
    """Strangers: no token, a wrong one, a wrong version, no Hello."""
    hello = Request(hello=referee_pb2.Hello(protocol_version=1))
    ends = []
    for token, frame in ((None, hello), ("guess", hello), ("guess", Request())):
        async with Ear(address, token, []) as ear:
            await ear.send(frame)
            assert await ear.read() is None
            ends.append(await ear.end())
    return ends


def url_of(referee: Referee) -> str:
    return f"http://{referee.metrics_address}/metrics"


def page_of(url: str) -> str:
    with urllib.request.urlopen(url) as page:
        return str(page.read().decode())


def config(pace: Pace) -> MatchConfig:
    settings = Settings(rules=RuleOptions(rounds=1), pace=pace, window_ns=20 * MS, max_strikes=1000)
    return MatchConfig(
        match_id="m", settings=settings, players=tuple(Player(name=f"p{seat}") for seat in range(4))
    )


@dataclass
class Played:
    """What a match left to read."""

    bots: list[Curious]
    strangers: list[str]
    pages: list[str]
    logs: list[dict[str, object]]
    record: Path


async def played(folder: Path, pace: Pace, seed: int) -> Played:
    """Play a match of curious bots to its end."""
    with heard() as logs:
        async with serving(folder, event_secret=SECRET, metrics_port=0) as referee:
            bots, record = await _match(referee, pace, seed)
            strangers = await knock(referee.addresses[0])
            last = await asyncio.to_thread(page_of, url_of(referee))
            pages = [last, *(page for bot in bots for page in bot.pages)]
    return Played(bots, strangers, pages, [dict(line) for line in logs], record)


async def _match(referee: Referee, pace: Pace, seed: int) -> tuple[list[Curious], Path]:
    issued = [referee.issue_instance(f"b{seat}") for seat in range(4)]
    bots = [
        Curious(referee.addresses[0], one.token, random.Random(f"{seed}/{seat}"))
        for seat, one in enumerate(issued)
    ]
    for bot in bots:
        bot.metrics = url_of(referee)
    tasks = [asyncio.create_task(bot.play()) for bot in bots]
    async with asyncio.timeout(90):
        for bot in bots:
            await bot.ready.wait()
        match = referee.start_match(config(pace), [one.instance_id for one in issued])
        await match.done
        for task in tasks:  # one that was away then may wait for a match that is over
            task.cancel()
        failed = await asyncio.gather(*tasks, return_exceptions=True)
    assert [one for one in failed if isinstance(one, Exception)] == []
    assert match.record_path is not None
    return bots, match.record_path


@pytest.mark.parametrize("pace", Pace)
async def test_nothing_tells_a_card_that_is_not_public(tmp_path: Path, pace: Pace) -> None:
    seed = 7
    one = await played(tmp_path, pace, seed)
    rounds = truth_of(read_record(one.record.read_bytes().splitlines(keepends=True)).facts)
    assert rounds, "a round was played"
    assert rounds[0].plays, "cards were played"
    tokens = [text for bot in one.bots for text in (bot.token, *bot.session_tokens)]
    secrets = secrets_of(rounds, SECRET.hex(), *tokens)
    faults = []
    for seat, bot in enumerate(one.bots):
        scan = SeatScan(rounds, seat, 1)
        foreign = [t.encode() for other in one.bots if other is not bot for t in (other.token,)]
        for own, frame in bot.frames:
            if own:
                scan.sent(frame)
                continue
            scan.got(frame)
            faults += [f"seat {seat}: a token" for token in foreign if token in frame]
        faults += scan.faults
        faults += [fault for end in bot.ends for fault in faults_of_text(end)]
    faults += [fault for end in one.strangers for fault in faults_of_text(end)]
    faults += faults_of_logs(one.logs, secrets)
    faults += [fault for page in one.pages for fault in faults_of_page(page, secrets)]
    assert faults == [], f"{seed=}"
    assert len(one.logs) > 5, "lines were heard"
    assert len(one.pages) > 2, "pages were read while it ran"


async def test_strangers_are_told_why_and_nothing_else(tmp_path: Path) -> None:
    with heard():
        async with serving(tmp_path, event_secret=SECRET) as referee:
            ends = await knock(referee.addresses[0])
    assert all(end.startswith(grpc.StatusCode.UNAUTHENTICATED.name) for end in ends)
    assert [fault for end in ends for fault in faults_of_text(end)] == []
