"""Table J: every row parses, everything else is refused with what is wrong and what is allowed."""

import pytest

from referee.rules.cards import Seat
from referee.rules.errors import ConfigError
from referee.rules.option_values import BombArbitration, Direction, WishBombExempt
from referee.rules.options import (
    DEFAULT_OPTIONS,
    LATER_OPTIONS,
    MAX_ROUNDS,
    MAX_TARGET,
    OPTION_ROWS,
    RuleOptions,
    opponents_of,
    options_dict,
    others_of,
    parse_option_text,
    parse_options,
    partners_of,
    seats,
    team_of,
    teams,
)
from referee.rules.worst import worst_result

PLAYABLE = [name for name in OPTION_ROWS if name not in LATER_OPTIONS]


def test_the_table_has_every_row() -> None:
    assert len(OPTION_ROWS) == 39
    assert OPTION_ROWS["wish_bomb_exempt"].values == tuple(WishBombExempt)
    assert OPTION_ROWS["double_victory_points"].values == (200, 100)


@pytest.mark.parametrize("name", OPTION_ROWS)
def test_the_default_may_be_said(name: str) -> None:
    plain = options_dict(DEFAULT_OPTIONS, complete=True)
    assert parse_options({name: plain[name]}) == DEFAULT_OPTIONS


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name in PLAYABLE for value in OPTION_ROWS[name].values]
)
def test_every_value_travels_there_and_back(name: str, value: object) -> None:
    options = RuleOptions(**{name: value})  # type: ignore[arg-type]
    plain = options_dict(options)
    assert parse_options(plain) == options
    assert plain == {} if value == OPTION_ROWS[name].default else list(plain) == [name]
    for key, said in plain.items():
        text = f"{key}={str(said).lower()}"
        assert parse_option_text(text) == (key, said)


@pytest.mark.parametrize("name", [name for name in LATER_OPTIONS if name != "variant"])
def test_what_only_the_variants_know_is_refused_with_the_reason(name: str) -> None:
    other = options_dict(DEFAULT_OPTIONS, complete=True)
    value = OPTION_ROWS[name].values[1]
    other[name] = value if isinstance(value, bool) else str(value)
    with pytest.raises(ConfigError, match=f"{name}: comes with the variants; not in this release"):
        parse_options({name: other[name]})


@pytest.mark.parametrize("variant", ["trichu", "tientsin", "grand_seigneur"])
def test_the_variants_are_refused_with_the_reason(variant: str) -> None:
    with pytest.raises(ConfigError, match="comes with the variants; not in this release"):
        parse_options({"variant": variant})


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"targett": 500}, "no option 'targett'; did you mean target?"),
        (
            {"target": 0},
            "target: 0 is none of its values; allowed: a whole number from 1 to 1000000",
        ),
        ({"target": True}, "target: true is none"),
        ({"target": "500"}, "target: '500' is none"),
        ({"target": 1_000_001}, "target: 1000001 is none of its values; allowed: a whole number"),
        ({"target": 10**30}, "is none of its values; allowed: a whole number from 1 to 1000000"),
        ({"rounds": 0}, "allowed: none or a whole number from 1 to 100000"),
        ({"rounds": 100_001}, "rounds: 100001 is none of its values; allowed: none or a whole"),
        ({"double_victory_points": 150}, "allowed: 200, 100"),
        ({"great_grand": 1}, "great_grand: 1 is none of its values; allowed: false, true"),
        ({"self_overtake": "all"}, "self_overtake: 'all' is none of its values; allowed: bombs_"),
        ({"rounds": 4, "target": 500}, "rounds and target"),
        ({"great_grand": True, "grand_allowed": False}, "great_grand and grand_allowed"),
    ],
)
def test_a_mistake_is_named(raw: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as wrong:
        parse_options(raw)
    assert message in str(wrong.value)


@pytest.mark.parametrize("text", ["target", "target=", "target=ten", "=5", "target=9" * 9])
def test_a_command_line_mistake_is_a_config_error(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_option_text(text)


def test_the_longest_match_there_is_counts_in_32_bits() -> None:
    """A lost match is worth every round that it could have had, at 400 points a team."""
    rounds, target = parse_options({"rounds": MAX_ROUNDS}), parse_options({"target": MAX_TARGET})
    assert (rounds.rounds, target.target) == (MAX_ROUNDS, MAX_TARGET)
    for options in (rounds, target):
        worst = worst_result(None, 0, totals=(0, 0), rounds_played=0, options=options)
        assert max(map(abs, worst)) < 1 << 31


def test_command_line_values() -> None:
    assert parse_option_text("rounds=none") == ("rounds", None)
    assert parse_option_text(" target = 500 ") == ("target", 500)
    assert parse_option_text("great_grand=true") == ("great_grand", True)


@pytest.mark.parametrize("direction", Direction)
def test_direction_is_for_displays_and_moves_no_turn(direction: Direction) -> None:
    assert others_of(RuleOptions(direction=direction), Seat(2)) == (3, 0, 1)


@pytest.mark.parametrize("direction", Direction)
def test_direction_is_told_to_who_displays_it(direction: Direction) -> None:
    assert parse_options({"direction": direction.value}).direction is direction


@pytest.mark.parametrize("arbitration", BombArbitration)
def test_bomb_arbitration_is_carried_for_the_match_to_decide(arbitration: BombArbitration) -> None:
    options = parse_options({"bomb_arbitration": arbitration.value})
    assert options.bomb_arbitration is arbitration
    said = {} if arbitration is BombArbitration.STRONGEST else {"bomb_arbitration": "seat_order"}
    assert options_dict(options) == said


def test_seats_and_teams_of_four() -> None:
    assert (seats(DEFAULT_OPTIONS), teams(DEFAULT_OPTIONS)) == (4, 2)
    assert [team_of(DEFAULT_OPTIONS, Seat(seat)) for seat in range(4)] == [0, 1, 0, 1]
    assert partners_of(DEFAULT_OPTIONS, Seat(3)) == (1,)
    assert opponents_of(DEFAULT_OPTIONS, Seat(3)) == (0, 2)
