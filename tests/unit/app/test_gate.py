"""A gate: which boards it plays, when it ends, and by whose fault."""

from collections.abc import Callable, Mapping

import pytest

from referee.ladder.gate import LEAST_BOARDS, SAME_BOARDS, GateTerms
from referee.ladder.gate_outcome import BASELINE, CANDIDATE, GateVerdict
from referee.ladder.plans import BoardPlan
from tests.unit.app.gate_world import GateWorld, won_by
from tests.unit.app.season_world import crash_of

NO_WORSE = GateTerms(points0=-5.0, points1=0.0)


def steps(board: BoardPlan, leg: int) -> Mapping[str, object]:
    """A mean of 5 points a round in heavy steps, none of them the same as its neighbours."""
    return won_by((board.board * 37 % 41 - 20) * 10 + 5, board, leg)


def strong(board: BoardPlan, leg: int) -> Mapping[str, object]:
    return won_by(100 + board.board % 7, board, leg)


def crashing(*entries: str) -> Callable[[BoardPlan, int], Mapping[str, object]]:
    """Bots that crash in every leg; of two the one that has the first seats is quicker."""

    def leg(board: BoardPlan, number: int) -> Mapping[str, object]:
        first = next(one for one in board.tables[number - 1] if one in entries)
        return crash_of(first, board, number)

    return leg


def void(board: BoardPlan, leg: int) -> Mapping[str, object]:
    return {"ending": "referee_failed", "blame": "referee", "rated": False}


def test_a_candidate_that_is_better_is_accepted_after_200_boards() -> None:
    world = GateWorld(strong)
    found = world.run()
    assert (found.verdict, found.boards) == (GateVerdict.ACCEPT, LEAST_BOARDS)
    assert (found.won, found.tied, found.lost) == (LEAST_BOARDS, 0, 0)
    assert found.mean == pytest.approx(103.0, abs=0.1)
    assert len(world.forgotten) == 2 * LEAST_BOARDS


def test_legs_exchange_the_sides() -> None:
    world = GateWorld(strong)
    world.run()
    assert world.arena.begun[0].tables == ((BASELINE, CANDIDATE), (CANDIDATE, BASELINE))


@pytest.mark.parametrize("parallel", [2, 5, 16])
def test_play_side_by_side_changes_no_verdict(parallel: int) -> None:
    """Boards end in another order than they began; what is looked at is the same."""
    alone = GateWorld(steps).run()
    world = GateWorld(steps, parallel=parallel, pace=lambda number: 1 + number * 7 % 23)
    found = world.run()
    assert found.boards == alone.boards > LEAST_BOARDS
    for field in ("verdict", "why", "mean", "sigma", "llr", "won", "tied", "lost"):
        assert getattr(found, field) == getattr(alone, field), field
    assert len(world.arena.begun) <= found.boards + 40 * parallel


def test_a_void_board_is_played_again_as_its_next_attempt() -> None:
    def leg(board: BoardPlan, number: int) -> Mapping[str, object]:
        special = void(board, number) if (board.board, board.attempt) == (7, 1) else {}
        return {**strong(board, number), **special}

    world = GateWorld(leg)
    found = world.run()
    assert (found.verdict, found.boards, found.void) == (GateVerdict.ACCEPT, LEAST_BOARDS, 1)
    assert [board.attempt for board in world.arena.begun if board.board == 7] == [1, 2]


def test_boards_that_are_all_void_are_the_machine() -> None:
    found = GateWorld(void).run()
    assert found.verdict is GateVerdict.MACHINE
    assert "void, by no fault of one bot" in found.why


def test_a_budget_that_was_spent_on_void_boards_is_the_machine() -> None:
    def leg(board: BoardPlan, number: int) -> Mapping[str, object]:
        special = void(board, number) if board.attempt < 4 else {}
        return {**strong(board, number), **special}

    found = GateWorld(leg, budget_s=50).run()
    assert found.verdict is GateVerdict.MACHINE
    assert found.void > found.boards > 0


@pytest.mark.parametrize(
    ("entry", "verdict"),
    [(CANDIDATE, GateVerdict.CANDIDATE_FAULTY), (BASELINE, GateVerdict.BASELINE_FAULTY)],
)
def test_a_bot_that_crashes_is_faulty(entry: str, verdict: GateVerdict) -> None:
    found = GateWorld(crashing(entry), parallel=4).run()
    assert (found.verdict, found.boards) == (verdict, 2)
    assert found.faults_of(entry) == len(found.faults) >= 3


def test_both_bots_that_crash_are_said_to() -> None:
    found = GateWorld(crashing(CANDIDATE, BASELINE), parallel=4).run()
    assert found.verdict is GateVerdict.BASELINE_FAULTY
    assert "both bots fail" in found.why


