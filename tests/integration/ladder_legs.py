"""Legs of a ladder over real gRPC: their processes, and a referee that can be killed in between.

Run as a module with a folder it is that referee: it says when bots may come, plays leg 1, says so,
begins leg 2, says so, and waits to be killed.
"""

import asyncio
import contextlib
import hashlib
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.bootstrap import Referee, RefereeSetup, RunningMatch
from referee.formats.records import Record, read_record
from referee.formats.verification import Verified, verify_record
from referee.ladder.values import LegPlace
from referee.match.facts import Dealt, MatchEnded
from referee.match.values import MS, Ending, MatchConfig, Pace, Settings
from referee.match.values import Player as Named
from referee.rules.options import RuleOptions
from tests.integration.serving import LIMIT_S, Bot
from tests.unit.formats.placed import place_of

LEG_1, LEG_2 = place_of(), place_of(leg=2)
SECRET = bytes(range(32))
LISTENS, LEG_1_OVER, LEG_2_RUNS = "bots may come", "leg 1 is over", "leg 2 runs"
SEATS = 4


def setup(folder: Path, **changes: object) -> RefereeSetup:
    """A referee of a ladder in a folder."""
    fields: dict[str, object] = {
        "listen": (f"unix:{folder}/r.sock",),
        "event_secret": SECRET,
        "record_dir": folder / "records",
        "store": folder / "referee.db",
        "resume": False,
        **changes,
    }
    return RefereeSetup(**fields)  # type: ignore[arg-type]


def token(leg: int, seat: int) -> str:
    """The token of the process that plays a seat of a leg."""
    return f"token of seat {seat} in leg {leg}"


def admitted(referee: Referee, leg: int) -> list[str]:
    """The instances of a leg, by seat; known by the hashes of their tokens."""
    return [
        referee.admit_instance(
            f"bot{leg}{seat}", "somebody", hashlib.sha256(token(leg, seat).encode()).digest()
        )
        for seat in range(SEATS)
    ]


def leg_config(referee: Referee, place: LegPlace, **settings: object) -> MatchConfig:
    """A leg of one round; partners are named like their entry."""
    chosen = {"rules": RuleOptions(rounds=1), "pace": Pace.FAST, "window_ns": 50 * MS, **settings}
    first, second = place.sides
    names = (first.entry, second.entry) * 2
    return MatchConfig(
        match_id=referee.match_name(place),
        settings=Settings(**chosen),  # type: ignore[arg-type]
        players=tuple(Named(name=name) for name in names),
    )


def start_leg(
    referee: Referee, place: LegPlace, instances: Sequence[str], **settings: object
) -> RunningMatch:
    """Start a leg."""
    return referee.start_match(leg_config(referee, place, **settings), instances, place=place)


@contextlib.asynccontextmanager
async def ladder(folder: Path, **changes: object) -> AsyncIterator[Referee]:
    """That referee, running."""
    referee = await Referee.start(setup(folder, **changes))
    try:
        yield referee
    finally:
        await referee.stop(0.2)


def record_of(path: Path) -> Record:
    """A record, which is true."""
    record = read_record(path.read_bytes().splitlines(keepends=True))
    assert isinstance(verify_record(record), Verified)
    return record


def ending_of(record: Record) -> Ending:
    """How the match of a whole record ended."""
    last = record.facts[-1]
    assert isinstance(last, MatchEnded)
    return last.ending


async def recorded(running: RunningMatch) -> Record:
    """The record of a match, once it is there."""
    return record_of(await asyncio.wait_for(running.recorded, LIMIT_S))


def records_in(folder: Path) -> set[str]:
    """The files in the folder of records, drafts included."""
    return {file.name for file in (folder / "records").iterdir()}


def dealt(record: Record) -> list[Dealt]:
    """The deals of a match."""
    return [fact for fact in record.facts if isinstance(fact, Dealt)]


class Ear(Bot):
    """A stream that remembers what it was sent."""

    def __init__(self, address: str, mine: str) -> None:
        super().__init__(address, mine)
        self.told: list[referee_pb2.PlayResponse] = []
        self.updates: list[match_pb2.Update] = []

    async def read(self) -> referee_pb2.PlayResponse | None:
        """The next frame; those of the Welcome are read once more."""
        frame = await super().read()
        if frame is not None and not any(frame is one for one in self.told):
            self.told.append(frame)
            self.updates += frame.updates
        return frame


async def ears(referee: Referee, leg: int) -> list[Ear]:
    """The processes of a leg, which have said Hello."""
    made = []
    for seat in range(SEATS):
        ear = Ear(referee.addresses[0], token(leg, seat))
        await ear.hello()
        made.append(ear)
    return made


async def ears_of(referee: Referee) -> list[Ear]:
    """The processes of leg 1, which are admitted and have said Hello."""
    admitted(referee, 1)
    return await ears(referee, 1)


async def play_leg(
    referee: Referee, place: LegPlace, bots: Sequence[Bot], instances: Sequence[str]
) -> RunningMatch:
    """Play a leg to its end; its bots answer by default and are told the end."""
    running = start_leg(referee, place, instances)
    await asyncio.wait_for(asyncio.gather(*(bot.play() for bot in bots)), 3 * LIMIT_S)
    await asyncio.wait_for(running.done, LIMIT_S)
    return running


async def leave(bots: Sequence[Bot]) -> None:
    """Cut all streams."""
    for bot in bots:
        await bot.__aexit__()


async def main(folder: Path) -> None:
    """Play leg 1, begin leg 2, and wait to be killed."""
    referee = await Referee.start(setup(folder))
    legs = [admitted(referee, leg) for leg in (1, 2)]
    print(LISTENS, flush=True)
    for instance in (*legs[0], *legs[1]):
        await referee.wait_ready(instance, LIMIT_S)
    leg_1 = start_leg(referee, LEG_1, legs[0])
    await leg_1.done
    print(LEG_1_OVER, flush=True)
    start_leg(referee, LEG_2, legs[1], clock=None)
    print(LEG_2_RUNS, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
