"""What the page of records says of its commands is so."""

import json
import re

import click
import pytest

from referee.cli.record_export import export
from referee.cli.record_fork import fork
from referee.cli.record_import import import_
from referee.formats.exported_lines import Decided, line_text
from referee.match.facts import MatchEnded
from referee.match.values import Ending
from referee.rules.seat import Seat
from tests.repo.tree import ROOT
from tichu_bot.view_json import from_json, to_json

PAGE = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")
LEARN = PAGE[PAGE.index("## Decisions to learn from") :]


@pytest.mark.parametrize("command", [export, import_, fork])
def test_every_option_is_on_the_page(command: click.Command) -> None:
    names = {name for one in command.params for name in one.opts if name.startswith("--")}
    assert [name for name in sorted(names) if name not in PAGE] == []


def test_the_line_shown_is_one_that_is_written() -> None:
    (block,) = re.findall(r"^```text\n(\{.*?)^```", LEARN, re.M | re.S)
    shown = json.loads(block)
    assert to_json(from_json(shown["view"])) == shown["view"]
    decided = Decided(
        number=shown["decision"],
        round=shown["round"],
        seat=Seat(shown["seat"]),
        view=shown["view"],
        choice=shown["choice"],
        default=False,
        side=shown["side"],
        round_points=tuple(shown["round_points"]),
    )
    ended = MatchEnded(
        at=0, ending=Ending(shown["ending"]), totals=tuple(shown["match_points"]), rounds=15
    )
    assert line_text(shown["match"], decided, ended) == block.strip()


def test_every_key_of_a_line_is_explained() -> None:
    (block,) = re.findall(r"^```text\n(\{.*?)^```", LEARN, re.M | re.S)
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", LEARN, re.M)
    told = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert {*json.loads(block), "default", "imported"} == told
