"""Plays matches between real processes and keeps their records for later releases.

    .venv/bin/python -m tests.compat.keep

Run once for each release, before it is tagged: it fills tests/compat/VERSION and refuses to touch a
folder that is there, since a record that was published never changes. Where a later release cannot
verify one of them, its rules version must say why (docs/decisions).
"""

import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from tests.integration.playing import Player

FOLDER = Path(__file__).parent
EXPECTED = "verified.txt"
_DIES = """import os
from tichu_bot import Bot, run
class Dies(Bot):
    asked = 0
    def act(self, view):
        Dies.asked += 1
        if Dies.asked == 9:
            os._exit(1)
        return view.plays[0] if view.plays else None
run(Dies)
"""
_SILENT = """from threading import Event
from tichu_bot import Bot, run
class Silent(Bot):
    def act(self, view):
        Event().wait()
run(Silent)
"""
# name: what is played; each shows another part of the format
MATCHES = {
    "fast": "greedy random --target 300",
    "fair": "greedy random --rounds 1 --pace fair --window 20",
    "options": (
        "greedy greedy --rounds 2 --option great_grand=true --option double_victory_points=100 "
        "--option exchange_rechoose=until_all_gave --option self_overtake=any"
    ),
    "no_clock": "random random --rounds 1 --clock none",
    "crashed": "dies=./dies.py random",
    "forfeit": "silent=./silent.py random --clock 30ms+100ms --window 20",
}


def play(player: Player, name: str, words: str) -> Path:
    """Play one match and return its record."""
    folder = player.folder / name
    player.run("play", *words.split(), "--seed", name, "--record-dir", folder)
    (record,) = folder.glob("*.jsonl")
    return record


def main() -> None:
    """Keep the records of this release."""
    kept = FOLDER / version("tichu-referee")
    if kept.exists():
        sys.exit(f"error: {kept} is there; a published record never changes")
    with tempfile.TemporaryDirectory() as name:
        player = Player(Path(name))
        player.bot("dies.py", _DIES)
        player.bot("silent.py", _SILENT)
        records = {match: play(player, match, words) for match, words in MATCHES.items()}
        kept.mkdir()
        for match, record in records.items():
            shutil.copyfile(record, kept / f"{match}.jsonl")
    (kept / EXPECTED).write_text(verified(kept), encoding="utf-8")
    print(f"kept {len(records)} records in {kept}")


def verified(folder: Path) -> str:
    """What `referee record verify` says about the records of a folder."""
    names = sorted(path.name for path in folder.glob("*.jsonl"))
    player = Player(folder)
    result: subprocess.CompletedProcess[str] = player.run("record", "verify", *names)
    return result.stdout


if __name__ == "__main__":
    main()
