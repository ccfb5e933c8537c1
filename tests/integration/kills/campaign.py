"""Kills a referee again and again while bots play, and lets the last one play to the end."""

import asyncio
import enum
import random
import socket
from pathlib import Path

import msgspec

from referee.match.values import Pace
from referee.ports import Durability
from tests.integration.kills.deaths import ONCE, RARE, SOME, Death, Outage, OutageKind, Point
from tests.integration.kills.nursery import Order
from tests.integration.kills.plants import Plant
from tests.integration.kills.processes import LIMIT_S, Child, Nursery, nursery
from tests.integration.kills.witness import Gate, Witness

BASE_S, BANK_S = 4, 60  # thinking time: bots need none of it
AWAY_S = BASE_S + 1  # a long outage: who is charged for it has less than a full bank
WINDOW_MS = 20
_BACK_S = 5.0  # for the bots to come back, before a process is killed all the same
_MOST_S = 0.3  # that all bots play
_SLOW_S = 0.7  # for a point to be reached
_MORE = 4  # matches that begin after the last kill, at least


class Way(enum.StrEnum):
    """How a process comes to its end."""

    PLAYING = "at a random instant, all bots back"
    POINT = "at a point of its work"
    RESUMING = "while bots come back"
    STARTING = "before it listens"
    OUTAGE = "while the store takes nothing"
    TWICE = "within 50 ms of the one before"


_WEIGHTS = {
    Way.PLAYING: 40,
    Way.POINT: 40,
    Way.RESUMING: 8,
    Way.STARTING: 4,
    Way.OUTAGE: 8,
    Way.TWICE: 4,
}


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A campaign."""

    kills: int
    seed: str
    pace: Pace
    bots: int = 8
    parallel: int = 2  # matches of a bot at once
    long_outages: int = 1  # among the kills
    plants: tuple[Plant, ...] = ()
    tcp: bool = False  # not a unix socket
    durability: Durability = Durability.PROCESS
    patience_s: float = LIMIT_S  # for the last process to play to the end


class Life(msgspec.Struct, frozen=True, kw_only=True):
    """One process that was killed, or the last."""

    way: Way | None  # None: it was to play to the end
    death: Death | None  # the point that it died at
    status: int  # its exit status
    began: float  # times of the loop
    ended: float
    playing: int  # matches that bots knew and that were not over, at its end
    listened: bool


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a campaign left."""

    plan: Plan
    witnesses: list[Witness]
    records: Path
    lives: list[Life]
    printed: list[str]  # lines of all processes
    exit_status: int | None  # of the last process; None: it did not end


