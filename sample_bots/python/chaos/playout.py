"""Plays the rest of a round out in the head, with all hands open, to see who gets the points."""

from functools import lru_cache
from typing import NamedTuple

from tichu_bot.bots.plan import plan
from tichu_bot.cards import ACE, DOG, DRAGON, PHOENIX, Kind, Play, points

SEATS = 4
DOUBLE_VICTORY = 200
BET = 100
_DRAGON_HEIGHT, _PHOENIX_HEIGHT = 2 * ACE + 2, 2 * ACE + 1  # the Phoenix beats an Ace
_RICH = 10  # card points for which a high card is spent
_BOMBED = 20  # card points for which a bomb is
_SHORT = 4  # cards of an opponent from which on everything is spent

Hand = tuple[int, ...]


class Group(NamedTuple):
    """Cards that are played together in the head."""

    kind: Kind
    size: int
    height: int
    points: int
    cost: float
    card: int  # the one card of a single


class Position(NamedTuple):
    """A round before somebody plays: what is left of it follows from this."""

    hands: tuple[Hand, ...]
    won: tuple[int, ...]  # card points, by seat
    out: tuple[int, ...]  # who has no cards any more, in order
    table: Play | None
    owner: int
    trick: int  # card points on the table
    bets: frozenset[int]
    turn: int


@lru_cache(maxsize=20_000)
def groups(hand: Hand) -> tuple[Group, ...]:
    """Divide a hand, given in ascending order, as greedy plans to play it; dear groups first."""
    found = [
        Group(group.kind, len(group.cards), _height(group.cards, group.rank),
              points(group.cards), group.cost, group.cards[0])
        for group in plan(hand).groups
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda group: (-group.cost, -group.size)))


def _height(held: Hand, top: int) -> int:
    if held == (DRAGON,):
        return _DRAGON_HEIGHT
    return _PHOENIX_HEIGHT if held == (PHOENIX,) else 2 * top


class Playout:
    """One round in the head. All play whole groups, and spare high cards in cheap tricks."""

    def __init__(self, at: Position) -> None:
        self._groups = [list(groups(hand)) for hand in at.hands]
        self._left = [len(hand) for hand in at.hands]
        self._won = list(at.won)
        self._bets = at.bets
        self._out = list(at.out)
        self._kind, self._size, self._height = Kind.UNKNOWN, 0, 0
        if at.table is not None:
            held = at.table
            self._kind, self._size, self._height = held.kind, len(held.cards), held.rank_halves
        self._dragon = at.table is not None and at.table.cards == (DRAGON,)
        self._owner = at.owner
        self._trick = at.trick
        self._turn = at.turn

    def value(self, team: int) -> int:
        """Play on to the end; return by how many points the team, seat 0's or 1's, is better."""
        turn = self._turn
        if not self._size:
            turn = self._lead(turn)
        while not self._is_over():
            turn = self._lead(self._finish_trick(turn))
        even = self._score()
        return even if team == 0 else -even

    def _is_over(self) -> bool:
        out = self._out
        return len(out) >= SEATS - 1 or (len(out) == 2 and (out[0] ^ out[1]) & 1 == 0)

    def _lead(self, seat: int) -> int:
        """Lead from the first hand with cards; return whose turn it is then."""
        if self._is_over():
            return seat
        while not self._left[seat]:
            seat = (seat + 1) % SEATS
        held = self._groups[seat]
        group = held[0]
        if len(held) > 1 and held[1].cost < 0.3:  # one that does not win is left: it goes last
            group = held[-1] if held[-1].kind != Kind.BOMB else held[1]
        if group.card == DOG and group.size == 1:
            held.remove(group)
            self._spend(seat, group)
            return self._lead((seat + 2) % SEATS)
        self._put(seat, group, group.height if group.card != PHOENIX else 3)
        return (seat + 1) % SEATS

    def _finish_trick(self, seat: int) -> int:
        """Go round until nobody beats the table; return who leads next."""
        while seat != self._owner:
            if self._left[seat] and (group := self._follow(seat)) is not None:
                height = group.height
                if group.card == PHOENIX and group.size == 1:
                    height = self._height + 1
                self._put(seat, group, height)
                if self._is_over():
                    break
            seat = (seat + 1) % SEATS
        taker = self._owner
        if self._dragon:
            one, other = (taker + 1) % SEATS, (taker + 3) % SEATS
            taker = one if self._left[one] >= self._left[other] else other
        self._won[taker] += self._trick
        self._trick = self._size = 0
        return self._owner

    def _follow(self, seat: int) -> Group | None:
        partners = (self._owner ^ seat) & 1 == 0
        held = self._groups[seat]
        last = len(held) == 1
        best: Group | None = None
        for group in held:
            if group.kind == Kind.BOMB and self._kind != Kind.BOMB:
                if not partners and (self._trick >= _BOMBED or self._left[self._owner] <= 2):
                    best = best or group
            elif self._beats(group) and (best is None or group.height < best.height):
                best = group
        if best is None or last:
            return best
        if partners:
            cheap = best.height < 20 and self._height < 20 and self._left[self._owner] > 2
            return best if cheap and best.kind in (Kind.SINGLE, Kind.PAIR) else None
        return best if best.height < 2 * ACE or self._is_worth_it(seat) else None

    def _beats(self, group: Group) -> bool:
        same = group.kind == self._kind and group.size == self._size
        return same and group.height > self._height and group.card != DOG

    def _is_worth_it(self, seat: int) -> bool:
        near = min(self._left[(seat + 1) % SEATS] or 99, self._left[(seat + 3) % SEATS] or 99)
        few = len(self._groups[seat]) <= 4
        return few or self._trick >= _RICH or near <= _SHORT or self._height >= 24

    def _put(self, seat: int, group: Group, height: int) -> None:
        self._groups[seat].remove(group)
        self._kind, self._size, self._height = group.kind, group.size, height
        self._dragon = group.height == _DRAGON_HEIGHT
        self._owner = seat
        self._spend(seat, group)
        self._trick += group.points

    def _spend(self, seat: int, group: Group) -> None:
        self._left[seat] -= group.size
        if not self._left[seat]:
            self._out.append(seat)

    def _score(self) -> int:
        """By how many points seat 0's team is better, bets included (F, D)."""
        first, out = self._out[0], self._out
        value = sum(BET if (seat == first) == (seat % 2 == 0) else -BET for seat in self._bets)
        if len(out) == 2:
            return value + (DOUBLE_VICTORY if first % 2 == 0 else -DOUBLE_VICTORY)
        won = list(self._won)
        won[self._owner] += self._trick
        last = next(seat for seat in range(SEATS) if self._left[seat])
        rest = sum(group.points for group in self._groups[last])
        won[first], won[last] = won[first] + won[last], 0
        evens = won[0] + won[2] + (rest if last % 2 else 0)
        return value + 2 * evens - 100