def test_both_bots_that_never_start_are_said_to_though_no_board_counts() -> None:
    def leg(board: BoardPlan, number: int) -> Mapping[str, object]:
        both = {"faulty": (CANDIDATE, BASELINE), "blame": "bot", "ending": "never_started"}
        return {**both, "rated": False}

    found = GateWorld(leg).run()
    assert (found.verdict, found.boards) == (GateVerdict.BASELINE_FAULTY, 0)
    assert "both bots fail" in found.why


def test_a_leg_that_nobody_knows_who_left_is_no_fault() -> None:
    def leg(board: BoardPlan, number: int) -> Mapping[str, object]:
        return {"faulty": (CANDIDATE,), "blame": "unknown", "rated": False}

    found = GateWorld(leg).run()
    assert (found.verdict, found.faults) == (GateVerdict.MACHINE, ())


def test_one_crash_counts_as_lost_and_the_gate_goes_on() -> None:
    def leg(board: BoardPlan, number: int) -> Mapping[str, object]:
        once = (board.board, number) == (3, 1)
        return crash_of(CANDIDATE, board, number) if once else strong(board, number)

    found = GateWorld(leg).run()
    assert (found.verdict, found.lost) == (GateVerdict.ACCEPT, 1)
    assert found.faults_of(CANDIDATE) == 1


@pytest.mark.parametrize(
    ("terms", "verdict"), [(GateTerms(), GateVerdict.REJECT), (NO_WORSE, GateVerdict.ACCEPT)]
)
def test_the_same_play_ends_it_after_100_boards(terms: GateTerms, verdict: GateVerdict) -> None:
    world = GateWorld(lambda b, n: won_by(0, b, n), terms=terms, alike=lambda board: True)
    found = world.run()
    assert (found.verdict, found.boards, found.same_play) == (verdict, SAME_BOARDS, True)


def test_equal_points_with_other_cards_are_not_the_same_play() -> None:
    found = GateWorld(lambda b, n: won_by(0, b, n), alike=lambda board: board != 50).run()
    assert (found.boards, found.same_play) == (280, False)  # until the imagined two weigh little


def test_a_bot_that_lets_the_referee_act_for_it_is_named() -> None:
    """As one whose strategy raises: its library asks for the substitute action then."""

    def leg(board: BoardPlan, number: int) -> Mapping[str, object]:
        own = board.tables[number - 1].index(CANDIDATE)
        counts = {"answers": (20, 20), "defaults": (2, 1) if own == 0 else (1, 2)}
        return {**won_by(-60, board, number), **counts}

    (note,) = GateWorld(leg).run().notes
    assert note.startswith("the candidate left 800 of 8000 answers to the substitute action")


def test_records_that_cannot_be_written_are_the_machines_fault() -> None:
    found = GateWorld(strong, budget_s=150, unwritten=2).run()
    assert found.verdict is GateVerdict.MACHINE
    assert "2 records could not be written" in found.why


def test_a_budget_that_is_too_short_says_so_and_decides_nothing() -> None:
    found = GateWorld(strong, budget_s=150).run()
    assert (found.verdict, found.boards) == (GateVerdict.UNDECIDED, 150)
    assert "too short for the 200 that a verdict needs; they take 3 min 20 s here" in found.why


def test_all_boards_without_a_verdict_are_undecided() -> None:
    terms = GateTerms(points0=0.0, points1=0.1, max_boards=210)
    found = GateWorld(steps, terms=terms, parallel=3).run()
    assert (found.verdict, found.boards) == (GateVerdict.UNDECIDED, 210)


def test_an_order_to_stop_ends_it_without_a_verdict() -> None:
    world = GateWorld(strong)
    world.gate.stop()
    assert world.run().verdict is GateVerdict.STOPPED


@pytest.mark.parametrize(
    ("stolen", "late", "verdict"),
    [
        (0.3, 1, GateVerdict.MACHINE),
        (0.3, 0, GateVerdict.ACCEPT),  # nobody was late: the play is as it would have been
        (0.05, 1, GateVerdict.ACCEPT),
    ],
)
def test_bots_that_are_late_on_a_machine_that_was_away_are_not_judged(
    stolen: float, late: int, verdict: GateVerdict
) -> None:
    assert GateWorld(strong, stolen=stolen, late=late).run().verdict is verdict


def test_after_20_boards_it_says_what_is_still_to_come() -> None:
    world = GateWorld(strong, budget_s=1_000)
    found = world.run()
    assert found.forecast is not None
    assert found.forecast.boards == 20
    assert any(text.startswith("after 20 boards: ") for text in world.texts)
    assert any(text.startswith("the budget: about 1000 boards fit") for text in world.texts)
