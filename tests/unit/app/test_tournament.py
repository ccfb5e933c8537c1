"""Whole tournaments in virtual time."""

from collections import Counter
from collections.abc import Mapping

import pytest

from referee.app.season_news import Notice, NoticeKind, OutcomeKind, Progress
from referee.formats.tournament_results import MOST_VOID, Misfit, TournamentResults
from referee.ladder.movements import Entry
from referee.ladder.plans import BoardPlan
from referee.ladder.tournament_scores import VICTORY_ROWS, Scale, victory_rows
from referee.ladder.tournament_standings import Placed, placed, scores_of
from referee.ladder.values import RulingKind
from referee.ports.ladder import LadderStoreError
from referee.rules.errors import ConfigError
from tests.unit.app.tournament_world import (
    NothingPlayed,
    TournamentWorld,
    cup,
    entrants,
    played_table,
)

VICTORY = Scale(rows=victory_rows(VICTORY_ROWS))
UNKNOWN = {"ending": "abandoned", "blame": "unknown", "rated": False}


def _never(board: BoardPlan, leg: int) -> Mapping[str, object]:
    raise NothingPlayed


def table_of(world: TournamentWorld) -> tuple[Placed, ...]:
    played = world.tournament
    return placed(scores_of(played.entrants, world.results().rounds(), played.scale))


@pytest.mark.parametrize("same_deals", [True, False])
@pytest.mark.parametrize("scale", [Scale(), VICTORY])
@pytest.mark.parametrize("number", [8, 16, 40])
def test_singles_are_placed_by_their_strength(
    number: int,
    scale: Scale,
    same_deals: bool,
) -> None:
    world = TournamentWorld(cup(number, scale=scale, same_deals=same_deals))
    outcome = world.run()
    assert outcome.why is OutcomeKind.PLAYED
    assert outcome.boards == outcome.played == (number - 1) * number // 4
    lines = table_of(world)
    assert all(line.won + line.tied + line.lost == number - 1 for line in lines)
    assert sum(line.difference for line in lines) == 0
    if not scale.rows:
        assert [line.entrant for line in lines] == list(entrants(number))
        assert [line.rank for line in lines] == list(range(1, number + 1))
    else:
        assert sum(line.score for line in lines) == outcome.boards * 40
        assert lines[0].entrant == "e00"
        assert lines[-1].entrant == entrants(number)[-1]


@pytest.mark.parametrize("number", [8, 16, 40])
def test_pairs_are_placed_by_their_strength(number: int) -> None:
    world = TournamentWorld(cup(number, entry=Entry.PAIR))
    outcome = world.run()
    assert outcome.boards == number * (number - 1) // 2
    lines = table_of(world)
    assert [line.entrant for line in lines] == list(entrants(number))
    # 10 points from each place to the next, on either side
    assert lines[0].score == sum(20 * at for at in range(number))
    assert [line.won for line in lines] == list(range(number - 1, -1, -1))


@pytest.mark.parametrize("number", [5, 6, 7, 10, 41])
def test_whoever_sits_out_is_given_a_tie_and_all_rounds_are_played(number: int) -> None:
    world = TournamentWorld(cup(number, scale=VICTORY))
    world.run()
    lines = table_of(world)
    assert {line.out for line in lines} == {number % 4}
    assert all(line.won + line.tied + line.lost + line.out == number for line in lines)
    assert sum(line.score for line in lines) == number * number * 10


def test_all_tables_of_a_round_are_one_board_with_the_same_cards() -> None:
    world = TournamentWorld(cup(16))
    world.run()
    assert [board.board for board in world.boards] == list(range(1, 16))
    assert all(len(board.tables) == 4 for board in world.boards)
    assert {board.attempt for board in world.boards} == {1}


def test_with_other_cards_at_each_table_every_table_is_a_board() -> None:
    world = TournamentWorld(cup(16, same_deals=False))
    world.run()
    assert sorted(board.board for board in world.boards) == list(range(1, 61))
    assert all(len(board.tables) == 1 for board in world.boards)


