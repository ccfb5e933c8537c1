"""Every end that a round can still come to, each at its worst for a team: no search, no play.

Looked at is every order of going out that is still possible, and in each of them every card and
every bet goes where it harms the team most. Piles, settled places and settled bets stay what they
are. Whether the hands allow such play is asked only where the answer is cheap: the truth may be
better for the team, and is never worse.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations

from referee.rules.cards import DRAGON, ONE_PACK, PHOENIX, Seat, card_points, count
from referee.rules.combinations import BOMB, Combination
from referee.rules.hands import hand_has_bomb
from referee.rules.legal import beating_bombs, follows
from referee.rules.option_values import DragonGiftToFinished
from referee.rules.options import TEAMS, RuleOptions, victory_points
from referee.rules.phases import Phase
from referee.rules.round import Round
from referee.rules.scoring import is_double_victory, is_team_out, pile_heirs
from referee.rules.seating import Seating

BEFORE_PLAY = (Phase.GREAT_GRAND, Phase.GRAND, Phase.EXCHANGE)

Points = tuple[int, ...]  # by team
_NOBODY = 1 << TEAMS  # where burnt points go, beside the bits of the teams
_End = tuple[tuple[Seat, ...], tuple[Seat, ...]]  # who is out, in order, and who still holds cards


def worst_cards(position: Round, team: int) -> Iterator[tuple[Seat, Points]]:
    """Yield who goes out first and the points without bets, for every end still possible."""
    options, seats = position.options, position.seating
    reach = None if position.stage in BEFORE_PLAY else _Reach(position)
    for out, holders in _ends(position):
        if reach is None or is_double_victory(out, seats):
            yield out[0], _free_cards(sum(position.hands), out, team, seats, options)
        else:
            yield out[0], _Ending(out, holders, reach).points(team)


def worst_cards_before_the_deal(
    team: int, seats: Seating, options: RuleOptions
) -> Iterator[tuple[Seat, Points]]:
    """Yield the same for a round that has not begun."""
    for out, _ in _ends_of((), seats.order, seats, options):
        yield out[0], _free_cards(ONE_PACK, out, team, seats, options)


def _ends(position: Round) -> tuple[_End, ...]:
    """Return every end that agrees with who is out already."""
    holders = tuple([Seat(seat) for seat in range(position.n) if seat not in position.out])
    out = tuple(position.out)
    if position.play_is_over():
        return ((out, holders),)
    return _ends_of(out, holders, position.seating, position.options)


@lru_cache(1 << 8)  # asked again and again in a search, and in every match
def _ends_of(
    out: tuple[Seat, ...], holders: tuple[Seat, ...], seats: Seating, options: RuleOptions
) -> tuple[_End, ...]:
    """Return every way to end a round. Ends that count alike come once.

    Of double victories that is one for each who is first; else what counts is who is first, who
    goes out last, and who keeps cards.
    """
    ends: dict[object, _End] = {}
    for later in permutations(holders):
        order = (*out, *later)
        double = is_double_victory(order, seats)
        length = seats.n // TEAMS if double else _play_length(order, seats, options)
        gone, left = order[:length], order[length:]
        key = (gone[0], None, None) if double else (gone[0], gone[-1], frozenset(left))
        ends.setdefault(key, (gone, left))
    return tuple(ends.values())


def _play_length(order: Sequence[Seat], seats: Seating, options: RuleOptions) -> int:
    """Return after how many seats are out a round ends that is no double victory (F1, H7)."""
    if options.tientsin_end_when_team_out:
        for length in range(seats.n // TEAMS + 1, seats.n - 1):
            if is_team_out(order[:length], seats):
                return length
    return seats.n - 1


def _free_cards(
    cards: int, out: Sequence[Seat], team: int, seats: Seating, options: RuleOptions
) -> Points:
    """Return the points of cards that can still come to anybody, or of a double victory (F3)."""
    points = [0] * TEAMS
    if is_double_victory(out, seats):
        points[seats.teams[out[0]]] = victory_points(options)
    else:
        points[1 - team] = card_points(cards & ~PHOENIX)
        points[team] = card_points(cards & PHOENIX)
    return tuple(points)


class _Reach:
    """What a position holds, and what its hands can still get at, in whatever order they go out."""

    def __init__(self, position: Round) -> None:
        self.position = position
        hands = position.hands
        self.over = position.play_is_over()
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
    opponents = position.seating.opponents[giver]
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
    """One end that is no double victory, and where each card can go in it (F2, H8).

    Those who can get a card are a set of bits: 1 << team, and `_NOBODY`.
    """

    def __init__(self, out: Sequence[Seat], holders: Sequence[Seat], reach: _Reach) -> None:
        self._reach = reach
        options, seats = reach.position.options, reach.position.seating
        self._holders, self._final = holders, out[-1]
        heirs = pile_heirs((*out, *holders), seats, options, holders=len(holders))
        # by seat who gets its tricks, and who the cards that it is left with
        self._gets = [_NOBODY if heir is None else 1 << heir for heir in heirs]
        self._hand_to = [0] * seats.n
        for seat in holders:
            other = 1 << 1 - seats.teams[seat]
            self._hand_to[seat] = _NOBODY if options.trichu_last_burns_points else other

    def points(self, team: int) -> Points:
        """Return the card points by team when each card goes where it is worst for `team`."""
        points = [0] * TEAMS
        for worth, to in self._shares():
            if worth:
                hurt, gains = (team, 1 - team) if worth < 0 else (1 - team, team)
                if to >> hurt & 1:
                    points[hurt] += worth
                elif not to & _NOBODY:
                    points[gains] += worth
        return tuple(points)

    def _shares(self) -> Iterator[tuple[int, int]]:
        """Yield the points of cards that go together, and the teams that can get them."""
        reach = self._reach
        yield from zip(reach.won, self._gets, strict=True)
        if reach.trick:
            yield reach.trick, self._trick_to()
        later = self._later_tricks_to()
        for seat in range(len(reach.held)):
            stays = self._hand_to[seat]
            to = stays | later if self._can_play(seat) else stays
            yield reach.help[seat], to
            yield reach.harm[seat], to
            if reach.dragon[seat]:
                can_play = self._can_play(seat)
                yield reach.dragon[seat], stays | self._dragon_to(seat) if can_play else stays

    def _can_play(self, seat: int) -> bool:
        """True for a seat that can still play; who is left keeps a card to the end."""
        return not self._reach.over and self._reach.held[seat] > (seat in self._holders)

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
        if seat == self._final and not self._reach.position.options.dragon_last_trick_gift:
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
                elif seat not in self._holders or play.cards != position.hands[seat]:
                    to |= self._gets[seat]
        return to
