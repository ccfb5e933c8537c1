"""The runner that executes the Dockerfile's steps reads it as an engine would."""

from pathlib import Path

import pytest

from tests.repo.tree import ROOT
from tools import docker_steps


def test_continued_lines_are_one_instruction_and_comments_none() -> None:
    text = "# a comment\nFROM base AS build\nRUN one \\\n    # inside\n    && two\n\nUSER 5:6\n"
    steps = [(word, " ".join(rest.split())) for word, rest in docker_steps.instructions(text)]
    assert steps == [("FROM", "base AS build"), ("RUN", "one && two"), ("USER", "5:6")]


@pytest.mark.parametrize(
    ("path", "ignored"),
    [
        ("README.md", True),
        ("referee/cli/main.py", False),
        ("referee/_gen/tichu/__init__.py", True),
        ("referee/rules/__pycache__/cards.pyc", True),
        ("sample_bots/python/tichu_bot/__init__.py", False),
        ("sample_bots/typescript/package.json", False),
        ("sample_bots/typescript/node_modules/a/index.js", True),
        ("sample_bots/go/bot", True),
        ("tests/vectors/shuffle.jsonl", False),
        ("tests/conftest.py", True),
    ],
)
def test_dockerignore_lets_in_what_the_build_names(path: str, ignored: bool) -> None:
    patterns = docker_steps.ignore_patterns()
    assert docker_steps.is_ignored(ROOT / path, patterns=patterns) is ignored


def test_paths_of_the_image_are_put_below_the_stages_root() -> None:
    stage = docker_steps.Stage(root=Path("/scratch"))
    line = "/opt/a/bin/python -m pip && ls /src /usr/opt dist/opt"
    assert (
        stage.rewrite(line)
        == "/scratch/opt/a/bin/python -m pip && ls /scratch/src /usr/opt dist/opt"
    )


def test_every_instruction_of_the_dockerfile_is_executed() -> None:
    words = {word for word, _ in docker_steps.instructions((ROOT / "Dockerfile").read_text())}
    assert {
        word for word in words if not hasattr(docker_steps.Builder, f"do_{word.lower()}")
    } == set()


def test_the_image_runs_as_another_user_than_root_and_asks_for_its_health() -> None:
    steps = list(docker_steps.instructions((ROOT / "Dockerfile").read_text()))
    last_stage = dict(steps[max(i for i, (word, _) in enumerate(steps) if word == "FROM") :])
    assert 0 not in docker_steps.ids(last_stage["USER"])
    assert "HEALTHCHECK" in last_stage
