"""`referee rules faults` and `referee rules show`: what they print, to the letter."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.cli.main import main
from referee.match.values import Pace
from referee.rules.options import OPTION_ROWS

FAULTS = """\
One table for every seat. A match that bots of one team ended counts as the worst that it could
still have got; where bots of both teams failed in one step, the match counts for nothing.

fault             what follows                           ending           blame    limit in force
illegal answer    corrected, else substitute and strike  -                BOT      max_resends=2
malformed answer  corrected, else substitute and strike  -                BOT      max_resends=2
illegal bomb      corrected, else no bomb and strike     -                BOT      max_resends=2
late or silent    substitute and strike                  -                BOT      clock=2s+60s
strikes, illegal  ends the match                         FORFEIT_ILLEGAL  BOT      max_strikes=10
strikes, late     ends the match                         FORFEIT_TIME     BOT      max_strikes=10
over the rate     read no faster than that               -                BOT      frames_per_s=500
flooding          ends the match                         FLOODED          BOT      flood_ns=2000000000
not reading       ends the match                         SLOW_READER      BOT      unsent_bytes=2097152
crashed           ends the match                         CRASHED          BOT
gone              ends the match unless back in time     DISCONNECTED     BOT*     grace_ms=10000
gone at restart   ends the match unless back in time     DISCONNECTED     UNKNOWN  resume_grace_ms=30000
never started     ends the match                         NEVER_STARTED    BOT      start_ms=30000
wrong version     not let in, as one that never came     NEVER_STARTED    BOT      start_ms=30000
resigned          ends the match                         RESIGNED         BOT
dragging          ends the match, by the slowest seat    ABANDONED        BOT      wall_per_round_ms=600000
endless round     ends the match                         ABANDONED        NONE     max_actions=1000
endless match     ends the match                         ABANDONED        NONE     max_rounds=60
blocked referee   running asks are put anew, uncharged   -                REFEREE  lag_limit_ms=500
failed referee    ends the match                         REFEREE_FAILED   REFEREE
failed store      ends the match                         STORE_FAILED     REFEREE
cancelled         ends the match                         CANCELLED        NONE

* NETWORK or REFEREE where the referee can show that.
"""  # noqa: E501 - the output is as wide as it is

FILE = """\
grace_ms = 7000
[match]
pace = "fast"
clock = "1s+10s"
exchange_ms = 4000
lag_quota_ms = 0
[options]
rounds = 100
double_victory_points = 100
[faults]
max_strikes = 3
lag_limit_ms = 250
[limits]
flood_ns = 5
"""


def rules(*words: str) -> Result:
    return CliRunner().invoke(main, ["rules", *words])


def cells(text: str, name: str) -> str:
    """The rest of the line that begins with a name."""
    (line,) = [line for line in text.splitlines() if line.startswith(f"{name}  ")]
    return line.removeprefix(name).strip()


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "referee.toml"
    path.write_text(FILE)
    return str(path)


def test_the_table_of_faults_to_the_letter() -> None:
    result = rules("faults")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == FAULTS


def test_the_limits_are_those_in_force(file: str) -> None:
    flags = [f"--fault={one}" for one in ("max_strikes=4", "start_ms=900", "wall_per_round_ms=1")]
    shown = rules("faults", "--config", file, *flags).stdout
    assert cells(shown, "strikes, late").endswith(" max_strikes=4")  # the flag wins
    assert cells(shown, "never started").endswith(" start_ms=900")
    assert cells(shown, "dragging").endswith(" wall_per_round_ms=1")
    assert cells(shown, "gone").endswith(" grace_ms=7000")
    assert cells(shown, "blocked referee").endswith(" lag_limit_ms=250")
    assert cells(shown, "flooding").endswith(" flood_ns=5")
    assert cells(shown, "late or silent").endswith(" clock=1s+10s")
    assert cells(shown, "endless match").endswith(" max_rounds=100")


def test_every_option_in_force_is_shown_with_value_clause_and_others(file: str) -> None:
    shown = rules("show", "--config", file, "--option", "great_grand=true").stdout
    table = shown.split("\n\n")[0].splitlines()
    assert table[0].split() == ["option", "value", "clause", "default,", "others"]
    names = [line.split()[0] for line in table[1:]]
    assert names == [name for name in OPTION_ROWS if name != "seats"]  # the variant says those
    assert cells(shown, "rounds") == f"{'100':<24}F4       none or a whole number from 1 to 100000"
    assert cells(shown, "double_victory_points").split() == ["100", "F3", "200,", "100"]
    assert cells(shown, "great_grand").split() == ["true", "A6", "false,", "true"]


def test_a_game_that_ends_by_rounds_shows_how_many_and_its_seats() -> None:
    assert cells(rules("show", "--option", "variant=trichu").stdout, "rounds").split()[0] == "9"
    seven = rules("show", "--option", "variant=grand_seigneur", "--option", "seats=7").stdout
    assert [cells(seven, name).split()[0] for name in ("seats", "rounds")] == ["7", "4"]


def test_times_and_limits_are_shown_after_the_options(file: str) -> None:
    flags = ["--base", "act=3s", "--lag", "100ms+2s", "--fault", "grace_ms=0", "--window", "40"]
    *_, times, limits = rules("show", "--config", file, *flags).stdout.split("\n\n")
    assert times == (
        "time              value\n"
        "clock             1s+10s\n"
        "base call         1s\n"
        "base exchange     4s\n"
        "base act          3s\n"
        "base choose_seat  1s\n"
        "lag               100ms+2s\n"
        "pace              fast\n"
        "window            40ms"
    )
    assert limits == (
        "limit              value\n"
        "max_resends        2\n"
        "max_strikes        3\n"
        "max_actions        1000\n"
        "max_rounds         100\n"
        "wall_per_round_ms  600000\n"
        "lag_limit_ms       250\n"
        "grace_ms           0\n"
        "resume_grace_ms    30000\n"
        "start_ms           30000\n"
        "frames_per_s       500\n"
        "flood_ns           5\n"
        "unsent_bytes       2097152\n"
    )


def test_without_a_clock_there_are_no_base_times_and_no_lag() -> None:
    times = rules("show", "--clock", "none").stdout.split("\n\n")[1]
    assert times.splitlines()[1:] == [
        "clock   none",
        f"pace    {Pace.FAIR}",
        "window  500ms",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("faults --fault max_strike=3", "there is no such limit; did you mean max_strikes?"),
        ("faults --fault zzz=3", "there is no such limit; there are max_resends, max_strikes,"),
        ("faults --config none.toml", "none.toml: No such file"),
        ("show --option targt=3", "did you mean target?"),
        ("show --clock 1s+0s --window 1000", "shorten the window"),
    ],
)
def test_what_cannot_be_is_one_line_and_exit_2(words: str, said: str) -> None:
    result = rules(*words.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    assert len(result.stderr.splitlines()) == 1
    assert said in result.stderr