def test_a_tournament_that_was_stopped_goes_on_and_counts_what_was_over() -> None:
    whole, parted = TournamentWorld(cup(16)), TournamentWorld(cup(16))
    whole.run()
    first = parted.run(stop_at=5)
    assert first.why is OutcomeKind.STOPPED
    assert first.boards == 4 * 4 + 1
    assert len(parted.results().rounds()) == 4
    second = parted.run()
    assert second.why is OutcomeKind.PLAYED
    again = parted.boards[5]
    assert (again.board, again.attempt, len(again.tables)) == (5, 2, 3)
    assert Counter(board.board for board in parted.boards)[5] == 2
    assert table_of(parted) == table_of(whole)
    assert parted.run().played == 0


def test_a_void_table_is_played_again_with_new_cards_and_nobody_elses_is() -> None:
    def fate(board: BoardPlan, leg: int) -> Mapping[str, object]:
        return UNKNOWN if board.board == 2 and board.attempt == 1 and leg == 2 else {}

    world = TournamentWorld(cup(8), fate)
    outcome = world.run()
    assert (outcome.boards, outcome.void) == (14, 1)
    again = next(board for board in world.boards if board.attempt == 2)
    assert again.tables == world.boards[1].tables[1:]
    told = [one.text for one in world.news if isinstance(one, Notice)]
    assert len(told) == 1
    assert told[0].startswith("void: round 2 table 2: ")


def test_a_table_that_is_void_time_and_again_is_given_up() -> None:
    def fate(board: BoardPlan, leg: int) -> Mapping[str, object]:
        seated = "e00" in board.tables[leg - 1][0].split("+")
        return {**UNKNOWN, "seat": 0} if board.board == 1 and seated else {}

    tournament = cup(8)
    world = TournamentWorld(tournament, fate)
    side = next(s for s in tournament.sides(1) if "e00" in s[0].split("+"))
    outcome = world.run()
    assert outcome.why is OutcomeKind.PLAYED
    assert outcome.void == MOST_VOID
    gone = world.results().table(1, side)
    assert gone is not None
    assert gone.given_up
    assert gone.at_fault == (side[0].split("+")[0],)


def test_a_table_that_a_bot_ended_counts_and_only_its_bot_is_at_fault() -> None:
    def fate(board: BoardPlan, leg: int) -> Mapping[str, object]:
        crashed = {"ending": "crashed", "blame": "bot", "points": (-1600, 1600), "seat": 2}
        return crashed if board.board == 1 and leg == 1 else {}

    world = TournamentWorld(cup(8), fate)
    outcome = world.run()
    assert outcome.void == 0
    faults = {line.entrant: line.faults for line in table_of(world)}
    at_fault = world.tournament.sides(1)[0][0].split("+")[1]
    assert faults == {name: int(name == at_fault) for name in entrants(8)}
    (told,) = [one.text for one in world.news if isinstance(one, Notice)]
    assert told.startswith(f"{at_fault}: crashed at round 1 table 1: ")


def test_progress_counts_tables_and_tells_the_time_that_is_left() -> None:
    world = TournamentWorld(cup(8))
    world.run()
    progress = [one for one in world.news if isinstance(one, Progress)]
    assert (progress[0].done, progress[0].wanted, progress[0].running) == (0, 14, 2)
    assert progress[-1].done == 14
    assert progress[-1].left_s == 0
    assert progress[-1].what == "tables"
    assert world.played_ns == 7 * 30 * 1_000_000_000


def test_other_entrants_than_those_who_began_are_refused() -> None:
    world = TournamentWorld(cup(8))
    world.run(stop_at=2)
    names = entrants(8)
    world.tournament = cup(8, entrants=(names[1], names[0], *names[2:]))
    with pytest.raises(ConfigError) as refused:
        world.run()
    assert "do not meet in round 1 of this movement" in str(refused.value)


def test_more_rounds_may_be_ordered_once_those_of_the_file_are_played() -> None:
    world = TournamentWorld(cup(8, rounds=3))
    assert world.run().boards == 6
    world.tournament = cup(8, rounds=9)
    outcome = world.run()
    assert (outcome.boards, outcome.played) == (18, 12)


