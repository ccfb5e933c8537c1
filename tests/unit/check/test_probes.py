"""The probes as a table: what each says, and that the pages have them all."""

import re

import pytest

from referee.check.probe import PROTOCOL_PAGE, Probe
from referee.check.probes import LEVELS, PROBES, up_to
from tests.repo.tree import ROOT


def test_there_are_sixty_probes_or_more_in_three_levels() -> None:
    assert len(PROBES) >= 60
    assert {probe.level for probe in PROBES} == set(LEVELS)
    assert len(up_to(3)) == len(PROBES) > len(up_to(2)) > len(up_to(1)) > 0


def test_no_two_probes_have_the_same_name() -> None:
    assert len({probe.id for probe in PROBES}) == len(PROBES)
    assert len({probe.title for probe in PROBES}) == len(PROBES)


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.id)
def test_a_probe_says_its_demand_where_it_stands_and_the_cure(probe: Probe) -> None:
    assert re.fullmatch(r"[a-z0-9-]{4,26}", probe.id)
    assert probe.demand
    assert probe.cure
    assert probe.place in anchors()


def anchors() -> set[str]:
    """The anchors of the protocol's page."""
    heads = re.findall(r"^#+ (.*)$", (ROOT / PROTOCOL_PAGE).read_text(), re.MULTILINE)
    return {re.sub(r"[^a-z0-9 -]", "", head.lower()).replace(" ", "-") for head in heads}


def test_the_page_of_the_check_has_every_probe_in_order() -> None:
    page = (ROOT / "docs" / "BOT_CHECK.md").read_text()
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (.*?) \|", page.partition("## ")[2], re.MULTILINE)
    assert rows == [(probe.id, probe.title) for probe in PROBES]
