"""The referee itself was blocked, or was started again: time begins anew (PROTOCOL 3, DESIGN 3).

Nobody can say how much of the time a seat really had whose ask was open, so it costs nothing and
begins again. What was answered before stands.
"""

import msgspec

from referee.match import turns
from referee.match.facts import Resumed, Stalled
from referee.match.state import MatchState
from referee.match.step import Ask
from referee.match.values import AckStatus, CancelReason


def stalled(state: MatchState, blocked_ns: int) -> None:
    """Cancel every ask that was handed over and not answered, uncharged, and put it anew.

    Without a clock time decides nothing but the length of windows, and the fact is all.
    """
    timed = state.settings.clock is not None
    asks = [ask for ask in state.asks.all() if timed and ask.sent >= 0 and ask.choice is None]
    state.fact(
        Stalled(at=state.now, blocked_ns=blocked_ns, asks=tuple((ask.to, ask.id) for ask in asks))
    )
    if not asks:
        return
    for ask in asks:
        state.cancel(ask, CancelReason.REFEREE, AckStatus.STALE)
        state.put(_anew(state, ask))
    state.grid = -1
    if not state.window.shut():
        state.window.begin_anew()


def resumed(state: MatchState, epoch: int) -> None:
    """Go on in a new process: what waits for an answer waits for a hand-over again.

    Nothing is cancelled and nobody is told: the asks are the same, and have the time that they had
    when they were sent. An answer that waits for the grid or the close of the window goes by the
    new ones, and is charged by its old stamp.
    """
    state.fact(Resumed(at=state.now, epoch=epoch))
    for ask in state.asks.all():
        if ask.choice is None:
            ask.sent, ask.lag = -1, 0
    state.grid = -1
    if not state.window.shut():
        state.window.begin_anew()


def _anew(state: MatchState, ask: Ask) -> Ask:
    may_call = ask.may_call_tichu and turns.may_call_tichu(state, state.position, ask.seat)
    return msgspec.structs.replace(
        ask,
        id=state.asks.number(ask.to),
        provisional=ask.provisional and not state.window.shut(),
        may_call_tichu=may_call,
        sent=-1,
        refusals=0,
        stamp=-1,
        lag=0,
    )
