"""Faults planted in the rules of the referee, to see whether the auditor finds them."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from referee.match import barriers, substitute
from referee.match.state import MatchState
from referee.match.step import Ask, Choice
from referee.rules import combinations, round_checks, scoring
from referee.rules.cards import PHOENIX, card_points
from referee.rules.combinations import Combination
from referee.rules.phases import CALL_VALUE, CallKind, Phase
from referee.rules.round import Round
from referee.rules.seat import Seat

if TYPE_CHECKING:
    pass

Patch = pytest.MonkeyPatch
Plant = Callable[[Patch], None]


def wish_never_binds(patch: Patch) -> None:
    """A seat that could fulfil the wish plays or passes what it likes."""
    patch.setattr(Round, "_wish_binds", lambda self, seat, play: False)
    patch.setattr(round_checks, "can_fulfil", lambda hand, table, wish: False)


def wish_forgotten(patch: Patch) -> None:
    """A wish lasts for one play, fulfilled or not."""
    real = Round.play_checked

    def play_checked(self: Round, seat: Seat, play: Combination, wish: int | None = None) -> None:
        if self.wish:
            self.wish = 0
        real(self, seat, play, wish)

    patch.setattr(Round, "play_checked", play_checked)


def trick_to_the_next_seat(patch: Patch) -> None:
    """The cards of a trick go to the seat after its winner."""
    real = Round._take_trick
    patch.setattr(Round, "_take_trick", lambda self, seat: real(self, Seat((seat + 1) % self.n)))


def wrong_leader(patch: Patch) -> None:
    """After a trick the seat after its winner leads."""
    real = Round.collect

    def collect(self: Round) -> object:
        refused = real(self)
        if self.phase is Phase.PLAY and self.turn is not None:
            self.turn = self.next_holder(self.turn)
        return refused

    patch.setattr(Round, "collect", collect)


def phoenix_costs_nothing(patch: Patch) -> None:
    """The Phoenix counts 0 instead of -25."""
    patch.setattr(scoring, "card_points", lambda c: card_points(c) + (25 if c & PHOENIX else 0))


def dragon_kept(patch: Patch) -> None:
    """Who wins a trick with the Dragon keeps it."""
    patch.setattr(Round, "_dragon_on_top", lambda self: False)


def call_worth_half(patch: Patch) -> None:
    """A Tichu is worth 50 points."""
    patch.setitem(CALL_VALUE, CallKind.TICHU, 50)


def last_hand_kept(patch: Patch) -> None:
    """The cards that the last seat still holds count for nobody."""
    real = scoring.card_points_by_team

    def by_team(hands, won, *rest):  # type: ignore[no-untyped-def]
        return real([0] * len(hands), won, *rest)

    patch.setattr("referee.rules.round_results.card_points_by_team", by_team)


def equal_is_higher(patch: Patch) -> None:
    """A play as high as the table is accepted."""
    real = combinations.beats

    def beats(play: Combination, table: Combination) -> bool:
        same = (play.kind, play.length, play.rank2) == (table.kind, table.length, table.rank2)
        return same or real(play, table)

    patch.setattr(round_checks, "beats", beats)


def exchange_cards_swapped(patch: Patch) -> None:
    """The first and the last card that a seat gives change places."""
    real = barriers.take_exchange

    def take(state: MatchState, ask: Ask, choice: Choice) -> None:
        real(state, ask, Choice(cards=choice.cards[::-1], tichu=choice.tichu))

    patch.setattr(barriers, "take_exchange", take)


def calls_not_held(patch: Patch) -> None:
    """A Tichu in the exchange is published at once."""
    real = barriers.hold_call

    def hold(state: MatchState, seat: Seat, request_id: int | None = None) -> None:
        if request_id is None and state.current.check_call(seat, CallKind.TICHU) is None:
            state.make_call(seat, CallKind.TICHU)
        else:
            real(state, seat, request_id)

    patch.setattr(barriers, "hold_call", hold)


def nobody_chooses_again(patch: Patch) -> None:
    """After a call in the exchange the old choices stand."""
    patch.setattr(barriers, "_asked_again", lambda state, callers: [])


def substitute_bombs(patch: Patch) -> None:
    """The substitute action throws a bomb where there is one."""
    real = substitute._act

    def act(ask: Ask, position: Round) -> Choice:
        bombs = [play for play in ask.plays if play.is_bomb]
        return Choice(play=bombs[0]) if bombs else real(ask, position)

    patch.setattr(substitute, "_act", act)


def substitute_plays_high(patch: Patch) -> None:
    """The substitute action leads the last of the list."""
    patch.setattr(substitute, "_first_play", lambda plays: plays[-1])


def double_victory_missed(patch: Patch) -> None:
    """Partners who go out first and second end nothing."""
    for module in ("referee.rules.scoring", "referee.rules.round_results"):
        patch.setattr(f"{module}.is_double_victory", lambda out, options: False)


RULE_FAULTS: tuple[Plant, ...] = (
    wish_never_binds,
    wish_forgotten,
    trick_to_the_next_seat,
    wrong_leader,
    phoenix_costs_nothing,
    dragon_kept,
    call_worth_half,
    last_hand_kept,
    equal_is_higher,
    exchange_cards_swapped,
    calls_not_held,
    nobody_chooses_again,
    substitute_bombs,
    substitute_plays_high,
    double_victory_missed,
)
