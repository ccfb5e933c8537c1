"""What the seats do that are not watched: the same public acts in both worlds of a pair.

The first run writes the script, with both deals before it: an act is chosen only if both hands may
do it at that moment (`table.may_play`). Where there is none the difference becomes public with this
very act, and each world goes its own way. The second run reads the script.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from referee._gen.tichu.referee.v1 import match_pb2
from referee.match.values import MS
from tests.simulation.audit.cards import MAH_JONG, cards_of, mask_of
from tests.simulation.audit.combos import bombs_in, readings
from tests.simulation.leaks.deals import SEATS, Twins
from tests.simulation.leaks.table import PASS, Act, OpenTable, is_bomb, may_play, plays_of

WORLDS = (0, 1)
Gifts = Mapping[int, int]  # card by recipient


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """An answer in turn. `cell`: after how many whole windows; `way`: how it comes about."""

    act: Act
    wish: int = 0
    tichu: str = ""  # "rides" on it, or is made "alone" just before
    cell: int = 0
    way: str = "said"  # or "default", "silence", "thrice wrong", "resigns", "leaves"
    diverges: bool = False


@dataclass(slots=True)
class Script:
    """The public acts of a pair of runs, and where the worlds part."""

    moves: dict[tuple[int, int, bool], Move] = field(default_factory=dict)
    gives: dict[tuple[int, int], int] = field(default_factory=dict)  # seats chosen
    throws: dict[tuple[int, int], int] = field(default_factory=dict)  # bombs out of turn
    gifts: dict[tuple[int, int, int], tuple[tuple[Gifts, Gifts], str]] = field(default_factory=dict)
    bets: dict[tuple[int, str, int], bool] = field(default_factory=dict)
    delays: dict[tuple[int, str, int], tuple[int, ...]] = field(default_factory=dict)
    windows: set[int] = field(default_factory=set)  # that were decided on


class Director:
    """Knows both deals; decides for three seats, or repeats what was decided."""

    def __init__(
        self,
        world: int,
        script: Script,
        twins: Sequence[Twins],
        watched: int,
        rng: random.Random,
        *,
        fair: bool,
        leaves: Sequence[str],
    ) -> None:
        self.world = world
        self.script = script
        self.table = OpenTable()
        self.parted: int | None = None  # index of the act that shows the difference
        self.parted_at: int | None = None  # when it was told
        self.deeds: Counter[str] = Counter()  # what was done, for the test that all is done
        self.noise = random.Random(f"{rng.random()}/{world}")
        self._rng = random.Random(rng.random())
        self._twins = twins
        self._hidden = [seat for seat in SEATS if seat != watched]
        self._fair = fair
        self._leaves = leaves  # ways in which a seat may go for good
        self._given: dict[int, tuple[Gifts, Gifts]] = {}  # of this round, by seat
        self._from_watched: dict[int, int] = {}
        self._round = 0

    # --- hands

    def note(self, events: Iterable[match_pb2.Event], seat: int, now: int) -> None:
        """Take the events of a frame to one of the three seats."""
        events = list(events)
        self.table.feed(events)
        if self.parted is not None and self.parted_at is None and self.table.acts > self.parted:
            self.parted_at = now
        if self.table.round != self._round:
            self._round, self._given, self._from_watched = self.table.round, {}, {}
        for event in events:
            for moved in event.cards_exchanged.hands:
                for gift in moved.received:
                    if gift.seat not in self._hidden:
                        self._from_watched[seat] = gift.cards[0]

    def hand(self, seat: int, world: int | None = None) -> int:
        """The cards of a seat in a world."""
        world = self.world if world is None else world
        mask = mask_of(self._dealt(world)[seat])
        if seat in self._from_watched:  # the cards have moved
            mask &= ~mask_of(self._given[seat][world].values())
            mask |= mask_of(
                given[world][seat] for giver, given in self._given.items() if giver != seat
            )
            mask |= 1 << self._from_watched[seat]
        return mask & ~self.table.played

    def _dealt(self, world: int) -> tuple[tuple[int, ...], ...]:
        pair = self._twins[self.table.round - 1]
        return pair.one if world == 0 else pair.other

    def _common(self, seat: int) -> int:
        return self.hand(seat, 0) & self.hand(seat, 1)

    # --- before play

    def bet(self, kind: str, seat: int) -> bool:
        """Whether a seat bets on its first cards."""
        return self.script.bets.setdefault(
            (self.table.round, kind, seat), self._rng.random() < 0.06
        )

    def delay(self, kind: str, attempt: int, seat: int, *, together: bool) -> int:
        """After how long a seat answers at a barrier. Who is how fast is nobody's business."""
        key = (self.table.round, kind, attempt)
        if key not in self.script.delays:
            self.script.delays[key] = tuple(
                self._rng.randrange(1, 40 if self._fair else 4) * MS for _ in SEATS
            )
        drawn = self.script.delays[key]
        great = any(bold for (number, _, _), bold in self.script.bets.items() if number == key[0])
        if not together or attempt or great:  # then not all three are asked
            return drawn[seat]
        rank = (self._hidden.index(seat) + self.world) % len(self._hidden)
        return drawn[self._hidden[rank]]

    def gifts(self, attempt: int, seat: int) -> tuple[Gifts, str]:
        """What a seat gives in this world, and how it calls Tichu with it if it does."""
        key = (self.table.round, attempt, seat)
        if key not in self.script.gifts:
            call = self._rng.choice(("rides", "alone")) if self._rng.random() < 0.08 else ""
            self.script.gifts[key] = (self._draw_gifts(seat), call)
        both, call = self.script.gifts[key]
        self._given[seat] = both
        return both[self.world], call

    def _draw_gifts(self, seat: int) -> tuple[Gifts, Gifts]:
        pair = self._twins[self.table.round - 1]
        common = mask_of(pair.one[seat]) & mask_of(pair.other[seat])
        loud = 1 << MAH_JONG
        for _, bomb in (*bombs_in(self.hand(seat, 0)), *bombs_in(self.hand(seat, 1))):
            loud |= bomb
        cards = list(cards_of(common & ~loud))
        if len(cards) < 3:
            cards = list(cards_of(common & ~(1 << MAH_JONG)))
        self._rng.shuffle(cards)
        same = {to: cards.pop() for to in SEATS if to != seat}
        both = (dict(same), dict(same))
        third = self._third(pair)
        for world in WORLDS:
            for giver, card in pair.relay[world]:
                if giver == seat:
                    both[world][third] = card
        return both

    def _third(self, pair: Twins) -> int:
        givers = {giver for giver, _ in pair.relay[0]}
        return next(seat for seat in self._hidden if seat not in givers)

    # --- in turn

    def move(self, seat: int, *, leading: bool) -> Move:
        """What a seat does that is asked to act."""
        key = (self.table.acts, seat, leading)
        if key not in self.script.moves:
            self.script.moves[key] = self._plan(seat, leading=leading)
        move = self.script.moves[key]
        self.deeds[move.way] += 1
        if not move.diverges and self._is_open(seat, move.act, leading=leading, world=self.world):
            return move
        self.deeds["parts over a wish"] += self.table.wish > 0
        self.parted = self.table.acts if self.parted is None else self.parted
        if self.world == 0:
            return move
        return Move(act=self._any(seat, leading=leading, world=1), cell=move.cell)

    def _is_open(self, seat: int, act: Act, *, leading: bool, world: int) -> bool:
        top = None if leading else self.table.top
        hand = self.hand(seat, world)
        return not act[0] & ~hand and may_play(hand, act, top, self.table.wish)

    def _plan(self, seat: int, *, leading: bool) -> Move:
        top = None if leading else self.table.top
        cell = 0 if self._rng.random() < 0.7 else self._rng.randrange(1, 6)
        if self.world == 1:  # the other world passed for it, or parted here
            act = (PASS, 0)
            return Move(act=act, cell=cell, diverges=True) if top is None else Move(act=act)
        open_ = [
            act
            for act in ((PASS, 0), *plays_of(self._common(seat), top, self._rng))
            if all(self._is_open(seat, act, leading=leading, world=world) for world in WORLDS)
        ]
        if not open_:
            act = self._any(seat, leading=leading, world=0)
            return Move(act=act, cell=cell, diverges=True)
        if self._leaves and open_[-1][0] != PASS and self._rng.random() < 0.02:
            return Move(act=open_[0], cell=cell, way=self._rng.choice(self._leaves))
        return self._drawn(seat, open_, cell)

    def _drawn(self, seat: int, open_: list[Act], cell: int) -> Move:
        rng = self._rng
        if open_[0][0] == PASS:
            if len(open_) == 1 or rng.random() < 0.3:
                said = "said", "said", "said", "default", "silence", "thrice wrong"
                return Move(act=(PASS, 0), cell=cell, way=rng.choice(said))
            open_ = open_[1:]
        quiet = [act for act in open_ if not is_bomb(act[0])]
        act = rng.choice(quiet if quiet and rng.random() < 0.8 else open_)
        wish = 0
        if act[0] >> MAH_JONG & 1 and rng.random() < 0.9:
            parts = self.hand(seat, 0) ^ self.hand(seat, 1)
            odd = [card >> 2 for at in self._hidden for card in cards_of(self._odd(at, parts))]
            wish = rng.choice(odd) if odd and rng.random() < 0.6 else rng.randrange(2, 15)
        tichu = rng.choice(("rides", "alone")) if rng.random() < 0.03 else ""
        return Move(act=act, wish=wish, tichu=tichu, cell=cell)

    def _odd(self, seat: int, parts: int) -> int:
        """Cards with a rank that a seat holds in one world only."""
        return (parts | self.hand(seat, 0) ^ self.hand(seat, 1)) & ~31

    def _any(self, seat: int, *, leading: bool, world: int) -> Act:
        """Anything that is open in one world."""
        top = None if leading else self.table.top
        acts = [(PASS, 0), *plays_of(self.hand(seat, world), top, self._rng)]
        return next(act for act in acts if self._is_open(seat, act, leading=leading, world=world))

    def choose_seat(self, seat: int, seats: Sequence[int]) -> tuple[int, bool]:
        """Who gets a trick or the lead; False: it is left to the substitute action."""
        drawn = self._rng.choice(seats) if self._rng.random() < 0.7 else -1
        to = self.script.gives.setdefault((self.table.acts, seat), drawn)
        return to, to >= 0

    # --- out of turn

    def throw(self, seat: int, asked: Sequence[int]) -> int:
        """The bomb that a seat throws in this window, 0 for none.

        `asked` are those of the three that are asked. A bomb that only this world knows is thrown
        under a stronger one that both know: it stays in the hand, unknown to anybody (D5).
        """
        window, common = self.table.acts, {at: self._beating(self._common(at)) for at in asked}
        if self.world == 0 and window not in self.script.windows:
            self.script.windows.add(window)
            for at, bombs in common.items():
                if bombs and self._rng.random() < 0.4:
                    self.script.throws[window, at] = self._rng.choice(bombs)
        self.deeds["bomb in one world"] += bool(self._odd_bombs(seat))
        if (planned := self.script.throws.get((window, seat))) is not None:
            self.deeds["throws"] += 1
            return planned
        strongest = max(
            (_height(mask) for (at, _), mask in self.script.throws.items() if at == window),
            default=(0, 0),
        )
        mine = [b for b in self._beating(self.hand(seat)) if _height(b) < strongest]
        if not mine or self.noise.random() < 0.3:
            return 0
        self.deeds["throws what the other world lacks"] += 1
        return self.noise.choice(mine)

    def _odd_bombs(self, seat: int) -> set[int]:
        """Bombs that a seat could throw in this world and not in the other."""
        return set(self._beating(self.hand(seat))) - set(self._beating(self._common(seat)))

    def _beating(self, cards: int) -> list[int]:
        top = self.table.top
        if top is None:
            return []
        return [act[0] for act in plays_of(cards, top, self._rng) if is_bomb(act[0])]

    def may_stand_down(self, seat: int) -> bool:
        """Whether it would not be missed: it has no bomb in both worlds."""
        return not bombs_in(self._common(seat))


def _height(bomb: int) -> tuple[int, int]:
    reading = readings(bomb)[0]
    return reading.size, reading.halves
