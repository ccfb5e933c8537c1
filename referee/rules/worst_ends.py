"""Every end that a round can still come to, each at its worst for a team: no search, no play.

Looked at is every order of going out that is still possible, and in each of them every card and
every bet goes where it harms the team most. Piles, settled places and settled bets stay what they
are. Whether the hands allow such play is asked only where the answer is cheap: the truth may be
better for the team, and is never worse.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations, product

from referee.rules.cards import DRAGON, ONE_PACK, PHOENIX, Seat, card_points, count
from referee.rules.combinations import BOMB, Combination
from referee.rules.hands import hand_has_bomb
from referee.rules.legal import beating_bombs, follows
from referee.rules.option_values import DragonGiftToFinished, HopelessCall
from referee.rules.options import RuleOptions, opponents_of, seats, team_of, teams
from referee.rules.phases import CallKind, Phase
from referee.rules.round import Round
from referee.rules.scoring import is_double_victory, seat_call_points

BEFORE_PLAY = (Phase.GREAT_GRAND, Phase.GRAND, Phase.EXCHANGE)

Points = tuple[int, ...]  # by team
_Calls = tuple[CallKind | None, ...]
_TEAMS = 2  # this release plays no game with more
_BOTH = (1 << _TEAMS) - 1


def worst_bets(position: Round, team: int) -> tuple[Points, ...]:
    """Return, by the seat that goes out first, what bets add at worst: made ones and open ones.

    Only one seat is first, so of two partners' bets at most one is won (F3).
    """
    choices = [_open_bets(position, Seat(seat)) for seat in range(position.n)]
    return _bets_by_first(choices, team, position.options)


def worst_bets_before_the_deal(team: int, options: RuleOptions) -> tuple[Points, ...]:
    """Return the same for a round that has not begun."""
    bets: list[CallKind | None] = [None, CallKind.TICHU]
    if options.grand_allowed:
        bets.append(CallKind.GRAND)
    if options.great_grand:
        bets.append(CallKind.GREAT_GRAND)
    return _bets_by_first([tuple(bets)] * seats(options), team, options)


def worst_cards(position: Round, team: int) -> Iterator[tuple[Seat, Points]]:
    """Yield who goes out first and the points without bets, for every order still possible."""
    options, free = position.options, position.phase in BEFORE_PLAY
    reach = None if free else _Reach(position)
    for order in _orders(position):
        if is_double_victory(order, options) or reach is None:
            yield order[0], _free_cards(sum(position.hands), order, team, options)
        else:
            yield order[0], _Ending(order, reach).points(team)


def worst_cards_before_the_deal(team: int, options: RuleOptions) -> Iterator[tuple[Seat, Points]]:
    """Yield the same for a round that has not begun."""
    for order in permutations(map(Seat, range(seats(options)))):
        yield order[0], _free_cards(ONE_PACK, order, team, options)


def _orders(position: Round) -> Iterator[tuple[Seat, ...]]:
    """Yield every order of going out that agrees with who is out; the last never goes out.

    Of those that begin with a double victory one is enough.
    """
    holders = [Seat(seat) for seat in range(position.n) if seat not in position.out]
    doubles = set()
    for later in permutations(holders):
        order = (*position.out, *later)
        if not is_double_victory(order, position.options):
            yield order
        elif order[0] not in doubles:
            doubles.add(order[0])
            yield order


# Bets


def _open_bets(position: Round, seat: Seat) -> _Calls:
    """Return what a seat's bet can be at the end: the one it made, or each that it may make.

    Now is the time that allows the most: what may not be called now never may.
    """
    if position.calls[seat] is not None or position.phase is Phase.ROUND_OVER:
        return (position.calls[seat],)
    bets: list[CallKind | None] = [None]
    options, phase = position.options, position.phase
    hopeless = bool(position.out) and options.hopeless_call is HopelessCall.REJECTED
    if not position.has_played[seat] and not hopeless:
        bets.append(CallKind.TICHU)
    if phase in (Phase.GREAT_GRAND, Phase.GRAND) and not position.grand_decided[seat]:
        bets.append(CallKind.GRAND)
    if phase is Phase.GREAT_GRAND and not position.great_grand_decided[seat]:
        bets.append(CallKind.GREAT_GRAND)
    return tuple(bets)


def _bets_by_first(
    choices: Sequence[_Calls], team: int, options: RuleOptions
) -> tuple[Points, ...]:
    return tuple([_bets(choices, Seat(first), team, options) for first in range(len(choices))])


def _bets(choices: Sequence[_Calls], first: Seat, team: int, options: RuleOptions) -> Points:
    points = []
    for side in range(teams(options)):
        members = [Seat(s) for s in range(len(choices)) if team_of(options, Seat(s)) == side]
        added = [
            sum(seat_call_points(calls, seat, first, options) for seat in members)
            for calls in _bets_of(members, choices, options)
        ]
        points.append(min(added) if side == team else max(added))
    return tuple(points)


def _bets_of(
    members: Sequence[Seat], choices: Sequence[_Calls], options: RuleOptions
) -> Iterator[_Calls]:
    """Yield every set of bets that partners can end with; those of others are left out."""
    own = [choices[seat] if seat in members else (None,) for seat in range(len(choices))]
    for calls in product(*own):
        if options.both_partners_may_call or sum(call is not None for call in calls) <= 1:
            yield calls


# Cards


def _free_cards(cards: int, order: Sequence[Seat], team: int, options: RuleOptions) -> Points:
    """Return the points of cards that can still come to anybody, or of a double victory (F3)."""
    points = [0] * teams(options)
    if is_double_victory(order, options):
        points[team_of(options, order[0])] = options.double_victory_points
    else:
        points[1 - team] = card_points(cards & ~PHOENIX)
        points[team] = card_points(cards & PHOENIX)
    return tuple(points)


class _Reach:
    """What a position holds, and what its hands can still get at, in whatever order they go out."""

    def __init__(self, position: Round) -> None:
        self.position = position
        hands = position.hands
        self.over = len(position.out) >= position.n - 1
        self.held = [count(hand) for hand in hands]
        self.won = [card_points(cards) for cards in position.won]
        self.trick = card_points(position.trick)
        # by seat the points in its hand that harm the one who gets them, and those that help
        self.harm = [card_points(hand & PHOENIX) for hand in hands]
        self.help = [card_points(hand & ~(PHOENIX | DRAGON)) for hand in hands]
        self.dragon = [card_points(hand & DRAGON) for hand in hands]
        self.gifts = [_gift_seats(position, Seat(seat)) for seat in range(position.n)]
        self.bombers = [seat for seat, hand in enumerate(hands) if hand_has_bomb(hand)]
        self.takes = _takes(position)


def _gift_seats(position: Round, giver: Seat) -> Sequence[Seat]:
    """Return who can get the Dragon's trick from a seat, now or later: nobody comes back (C5)."""
    options = position.options
    opponents = opponents_of(options, giver)
    if options.dragon_gift_to_finished is DragonGiftToFinished.ALLOWED:
        return opponents
    return [seat for seat in opponents if position.hands[seat]] or opponents


