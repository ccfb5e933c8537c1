"""Who is in the final of a ladder, what is played in it, and when it is over."""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import pytest

from referee.ladder.boards import BoardHistory, Fate, RatedBoard, Resolved
from referee.ladder.final import (
    FIRST_BOARD,
    Final,
    FinalRule,
    FinalState,
    final_note,
    have_sat,
    is_final,
    leaders,
    without_final,
)
from referee.ladder.plans import BoardPlan, Picks, Scene
from referee.ladder.rulings import Decided, decide
from referee.ladder.values import Ruling, RulingKind
from tests.unit.ladder.legs import owners_of, ruling
from tests.unit.ladder.rated import boards_of, everyone, rated_board

FIELD = {"a": 150.0, "b": 145.0, "c": 0.0, "d": -150.0}  # a and b are near, c and d far
RULE = FinalRule(boards=3)


def histories_of(boards: Sequence[RatedBoard]) -> dict[tuple[str, int], BoardHistory]:
    return {
        (one.pairing, one.board): BoardHistory(
            pairing=one.pairing,
            board=one.board,
            attempts=1,
            fate=Fate.RATED,
            entries=(one.first, one.second),
        )
        for one in boards
    }


def counted(boards: Sequence[RatedBoard]) -> Resolved:
    return Resolved(boards=tuple(boards), histories=histories_of(boards))


def ladder(
    strengths: Mapping[str, float] = FIELD, *, count: int = 20, sigma: float = 100.0
) -> list[RatedBoard]:
    rng = np.random.default_rng(1)
    return boards_of(strengths, everyone(strengths, count), rng, sigma=sigma)


def of_final(first: str, second: str, number: int, margin: int = 0) -> RatedBoard:
    return rated_board(first, second, FIRST_BOARD - 1 + number, margins=(margin, margin))


class World:
    """A ladder and its final, as they stand."""

    def __init__(
        self,
        boards: Sequence[RatedBoard],
        rule: FinalRule = RULE,
        rulings: Sequence[Ruling] = (),
        owners: Mapping[str, str] | None = None,
    ) -> None:
        self.resolved = counted(boards)
        self.rule, self.decided = rule, decide(rulings)
        self.owners = owners or owners_of(FIELD)

    @property
    def players(self) -> tuple[str, ...]:
        return leaders(self.rule, owners=self.owners, decided=self.decided, resolved=self.resolved)

    def final(self, running: Sequence[BoardPlan] = (), hours: float = 0.0) -> Final:
        return Final(self.rule, self.players, self.scene(running), hours=hours)

    def scene(self, running: Sequence[BoardPlan] = ()) -> Scene:
        return Scene(
            owners=self.owners, decided=self.decided, resolved=self.resolved, running=running
        )

    def chosen(self, *, wanted: int = 1, running: Sequence[BoardPlan] = ()) -> list[BoardPlan]:
        picks = Picks(self.scene(running), wanted=wanted, at_once=wanted)
        self.final(running).choose(picks)
        return picks.chosen

    def note(self, hours: float = 0.0, rule: FinalRule | None = None) -> str:
        return final_note(
            rule or self.rule,
            owners=self.owners,
            decided=self.decided,
            resolved=self.resolved,
            hours=hours,
        )


# --- who is in it


@pytest.mark.parametrize(
    ("places", "entries", "players"),
    [
        (1, None, "ab"),  # c and d are surely out of the first place
        (2, None, "ab"),  # and a and b are surely the first two
        (3, None, "abc"),
        (1, 2, "ab"),
        (1, 3, "abc"),
    ],
)
def test_leaders_may_yet_be_in_the_first_places_or_are_so_many_of_the_best(
    places: int, entries: int | None, players: str
) -> None:
    rule = FinalRule(places=places, entries=entries, boards=3)
    assert "".join(World(ladder(), rule).players) == players


