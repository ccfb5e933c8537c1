"""What the pages say of suites and counts is so."""

import re

import click
from click.testing import CliRunner

from referee.check.asking import MOST_AT_ONCE, START_S
from referee.check.asking_lines import LIMIT_S, Asked
from referee.cli.bot_ask import ask, house_lines
from referee.cli.record_export import export
from referee.cli.rules_count import count
from referee.formats.suites import SuiteLine, parse_suite_line, read_suite
from referee.match.values import AskKind
from tests.golden.counts import SHARES
from tests.repo.tree import ROOT

ASK = (ROOT / "docs" / "BOT_ASK.md").read_text(encoding="utf-8")
VECTORS = (ROOT / "docs" / "VECTORS.md").read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.M | re.S)


def options(command: click.Command) -> set[str]:
    return {name for one in command.params for name in one.opts if name.startswith("--")}


def test_the_line_shown_can_be_asked() -> None:
    (shown,) = blocks(ASK, "json")
    assert Asked(parse_suite_line(shown.encode())).posed.ask.kind is AskKind.ACT


def test_every_position_that_ships_can_be_asked() -> None:
    read = list(read_suite(house_lines()))
    assert len(read) == 40
    for _, line in read:
        assert isinstance(line, SuiteLine), line
        Asked(line)


def test_every_entry_shown_can_be_read() -> None:
    table = ASK[ASK.index("| an entry |") : ASK.index("What an answer meant")]
    firsts = [row.split(" | ")[0] for row in table.splitlines()[2:]]
    shown = [text for first in firsts for text in re.findall(r"`([^`]+)`", first)]
    assert len(shown) > 12
    start = '"start":{"hands":["2j","3j","4j","5j"],"lead":0}'
    for text in shown:
        parse_suite_line(f'{{"id":"x",{start},"one_of":[{text}]}}'.encode())


def test_every_option_is_on_the_page() -> None:
    assert [name for name in options(ask) if f"`{name}" not in ASK and f" {name} " not in ASK] == []
    assert [name for name in options(count) if f"{name}" not in VECTORS] == []
    assert [name for name in ("--at", "--seat") if f"{name} " not in ASK] == []
    assert {"--at", "--seat"} <= options(export)


def test_the_numbers_on_the_pages_are_those_of_the_code() -> None:
    assert f"{LIMIT_S:g} unless said" in ASK
    assert f"{START_S:g} unless said" in ASK
    assert f"({MOST_AT_ONCE} at most)" in ASK
    defaults = {one.name: one.default for one in ask.params}
    assert (defaults["limit_s"], defaults["start_s"]) == (LIMIT_S, START_S)
    of_four = sum(share for share, name, _ in SHARES if name == "tichu")
    assert f"{of_four} of them with four\nplayers" in VECTORS


def test_the_count_shown_is_right() -> None:
    (shown,) = blocks(VECTORS, "jsonl")
    done = CliRunner().invoke(count, ["-", "--check"], input=shown)
    assert done.output == "1 passed, 0 failed\n"


def test_the_decision_shown_looks_like_one_of_record_show() -> None:
    golden = ROOT / "tests" / "golden" / "fast.all.txt"
    looks = re.compile(r"\[decision \d+, ask \d+: play [^\]]+: received\]")
    assert looks.search(ASK)
    assert looks.search(golden.read_text(encoding="utf-8"))
