"""The steps of docs/CI.md and of action.yml run in another folder, from the built wheel."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from referee.cli.gate import EXIT_CODES
from tests.integration.pages import ROOT
from tests.repo.test_wheel import build

PAGE = (ROOT / "docs" / "CI.md").read_text(encoding="utf-8")
ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
_RUN = re.compile(r"^( *)run: \|\n((?:\1 +.*\n|\n)+)", re.M)
# Plays without a bomb: in pace fast a bomb may come before or after a play.
TAME = """\
from tichu_bot import Bot, run
from tichu_bot.bots.greedy_play import GreedyBot

class Tame(Bot):
    act = GreedyBot.act
    exchange = GreedyBot.exchange

run(Tame)
"""
# Finds a pull request as `gh` does: by the bare branch, or OWNER:BRANCH where it is a fork's.
GH = """\
#!/bin/sh
if [ "$2" = comment ]; then cat > "comment-$3"; exit; fi
for last; do :; done
case $last in
own-branch) echo 7 ;;
stranger:own-branch | cousin:main) echo 8 ;;
*) echo "no pull requests found for branch \\"$last\\"" >&2; exit 1 ;;
esac
"""
# Makes venvs of itself, and writes down what else it is told.
PYTHON = """\
#!/bin/sh
if [ "$2" = venv ]; then
    mkdir -p "$3/bin"
    cp "$0" "$3/bin/python"
    cp "$0" "$3/bin/referee"
    exit
fi
echo "$*" >> "$RUNNER_TEMP/told"
exit "$PIP"
"""
# Says what it is asked, and that all is well.
REFEREE = """\
#!/bin/sh
printf '<%s>' "$@"
"""
# As that of a bot in Python; and a line for whatever steers the job.
BUILD = """\
python3 -c 'import tichu_bot'
if [ "${PWD##*/}" = new ]; then
    for file in "${GITHUB_ENV-}" "${GITHUB_PATH-}"; do
        if [ -n "$file" ]; then echo /nowhere >> "$file"; fi
    done
fi
"""
SUITE = (
    '{"id":"last-pair","title":"a pair goes out","start":{"hands":["8j 8s","3j 4j","5j 6j",'
    '"7j 9j"],"lead":0,"played":[0]},"one_of":["8j 8s"]}\n'
)


def scripts(text: str) -> list[str]:
    """The shell scripts of a workflow, as its runner has them."""
    return [textwrap.dedent(body) for _, body in _RUN.findall(text)]


def shell(script: str, folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a step as the runner does."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )


def program(file: Path, text: str) -> None:
    """Write a program that may be started."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(0o755)


