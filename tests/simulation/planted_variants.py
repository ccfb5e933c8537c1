"""Faults planted in the other games of the box: who sees what, who gives what, who scores what."""

from collections.abc import Callable, Sequence

import pytest

from referee.match import state
from referee.match.state import MatchState
from referee.match.step import Ask, BidsShown, CardsDealt, Event, HandShown
from referee.rules import exchanges, match_score, round_results, scoring
from referee.rules.call_checks import CallChecks
from referee.rules.options import RuleOptions
from referee.rules.phases import TICHU, CallKind
from referee.rules.round import Round
from referee.rules.round_checks import RoundChecks
from referee.rules.round_state import RoundState
from referee.rules.seat import Seat
from referee.rules.seating import Seating
from referee.rules.wish import can_fulfil
from tests.simulation.planted_match import everywhere
from tests.simulation.service.games import Game

Patch = pytest.MonkeyPatch
Plant = Callable[[Patch], None]


# --- Trichu


def wish_binds_the_tisch(patch: Patch) -> None:
    """The Tisch may not pass where it could fulfil a wish."""

    def must_fulfil(self: RoundChecks, seat: Seat) -> bool:
        return can_fulfil(self.hands[seat], self.table, self.wish)

    patch.setattr(RoundChecks, "_must_fulfil", must_fulfil)


def tisch_dealt_to_all(patch: Patch) -> None:
    """Everybody is told the Tisch's cards with the own ones, when all are dealt."""
    real = CardsDealt.seen_by

    def seen_by(self: CardsDealt, seat: Seat) -> tuple[tuple[Seat, int], ...]:
        if self.tisch is None or not self.complete:
            return real(self, seat)
        return ((seat, self.hands[seat]), (self.tisch, self.hands[self.tisch]))

    patch.setattr(CardsDealt, "seen_by", seen_by)


def tisch_stays_hidden(patch: Patch) -> None:
    """After the exchange the Tisch is not laid open."""
    real = MatchState.event

    def event(self: MatchState, what: Event) -> None:
        if not isinstance(what, HandShown):
            real(self, what)

    patch.setattr(MatchState, "event", event)


def soloist_stays(patch: Patch) -> None:
    """Seat 0 is the soloist of every round."""
    patch.setattr(match_score, "soloist_of", lambda rounds_played: Seat(0))


def tisch_scores_against_itself(patch: Patch) -> None:
    """The Tisch's column gets the points of the opponents."""
    real = round_results.in_columns

    def in_columns(
        by_team: tuple[int, ...], seats: Seating, options: RuleOptions
    ) -> tuple[int, ...]:
        columns = real(by_team, seats, options)
        if seats.tisch is None:
            return columns
        return tuple(
            by_team[1] if seat == seats.tisch else points for seat, points in enumerate(columns)
        )

    patch.setattr(round_results, "in_columns", in_columns)


def one_bank_for_two_hands(patch: Patch) -> None:
    """What the Tisch's decisions cost is paid from the bank of the soloist's own hand."""
    real = state.settle

    def settle(match: MatchState, ask: Ask) -> int:
        before = match.banks[ask.seat]
        charged = real(match, ask)
        if ask.to != ask.seat:
            match.banks[ask.seat] = before
            match.banks[ask.to] = max(0, match.banks[ask.to] - charged)
        return charged

    everywhere(patch, real, settle)


def soloist_decides_on_grand(patch: Patch) -> None:
    """The soloist may call Grand as well."""

    def deciders(options: RuleOptions, seats: Seating) -> tuple[Seat, ...]:
        return tuple(seat for seat in seats.order if seat != seats.tisch)

    patch.setattr("referee.rules.round_state.grand_deciders", deciders)
    patch.setattr("referee.rules.call_checks.grand_deciders", deciders)


# --- Tientsin


def triple_victory_worth_200(patch: Patch) -> None:
    """A team that is out first, second and third gets 200."""
    patch.setattr(round_results, "victory_points", lambda options: 200)


def fifth_keeps_its_tricks(patch: Patch) -> None:
    """The tricks of the fifth stay with its team."""
    real = scoring.pile_heirs

    def heirs(
        order: Sequence[Seat], seating: Seating, options: RuleOptions, *, holders: int = 1
    ) -> list[int | None]:
        found = real(order, seating, options, holders=holders)
        if seating.n == 6 and holders == 1:
            found[order[-2]] = seating.teams[order[-2]]
        return found

    patch.setattr(scoring, "pile_heirs", heirs)


def dog_to_the_nearer_partner(patch: Patch) -> None:
    """The Dog's player has no choice between two partners."""
    real = RoundChecks.dog_recipients

    def recipients(self: RoundChecks, seat: Seat) -> tuple[Seat, ...]:
        return real(self, seat)[:1]

    patch.setattr(RoundChecks, "dog_recipients", recipients)


