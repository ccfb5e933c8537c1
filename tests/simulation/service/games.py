"""Which game a simulation plays: mostly that of four, and the others of the box in a share."""

import enum
import random

from referee.match.values import Player
from referee.rules.errors import ConfigError
from referee.rules.option_values import GsGoal, Variant
from referee.rules.options import RuleOptions, player_seats, seats
from tests.property.rules.playing import ROWS_OF_FOUR, random_options_of

_SHARE = 1 / 16  # of matches of another game than that of four
_SHARE_TO_POINTS = 1 / 8  # where one of four is as long as one of another


class Game(enum.StrEnum):
    """A game, or a house rule that changes its course. The values are for the summary."""

    TICHU = "tichu"
    TRICHU = "trichu"
    TIENTSIN = "tientsin"
    SEIGNEUR = "grand seigneur with one pack"
    SEIGNEUR_OF_MANY = "grand seigneur with two packs"
    CHAOS = "chaos"
    REFUSING = "calls may be refused"


_WEIGHTS = {
    Game.TRICHU: 4,
    Game.TIENTSIN: 4,
    Game.SEIGNEUR: 4,
    Game.SEIGNEUR_OF_MANY: 1,
    Game.CHAOS: 3,
    Game.REFUSING: 4,
}
_VARIANTS = {
    Game.TICHU: Variant.TICHU,
    Game.TRICHU: Variant.TRICHU,
    Game.TIENTSIN: Variant.TIENTSIN,
    Game.SEIGNEUR: Variant.GRAND_SEIGNEUR,
    Game.SEIGNEUR_OF_MANY: Variant.GRAND_SEIGNEUR,
    Game.CHAOS: Variant.TICHU,
    Game.REFUSING: Variant.TICHU,
}
_FEWEST_ROUNDS = {Game.TRICHU: 3, Game.SEIGNEUR: 2, Game.SEIGNEUR_OF_MANY: 2}
_HOUSE_RULE: dict[Game, dict[str, object]] = {
    Game.CHAOS: {"chaos": True},
    Game.REFUSING: {"refuse_call": True},
}


def draw_game(rng: random.Random, *, points: bool) -> Game:
    """Draw what is played: mostly the game of four."""
    if rng.random() >= (_SHARE_TO_POINTS if points else _SHARE):
        return Game.TICHU
    return rng.choices(tuple(_WEIGHTS), tuple(_WEIGHTS.values()))[0]


def draw_rules(rng: random.Random, game: Game, *, plain: bool, points: bool) -> RuleOptions:
    """Draw the options of a game, the settled ones if `plain`; short, or to `points`."""
    several = {Game.SEIGNEUR: (5, 6), Game.SEIGNEUR_OF_MANY: (7, 12)}
    number = rng.randint(*several[game]) if game in several else None
    rounds = _FEWEST_ROUNDS.get(game, 1)
    length: dict[str, object] = {"rounds": rounds * (1 + (points and game in _FEWEST_ROUNDS))}
    if points and game not in _FEWEST_ROUNDS:
        length = {"target": rng.choice((50, 200, 500))}
    house = _HOUSE_RULE.get(game, {})
    variant = _VARIANTS[game]
    chosen: dict[str, object] = {"variant": variant, **length, **house}
    if number is not None:
        chosen["seats"] = number
    if plain:
        return RuleOptions(**chosen)  # type: ignore[arg-type]
    if house:
        return _joined(random_options_of(variant, rng, names=ROWS_OF_FOUR), chosen)
    return _joined(random_options_of(variant, rng, seats=number), chosen)


def _joined(drawn: RuleOptions, chosen: dict[str, object]) -> RuleOptions:
    """Drawn options with what was chosen; drawn rows that do not go with it are left out."""
    if drawn.gs_goal is GsGoal.FIRST_AGAIN:
        chosen = {name: value for name, value in chosen.items() if name != "rounds"}
    plain = RuleOptions(**chosen)  # type: ignore[arg-type]
    for name in drawn.__struct_fields__:
        value = getattr(drawn, name)
        if name in chosen or value == getattr(plain, name):
            continue
        try:
            plain = RuleOptions(**(chosen | {name: value}))  # type: ignore[arg-type]
        except ConfigError:
            continue
        chosen = chosen | {name: value}
    return plain


def players_of(rules: RuleOptions, names: list[str]) -> tuple[Player, ...]:
    """One player for each hand, by the names of those who have a process."""
    own = dict(zip(player_seats(rules), names, strict=True))
    return tuple(
        Player(name=own.get(seat, "Tisch"), bot_seed="00" * 32)  # type: ignore[call-overload]
        for seat in range(seats(rules))
    )