def test_fewer_rounds_than_have_begun_are_refused() -> None:
    world = TournamentWorld(cup(8))
    world.run(stop_at=4)
    world.tournament = cup(8, rounds=3)
    with pytest.raises(Misfit, match=r"^rounds: 3 are too few: round 4 has begun, .*rounds = 4 or"):
        world.run()
    world.tournament = cup(8, rounds=4)
    assert world.run().boards == 8


def test_a_table_that_was_annulled_is_played_again_with_new_cards() -> None:
    whole, world = TournamentWorld(cup(8)), TournamentWorld(cup(8))
    whole.run()
    world.run()
    match = world.results().counting(3, world.tournament.sides(3)[1])
    assert match is not None
    world.journal.append(RulingKind.ANNUL, match.match_id, "damaged")
    assert len(world.results().rounds()) == 2
    outcome = world.run()
    assert (outcome.played, outcome.boards) == (1, 14)
    again = world.boards[-1]
    assert (again.board, again.attempt, len(again.tables)) == (3, 2, 1)
    assert table_of(world) == table_of(whole)
    assert match.match_id not in world.results().all_counting()


def test_a_table_that_is_annulled_while_later_rounds_run_is_played_before_the_next() -> None:
    world = TournamentWorld(cup(8))

    def fate(board: BoardPlan, leg: int) -> Mapping[str, object]:
        if board.board == 5 and not world.journal.rulings():
            world.journal.append(RulingKind.ANNUL, "field-2-1-1", "damaged")
        return {}

    world.fate = fate
    assert world.run().boards == 14
    assert [board.board for board in world.boards] == [1, 2, 3, 4, 5, 2, 6, 7]


@pytest.mark.parametrize("same_deals", [True, False])
def test_who_withdraws_loses_what_is_left_and_the_others_tie(same_deals: bool) -> None:
    world = TournamentWorld(cup(8, same_deals=same_deals, scale=VICTORY))

    def fate(board: BoardPlan, leg: int) -> Mapping[str, object]:
        if not world.journal.rulings():
            world.journal.append(RulingKind.WITHDRAW, "e00", "it is gone")
        return {}

    world.fate = fate
    outcome = world.run()
    assert (outcome.played, outcome.boards) == (8, 14)  # all of round 1, then one of two
    lines = {line.entrant: line for line in table_of(world)}
    assert lines["e00"].score <= 20  # of the first round
    assert lines["e00"].lost >= 6
    assert all(line.faults == 0 for line in lines.values())
    assert sum(line.tied for line in lines.values()) >= 6 * 3
    assert world.retired == ["e00"]
    world.journal.append(RulingKind.REPLACE, "e00", "it is back")
    assert world.run().played == 6


def test_what_is_over_is_not_ordered_again() -> None:
    results = TournamentResults(cup(8))
    board = results.boards(1)[0]
    results.add([played_table(board, 1)])
    (left,) = results.boards(1)
    assert (left.attempt, left.tables) == (2, board.tables[1:])
    results.add([played_table(left, 1)])
    assert results.boards(1) == ()


def test_a_run_in_which_nothing_comes_of_a_round_ends() -> None:
    world = TournamentWorld(cup(8))
    world.fate = _never  # nothing is on record
    with pytest.raises(ConfigError) as refused:
        world.run()
    assert "round 1: no table of it could be played" in str(refused.value)


def test_a_stop_before_the_first_round_plays_nothing() -> None:
    world = TournamentWorld(cup(8))
    first = world.run(stop_at=1)
    assert first.why is OutcomeKind.STOPPED
    assert all(one.kind is not NoticeKind.VOID for one in world.news if isinstance(one, Notice))


def test_a_database_that_is_away_is_waited_for() -> None:
    world = TournamentWorld(cup(8))
    world.store.refuses = 4
    assert world.run().why is OutcomeKind.PLAYED
    assert len(world.results().all_counting()) == 14
    assert sum("trying again in" in one.text for one in world.news if isinstance(one, Notice)) == 4


def test_a_database_that_stays_away_ends_it_and_the_next_run_goes_on() -> None:
    world = TournamentWorld(cup(8))
    world.store.refuses = 1_000
    with pytest.raises(LadderStoreError):
        world.run()
    world.store.refuses = 0
    assert world.run().why is OutcomeKind.PLAYED
    assert len(world.results().all_counting()) == 14