def two_opponents_for_the_dragon(patch: Patch) -> None:
    """The third opponent never gets a Dragon's trick."""
    real = RoundChecks.dragon_recipients

    def recipients(self: RoundChecks, seat: Seat) -> tuple[Seat, ...]:
        return real(self, seat)[:2]

    patch.setattr(RoundChecks, "dragon_recipients", recipients)


# --- Grand Seigneur


def seats_stay(patch: Patch) -> None:
    """The turn order of the second round does not follow the ranks."""
    patch.setattr(
        match_score, "order_of_ranks", lambda ranks, options: tuple(sorted(ranks, key=int))
    )


def first_deals(patch: Patch) -> None:
    """The first of a round deals the next one, not the last."""
    real = match_score.MatchScore.add

    def add(
        self: match_score.MatchScore, round_score: Sequence[int], *, order: Sequence[Seat] = ()
    ) -> None:
        real(self, round_score, order=order)
        if order:
            self.dealer = order[0]

    patch.setattr(match_score.MatchScore, "add", add)


def any_cards_for_the_first(patch: Patch) -> None:
    """The last may give the first what it likes."""
    patch.setattr(exchanges, "_are_forced", lambda slot, hand, cards, options: True)


def phoenix_is_best(patch: Patch) -> None:
    """In the exchange the Phoenix stands above the Dragon."""
    worth = dict(exchanges._SPECIAL_WORTH)
    low, high = sorted(worth.values())[-2:]
    swapped = {card: {low: high, high: low}.get(value, value) for card, value in worth.items()}
    patch.setattr(exchanges, "_SPECIAL_WORTH", swapped)


# --- house rules


def bids_shown_to_all(patch: Patch) -> None:
    """Everybody is shown the bids of both teams."""
    patch.setattr(BidsShown, "seen_by", lambda self, seat: self.bids)


def lower_bidder_calls(patch: Patch) -> None:
    """The lower bidder of a team calls Grand."""
    real = RoundState._bid
    patch.setattr(RoundState, "_bid", lambda self, seat: -real(self, seat))


def one_refusal_is_enough(patch: Patch) -> None:
    """A call is refused by one opponent alone."""
    real = Round._answer

    def answer(self: Round, seat: Seat, *, refuses: bool) -> None:
        last = len(self.decisions_owed()) == 1
        if last and any(self.answers):
            refuses = True
            self.answers = tuple(None if said is None else True for said in self.answers)
        real(self, seat, refuses=refuses)

    patch.setattr(Round, "_answer", answer)


def refused_call_costs_the_caller(patch: Patch) -> None:
    """Who is refused loses the points of the call."""
    real = scoring.refused_points

    def points(call: CallKind, caller: Seat, seating: Seating) -> tuple[int, ...]:
        return real(call, caller, seating)[::-1]

    patch.setattr(round_results, "refused_points", points)


def small_calls_after_the_lead(patch: Patch) -> None:
    """Where calls may be refused, a small one is taken after the first lead too."""
    real = CallChecks._call_is_late

    def is_late(self: CallChecks, seat: Seat, call: CallKind) -> bool:
        return self.has_played[seat] if call is TICHU else real(self, seat, call)

    patch.setattr(CallChecks, "_call_is_late", is_late)


VARIANT_FAULTS: tuple[tuple[Plant, Game], ...] = (
    (wish_binds_the_tisch, Game.TRICHU),
    (tisch_dealt_to_all, Game.TRICHU),
    (tisch_stays_hidden, Game.TRICHU),
    (soloist_stays, Game.TRICHU),
    (tisch_scores_against_itself, Game.TRICHU),
    (one_bank_for_two_hands, Game.TRICHU),
    (soloist_decides_on_grand, Game.TRICHU),
    (triple_victory_worth_200, Game.TIENTSIN),
    (fifth_keeps_its_tricks, Game.TIENTSIN),
    (dog_to_the_nearer_partner, Game.TIENTSIN),
    (two_opponents_for_the_dragon, Game.TIENTSIN),
    (seats_stay, Game.SEIGNEUR),
    (first_deals, Game.SEIGNEUR),
    (any_cards_for_the_first, Game.SEIGNEUR),
    (phoenix_is_best, Game.SEIGNEUR),
    (bids_shown_to_all, Game.CHAOS),
    (lower_bidder_calls, Game.CHAOS),
    (one_refusal_is_enough, Game.REFUSING),
    (refused_call_costs_the_caller, Game.REFUSING),
    (small_calls_after_the_lead, Game.REFUSING),
)
