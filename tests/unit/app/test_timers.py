"""One heap of timers: an alarm may move both ways and rings once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.app.timers import Alarm, Timers
from tests.unit.app.world import VirtualClock


def test_an_alarm_that_moves_later_rings_at_the_later_time_only() -> None:
    clock = VirtualClock()
    rung: list[int] = []
    alarm = Timers(clock).alarm(lambda: rung.append(clock.now()))
    start = clock.now()
    alarm.set(start + 10)
    alarm.set(start + 30)
    clock.pass_time(29)
    assert not rung
    clock.pass_time(100)
    assert rung == [start + 30]


def test_an_alarm_that_moves_earlier_rings_once() -> None:
    clock = VirtualClock()
    rung: list[int] = []
    alarm = Timers(clock).alarm(lambda: rung.append(clock.now()))
    start = clock.now()
    alarm.set(start + 30)
    alarm.set(start + 10)
    clock.pass_time(100)
    assert rung == [start + 10]


def test_an_alarm_that_is_put_off_does_not_ring() -> None:
    clock = VirtualClock()
    alarm = Timers(clock).alarm(lambda: pytest.fail("it rang"))
    alarm.set(clock.now() + 10)
    alarm.set(None)
    clock.pass_time(100)


def test_one_timer_is_on_its_way_however_often_the_loop_was_blocked() -> None:
    """A wake-up that waits for reading while an earlier alarm is set must not become two."""
    clock = VirtualClock()
    timers = Timers(clock)
    for _ in range(20):
        first, second = timers.alarm(lambda: None), timers.alarm(lambda: None)
        first.set(clock.now() + 10)

        def meanwhile(alarm: Alarm = second) -> None:
            alarm.set(clock.now() - 25)

        clock.stall(30)
        clock.call_soon(lambda later=meanwhile: clock.call_soon(later))  # type: ignore[misc]
        timers.alarm(lambda: None).set(clock.now() + 10**12)
        clock.settle()
        assert timers.awake
    on_their_way = [timer for _, _, timer in clock._heap if timer.callback is not None]
    assert len(on_their_way) == 1


def test_an_alarm_that_fails_keeps_no_other_from_ringing() -> None:
    clock = VirtualClock()
    timers, rung = Timers(clock), []

    def fail() -> None:
        raise ZeroDivisionError

    timers.alarm(fail).set(clock.now() + 10)
    timers.alarm(lambda: rung.append(1)).set(clock.now() + 10)
    timers.alarm(lambda: rung.append(2)).set(clock.now() + 20)
    clock.pass_time(30)
    assert rung == [1, 2]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 50) | st.none()), max_size=30))
def test_alarms_ring_in_order_at_their_last_setting(orders: list[tuple[int, int | None]]) -> None:
    clock = VirtualClock()
    timers, start = Timers(clock), clock.now()
    rung: list[tuple[int, int]] = []
    alarms = [
        timers.alarm(lambda n=n: rung.append((clock.now() - start, n)))  # type: ignore[misc]
        for n in range(5)
    ]
    wanted: dict[int, int | None] = {}
    for number, when in orders:
        alarms[number].set(None if when is None else start + when)
        wanted[number] = when
    clock.pass_time(100)
    assert [at for at, _ in rung] == sorted(at for at, _ in rung)
    assert {n: at for at, n in rung} == {n: at for n, at in wanted.items() if at is not None}


def test_stopped_timers_leave_nothing_in_the_loop() -> None:
    clock = VirtualClock()
    timers = Timers(clock)
    alarm = timers.alarm(lambda: pytest.fail("it rang"))
    alarm.set(clock.now() + 10)
    timers.stop()
    alarm.set(clock.now() + 5)
    assert not clock.waits
    clock.pass_time(100)
