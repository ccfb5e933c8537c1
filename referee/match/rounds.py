"""Rounds in a match: the deal, entering the phases, the end of a round."""

from referee.match import barriers, endings, turns
from referee.match.facts import Dealt, RoundEnded
from referee.match.inputs import Deal
from referee.match.state import MatchState
from referee.match.step import CardsDealt, RoundStarted
from referee.match.values import Ending
from referee.rules.cards import pack
from referee.rules.errors import RefereeBug
from referee.rules.hands import hand_has_bomb
from referee.rules.phases import CallKind, Phase
from referee.rules.round import Round
from referee.rules.scoring import seat_call_points
from referee.rules.seat import Seat
from referee.rules.shuffle import commit, shuffle


def deal(state: MatchState, what: Deal) -> None:
    """Begin a round with its deal seed."""
    if not state.needs_deal or state.over:
        raise RefereeBug("a deal was fed that the machine does not wait for")
    rules = state.settings.rules
    seed = bytes.fromhex(what.seed)
    state.needs_deal = False
    state.round_number += 1
    state.round_event = state.event_number + 1
    state.actions = 0
    state.wall = state.settings.wall_ns(seats=state.n, round_number=state.round_number)
    state.stood_down = [False] * state.n
    state.shown = [0] * state.n
    dealer = state.score.dealer
    state.round = Round.deal(shuffle(seed, pack(rules)), dealer=dealer, options=rules)
    commitment = commit(state.config.match_id, seed)
    totals = tuple(state.score.totals)
    state.fact(
        Dealt(
            at=state.now,
            round=state.round_number,
            dealer=dealer,
            seed=what.seed,
            commitment=commitment.hex(),
            totals=totals,
        )
    )
    state.event(
        RoundStarted(round=state.round_number, dealer=dealer, commitment=commitment, totals=totals)
    )
    enter_phase(state)


def enter_phase(state: MatchState) -> None:
    """Show the cards that the phase deals, and ask for what it owes."""
    position = state.current
    _show_cards(state)
    if position.phase in (Phase.GREAT_GRAND, Phase.GRAND):
        barriers.ask_calls(state)
    elif position.phase is Phase.EXCHANGE:
        barriers.ask_exchange(state)
    else:
        state.may_bomb = [hand_has_bomb(hand) for hand in position.hands]
        turns.ask_next(state, provisional=False)


def _show_cards(state: MatchState) -> None:
    position = state.current
    if position.phase is Phase.GREAT_GRAND:
        return
    first = position.phase is Phase.GRAND
    hands = list(position.dealt_first if first else position.hands)
    new = tuple(hand & ~shown for hand, shown in zip(hands, state.shown, strict=True))
    state.shown = hands
    if any(new):
        state.event(CardsDealt(hands=new, complete=not first))


def end_round(state: MatchState) -> None:
    """Publish the score of a finished round; then the next deal, or the end of the match."""
    position, score = state.current, state.score
    if position.phase is not Phase.ROUND_OVER:
        raise RefereeBug(f"the round is not over: {position.phase}")
    score.add(position.round_score, first_out=position.first_out)
    state.public(
        RoundEnded(
            at=state.now,
            round=state.round_number,
            points=position.round_score,
            card_points=() if position.double_victory else position.card_points,
            calls=_call_results(position),
            double_victory=position.double_victory,
            totals=tuple(score.totals),
        )
    )
    if score.is_over:
        endings.end_match(state, Ending.COMPLETED)
    elif state.round_number >= state.settings.max_rounds:
        endings.end_match(state, Ending.ABANDONED)
    else:
        state.needs_deal = True


def _call_results(position: Round) -> tuple[tuple[Seat, CallKind, bool, int], ...]:
    """Each bet of the round: the caller, the bet, whether it was won, and what it added."""
    first = position.out[0]
    return tuple(
        (
            Seat(seat),
            call,
            won,
            seat_call_points(position.calls, Seat(seat), first, position.options),
        )
        for seat, (call, won) in enumerate(position.call_results)
        if call is not None
    )
