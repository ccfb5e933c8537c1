"""Which boards a season plays, when it is enough, and what it tells."""

import asyncio
from collections import Counter
from collections.abc import Mapping

import pytest

from referee.app.season_news import NoticeKind, OutcomeKind
from referee.ladder.schedule import BoardPlan, Schedule, ScheduleKind
from referee.ladder.stopping import StopRule
from referee.ladder.values import Deals, RulingKind
from referee.rules.errors import ConfigError
from tests.unit.app.season_world import EVENT, OWNERS, SeasonWorld, crash_of

VOID = {"ending": "referee_failed", "blame": "referee", "rated": False}


def test_a_schedule_is_played_once_and_in_full() -> None:
    world = SeasonWorld()
    outcome = world.run()
    assert (outcome.why, outcome.boards, outcome.played) == (OutcomeKind.PLAYED, 12, 12)
    numbers = Counter((one.pairing, one.board, one.attempt) for one in world.arena.begun)
    assert set(numbers.values()) == {1}
    assert len(world.results()) == 24


def test_a_season_goes_on_where_its_results_end() -> None:
    world = SeasonWorld()
    world.run()
    again = world.begin()
    assert asyncio.run(again.run()).played == 0
    world.begin(schedule=Schedule(boards=5))
    assert world.run().played == 3
    assert {one.board for one in world.arena.begun} == {5}


def test_as_many_boards_run_at_once_as_may_and_no_more() -> None:
    world = SeasonWorld(parallel=2, schedule=Schedule(boards=10))
    world.run()
    assert world.arena.most_boards == 1  # of three entries two boards would share one
    world = SeasonWorld(parallel=3, boards_an_entry=2, schedule=Schedule(boards=10))
    world.run()
    assert (world.arena.most_boards, max(world.arena.most.values())) == (3, 2)


def test_a_void_board_is_played_again_as_its_next_attempt() -> None:
    def first_is_void(board: BoardPlan, leg: int) -> Mapping[str, object]:
        return VOID if (board.board, board.attempt, leg) == (2, 1, 1) else {}

    world = SeasonWorld(first_is_void)
    outcome = world.run()
    assert (outcome.boards, outcome.void, outcome.played) == (12, 3, 15)
    attempts = {one.attempt for one in world.arena.begun if one.board == 2}
    assert attempts == {1, 2}
    assert len(world.notices(NoticeKind.VOID)) == 3
    assert "leg 1 referee_failed, blame referee" in world.notices(NoticeKind.VOID)[0]


def test_a_referee_that_voids_everything_ends_the_season_in_one_line() -> None:
    world = SeasonWorld(lambda board, leg: VOID)
    with pytest.raises(ConfigError, match="the last 20 boards were all void"):
        world.run()
    assert len(world.arena.begun) == 20


def test_rate_and_time_left_follow_from_what_was_played() -> None:
    world = SeasonWorld()
    world.run()
    first, *_, last = world.progress()
    assert (first.done, first.wanted, first.rate, first.left_s) == (0, 12, None, None)
    assert (last.done, last.wanted, last.left_s) == (12, 12, 0)
    assert last.rate == pytest.approx(1.0)
    half = world.progress()[6]
    assert half.left_s == pytest.approx((12 - half.done) * 60)


# --- when it is enough


def test_hours_count_over_all_runs() -> None:
    world = SeasonWorld(schedule=Schedule(), stop=StopRule(hours=0.25))
    outcome = world.run()
    assert (outcome.why, outcome.played) == (OutcomeKind.HOURS, 15)
    world.begin()
    assert world.run().played == 0


def test_a_clear_winner_ends_a_season_with_what_runs() -> None:
    def ann_wins(board: BoardPlan, leg: int) -> Mapping[str, object]:
        first, second = board.tables[leg - 1]
        edge = 10 * (board.board % 3)
        sign = 1 if first == "ann" or second == "cid" else -1
        return {"points": (50 + sign * (100 + edge), 50 - sign * (100 + edge))}

    world = SeasonWorld(ann_wins, schedule=Schedule(), stop=StopRule(separated=1))
    outcome = world.run()
    assert outcome.why is OutcomeKind.SEPARATED
    assert outcome.boards < 200


def test_one_owner_alone_has_nobody_to_play() -> None:
    world = SeasonWorld()
    for entry in ("bob", "cid"):
        world.journal.append(RulingKind.WITHDRAW, entry, "went home")
    assert world.run().why is OutcomeKind.NOBODY


def test_entries_of_one_owner_never_meet() -> None:
    world = SeasonWorld(owners={**OWNERS, "bob": "a"})
    world.run()
    assert {one.pairing for one in world.arena.begun} == {"ann~cid", "bob~cid"}


