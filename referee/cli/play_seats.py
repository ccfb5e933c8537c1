"""How many bots a game takes in `referee play`, and who sits where."""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from referee.formats.words import counted
from referee.launch.spec import BotSpec
from referee.rules.errors import ConfigError
from referee.rules.option_values import Variant
from referee.rules.options import (
    RuleOptions,
    has_fixed_teams,
    parse_options,
    player_seats,
    seats,
    team_of,
    teams,
)
from referee.rules.seat import Seat
from referee.rules.senseless import SEATS_OF_GRAND_SEIGNEUR

_TEAMS_OF = "each plays both seats of a team"


def rules_of_play(given: Mapping[str, object], *, bots: int) -> RuleOptions:
    """Return the rules of plain values, for so many bots. In Grand Seigneur they say the seats.

    Raises `ConfigError` for rules that cannot be, and for a number of bots that the game has not.
    """
    if given.get("variant") == Variant.GRAND_SEIGNEUR.value:
        if bots not in SEATS_OF_GRAND_SEIGNEUR:
            few, many = SEATS_OF_GRAND_SEIGNEUR[0], SEATS_OF_GRAND_SEIGNEUR[-1]
            raise ConfigError(
                f"{_given(bots)}: Grand Seigneur takes {few} to {many}, one for each seat"
            )
        given = {"seats": bots, **given}
    rules = parse_options(given)
    if bots not in _numbers(rules):
        raise ConfigError(f"{_given(bots)}: {_cure(rules)}")
    return rules


def _given(bots: int) -> str:
    return f"{counted(bots, 'bot')} given"


def _numbers(rules: RuleOptions) -> tuple[int, ...]:
    """Return how many bots may be named: one for each seat, or one for each fixed team."""
    each = len(player_seats(rules))
    return (teams(rules), each) if has_fixed_teams(rules) else (each,)


def _cure(rules: RuleOptions) -> str:
    each = len(player_seats(rules))
    match rules.variant:
        case Variant.TICHU:
            return f"name {teams(rules)} ({_TEAMS_OF}) or {each} (one for each seat)"
        case Variant.TIENTSIN:
            return (
                f"for Tientsin name {teams(rules)} (each plays all three seats of a team) "
                f"or {each} (one for each seat)"
            )
        case Variant.TRICHU:
            return (
                f"for Trichu name {each}: each plays for itself, and the Tisch too when it is "
                "the soloist"
            )
        case Variant.GRAND_SEIGNEUR:
            return f"seats={each} says another number; leave seats out"


def seat_bots(bots: Sequence[BotSpec], rules: RuleOptions) -> tuple[BotSpec, ...]:
    """Return the bots in the order of the seats that somebody sits at.

    A bot for each team plays all seats of it with its own copies: of two the first has seats
    0, 2, ... Equal labels are told apart by a number.
    """
    named = _distinct(bots)
    sat = player_seats(rules)
    return tuple([named[place % len(named)] for place in range(len(sat))])


def _distinct(bots: Sequence[BotSpec]) -> list[BotSpec]:
    seen: Counter[str] = Counter()
    named = []
    for bot in bots:
        seen[bot.label] += 1
        number = seen[bot.label]
        label = bot.label if number == 1 else f"{bot.label}-{number}"
        named.append(msgspec.structs.replace(bot, label=label))
    return named


def columns_named(names: Sequence[str], rules: RuleOptions) -> tuple[str, ...]:
    """Return the names of the score columns, of the names of all hands by seat.

    A team is called by its bots; in Trichu each hand has a column of its own (G8); in Grand
    Seigneur there are no points.
    """
    if rules.variant is Variant.TRICHU:
        return tuple(names)
    return tuple(
        " + ".join(dict.fromkeys(names[seat] for seat in team_seats(rules, team)))
        for team in range(teams(rules))
    )


def team_seats(rules: RuleOptions, team: int) -> tuple[Seat, ...]:
    """Return the seats of a team that is fixed for the match."""
    return tuple([s for s in map(Seat, range(seats(rules))) if team_of(rules, s) == team])
