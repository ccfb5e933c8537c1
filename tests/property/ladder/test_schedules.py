"""Every schedule ends, orders nothing twice, and goes on after a kill as if nothing had been."""

from random import Random
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from referee.ladder.forecast import forecast
from referee.ladder.rulings import decide
from referee.ladder.schedule import Schedule, ScheduleKind, boards_left
from referee.ladder.values import Deals, RulingKind
from tests.property.ladder.season import (
    Kill,
    Season,
    fates,
    meetings,
    names,
    numbers,
    rated,
    seated,
)
from tests.unit.ladder.legs import owners_of, ruling

SEEDS = st.integers(0, 2**32)
PARALLEL = st.integers(1, 5)


class Course(NamedTuple):
    """How a season goes: when it is killed, and how many boards are void."""

    parallel: int
    at_once: int
    void_share: float
    kills: list[tuple[int, Kill]]


COURSES = st.builds(
    Course,
    parallel=PARALLEL,
    at_once=st.integers(1, 3),
    void_share=st.sampled_from([0.0, 0.3]),
    kills=st.lists(st.tuples(st.integers(0, 30), st.sampled_from(Kill)), max_size=3),
)


@st.composite
def schedules(draw: st.DrawFn, *, entries: int) -> Schedule:
    kind = draw(st.sampled_from(ScheduleKind))
    return Schedule(
        kind=kind,
        boards=draw(st.integers(1, 4)),
        rounds=draw(st.integers(1, 4)) if kind is ScheduleKind.SWISS else 0,
        hero=names(entries)[draw(st.integers(0, entries - 1))],
    )


@st.composite
def ladders(draw: st.DrawFn) -> tuple[Schedule, dict[str, str]]:
    """A schedule and its entries, of which some have one owner."""
    count = draw(st.integers(2, 7))
    owners = {name: f"owner {draw(st.integers(0, 4))}" for name in names(count)}
    owners[names(count)[0]] = "somebody else"
    return draw(schedules(entries=count)), owners


def interrupted(schedule: Schedule, owners: dict[str, str], course: Course, *, seed: int) -> Season:
    """A season that was played to its end, in several runs."""
    season = Season(
        schedule,
        owners,
        seed=seed,
        parallel=course.parallel,
        at_once=course.at_once,
        void_share=course.void_share,
    )
    rng = Random(seed)
    for steps, how in course.kills:
        for _ in range(steps):
            if not season.step(rng):
                break
        season.kill(how, rng)
    season.play(rng)
    return season


@given(ladders(), SEEDS, COURSES)
def test_every_schedule_ends_with_nothing_left(
    ladder: tuple[Schedule, dict[str, str]],
    seed: int,
    course: Course,
) -> None:
    """The season checks each order: none twice, none within an owner, nobody at too many."""
    schedule, owners = ladder
    season = interrupted(schedule, owners, course, seed=seed)
    left = boards_left(
        schedule, owners=owners, decided=decide(()), resolved=season.resolved, running=()
    )
    assert left == 0


@given(ladders(), SEEDS, COURSES)
def test_a_run_that_was_killed_plays_the_boards_of_one_that_was_not(
    ladder: tuple[Schedule, dict[str, str]],
    seed: int,
    course: Course,
) -> None:
    """Not which boards, where that depends on what was known: then as many."""
    schedule, owners = ladder
    whole = Season(schedule, owners, seed=seed, parallel=1)
    whole.play(Random(seed))
    killed = interrupted(schedule, owners, course, seed=seed)
    if schedule.kind is ScheduleKind.UNCERTAIN:
        assert len(killed.resolved.boards) == len(whole.resolved.boards)
    else:
        assert numbers(killed.resolved) == numbers(whole.resolved)


@given(ladders(), SEEDS, PARALLEL, st.integers(0, 40))
def test_what_is_next_does_not_depend_on_the_order_of_what_was(
    ladder: tuple[Schedule, dict[str, str]], seed: int, parallel: int, steps: int
) -> None:
    schedule, owners = ladder
    season = Season(schedule, owners, seed=seed, parallel=parallel, void_share=0.2)
    rng = Random(seed)
    for _ in range(steps):
        season.step(rng)
    before = season.orders(wanted=7)
    rng.shuffle(season.results)
    rng.shuffle(season.running)
    season.owners = dict(rng.sample(list(owners.items()), len(owners)))
    assert season.orders(wanted=7) == before


