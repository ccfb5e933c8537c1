import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from referee.launch.spec import ENTRIES, BotSpec, parse_bot
from referee.rules.errors import ConfigError

HOUSE = {"random": "tichu_bot.random", "greedy": "tichu_bot.greedy"}
CHAOS = {"chaos:late": "chaos.late", "chaos:never-reads": "chaos.never_reads"}


def bot(text: str | Path) -> BotSpec:
    return parse_bot(str(text), house=HOUSE)


def chaos(text: str) -> BotSpec:
    return parse_bot(text, house={**HOUSE, **CHAOS})


def refused(text: str | Path, house: Mapping[str, str] = HOUSE) -> str:
    with pytest.raises(ConfigError) as error:
        parse_bot(str(text), house=house)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "mybot"
    path.write_text("#!/bin/sh\nexit 0\n")
    path.chmod(0o755)
    return path


def test_a_house_bot_runs_as_a_module_that_no_file_here_can_replace() -> None:
    assert bot("random") == BotSpec(
        label="random", argv=(sys.executable, "-P", "-m", "tichu_bot.random")
    )


def test_a_label_goes_before_the_bot() -> None:
    assert bot("new=greedy").label == "new"
    assert bot("new=greedy").argv == bot("greedy").argv


def test_a_python_file_runs_with_our_interpreter(tmp_path: Path) -> None:
    file = tmp_path / "clever.py"
    file.touch()
    assert bot(file) == BotSpec(label="clever", argv=(sys.executable, str(file)))


def test_a_program_runs_as_it_is(program: Path) -> None:
    assert bot(program) == BotSpec(label="mybot", argv=(str(program),))


def test_a_program_is_found_from_any_folder(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(program.parent)
    assert bot("./mybot").argv == (str(program),)


def test_a_file_that_is_not_executable_is_refused_with_the_cure(tmp_path: Path) -> None:
    file = tmp_path / "bot.js"
    file.touch()
    assert "is not executable; chmod +x" in refused(file)
    assert f'"node {file}"' in refused(file)


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_folder_runs_its_entry(tmp_path: Path, entry: str) -> None:
    folder = tmp_path / "clever"
    folder.mkdir()
    (folder / entry).touch(mode=0o755)
    spec = bot(folder)
    assert spec.label == "clever"
    assert spec.argv is not None
    assert spec.argv[-1] == str(folder / entry)


def test_of_several_entries_the_first_of_the_list_runs(tmp_path: Path) -> None:
    for entry in reversed(ENTRIES):
        (tmp_path / entry).touch(mode=0o755)
    assert bot(tmp_path).argv == (sys.executable, str(tmp_path / "bot.py"))


def test_a_folder_without_an_entry_is_refused_with_the_names_that_would_do(tmp_path: Path) -> None:
    assert f"holds none of {', '.join(ENTRIES)}" in refused(tmp_path)
    (tmp_path / "build.sh").touch()
    assert f"it is not built: run {tmp_path / 'build.sh'}, or name the file" in refused(tmp_path)


def test_a_built_node_project_runs_its_main_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    node = program.rename(tmp_path / "node")
    folder = tmp_path / "clever"
    (folder / "dist").mkdir(parents=True)
    (folder / "package.json").touch()
    assert f"{folder / 'dist' / 'main.js'} is not built; run npm ci && npm run build" in refused(
        folder
    )
    (folder / "dist" / "main.js").touch()
    assert bot(folder) == BotSpec(
        label="clever", argv=(str(node), str(folder / "dist" / "main.js"))
    )
    node.unlink()
    assert "there is no command 'node'" in refused(folder)


def test_a_python_file_without_its_ending_is_suggested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").touch()
    for text in ("mine", "./mine"):
        assert refused(text).endswith("there is a file mine.py; did you mean ./mine.py?")


def test_a_quoted_command_is_split_like_a_shell_does() -> None:
    shell = str(shutil.which("sh"))
    assert bot("sh -c 'echo a b'") == BotSpec(label="sh", argv=(shell, "-c", "echo a b"))


def test_a_command_is_called_after_the_file_that_it_runs(tmp_path: Path) -> None:
    file = tmp_path / "clever.js"
    file.touch()
    assert bot(f"sh {file} --fast").label == "clever"


def test_an_equals_sign_in_a_command_or_path_makes_no_label(tmp_path: Path) -> None:
    assert bot("sh -c A=1").argv == (shutil.which("sh"), "-c", "A=1")
    file = tmp_path / "a=b.py"
    file.touch()
    assert bot(file) == BotSpec(label="a-b", argv=(sys.executable, str(file)))


def test_a_process_that_is_waited_for_has_no_command() -> None:
    assert bot("connect:debug") == BotSpec(label="debug", argv=None)
    assert bot("me=connect:debug").label == "me"


@pytest.mark.parametrize("text", ["connect:", "connect:a b", "connect:" + "x" * 33])
def test_a_name_that_cannot_be_a_label_is_refused(text: str) -> None:
    assert "a label is up to 32" in refused(text)


def test_a_chaos_bot_is_started_by_its_name_and_called_by_it() -> None:
    argv = (sys.executable, "-P", "-m", "chaos.never_reads")
    assert chaos("chaos:never-reads") == BotSpec(label="never-reads", argv=argv)
    assert chaos("deaf=chaos:never-reads") == BotSpec(label="deaf", argv=argv)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "chaos:never-read",
            "bot (late, never-reads) has that name; did you mean chaos:never-reads?",
        ),
        ("chaos:", "no chaos bot (late, never-reads) has that name"),
        ("chaos:greedy", "no chaos bot (late, never-reads) has that name"),
        ("late", "no house bot, file or command has that name; did you mean chaos:late?"),
        (
            "gredy",
            "no house bot (greedy, random), file or command has that name; did you mean greedy?",
        ),
    ],
)
def test_an_unknown_chaos_bot_is_refused_with_the_nearest_and_the_list(
    text: str, said: str
) -> None:
    assert refused(text, {**HOUSE, **CHAOS}).endswith(said)


def test_an_unknown_name_is_refused_with_the_nearest_house_bot() -> None:
    assert refused("gredy").endswith("did you mean greedy?")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("./none", "there is no file ./none"),
        ("no-such-program --fast", "there is no command 'no-such-program'"),
        ("sh -c 'open", "cannot split the command: No closing quotation"),
        ("  ", "the command is empty"),
        ("a=", "nothing stands after the label"),
        ("=random", "'' is no label"),
        ("ü=random", "'ü' is no label"),
    ],
)
def test_what_cannot_be_started_is_refused_in_one_line(text: str, said: str) -> None:
    assert said in refused(text)
