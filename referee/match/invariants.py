"""What must hold between two steps of any match. Checked after every step of every test."""

from collections.abc import Callable

from referee.match.state import MatchState
from referee.match.values import AskKind, Pace
from referee.match.window import WindowState
from referee.rules.cards import mask_of, pack
from referee.rules.errors import RefereeBug
from referee.rules.phases import Phase
from referee.rules.seat import Seat


def check_invariants(state: MatchState) -> None:
    """Raise `RefereeBug` naming the invariant that does not hold."""
    for check in _INVARIANTS:
        if not check(state):
            story = (check.__doc__ or check.__name__).strip()
            raise RefereeBug(
                f"match {state.config.match_id} round {state.round_number} "
                f"at {state.now} ns: {story}"
            )


def _cards_conserved(state: MatchState) -> bool:
    """Every card of the pack lies in one place: a hand, the trick, or a pile."""
    if state.round is None or state.round.phase is Phase.ROUND_OVER:
        return True
    places = [*state.round.hands, *state.round.won, state.round.trick]
    dog_gone = sum(places) | 1 << 1  # the Dog is laid aside once it is played
    whole = mask_of(pack(state.settings.rules)) | 1 << 1
    return sum(p.bit_count() for p in places) >= whole.bit_count() - 1 and dog_gone == whole


def _banks(state: MatchState) -> bool:
    """No bank is overdrawn, and none grows."""
    clock = state.settings.clock
    limit = clock.bank_ns if clock else 0
    return all(0 <= bank <= limit for bank in state.banks)


def _somebody_owes(state: MatchState) -> bool:
    """A match that is not over waits for a deal, an open ask, a window, or a held answer."""
    waits = state.needs_deal or state.held is not None or not state.window.shut()
    return state.over or waits or any(True for _ in state.asks.all())


def _over_is_quiet(state: MatchState) -> bool:
    """Nothing is open after the end."""
    if not state.over:
        return True
    return state.window.shut() and state.held is None and not any(True for _ in state.asks.all())


def _window_on_cards(state: MatchState) -> bool:
    """A window is open only over cards on the table, in play."""
    if state.window.shut():
        return True
    position = state.current
    return position.table is not None and position.phase in (Phase.PLAY, Phase.CLOSING)


def _bomb_asks_in_windows(state: MatchState) -> bool:
    """Bomb asks are open only while a window is."""
    return not state.window.shut() or all(a.kind is not AskKind.BOMB for a in state.asks.all())


def _one_act(state: MatchState) -> bool:
    """At most one seat owes an act or a choice of a seat."""
    acting = [a for a in state.asks.all() if a.kind in (AskKind.ACT, AskKind.CHOOSE_SEAT)]
    return len(acting) <= 1


def _ahead_is_provisional(state: MatchState) -> bool:
    """A position ahead exists only in a closing trick."""
    return state.ahead is None or state.current.phase is Phase.CLOSING


def _forced_only_in_fast(state: MatchState) -> bool:
    """The referee passes for nobody in pace `fair`."""
    return state.forced is None or state.settings.pace is Pace.FAST


def _no_bomb_grows(state: MatchState) -> bool:
    """A seat that is known to hold no bomb has none."""
    if state.round is None or state.round.phase not in (Phase.PLAY, Phase.CLOSING):
        return True
    return all(
        state.may_bomb[seat] or not state.round.legal_bombs(Seat(seat)) for seat in range(state.n)
    )


_DECIDING = (Phase.GREAT_GRAND, Phase.GRAND, Phase.REFUSAL, Phase.EXCHANGE)


def _barrier_in_its_phases(state: MatchState) -> bool:
    """Decisions are owed together exactly while calls or the exchange are owed."""
    deciding = not state.over and state.round is not None and state.round.phase in _DECIDING
    return deciding == (state.barrier is not None)


def _choices_wait(state: MatchState) -> bool:
    """An ask that has its choice waits at a barrier or is the held one."""
    return all(
        ask.choice is None or state.barrier is not None or ask is state.held
        for ask in state.asks.all()
    )


def _held_has_its_choice(state: MatchState) -> bool:
    """An answer that waits to take effect was checked."""
    return state.held is None or state.held.choice is not None


def _ahead_knows_the_calls(state: MatchState) -> bool:
    """A call made while a trick closes counts in the position ahead, too."""
    return state.ahead is None or state.ahead.calls == state.current.calls


def _stood_down_is_not_asked(state: MatchState) -> bool:
    """A seat that stood down has no bomb ask."""
    return all(a.kind is not AskKind.BOMB or not state.stood_down[a.seat] for a in state.asks.all())


def _quotas(state: MatchState) -> bool:
    """No lag quota is overspent, and none grows."""
    clock = state.settings.clock
    limit = clock.lag_quota_ns if clock else 0
    return all(0 <= quota <= limit for quota in state.quotas)


def _lag_of_running_clocks(state: MatchState) -> bool:
    """Lag is granted within its cap, to a clock that runs, and never in a window."""
    clock = state.settings.clock
    cap = clock.lag_cap_ns if clock else 0
    return all(
        0 <= ask.lag <= cap and (not ask.lag or (ask.base_ns is not None and ask.sent >= 0))
        for ask in state.asks.all()
    )


def _charged_once_chosen(state: MatchState) -> bool:
    """An open ask is charged only if it has its choice."""
    return all(ask.charged < 0 or ask.choice is not None for ask in state.asks.all())


def _open_once_handed(state: MatchState) -> bool:
    """A window is open only once every ask was handed over."""
    handed = all(ask.sent >= 0 for ask in state.asks.all())
    return handed or state.window.state is not WindowState.OPEN


def _players_hold_their_hands(state: MatchState) -> bool:
    """An ask goes to the player of its hand: to the soloist for the Tisch, else to the seat."""
    return all(
        ask.to == state.players[ask.seat] and (ask.to == ask.seat or _is_tisch(state, ask.seat))
        for ask in state.asks.all()
    )


def _is_tisch(state: MatchState, seat: Seat) -> bool:
    return state.round is not None and seat == state.round.seating.tisch


def _exchange_paused_in_refusals(state: MatchState) -> bool:
    """The exchange is interrupted only while a call that was made in it may be refused."""
    if state.paused is None:
        return True
    position = state.current
    return position.phase is Phase.REFUSAL and position.interrupted is Phase.EXCHANGE


def _nothing_lies_in_refusals(state: MatchState) -> bool:
    """A call is refused before any card is played."""
    refusing = state.round is not None and state.round.phase is Phase.REFUSAL
    return not refusing or not any(state.current.has_played)


def _forfeits_end(state: MatchState) -> bool:
    """A forfeit ends the match in its own instant."""
    return not state.failures


_INVARIANTS: tuple[Callable[[MatchState], bool], ...] = (
    _cards_conserved,
    _banks,
    _somebody_owes,
    _over_is_quiet,
    _window_on_cards,
    _bomb_asks_in_windows,
    _one_act,
    _ahead_is_provisional,
    _forced_only_in_fast,
    _no_bomb_grows,
    _barrier_in_its_phases,
    _choices_wait,
    _held_has_its_choice,
    _ahead_knows_the_calls,
    _stood_down_is_not_asked,
    _quotas,
    _lag_of_running_clocks,
    _charged_once_chosen,
    _open_once_handed,
    _players_hold_their_hands,
    _exchange_paused_in_refusals,
    _nothing_lies_in_refusals,
    _forfeits_end,
)
