"""Two runs of the whole service that one seat must not be able to tell apart, compared."""

import random
from collections import Counter
from dataclasses import dataclass
from difflib import unified_diff

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import Limits
from referee.match.values import MS, Clock, MatchConfig, Pace, Player, Settings
from referee.rules.option_values import ExchangeRechoose, GrandOrder
from referee.rules.options import RuleOptions
from tests.simulation.leaks.deals import SEATS, Difference, Twins, injected, twins
from tests.simulation.leaks.puppets import Puppet, Table
from tests.simulation.leaks.script import WORLDS, Director, Script
from tests.simulation.leaks.seats import WINDOW, Process, Response, Sent
from tests.simulation.leaks.watcher import Watcher
from tests.unit.app.world import HEADER, World

_NEVER = 1 << 30  # acts
_NEVER_NS = 1 << 62
# who leaves is gone for good before any of its asks runs out
_LIMITS = Limits(grace_ns=300 * MS)
_LONGEST_NS = 600_000 * MS
_FOR_EVER = (Difference.ORDER, Difference.GIVER)  # no act ever shows these


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a pair of runs has in common. `seed` repeats it."""

    seed: str
    watched: int
    difference: Difference
    settings: Settings
    hello: referee_pb2.Hello
    twins: tuple[Twins, ...]
    leaves: tuple[str, ...]

    @property
    def fair(self) -> bool:
        """True if times must be the same too."""
        return self.settings.pace is Pace.FAIR


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What the watched seat got in one world, and the act that showed the difference."""

    frames: tuple[Sent, ...]
    ends: tuple[object, ...]
    parted: int  # index among the plays and passes of the match
    parted_at: int  # when everybody was told of it
    acts: int
    deeds: Counter[str]
    ended: match_pb2.MatchEnded | None


def draw_case(seed: str, pace: Pace, difference: Difference | None = None) -> Case:
    """A case drawn from a seed."""
    rng = random.Random(seed)
    what = difference or rng.choice((Difference.BOMB, Difference.BOMB, *Difference))
    watched, rounds = rng.choice(SEATS), 2 if what in _FOR_EVER else 1
    rules = RuleOptions(
        rounds=rounds,
        great_grand=rng.random() < 0.2,
        grand_order=rng.choice((GrandOrder.TOGETHER, GrandOrder.TOGETHER, GrandOrder.BY_SEAT)),
        exchange_rechoose=rng.choice(tuple(ExchangeRechoose)),
    )
    hello = referee_pb2.Hello(protocol_version=1)
    hello.without_snapshots = rng.random() < 0.2
    hello.without_legal_plays = rng.random() < 0.1
    if rng.random() < 0.3:
        hello.event_delivery = referee_pb2.EVENT_DELIVERY_WITH_ASKS
    # whose fault a lost stream is depends on when others were lost: in `fast` times differ
    leaves = ("resigns", "leaves") if pace is Pace.FAIR else ("resigns",)
    return Case(
        seed=seed,
        watched=watched,
        difference=what,
        settings=Settings(
            rules=rules,
            pace=pace,
            window_ns=WINDOW,
            # in `fast` a seat without a play is not asked, and gets no strike
            max_strikes=10 if pace is Pace.FAIR else 1_000,
            clock=Clock(base_ns=1_000 * MS, bank_ns=rng.choice((0, 300)) * MS),
        ),
        hello=hello,
        twins=tuple(twins(rng, watched, what) for _ in range(rounds)),
        leaves=leaves if rng.random() < 0.15 else (),
    )


def run_pair(case: Case) -> tuple[Run, Run]:
    """Play a case in both of its worlds."""
    script = Script()
    one, other = (_run(case, script, world) for world in WORLDS)
    return one, other


def _run(case: Case, script: Script, number: int) -> Run:
    world = World(limits=_LIMITS)
    rng = random.Random(f"{case.seed}/seats")
    director = Director(
        number,
        script,
        case.twins,
        case.watched,
        rng,
        fair=case.fair,
        leaves=case.leaves,
    )
    together = case.settings.rules.grand_order is GrandOrder.TOGETHER
    table = Table(director, fair=case.fair, together=together, may_drop=not case.leaves)
    seats, watcher = _seated(case, world, table)
    for seat in seats:
        seat.dial()
    world.clock.settle()
    hands = [twin.one if number == 0 else twin.other for twin in case.twins]
    with injected(hands):
        _play(case, world, seats, director)
    return Run(
        frames=tuple(watcher.sent),
        ends=tuple(watcher.ends),
        parted=_NEVER if director.parted_at is None else director.parted or 0,
        parted_at=_NEVER_NS if director.parted_at is None else director.parted_at,
        acts=director.table.acts,
        deeds=director.deeds + watcher.deeds,
        ended=director.table.ended,
    )


def _seated(case: Case, world: World, table: Table) -> tuple[list[Process], Watcher]:
    seats: list[Process] = []
    plain = referee_pb2.Hello(protocol_version=1, without_snapshots=True, without_legal_plays=True)
    own = random.Random(f"{case.seed}/watched")
    for seat in SEATS:
        instance = world.instance(f"bot {seat}", owner=f"owner {seat % 2}")
        if seat == case.watched:
            watcher = Watcher(world, instance, case.hello, own, fair=case.fair)
            seats.append(watcher)
        else:
            seats.append(Puppet(world, instance, table, hello=plain))
    return seats, watcher


