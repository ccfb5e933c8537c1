"""A season and its final: when it begins, how it goes on, and how it ends."""

import asyncio
from collections.abc import Mapping

import pytest

from referee.app.season_news import NoticeKind, OutcomeKind
from referee.ladder.final import FIRST_BOARD, FinalRule, is_final
from referee.ladder.schedule import BoardPlan, Schedule, ScheduleKind
from referee.ladder.stopping import StopRule
from referee.ladder.values import RulingKind
from tests.unit.app.season_world import SECOND, Play, SeasonWorld

NEAR = {"ann": 5.0, "bob": 0.0, "cid": -400.0}  # ann and bob play the final
LIMIT = 3
RULE = FinalRule(boards=LIMIT)


def by_strength(strengths: Mapping[str, float]) -> Play:
    """Legs by strength, and by the luck of a board, which is for the first by name in both."""

    def leg(board: BoardPlan, number: int) -> Mapping[str, object]:
        first, second = board.tables[number - 1]
        luck = (37 * (board.board % 1_000) % 11 - 5) * 12 * (1 if first < second else -1)
        half = round((strengths[first] - strengths[second] + luck) / 2)
        return {"points": (50 + half, 50 - half)}

    return leg


def world_of(
    rule: FinalRule = RULE, strengths: Mapping[str, float] = NEAR, **changes: object
) -> SeasonWorld:
    fields = {"schedule": Schedule(boards=10), "final": rule, **changes}
    return SeasonWorld(by_strength(strengths), **fields)


def finals(world: SeasonWorld) -> list[tuple[str, int]]:
    """The boards of the final that were begun in this run, from 1."""
    return [
        (one.pairing, one.board - FIRST_BOARD + 1)
        for one in world.arena.begun
        if is_final(one.board)
    ]


def test_the_leaders_play_on_once_the_schedule_is_played_until_the_limit() -> None:
    world = world_of()
    outcome = world.run()
    assert finals(world) == [("ann~bob", number) for number in range(1, LIMIT + 1)]
    assert (outcome.why, outcome.boards) == (OutcomeKind.PLAYED, 30 + LIMIT)
    assert outcome.text == (
        "the final is over: 3 boards a pair are played, and the first places are not surely "
        "apart; boards that count: 33"
    )
    (told,) = world.notices(NoticeKind.STARTED)
    assert told == "the final of ann, bob for the first place is on; at most 3 boards a pair"


@pytest.mark.parametrize("kind", [ScheduleKind.UNCERTAIN, ScheduleKind.SWISS])
def test_every_schedule_may_have_a_final(kind: ScheduleKind) -> None:
    swiss = kind is ScheduleKind.SWISS
    schedule = Schedule(kind=kind, boards=4, rounds=3 if swiss else 0)
    world = world_of(schedule=schedule)
    assert world.run().why is OutcomeKind.PLAYED
    assert len(finals(world)) >= LIMIT


def test_no_board_of_the_final_begins_before_the_last_of_the_ladder_is_over() -> None:
    world = world_of(parallel=4, boards_an_entry=4)
    world.run()
    numbers = [is_final(one.board) for one in world.arena.begun]
    assert numbers == sorted(numbers)
    assert world.arena.most_boards == 4
    shown = {one.what for one in world.progress()}
    assert shown == {"boards", "boards of the final"}
    last = world.progress()[-1]
    assert (last.done, last.wanted, last.running) == (LIMIT, LIMIT, 0)


def test_it_follows_a_ladder_that_its_hours_or_its_first_place_ended() -> None:
    hours = world_of(schedule=Schedule(), stop=StopRule(hours=0.5))
    hours.run()
    assert len(finals(hours)) == LIMIT
    apart = {"ann": 500.0, "bob": 5.0, "cid": 0.0}
    rule = FinalRule(places=2, boards=LIMIT)
    separated = world_of(rule, apart, schedule=Schedule(), stop=StopRule(separated=1))
    separated.run()
    assert {pairing for pairing, _ in finals(separated)} == {"bob~cid"}
    assert len(finals(separated)) == LIMIT
    separated.begin()
    assert separated.run().played == 0