@pytest.mark.parametrize("kind", [ScheduleKind.UNCERTAIN, ScheduleKind.SWISS])
def test_every_schedule_comes_to_its_end(kind: ScheduleKind) -> None:
    schedule = Schedule(kind=kind, boards=2, rounds=3 if kind is ScheduleKind.SWISS else 0)
    world = SeasonWorld(schedule=schedule)
    assert world.run().why is OutcomeKind.PLAYED


# --- faults


def test_three_failed_matches_in_a_row_quarantine_an_entry_and_others_go_on() -> None:
    world = SeasonWorld(lambda board, leg: crash_of("bob", board, leg))
    outcome = world.run()
    assert outcome.quarantined == ("bob",)
    assert world.notices(NoticeKind.QUARANTINED) == [
        "bob plays no more: 3 failed matches in a row: crashed, crashed, crashed"
    ]
    (ruling,) = asyncio.run(world.store.rulings(EVENT))
    assert (ruling.kind, ruling.subject) == (RulingKind.QUARANTINE, "bob")
    played = Counter(one.pairing for one in world.arena.begun)
    assert played["ann~cid"] == 4
    assert sum(played.values()) - played["ann~cid"] == 2  # two legs, and two of the next board
    assert world.arena.retired == ["bob"]


def test_who_plays_a_match_between_two_failures_stays() -> None:
    def sometimes(board: BoardPlan, leg: int) -> Mapping[str, object]:
        failing = leg == 1 and board.pairing == "ann~bob"  # every second board of his
        return crash_of("bob", board, leg) if failing else {}

    assert SeasonWorld(sometimes).run().quarantined == ()


def test_a_broken_process_of_one_leg_is_not_made_good_by_the_other_leg() -> None:
    def second_leg(board: BoardPlan, leg: int) -> Mapping[str, object]:
        return crash_of("bob", board, leg) if leg == 2 else {}

    world = SeasonWorld(second_leg)
    assert world.run().quarantined == ("bob",)
    assert world.notices(NoticeKind.QUARANTINED) == [
        "bob plays no more: 3 failed matches in a row in leg 2: crashed, crashed, crashed"
    ]
    assert sum("bob" in one.entries for one in world.arena.begun) == 3


def test_a_restart_does_not_begin_the_count_of_failed_matches_anew() -> None:
    world = SeasonWorld(lambda board, leg: crash_of("bob", board, leg), schedule=Schedule(boards=1))
    pair = {"ann": "a", "bob": "b"}
    world.begin(owners=pair)
    assert world.run().quarantined == ()  # both legs of one board
    world.begin(owners=pair, schedule=Schedule(boards=4))
    assert world.run().quarantined == ("bob",)
    assert len(world.arena.begun) == 1


def test_a_match_that_was_played_before_a_restart_ends_the_row() -> None:
    def first_fails(board: BoardPlan, leg: int) -> Mapping[str, object]:
        return crash_of("bob", board, leg) if board.board in (1, 3) else {}

    world = SeasonWorld(first_fails)
    for boards in (1, 2, 3, 4):
        world.begin(owners={"ann": "a", "bob": "b"}, schedule=Schedule(boards=boards))
        assert world.run().quarantined == ()


def test_who_was_not_stopped_by_a_run_that_was_killed_is_stopped_by_the_next() -> None:
    world = SeasonWorld(lambda board, leg: crash_of("bob", board, leg))
    world.run()
    world.journal.kept.clear()  # killed before the ruling was written
    world.begin()
    assert world.run().quarantined == ("bob",)
    assert not any("bob" in one.entries for one in world.arena.begun)


def test_one_crash_of_a_process_with_many_boards_is_one_failure_after_a_restart() -> None:
    changes = {"owners": {"ann": "a", "bob": "b"}, "parallel": 4, "boards_an_entry": 4}
    world = SeasonWorld(
        lambda board, leg: crash_of("bob", board, leg), schedule=Schedule(boards=4), **changes
    )
    assert world.run().quarantined == ()
    world.leg = lambda board, leg: {}
    world.begin(schedule=Schedule(boards=5))
    assert world.run().quarantined == ()


def test_what_one_crash_ends_at_the_same_time_is_one_failure() -> None:
    def crash(board: BoardPlan, leg: int) -> Mapping[str, object]:
        return crash_of("bob", board, leg) if board.board <= 4 else {}

    changes = {"owners": {"ann": "a", "bob": "b"}, "parallel": 4, "boards_an_entry": 4}
    world = SeasonWorld(crash, schedule=Schedule(boards=8), **changes)
    assert world.run().quarantined == ()
    world.begin(schedule=Schedule(boards=9))
    assert world.run().quarantined == ()


def test_who_was_quarantined_and_is_replaced_plays_on() -> None:
    world = SeasonWorld(lambda board, leg: crash_of("bob", board, leg))
    world.run()
    world.journal.append(RulingKind.REPLACE, "bob", "a fix", version="v")
    world.leg = lambda board, leg: {}
    world.begin()
    assert world.run().boards == 12