def _takes(position: Round) -> list[Sequence[Combination]]:
    """Return by seat the plays that can take the trick on the table, now or in its turn."""
    table = position.table
    if table is None or position.phase is Phase.DRAGON:
        return [()] * position.n
    better = beating_bombs if _is_closed(position) else follows
    return [better(hand, table) if hand else () for hand in position.hands]


def _is_closed(position: Round) -> bool:
    """True when only bombs can take the trick: its owner cannot reopen it either (C3, D3)."""
    if position.phase is not Phase.CLOSING or position.owner is None:
        return False
    return all(play.kind is BOMB for play in position.legal_plays(position.owner))


class _Ending:
    """One order of going out that is no double victory, and where each card can go in it (F2).

    Teams that can get a card are a set of bits, 1 << team.
    """

    def __init__(self, order: Sequence[Seat], reach: _Reach) -> None:
        self._reach, options = reach, reach.position.options
        self._last, self._third = order[-1], order[-2]
        # by seat the team that gets its tricks
        self._gets = [1 << team_of(options, Seat(seat)) for seat in range(len(order))]
        self._last_hand_to = _BOTH ^ self._gets[self._last]
        self._gets[self._last] = self._gets[order[0]]

    def points(self, team: int) -> Points:
        """Return the card points by team when each card goes where it is worst for `team`."""
        points = [0] * _TEAMS
        for worth, to in self._shares():
            if worth:
                worst = team if worth < 0 else 1 - team
                points[worst if to >> worst & 1 else 1 - worst] += worth
        return tuple(points)

    def _shares(self) -> Iterator[tuple[int, int]]:
        """Yield the points of cards that go together, and the teams that can get them."""
        reach = self._reach
        yield from zip(reach.won, self._gets, strict=True)
        if reach.trick:
            yield reach.trick, self._trick_to()
        later = self._later_tricks_to()
        for seat in range(len(reach.held)):
            stays = self._last_hand_to if seat == self._last else 0
            to = stays | later if self._can_play(seat) else stays
            yield reach.help[seat], to
            yield reach.harm[seat], to
            if reach.dragon[seat]:
                can_play = self._can_play(seat)
                yield reach.dragon[seat], stays | self._dragon_to(seat) if can_play else stays

    def _can_play(self, seat: int) -> bool:
        """True for a seat that can still play; the last one keeps a card to the end."""
        return not self._reach.over and self._reach.held[seat] > (seat == self._last)

    def _later_tricks_to(self) -> int:
        """Return who can get a card that is still to be played."""
        to = 0
        for seat, dragon in enumerate(self._reach.dragon):
            if self._can_play(seat):
                to |= self._gets[seat]
                if dragon:
                    to |= self._dragon_to(seat)
        return to

    def _dragon_to(self, seat: int) -> int:
        """Return who can get the trick in which a seat plays the Dragon (C5, D3)."""
        to = 0
        for other in (*self._reach.gifts[seat], *self._reach.bombers):
            to |= self._gets[other]
        if seat == self._third and not self._reach.position.options.dragon_last_trick_gift:
            to |= self._gets[seat]
        return to

    def _trick_to(self) -> int:
        """Return who can get the cards that lie on the table."""
        position = self._reach.position
        assert position.owner is not None
        assert position.table is not None
        heirs: Sequence[Seat] = (position.owner,)
        if position.table.cards == DRAGON:
            heirs = self._reach.gifts[position.owner]
        to = 0
        for heir in heirs:
            to |= self._gets[heir]
        for seat, plays in enumerate(self._reach.takes):
            for play in plays:
                if play.cards == DRAGON:
                    to |= self._dragon_to(seat)
                elif seat != self._last or play.cards != position.hands[seat]:
                    to |= self._gets[seat]
        return to
