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
from tests.repo.test_wheel import build, run, unpack

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


def test_the_page_has_a_row_for_each_verdict() -> None:
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", PAGE, re.M)
    assert {verdict: int(code) for code, verdict in rows} == EXIT_CODES


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_steps_of_page_and_action_run_from_the_wheel(tmp_path: Path) -> None:
    source = unpack(build(ROOT, "sdist", tmp_path / "sdist"), tmp_path / "source")
    wheel = build(source, "wheel", tmp_path / "dist")
    home = tmp_path / "tichu-referee"
    run(sys.executable, "-m", "venv", home, cwd=tmp_path)
    work = tmp_path / "work"
    for name in ("new", "old"):
        (work / name / "ci").mkdir(parents=True)
        (work / name / "main.py").write_text(TAME)
        (work / name / "build.sh").write_text("python -c 'import tichu_bot'\n")
    shutil.copy(wheel, work / "old" / "ci")
    (work / "old" / "ci" / "suite.jsonl").write_text(SUITE)
    summary, output = tmp_path / "summary", tmp_path / "output"
    environment = {
        "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_OUTPUT": str(output),
        "LEVEL": "1",
        "EXPECT": "no-worse",
        "BUDGET": "3m",
    }
    steps = scripts(PAGE.partition("## The comment")[0])
    assert len(steps) == 5
    for script in steps:
        done = shell(script, work, **environment)
        assert done.returncode == 0, (script, done.stdout, done.stderr)
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