def test_a_final_that_has_nothing_to_decide_plays_nothing() -> None:
    world = world_of(strengths={"ann": 500.0, "bob": 0.0, "cid": -400.0})
    outcome = world.run()
    assert finals(world) == []
    assert outcome.text.startswith("the final is over: ")
    assert world.notices(NoticeKind.STARTED) == []


def test_it_ends_once_the_first_place_is_apart() -> None:
    world = world_of(FinalRule(boards=10_000), {"ann": 60.0, "bob": 0.0, "cid": -400.0})
    world.begin(schedule=Schedule(boards=4))
    outcome = world.run()
    assert outcome.why is OutcomeKind.SEPARATED
    assert 0 < len(finals(world)) < 200
    assert "the first places are surely apart" in outcome.text
    world.begin(schedule=Schedule(boards=4))
    assert world.run().played == 0


def test_its_hours_are_those_of_the_final_over_all_runs() -> None:
    world = world_of(FinalRule(hours=0.25))
    outcome = world.run()
    assert (outcome.why, len(finals(world))) == (OutcomeKind.HOURS, 15)
    assert outcome.text.startswith("the final is over: 0.25 hours are over")
    world.begin()
    assert world.run().played == 0


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_season_that_was_stopped_in_the_final_goes_on_where_it_was(after: int) -> None:
    """As after a kill: nothing but results and rulings is left."""
    whole = world_of()
    whole.run()
    world = world_of(FinalRule(boards=after)) if after else world_of(FinalRule(hours=1e-12))
    world.run()
    begun = finals(world)
    world.final_ns = 0
    world.begin(final=RULE)
    world.run()
    assert begun + finals(world) == finals(whole)


def test_a_board_of_the_final_that_was_void_is_played_again_with_other_cards() -> None:
    async def stopped(world: SeasonWorld) -> None:
        async with world.running():
            world.season.stop()

    world = world_of()
    world.begin(final=None)
    world.run()
    world.begin()
    asyncio.run(stopped(world))
    assert finals(world) == [("ann~bob", 1)]
    world.begin()
    world.run()
    attempts = [(one.board - FIRST_BOARD, one.attempt) for one in world.arena.begun]
    assert attempts == [(0, 2), (1, 1), (2, 1)]


# --- rulings


def withdrawn_in_the_final(entry: str, kind: RulingKind = RulingKind.WITHDRAW) -> SeasonWorld:
    """A final of all three, in which an entry leaves after its first board."""
    world = world_of(FinalRule(entries=3, boards=5), {"ann": 5.0, "bob": 0.0, "cid": -5.0})
    play = world.arena.play

    async def leaving(board: BoardPlan) -> object:
        if is_final(board.board) and not world.journal.kept:
            world.journal.append(kind, entry, "went home")
        return await play(board)

    world.arena.play = leaving  # type: ignore[assignment,method-assign]
    return world


@pytest.mark.parametrize("kind", [RulingKind.WITHDRAW, RulingKind.DISQUALIFY])
def test_the_rest_goes_on_when_the_leader_leaves(kind: RulingKind) -> None:
    world = withdrawn_in_the_final("ann", kind)
    outcome = world.run()
    assert outcome.why is OutcomeKind.PLAYED
    after = finals(world)[1:]
    assert after == [("bob~cid", number) for number in range(1, 6)]
    assert world.arena.retired == ["ann"]


def test_it_ends_when_no_more_play_than_there_are_places() -> None:
    world = withdrawn_in_the_final("ann")
    world.journal.append(RulingKind.WITHDRAW, "cid", "went home")
    world.begin(final=FinalRule(places=1, entries=2, boards=5), owners={"ann": "a", "bob": "b"})
    world.journal.kept.clear()
    play = world.arena.play

    async def leaving(board: BoardPlan) -> object:
        if is_final(board.board) and not world.journal.kept:
            world.journal.append(RulingKind.WITHDRAW, "ann", "went home")
        return await play(board)

    world.arena.play = leaving  # type: ignore[assignment,method-assign]
    assert world.run().why is OutcomeKind.NOBODY
    assert len(finals(world)) == 1