@pytest.mark.parametrize("script", scripts(PAGE) + scripts(ACTION))
def test_scripts_are_shell_without_text_of_others(script: str) -> None:
    done = subprocess.run(["bash", "-n", "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "${{" not in script


def test_the_action_hands_over_each_of_its_inputs() -> None:
    told, _, body = ACTION.partition("\noutputs:\n")
    inputs = re.findall(r"^  ([\w-]+):$", told.partition("\ninputs:\n")[2], re.M)
    assert len(inputs) == 13
    assert sorted(inputs) == sorted(re.findall(r"\$\{\{ inputs\.([\w-]+) \}\}", body))


@pytest.mark.parametrize(
    ("head", "branch", "number"),
    [
        ("acme/bot", "own-branch", "7"),
        ("stranger/bot", "own-branch", "8"),
        ("cousin/bot-of-its-own", "main", "8"),
    ],
)
def test_the_comment_finds_pull_requests_of_branches_and_of_forks(
    tmp_path: Path, head: str, branch: str, number: str
) -> None:
    (comment,) = scripts(PAGE.partition("## The comment")[2])
    program(tmp_path / "bin" / "gh", GH)
    environment = {
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "FROM": head,
        "OWNER": head.partition("/")[0],
        "BRANCH": branch,
        "REPOSITORY": "acme/bot",
    }
    nothing = shell(comment, tmp_path, **environment)
    assert (nothing.returncode, nothing.stdout, nothing.stderr) == (0, "", "")
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "gate.md").write_text("### Gate: accepted\n")
    done = shell(comment, tmp_path, **environment)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"comment-{number}").read_text() == "### Gate: accepted\n"


def test_the_download_of_what_was_never_uploaded_fails_no_comment() -> None:
    steps = PAGE.partition("## The comment")[2].split("      - ")
    (download,) = (step for step in steps if "actions/download-artifact" in step)
    assert "\n        continue-on-error: true\n" in download


@pytest.mark.parametrize(
    ("wheel", "pip", "verdict"),
    [
        (" ci/tichu_referee-*.whl ", "0", ""),
        ("ci/tichu_referee-1.whl", "0", ""),
        ("-odd/*.whl", "0", ""),
        ("ci/*.whl", "0", "bad_input\nexit-code=2"),
        ("ci/none-*.whl", "0", "bad_input\nexit-code=2"),
        ("$(touch pwned)", "0", "bad_input\nexit-code=2"),
        ("ci/tichu_referee-1.whl", "1", "machine\nexit-code=6"),
    ],
)
def test_the_action_installs_the_one_wheel_that_matches_or_has_a_verdict(
    tmp_path: Path, wheel: str, pip: str, verdict: str
) -> None:
    install = scripts(ACTION)[0]
    program(tmp_path / "bin" / "python", PYTHON)
    for name in ("ci/tichu_referee-1.whl", "ci/other.whl", "-odd/a b.whl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    output = tmp_path / "output"
    output.touch()
    environment = {
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(output),
        "SOURCE": str(ROOT),
    }
    done = shell(install, tmp_path, **environment, WHEEL=wheel, PIP=pip)
    assert output.read_text() == (f"verdict={verdict}\n" if verdict else ""), done.stderr
    assert done.returncode == (int(verdict[-1]) if verdict else 0)
    assert ("::error" in done.stdout) == bool(verdict)
    assert not (tmp_path / "pwned").exists()
    if not verdict:
        *_, last, asked = (tmp_path / "told").read_text().splitlines()
        assert asked == "--version"
        found = "./-odd/a b.whl" if wheel.startswith("-") else "ci/tichu_referee-1.whl"
        assert last == f"-m pip install --quiet --no-deps {found}"


@pytest.mark.parametrize(
    ("house", "suites", "asked"),
    [
        ("false", "", None),
        ("True", "", "<--house>"),
        (" TRUE", "\n  ci/suite.jsonl \t\n-a b\n", "<--house><ci/suite.jsonl><./-a b>"),
        ("FALSE", "ci/suite.jsonl", "<ci/suite.jsonl>"),
        ("yes", "ci/suite.jsonl", "bad_input"),
        ("", "ci/suite.jsonl", "bad_input"),
    ],
)
def test_the_action_asks_what_house_and_suites_say(
    tmp_path: Path, house: str, suites: str, asked: str | None
) -> None:
    home = tmp_path / "tichu-referee" / "bin"
    program(home / "referee", REFEREE)
    (home / "python").symlink_to(sys.executable)
    output = tmp_path / "output"
    files = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    inputs = {"CANDIDATE": "./new", "BASELINE": "", "LEVEL": "", "REPORTS": "reports"}
    given = {**files, **inputs, "RUNNER_TEMP": str(tmp_path), "HOUSE": house, "SUITES": suites}
    done = shell(scripts(ACTION)[-1], tmp_path, **given)
    if asked == "bad_input":
        assert done.returncode == 2, done.stderr
        assert output.read_text() == "verdict=bad_input\nexit-code=2\n"
        assert "it has to be true or false" in done.stdout
        return
    assert done.returncode == 0, done.stderr
    assert output.read_text() == "verdict=fit\nexit-code=0\n"
    line = f"<bot><ask>{asked}<--junit=reports/ask.xml><--><./new>"
    assert (line in done.stdout.splitlines()) == (asked is not None)
    assert ("<bot>" in done.stdout) == (asked is not None)


def test_the_action_has_a_verdict_of_either_step_and_asks_no_house_unless_told() -> None:
    for name in ("verdict", "exit-code"):
        either = f"steps.verdict.outputs.{name} || steps.install.outputs.{name}"
        assert f"value: ${{{{ {either} }}}}\n" in ACTION
    house = ACTION.partition("\n  house:\n")[2].partition("\n  expect:\n")[0]
    assert house.endswith('\n    default: "false"')


def test_git_keeps_out_the_wheel_that_the_page_builds() -> None:
    assert "pip wheel --no-deps --wheel-dir ci ." in PAGE
    assert "/ci/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_the_referee_and_the_positions_come_after_the_build_of_the_change() -> None:
    workflow = PAGE.partition("## The comment")[0]
    order = ["path: new\n", "cd new &&", "path: old\n", "install --quiet old/ci/", "cd old &&"]
    places = [workflow.index(word) for word in order]
    assert places == sorted(places)


def test_the_page_has_a_row_for_each_verdict() -> None:
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", PAGE, re.M)
    assert {verdict: int(code) for code, verdict in rows} == EXIT_CODES


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_steps_of_page_and_action_run_from_the_wheel(tmp_path: Path) -> None:
    wheel = build(ROOT, "wheel", tmp_path / "dist")
    work = tmp_path / "work"
    for name in ("new", "old"):
        (work / name / "ci").mkdir(parents=True)
        (work / name / "main.py").write_text(TAME)
        (work / name / "build.sh").write_text(BUILD)
        shutil.copy(wheel, work / name / "ci")
        (work / name / "ci" / "suite.jsonl").write_text(SUITE)
    (work / "old").rename(work / "base")
    (work / "old").mkdir()
    (work / "old" / "laid-by-the-build").touch()
    summary, output = tmp_path / "summary", tmp_path / "output"
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PIP_NO_COMPILE": "1",
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_ENV": str(tmp_path / "env"),
        "GITHUB_OUTPUT": str(output),
        "LEVEL": "1",
        "EXPECT": "no-worse",
        "BUDGET": "3m",
    }
    steps = scripts(PAGE.partition("## The comment")[0])
    assert len(steps) == 6
    for number, script in enumerate(steps):
        path = tmp_path / f"path-{number}"
        path.touch()
        done = shell(script, work, **environment, GITHUB_PATH=str(path))
        assert done.returncode == 0, (script, done.stdout, done.stderr)
        environment["PATH"] = os.pathsep.join([*path.read_text().split(), environment["PATH"]])
        if number == 0:  # then the base branch is checked out
            assert not (work / "old").exists()
            (work / "base").rename(work / "old")
    assert not (tmp_path / "env").exists()
    (tmp_path / "tichu-referee").symlink_to(work / "referee-python")
    assert {file.name for file in (work / "reports").iterdir()} == {
        "check.xml",
        "ask.xml",
        "gate.xml",
        "gate.md",
    }
    assert "### Gate: accepted" in summary.read_text()
    hostile = {**environment, "LEVEL": "", "SUITES": "$(touch a)\n", "HOUSE": "false"}
    inputs = {"CANDIDATE": "./new; touch b", "BASELINE": "./old", "REPORTS": "`touch c`"}
    gates = {"ALPHA": "0.05", "BETA": "0.05", "MAX_BOARDS": "200"}
    examine = scripts(ACTION)[-1]
    done = shell(examine, work, **hostile, **inputs, **gates)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert "verdict=bad_input\nexit-code=2\n" in output.read_text()
    assert not {"a", "b", "c"} & {file.name for file in work.iterdir()}
    output.write_text("")
    (work / "broken.py").write_text("raise SystemExit('gone')\n")
    plain = {**hostile, **inputs, **gates, "REPORTS": "out", "CANDIDATE": "./broken.py"}
    done = shell(examine, work, **{**plain, "SUITES": ""})
    assert done.returncode == 4, (done.stdout, done.stderr)
    assert output.read_text() == "verdict=candidate_faulty\nexit-code=4\n"
    assert "::error" in done.stdout
