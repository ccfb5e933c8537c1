"""From a ladder's file to the plan: bots, versions, times, database."""

import shutil
import sys
from pathlib import Path

import pytest

import tichu_bot
from referee.bootstrap.ladder_plan import BotPlan, LadderPlan
from referee.bootstrap.ladder_versions import GONE, versions_of
from referee.bootstrap.setup import Isolation
from referee.cli.ladder_example import example
from referee.cli.ladder_setup import plan_ladder
from referee.ladder.schedule import ScheduleKind
from referee.ladder.values import Unit
from referee.match.values import MS, Objective, Pace
from referee.rules.errors import ConfigError

HEAD = 'name = "first"\n'
STOP = "[stop]\nboards = 4\n"
A = '[[entry]]\nname = "a"\nowner = "ann"\nbot = "random"\n'


def entry(bot: str, *more: str) -> str:
    return "\n".join(['[[entry]]\nname = "b"\nowner = "ben"', bot, *more]) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "bot.py").touch()
    (tmp_path / "mine" / "data.bin").touch()
    (tmp_path / "beside.py").touch()
    return tmp_path


def plan(folder: Path, text: str, database: str | None = None) -> LadderPlan:
    file = folder / "spring.toml"
    file.write_text(text)
    return plan_ladder(file, database=database)


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as refused:
        versions_of(plan(folder, text))
    assert "\n" not in str(refused.value)
    return str(refused.value).replace(f"{folder}/", "")


def bot_of(folder: Path, *lines: str) -> BotPlan:
    return plan(folder, HEAD + STOP + A + entry(*lines)).entries[1].bots[0]


def test_the_example_is_a_ladder_of_three(tmp_path: Path) -> None:
    planned = plan(tmp_path, example(file="spring.toml", name="spring", stem="spring"))
    assert [one.name for one in planned.entries] == ["random", "greedy", "mixed"]
    assert [bot.name for bot in planned.entries[2].bots] == ["greedy", "random"]
    assert planned.entries[1].bots[0] == planned.entries[2].bots[0]
    assert all(one.house for one in planned.entries)
    assert (planned.event, planned.unit) == ("spring", Unit.BOARD)
    assert (planned.schedule.kind, planned.schedule.boards) == (ScheduleKind.ROUND_ROBIN, 8)
    assert not planned.practice


def test_a_board_is_one_round_for_points(folder: Path) -> None:
    settings = plan(folder, HEAD + STOP + A + entry('bot = "greedy"')).settings
    assert settings.rules.rounds == 1
    assert (settings.pace, settings.objective) == (Pace.FAST, Objective.POINTS)


TIENTSIN = HEAD + STOP + '[options]\nvariant = "tientsin"\n' + A


def test_an_entry_of_tientsin_is_a_bot_with_two_copies_or_three_bots(folder: Path) -> None:
    planned = plan(folder, TIENTSIN + entry('team = ["greedy", "random", "./mine"]'))
    assert planned.places == 3
    names = [[bot.name for bot in one.bots] for one in planned.entries]
    assert names == [["random"] * 3, ["greedy", "random", "mine"]]
    assert [len(at) for at in versions_of(planned).values()] == [3, 3]


@pytest.mark.parametrize(
    ("head", "bots", "said"),
    [
        (
            TIENTSIN,
            'pair = ["greedy", "random"]',
            'spring.toml:13: entry.pair: a team of this game has 3 seats; write team = ["A", "B", '
            '"C"], or bot for one that plays with its own copies',
        ),
        (
            HEAD + STOP + A,
            'team = ["greedy", "random", "greedy"]',
            'spring.toml:11: entry.team: a team of this game has 2 seats; write pair = ["A", "B"], '
            "or bot for one that plays with its own copies",
        ),
    ],
)
def test_an_entry_has_as_many_bots_as_a_team_of_its_game(
    folder: Path, head: str, bots: str, said: str
) -> None:
    assert refusal(folder, head + entry(bots)) == said


def test_a_match_goes_to_its_target(folder: Path) -> None:
    text = HEAD + 'unit = "match"\n' + STOP + "[options]\ntarget = 500\n" + A
    rules = plan(folder, text + entry('bot = "greedy"')).settings.rules
    assert (rules.rounds, rules.target) == (None, 500)


