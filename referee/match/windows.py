"""Bomb windows in a match: when one opens, who is asked, and what its close brings.

The window's own states are in `referee.match.window`; the pace decides who is asked and when it
closes (PROTOCOL 4).
"""

from referee.match import turns
from referee.match.facts import WindowClosed
from referee.match.state import MatchState, elapsed, surely_handed
from referee.match.step import Ask, Choice
from referee.match.values import BOMB, FAIR, FAST, AckStatus, AskId, CancelReason
from referee.match.window import Attempt, WindowInput, strongest
from referee.rules.errors import RefereeBug
from referee.rules.round import Round
from referee.rules.round_state import CLOSING, PLAY
from referee.rules.seat import Seat

SMALLEST_BOMB = 4  # cards; hand counts are public, so skipping a window tells nothing


def opens(state: MatchState, position: Round) -> bool:
    """True if a window follows the applied act: it concerns any seat.

    Whoever holds a bomb or stood down: hand counts alone decide, and they are public.
    """
    phase = position.phase
    if position.table is None or (phase is not PLAY and phase is not CLOSING):
        return False
    if phase is CLOSING and not state.settings.rules.bomb_after_all_pass:
        return False
    turn = position.turn
    for seat, hand in enumerate(position.hands):
        if hand.bit_count() >= SMALLEST_BOMB and seat != turn:
            return True
    return False


def open_window(state: MatchState, position: Round) -> None:
    """Open a window and put the next ask with it; with nobody to ask it is over."""
    fair = state.settings.pace is FAIR
    if fair or True in state.may_bomb:
        asked = [seat for seat in _concerned(position) if _is_asked(state, seat)]
        if asked or fair:
            state.window.ask(asked)
            for seat in asked:
                _ask_for_bomb(state, seat)
    turns.ask_next(state, provisional=True)


def _concerned(position: Round) -> list[Seat]:
    turn = position.turn
    return [
        Seat(seat)
        for seat, hand in enumerate(position.hands)
        if hand.bit_count() >= SMALLEST_BOMB and seat != turn
    ]


def _is_asked(state: MatchState, seat: Seat) -> bool:
    """Pace `fast` asks nobody who cannot bomb."""
    return not state.stood_down[seat] and (state.settings.pace is FAIR or holds_bomb(state, seat))


def holds_bomb(state: MatchState, seat: Seat) -> bool:
    """True if the seat has a bomb that is legal now. A hand without any is not searched again."""
    return state.may_bomb[seat] and state.current.holds_legal_bomb(seat)


def _ask_for_bomb(state: MatchState, seat: Seat) -> None:
    timed = state.settings.pace is FAIR or state.settings.clock is not None
    to = state.players[seat]
    state.put(
        Ask(
            seat=seat,
            to=to,
            id=state.asks.number(to),
            kind=BOMB,
            plays=state.current.legal_bombs(seat) if state.may_bomb[seat] else [],
            window_ns=state.settings.window_ns if timed else None,
        )
    )


# --- answers


def take(state: MatchState, ask: Ask) -> None:
    """Take a checked answer to a bomb ask: an attempt, or a decline. Final either way."""
    if ask.answer is not None:
        state.ack(ask, AckStatus.RECEIVED)
    choice = ask.choice
    if state.settings.pace is FAST:
        state.thought[ask.to] += elapsed(ask)  # it is waited for: not charged, maybe dragging
    state.asks.close(ask, AckStatus.RECEIVED)
    state.window.waiting.discard(ask.seat)
    if choice is not None and choice.play is not None:
        state.window.attempts.append(Attempt((ask.seat, choice.play, AskId(ask.id))))
        state.window.feed(WindowInput.ATTEMPT)
    else:
        state.window.feed(WindowInput.DECLINE)
    close_if_all_in(state)


def compete(state: MatchState, ask: Ask) -> None:
    """Enter the bomb of an act ask that follows into the open window; a led bomb stays out."""
    choice = ask.choice
    if state.window.shut() or ask.leading or choice is None or choice.play is None:
        return
    if choice.play.is_bomb:
        state.window.attempts.append(Attempt((ask.seat, choice.play, AskId(ask.id))))
        state.window.feed(WindowInput.ATTEMPT)


def stand_down(state: MatchState, seat: Seat) -> None:
    """The hand gives up bombs out of turn; an open bomb ask about it is declined."""
    state.stood_down[seat] = True
    for ask in state.asks.of_hand(seat):
        if ask.kind is BOMB:
            surely_handed(state, ask)
            ask.choice = Choice()
            take(state, ask)


def close_if_all_in(state: MatchState) -> None:
    """Pace `fast`: the window closes when every asked seat has answered."""
    fast = state.settings.pace is FAST
    if fast and not state.window.shut() and not state.window.waiting:
        state.window.feed(WindowInput.ALL_IN)
        _close(state, state.now, opened=-1)


def due(state: MatchState) -> int | None:
    """When the window closes by time; None: only by answers, or it has not opened yet."""
    if state.settings.pace is FAST and state.settings.clock is None:
        return None
    return state.window.closes(state.settings.window_ns)


def close_at(state: MatchState, at: int) -> None:
    """The closing instant has come."""
    state.window.feed(WindowInput.DUE)
    _close(state, at, opened=state.window.opened)


def _close(state: MatchState, at: int, *, opened: int) -> None:
    window = state.window
    if state.settings.pace is FAST:
        for seat in window.waiting:
            state.thought[state.players[seat]] += at - opened
    state.asks.close_kind(BOMB, AckStatus.TOO_LATE)
    asks = state.step.asks
    if asks:  # it opened in this very step: what is over is not asked
        asks[:] = [ask for ask in asks if ask.kind is not BOMB]
    landing = _landing(state) if window.attempts else None
    state.fact(WindowClosed(at=at, opened=opened, bomber=landing.seat if landing else None))
    if landing is not None:
        _land(state, landing)
    elif state.settings.pace is FAST:
        _go_on(state)


def _landing(state: MatchState) -> Attempt:
    owner = state.current.owner
    if owner is None:
        raise RefereeBug("a bomb window over an empty table")
    return strongest(
        state.window.attempts,
        order=state.current.seating.after[owner],
        arbitration=state.settings.rules.bomb_arbitration,
    )


def _go_on(state: MatchState) -> None:
    """Nothing landed: what waited for the close takes effect (pace `fast`)."""
    if state.held is not None:
        turns.release(state, state.held)
    elif state.forced is not None:
        turns.pass_forced(state)


def _land(state: MatchState, landing: Attempt) -> None:
    """The strongest bomb is played; the provisional ask and all that rides on it is void."""
    state.ahead = None
    state.held = None
    state.forced = None
    state.grid = -1
    for ask in list(state.asks.all()):
        if ask.seat == landing.seat and ask.id == landing.ask_id:
            _land_own_act(state, ask)
        else:
            _void(state, ask)
    turns.play(state, landing.seat, landing.bomb, 0)


def _land_own_act(state: MatchState, ask: Ask) -> None:
    """The seat on turn bombed with its act ask: that answer is in force."""
    state.ack(ask, AckStatus.APPLIED, charged=turns.charge(state, ask))
    state.asks.close(ask, AckStatus.APPLIED)
    if ask.choice is not None:
        turns.ride(state, ask.seat, ask.choice)


def _void(state: MatchState, ask: Ask) -> None:
    if ask.answer is not None:
        state.ack(ask, AckStatus.VOID_BOMBED)
    state.cancel(ask, CancelReason.BOMBED, AckStatus.VOID_BOMBED)
