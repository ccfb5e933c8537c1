"""The study as tables and short sentences; figures are put in, never written by hand."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tests.bench.figures import Table
from tests.ladder_study.boards import GREEDY, OFTEN, OFTENER, RANDOM, SLIP, Legs, Pairing
from tests.ladder_study.explained import explained
from tests.ladder_study.spread import Estimate, Spread, rounds_needed, share_found, spread_of
from tests.simulation.boards import BotSeeds

COMMON, APART = BotSeeds.COMMON, BotSeeds.APART
HOUSE = tuple(
    Pairing(first, second, seeds)
    for first, second in ((RANDOM, RANDOM), (GREEDY, RANDOM), (GREEDY, GREEDY))
    for seeds in (COMMON, APART)
)
EQUAL = Pairing(SLIP, SLIP, APART)
CLOSE = tuple(
    Pairing(first, second, seeds)
    for first, second in ((GREEDY, SLIP), (OFTEN, OFTENER))
    for seeds in (COMMON, APART)
)
PAIRINGS = (*HOUSE, EQUAL, *CLOSE)
ANCHOR = Pairing(GREEDY, RANDOM, COMMON)
POINTS = 5.0  # a round: the difference of two close bots
AIM = 0.5
DRAW_SEED = 1

HEAD = """\
# Boards and luck

How much of a round is the luck of its deal, and how much of that a board takes away: one deal
played twice, the second time with the teams' seats exchanged. The service is the real one, in
virtual time, with links and bots in memory; a leg is one round. The same seed gives the same
figures on any machine. Board n has the same deal in all pairings.

- `random` and `greedy` are the house bots. `errs in 3 %` is `greedy`, but in 3 % of its turns it
  takes any legal play or pass; 20 % and 24 % likewise. `random` and those that err draw from their
  bot seed alone; `greedy` draws nothing.
- Bot seeds `common` are as the referee gives them: the bots that hold the same cards in the two
  legs of a board draw the same random numbers. `apart`: no two bots do.
- Intervals are 95 %, by the jackknife that leaves out one board at a time.
"""

SPREAD_NOTES = """\
Points a round are those of the first entry less those of the second. Sigma of a board is that of
the mean of its two legs. rho is the share of a leg's variance that its deal decides: the
correlation of the two legs, both seen from the team of seats 0 and 2. A board has (1 - rho) times
the variance of two rounds with a deal each.

- Two equal bots with common seeds play a board twice in the same way: the difference is exactly 0
  and rho is 1. So does `greedy` against itself with any seeds, since it draws nothing.
- That holds here because answers come in the order of the seats. In a live match in pace fast a
  bomb may come before or after the play of the seat on turn, so now and then a board differs.
- It says little of bots that draw. `errs in 3 %` against itself with seeds apart shows one: what
  a bot draws for itself is luck too, and no exchange of seats takes it away.
- `random` plays good and bad hands alike. Its draws leave little for the deal to decide."""

CLOSE_NOTES = """\
Rounds needed to show a difference of {points:g} points a round at 95 % (two-sided) in 80 % of all
tries. With sigma of a board: ((1.960 + 0.842) sigma / {points:g})^2 boards, of two rounds each.
With sigma of a leg: as many rounds, each with a fresh deal. The ratio of the two is 1 - rho,
whatever the difference. The aim is half the rounds.

`found`: what was played, shifted to {points:g} points, was drawn anew 2,000 times (seed {seed}), in
the number needed; the share in which the 95 % interval lay above 0. Near 80 %: the formula holds,
though many boards are exactly 0.

- The more alike two bots decide, the more a board saves. Up to the first turn that they decide
  differently both legs are the same match, and where there is none the board is 0.
- Where one bot draws nothing, seeds make no difference: both rows measure the same thing, with
  other random numbers, and are as far apart as chance puts them.