@given(ladders(), SEEDS, PARALLEL)
def test_what_is_left_counts_down_with_every_board(
    ladder: tuple[Schedule, dict[str, str]], seed: int, parallel: int
) -> None:
    """In a Swiss where some have one owner, a round may have fewer tables than it could have."""
    schedule, owners = ladder
    if schedule.kind is ScheduleKind.SWISS:
        owners = owners_of(owners)
    season = Season(schedule, owners, seed=seed, parallel=parallel)
    rng, left = Random(seed), []
    while True:
        left.append(
            boards_left(
                schedule,
                owners=owners,
                decided=decide(()),
                resolved=season.resolved,
                running=season.running,
            )
        )
        if not season.step(rng):
            break
    assert left == list(range(len(season.ordered), -1, -1))


@given(st.integers(2, 6), st.integers(1, 5), SEEDS, PARALLEL, st.sampled_from([0.0, 0.3]))
def test_a_round_robin_gives_every_pairing_its_boards_and_all_in_step(
    count: int, boards: int, seed: int, parallel: int, void_share: float
) -> None:
    season = Season(
        Schedule(boards=boards),
        owners_of(names(count)),
        seed=seed,
        parallel=parallel,
        void_share=void_share,
    )
    rng = Random(seed)
    while season.step(rng):
        if not void_share:
            so_far = [(p.pairing, p.board) for p in season.ordered]
            most = max(board for _, board in so_far)
            assert sum(board < most for _, board in so_far) == (most - 1) * count * (count - 1) // 2
    assert set(rated(season.resolved).values()) == {boards}
    assert len(rated(season.resolved)) == count * (count - 1) // 2


@given(ladders(), SEEDS, st.integers(0, 25), st.sampled_from(RulingKind), PARALLEL)
def test_a_ruling_in_the_midst_leaves_a_schedule_that_ends(
    ladder: tuple[Schedule, dict[str, str]],
    seed: int,
    steps: int,
    kind: RulingKind,
    parallel: int,
) -> None:
    schedule, owners = ladder
    season = Season(schedule, owners, seed=seed, parallel=parallel)
    rng = Random(seed)
    for _ in range(steps):
        season.step(rng)
    subject = rng.choice(sorted(owners))
    if kind is RulingKind.ANNUL:
        boards = season.resolved.boards
        subject = rng.choice(boards).legs[0].match_id if boards else "nothing"
    season.rulings.append(ruling(kind, subject, version="v1"))
    season.play(rng)
    for entry in owners:
        if decide(season.rulings).is_out(entry):
            assert not any(entry in (b.first, b.second) for b in season.resolved.boards)


@given(st.integers(2, 7), st.integers(1, 3), SEEDS, st.integers(0, 30))
def test_who_joins_a_round_robin_meets_everybody(
    count: int, boards: int, seed: int, steps: int
) -> None:
    season = Season(Schedule(boards=boards), owners_of(names(count)), seed=seed, parallel=3)
    rng = Random(seed)
    for _ in range(steps):
        season.step(rng)
    season.owners |= owners_of(["a newcomer"])
    season.play(rng)
    assert len(rated(season.resolved)) == (count + 1) * count // 2
    assert set(rated(season.resolved).values()) == {boards}


# --- Swiss


