import shlex
from pathlib import Path

import pytest

from referee.cli.play_setup import (
    PlayArguments,
    PlayPlan,
    again_command,
    plan_play,
)
from referee.cli.timing import parse_clock
from referee.match.values import MS, Clock, Pace, Settings
from referee.rules.errors import ConfigError
from referee.rules.seat import Seat

HOUSE = {"random": "tichu_bot.random", "greedy": "tichu_bot.greedy"}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def plan(*bots: str, **more: object) -> PlayPlan:
    arguments = PlayArguments(bots=bots or ("random", "greedy"), **more)  # type: ignore[arg-type]
    return plan_play(arguments, house=HOUSE)


def refused(*bots: str, **more: object) -> str:
    with pytest.raises(ConfigError) as error:
        plan(*bots, **more)
    return str(error.value)


def labels(played: PlayPlan) -> list[str]:
    return [bot.label for bot in played.bots]


def test_two_bots_are_teams() -> None:
    assert labels(plan("random", "greedy")) == ["random", "greedy", "random", "greedy"]
    assert plan("random", "greedy").columns == ("random", "greedy")


def test_four_bots_sit_in_the_order_given() -> None:
    four = plan("a=random", "b=random", "c=random", "d=greedy")
    assert labels(four) == ["a", "b", "c", "d"]
    assert four.columns == ("a + c", "b + d")


def test_equal_labels_are_told_apart() -> None:
    assert plan("random", "random").columns == ("random", "random-2")


def test_two_bots_of_tientsin_play_three_seats_each_and_six_one() -> None:
    two = plan("random", "greedy", variant="tientsin")
    assert labels(two) == ["random", "greedy"] * 3
    assert two.columns == ("random", "greedy")
    six = plan(*(f"{name}=random" for name in "abcdef"), options=("variant=tientsin",))
    assert six.columns == ("a + c + e", "b + d + f")


def test_three_bots_of_trichu_sit_around_the_tisch_and_have_a_column_each() -> None:
    three = plan("a=random", "b=random", "c=greedy", variant="trichu")
    assert (labels(three), three.seats) == (["a", "b", "c"], (0, 1, 3))
    assert three.names == three.columns == ("a", "b", "Tisch", "c")
    assert three.bot_at(Seat(3)).label == "c"


@pytest.mark.parametrize("bots", [5, 12])
def test_the_bots_of_grand_seigneur_are_its_seats(bots: int) -> None:
    many = plan(*(["random"] * bots), variant="grand_seigneur")
    assert (many.rules.seats, len(many.bots), many.columns) == (bots, bots, ())


@pytest.mark.parametrize(
    ("game", "bots", "said"),
    [
        ("tientsin", 3, "3 bots given: for Tientsin name 2 (each plays all three seats of a team)"),
        ("trichu", 2, "2 bots given: for Trichu name 3: each plays for itself, and the Tisch too"),
        ("trichu", 4, "4 bots given: for Trichu name 3"),
        ("grand_seigneur", 4, "4 bots given: Grand Seigneur takes 5 to 12, one for each seat"),
        ("grand_seigneur", 13, "13 bots given: Grand Seigneur takes 5 to 12"),
    ],
)
def test_another_number_of_bots_is_refused_with_those_that_the_game_takes(
    game: str, bots: int, said: str
) -> None:
    assert refused(*(["random"] * bots), variant=game).startswith(said)


def test_seats_that_are_not_the_bots_given_are_refused() -> None:
    said = refused(*["random"] * 5, variant="grand_seigneur", options=("seats=7",))
    assert said == "5 bots given: seats=7 says another number; leave seats out"


def test_a_game_named_twice_is_refused() -> None:
    said = refused(variant="tichu", options=("variant=tichu",))
    assert said == "option variant is given twice; leave one out"


@pytest.mark.parametrize("bots", [("random",), ("random",) * 3, ("random",) * 5])
def test_any_other_number_of_bots_is_refused(bots: tuple[str, ...]) -> None:
    assert "given: name 2" in refused(*bots)


def test_the_defaults_are_those_of_the_help() -> None:
    settings = plan().settings
    assert settings.clock == Clock(base_ns=2000 * MS, bank_ns=60_000 * MS)
    assert settings.pace is Pace.FAST
    assert settings.window_ns == 1000 * MS
    assert plan(pace="fair").settings.window_ns == 50 * MS


@pytest.mark.parametrize(
    ("text", "base_ms", "bank_ms"),
    [
        ("2s+60s", 2000, 60_000),
        ("500ms+10s", 500, 10_000),
        ("1.5s+1m", 1500, 60_000),
        ("1s+0s", 1000, 0),
    ],
)
def test_a_clock_is_base_and_bank_with_units(text: str, base_ms: int, bank_ms: int) -> None:
    assert parse_clock(text) == Clock(base_ns=base_ms * MS, bank_ns=bank_ms * MS)


def test_a_clock_may_be_none() -> None:
    assert parse_clock("none") is None


@pytest.mark.parametrize(
    "text",
    ["", "2", "2s", "2s+", "+60s", "2+60", "2s+60", "2s+60s+1s", "-1s+60s", "2h+1s", "2S+1s"],
)
def test_any_other_clock_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ConfigError, match=r"write BASE\+BANK .* like 2s\+60s"):
        parse_clock(text)


