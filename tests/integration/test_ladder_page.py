"""The commands of docs/LADDER.md print what the page shows, from an empty folder on."""

import re
from pathlib import Path

import pytest

from tests.integration.pages import ROOT, first_difference, steps_of

PAGE = (ROOT / "docs" / "LADDER.md").read_text(encoding="utf-8")
PLAYED, _, TOLD = PAGE.partition("\n## Bots that dial in\n")
STEPS = steps_of(PLAYED)


def steady(text: str) -> str:
    """The text without what differs from run to run: hashes of code, dates, and times.

    The counts of asks are among it: a referee that stalled puts an ask again.
    """
    text = re.sub(r"sha256:[0-9a-f.]+", "sha256:", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z", "DATE", text)
    time_table = re.search(r"^time by kind of ask\n(?:  .*\n)+", text, re.M)
    if time_table is not None:
        asks = re.findall(r"^  (\w.*?)  ", time_table[0], re.M)
        text = text.replace(time_table[0], f"{asks}\n")
    return text


@pytest.mark.slow
@pytest.mark.timeout(900)  # whole ladders, on a machine that may be busy
def test_every_step_of_the_page_prints_what_is_shown(tmp_path: Path) -> None:
    assert len(STEPS) > 10
    assert first_difference(STEPS, tmp_path, steady) == ""


def test_what_is_not_played_shows_no_output() -> None:
    assert "```text" not in TOLD
