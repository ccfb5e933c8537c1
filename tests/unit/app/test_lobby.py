"""The lobby: who is seated, and in what order."""

from collections.abc import MutableMapping, Sequence

import pytest

from referee.app.lobby import Lobby
from referee.app.session import Session
from referee.match.values import Ending
from tests.unit.app.world import HEADER, Peer, World, config_of, play_to_end


class Room:
    """A world with a lobby; `tables` are the instances of each match, by seat."""

    def __init__(
        self, *, may_share: bool = False, matches: int | None = None, parallel: int = 1
    ) -> None:
        self.world = World(may_share=may_share)
        self.tables: list[list[str]] = []
        self.matches: list[object] = []
        self.world.reception.open_lobby(
            Lobby(
                seats=4,
                may_share=may_share,
                start=self.start,
                matches=matches,
                parallel=parallel,
            )
        )

    def start(self, table: Sequence[Session]) -> None:
        self.tables.append([session.instance.id for session in table])
        config = config_of(f"m{len(self.tables)}")
        self.matches.append(self.world.service.start_match(config, table, header=HEADER))


def test_four_are_seated_in_the_order_of_their_hello() -> None:
    room = Room()
    room.world.table()
    room.world.join()
    assert room.tables == [["i1", "i2", "i3", "i4"]]


def test_bots_that_came_before_the_lobby_opened_are_seated_too() -> None:
    world = World()
    world.table()
    tables: list[Sequence[Session]] = []

    def start(table: Sequence[Session]) -> None:
        tables.append(table)
        world.service.start_match(config_of(), table, header=HEADER)

    world.reception.open_lobby(Lobby(seats=4, may_share=False, start=start))
    assert len(tables) == 1


def test_a_bot_plays_one_match_at_a_time_whatever_it_offers() -> None:
    room = Room()
    peers = room.world.table(max_matches=128)
    assert room.tables == [["i1", "i2", "i3", "i4"]]
    play_to_end(room.world, peers, room.matches[0])  # type: ignore[arg-type]
    room.world.clock.settle()
    assert room.tables == [["i1", "i2", "i3", "i4"]] * 2


@pytest.mark.parametrize(("offered", "allowed"), [(3, 512), (128, 3), (3, 3)])
def test_more_matches_at_once_need_the_bot_and_the_operator(offered: int, allowed: int) -> None:
    room = Room(parallel=allowed)
    room.world.table(max_matches=offered)
    assert room.tables == [["i1", "i2", "i3", "i4"]] * 3


def test_several_seats_of_one_match_are_one_match() -> None:
    room = Room(may_share=True)
    room.world.join(max_matches=9)
    assert room.tables == [["i1"] * 4]


def test_who_waits_is_logged_with_the_seats_that_are_missing(
    logs: list[MutableMapping[str, object]],
) -> None:
    room = Room()
    room.world.table()
    room.world.join()
    waits = [(log["instance"], log["missing"]) for log in logs if log["event"] == "waiting"]
    assert waits == [("i1", 3), ("i2", 2), ("i3", 1), ("i5", 3)]


def test_one_process_never_gets_two_seats_of_a_match() -> None:
    room = Room()
    for _ in range(3):
        room.world.join(max_matches=10)
    assert room.tables == []


def test_where_processes_may_share_one_bot_fills_a_table() -> None:
    room = Room(may_share=True)
    room.world.join(max_matches=4)
    assert room.tables == [["i1"] * 4]


def test_after_a_match_its_bots_wait_behind_the_others() -> None:
    room = Room()
    first: list[Peer] = room.world.table()
    room.world.join()
    play_to_end(room.world, first, room.matches[0])  # type: ignore[arg-type]
    assert room.tables[1] == ["i5", "i1", "i2", "i3"]


def test_a_bot_that_left_is_not_seated() -> None:
    room = Room()
    peers = [room.world.join() for _ in range(3)]
    peers[0].lose()
    room.world.join()
    assert room.tables == []
    room.world.join()
    assert room.tables == [["i2", "i3", "i4", "i5"]]


def test_no_more_matches_are_started_than_asked_for() -> None:
    room = Room(matches=1)
    room.world.table()
    room.world.table()
    assert len(room.tables) == 1


def test_a_match_that_is_cancelled_frees_its_bots() -> None:
    room = Room()
    room.world.table()
    room.world.service.end_match(room.matches[0], Ending.CANCELLED)  # type: ignore[arg-type]
    room.world.clock.settle()
    assert room.tables == [["i1", "i2", "i3", "i4"]] * 2