# --- rulings and orders while it runs


def test_a_freeze_ends_it_at_once_and_what_ran_is_void() -> None:
    def freeze(board: BoardPlan, leg: int) -> Mapping[str, object]:
        if board.board == 2 and not world.journal.kept:
            world.journal.append(RulingKind.FREEZE, "", "the prize is given")
        return {}

    world = SeasonWorld(freeze)
    outcome = world.run()
    assert outcome.why is OutcomeKind.FROZEN
    assert world.notices(NoticeKind.RULED) == ["ruling 1: freeze: the prize is given"]
    world.begin()
    assert world.run().played == 0


def test_a_ruling_is_heeded_within_a_second_though_no_board_ends() -> None:
    async def frozen() -> OutcomeKind:
        async with world.running() as task:
            assert world.clock.waits  # for its next look
            world.journal.append(RulingKind.FREEZE, "", "the hall closes")
            world.clock.pass_time(1_000_000_000)
            return (await task).why

    world = SeasonWorld()
    assert asyncio.run(frozen()) is OutcomeKind.FROZEN
    assert [leg.ending for leg in world.results()] == ["cancelled"] * 2


def test_who_is_replaced_while_it_runs_needs_another_run() -> None:
    def replace(board: BoardPlan, leg: int) -> Mapping[str, object]:
        if not world.journal.kept:
            world.journal.append(RulingKind.REPLACE, "cid", "a fix", version="w")
        return {}

    world = SeasonWorld(replace, versions=dict.fromkeys(OWNERS, "v"))
    assert world.run().why is OutcomeKind.REPLACED
    assert len(world.arena.begun) == 1


def test_who_is_replaced_by_what_plays_already_plays_on() -> None:
    def replace(board: BoardPlan, leg: int) -> Mapping[str, object]:
        if not world.journal.kept:
            world.journal.append(RulingKind.REPLACE, "cid", "the same again", version="v")
        return {}

    world = SeasonWorld(replace, versions=dict.fromkeys(OWNERS, "v"))
    assert world.run().why is OutcomeKind.PLAYED


def test_a_table_of_a_field_that_is_void_leaves_the_others() -> None:
    def one_void(board: BoardPlan, leg: int) -> Mapping[str, object]:
        return VOID if leg == 1 else {}

    owners = {name: name for name in ("ann", "bob", "cid", "dan", "eve", "fay")}
    schedule = Schedule(deals=Deals.FIELD, boards=2)
    world = SeasonWorld(one_void, owners=owners, schedule=schedule)
    outcome = world.run()
    assert (outcome.why, outcome.void) == (OutcomeKind.PLAYED, 0)


def test_who_withdraws_while_it_runs_gets_no_more_boards() -> None:
    def withdraw(board: BoardPlan, leg: int) -> Mapping[str, object]:
        if not world.journal.kept:
            world.journal.append(RulingKind.WITHDRAW, "cid", "out of memory")
        return {}

    world = SeasonWorld(withdraw)
    world.run()
    after = [one.pairing for one in world.arena.begun[1:]]
    assert set(after) == {"ann~bob"}
    assert world.arena.retired == ["cid"]


def test_an_order_to_stop_voids_what_runs_and_the_next_run_plays_it_anew() -> None:
    async def stopped() -> OutcomeKind:
        async with world.running() as task:
            world.season.stop()
            return (await task).why

    world = SeasonWorld()
    assert asyncio.run(stopped()) is OutcomeKind.STOPPED
    assert [leg.ending for leg in world.results()] == ["cancelled"] * 2
    world.begin()
    assert world.run().boards == 12
    first = world.arena.begun[0]
    assert (first.board, first.attempt) == (1, 2)


# --- the database


def test_a_database_that_is_away_is_waited_for() -> None:
    world = SeasonWorld()
    world.store.refuses = 4
    assert world.run().boards == 12
    assert len(world.results()) == 24
    assert len(world.notices(NoticeKind.INFO)) == 4


def test_the_legs_of_a_board_are_kept_at_once_so_that_nobody_reads_half_of_it() -> None:
    async def stopped() -> None:
        async with world.running():
            world.season.stop()

    world = SeasonWorld()
    asyncio.run(stopped())  # its board is void, and no half of one either
    world.begin()
    world.store.refuses = 1
    world.run()
    assert world.store.added == [2] * 13


def test_a_stop_does_not_wait_for_a_database() -> None:
    async def stopped() -> OutcomeKind:
        async with world.running() as task:
            world.season.stop()
            return (await task).why

    world = SeasonWorld()
    world.store.refuses = 1_000
    assert asyncio.run(stopped()) is OutcomeKind.STOPPED
