"""Streams that the guard refuses: what the log says of them."""

from collections.abc import MutableMapping

from referee.transport.guard import RefusalLog


def test_one_line_a_second_counts_the_streams_before_it(
    logs: list[MutableMapping[str, object]],
) -> None:
    times = [0.0, 0.5, 0.9, 1.0, 1.5, 7.0]
    refusals = RefusalLog(iter(times).__next__)
    for _ in times:
        refusals.log("ipv4:127.0.0.1:1", "not issued")
    assert [log["unlogged_before"] for log in logs] == [0, 2, 1]
    assert {(log["event"], log["peer"], log["why"]) for log in logs} == {
        ("stream refused", "ipv4:127.0.0.1:1", "not issued")
    }