def test_all_are_in_whose_rank_range_reaches_into_the_first_places() -> None:
    equal = dict.fromkeys(FIELD, 0.0)
    assert World(ladder(equal)).players == tuple("abcd")


def test_entries_that_cannot_be_compared_may_all_be_the_first() -> None:
    assert World(ladder({"a": 90.0, "b": 0.0})).players == tuple("abcd")
    assert World([]).players == tuple("abcd")


def test_whoever_sat_in_the_final_stays_in_and_its_boards_choose_nobody() -> None:
    boards = [*ladder(), of_final("a", "c", 1), of_final("a", "d", 1, margin=-900)]
    assert World(boards).players == tuple("abcd")
    assert World(boards, FinalRule(entries=3, boards=3)).players == tuple("acd")
    assert have_sat(counted(boards)) == tuple("acd")


def test_a_leader_that_leaves_makes_room_for_who_may_be_first_now() -> None:
    gone = [ruling(RulingKind.WITHDRAW, "a")]
    assert World(ladder(), rulings=gone).players == ("b",)
    apart = {"a": 300.0, "b": 10.0, "c": 0.0, "d": -300.0}
    assert World(ladder(apart), rulings=gone).players == ("b", "c")


def test_a_fixed_number_is_not_filled_up_for_one_that_left_the_final() -> None:
    boards = [*ladder(), of_final("a", "b", 1), of_final("a", "c", 1)]
    gone = [ruling(RulingKind.WITHDRAW, "a")]
    assert World(boards, FinalRule(entries=3, boards=3), gone).players == ("b", "c")


# --- what is played


def test_boards_of_the_final_are_numbered_apart_and_the_ladder_knows_none_of_them() -> None:
    boards = ladder()
    world = World([*boards, of_final("a", "b", 1)])
    (board,) = world.chosen()
    assert (board.pairing, board.board, board.attempt) == ("a~b", FIRST_BOARD + 1, 1)
    assert without_final(world.resolved) == counted(boards)


def test_only_pairs_that_can_decide_the_first_places_play() -> None:
    """c and d are equal, and their order would take boards without end."""
    strengths = {"a": 30.0, "b": 0.0, "c": 0.0, "d": 0.0}
    world = World(ladder(strengths), FinalRule(entries=4, boards=50))
    pairings = {board.pairing for board in world.chosen(wanted=100)}
    assert len(pairings) > 1
    assert all(pairing.startswith("a~") for pairing in pairings)


def test_the_most_uncertain_pair_is_next() -> None:
    strengths = {"a": 30.0, "b": 25.0, "c": -90.0, "d": -90.0}
    world = World(ladder(strengths, sigma=40.0), FinalRule(entries=4, boards=50))
    assert world.chosen()[0].pairing == "a~b"


@pytest.mark.parametrize("played", [0, 1, 2, 3])
def test_the_limit_is_met_at_the_exact_board(played: int) -> None:
    boards = [*ladder(), *(of_final("a", "b", number + 1) for number in range(played))]
    world = World(boards)
    chosen = world.chosen(wanted=9)
    assert [board.board - FIRST_BOARD for board in chosen] == [*range(played, 3)]
    assert world.final().left() == 3 - played
    assert world.final().state() is (FinalState.BOARDS if played == 3 else FinalState.OPEN)
    assert world.chosen(wanted=9, running=chosen) == []
    assert world.final(running=chosen).left() == 0


def test_boards_that_run_count_and_never_run_twice() -> None:
    world = World(ladder(), FinalRule(boards=None, hours=1))
    running = world.chosen(wanted=4)
    more = world.chosen(wanted=8, running=running)
    assert len(more) == 4
    assert not {one.board for one in running} & {one.board for one in more}
    assert world.final(running).left() is None


