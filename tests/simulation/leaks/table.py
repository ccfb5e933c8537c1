"""What lies open at a table, and what a hand may do there, by the rules page alone."""

import random
from collections.abc import Iterable

from referee._gen.tichu.referee.v1 import match_pb2
from tests.simulation.audit.cards import DOG, DRAGON, MAH_JONG, PHOENIX, cards_of, mask_of
from tests.simulation.audit.combos import BOMB, DRAGON_HALVES, Reading, binds, count, readings
from tests.simulation.audit.patterns import Pattern, patterns

PASS = 0  # an act that is no play
Act = tuple[int, int]  # mask of cards, rank of the Phoenix (0: none, or alone)


class OpenTable:
    """What the events of a round tell everybody. `acts` counts plays and passes of the match."""

    def __init__(self) -> None:
        self.acts = 0
        self.round = 0
        self.top: Reading | None = None
        self.wish = 0
        self.played = 0  # cards of the round
        self.ended: match_pb2.MatchEnded | None = None
        self._last = 0

    def feed(self, events: Iterable[match_pb2.Event]) -> None:
        """Take events; those that are known already change nothing."""
        for event in events:
            if event.number > self._last:
                self._last = event.number
                self._take(event)

    def _take(self, event: match_pb2.Event) -> None:
        kind = event.WhichOneof("event")
        if kind == "round_started":
            self.round, self.top, self.wish, self.played = event.round_started.round, None, 0, 0
        elif kind == "played":
            self._play(event.played)
        elif kind == "passed":
            self.acts += 1
        elif kind in ("trick_taken", "lead_handed"):
            self.top = None
        elif kind == "match_ended":
            self.ended = event.match_ended

    def _play(self, played: match_pb2.Played) -> None:
        self.acts += 1
        mask, play = mask_of(played.play.cards), played.play
        self.played |= mask
        if mask == 1 << DOG:
            self.top = None
        else:
            size = mask.bit_count()
            self.top = Reading(play.kind, size, play.rank_halves, play.phoenix_rank)
        if self.wish and count(mask, self.wish):
            self.wish = 0
        if played.HasField("wish"):
            self.wish = played.wish


def may_play(hand: int, act: Act, top: Reading | None, wish: int) -> bool:
    """Whether an act that beats the table is open to the hand: the wish decides (E3 to E7)."""
    mask = act[0]
    if wish == 0 or not binds(hand, top, wish):
        return mask != PASS or top is not None
    if mask == PASS:
        return False
    if count(mask, wish):
        return True
    return top is not None and readings(mask)[0].kind == BOMB


def plays_of(cards: int, top: Reading | None, rng: random.Random) -> list[Act]:
    """One play of each pattern that these cards make over the table, in drawn suits."""
    shapes, bombs = patterns(cards, top)
    found = [(_concrete(shape, cards, rng), shape[2]) for shape in sorted(shapes)]
    return [*found, *((mask, 0) for mask in sorted(bombs))]


def _concrete(shape: Pattern, cards: int, rng: random.Random) -> int:
    kind, ranks, phoenix, halves = shape
    if kind == 1 and ranks == 1:
        return 1 << (DRAGON if halves == DRAGON_HALVES else DOG)
    mask = 1 << PHOENIX if phoenix or ranks == 0 else 0
    for rank in range(1, 15):
        wanted = ranks >> 4 * rank & 15
        if rank == 1 and wanted:
            mask |= 1 << MAH_JONG
        elif wanted:
            held = list(cards_of(cards & 15 << 4 * rank))
            mask |= mask_of(rng.sample(held, wanted))
    return mask


def is_bomb(mask: int) -> bool:
    """Whether these cards are a bomb."""
    found = readings(mask)
    return bool(found) and found[0].kind == BOMB
