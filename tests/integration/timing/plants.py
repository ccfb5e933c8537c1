"""Faults that the referee of a measurement is given on purpose: what the tests must find.

Each replaces a function of the referee in this process, which is the only one that has it.
"""

import functools
from collections import Counter
from collections.abc import Callable
from typing import assert_never

from referee.app.dispatcher import Dispatcher
from referee.app.holding import Holding
from referee.app.session import Session
from referee.match import answers, turns, windows
from referee.match.inputs import Answer
from referee.match.state import MatchState, elapsed
from referee.match.step import Ask
from referee.match.values import MS, AckStatus
from tests.integration.timing.plan import Plant

Late = Callable[[MatchState], int]
LateAct = Callable[[MatchState, Ask], int]


def plant(what: Plant) -> None:
    """Plant a fault in this process."""
    match what:
        case Plant.NONE:
            pass
        case Plant.LATE_10:
            _late_close(10 * MS)
        case Plant.LATE_1:
            _late_close(1 * MS)
        case Plant.ASK_LATER:
            _ask_later(1 * MS)
        case Plant.HOLDER_FIRST:
            _holder_first()
        case Plant.AT_ONCE:
            _at_once()
        case Plant.REFUSALS_COUNT:
            _late_release(lambda state, ask: 10 * MS * ask.refusals)
        case Plant.REPEATS_COUNT:
            _repeats_count()
        case Plant.BANK_COUNTS:
            _late_release(lambda state, ask: 20 * MS if elapsed(ask) > (ask.base_ns or 0) else 0)
        case Plant.DECLINES_COUNT:
            _declines_count()
        case _:
            assert_never(what)


# --- when a window closes, and when an act takes effect


def _shift_close(late: Late) -> None:
    due = windows.due

    def planted(state: MatchState) -> int | None:
        at = due(state)
        return None if at is None else at + late(state)

    windows.due = planted


def _late_release(late: LateAct) -> None:
    due = turns.release_due

    def planted(state: MatchState) -> int | None:
        at, ask = due(state), state.held
        return at if at is None or ask is None else at + late(state, ask)

    turns.release_due = planted


def _late_close(by: int) -> None:
    def late(state: MatchState) -> int:
        return by if any(state.may_bomb) else 0

    _shift_close(late)
    _late_release(lambda state, ask: late(state))


def _at_once() -> None:
    """The window closes with the act that waits for it."""
    close = windows.due

    def closes(state: MatchState) -> int | None:
        at, held = close(state), state.held
        return at if at is None or held is None else min(at, max(held.stamp, state.window.opened))

    def released(state: MatchState) -> int | None:
        held = state.held
        return None if held is None or state.grid < 0 else max(held.stamp, state.grid)

    windows.due, turns.release_due = closes, released


def _repeats_count() -> None:
    repeats: Counter[tuple[str, int, int]] = Counter()
    note = answers._note

    def noted(state: MatchState, answer: Answer, status: AckStatus) -> None:
        note(state, answer, status)
        if status is AckStatus.DUPLICATE:
            repeats[state.config.match_id, answer.seat, answer.ask_id] += 1

    answers._note = noted
    _late_release(lambda state, ask: 2 * MS * repeats[state.config.match_id, ask.seat, ask.id])


def _declines_count() -> None:
    late_in: dict[str, int] = {}  # the opening of the last window of a match with a late decline
    take = windows.take

    def taken(state: MatchState, ask: Ask) -> None:
        window = state.window
        if 0 <= window.opened < state.now - state.settings.window_ns // 2:
            late_in[state.config.match_id] = window.opened
        take(state, ask)

    def late(state: MatchState) -> int:
        return 20 * MS if late_in.get(state.config.match_id) == state.grid else 0

    windows.take = taken
    _shift_close(late)
    _late_release(lambda state, ask: late(state))


# --- whom a frame is written to first, and when


def _asks_a_holder(holding: Holding) -> bool:
    """True if an ask waits for a seat with a bomb."""
    return bool(holding._asks and holding.match.machine._state.may_bomb[holding.seat])


def _holder_first() -> None:
    flush = Dispatcher._flush

    def planted(self: Dispatcher) -> None:
        def last(session: Session) -> bool:
            return not any(map(_asks_a_holder, session._ready))

        self._flushing = dict.fromkeys(sorted(self._flushing, key=last))
        flush(self)

    Dispatcher._flush = planted  # type: ignore[method-assign]


def _ask_later(by: int) -> None:
    flush = Session.flush
    waited: set[Holding] = set()

    def planted(self: Session, now: int) -> None:
        for holding in filter(_asks_a_holder, list(self._ready)):
            if holding in waited:
                waited.discard(holding)
                continue
            waited.add(holding)
            del self._ready[holding]
            timers = self._desk.timers
            timers.alarm(functools.partial(self.notify, holding)).set(now + by)
        flush(self, now)

    Session.flush = planted  # type: ignore[method-assign]
