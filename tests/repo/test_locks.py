"""Lock files install the same everywhere and say nothing about where this project was locked."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.repo.tree import ROOT, texts

PYTHON_LOCKS = ("runtime", "dev", "build", "node")
ADDRESS = re.compile(r"[a-z+]+://|index-url|find-links|\bfile:", re.IGNORECASE)
PIN = re.compile(r"^([a-z0-9-]+)==([^ ;]+)", re.MULTILINE)
# Cut in two so that this file does not hold what it looks for.
PACKAGE_SERVERS = re.compile(
    "|".join(
        [
            "pypi" + r"\.org",
            "python" + r"hosted\.org",
            "npmjs" + r"\.(?:org|com)",
            "yarnpkg" + r"\.com",
            "proxy" + r"\.golang\.org",
            "repo1?" + r"\.maven",
            "index" + r"\.crates\.io",
        ]
    )
)
MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:home|Users|root|work)/\w")


def pins(lock: str) -> dict[str, str]:
    return dict(PIN.findall((ROOT / "requirements" / f"{lock}.txt").read_text()))


def requirement_name(requirement: str) -> str:
    return re.split(r"[<>=!~ ;\[]", requirement, maxsplit=1)[0]


def requirements(table: str, key: str) -> list[str]:
    """Return the requirements of a table in pyproject.toml; included groups are left out."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())[table][key]
    return [requirement for requirement in listed if isinstance(requirement, str)]


@pytest.mark.parametrize("lock", PYTHON_LOCKS)
def test_a_python_lock_holds_no_address(lock: str) -> None:
    text = (ROOT / "requirements" / f"{lock}.txt").read_text()
    assert ADDRESS.findall(text) == []


@pytest.mark.parametrize("lock", PYTHON_LOCKS)
def test_every_pin_has_a_hash(lock: str) -> None:
    text = (ROOT / "requirements" / f"{lock}.txt").read_text()
    entries = re.split(r"\n(?=\S)", text.strip())
    assert [entry for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []


def test_the_locks_agree_on_every_version() -> None:
    dev = pins("dev")
    assert pins("runtime").items() <= dev.items()
    assert pins("build").items() <= dev.items()


def test_every_dependency_is_locked() -> None:
    dependencies = requirements("project", "dependencies")
    assert {requirement_name(text) for text in dependencies} <= pins("runtime").keys()
    tools = requirements("dependency-groups", "dev")
    assert {requirement_name(text) for text in tools} <= pins("dev").keys()


def test_an_isolated_build_takes_what_the_locked_build_takes() -> None:
    isolated = requirements("build-system", "requires")
    assert {*isolated} <= {*requirements("dependency-groups", "build")}


def test_no_npm_lock_says_where_it_was_resolved() -> None:
    lines = [
        (name, line.strip())
        for name, text in texts()
        if Path(name).name == "package-lock.json"
        for line in text.splitlines()
        if '"resolved"' in line and "://" in line
    ]
    assert lines == []


def test_no_file_names_a_package_server() -> None:
    found = [
        (name, match.group())
        for name, text in texts()
        if Path(name).name != "Cargo.lock"  # it has no form without its index
        for match in PACKAGE_SERVERS.finditer(text)
    ]
    assert found == []


def test_no_file_holds_a_path_of_somebodys_machine() -> None:
    found = [
        (name, text[match.start() : match.start() + 60].splitlines()[0])
        for name, text in texts()
        for match in MACHINE_PATH.finditer(text)
    ]
    assert found == []
