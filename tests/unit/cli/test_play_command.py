from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.cli.main import main


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "mine.py").touch()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "0 bots given"),
        ("random", "1 bot given: name 2"),
        ("random random random", "3 bots given: name 2 (each plays both seats"),
        ("random gredy", "did you mean greedy?"),
        ("random ./none.py", "there is no file ./none.py"),
        ("random file", "file is not executable; chmod +x"),
        ("random greedy --clock 2x", "write BASE+BANK with units"),
        ("random greedy --option bomb_arbitation=strongest", "did you mean bomb_arbitration?"),
        ("random greedy --option rounds=0", "option rounds: 0 is none of its values"),
        ("random greedy --option rounds=100001", "a whole number from 1 to 100000"),
        ("random greedy --option target=1000001", "a whole number from 1 to 1000000"),
        ("random greedy --option gs_goal=first_again", "gs_goal is a rule of grand_seigneur only"),
        ("random greedy --option rounds", "write NAME=VALUE"),
        ("random greedy --rounds 2 --target 500", "options rounds and target"),
        ("random greedy --clock 500ms+0s --window 600", "shorten the window"),
        ("random greedy --record-dir file", "'file': this is a file; name a folder"),
        ("random greedy --log-dir file/x", "cannot make the folder"),
        ("random greedy --log-dir /proc", "--log-dir '/proc': no file can be written there"),
        ("random greedy --record-dir=", "--record-dir: the name is empty"),
        ("random greedy --log-dir=", "--log-dir: the name is empty"),
        ("random greedy --clock=", "write BASE+BANK with units"),
        ("random greedy --base act=1s", "--base 'act=1s': below the clock's base time of 2s"),
        ("random greedy --base turn=5s", "kinds: call, exchange, act, choose_seat"),
        ("random greedy --lag 1s", "write CAP+QUOTA with units"),
        ("random greedy --clock none --base act=5s", "with the clock at none"),
        ("random greedy --fault max_strike=3", "did you mean max_strikes?"),
        ("random greedy --fault lag_limit_ms=1", "write a whole number from 50 to 86400000"),
        ("random greedy --clock 10ms+10ms", "the base time must be over 20 ms"),
        ("random mine", "there is a file mine.py; did you mean ./mine.py?"),
    ],
)
def test_what_cannot_be_played_is_one_line_and_exit_2(words: str, said: str) -> None:
    result = CliRunner().invoke(main, ["play", *words.split()])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert len(result.stderr.splitlines()) == 1
    assert said in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--rounds 0", "--rounds 0: write a whole number from 1 to 100000"),
        ("--rounds x", "--rounds 'x': write a whole number from 1 to 100000"),
        (f"--rounds {'9' * 20}", f"--rounds {'9' * 20}: write a whole number from 1 to 100000"),
        ("--target 2147483647", "--target 2147483647: write a whole number from 1 to 1000000"),
        ("--window 19", "--window 19: write a whole number from 20"),
        ("--pace slow", "--pace 'slow': write fast or fair"),
        ("--sed 1", "no such option --sed; did you mean --seed?"),
        ("--zzz", "no such option --zzz; referee play --help has the usage"),
        ("--window", "option '--window' requires an argument"),
        ("--pace fast --pace fair", "--pace is given twice; leave one out"),
        ("--clock 1s+1s --clock 1s+1s", "--clock is given twice; leave one out"),
        ("--seed a --seed b", "--seed is given twice; leave one out"),
    ],
)
def test_what_click_refuses_is_one_line_too(words: str, said: str) -> None:
    line = ["play", "random", "greedy", *words.split()]
    result = CliRunner().invoke(main, line, prog_name="referee")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: {said}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("pla", "no such command 'pla'; did you mean 'play'?"),
        ("record verify", "missing argument 'FILE...'; referee record verify --help has the usage"),
        ("serve --grace abc", "--grace 'abc': write a number"),
        ("serve --matches 0", "--matches 0: write a whole number from 1"),
        ("serve --grace-ms -1", "--grace-ms -1: write a whole number from 0 to 3600000"),
        ("health --timeout 0", "--timeout 0.0: write a number from 0.001 to 3600"),
        ("rules bsw --option foo=1 x", "there is no option 'foo'; `referee rules show` lists them"),
    ],
)
def test_every_command_says_it_in_one_line(words: str, said: str) -> None:
    result = CliRunner().invoke(main, words.split(), prog_name="referee")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"error: {said}\n")


def test_the_help_names_the_exit_codes_and_keeps_the_list_of_bots() -> None:
    told = CliRunner().invoke(main, ["play", "--help"]).stdout
    assert "Exit codes: 0 the match was played to its end; 1 a fault" in told
    assert '\n    "node bot.js"     a command\n' in told
    assert "--fault NAME=N" in told
    assert "referee rules faults" in told
