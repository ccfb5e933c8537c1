"""The rules of every game in this process: whole random rounds, all games in turns in one run."""

import random
import time

import msgspec

from referee.rules.option_values import Variant
from referee.rules.options import RuleOptions
from tests.bench.figures import Measured, Table, Target, ratio
from tests.bench.rules_bench import RoundStats, random_round

TO_REACH_ROUNDS_S = 500
TO_REACH_TWELVE_ROUNDS_S = 100  # twelve players, two packs
_BATCH = 10  # rounds between two looks at the clock
_SEATS = (5, 6, 7, 9, 12)  # of Grand Seigneur, two packs from seven on


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """A game by its default options, and what is to reach."""

    name: str
    options: RuleOptions
    bound: int = TO_REACH_ROUNDS_S


class VariantFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of one game."""

    game: Game
    rounds_s: Measured
    decisions: float  # a round


def _games() -> tuple[Game, ...]:
    found = [
        Game(name=variant.value, options=RuleOptions(variant=variant))
        for variant in (Variant.TICHU, Variant.TRICHU, Variant.TIENTSIN)
    ]
    for seats in _SEATS:
        options = RuleOptions(variant=Variant.GRAND_SEIGNEUR, seats=seats)
        game = Game(name=f"grand_seigneur, {seats} seats", options=options)
        if seats == _SEATS[-1]:
            game = msgspec.structs.replace(game, bound=TO_REACH_TWELVE_ROUNDS_S)
        found.append(game)
    return tuple(found)


def measure_variants(*, seconds: float, passes: int, seed: int) -> list[VariantFigures]:
    """Play all games in turns; `seconds` is the processor time of each pass of each game."""
    rng = random.Random(seed)
    games = _games()
    rates: list[list[float]] = [[] for _ in games]
    totals = [RoundStats() for _ in games]
    for _ in range(passes):
        for game, found, total in zip(games, rates, totals, strict=True):
            found.append(_rounds_s(rng, game.options, seconds, total))
    return [
        VariantFigures(
            game=game, rounds_s=Measured.of(found), decisions=total.decisions / total.rounds
        )
        for game, found, total in zip(games, rates, totals, strict=True)
    ]


def _rounds_s(rng: random.Random, options: RuleOptions, seconds: float, total: RoundStats) -> float:
    """Return rounds a second of processor time: other load on the machine counts less so."""
    rounds = 0
    began = time.process_time()
    while (spent := time.process_time() - began) < seconds:
        for _ in range(_BATCH):
            total.add(random_round(rng, options))
        rounds += _BATCH
    return rounds / spent


def variants_table(figures: list[VariantFigures]) -> Table:
    """Return the table; ratios are to the four-player game of the same run."""
    base = figures[0].rounds_s.median
    return Table(
        title="Rules: random full rounds of every game in one process",
        head=("game", "rounds/s", "x four players", "decisions a round", "us a decision"),
        rows=[
            (
                found.game.name,
                found.rounds_s.text(),
                ratio(found.rounds_s.median, base),
                f"{found.decisions:.1f}",
                f"{1e6 / found.rounds_s.median / found.decisions:.2f}",
            )
            for found in figures
        ],
        notes=("Two packs from seven seats on; rounds of Grand Seigneur with an exchange.",),
    )


def variants_targets(figures: list[VariantFigures]) -> list[Target]:
    """Return a figure to reach for every game but that of four, which `rules` measures."""
    return [
        Target(
            name=f"rules: {found.game.name}",
            value=found.rounds_s.median,
            unit="rounds/s",
            bound=found.game.bound,
            at_least=True,
        )
        for found in figures[1:]
    ]