def test_a_void_board_of_the_final_is_played_again_first_and_once() -> None:
    world = World([*ladder(), of_final("a", "b", 1), of_final("a", "b", 2)])
    key = ("a~b", FIRST_BOARD)
    void = msgspec.structs.replace(world.resolved.histories[key], fate=Fate.OPEN)
    kept = tuple(one for one in world.resolved.boards if one.board != FIRST_BOARD)
    world.resolved = Resolved(boards=kept, histories={**world.resolved.histories, key: void})
    chosen = world.chosen(wanted=9)
    assert [(one.board - FIRST_BOARD, one.attempt) for one in chosen] == [(0, 2), (2, 1)]


def test_entries_of_one_owner_do_not_meet_and_are_told_apart_by_the_others() -> None:
    strengths = {"a": 0.0, "b": 0.0, "c": 0.0}
    owners = {"a": "ann", "b": "ann", "c": "cid"}
    boards = [one for one in ladder(strengths) if one.pairing != "a~b"]
    world = World(boards, FinalRule(boards=5), owners=owners)
    assert {one.pairing for one in world.chosen(wanted=99)} == {"a~c", "b~c"}
    alone = World(boards, FinalRule(entries=2, boards=5), owners={**owners, "c": "ann"})
    assert alone.chosen(wanted=99) == []
    assert alone.final().state() is FinalState.OWNER


def test_two_entries_exactly_equal_take_turns_until_the_limit() -> None:
    """Every board is level: no spread, no order, nothing to divide by."""
    level = [
        rated_board(one, other, number, margins=(0, 0))
        for number in range(1, 6)
        for one, other in ("ab", "ac", "bc")
    ]
    world = World(level, FinalRule(boards=4), owners=owners_of("abc"))
    assert world.final().state() is FinalState.OPEN
    met = Counter(board.pairing for board in world.chosen(wanted=99))
    assert met == {"a~b": 4, "a~c": 4}  # a is the first by its name
    played = [of_final("a", other, number) for other in "bc" for number in range(1, 5)]
    over = World([*level, *played], world.rule, owners=owners_of("abc"))
    assert over.final().state() is FinalState.BOARDS
    assert over.note() == "Final of a, b and c: 8 boards; undecided after 4 boards a pair."


# --- how it ends


def test_a_clear_leader_decides_it() -> None:
    apart = {"a": 120.0, "b": 0.0, "c": -20.0}
    rule = FinalRule(entries=3, boards=40)
    world = World([*ladder(apart), of_final("a", "b", 1)], rule, owners=owners_of("abc"))
    assert world.final().state() is FinalState.DECIDED
    assert world.note() == "Final of a, b and c: 1 board; a surely holds the first place."


def test_two_first_places_are_said_in_their_order() -> None:
    apart = {"a": 100.0, "b": 150.0, "c": -200.0, "d": -210.0}
    rule = FinalRule(places=2, entries=3, boards=40)
    world = World([*ladder(apart), of_final("a", "c", 1, margin=300)], rule)
    assert world.note() == ("Final of a, b and c: 1 board; b and a surely hold the first 2 places.")


def test_the_hours_are_over_at_their_last_second() -> None:
    world = World([*ladder(), of_final("a", "b", 1)], FinalRule(hours=1.5))
    assert world.final(hours=1.49).state() is FinalState.OPEN
    assert world.final(hours=1.5).state() is FinalState.HOURS
    assert world.note(hours=1.5) == "Final of a and b: 1 board; undecided after 1.5 hours."
    assert world.note(hours=1) == "Final of a and b: 1 board; undecided so far."


def test_with_no_more_entries_than_places_nothing_is_left_to_decide() -> None:
    boards = [*ladder(), of_final("a", "b", 1)]
    rule = FinalRule(entries=2, boards=3)
    world = World(boards, rule, rulings=[ruling(RulingKind.DISQUALIFY, "a")])
    assert world.final().state() is FinalState.FEW
    assert world.chosen() == []
    assert world.note() == (
        "Final of a and b: 1 board; ended, since no more of its entries play on than there are "
        "places."
    )