def free_address() -> str:
    """An address of this machine; every process of the campaign listens there."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"


class _Campaign:
    def __init__(self, plan: Plan, folder: Path, cradle: Nursery) -> None:
        self.plan = plan
        self.folder = folder
        self.cradle = cradle
        self.rng = random.Random(plan.seed)
        self.gate = Gate(free_address() if plan.tcp else f"unix:{folder}/r.sock")
        self.witnesses: list[Witness] = []
        self.lives: list[Life] = []
        self.printed: list[str] = []
        self.names = [f"bot{number}" for number in range(plan.bots)]
        kills = range(plan.kills // 4, plan.kills)
        self.away_after = set(self.rng.sample(kills, plan.long_outages)) if plan.kills > 8 else {0}

    @property
    def store(self) -> Path:
        return self.folder / "records" / "referee.db"

    def order(self, **what: object) -> Order:
        plan = self.plan
        words = ["serve", "--listen", self.gate.address, "--rounds", "1", "--pace", plan.pace]
        words += ["--clock", f"{BASE_S}s+{BANK_S}s", "--parallel", str(plan.parallel)]
        words += ["--window", str(WINDOW_MS), "--lag", "none", "--log-format", "json"]
        words += ["--durability", plan.durability]
        for name in self.names:
            words += ["--issue", name]
        matches: object = what.pop("matches", None)
        if matches is not None:
            words += ["--matches", str(matches)]
        return Order(
            words=tuple(words),
            folder=str(self.folder),
            store=str(self.store),
            plants=plan.plants,
            **what,  # type: ignore[arg-type]
        )

    async def run(self) -> int | None:
        """Kill, and then play to the end; return the last exit status."""
        child = await self._first()
        lives = [asyncio.create_task(witness.live()) for witness in self.witnesses]
        await self._playing(child)
        await self._kill(child, Way.PLAYING, None)
        while len(self.lives) < self.plan.kills:
            if len(self.lives) in self.away_after:
                await asyncio.sleep(AWAY_S)
            await self._one_life()
        try:
            return await self._to_the_end()
        finally:
            await self.gate.tell(open_=False, for_good=True)
            await asyncio.wait_for(asyncio.gather(*lives), LIMIT_S)

    async def _first(self) -> Child:
        """Start the process that issues the tokens."""
        child = await self._start()
        assert await asyncio.wait_for(child.listening, LIMIT_S), self._why()
        while len(tokens := [line for line in child.lines if line.startswith("token ")]) < len(
            self.names
        ):
            assert not child.ended.done(), self._why()
            await asyncio.sleep(0)
        for line in tokens:
            _, name, token = line.split()
            rng = random.Random(f"{self.plan.seed}/{name}")
            self.witnesses.append(Witness(name, token, self.gate, rng))
        await self.gate.tell(open_=True)
        return child

    def _why(self) -> str:
        return self.cradle.log

    async def _start(self, **what: object) -> Child:
        for witness in self.witnesses:
            witness.welcomed.clear()
        return await self.cradle.start(self.order(**what))

    async def _playing(self, child: Child) -> None:
        """Wait until every bot has a stream, or the process is gone."""
        back = asyncio.create_task(self._all_back())
        await asyncio.wait(
            {back, child.ended}, timeout=_BACK_S, return_when=asyncio.FIRST_COMPLETED
        )
        back.cancel()
        await asyncio.gather(back, return_exceptions=True)

    async def _all_back(self) -> int:
        for witness in self.witnesses:
            await witness.welcomed.wait()
        return len(self.witnesses)

    async def _kill(self, child: Child, way: Way | None, death: Death | None) -> None:
        playing = len({(w.name, n) for w in self.witnesses for n in w.running}) // 4
        status = await child.killed()
        await self.gate.tell(open_=False)
        self.printed += child.lines
        self.lives.append(
            Life(
                way=way,
                death=death,
                status=status,
                began=child.forked_at,
                ended=child.died_at,
                playing=playing,
                listened=child.listening.result(),
            )
        )

    async def _one_life(self) -> None:
        rng = self.rng
        (way,) = rng.choices(list(_WEIGHTS), list(_WEIGHTS.values()))
        death = self._draw_death() if way is Way.POINT else None
        outage = None
        if way is Way.OUTAGE:
            kind = rng.choice(list(OutageKind))
            first, length_ms = rng.choice((0, rng.randint(1, 60))), rng.randint(20, 600)
            outage = Outage(first=first, length_ms=length_ms, kind=kind)
        child = await self._start(death=death, outage=outage)
        if way is Way.STARTING or way is Way.TWICE:
            await self._ended_within(child, rng.uniform(0, 0.02 if way is Way.STARTING else 0.05))
        elif await asyncio.wait_for(asyncio.shield(child.listening), LIMIT_S):
            await self.gate.tell(open_=True)
            if way is Way.RESUMING:
                await self._ended_within(child, rng.uniform(0, 0.05))
            else:
                await self._playing(child)
                most_s = _MOST_S + (outage.length_ms / 1000 if outage else 0)
                wait_s = _SLOW_S if way is Way.POINT else rng.uniform(0, most_s)
                await self._ended_within(child, wait_s)
        else:
            assert death is not None, self._why()  # nothing else may end it so early
            assert await child.ended == -9, self._why()
        if way is Way.POINT and not child.ended.done():
            way, death = Way.PLAYING, None  # it was not reached
        await self._kill(child, way, death)

    def _draw_death(self) -> Death:
        point = self.rng.choice(list(Point))
        most = 1 if point in ONCE else 3 if point in RARE else 8 if point in SOME else 150
        return Death(point=point, count=self.rng.randint(1, most))

    async def _ended_within(self, child: Child, seconds: float) -> None:
        await asyncio.wait({child.ended}, timeout=seconds)

    async def _to_the_end(self) -> int | None:
        """Play what is running and some more; the last process stops by itself."""
        matches = max(witness.newest for witness in self.witnesses) + _MORE
        child = await self._start(matches=matches)
        if await asyncio.wait_for(asyncio.shield(child.listening), LIMIT_S):
            await self.gate.tell(open_=True)
        await self._ended_within(child, self.plan.patience_s)
        status = child.ended.result() if child.ended.done() else None
        await self._kill(child, None, None)
        return status


async def run_campaign(plan: Plan, folder: Path) -> Outcome:
    """Run a campaign in an empty folder. Raises `AssertionError` where none can be run at all."""
    async with nursery() as cradle:
        campaign = _Campaign(plan, folder, cradle)
        status = await campaign.run()
    return Outcome(
        plan=plan,
        witnesses=campaign.witnesses,
        records=folder / "records",
        lives=campaign.lives,
        printed=campaign.printed,
        exit_status=status,
    )
