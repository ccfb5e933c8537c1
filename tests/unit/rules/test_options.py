"""Table J: every row parses, everything else is refused with what is wrong and what is allowed."""

import pytest

from referee.rules.cards import Seat
from referee.rules.errors import ConfigError, RefereeBug
from referee.rules.option_values import BombArbitration, Direction, WishBombExempt
from referee.rules.options import (
    DEFAULT_OPTIONS,
    MAX_ROUNDS,
    MAX_TARGET,
    OPTION_ROWS,
    RuleOptions,
    columns,
    has_fixed_teams,
    match_rounds,
    options_dict,
    parse_option_text,
    parse_options,
    seats,
    team_of,
    teams,
    victory_points,
)
from referee.rules.seating import seating
from referee.rules.worst import worst_result

TRICHU: dict[str, object] = {"variant": "trichu"}
TIENTSIN: dict[str, object] = {"variant": "tientsin"}
SEVEN: dict[str, object] = {"variant": "grand_seigneur", "seats": 7}
# What a row needs beside it to make sense
BESIDE: dict[str, dict[str, object]] = {"trichu": TRICHU, "tientsin": TIENTSIN, "gs": SEVEN}


def beside(name: str, value: object) -> dict[str, object]:
    """The options with which a value of a row makes sense."""
    if name == "variant":
        return {"seats": 7} if value == "grand_seigneur" else {}
    return dict(BESIDE.get(name.partition("_")[0], {}))


def test_the_table_has_every_row() -> None:
    assert len(OPTION_ROWS) == 40
    assert OPTION_ROWS["wish_bomb_exempt"].values == tuple(WishBombExempt)
    assert OPTION_ROWS["double_victory_points"].values == (200, 100)


@pytest.mark.parametrize("name", OPTION_ROWS)
def test_the_default_may_be_said(name: str) -> None:
    plain = {"seats": None, **options_dict(DEFAULT_OPTIONS, complete=True)}
    assert parse_options({name: plain[name]}) == DEFAULT_OPTIONS


def test_seats_is_told_only_where_it_is_said() -> None:
    assert "seats" not in options_dict(DEFAULT_OPTIONS, complete=True)
    assert len(options_dict(DEFAULT_OPTIONS, complete=True)) == 39
    told = options_dict(parse_options(SEVEN), complete=True)
    assert list(told)[:3] == ["variant", "seats", "target"]  # in the order of the table


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, row in OPTION_ROWS.items() for value in row.values]
)
def test_every_value_travels_there_and_back(name: str, value: object) -> None:
    around = beside(name, value)
    options = parse_options(around | {name: getattr(value, "value", value)})
    assert getattr(options, name) == value
    plain = options_dict(options)
    assert parse_options(plain) == options
    assert set(plain) == set(around) | ({name} if value != OPTION_ROWS[name].default else set())
    for key, said in plain.items():
        text = f"{key}={str(said).lower()}"
        assert parse_option_text(text) == (key, said)


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
        # seats
        ({"seats": 13}, "seats: 13 is none of its values; allowed: none or a whole number from"),
        ({"seats": 6}, "options seats and variant: tichu has 4 seats; leave seats out"),
        (TRICHU | {"seats": 3}, "options seats and variant: trichu has 4 seats"),
        (TIENTSIN | {"seats": 4}, "options seats and variant: tientsin has 6 seats"),
        ({"variant": "grand_seigneur"}, "grand_seigneur needs seats=5 to seats=12"),
        (SEVEN | {"seats": 4}, "grand_seigneur has 5 to 12 seats"),
        # rounds
        (TRICHU | {"rounds": 4}, "options rounds and variant: in Trichu each of the three"),
        (SEVEN | {"rounds": 4, "gs_goal": "first_again"}, "options rounds and gs_goal"),
        (TRICHU | {"rounds": 9, "target": 500}, "target"),
        # rows of other games
        ({"trichu_grand": "nobody"}, "options trichu_grand and variant: trichu_grand is a rule of"),
        (TRICHU | {"tientsin_deal_start": "after_dealer"}, "is a rule of tientsin only; leave it"),
        (TIENTSIN | {"gs_dog": "one"}, "options gs_dog and variant: gs_dog is a rule of grand_s"),
        # one pack
        (SEVEN | {"seats": 6, "gs_dog": "one"}, "options gs_dog and seats"),
        (SEVEN | {"seats": 6, "gs_second_phoenix": "half"}, "options gs_second_phoenix and seats"),
        (SEVEN | {"seats": 5, "gs_two_phoenix_in_combo": True}, "gs_two_phoenix_in_combo and sea"),
        # calls
        ({"chaos": True, "grand_allowed": False}, "options chaos and grand_allowed"),
        ({"chaos": True, "great_grand": True}, "options chaos and great_grand"),
        ({"chaos": True, "grand_order": "by_seat"}, "options chaos and grand_order"),
        ({"chaos": True, "refuse_call": True}, "options chaos and refuse_call"),
        (TRICHU | {"chaos": True}, "options chaos and variant: only the two opponents decide"),
        ({"refuse_call": True, "hopeless_call": "rejected"}, "options hopeless_call and refuse_"),
        (TRICHU | {"trichu_grand": "nobody", "grand_allowed": False}, "both say that nobody"),
        (TRICHU | {"trichu_grand": "nobody", "great_grand": True}, "nobody calls Great Grand"),
        # no effect
        (TIENTSIN | {"grand_allowed": False, "grand_order": "by_seat"}, "so no order shows"),
        (TRICHU | {"trichu_grand": "nobody", "grand_order": "by_seat"}, "so no order shows"),
        (TRICHU | {"trichu_grand": "nobody", "both_call_scoring": "bsw"}, "leave both_call_sco"),
        (TIENTSIN | {"grand_allowed": False, "both_call_scoring": "bsw"}, "nobody calls one"),
        (TIENTSIN | {"both_partners_may_call": False, "both_call_scoring": "bsw"}, "only one may"),
        (TIENTSIN | {"rounds": 2, "tie_at_target": "draw"}, "no target to be tied at"),
        # a triple victory is 300, and its Dog has a row of its own
        (TIENTSIN | {"double_victory_points": 100}, "a triple victory counts 300"),
        (TIENTSIN | {"dog_partner_out": "next_opponent"}, "write tientsin_dog_no_partner"),
        # a number of rounds, not points, ends these
        (TRICHU | {"target": 500}, "options target and variant: Trichu ends after a number of"),
        (TRICHU | {"tie_at_target": "draw"}, "options tie_at_target and variant"),
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
    assert seating(RuleOptions(direction=direction)).others[2] == (3, 0, 1)


