"""The logs of bots that a ladder starts: written elsewhere, kept in the ladder's folder.

A bot knows the folder of its logs and the files that it prints to. So they do not lie in the folder
of the ladder, where the event secret and the cards are, while it runs.
"""

import os
import shutil
import stat
from pathlib import Path

from referee.bootstrap.ladder_folder import SOCKET, TEMP_PREFIX
from referee.bootstrap.ladder_plan import LOGS
from referee.launch.output import trim

_PRINTED = (".out", ".err")  # bounded, also over many runs


def keep_logs(written: Path, kept: Path) -> None:
    """Move all files in one folder, at any depth, to their places in another one.

    What lies there already is added to. Files and folders alone are kept: a link would lead
    anywhere. Raises `OSError` where that cannot be done.
    """
    if not written.is_dir() or written.is_symlink():
        return
    for folder, names, files in os.walk(written):
        to = kept / Path(folder).relative_to(written)
        to.mkdir(parents=True, exist_ok=True)
        for name in (*names, *files):
            path = Path(folder, name)
            if stat.S_ISREG(path.lstat().st_mode):
                _keep_file(path, to / name)
    shutil.rmtree(written, ignore_errors=True)


def keep_left_logs(ladder: Path, run: Path) -> None:
    """Keep the logs of a run that was killed. `run` is the folder of the run that begins now.

    Only by the run that owns the store: another one may still write. Raises `OSError` as above.
    """
    try:
        left = Path((ladder / SOCKET).read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError):
        return
    if left.name.startswith(TEMP_PREFIX) and left.parent == run.parent:
        keep_logs(left / LOGS, ladder / LOGS)


def _keep_file(path: Path, to: Path) -> None:
    if to.exists():
        with path.open("rb") as content, to.open("ab") as out:
            shutil.copyfileobj(content, out)
        path.unlink()
    else:
        shutil.move(path, to)
    if to.suffix in _PRINTED:
        trim(to)
