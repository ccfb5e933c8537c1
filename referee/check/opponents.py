"""Who sits beside a bot under examination: legal play at random, more or less bold."""

import enum
import random

from referee.match.inputs import (
    BombDecision,
    CallDecision,
    Decision,
    DeclineDecision,
    DefaultDecision,
    PassDecision,
    PlayDecision,
    SeatDecision,
)
from referee.match.step import Ask
from referee.match.values import AskKind
from referee.rules.cards import MAHJONG


class Temper(enum.Enum):
    """How the other seats play."""

    QUIET = enum.auto()  # no bombs, no calls
    USUAL = enum.auto()
    BOLD = enum.auto()  # every bomb, every call


_CALLS = {Temper.QUIET: 0.0, Temper.USUAL: 0.2, Temper.BOLD: 1.0}  # how often
_BOMBS = {Temper.QUIET: 0.0, Temper.USUAL: 0.3, Temper.BOLD: 1.0}
_PASSES = 0.3


class Opponents:
    """Decides for all other seats. The same random numbers give the same decisions."""

    def __init__(self, rng: random.Random, temper: Temper) -> None:
        self._rng = rng
        self._temper = temper

    def decide(self, ask: Ask) -> Decision:
        """Return a legal decision."""
        rng = self._rng
        if ask.kind is AskKind.CALL:
            first = rng.random() < _CALLS[self._temper] and ask.judged is None
            return CallDecision(choice=ask.choices[0 if first else -1])
        if ask.kind is AskKind.BOMB:
            if ask.plays and rng.random() < _BOMBS[self._temper]:
                return BombDecision(index=rng.randrange(len(ask.plays)))
            return DeclineDecision()
        if ask.kind is AskKind.CHOOSE_SEAT:
            return SeatDecision(seat=rng.choice(ask.seats))
        if ask.kind is AskKind.ACT:
            return self._act(ask)
        return DefaultDecision()

    def _act(self, ask: Ask) -> Decision:
        rng = self._rng
        if ask.may_pass and (not ask.plays or rng.random() < _PASSES):
            return PassDecision()
        index = rng.randrange(len(ask.plays))
        needed = ask.wish_required and ask.plays[index].cards & MAHJONG
        return PlayDecision(index=index, wish=rng.randrange(2, 15) if needed else None)
