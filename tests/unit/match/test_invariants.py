"""The invariants are not empty words: each one finds what breaks it."""

from collections.abc import Callable

import pytest

from referee.match.inputs import Fault
from referee.match.state import Barrier, MatchState
from referee.match.step import Choice
from referee.match.values import AckStatus, AskKind, Ending, Pace
from referee.match.window import WindowInput, WindowState
from referee.rules.errors import RefereeBug
from referee.rules.phases import CallKind
from referee.rules.seat import Seat
from tests.simulation.positions import PASS, at, playing
from tests.simulation.table import Table, settings


def window() -> Table:
    """Seat 0 has led; the window is open, seat 1 is on turn."""
    table = at(settings(pace=Pace.FAIR), "3j 4s 5j 6s Kj", "7j 7s 7p 7r 2j", "8j 8s 8p 8r", "9j 9s")
    table.act(0, playing("Kj"))
    return table


def closing() -> Table:
    table = at(settings(pace=Pace.FAIR), "3j 4s 5j 6s Kj", "3s 4p", "3p 4r", "3r 4j")
    table.act(0, playing("Kj"))
    for seat in (1, 2, 3):
        table.act(seat, PASS)
    return table


def lose_a_card(state: MatchState) -> None:
    state.current.hands[1] &= state.current.hands[1] - 1


def overdraw(state: MatchState) -> None:
    state.banks[2] = -1


def grow_a_bank(state: MatchState) -> None:
    state.banks[2] += 10**12


def forget_everybody(state: MatchState) -> None:
    for ask in state.asks.all():
        state.asks.close(ask, AckStatus.STALE)
    state.window.feed(WindowInput.ABORT)


def end_with_open_asks(state: MatchState) -> None:
    state.over = True


def window_on_nothing(state: MatchState) -> None:
    state.current.table = None


def bomb_asks_without_window(state: MatchState) -> None:
    state.window.state = WindowState.SHUT


def two_acts(state: MatchState) -> None:
    for ask in state.asks.all():
        ask.kind = AskKind.ACT


def look_ahead_in_play(state: MatchState) -> None:
    state.ahead = state.current.copy()


def force_in_fair(state: MatchState) -> None:
    state.forced = next(iter(state.asks.all())).seat


def forget_a_bomb(state: MatchState) -> None:
    state.may_bomb[2] = False


def barrier_in_play(state: MatchState) -> None:
    state.barrier = Barrier()


def choose_without_holding(state: MatchState) -> None:
    next(iter(state.asks.all())).choice = Choice()


def hold_unchecked(state: MatchState) -> None:
    state.held = next(a for a in state.asks.all() if a.kind is AskKind.ACT)


def ask_who_stood_down(state: MatchState) -> None:
    state.stood_down[2] = True


def overspend_a_quota(state: MatchState) -> None:
    state.quotas[3] = -1


def grant_in_a_window(state: MatchState) -> None:
    next(a for a in state.asks.all() if a.kind is AskKind.BOMB).lag = 1


def charge_the_unanswered(state: MatchState) -> None:
    next(a for a in state.asks.all() if a.kind is AskKind.ACT).charged = 0


def open_unhanded(state: MatchState) -> None:
    next(iter(state.asks.all())).sent = -1


def forget_a_forfeit(state: MatchState) -> None:
    state.failures.append(Fault(seat=Seat(1), ending=Ending.FORFEIT_TIME))


@pytest.mark.parametrize(
    ("breaks", "story"),
    [
        (lose_a_card, "Every card"),
        (overdraw, "No bank"),
        (grow_a_bank, "No bank"),
        (forget_everybody, "A match that is not over waits"),
        (end_with_open_asks, "Nothing is open"),
        (window_on_nothing, "only over cards"),
        (bomb_asks_without_window, "Bomb asks are open only"),
        (two_acts, "At most one seat owes"),
        (look_ahead_in_play, "only in a closing trick"),
        (force_in_fair, "passes for nobody"),
        (forget_a_bomb, "known to hold no bomb"),
        (barrier_in_play, "owed together exactly"),
        (choose_without_holding, "waits at a barrier"),
        (hold_unchecked, "was checked"),
        (ask_who_stood_down, "stood down has no bomb ask"),
        (overspend_a_quota, "No lag quota"),
        (grant_in_a_window, "never in a window"),
        (charge_the_unanswered, "charged only if"),
        (open_unhanded, "every ask was handed over"),
        (forget_a_forfeit, "forfeit ends the match"),
    ],
)
def test_an_invariant_that_does_not_hold_is_named(
    breaks: Callable[[MatchState], None], story: str
) -> None:
    table = window()
    table.machine.check()
    breaks(table.machine._state)
    with pytest.raises(RefereeBug, match=story) as caught:
        table.machine.check()
    assert "match m-test round 1 at" in str(caught.value), "an error carries its place"


def test_a_call_that_the_position_ahead_does_not_know_is_found() -> None:
    table = closing()
    table.machine.check()
    table.machine._state.current.calls[1] = CallKind.TICHU
    with pytest.raises(RefereeBug, match="position ahead"):
        table.machine.check()
