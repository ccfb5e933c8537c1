"""A match that begins in the middle: a machine in a given position, with the asks it has there.

For those who put one position to a bot. All asks are made, and all answers judged, by the parts
that play whole matches.
"""

from referee.match import barriers, calls, turns, windows
from referee.match.machine import Machine
from referee.match.state import MatchState
from referee.match.step import Ask
from referee.match.values import AskKind, MatchConfig
from referee.rules.errors import RefereeBug
from referee.rules.hands import hand_has_bomb
from referee.rules.phases import Phase
from referee.rules.round import Round
from referee.rules.seat import Seat

_TURNS = (Phase.PLAY, Phase.CLOSING, Phase.DRAGON, Phase.DOG)


def machine_at(
    config: MatchConfig, position: Round, *, window: bool = False, events: int = 0
) -> Machine:
    """Return a machine whose first round stands in `position`, its asks put but not handed over.

    `window`: the last act opened a bomb window; the asks of pace `fair` are the same whoever holds
    a bomb. `events` is how many were told before. The position becomes the machine's own. Raises
    `RefereeBug` where the round is over.
    """
    machine = Machine(config)
    state = machine._state  # this module is a part of the machine, as those that it calls
    state.needs_deal = False
    state.round_number = 1
    state.score.totals = position.scores_before
    state.event_number = events
    state.begin(position)
    state.shown = list(position.dealt_hands)
    _ask(state, position, window=window)
    machine._note_due()
    return machine


def ask_of(machine: Machine, hand: Seat, kind: AskKind) -> Ask | None:
    """Return the open ask of a kind about a hand, None where there is none."""
    asks = machine.open_asks(machine.player_of(hand))
    return next((ask for ask in asks if ask.seat == hand and ask.kind is kind), None)


def _ask(state: MatchState, position: Round, *, window: bool) -> None:
    if position.phase in (Phase.GREAT_GRAND, Phase.GRAND, Phase.REFUSAL):
        calls.ask_calls(state)
    elif position.phase is Phase.EXCHANGE:
        barriers.ask_exchange(state)
    elif position.phase in _TURNS:
        state.may_bomb = [hand_has_bomb(hand) for hand in position.hands]
        if window and windows.opens(state, position):
            windows.open_window(state, position)
        else:
            turns.ask_next(state, provisional=False)
    else:
        raise RefereeBug(f"nobody owes a decision in phase {position.phase}")