def test_nobody_comes_back_to_a_match_of_play() -> None:
    assert refused(faults=("resume_grace_ms=5",)).endswith("comes back to it; leave it out")


def test_a_clock_without_base_time_is_refused() -> None:
    with pytest.raises(ConfigError, match="the base time must be over 0"):
        parse_clock("0s+60s")


def test_a_window_that_nobody_asked_for_gives_way_to_a_short_clock() -> None:
    assert plan(clock="500ms+10s").settings.window_ns == 250 * MS


def test_a_window_that_was_asked_for_must_fit_the_clock() -> None:
    assert "shorten the window" in refused(clock="500ms+10s", window_ms=1000)
    assert "use 20 or more" in refused(window_ms=19)


def test_longer_base_times_and_the_lag_go_into_the_clock() -> None:
    clock = plan(clock="1s+0s", bases=("exchange=5s",), lag="100ms+3s").settings.clock
    assert clock == Clock(
        base_ns=1000 * MS,
        bank_ns=0,
        exchange_ns=5000 * MS,
        lag_cap_ns=100 * MS,
        lag_quota_ns=3000 * MS,
    )


def test_limits_of_faults_go_into_the_match_and_its_referee() -> None:
    changed = plan(faults=("max_strikes=3", "lag_limit_ms=80", "grace_ms=0", "start_ms=9"))
    assert (changed.settings.max_strikes, changed.settings.lag_limit_ns) == (3, 80 * MS)
    assert (changed.grace_ms, changed.start_ms) == (0, 9)
    usual = plan()
    assert usual.settings.max_strikes == Settings(rules=usual.settings.rules).max_strikes
    assert (usual.grace_ms, usual.start_ms) == (10_000, 30_000)


def test_the_window_must_be_below_the_shortest_base_time_of_a_turn() -> None:
    longer = plan(clock="1s+0s", bases=("act=5s", "choose_seat=5s"), window_ms=3000)
    assert longer.settings.window_ns == 3000 * MS
    assert "shorten the window" in refused(clock="1s+0s", bases=("act=5s",), window_ms=3000)


def test_rules_come_from_rounds_target_and_options() -> None:
    rules = plan(rounds=3, options=("double_victory_points=100",)).settings.rules
    assert (rules.rounds, rules.double_victory_points) == (3, 100)
    assert plan(target=500).settings.rules.target == 500


def test_a_rule_given_twice_is_refused() -> None:
    assert "option rounds is given twice" in refused(rounds=3, options=("rounds=4",))


def test_an_unknown_option_is_refused_with_the_nearest() -> None:
    assert "did you mean great_grand?" in refused(options=("great_gran=true",))


def test_a_chosen_seed_makes_practice_and_64_digits_stand_for_themselves() -> None:
    assert plan(seed="0F" * 32).event_secret == bytes([15] * 32)
    assert plan(seed="abc").event_secret == plan(seed="abc").event_secret
    assert plan(seed="abc").practice
    assert not plan().practice


def test_without_a_seed_one_is_drawn_and_told() -> None:
    first, second = plan(), plan()
    assert first.seed != second.seed
    assert plan(seed=first.seed).event_secret == first.event_secret
    assert first.again.endswith(f" --seed {first.seed}")


def test_an_empty_seed_is_refused() -> None:
    assert "--seed: the text is empty" in refused(seed="")


def test_a_seed_that_cannot_be_shown_is_refused() -> None:
    assert "write printable characters" in refused(seed="\udcff")


def test_the_last_line_repeats_every_argument_as_a_shell_reads_it() -> None:
    arguments = PlayArguments(
        bots=("a b=node x.js", "greedy"),
        variant="tichu",
        rounds=2,
        options=("great_grand=true",),
        clock="3s+9s",
        bases=("act=5s", "call=4s"),
        lag="none",
        pace="fair",
        window_ms=60,
        faults=("max_strikes=3", "grace_ms=0"),
        format="json",
        record_dir="my records",
        log_dir="logs",
    )
    assert shlex.split(again_command(arguments, "it's")) == [
        *("referee", "play", "a b=node x.js", "greedy", "--variant", "tichu", "--rounds", "2"),
        *("--option", "great_grand=true", "--clock", "3s+9s"),
        *("--base", "act=5s", "--base", "call=4s", "--lag", "none"),
        *("--pace", "fair", "--window", "60"),
        *("--fault", "max_strikes=3", "--fault", "grace_ms=0"),
        *("--format", "json", "--record-dir", "my records", "--log-dir", "logs"),
        *("--seed", "it's"),
    ]


def test_a_seed_that_looks_like_an_option_is_repeated_as_a_value() -> None:
    again = again_command(PlayArguments(bots=("random", "greedy")), "--help")
    assert again.endswith(" --seed=--help")


def test_the_folders_are_made(tmp_path: Path) -> None:
    plan(record_dir="a/b", log_dir="c")
    assert (tmp_path / "a" / "b").is_dir()
    assert (tmp_path / "c").is_dir()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "--record-dir 'file': this is a file; name a folder" in refused(record_dir="file")