def _play(case: Case, world: World, seats: list[Process], director: Director) -> None:
    sessions = [seat._stream.session for seat in seats if seat._stream is not None]
    players = tuple(Player(name=f"bot {seat}", bot_seed="00" * 32) for seat in SEATS)
    config = MatchConfig(match_id="m", settings=case.settings, players=players)
    known = [session for session in sessions if session is not None]
    match = world.service.start_match(config, known, header=HEADER)
    until = world.clock.now() + _LONGEST_NS
    while match.ended is None and world.clock.now() < until:
        world.clock.pass_time(WINDOW // 2)
        if director.parted_at is not None:
            return
    assert match.ended is not None, f"{case.seed}: the match does not end"
    world.clock.pass_time(5 * MS)


# --- the comparison


def compare(case: Case, one: Run, other: Run) -> list[str]:
    """What the watched seat could tell apart before the difference was public; none is right."""
    parted = min(one.parted, other.parted)
    if case.fair:
        at = min(one.parted_at, other.parted_at)
        found = _frames(_until(one.frames, at), _until(other.frames, at))
        if one.parted_at != other.parted_at:
            found.append(f"the difference is told at {one.parted_at} and {other.parted_at}")
        if parted == _NEVER and one.ends != other.ends:
            found.append(f"the stream ended so: {one.ends}, and so: {other.ends}")
        return found
    mine, yours = (_said(run.frames, parted) for run in (one, other))
    if parted < _NEVER:  # each run ends with the act that parts them, told or not
        mine, yours = _both_said(mine, yours)
    return [
        f"{kind}: {_first_apart(mine[kind], yours[kind])}"
        for kind in mine
        if mine[kind] != yours[kind]
    ]


def _both_said(
    mine: dict[str, list[str]], yours: dict[str, list[str]]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """As much as both have come to say."""
    length = {kind: min(len(mine[kind]), len(yours[kind])) for kind in mine}
    return tuple({k: all_[k][:n] for k, n in length.items()} for all_ in (mine, yours))  # type: ignore[return-value]


def _until(frames: tuple[Sent, ...], end: int) -> list[tuple[int, bytes]]:
    """The frames before a time, without the worst result awarded (see `_unawarded`)."""
    return [(at, _unawarded(Response.FromString(data), data)) for at, data in frames if at < end]


def _unawarded(frame: referee_pb2.PlayResponse, data: bytes) -> bytes:
    """A frame without the points awarded for a fault: all hands count in them, and it is over."""
    ended = [e.match_ended for e in _events(frame) if e.HasField("match_ended")]
    if not any(end.awarded for end in ended):
        return data
    for end in ended:
        del end.awarded[:]
    return frame.SerializeToString(deterministic=True)


def _events(frame: referee_pb2.PlayResponse) -> list[match_pb2.Event]:
    return [event for update in frame.updates for event in update.events]


def _acts(frame: referee_pb2.PlayResponse) -> set[int]:
    """The numbers of the plays and passes that a frame tells, also those of a snapshot."""
    told = [event for update in frame.updates for event in update.snapshot.events]
    return {event.number for event in (*_events(frame), *told) if _is_act(event)}


def _is_act(event: match_pb2.Event) -> bool:
    return event.HasField("played") or event.HasField("passed")


def _frames(mine: list[tuple[int, bytes]], yours: list[tuple[int, bytes]]) -> list[str]:
    for number, (one, other) in enumerate(zip(mine, yours, strict=False)):
        if one != other:
            return [
                f"frame {number} at {one[0]} and {other[0]}:\n"
                + _apart(str(Response.FromString(one[1])), str(Response.FromString(other[1])))
            ]
    if len(mine) != len(yours):
        return [f"{len(mine)} frames, and {len(yours)}"]
    return []


def _said(frames: tuple[Sent, ...], parted: int) -> dict[str, list[str]]:
    """Everything that was said, by kind and in order, whatever frames it came in.

    Without pings, which go by time. An ask or snapshot that came with the parting act is not
    counted, and nothing after it.
    """
    said: dict[str, list[str]] = {
        kind: [] for kind in ("events", "asks", "cancelled", "acks", "refused", "snapshot", "else")
    }
    known: set[int] = set()
    for _, data in frames:
        frame = Response.FromString(data)
        frame.ClearField("ping")
        parts = len(known | _acts(frame)) > parted
        for update in frame.updates:
            for event in update.events:
                known |= {event.number} if _is_act(event) else set()
                if len(known) > parted:
                    return said
                event.match_ended.ClearField("awarded") if event.HasField("match_ended") else None
                said["events"].append(str(event))
            if parts:
                continue
            known |= _acts(frame)
            for kind in ("asks", "cancelled", "acks", "refused"):
                said[kind] += [str(one) for one in getattr(update, kind)]
            if update.HasField("snapshot"):
                said["snapshot"].append(str(update.snapshot))
            if update.HasField("seating"):
                said["else"].append(str(update.seating))
        if parts:
            return said
        del frame.updates[:]
        said["refused"] += [str(one) for one in frame.refused]
        del frame.refused[:]
        if frame.ByteSize():
            said["else"].append(str(frame))
    return said


def _apart(one: str, other: str) -> str:
    return "\n".join(unified_diff(one.splitlines(), other.splitlines(), n=8, lineterm=""))


def _first_apart(mine: list[str], yours: list[str]) -> str:
    for number, (one, other) in enumerate(zip(mine, yours, strict=False)):
        if one != other:
            return f"number {number}:\n{_apart(one, other)}"
    longer = mine if len(mine) > len(yours) else yours
    return f"{len(mine)} and {len(yours)}, first more:\n{longer[min(len(mine), len(yours))]}"
