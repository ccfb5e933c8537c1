"""Every set of bets that a round can still come to, each at its worst for a team."""

from collections.abc import Iterator, Sequence
from itertools import product

import msgspec

from referee.rules.cards import Seat
from referee.rules.option_values import HopelessCall
from referee.rules.options import TEAMS, RuleOptions
from referee.rules.phases import CALL_VALUE, CallKind, Phase
from referee.rules.round import Round
from referee.rules.round_state import grand_deciders
from referee.rules.scoring import refused_points, seat_call_points
from referee.rules.seating import Seating

Points = tuple[int, ...]  # by team
_Calls = tuple[CallKind | None, ...]
_DECIDING = (Phase.GREAT_GRAND, Phase.GRAND)


def worst_bets(position: Round, team: int) -> tuple[Points, ...]:
    """Return, by the seat that goes out first, what bets add at worst: made ones and open ones.

    Only one seat is first, so of two partners' bets at most one is won (F3).
    """
    choices = tuple([_open_bets(position, Seat(seat)) for seat in range(position.n)])
    return _Bets(choices, position.seating, position.options, _owes_grand(position)).by_first(team)


def worst_bets_before_the_deal(
    team: int, seats: Seating, options: RuleOptions
) -> tuple[Points, ...]:
    """Return the same for a round that has not begun."""
    choices: list[_Calls] = []
    for seat in range(seats.n):
        bets: list[CallKind | None] = [None, CallKind.TICHU]
        if seat in grand_deciders(options, seats):
            bets.append(CallKind.GRAND)
            if options.great_grand:
                bets.append(CallKind.GREAT_GRAND)
        choices.append(tuple(bets))
    return _Bets(tuple(choices), seats, options, options.chaos).by_first(team)


def worst_refusals(position: Round, team: int) -> Iterator[Points]:
    """Yield the points of a round that `team` ends by refusing a bet of the others.

    Of the bets that are made or still open the most valuable: none is worse to refuse.
    """
    if not position.options.refuse_call or any(position.has_played):
        return
    refusable = [
        (CALL_VALUE[bet], bet, Seat(seat))
        for seat in range(position.n)
        if position.seating.teams[seat] != team and not position.upheld[seat]
        for bet in _open_bets(position, Seat(seat))
        if bet is not None
    ]
    if refusable and position.phase is not Phase.ROUND_OVER:
        _, bet, caller = max(refusable)
        yield refused_points(bet, caller, position.seating)


def _owes_grand(position: Round) -> bool:
    """True while bids are owed: then each team will have a Grand (`chaos`)."""
    return position.options.chaos and position.phase is Phase.GRAND


def _open_bets(position: Round, seat: Seat) -> _Calls:
    """Return what a seat's bet can be at the end: the one it made, or each that it may make.

    Now is the time that allows the most: what may not be called now never may.
    """
    if position.calls[seat] is not None or position.phase is Phase.ROUND_OVER:
        return (position.calls[seat],)
    bets: list[CallKind | None] = [None]
    if _may_still_call_tichu(position, seat):
        bets.append(CallKind.TICHU)
    phase = position.phase  # in a refusal all have decided
    if phase in _DECIDING and (not position.grand_decided[seat] or position.options.chaos):
        bets.append(CallKind.GRAND)
    if phase is Phase.GREAT_GRAND and not position.great_grand_decided[seat]:
        bets.append(CallKind.GREAT_GRAND)
    return tuple(bets)


def _may_still_call_tichu(position: Round, seat: Seat) -> bool:
    options = position.options
    if position.has_played[seat] or (options.refuse_call and any(position.has_played)):
        return False
    return not (position.out and options.hopeless_call is HopelessCall.REJECTED)


class _Bets(msgspec.Struct, frozen=True):
    """What each seat's bet can be at the end, and the rules that they count by."""

    choices: tuple[_Calls, ...]  # by seat
    seats: Seating
    options: RuleOptions
    owes_grand: bool  # each team will have exactly one Grand

    def by_first(self, team: int) -> tuple[Points, ...]:
        """Return the points by team at worst for `team`, by the seat that goes out first."""
        return tuple([self._points(Seat(first), team) for first in range(self.seats.n)])

    def _points(self, first: Seat, team: int) -> Points:
        points = []
        for side in range(TEAMS):
            members = [Seat(s) for s in range(self.seats.n) if self.seats.teams[s] == side]
            added = [
                sum(seat_call_points(calls, s, first, self.seats, self.options) for s in members)
                for calls in self._of(members)
            ]
            points.append(min(added) if side == team else max(added))
        return tuple(points)

    def _of(self, members: Sequence[Seat]) -> Iterator[_Calls]:
        """Yield every set of bets that partners can end with; those of others are left out."""
        own = [bets if seat in members else (None,) for seat, bets in enumerate(self.choices)]
        for calls in product(*own):
            if self.owes_grand and calls.count(CallKind.GRAND) != 1:
                continue
            one = sum(call is not None for call in calls) <= 1
            if one or self.options.both_partners_may_call:
                yield calls
