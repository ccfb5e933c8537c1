"""Each row of the chaos README: its flags show the ending that it names."""

import json
import re
import shlex
from pathlib import Path

import pytest

import chaos
from tests.integration.playing import Player

README = (Path(chaos.__file__).parent / "README.md").read_text(encoding="utf-8")
(COMMAND,) = re.findall(r"^referee (play chaos:NAME .*) FLAGS$", README, re.MULTILINE)
ROWS = [
    (name, flags, ending)
    for name, flags, ending in re.findall(
        r"^\| `chaos:([\w-]+)` .* \| `(--[^`|]*)` \| `([A-Z_]+)`[^|]*\|$", README, re.MULTILINE
    )
]


def test_every_bot_has_flags_and_an_ending() -> None:
    assert [name for name, _, _ in ROWS] == [*chaos.NAMES]


@pytest.mark.slow
@pytest.mark.timeout(400)  # never-reads alone takes more than a minute
@pytest.mark.parametrize(("name", "flags", "ending"), ROWS, ids=[name for name, _, _ in ROWS])
def test_the_flags_of_a_row_show_its_ending(
    tmp_path: Path, name: str, flags: str, ending: str
) -> None:
    player = Player(tmp_path)
    words = shlex.split(COMMAND.replace("NAME", name))
    result = player.run(*words, *shlex.split(flags), "--format", "json", limit_s=360)
    assert result.returncode == (0 if ending == "COMPLETED" else 1), result.stderr
    match = json.loads(result.stdout.splitlines()[-1])
    fault = (ending.lower(), None if ending == "COMPLETED" else 0)
    assert (match["ending"], match["seat"]) == fault, result.stderr
    assert player.left_behind() == []