def test_a_house_bot_is_known_by_its_package(folder: Path) -> None:
    bot = bot_of(folder, 'bot = "greedy"')
    assert (bot.name, bot.house) == ("greedy", True)
    assert bot.artefact == (Path(str(tichu_bot.__file__)).parent,)


def test_paths_lead_from_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    bot = bot_of(folder, 'bot = "./mine"')
    assert bot.argv == (sys.executable, str(folder / "mine" / "bot.py"))
    assert bot.artefact == (folder / "mine",)


def test_a_bot_is_called_as_its_entry_unless_it_has_a_label(folder: Path) -> None:
    assert bot_of(folder, 'bot = "./mine"').name == "b"
    assert bot_of(folder, 'bot = "deep=./mine"').name == "deep"


@pytest.mark.parametrize(
    ("bot", "artefact"),
    [
        ("./mine/bot.py", "mine"),
        ("mine/bot.py", "mine"),
        (f"{sys.executable} mine/bot.py --deep", "mine"),
        ("./beside.py", "beside.py"),  # in its folder lie the ladder and everybody else
        (f"{sys.executable} beside.py", "beside.py"),
    ],
)
def test_the_files_of_a_version_are_the_folder_of_the_bot(
    folder: Path, bot: str, artefact: str
) -> None:
    assert bot_of(folder, f'bot = "{bot}"').artefact == (folder / artefact,)


def test_words_that_name_files_are_found_from_anywhere(folder: Path) -> None:
    argv = bot_of(folder, f'bot = "{sys.executable} beside.py --deep a/b"').argv
    assert argv is not None
    assert argv[1:] == (str(folder / "beside.py"), "--deep", "a/b")


def test_a_program_of_the_system_has_no_files(folder: Path) -> None:
    assert bot_of(folder, 'bot = "sh -c true"').artefact == ()


def test_named_artefacts_win(folder: Path) -> None:
    bot = bot_of(folder, 'bot = "./mine"', 'artefact = ["mine/data.bin", "beside.py"]')
    assert bot.artefact == (folder / "mine" / "data.bin", folder / "beside.py")


def test_a_bot_that_dials_in_is_a_name(folder: Path) -> None:
    text = HEAD + 'listen = ["127.0.0.1:0"]\n' + STOP + "[match]\npace = 'fair'\n" + A
    planned = plan(folder, text + entry('bot = "ben-bot"', "dial_in = true"))
    assert planned.entries[1].bots == (BotPlan(name="ben-bot", argv=None),) * 2
    assert planned.isolation is Isolation.DECLARED
    assert planned.settings.window_ns == 500 * MS


def test_windows_of_bots_that_are_started_are_short(folder: Path) -> None:
    text = HEAD + STOP + "[match]\npace = 'fair'\n" + A + entry('bot = "greedy"')
    assert plan(folder, text).settings.window_ns == 50 * MS


def test_the_folder_and_the_database_lie_beside_the_file(folder: Path) -> None:
    text = STOP + A + entry('bot = "greedy"')
    planned = plan(folder, HEAD + text)
    assert planned.folder == folder / "spring.ladder"
    assert planned.database == f"sqlite:///{folder}/spring.ladder/ladder.db"
    planned = plan(folder, HEAD + 'folder = "kept"\ndatabase = "sqlite:///all.db"\n' + text)
    assert (planned.folder, planned.database) == (folder / "kept", f"sqlite:///{folder}/all.db")
    url = "postgresql://u@h/x"
    assert plan(folder, HEAD + f'database = "{url}"\n' + text).database == url
    assert plan(folder, HEAD + text, database="sqlite:///here.db").database == "sqlite:///here.db"