@pytest.mark.parametrize("direction", Direction)
def test_direction_is_told_to_who_displays_it(direction: Direction) -> None:
    assert parse_options({"direction": direction.value}).direction is direction


@pytest.mark.parametrize("arbitration", BombArbitration)
def test_bomb_arbitration_is_carried_for_the_match_to_decide(arbitration: BombArbitration) -> None:
    options = parse_options({"bomb_arbitration": arbitration.value})
    assert options.bomb_arbitration is arbitration
    said = {} if arbitration is BombArbitration.STRONGEST else {"bomb_arbitration": "seat_order"}
    assert options_dict(options) == said


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("great_grand", True),
        ("grand_allowed", False),
        ("chaos", True),
        ("both_partners_may_call", False),
        ("both_call_scoring", "bsw"),
        ("hopeless_call", "rejected"),
        ("refuse_call", True),
        ("grand_order", "by_seat"),
        ("exchange_rechoose", "never"),
        ("call_before_exchange", False),
        ("dragon_gift_to_finished", "forbidden"),
        ("dragon_last_trick_gift", False),
        ("dog_partner_out", "next_opponent"),
        ("double_victory_points", 100),
        ("target", 500),
        ("tie_at_target", "draw"),
    ],
)
def test_grand_seigneur_has_no_calls_gifts_partners_or_points(name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=f"options {name} and variant: .*; leave {name} out"):
        parse_options(SEVEN | {name: value})


@pytest.mark.parametrize(
    ("raw", "rounds"),
    [
        ({}, None),
        ({"rounds": 4}, 4),
        (TIENTSIN, None),
        (TRICHU, 9),
        (TRICHU | {"rounds": 3}, 3),
        (SEVEN, 4),
        (SEVEN | {"rounds": 5}, 5),
        (SEVEN | {"gs_goal": "first_again"}, None),
    ],
)
def test_how_many_rounds_a_match_has(raw: dict[str, object], rounds: int | None) -> None:
    assert match_rounds(parse_options(raw)) == rounds


@pytest.mark.parametrize(
    ("raw", "numbers", "fixed", "victory"),
    [
        ({"double_victory_points": 100}, (4, 2, 2), True, 100),
        (TRICHU, (4, 2, 4), False, 200),
        (TIENTSIN, (6, 2, 2), True, 300),
        (SEVEN, (7, 0, 0), False, 200),
    ],
)
def test_seats_teams_and_columns(
    raw: dict[str, object], numbers: tuple[int, int, int], fixed: bool, victory: int
) -> None:
    options = parse_options(raw)
    assert (seats(options), teams(options), columns(options)) == numbers
    assert (has_fixed_teams(options), victory_points(options)) == (fixed, victory)


def test_a_team_for_the_whole_match_is_not_asked_for_where_there_is_none() -> None:
    tientsin = parse_options(TIENTSIN)
    assert [team_of(tientsin, Seat(seat)) for seat in range(6)] == [0, 1] * 3
    for raw in (TRICHU, SEVEN):
        with pytest.raises(RefereeBug):
            team_of(parse_options(raw), Seat(0))


def test_seats_and_teams_of_four() -> None:
    assert (seats(DEFAULT_OPTIONS), teams(DEFAULT_OPTIONS)) == (4, 2)
    assert [team_of(DEFAULT_OPTIONS, Seat(seat)) for seat in range(4)] == [0, 1, 0, 1]


@pytest.mark.parametrize(
    "raw",
    [
        {"grand_allowed": False, "grand_order": "by_seat"},
        {"grand_allowed": False, "both_call_scoring": "bsw"},
        {"both_partners_may_call": False, "both_call_scoring": "bsw"},
        {"rounds": 2, "tie_at_target": "draw"},
    ],
)
def test_what_has_no_effect_is_accepted_of_four_since_records_name_it(
    raw: dict[str, object],
) -> None:
    assert options_dict(parse_options(raw)) == raw
