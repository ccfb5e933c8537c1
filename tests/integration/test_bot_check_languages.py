"""The sample bots of all languages pass the whole check; built before by `make bots ALL=1`."""

from pathlib import Path

import pytest

from referee.check.probes import PROBES
from tests.integration.playing import ROOT, Player

LANGUAGES = ("python", "go", "rust", "java", "typescript", "cpp")
LIMIT_S = 560.0

pytestmark = [pytest.mark.bots, pytest.mark.timeout(600)]


@pytest.fixture
def player(tmp_path: Path) -> Player:
    return Player(tmp_path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sample_bot_passes_all_levels(language: str, player: Player) -> None:
    folder = ROOT / "sample_bots" / language
    words = ("bot", "check", "--start-budget", "60", "--", folder)
    result = player.run(*words, limit_s=LIMIT_S)
    assert result.returncode == 0, result.stdout
    assert result.stdout.splitlines()[-2:] == ["level 3 reached", f"{len(PROBES)} passed, 0 failed"]
    assert player.left_behind() == []
