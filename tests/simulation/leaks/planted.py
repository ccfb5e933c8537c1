"""Leaks planted in the referee: what a seat is told or can time depends on hands of others."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import msgspec
import pytest

from referee.app import delivery, holding
from referee.app.running import RunningMatch
from referee.match import answers, checks, rounds, substitute, turns, windows
from referee.match.facts import CallMade
from referee.match.inputs import Answer, Deal
from referee.match.state import MatchState
from referee.match.step import Ask, RoundStarted, Step
from referee.match.values import AckStatus
from referee.ports import Codec
from referee.rules import views
from referee.rules.hands import hand_has_bomb
from referee.rules.round import Round
from referee.rules.seat import Seat

Patch = pytest.MonkeyPatch
Plant = Callable[[Patch], None]


def _a_bomb_is_held(hands: Sequence[int]) -> bool:
    return any(map(hand_has_bomb, hands))


def _others_hold_one(position: Round, seat: int) -> bool:
    return _a_bomb_is_held([hand for at, hand in enumerate(position.hands) if at != seat])


# --- what is said


def may_call_by_others_bombs(patch: Patch) -> None:
    """A seat may call Tichu as long as nobody else holds a bomb."""
    real = turns.may_call_tichu

    def planted(state: MatchState, position: Round, seat: Seat) -> bool:
        return real(state, position, seat) and not _others_hold_one(position, seat)

    patch.setattr(turns, "may_call_tichu", planted)


def bombs_of_the_partner_listed(patch: Patch) -> None:
    """A bomb ask lists the bombs of the partner too."""
    real = windows._ask_for_bomb

    def planted(state: MatchState, seat: Seat) -> None:
        real(state, seat)
        partner = Seat((seat + 2) % 4)
        if state.current.hands[partner]:
            state.step.asks[-1].plays.extend(state.current.legal_bombs(partner))

    patch.setattr(windows, "_ask_for_bomb", planted)


def refusal_names_the_holder(patch: Patch) -> None:
    """A card that is not held is refused with the seat that holds it."""
    real = answers._refuse

    def planted(state: MatchState, ask: Ask, answer: Answer, objection: checks.Objection) -> None:
        code, text = objection
        cards = getattr(answer.decision, "cards", ())
        if state.round is not None and cards:
            held = [at for at, hand in enumerate(state.current.hands) if hand >> cards[0] & 1]
            text = f"seat {held} holds it"
        real(state, ask, answer, (code, text))

    patch.setattr(answers, "_refuse", planted)


def _view_changed(patch: Patch, change: Callable[[Round], Mapping[str, object]]) -> None:
    real = views.public_view

    def planted(position: Round) -> views.PublicView:
        return msgspec.structs.replace(real(position), **change(position))

    patch.setattr(views, "public_view", planted)


def counts_without_bombs(patch: Patch) -> None:
    """A hand with a bomb counts one card less in snapshots."""

    def change(position: Round) -> Mapping[str, object]:
        counts = [hand.bit_count() - hand_has_bomb(hand) for hand in position.hands]
        return {"hand_counts": tuple(max(0, count) for count in counts)}

    _view_changed(patch, change)


def wish_shown_where_it_binds(patch: Patch) -> None:
    """A snapshot shows the wish only if the seat on turn holds a card of the rank."""

    def change(position: Round) -> Mapping[str, object]:
        rank, turn = position.wish, position.turn
        held = turn is not None and position.hands[turn] >> 4 * rank & 15
        return {"wish": rank if held else 0}

    _view_changed(patch, change)


def calls_in_the_order_of_hands(patch: Patch) -> None:
    """Decisions of one moment are told with the strongest hand first."""
    real = delivery._events

    def planted(match: RunningMatch, step: Step, codec: Codec) -> None:
        made = [i for i, event in enumerate(step.events) if isinstance(event, CallMade)]
        position = match.machine._state.round
        if made and position is not None:
            calls = [event for event in step.events if isinstance(event, CallMade)]
            calls.sort(key=lambda call: -position.hands[call.seat])
            for place, call in zip(made, calls, strict=True):
                step.events[place] = call
        real(match, step, codec)

    patch.setattr(delivery, "_events", planted)


def applied_at_once_without_bombs(patch: Patch) -> None:
    """An answer in turn is acknowledged APPLIED at once where nobody holds a bomb."""
    real = turns.take

    def planted(state: MatchState, ask: Ask) -> None:
        place = len(state.step.acks)
        free = not _a_bomb_is_held(state.current.hands)
        real(state, ask)
        if free and ask.answer is not None:
            told = msgspec.structs.replace(state.step.acks[place], status=AckStatus.APPLIED)
            state.step.acks[place] = told

    patch.setattr(turns, "take", planted)


def gift_to_the_weaker_hand(patch: Patch) -> None:
    """The substitute for a gift looks into the hands of those who may get it."""

    def planted(seats: Sequence[Seat], giver: Seat, position: Round) -> Seat:
        return min(seats, key=lambda seat: position.hands[seat] % 7919)

    patch.setattr(substitute, "_fullest", planted)


def provisional_where_a_bomb_is(patch: Patch) -> None:
    """The next ask is provisional only if somebody could bomb."""
    real = turns.ask_next

    def planted(state: MatchState, *, provisional: bool) -> None:
        real(state, provisional=provisional and _a_bomb_is_held(state.current.hands))

    patch.setattr(turns, "ask_next", planted)


def time_by_the_number_of_holders(patch: Patch) -> None:
    """A bomb ask tells a shorter time the fewer could bomb."""
    real = windows._ask_for_bomb

    def planted(state: MatchState, seat: Seat) -> None:
        real(state, seat)
        ask = state.step.asks[-1]
        if ask.window_ns is not None:
            ask.window_ns -= 3_000_000 * sum(map(hand_has_bomb, state.current.hands))

    patch.setattr(windows, "_ask_for_bomb", planted)


def commitment_of_the_order(patch: Patch) -> None:
    """The commitment is a hash of the hands without any salt, so it tells equal deals."""
    real = rounds.deal

    def planted(state: MatchState, what: Deal) -> None:
        real(state, what)
        digest = hashlib.sha256(repr(state.current.hands).encode()).digest()
        events = state.step.events
        place = next(i for i, e in enumerate(events) if isinstance(e, RoundStarted))
        events[place] = msgspec.structs.replace(events[place], commitment=digest)

    patch.setattr(rounds, "deal", planted)


# --- what is told by time


def only_holders_asked(patch: Patch) -> None:
    """In `fair` only seats that hold a bomb are asked for one; none holds one, no window."""
    real = windows.open_window

    def planted(state: MatchState, position: Round) -> None:
        if _a_bomb_is_held(position.hands):
            real(state, position)
        else:
            turns.ask_next(state, provisional=True)

    patch.setattr(windows, "open_window", planted)


def shorter_window_without_bombs(patch: Patch) -> None:
    """A window lasts a tenth less if nobody could bomb."""
    real = windows.due

    def planted(state: MatchState) -> int | None:
        closes = real(state)
        free = closes is not None and not _a_bomb_is_held(state.current.hands)
        return closes - state.settings.window_ns // 10 if closes is not None and free else closes

    patch.setattr(windows, "due", planted)


def window_closes_with_the_last_word(patch: Patch) -> None:
    """In `fair` a bomb is played as soon as all have answered."""
    real = windows.take

    def planted(state: MatchState, ask: Ask) -> None:
        real(state, ask)
        window = state.window
        if not window.shut() and not window.waiting and window.attempts:
            windows.close_at(state, state.now)

    patch.setattr(windows, "take", planted)


def answers_applied_at_their_stamp(patch: Patch) -> None:
    """In `fair` an answer takes effect at its stamp, not at a multiple of the window."""
    real = turns.release_due

    def planted(state: MatchState) -> int | None:
        due = real(state)
        if due is None or state.held is None or not state.window.shut():
            return due
        return max(state.held.stamp, state.now)

    patch.setattr(turns, "release_due", planted)


def a_moment_later_with_a_bomb(patch: Patch) -> None:
    """In `fair` answers take effect a millisecond later where somebody holds a bomb."""
    real = turns.release_due

    def planted(state: MatchState) -> int | None:
        due = real(state)
        if due is None or state.held is None:
            return due
        return due + 1_000_000 * _a_bomb_is_held(state.current.hands)

    patch.setattr(turns, "release_due", planted)


def held_back_by_the_pacing(patch: Patch) -> None:
    """The window waits for the frame of a seat that owes a reply, as long as its pacing wants."""
    patch.setattr(holding.Holding, "paces_all", False)


SAID: Mapping[str, Plant] = MappingProxyType(
    {
        plant.__name__: plant
        for plant in (
            may_call_by_others_bombs,
            refusal_names_the_holder,
            counts_without_bombs,
            calls_in_the_order_of_hands,
            applied_at_once_without_bombs,
            gift_to_the_weaker_hand,
            provisional_where_a_bomb_is,
            commitment_of_the_order,
        )
    }
)
IN_FAIR: Mapping[str, Plant] = MappingProxyType(
    {
        plant.__name__: plant
        for plant in (
            bombs_of_the_partner_listed,
            wish_shown_where_it_binds,
            time_by_the_number_of_holders,
            only_holders_asked,
            shorter_window_without_bombs,
            window_closes_with_the_last_word,
            answers_applied_at_their_stamp,
            a_moment_later_with_a_bomb,
            held_back_by_the_pacing,
        )
    }
)
