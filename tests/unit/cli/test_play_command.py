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
        ("random greedy --option chaos=true", "comes with the variants"),
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
    "words", ["--rounds 0", "--window 19", "--rounds x", "--pace slow", "--sed 1"]
)
def test_click_refuses_the_rest_with_exit_2(words: str) -> None:
    result = CliRunner().invoke(main, ["play", "random", "greedy", *words.split()])
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_the_help_names_the_exit_codes_and_keeps_the_list_of_bots() -> None:
    told = CliRunner().invoke(main, ["play", "--help"]).stdout
    assert "Exit codes: 0 the match was played to its end; 1 a fault" in told
    assert '\n    "node bot.js"     a command\n' in told
    assert "--fault NAME=N" in told
    assert "referee rules faults" in told