def test_the_note_names_who_is_in_it_without_a_board() -> None:
    world = World([*ladder(), of_final("a", "b", 1)], FinalRule(entries=3, boards=3))
    assert world.players == tuple("abc")
    assert world.note().startswith("Final of a, b and c: 1 board; ")


@pytest.mark.parametrize("kind", [RulingKind.WITHDRAW, RulingKind.QUARANTINE])
def test_one_that_left_may_be_above_the_first_of_those_that_play_on(kind: RulingKind) -> None:
    world = World([*ladder(), of_final("a", "b", 1)], rulings=[ruling(kind, "a")])
    assert world.note() == (
        "Final of a and b: 1 board; b surely holds the first place of those that play on."
    )


@pytest.mark.parametrize(
    ("is_clear", "how"),
    [
        (False, "undecided when a ruling froze it"),
        (True, "a surely holds the first place"),  # it did before
    ],
)
def test_a_freeze_takes_nothing_back(is_clear: bool, how: str) -> None:
    strengths = {"a": 120.0, "b": 0.0, "c": -20.0} if is_clear else FIELD
    boards = [*ladder(strengths), of_final("a", "b", 1)]
    world = World(boards, rulings=[ruling(RulingKind.FREEZE, "")], owners=owners_of(strengths))
    assert world.note() == f"Final of a and b: 1 board; {how}."


def test_the_most_that_may_be_left_is_of_pairs_that_still_play() -> None:
    boards = [*ladder(), *(of_final("a", "c", number) for number in (1, 2)), of_final("a", "b", 1)]
    assert World(boards).final().most_left() == 1 + 2 + 3
    gone = [ruling(RulingKind.WITHDRAW, "a")]
    assert World(boards, rulings=gone).final().most_left() == 3
    assert World(boards, FinalRule(boards=1)).final().most_left() == 1
    assert World(boards, FinalRule(hours=1)).final().most_left() is None
    assert World(boards, owners={**owners_of(FIELD), "c": "x", "b": "x"}).final().most_left() == 3


def test_boards_that_a_replacement_closed_are_left_once_more() -> None:
    world = World([*ladder(), of_final("a", "b", 1)])
    key = "a~b", FIRST_BOARD
    closed = msgspec.structs.replace(world.resolved.histories[key], fate=Fate.CLOSED)
    world.resolved = msgspec.structs.replace(
        world.resolved, histories={**world.resolved.histories, key: closed}
    )
    assert world.final().most_left() == RULE.boards


def test_leaders_of_one_owner_do_not_meet_and_that_is_said() -> None:
    owners = {**owners_of(FIELD), "a": "x", "b": "x"}
    world = World(ladder(), owners=owners)
    assert world.players == ("a", "b")
    assert world.final().state() is FinalState.OWNER
    assert world.chosen() == []
    assert World(ladder(), FinalRule(hours=9), owners=owners).final().state() is FinalState.OWNER


def test_one_that_all_others_are_surely_below_has_decided_it_alone() -> None:
    far = {"a": 300.0, "b": 0.0, "c": -10.0}
    world = World(ladder(far), owners=owners_of(far))
    assert (world.players, world.final().state()) == (("a",), FinalState.DECIDED)
    gone = [ruling(RulingKind.WITHDRAW, "b"), ruling(RulingKind.WITHDRAW, "c")]
    assert World(ladder(far), rulings=gone, owners=owners_of(far)).final().state() is FinalState.FEW


def test_nothing_is_said_of_a_final_that_was_not_played() -> None:
    assert World(ladder()).note() == ""


def test_of_a_final_that_the_file_has_no_more_the_boards_are_said() -> None:
    boards = [*ladder(), of_final("a", "b", 1), of_final("a", "b", 2)]
    note = final_note(None, owners=owners_of(FIELD), decided=Decided(), resolved=counted(boards))
    assert note == "Final of a and b: 2 boards."


def test_numbers_of_a_final_begin_above_all_that_a_ladder_may_play() -> None:
    assert not is_final(FIRST_BOARD - 1)
    assert is_final(FIRST_BOARD)
