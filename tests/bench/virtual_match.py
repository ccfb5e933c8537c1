"""A match in virtual time between four random seats that decide as `tichu_bot.minimal` does."""

import hashlib
import random
from collections import deque
from collections.abc import Callable
from typing import assert_never

from referee.match.facts import DragonGiven, Passed, Played
from referee.match.inputs import (
    Answer,
    BombDecision,
    CallDecision,
    Deal,
    Decision,
    DeclineDecision,
    DefaultDecision,
    Handed,
    Input,
    PassDecision,
    PlayDecision,
    SeatDecision,
)
from referee.match.machine import Machine
from referee.match.step import Ask, Step
from referee.match.values import AskKind, MatchConfig, Player, Settings
from referee.rules.cards import MAHJONG
from referee.rules.options import RuleOptions, seats
from referee.rules.seat import Seat

ACTIONS = (Played, Passed, DragonGiven)  # what counts as an action: applied, and seen by all

_PASSES_ONE_IN = 8
_BOMBS_ONE_IN = 4
_CALLS_ONE_IN = 64
_THINKING_NS = 1_000


class VirtualMatch:
    """Plays rounds for ever; `on_step` gets every step that the machine returns."""

    def __init__(self, rng: random.Random, on_step: Callable[[Step], None]) -> None:
        rules = RuleOptions(rounds=1_000_000)
        players = tuple(Player(name=f"seat {seat}") for seat in range(seats(rules)))
        settings = Settings(rules=rules, max_rounds=1_000_000)
        config = MatchConfig(match_id="bench", settings=settings, players=players)
        self._rng = rng
        self._on_step = on_step
        self._machine = Machine(config)
        self._now = 0
        self._open: deque[Ask] = deque()
        self._unhanded: list[Seat] = []
        self.actions = 0
        self.asks = 0
        self.facts = 0

    def play_round(self) -> None:
        """Play from a deal to the end of its round."""
        number = self._machine.round_number + 1
        self._step(Deal(seed=hashlib.sha256(b"%d" % number).hexdigest()))
        while not self._machine.needs_deal:
            ask = self._open.popleft()
            self._now += _THINKING_NS
            self._step(Answer(ask.seat, ask.id, self._decide(ask)))

    def _step(self, what: Input) -> None:
        self._take(self._machine.step(what, self._now))
        while self._unhanded:
            seats, self._unhanded = self._unhanded, []
            self._take(self._machine.step(Handed(seats=tuple(seats)), self._now))

    def _take(self, step: Step) -> None:
        if step.refused:
            raise AssertionError(f"a listed play was refused: {step.refused}")
        for gone in step.cancelled:
            left = (ask for ask in self._open if (ask.seat, ask.id) != (gone.seat, gone.ask_id))
            self._open = deque(left)
        for ask in step.asks:
            self._open.append(ask)
            self._unhanded.append(ask.seat)
        self.asks += len(step.asks)
        self.facts += len(step.facts)
        for fact in step.facts:
            if isinstance(fact, ACTIONS):
                self.actions += 1
        self._on_step(step)

    def _decide(self, ask: Ask) -> Decision:
        match ask.kind:
            case AskKind.ACT:
                return self._act(ask)
            case AskKind.BOMB:
                if ask.plays and self._one_in(_BOMBS_ONE_IN):
                    return BombDecision(index=int(self._rng.random() * len(ask.plays)))
                return DeclineDecision()
            case AskKind.CALL:
                return CallDecision(choice=ask.choices[0 if self._one_in(_CALLS_ONE_IN) else -1])
            case AskKind.EXCHANGE:
                return DefaultDecision()
            case AskKind.CHOOSE_SEAT:
                return SeatDecision(seat=self._rng.choice(ask.seats))
            case _:
                assert_never(ask.kind)

    def _act(self, ask: Ask) -> Decision:
        plays = ask.plays
        if ask.may_pass and (not plays or self._one_in(_PASSES_ONE_IN)):
            return PassDecision()
        index = int(self._rng.random() * len(plays))
        wish = self._rng.randrange(2, 15) if plays[index].cards & MAHJONG else None
        return PlayDecision(index=index, wish=wish)

    def _one_in(self, times: int) -> bool:
        return self._rng.random() * times < 1