@given(st.integers(4, 9), st.integers(1, 3), SEEDS, COURSES)
def test_a_swiss_has_no_rematch_while_half_have_not_met_and_seats_all_evenly(
    count: int,
    boards: int,
    seed: int,
    course: Course,
) -> None:
    """With r rounds behind, everybody has count - 1 - r new opponents (Dirac 1952)."""
    rounds = count // 2 if count % 2 == 0 else count // 2 - 1
    schedule = Schedule(kind=ScheduleKind.SWISS, boards=boards, rounds=rounds)
    season = interrupted(schedule, owners_of(names(count)), course, seed=seed)
    by_pairing = rated(season.resolved)
    assert set(by_pairing.values()) == {boards}
    assert len(by_pairing) == rounds * (count // 2)
    played = [sum(name in pairing.split("~") for pairing in by_pairing) for name in names(count)]
    assert max(played) - min(played) <= count % 2


@given(st.integers(2, 5), SEEDS)
def test_a_long_swiss_has_rematches_and_still_seats_all_evenly(count: int, seed: int) -> None:
    schedule = Schedule(kind=ScheduleKind.SWISS, boards=1, rounds=12)
    season = Season(schedule, owners_of(names(count)), seed=seed, parallel=2)
    season.play(Random(seed))
    of_entry = dict.fromkeys(names(count), 0)
    for board in season.resolved.boards:
        of_entry[board.first] += 1
        of_entry[board.second] += 1
    assert sum(of_entry.values()) == 12 * 2 * (count // 2)
    assert max(of_entry.values()) - min(of_entry.values()) <= count % 2


# --- a field


@given(st.integers(4, 9), st.integers(1, 4), SEEDS, PARALLEL)
def test_in_a_field_every_pair_meets_as_often_and_sits_on_both_sides(
    count: int, boards: int, seed: int, parallel: int
) -> None:
    season = Season(
        Schedule(deals=Deals.FIELD, boards=boards),
        owners_of(names(count)),
        seed=seed,
        parallel=parallel,
    )
    season.play(Random(seed))
    assert set(meetings(season.resolved).values()) == {boards}
    assert len(meetings(season.resolved)) == count * (count - 1) // 2
    assert len(season.ordered) == boards * (count - 1 + count % 2)
    uneven = seated(season.ordered)
    assert max(map(abs, uneven.values()), default=0) <= (boards % 2) * (count % 2 == 0)


@given(st.integers(4, 12), st.integers(2, 4))
def test_in_a_field_all_can_be_compared_after_two_meetings(count: int, boards: int) -> None:
    said = forecast(
        Schedule(deals=Deals.FIELD, boards=boards),
        owners=owners_of(names(count)),
        decided=decide(()),
    )
    assert said.half_width is not None


@given(st.integers(4, 8), st.integers(1, 3), SEEDS, COURSES)
def test_a_field_makes_up_for_what_was_void_with_new_deals(
    count: int,
    boards: int,
    seed: int,
    course: Course,
) -> None:
    schedule = Schedule(deals=Deals.FIELD, boards=boards)
    season = interrupted(schedule, owners_of(names(count)), course, seed=seed)
    assert min(meetings(season.resolved).values()) >= boards
    assert len(meetings(season.resolved)) == count * (count - 1) // 2
    assert all(plan.attempt == 1 for plan in season.ordered)


@given(st.integers(4, 8), st.integers(1, 3), SEEDS, PARALLEL, st.integers(0, 12))
def test_a_field_that_was_killed_before_deals_began_deals_them_as_they_were(
    count: int, boards: int, seed: int, parallel: int, steps: int
) -> None:
    schedule, owners = Schedule(deals=Deals.FIELD, boards=boards), owners_of(names(count))
    whole = Season(schedule, owners, seed=seed)
    whole.play(Random(seed))
    course = Course(parallel, 99, 0.0, [(steps, Kill.NOTHING)])
    killed = interrupted(schedule, owners, course, seed=seed)
    assert {plan.tables for plan in killed.ordered} == {plan.tables for plan in whole.ordered}
    assert meetings(killed.resolved) == meetings(whole.resolved)


@given(st.integers(5, 8), SEEDS, st.integers(0, 10), st.booleans())
def test_a_field_ends_with_all_pairs_met_when_entries_join_or_leave(
    count: int, seed: int, steps: int, leaves: bool
) -> None:
    season = Season(
        Schedule(deals=Deals.FIELD, boards=2), owners_of(names(count)), seed=seed, parallel=2
    )
    rng = Random(seed)
    for _ in range(steps):
        season.step(rng)
    if leaves:
        season.rulings.append(ruling(RulingKind.WITHDRAW, names(count)[seed % count]))
    else:
        season.owners |= owners_of(["a newcomer"])
    season.play(rng)
    playing = [entry for entry in season.owners if decide(season.rulings).plays(entry)]
    met = meetings(season.resolved)
    pairs = [(a, b) for a in sorted(playing) for b in sorted(playing) if a < b]
    assert min(met[pair] for pair in pairs) >= 2


def test_a_table_of_a_field_that_always_fails_is_given_up() -> None:
    season = Season(
        Schedule(deals=Deals.FIELD, boards=2), owners_of(names(4)), seed=1, void_share=1.0
    )
    season.play(Random(1))
    assert not season.resolved.field_legs


def test_boards_that_always_fail_are_given_up() -> None:
    season = Season(Schedule(boards=2), owners_of(names(3)), seed=1, parallel=2, void_share=1.0)
    season.play(Random(1))
    assert {fate.value: count for fate, count in fates(season.resolved).items()} == {"given_up": 6}