- Where both draw much, common seeds help as long as both draw for the same thing in the same order.
  These two do, since they are one program with another value. Bots of different authors draw for
  other things: expect them nearer to `apart`, the worst case. The less they draw, the better."""


WRITES_NOTES = """\
`python -m tests.bench ladder` measures this alone. The aim is 500 results/s; unlike the figures
above these depend on the machine, and on what else it does."""


class Found(NamedTuple):
    """What was played, by pairing."""

    seed: str
    legs: Mapping[Pairing, Sequence[Legs]]
    spreads: Mapping[Pairing, Spread]

    @classmethod
    def of(cls, seed: str, legs: Mapping[Pairing, Sequence[Legs]]) -> "Found":
        """From the legs of all `PAIRINGS`."""
        return cls(seed, legs, {one: spread_of(played) for one, played in legs.items()})


def page(made: str, found: Found, writes: Table | None) -> str:
    """Return the whole page; `made` says how and when, `writes` how fast results are written."""
    notes = CLOSE_NOTES.format(points=POINTS, seed=DRAW_SEED)
    parts = [HEAD, made, spread_table(found).text(), SPREAD_NOTES, close_table(found).text(), notes]
    parts += [anchors(found), luck(found)]
    if writes is not None:
        parts += [writes.text(), WRITES_NOTES]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def spread_table(found: Found) -> Table:
    """Return how far legs and boards scatter."""
    head = ("pairing", "bot seeds", "points a round", "sigma of a leg", "sigma of a board", "rho")
    return Table(
        title=f"Spread, {found.spreads[ANCHOR].boards:,} boards a pairing",
        head=(*head, "boards of 0"),
        rows=[
            (
                one.name,
                one.seeds.name.lower(),
                _text(spread.difference, 1),
                _text(spread.sigma_leg, 1),
                _text(spread.sigma_board, 1),
                _text(spread.rho, 2),
                f"{spread.equal:.0%}",
            )
            for one, spread in found.spreads.items()
        ],
    )


def close_table(found: Found) -> Table:
    """Return what it takes to tell two close bots apart."""
    head = ("pairing", "bot seeds", "points a round", "rounds, boards", "found")
    return Table(
        title="Two close bots",
        head=(*head, "rounds, fresh deals", "found", "ratio", "half?"),
        rows=[_close_row(one, found) for one in CLOSE],
    )


def _close_row(one: Pairing, found: Found) -> tuple[str, ...]:
    spread = found.spreads[one]
    legs = np.array(found.legs[one], dtype=np.float64)
    boards = math.ceil(rounds_needed(spread.sigma_board.value, POINTS))
    rounds = math.ceil(rounds_needed(spread.sigma_leg.value, POINTS))
    return (
        one.name,
        one.seeds.name.lower(),
        _text(spread.difference, 1),
        f"{2 * boards:,}",
        f"{share_found(legs.mean(axis=1), POINTS, boards, DRAW_SEED):.0%}",
        f"{rounds:,}",
        f"{share_found(legs.ravel(), POINTS, rounds, DRAW_SEED):.0%}",
        _text(spread.ratio, 2),
        verdict(spread.ratio),
    )


def verdict(ratio: Estimate) -> str:
    """Tell whether the aim is reached, for sure or not."""
    if ratio.high <= AIM:
        return "reached"
    return "missed" if ratio.low > AIM else "not sure"


def anchors(found: Found) -> str:
    """Return what the ladder's constants were taken from."""
    common, apart = (found.spreads[ANCHOR._replace(seeds=seeds)].elo for seeds in (COMMON, APART))
    little, much = (found.spreads[one].sigma_board for one in (CLOSE[0], CLOSE[-1]))
    return f"""\
## Anchors and forecasts

- Elo of `greedy` where `random` is 0, from legs won, with a tie as half a win:
  {_text(common, 0)} with common seeds, {_text(apart, 0)} with seeds apart.
- Sigma of a board of two close bots, for forecasts: {_text(little, 1)} points a round
  where one draws little, {_text(much, 1)} where both draw much and by themselves."""


def luck(found: Found) -> str:
    """Return what the luck of a deal explains."""
    greedy, random = (
        explained(found.seed, found.legs[Pairing(name, name, APART)]) for name in (GREEDY, RANDOM)
    )
    return f"""\
## Luck of the dealt cards

The luck-adjusted column of `referee bot report` takes off the points by which the dealt hands
favour a team, with coefficients fixed in the code (`python -m tests.ladder_study.luck` fits them,
to rounds that are not those of this page). Here they explain a share (R2) of the variance of a leg:

- {_text(greedy, 3)} for `greedy` against itself,
- {_text(random, 3)} for `random` against itself.

In a board this luck cancels."""


def _text(estimate: Estimate, decimals: int) -> str:
    """Write a figure with its interval, without where that is a point."""
    value, low, high = (f"{number + 0.0:.{decimals}f}" for number in estimate)
    return value if low == high else f"{value} ({low} to {high})"