def test_a_schedule_without_a_number_of_boards_goes_on(folder: Path) -> None:
    planned = plan(folder, HEAD + "[stop]\nhours = 2\n" + A + entry('bot = "greedy"'))
    assert planned.schedule.boards is None
    assert planned.stop.hours == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEAD + STOP + A + entry('bot = "gredy"'),
            "spring.toml:11: bot 'gredy': no house bot (greedy, random), file or command has that "
            "name; did you mean greedy?",
        ),
        (
            HEAD + STOP + A + entry('bot = "./none"'),
            "spring.toml:11: bot './none': there is no file ./none; put it there, or write what "
            "starts the bot",
        ),
        (
            HEAD + STOP + A + entry('pair = ["random=greedy", "greedy"]'),
            "spring.toml:11: two bots are called 'random': 'random' in entry a and 'random=greedy' "
            "in entry b; write \"greedy-2=greedy\" for 'random=greedy' in entry b, or give the "
            "entry another name",
        ),
        (
            HEAD
            + STOP
            + A.replace('"random"', '"./beside.py"')
            + entry('pair = ["a=random", "b"]'),
            "spring.toml:11: two bots are called 'a': './beside.py' in entry a and 'a=random' in "
            'entry b (a file as `bot` has the name of its entry); write "beside=./beside.py" for '
            "'./beside.py' in entry a, or give the entry another name",
        ),
        (
            HEAD + STOP + A + entry('bot = "a+b=./mine"'),
            "spring.toml:11: bot 'a+b' is no name; write LABEL=BOT; a name is up to 32 letters, "
            "digits or any of . _ -, and begins with a letter or digit",
        ),
        (
            HEAD + STOP + A + entry('bot = "./mine"', 'artefact = ["mine/other.bin"]'),
            "spring.toml:12: entry.artefact: there is no 'mine/other.bin'; name what is there",
        ),
        (
            HEAD + STOP + A + entry(f'bot = "{"x" * 5000}"'),
            f"spring.toml:11: bot '{'x' * 5000}': no house bot (greedy, random), file or command "
            "has that name",
        ),
        (
            HEAD + STOP + "[match]\nclock = '5'\n" + A + entry('bot = "greedy"'),
            "spring.toml:5: match.clock '5': write BASE+BANK with units (ms, s, m), like 2s+60s or "
            "500ms+10s",
        ),
        (
            HEAD + STOP + "[match]\nact_ms = 5\n" + A + entry('bot = "greedy"'),
            "spring.toml:5: match.act_ms: below the clock's base time of 2s; lengthen it or leave "
            "it out",
        ),
        (
            HEAD + STOP + "[match]\nwindow_ms = 5000\n" + A + entry('bot = "greedy"'),
            "spring.toml:5: window",
        ),
        (
            HEAD + STOP + "[options]\ngreat_grand = 3\n" + A + entry('bot = "greedy"'),
            "spring.toml:5: option great_grand",
        ),
        (
            HEAD + STOP + "[faults]\nresume_grace_ms = 3\n" + A + entry('bot = "greedy"'),
            "spring.toml:5: faults.resume_grace_ms: what a killed run played is played anew, "
            "and nobody is waited for; leave it out",
        ),
        (
            HEAD + 'database = "sqlite://"\n' + STOP + A + entry('bot = "greedy"'),
            "spring.toml:2: database: a ladder outlives",
        ),
        (
            HEAD + 'database = "postgresql://u:a@b@h:x/y"\n' + STOP + A + entry('bot = "greedy"'),
            "spring.toml:2: database: ",
        ),
    ],
)
def test_what_is_wrong_and_where(folder: Path, text: str, message: str) -> None:
    said = refusal(folder, text)
    assert said.startswith(message)
    assert "or none" not in said


def test_nothing_is_made_by_planning(folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    plan(folder, HEAD + STOP + A + entry('bot = "greedy"'))
    assert sorted(folder.rglob("*")) == sorted([*before, folder / "spring.toml"])


def test_where_nothing_is_played_the_bots_need_not_be_there(folder: Path) -> None:
    file = folder / "spring.toml"
    file.write_text(HEAD + STOP + A + entry('pair = ["./gone.py", "deep=./away --x"]'))
    planned = plan_ladder(file)
    assert [bot.name for bot in planned.entries[1].bots] == ["gone", "deep"]
    assert planned.entries[1].missing.endswith("there is no file ./gone.py")
    with pytest.raises(ConfigError, match=r"spring\.toml:11: bot '\./gone\.py': there is no file"):
        versions_of(planned)


def test_an_entry_that_plays_no_more_needs_no_files(folder: Path) -> None:
    planned = plan(folder, HEAD + STOP + A + entry('bot = "./gone.py"'))
    assert versions_of(planned, but={"b"})["b"] == (GONE, GONE)
    shutil.rmtree(folder / "mine")
    named = plan(folder, HEAD + STOP + A + entry('bot = "./beside.py"', 'artefact = ["mine"]'))
    assert versions_of(named, but={"b"})["b"] == (GONE, GONE)
