"""`referee bot new`: a sample bot in a folder of its own, to change."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from referee.cli.refusing import RefusingCommand
from referee.cli.shipped import packed, shipped
from referee.rules.errors import ConfigError

LANGUAGES = ("python", "go", "rust", "java", "typescript", "cpp")
_SOURCES = ("proto", "tests/vectors")
# Of sample_bots/python: the library, which is installed with the referee, and what else is not the
# bot's. A copy of the library beside the bot would hide the installed one, and that README is the
# library's.
_NOT_THE_BOTS = ("tichu_bot/", "chaos/", "pyproject.toml", "hatch_build.py", "README.md")
_BUILT = ("__pycache__", "_gen")
_MISSED = 3  # of the positions that ship; sample_bots/README.md names them
_MADE_FOR_PYTHON = {
    "README.md": """\
# Tichu bot in Python

Plays any number of matches over one gRPC stream, and comes back after a lost link.
Run it with a Python that has `tichu_bot` (the referee brings it; `./build.sh` looks for it):
`TICHU_SERVER=127.0.0.1:50051 python main.py` (the default port of `referee serve`)

- `referee play . greedy`, in this folder, starts it.
- `strategy.py` decides (change this one): a `View` goes in, an answer comes out. `cards.py` is
  cards and the shuffle. Neither knows gRPC. `main.py` is the process; the stream is the library's.
- Environment: `TICHU_SERVER` (`unix:/path`, `host:port`, or a comma list), `TICHU_TOKEN`,
  `TICHU_CA_FILE` (turns TLS on), `TICHU_BOT_NAME`.
- Flags: `--plaintext` (token off this machine without TLS), `--matches N` (at once, default 64),
  `--give-up SECONDS` (default 60), `--help`.
- Exit status: 0 in order, 1 a bug, 2 settings, 3 the referee is gone, 4 it refused this process.
- Test: `./test.sh`. `vectors/views.jsonl` holds this strategy's own answers: once you change it,
  delete the lines that differ, or write them anew.
""",
    ".gitignore": "__pycache__/\n/records/\n",
}


@click.command(cls=RefusingCommand, short_help="Copy a sample bot into a folder of its own.")
@click.argument("language", type=click.Choice(LANGUAGES), metavar="LANG")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
def new(language: str, folder: Path) -> None:
    """Copy the sample bot in LANG to DIR, which must be new or empty.

    LANG is python, go, rust, java, typescript or cpp. With it go the .proto files and the vectors
    of its tests, so that it builds as it is, wherever it lies. Prints the commands that come next.

    Exit codes: 0 copied; 1 a file cannot be written; 2 bad input.
    """
    if folder.is_dir() and any(folder.iterdir()):
        raise ConfigError(f"{folder}: it is not empty; name a folder that does not exist yet")
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder}: it is a file; name a folder that does not exist yet")
    copied = 0
    for source, target in files_of(language):
        place = folder / target
        place.parent.mkdir(parents=True, exist_ok=True)
        data = source.read_bytes()
        place.write_bytes(data)
        if data.startswith(b"#!"):
            place.chmod(0o755)  # a wheel may have lost it
        copied += 1
    for target, text in made_for(language).items():
        (folder / target).write_text(text, encoding="utf-8")
        copied += 1
    for line in _next_lines(language, folder, copied):
        click.echo(line)


def files_of(language: str) -> Iterator[tuple[Path, str]]:
    """Yield the files of a copy and their places in it: the bot's own, `proto/` and `vectors/`.

    Raises `ConfigError` in a checkout without git.
    """
    own = f"sample_bots/{language}"
    for source in (own, *_SOURCES):
        root = shipped(source)
        place = "" if source == own else f"{Path(source).name}/"
        for name in _names(root):
            if source == own and language == "python" and name.startswith(_NOT_THE_BOTS):
                continue
            yield root / name, place + name


def made_for(language: str) -> dict[str, str]:
    """Return the files of a copy that are no copies, by their places in it."""
    return _MADE_FOR_PYTHON if language == "python" else {}


def _names(root: Path) -> list[str]:
    """Return the files below a folder that are no one's build, as git has them in a checkout."""
    if not packed():
        return _kept_by_git(root)
    files = [file.relative_to(root) for file in root.rglob("*") if file.is_file()]
    return sorted(str(file) for file in files if not set(file.parts).intersection(_BUILT))


def _kept_by_git(root: Path) -> list[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        raise ConfigError(
            f"{root}: git cannot say which files are the bot's; install git, or the wheel"
        ) from None
    names = {name for name in done.stdout.decode().split("\0") if name}
    return sorted(name for name in names if (root / name).is_file())


def _next_lines(language: str, folder: Path, copied: int) -> list[str]:
    """Return what to tell: what was done, and the commands that come next."""
    python = f"PYTHON={shlex.quote(sys.executable)} " if language == "python" else ""
    return [
        f"{folder}: a bot in {language}, {copied} files; next:",
        f"  cd {shlex.quote(str(folder))}",
        f"  {python}./build.sh",
        f"  {python}./test.sh",
        "  referee play . greedy --rounds 4",
        "  referee bot check -- .",
        f"  referee bot ask --house -- .  # its plain rules miss {_MISSED} of the 40",
    ]
