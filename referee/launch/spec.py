"""What an operator writes for a bot: `[LABEL=]SPEC`.

SPEC is the first of these that fits:
  connect:NAME   a process that somebody starts by hand, in a debugger for example
  chaos:NAME     a bot that misbehaves in one way, to see what follows
  random         a house bot's name
  ./bot.py       a Python file, run with the referee's own interpreter
  ./bot          any other file: it must be executable
  ./folder       a folder: the first of its files ENTRIES, or dist/main.js beside package.json
  "node bot.js"  a command; its first word is a path or is looked up in PATH

Paths lead from the current folder, or from the one that a file names its bots in.
"""

import difflib
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from referee.rules.errors import ConfigError

CONNECT = "connect:"
CHAOS = "chaos:"
ENTRIES = ("bot.py", "main.py", "__main__.py", "bot", "run")  # of a folder, first one wins
NODE_ENTRY = "dist/main.js"  # of a folder with a package.json, once it is built
BUILD_SCRIPT = "build.sh"  # of a folder whose bot has to be built
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,31}")  # it names log files too
_LABEL_RULE = "a label is up to 32 letters, digits or any of _ . + -"


class BotSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A bot to seat. `argv` None: nothing is started, a process is waited for."""

    label: str
    argv: tuple[str, ...] | None


def parse_bot(text: str, *, house: Mapping[str, str], folder: Path | None = None) -> BotSpec:
    """Return the bot of an argument; `house` has the module of each bot of ours by name.

    The names of those that misbehave begin with `CHAOS`; they are not offered among the others.
    Paths lead from `folder`; words of a command that name files there are then made absolute.
    Raises `ConfigError` that quotes the argument and says what would do.
    """
    label, spec = split_label(text, folder)
    if not spec:
        raise ConfigError(f"bot {text!r}: nothing stands after the label; write LABEL=BOT")
    if spec.startswith(CONNECT):
        return _connect(text, label, spec.removeprefix(CONNECT))
    if spec.startswith(CHAOS):
        return _chaos(text, label, spec, house)
    argv, name = _command(text, spec, house, folder)
    return BotSpec(label=label or _as_label(name), argv=argv)


def split_label(text: str, folder: Path | None = None) -> tuple[str, str]:
    """Return label and SPEC; the label is "" where there is none. Raises `ConfigError`.

    A file or command may hold "=" itself: only what looks like a label is one.
    """
    before, equals, after = text.partition("=")
    if not equals or os.path.exists(path_from(folder, text)):
        return "", text
    if before and _LABEL.fullmatch(before):
        return before, after
    if any(mark in before for mark in "/\\ \t"):
        return "", text
    raise ConfigError(f"bot {text!r}: {before!r} is no label; {_LABEL_RULE}")


def path_from(folder: Path | None, text: str) -> Path:
    """Return the path that a text names, from a folder or from the current one."""
    path = Path(os.path.expanduser(text))  # as it is where it names a user who is not there
    return path if folder is None else folder / path


def _connect(text: str, label: str, name: str) -> BotSpec:
    if not _LABEL.fullmatch(name):
        raise ConfigError(f"bot {text!r}: {name!r} is no name; {_LABEL_RULE}")
    return BotSpec(label=label or name, argv=None)


def _chaos(text: str, label: str, spec: str, house: Mapping[str, str]) -> BotSpec:
    name = spec.removeprefix(CHAOS)
    if spec not in house:
        names = sorted(one.removeprefix(CHAOS) for one in house if one.startswith(CHAOS))
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"; did you mean {CHAOS}{near[0]}?" if near else ""
        raise ConfigError(f"bot {text!r}: no chaos bot ({', '.join(names)}) has that name{hint}")
    return BotSpec(label=label or name, argv=_module(house[spec]))


def _command(
    text: str, spec: str, house: Mapping[str, str], folder: Path | None
) -> tuple[tuple[str, ...], str]:
    """Return the command and what to call the bot if it has no label."""
    if spec in house:
        return _module(house[spec]), spec
    path = path_from(folder, spec)
    if os.path.isdir(path):  # False, too, for what is too long to be a path
        return _folder(text, path), path.resolve().name
    if os.path.exists(path):
        return _file(text, path), path.stem
    return _words(text, spec, house, folder)


def _module(name: str) -> tuple[str, ...]:
    """-P: a file in the current folder must not replace a module of the bot."""
    return (sys.executable, "-P", "-m", name)


def _folder(text: str, folder: Path) -> tuple[str, ...]:
    for name in ENTRIES:
        if (folder / name).is_file():
            return _file(text, folder / name)
    if (folder / "package.json").is_file():
        return _node(text, folder)
    cure = "name the file, or write the command in quotes"
    if (folder / BUILD_SCRIPT).is_file():
        cure = f"it is not built: run {folder / BUILD_SCRIPT}, or {cure}"
    raise ConfigError(f"bot {text!r}: the folder holds none of {', '.join(ENTRIES)}; {cure}")


def _node(text: str, folder: Path) -> tuple[str, ...]:
    built = folder / NODE_ENTRY
    if not built.is_file():
        raise ConfigError(
            f"bot {text!r}: {built} is not built; run npm ci && npm run build in {folder}"
        )
    node = shutil.which("node")
    if node is None:
        raise ConfigError(f"bot {text!r}: there is no command 'node' to run {built}; install it")
    return (os.path.abspath(node), str(built.absolute()))


def _file(text: str, path: Path) -> tuple[str, ...]:
    full = str(path.absolute())
    if path.suffix == ".py":
        return (sys.executable, full)
    if not path.is_file() or not os.access(path, os.X_OK):
        raise ConfigError(
            f"bot {text!r}: {path} is not executable; chmod +x it, or write the command that runs "
            f'it in quotes, like "node {path}"'
        )
    return (full,)


def _words(
    text: str, spec: str, house: Mapping[str, str], folder: Path | None
) -> tuple[tuple[str, ...], str]:
    try:
        words = shlex.split(spec)
    except ValueError as error:
        raise ConfigError(f"bot {text!r}: cannot split the command: {error}") from None
    if not words:
        raise ConfigError(f"bot {text!r}: the command is empty")
    named = str(path_from(folder, words[0])) if "/" in words[0] else words[0]
    program = shutil.which(named)
    if program is None:
        raise ConfigError(f"bot {text!r}: {_unknown(spec, words[0], house)}")
    # relative, it would be looked for in a bot's own working folder
    words = _placed(words, folder)
    return (os.path.abspath(program), *words[1:]), _command_name(words)


def _placed(words: Sequence[str], folder: Path | None) -> list[str]:
    """Return words of a command; of those that name a file of the folder the whole path."""
    if folder is None:
        return [*words]
    return [
        str((folder / word).absolute()) if os.path.isfile(folder / word) else word for word in words
    ]


def _unknown(spec: str, word: str, house: Mapping[str, str]) -> str:
    ordinary = sorted(name for name in house if not name.startswith(CHAOS))
    if spec != word:
        return f"there is no command {word!r}"
    if os.path.isfile(f"{word}.py"):
        file = f"{word}.py".removeprefix("./")
        named = file if "/" in file else f"./{file}"
        return f"there is a file {file}; did you mean {named}?"
    if "/" in word:
        return f"there is no file {word}"
    if CHAOS + word in house:
        return f"no house bot, file or command has that name; did you mean {CHAOS}{word}?"
    near = difflib.get_close_matches(word, ordinary, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"no house bot ({', '.join(ordinary)}), file or command has that name{hint}"


def _command_name(words: list[str]) -> str:
    """Of "node build/bot.js" the bot is `bot`; of "mybot --fast" it is `mybot`."""
    files = [word for word in words[1:] if os.path.isfile(word)]
    return Path(files[0] if files else words[0]).stem


def _as_label(name: str) -> str:
    safe = re.sub(r"[^A-Za-z0-9_.+-]", "-", name).lstrip("_.+-")[:32]
    return safe or "bot"
