"""Who may sit where: one process, one seat of a match and of a board (PROTOCOL 1)."""

import pytest

from referee.app.seating import SeatingRules
from referee.app.seeds import EventSeeds
from referee.match.values import Ending
from referee.rules.errors import ConfigError
from referee.rules.seat import Seat
from tests.unit.app.world import HEADER, Peer, World, config_of, play_to_end

LEG_1, LEG_2 = ("i1", "i2", "i3", "i4"), ("i5", "i6", "i7", "i8")
SHARED = ("i9", "i6", "i7", "i3")  # i3 sits in seat 2 of LEG_1


def rules(*, may_share: bool = False) -> SeatingRules:
    """Rules of a referee that has started the first leg of board b."""
    made = SeatingRules(may_share=may_share)
    made.check("m1", LEG_1, seats=4, board="b")
    made.seated("m1", LEG_1, board="b")
    return made


def test_another_four_processes_may_play_the_second_leg() -> None:
    rules().check("m2", LEG_2, seats=4, board="b")


def test_who_sits_in_one_leg_is_refused_in_the_other_with_what_where_and_cure() -> None:
    with pytest.raises(ConfigError) as refused:
        rules().check("m2", SHARED, seats=4, board="b")
    assert str(refused.value) == (
        "match m2: instance i3 of seat 3 sits in m1 of the same board b and knows its cards; "
        "start one more process for this leg, or allow it with isolation none"
    )


def test_who_sits_in_two_seats_is_named_with_them() -> None:
    with pytest.raises(ConfigError) as refused:
        rules().check("m2", ("i5", "i6", "i7", "i6"), seats=4)
    assert str(refused.value) == (
        "match m2: one instance in two seats would show partners each other's hands (i6 in 1 and "
        "3); start one process a seat, or allow it with isolation none"
    )


def test_isolation_none_allows_both() -> None:
    rules(may_share=True).check("m2", ("i3", "i3", "i1", "i9"), seats=4, board="b")


def test_the_same_processes_play_other_boards_and_matches_of_none() -> None:
    made = rules()
    made.check("m2", LEG_1, seats=4, board="c")
    made.check("m3", LEG_1, seats=4)


def test_a_match_without_a_board_is_nobodys_leg() -> None:
    made = SeatingRules(may_share=False)
    made.seated("m1", LEG_1, board=None)
    made.check("m2", LEG_1, seats=4, board="b")
    assert made.boards == 0


def test_a_refused_seating_is_no_leg() -> None:
    made = rules()
    with pytest.raises(ConfigError):
        made.check("m2", SHARED, seats=4, board="b")
    made.check("m2", LEG_2, seats=4, board="b")


@pytest.mark.parametrize("may_share", [False, True])
def test_a_board_has_two_legs(*, may_share: bool) -> None:
    made = rules(may_share=may_share)
    made.seated("m2", LEG_2, board="b")
    with pytest.raises(
        ConfigError, match=r"match m3: board b has m1 and m2 already; .* two|2 legs"
    ):
        made.check("m3", ("i9", "i10", "i11", "i12"), seats=4, board="b")


def test_a_match_is_not_two_legs() -> None:
    with pytest.raises(ConfigError, match="board b has m1 already"):
        rules().check("m1", LEG_2, seats=4, board="b")


def test_a_board_that_is_over_is_forgotten_and_nothing_is_left_of_a_thousand() -> None:
    made = rules()
    for number in range(1_000):
        made.seated(f"x{number}", LEG_1, board=f"x{number}")
        made.board_over(f"x{number}")
    made.board_over("b")
    made.board_over("b")
    assert made.boards == 0
    made.check("m2", LEG_1, seats=4, board="b")


def test_seats_and_instances_are_as_many() -> None:
    with pytest.raises(ConfigError, match="match m2: 4 seats, 3 instances"):
        rules().check("m2", LEG_2[:3], seats=4)


# --- in the service


def start(world: World, peers: list[Peer], match_id: str) -> None:
    sessions = [peer.session for peer in peers]
    world.service.start_match(config_of(match_id), sessions, header=HEADER, board="b")
    world.clock.settle()


def test_a_leg_counts_while_it_runs_and_when_it_is_over_until_the_board_is() -> None:
    world = World()
    first, second = world.table(max_matches=2), world.table(max_matches=2)
    mixed = [*second[:3], first[0]]
    start(world, first, "m1")
    with pytest.raises(ConfigError, match="sits in m1 of the same board"):
        start(world, mixed, "m2")
    (match,) = world.service.matches()
    assert play_to_end(world, first, match).ending is Ending.COMPLETED
    with pytest.raises(ConfigError, match="sits in m1 of the same board"):
        start(world, mixed, "m2")
    start(world, second, "m2")
    world.service.seating.board_over("b")
    start(world, first, "m3")


def test_nothing_that_is_kept_or_sent_knows_of_a_board() -> None:
    """The same match with and without one, byte for byte."""
    seen = []
    for board in (None, "the one board"):
        world = World()
        peers = world.table()
        sessions = [peer.session for peer in peers]
        match = world.service.start_match(config_of(), sessions, header=HEADER, board=board)
        world.clock.settle()
        play_to_end(world, peers, match)
        kept = world.memory.matches["m"]
        seen.append((kept.lines, kept.header, [peer.link.raw for peer in peers]))
    assert seen[0] == seen[1]


# --- what bots draw from


def test_bots_in_one_seat_of_both_legs_draw_the_same_and_nobody_else_does() -> None:
    seeds = EventSeeds(bytes(32))
    drawn = {
        (board, seat): {seeds.bot_seed(leg, Seat(seat), board=board) for leg in ("m1", "m2")}
        for board in ("b", "b|1", "c", "m1")
        for seat in range(4)
    }
    assert all(len(same) == 1 for same in drawn.values())
    plain = {seeds.bot_seed(name, Seat(seat)) for name in ("b", "m1", "m2") for seat in range(4)}
    deals = {seeds.deal_seed(name, number) for name in ("b", "m1", "m2") for number in range(5)}
    everything = [*(seed for same in drawn.values() for seed in same), *plain, *deals]
    assert len(set(everything)) == len(everything) == 16 + 12 + 15