def test_an_annulled_board_of_the_ladder_is_played_before_the_final_goes_on() -> None:
    world = world_of()
    world.begin(final=FinalRule(boards=1))
    world.run()
    world.journal.append(RulingKind.ANNUL, "ann~cid/2/1", "the machine swapped")
    world.begin()
    world.run()
    begun = [(one.pairing, one.board, one.attempt) for one in world.arena.begun]
    assert begun[0] == ("ann~cid", 2, 2)
    assert [number for _, number in finals(world)] == [2, 3]


def test_a_freeze_ends_it() -> None:
    world = world_of(FinalRule(hours=100))
    play = world.arena.play

    async def frozen(board: BoardPlan) -> object:
        if is_final(board.board) and not world.journal.kept:
            world.journal.append(RulingKind.FREEZE, "", "enough")
        return await play(board)

    world.arena.play = frozen  # type: ignore[assignment,method-assign]
    assert world.run().why is OutcomeKind.FROZEN
    assert len(finals(world)) == 1


def test_hours_of_the_final_are_none_of_the_hours_of_its_ladder() -> None:
    world = world_of(FinalRule(hours=1.0), schedule=Schedule(), stop=StopRule(hours=0.2))
    world.run()
    assert (world.played_ns, world.final_ns) == (72 * 60 * SECOND, 60 * 60 * SECOND)
    world.begin(stop=StopRule(hours=0.3))
    world.run()
    assert len(world.arena.begun) == 6  # more for the ladder, and the final is over
    assert finals(world) == []


def test_leaders_of_one_owner_play_nothing_and_the_end_says_why() -> None:
    world = world_of(owners={"ann": "a", "bob": "a", "cid": "c"})
    outcome = world.run()
    assert finals(world) == []
    assert outcome.text.startswith(
        "the final is over: its entries are of one owner and do not meet, and the first places "
        "are not surely apart; "
    )


def test_boards_come_back_to_a_ladder_that_its_boards_ended_and_not_its_first_place() -> None:
    """`separated` stands beside `boards` in many ladders, and is not what ended this one."""
    stop = StopRule(separated=1)
    world = world_of(FinalRule(boards=1), stop=stop)
    world.run()
    assert len(finals(world)) == 1
    world.journal.append(RulingKind.ANNUL, "ann~cid/2/1", "the machine swapped")
    world.begin(schedule=Schedule(boards=11))
    world.run()
    begun = [(one.pairing, one.board, one.attempt) for one in world.arena.begun]
    assert begun[0] == ("ann~cid", 2, 2)
    assert {one for one in begun if one[1] == 11} == {
        (pairing, 11, 1) for pairing in ("ann~bob", "ann~cid", "bob~cid")
    }
    assert finals(world) == []


def test_a_ruling_in_the_final_asks_its_ladder_anew_as_the_next_run_would() -> None:
    """The leader, whom the rule to stop told apart, leaves: the others play what is left."""
    strengths = {"ann": 500.0, "bob": 5.0, "cid": 0.0}
    world = world_of(FinalRule(places=2, boards=2), strengths, stop=StopRule(separated=1))
    world.begin(schedule=Schedule(boards=100))
    play = world.arena.play

    async def leaving(board: BoardPlan) -> object:
        if is_final(board.board) and not world.journal.kept:
            world.journal.append(RulingKind.DISQUALIFY, "ann", "two hands in one process")
        return await play(board)

    world.arena.play = leaving  # type: ignore[assignment,method-assign]
    world.run()
    assert [number for _, number in finals(world)] == [1]
    assert max(one.board for one in world.arena.begun if not is_final(one.board)) == 100
