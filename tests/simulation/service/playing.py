"""One simulated match from its plan to what its auditor finds."""

import hashlib
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from referee.match.values import Clock, Settings
from referee.rules.options import player_seats, seats
from referee.rules.seat import Seat
from tests.simulation.audit.auditor import audit
from tests.simulation.audit.transcript import (
    Entry,
    In,
    MatchLimits,
    Out,
    Transcript,
    World,
    WorldEvent,
)
from tests.simulation.service.drawing import draw_plan
from tests.simulation.service.games import Game
from tests.simulation.service.journal import Happened, Said
from tests.simulation.service.plans import MatchPlan, Plan
from tests.simulation.service.world import SimWorld

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a simulation; a value that travels between processes."""

    number: int
    endings: tuple[tuple[str, str], ...]  # ending and blame of each of its matches
    rounds: int
    frames: int
    virtual_ns: int
    faults: dict[str, int]  # that were drawn
    struck: dict[str, int]  # what came of those of the world
    findings: tuple[str, ...]
    digest: str  # of everything that the seats saw and sent, and of the records


def play(seed: str, number: int, *, points: bool = False, game: Game | None = None) -> Outcome:
    """Play and audit the match with this number; whatever fails is a finding."""
    plan = draw_plan(seed, number, points=points, game=game)
    try:
        world = SimWorld(plan)
        world.run()
        transcripts = transcripts_of(world)
    except Exception:  # a failure of the service that its own guards let pass
        return _broken(number, plan, traceback.format_exc())
    findings = findings_of(world, transcripts)
    ends = [world.ended[m.config.match_id] for m in plan.matches if m not in _hanging(world)]
    return Outcome(
        number=number,
        endings=tuple((end.ending.value, end.blame.value) for end in ends),
        rounds=sum(end.rounds for end in ends),
        frames=sum(isinstance(entry, Said) for entry in world.log),
        virtual_ns=world.clock.time - world.began,
        faults=plan.faults,
        struck=dict(world.struck),
        findings=tuple(findings),
        digest=digest_of(transcripts),
    )


def _broken(number: int, plan: Plan, text: str) -> Outcome:
    return Outcome(
        number=number,
        endings=(),
        rounds=0,
        frames=0,
        virtual_ns=0,
        faults=plan.faults,
        struck={},
        findings=(text,),
        digest="",
    )


def findings_of(world: SimWorld, transcripts: list[Transcript] | None = None) -> list[str]:
    """Return what is wrong with the matches of a world that has run."""
    findings = [f"match {m.config.match_id} never ended" for m in _hanging(world)]
    for transcript in transcripts_of(world) if transcripts is None else transcripts:
        findings += _judged(transcript)
    return findings


def _judged(transcript: Transcript) -> list[str]:
    try:
        findings = audit(transcript)
    except Exception:  # the judge must not fall over what it is shown
        return [f"{transcript.match_id}: the auditor failed\n{traceback.format_exc()}"]
    return [f"{transcript.match_id}: {one.code} at {one.at}: {one.text}" for one in findings]


def _hanging(world: SimWorld) -> list[MatchPlan]:
    return [m for m in world.plan.matches if m.config.match_id not in world.ended]


# --- what the auditor is given


def transcripts_of(world: SimWorld) -> list[Transcript]:
    """Return the transcript of each match that was started."""
    return [
        _transcript(world, plan)
        for plan in world.plan.matches
        if plan.config.match_id in world.matches
    ]


def _transcript(world: SimWorld, plan: MatchPlan) -> Transcript:
    match_id = plan.config.match_id
    return Transcript(
        match_id=match_id,
        numbers=_by_hand(plan, world.organiser.numbers[match_id], 0),
        owners=_by_hand(plan, [world.plan.bots[bot].owner for bot in plan.bots], ""),
        began=world.organiser.first_began[match_id],
        entries=tuple(_entries(world, plan)),
        limits=_limits(world.plan, plan.config.settings),
        record=tuple(world.store.matches[match_id].lines),
        seats=seats(plan.config.settings.rules),
        players=tuple(int(seat) for seat in player_seats(plan.config.settings.rules)),
    )


def _by_hand(plan: MatchPlan, by_player: Sequence[_T], none: _T) -> tuple[_T, ...]:
    """What is by player, in the order of their seats, for all hands."""
    rules = plan.config.settings.rules
    own = dict(zip(player_seats(rules), by_player, strict=True))
    return tuple(own.get(seat, none) for seat in map(Seat, range(seats(rules))))


def _entries(world: SimWorld, plan: MatchPlan) -> list[Entry]:
    own = player_seats(plan.config.settings.rules)
    places = {bot: int(seat) for seat, bot in zip(own, plan.bots, strict=True)}
    entries: list[Entry] = []
    for one in world.log[world.organiser.life[plan.config.match_id] :]:
        if isinstance(one, Said):
            seat = places.get(one.bot)
            if seat is not None:
                kind = Out if one.to_bot else In
                entries.append(kind(one.at, seat, one.frame, one.stream))
        elif (entry := _beside(world.plan, one, plan, places)) is not None:
            entries.append(entry)
    return entries


def _beside(whole: Plan, one: Happened, plan: MatchPlan, seats: dict[int, int]) -> World | None:
    if one.match is not None and one.match != plan.config.match_id:
        return None
    if one.bot is not None and one.bot not in seats:
        if one.what not in (WorldEvent.LOST, WorldEvent.EXITED):
            return None
        return World(one.at, one.what, owner=whole.bots[one.bot].owner)
    seat = None if one.bot is None else seats[one.bot]
    return World(
        one.at,
        one.what,
        seat,
        one.length,
        stream=one.stream,
        epoch=one.epoch,
        lines=one.lines,
        began=one.began,
    )


def _limits(plan: Plan, settings: Settings) -> MatchLimits:
    clock = settings.clock
    return MatchLimits(
        max_resends=settings.max_resends,
        max_strikes=settings.max_strikes,
        max_actions=settings.max_actions,
        max_rounds=settings.max_rounds,
        wall_per_round=settings.wall_per_round_ns,
        grace=plan.limits.grace_ns,
        store_away=plan.limits.store_away_ns,
        resume_grace=plan.resume_grace_ns,
        loop_limit=settings.lag_limit_ns,
        lag_cap=0 if clock is None else clock.lag_cap_ns,
        lag_quota=0 if clock is None else clock.lag_quota_ns,
        base_by_kind={} if clock is None else _longer(clock),
    )


def _longer(clock: Clock) -> dict[str, int]:
    own = {
        "call": clock.call_ns,
        "exchange": clock.exchange_ns,
        "act": clock.act_ns,
        "choose_seat": clock.choose_seat_ns,
    }
    return {kind: base for kind, base in own.items() if base is not None}


def digest_of(transcripts: list[Transcript]) -> str:
    """Return a hash of all that the transcripts hold, byte for byte."""
    known = hashlib.sha256()
    for transcript in transcripts:
        for entry in transcript.entries:
            known.update(repr(entry).encode())
        for line in transcript.record or ():
            known.update(line)
    return known.hexdigest()


def count_endings(outcomes: Sequence[Outcome]) -> Counter[tuple[str, str]]:
    """Return how often each ending came, with its blame."""
    return Counter(ending for outcome in outcomes for ending in outcome.endings)
