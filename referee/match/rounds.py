"""Rounds in a match: the deal, entering the phases, the end of a round."""

from referee.match import barriers, calls, endings, turns
from referee.match.dealing import dealt_round
from referee.match.facts import Dealt, RoundEnded
from referee.match.inputs import Deal
from referee.match.state import MatchState
from referee.match.step import CardsDealt, RoundStarted
from referee.match.values import Ending
from referee.rules.errors import RefereeBug
from referee.rules.hands import hand_has_bomb
from referee.rules.option_values import Variant
from referee.rules.phases import CallKind, Phase
from referee.rules.round import Round
from referee.rules.seat import Seat
from referee.rules.shuffle import commit


def deal(state: MatchState, what: Deal) -> None:
    """Begin a round with its deal seed."""
    if not state.needs_deal or state.over:
        raise RefereeBug("a deal was fed that the machine does not wait for")
    rules = state.settings.rules
    state.needs_deal = False
    state.round_number += 1
    state.round_event = state.event_number + 1
    state.actions = 0
    state.wall = state.settings.wall_ns(seats=state.n, round_number=state.round_number)
    state.stood_down = [False] * state.n
    state.shown = [0] * state.n
    dealt = _dealt(state, what)
    position = dealt_round(dealt, rules)
    state.begin(position)
    state.fact(dealt)
    seats = position.seating
    state.event(
        RoundStarted(
            round=dealt.round,
            dealer=dealt.dealer,
            commitment=bytes.fromhex(dealt.commitment),
            totals=dealt.totals,
            order=seats.order,
            teams=seats.teams,
            ranks=dealt.ranks,
            soloist=seats.soloist,
            tisch=seats.tisch,
        )
    )
    enter_phase(state)


def _dealt(state: MatchState, what: Deal) -> Dealt:
    score = state.score
    order = score.turn_order or ()
    return Dealt(
        at=state.now,
        round=state.round_number,
        dealer=score.dealer,
        seed=what.seed,
        commitment=commit(state.config.match_id, bytes.fromhex(what.seed)).hex(),
        totals=tuple(score.totals),
        order=() if order == tuple(range(state.n)) else order,
        ranks=score.ranks,
        cards=what.cards,
    )


def enter_phase(state: MatchState) -> None:
    """Show the cards that the phase deals, and ask for what it owes."""
    position = state.current
    if position.phase is Phase.ROUND_OVER:  # a call was refused
        barriers.drop_paused(state)
        end_round(state)
        return
    _show_cards(state)
    if position.phase in (Phase.GREAT_GRAND, Phase.GRAND, Phase.REFUSAL):
        calls.ask_calls(state)
    elif position.phase is Phase.EXCHANGE:
        barriers.ask_exchange(state)
    else:
        state.may_bomb = [hand_has_bomb(hand) for hand in position.hands]
        turns.ask_next(state, provisional=False)


def _show_cards(state: MatchState) -> None:
    position = state.current
    if position.stage is Phase.GREAT_GRAND:
        return
    first = position.stage is Phase.GRAND
    hands = list(position.dealt_hands)
    soloist, tisch = position.seating.soloist, position.seating.tisch
    if first and tisch is not None:
        hands[tisch] = 0  # the soloist sees it with all its cards (G3)
    new = tuple(hand & ~shown for hand, shown in zip(hands, state.shown, strict=True))
    state.shown = hands
    if any(new):
        state.event(CardsDealt(hands=new, complete=not first, soloist=soloist, tisch=tisch))


def end_round(state: MatchState) -> None:
    """Publish the score of a finished round; then the next deal, or the end of the match."""
    position, score = state.current, state.score
    if position.phase is not Phase.ROUND_OVER:
        raise RefereeBug(f"the round is not over: {position.phase}")
    order = position.finishing_order
    score.add(position.round_score, order=order)
    counted = position.refused is None and not position.double_victory
    state.public(
        RoundEnded(
            at=state.now,
            round=state.round_number,
            points=position.round_score,
            card_points=position.card_points if counted else (),
            calls=_call_results(position) if position.refused is None else (),
            double_victory=position.double_victory,
            totals=tuple(score.totals),
            ranks=order if state.settings.rules.variant is Variant.GRAND_SEIGNEUR else (),
            refused=position.refused,
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
    return tuple(
        (Seat(seat), call, won, position.call_points(Seat(seat)))
        for seat, (call, won) in enumerate(position.call_results)
        if call is not None
    )
