"""Which boards are to be played next: a function of results, rulings and what runs.

Nothing else is remembered, so a run that was broken off goes on with the boards that it would have
played: a board number that never brought a result is ordered again as it was, one that was begun
and counts for nothing as its next attempt.
"""

from collections.abc import Mapping, Sequence
from typing import assert_never

from referee.ladder.boards import Resolved
from referee.ladder.field import field_left, next_deals
from referee.ladder.plans import (
    BoardPlan,
    Pair,
    Picks,
    Scene,
    Schedule,
    ScheduleKind,
    fresh_board,
)
from referee.ladder.rulings import Decided
from referee.ladder.swiss import Swiss
from referee.ladder.uncertain import next_doubtful, uncertain_left
from referee.ladder.values import TEAMS, Deals, pairing_of
from referee.rules.errors import ConfigError

__all__ = ["BoardPlan", "Schedule", "ScheduleKind", "boards_left", "check_schedule", "next_boards"]

_ANY_SIDES = (ScheduleKind.ROUND_ROBIN, ScheduleKind.GAUNTLET)  # that know more than pairs
_FIELD_ENTRIES = 4  # two tables: fewer compare nobody


def check_schedule(schedule: Schedule, owners: Mapping[str, str]) -> None:
    """Refuse a schedule that cannot be played by these entries, with ConfigError."""
    if schedule.boards is not None and schedule.boards < 1:
        raise ConfigError(f"boards = {schedule.boards}: give 1 or more")
    if schedule.kind is ScheduleKind.SWISS and (schedule.boards is None or schedule.rounds < 1):
        raise ConfigError("a swiss schedule needs boards (in each round) and rounds, 1 or more")
    if schedule.kind is ScheduleKind.GAUNTLET and schedule.hero not in owners:
        raise ConfigError(f"hero = {schedule.hero!r}: a gauntlet needs the name of an entry")
    _check_owners(schedule, owners)
    if schedule.sides != TEAMS and (
        schedule.kind not in _ANY_SIDES or schedule.deals is Deals.FIELD
    ):
        kinds = " or ".join(_ANY_SIDES)
        raise ConfigError(f"where three meet at a board it goes by kind {kinds}, with deals board")
    if schedule.deals is not Deals.FIELD:
        return
    if schedule.kind is not ScheduleKind.ROUND_ROBIN:
        raise ConfigError(f"deals of a field go with kind round_robin, not {schedule.kind}")
    if len(owners) < _FIELD_ENTRIES:
        raise ConfigError(f"deals of a field need {_FIELD_ENTRIES} entries, here are {len(owners)}")
    if len(owners) == _FIELD_ENTRIES and schedule.boards == 1:
        raise ConfigError("boards = 1: in a field of 4 entries each two need 2 tables or more")


def _check_owners(schedule: Schedule, owners: Mapping[str, str]) -> None:
    if len(set(owners.values())) < schedule.sides:
        needed = "two" if schedule.sides == TEAMS else "three"
        raise ConfigError(f"entries of one owner are never paired: {needed} owners are needed")
    hero = owners.get(schedule.hero)
    if schedule.kind is ScheduleKind.GAUNTLET and set(owners.values()) == {hero}:
        raise ConfigError(f"hero = {schedule.hero!r}: no other owner has an entry")


def next_boards(
    schedule: Schedule,
    *,
    owners: Mapping[str, str],
    decided: Decided,
    resolved: Resolved,
    running: Sequence[BoardPlan],
    wanted: int,
    at_once: int,
) -> tuple[BoardPlan, ...]:
    """Return up to `wanted` boards to start now, beside those that are running.

    `owners` are the entries of the ladder file, with who runs them; those that may not play on
    (`decided`) get no board. No entry is in more than `at_once` boards at a time. Nothing to start
    and nothing running means that the schedule has ended.
    """
    scene = Scene(
        owners=owners,
        decided=decided,
        resolved=resolved,
        running=running,
        sides=schedule.sides,
    )
    picks = Picks(scene, wanted=wanted, at_once=at_once)
    if schedule.deals is Deals.FIELD:
        next_deals(schedule, scene, picks)
        return tuple(picks.chosen)
    match schedule.kind:
        case ScheduleKind.ROUND_ROBIN | ScheduleKind.GAUNTLET:
            _next_even(schedule, scene, picks)
        case ScheduleKind.SWISS:
            Swiss(schedule, scene).choose(picks)
        case ScheduleKind.UNCERTAIN:
            next_doubtful(schedule, scene, picks)
        case _:
            assert_never(schedule.kind)
    return tuple(picks.chosen)


def boards_left(
    schedule: Schedule,
    *,
    owners: Mapping[str, str],
    decided: Decided,
    resolved: Resolved,
    running: Sequence[BoardPlan],
) -> int | None:
    """Return how many boards are still to be rated, running ones included; None: no end.

    It supposes that no board is void, and nobody joins or leaves.
    """
    if schedule.boards is None:
        return None
    scene = Scene(
        owners=owners,
        decided=decided,
        resolved=resolved,
        running=running,
        sides=schedule.sides,
    )
    if schedule.deals is Deals.FIELD:
        return len(running) + field_left(schedule, scene)
    match schedule.kind:
        case ScheduleKind.ROUND_ROBIN | ScheduleKind.GAUNTLET:
            return len(running) + sum(_needs(schedule.boards, scene, pairs_of(schedule, scene)))
        case ScheduleKind.SWISS:
            return len(running) + Swiss(schedule, scene).left()
        case ScheduleKind.UNCERTAIN:
            return len(running) + uncertain_left(schedule.boards, scene)
        case _:
            assert_never(schedule.kind)


def pairs_of(schedule: Schedule, scene: Scene) -> list[Pair]:
    """Return who may meet in a schedule."""
    pairs = list(scene.pairs())
    if schedule.kind is ScheduleKind.GAUNTLET:
        return [pair for pair in pairs if schedule.hero in pair]
    return pairs


def _needs(boards: int, scene: Scene, pairs: Sequence[Pair]) -> list[int]:
    return [max(0, boards - scene.counted(pairing_of(*pair))) for pair in pairs]


def _next_even(schedule: Schedule, scene: Scene, picks: Picks) -> None:
    """Choose boards that are void so far, then of the pairings that have the fewest."""
    pairs = pairs_of(schedule, scene)
    turns = scene.turns(pairs)

    def needs(pair: Pair) -> bool:
        so_far = turns[pair][0] + picks.of(pairing_of(*pair))
        return schedule.boards is None or so_far < schedule.boards

    def turn(pair: Pair) -> tuple[int, int, Pair]:
        so_far, in_circle = turns[pair]
        return so_far + picks.of(pairing_of(*pair)), in_circle, pair

    for plan in scene.again(pairs):
        if needs(plan.tables[0]):
            picks.offer(plan)
    while able := [pair for pair in pairs if picks.have_room(pair) and needs(pair)]:
        picks.take(fresh_board(scene, picks, min(able, key=turn)))
