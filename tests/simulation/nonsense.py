"""Answers that make no sense, for tests of what a bot may say."""

import random

from referee.match.inputs import (
    BombDecision,
    CallDecision,
    Decision,
    DeclineDecision,
    DefaultDecision,
    ExchangeDecision,
    MalformedDecision,
    PassDecision,
    PlayDecision,
    SeatDecision,
)
from referee.rules.phases import CallKind


def nonsense(rng: random.Random) -> Decision:
    """An answer of any kind, hardly ever one that makes sense."""
    numbers = tuple(rng.randrange(-2, 70) for _ in range(rng.randrange(6)))
    gifts = tuple((rng.randrange(-1, 5), numbers[:1]) for _ in range(3))
    return rng.choice(
        (
            MalformedDecision(text="decision: empty"),
            PlayDecision(cards=numbers, wish=rng.choice((None, 0, 5, 99))),
            PlayDecision(index=rng.randrange(-1, 40), tichu=True),
            PlayDecision(cards=numbers, phoenix_rank=rng.randrange(-1, 17)),
            PassDecision(tichu=True),
            BombDecision(cards=numbers),
            BombDecision(index=rng.randrange(-1, 3)),
            DeclineDecision(),
            DefaultDecision(),
            ExchangeDecision(gifts=gifts, tichu=True),
            CallDecision(choice=rng.choice(tuple(CallKind))),
            SeatDecision(seat=rng.randrange(-1, 6)),
        )
    )
