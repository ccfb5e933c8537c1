"""Commands that are advised, and what a ladder's files say where a server has flags."""

import asyncio
import re
from pathlib import Path

import msgspec

from referee.bootstrap.ladder import BotPlan, CheckedEntry, Verdict, check
from referee.bootstrap.ladder_advice import command, in_a_ladder, token_command
from referee.rules.errors import ConfigError
from tests.repo.tree import ROOT
from tests.unit.bootstrap.ladders import AWAY, HERE, ladder


def test_a_command_names_the_file_and_the_database_that_was_chosen() -> None:
    plan = msgspec.structs.replace(
        ladder((HERE, HERE)),
        file=Path("my cups/cup.toml"),
        chosen_database="postgresql://judge:hidden@db/x?sslmode=require",
    )
    database = "--database 'postgresql://judge@db/x?sslmode=require'"
    assert command(plan, "replace", "e0", reason="it's new") == (
        "referee ladder replace 'my cups/cup.toml' e0 --reason 'it'\"'\"'s new' " + database
    )
    assert token_command(plan, "away", 2) == (
        "referee token create away --instances 2 --ladder 'my cups/cup.toml' " + database
    )


def test_no_text_of_a_store_speaks_of_the_flag_in_a_ladder() -> None:
    sources = "".join(
        re.sub(r'"\s+f?"', "", path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / "referee" / "store").glob("*.py"))
    )
    texts = re.findall(r"[^\n]*--store[^\n]*", sources)
    assert len(texts) > 10
    assert [text for text in texts if "--store" in str(in_a_ladder(ConfigError(text)))] == []


def test_bots_that_dial_in_are_not_checked_and_one_that_is_gone_has_failed() -> None:
    plan = ladder((AWAY, AWAY), (HERE, HERE))
    gone = msgspec.structs.replace(plan.entries[1], missing="cup.toml:9: there is no file ./bot")
    plan = msgspec.structs.replace(plan, entries=(plan.entries[0], gone))
    heard: list[CheckedEntry] = []
    against = BotPlan(name="greedy", argv=("none",))
    found = asyncio.run(check(plan, against, lambda news: None, found=heard.append))
    assert [one.verdict for one in found] == [Verdict.UNCHECKED, Verdict.FAILED]
    assert "dials in" in found[0].lines[0]
    cure = "put it there, or write what starts the bot"
    assert found[1].lines == (f"cup.toml:9: there is no file ./bot; {cure}",)
    assert tuple(heard) == found
    assert not plan.folder.exists()


def test_without_a_file_the_name_of_the_event_is_the_files() -> None:
    assert command(ladder((HERE, HERE)), "run") == "referee ladder run cup.toml"
