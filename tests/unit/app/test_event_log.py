"""The one list of events that all seats read."""

import pytest

from referee.app.event_log import EventLog
from referee.rules.errors import RefereeBug
from referee.rules.seat import Seat


def test_each_seat_reads_its_own_part_of_a_private_event() -> None:
    log = EventLog()
    log.add([b"all", (b"a", b"b")])
    assert log.next == 3
    assert log.since(1, Seat(0)) == [b"all", b"a"]
    assert log.since(2, Seat(1)) == [b"b"]


def test_a_new_round_forgets_what_every_seat_was_told() -> None:
    log = EventLog()
    log.add([b"1", b"2", b"3"])
    log.begin_round(told=3)
    log.add([b"4"])
    assert log.since(3, Seat(0)) == [b"3", b"4"]
    assert log.of_round(Seat(0)) == [b"4"]
    with pytest.raises(RefereeBug):
        log.since(2, Seat(0))


def test_what_was_told_of_the_new_round_is_kept_for_snapshots() -> None:
    log = EventLog()
    log.add([b"1"])
    log.begin_round(told=2)
    log.add([b"2", b"3"])
    assert log.of_round(Seat(3)) == [b"2", b"3"]
