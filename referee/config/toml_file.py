"""A TOML file with the lines of its keys, and what to write instead of what is wrong in it."""

import difflib
import re
import tomllib
import types
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Self, TypeVar

import msgspec
from msgspec import inspect

from referee.rules.errors import ConfigError
from referee.rules.options import OPTION_ROWS

Keys = tuple[str | int, ...]  # a way into a file; numbers count from 0 in a list of tables
_COUNTS = {2: "two", 3: "three"}  # of texts in lists of a fixed length
_S = TypeVar("_S", bound=msgspec.Struct)

_SHOWN_CHARS = 60  # of a value in an error
_OPTIONS = "options"  # the section whose keys are rule options
_LISTS = ("entry",)  # of all kinds of files
_BARE_IN_LIST = re.compile(r"=\s*\[(\s*\"[^\"]*\"\s*,)*\s*[A-Za-z_./~]")
_BARE = re.compile(r"([\w.-]+)\s*=\s*([A-Za-z_./~][^\"\\#]*)(#.*)?")  # a text without its quotes


class FileKind(NamedTuple):
    """What a kind of file may hold: the values of `root`.

    `flags_only` has what to write instead of keys that exist as flags only, or under another name;
    `missing` an example for keys that have to be there.
    """

    root: type[msgspec.Struct]
    flags_only: Mapping[str, str] = {}
    missing: Mapping[str, str] = {}

    def sections(self) -> dict[str, Iterable[str]]:
        """Return the keys of each section by its name."""
        found: dict[str, Iterable[str]] = {}
        for field in msgspec.structs.fields(self.root):
            if (section := _section_of(field.type)) is not None:
                found[field.name] = section.__struct_fields__
            elif field.name == _OPTIONS:
                found[field.name] = OPTION_ROWS
        return found

    def lists(self) -> set[str]:
        """Return the names of its lists of sections."""
        fields = msgspec.structs.fields(self.root)
        return {one.name for one in fields if _is_list_of_tables(_kind_of(self.root, (one.name,)))}


class TomlFile:
    """A file that is TOML and has no key that its kind does not know."""

    def __init__(self, path: Path, text: str, table: dict[str, object], kind: FileKind) -> None:
        """Use `read`."""
        self._path = path
        self._text = text
        self._table = table
        self._kind = kind

    @classmethod
    def read(cls, path: Path, kind: FileKind) -> Self:
        """Read a file. Raises `ConfigError` naming file and line."""
        text = _read(path)
        file = cls(path, text, _parse(path, text, lists=kind.lists()), kind)
        for keys, cure in _unknown_keys(kind, file._table, kind.root):
            raise ConfigError(f"{file.place(*keys)}: unknown key {dotted(keys)!r}{cure}")
        return file

    def convert(self, kind: type[_S]) -> _S:
        """Return the values. Raises `ConfigError` that names the key and what may stand there."""
        try:
            return msgspec.convert(self._table, kind)
        except msgspec.ValidationError as error:
            said = str(error)
        keys = _keys_of(said)
        if missing := re.match(r"Object missing required field `(\w+)`", said):
            raise self.error(self._missing(missing[1]), *keys) from None
        while keys and isinstance(keys[-1], int):  # which of a list of texts
            keys = keys[:-1]
        if keys == (_OPTIONS,) and isinstance(options := self._table[_OPTIONS], dict):
            wrong = (name for name, value in options.items() if not isinstance(value, str | int))
            keys += tuple(wrong)[:1]  # any of its values
        raise self.error(_cure(self._kind.root, keys, _value_at(self._table, keys)), *keys)

    def _missing(self, key: str) -> str:
        return f"{key} is missing; write {self._kind.missing.get(key, f'{key} = ...')}"

    def has(self, *keys: str | int) -> bool:
        """True if the file has this key."""
        return _value_at(self._table, keys) is not None

    def error(self, text: str, *keys: str | int) -> ConfigError:
        """Return the error that something is wrong with a key: where, which key, and the text."""
        named = f"{dotted(keys)}: " if keys else ""
        return ConfigError(f"{self.place(*keys)}: {named}{text}")

    def place(self, *keys: str | int) -> str:
        """Return `file:line` of a key, or the file alone where the line cannot be told."""
        return _place(self._path, self._text, keys)


def dotted(keys: Keys) -> str:
    """Return a key as a person says it; which table of a list it is in is told by the line.

    >>> dotted(("entry", 1, "bot"))
    'entry.bot'
    """
    return ".".join(key for key in keys if isinstance(key, str))


def place_in(path: Path, *keys: str | int) -> str:
    """Return `file:line` of a key in a configuration file, or "" where the file has no such key."""
    place = _place(path, _read(path), keys)
    return "" if place == str(path) else place


def has_key(path: Path, key: str) -> bool:
    """Return whether a file has a key above its first section, whatever kind of file it is.

    Raises `ConfigError` naming file and line where it is no TOML.
    """
    return key in _parse(path, _read(path), lists=_LISTS)


def nearest(key: str, valid: Iterable[str]) -> str:
    """Return the name that was probably meant, or ""."""
    return next(iter(difflib.get_close_matches(key, list(valid), n=1)), "")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8 text") from None


def _parse(path: Path, text: str, *, lists: Collection[str] = ()) -> dict[str, object]:
    try:
        # with a last line break, or what is wrong in the last line is "at end of document"
        return tomllib.loads(f"{text}\n")
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(_no_toml(path, text, str(error), lists)) from None
    except ValueError:  # Python reads no numbers of thousands of digits
        number = _first_line(text, r"\d{1000}")
        raise ConfigError(f"{path}:{number}: a number too long to be meant; shorten it") from None
    except RecursionError:
        number = _first_line(text, r"([\[{]\s*){100}")
        raise ConfigError(
            f"{path}:{number}: brackets in brackets too many to be meant; take some away"
        ) from None


def _first_line(text: str, pattern: str) -> int:
    found = re.search(pattern, text)
    return text.count("\n", 0, found.start() if found else 0) + 1


def _no_toml(path: Path, text: str, reason: str, lists: Collection[str]) -> str:
    """Return where and why a text is no TOML; a key or section that is there twice is named.

    `lists` are the sections that may be there as often as one likes.
    """
    found = re.fullmatch(r"(.*) \(at line (\d+), column \d+\)", reason, re.DOTALL)
    if found is None:
        return f"{path}: this is no TOML: {reason}"
    what, number = found[1], int(found[2])
    line = text.splitlines()[number - 1].strip()
    if what.startswith(("Cannot overwrite", "Cannot declare")):
        named = line if line.startswith("[") else line.partition("=")[0].strip()
        name = line.strip("[] ")
        if line.startswith("[") and name in lists:
            return f"{path}:{number}: [{name}] is there twice; write [[{name}]], each time"
        return f"{path}:{number}: {named} is there twice; leave one out"
    bare = _BARE.fullmatch(line)
    if what == "Invalid value" and bare is not None:
        return f'{path}:{number}: {bare[1]}: put text in quotes: {bare[1]} = "{bare[2].strip()}"'
    quotes = (
        "; put text in quotes" if what == "Invalid value" and _BARE_IN_LIST.search(line) else ""
    )
    return f"{path}:{number}: this is no TOML: {what[:1].lower()}{what[1:]}{quotes}"


def _keys_of(said: str) -> Keys:
    """Return the way to a value that msgspec refused."""
    way = said.partition(" - at `$")[2]
    found = re.findall(r"\.(\w+)|\[(\d+)\]", way)
    return tuple(name or int(number) for name, number in found)


def _value_at(table: object, keys: Keys) -> object:
    for key in keys:
        if isinstance(table, dict):
            table = table.get(key)
        elif isinstance(table, list) and isinstance(key, int) and key < len(table):
            table = table[key]
        else:
            return None
    return table


def _cure(root: type[msgspec.Struct], keys: Keys, value: object) -> str:
    """Return what to write for a key, and what is written."""
    kind, name = _kind_of(root, keys), str(keys[-1])
    if isinstance(kind, inspect.StructType) and isinstance(value, list):
        return f"write [{dotted(keys)}], with single brackets"
    if _is_list_of_tables(kind) and isinstance(value, dict):
        return f"write [[{dotted(keys)}]], with double brackets"
    shown = str(value)  # of a number: JSON has no nan
    if not isinstance(value, float):
        shown = msgspec.json.encode(value, enc_hook=str).decode()  # dates are the only others
    shown = shown if len(shown) <= _SHOWN_CHARS else f"{shown[:_SHOWN_CHARS]}..."
    return f"write {_allowed(kind, name)}, not {shown}"


def _is_list_of_tables(kind: inspect.Type | None) -> bool:
    return isinstance(kind, inspect.VarTupleType) and isinstance(kind.item_type, inspect.StructType)


def _allowed(kind: inspect.Type | None, key: str) -> str:
    """Return what a value of a type may be, in the words of a person who writes the file."""
    match kind:
        case inspect.IntType(ge=least, le=most):
            bounds = "" if least is None else f" from {least}"
            return f"a whole number{bounds}" + ("" if most is None else f" to {most}")
        case inspect.FloatType(gt=over, le=most):
            return f"a number over {over:g}, at most {most:g}"
        case inspect.BoolType():
            return "true or false"
        case inspect.LiteralType(values=values):
            return f"one of {', '.join(map(repr, values))}"
        case inspect.EnumType(cls=members):
            return f"one of {', '.join(repr(member.value) for member in members)}"
        case inspect.TupleType(item_types=items):
            texts = ", ".join(['"..."'] * len(items))
            return f"a list of {_COUNTS[len(items)]} texts, {key} = [{texts}]"
        case inspect.VarTupleType():
            if _is_list_of_tables(kind):
                return f"sections, [[{key}]]"
            return f'a list of texts, {key} = ["..."]'
        case inspect.StructType() | inspect.DictType():
            return f"a section, [{key}]"
        case inspect.StrType():
            return "a text in quotes"
        case _:
            return "a number, true, false or a text in quotes"


def _kind_of(root: type[msgspec.Struct], keys: Keys) -> inspect.Type | None:
    """Return the type of a key; of one that may be left out the type that it has when it is not."""
    kind: inspect.Type | None = inspect.type_info(root)
    for key in keys:
        if isinstance(key, int) and isinstance(kind, inspect.VarTupleType):
            kind = kind.item_type
            continue
        if not isinstance(kind, inspect.StructType):
            return None
        kind = next((field.type for field in kind.fields if field.name == key), None)
        if isinstance(kind, inspect.UnionType):
            (kind,) = [one for one in kind.types if not isinstance(one, inspect.NoneType)]
    return kind


def _unknown_keys(
    file: FileKind, table: Mapping[str, object], kind: type[msgspec.Struct], above: Keys = ()
) -> Iterator[tuple[Keys, str]]:
    """Yield each key that does not exist, with its cure or an empty text."""
    fields = {field.name: field.type for field in msgspec.structs.fields(kind)}
    for key, value in table.items():
        keys = (*above, key)
        if key not in fields:
            yield keys, _hint(file, key, fields, above)
        elif key == _OPTIONS and isinstance(value, dict):
            unknown = [name for name in value if name not in OPTION_ROWS]
            yield from (((*keys, name), _hint(file, name, OPTION_ROWS, keys)) for name in unknown)
        else:
            yield from _unknown_within(file, value, fields[key], keys)


def _unknown_within(
    file: FileKind, value: object, kind: object, keys: Keys
) -> Iterator[tuple[Keys, str]]:
    """As `_unknown_keys`, for what a key holds: a table, or a list of tables."""
    section = _section_of(kind)
    if isinstance(value, dict) and section is not None:
        yield from _unknown_keys(file, value, section, keys)
    elif isinstance(value, list):
        items = getattr(kind, "__args__", (None,))[0]
        for number, item in enumerate(value):
            yield from _unknown_within(file, item, items, (*keys, number))


def _section_of(kind: object) -> type[msgspec.Struct] | None:
    """Return the section that a field holds, also one that may be left out; None: another value."""
    for one in kind.__args__ if isinstance(kind, types.UnionType) else (kind,):
        if isinstance(one, type) and issubclass(one, msgspec.Struct):
            return one
    return None


def _hint(file: FileKind, key: str, valid: Iterable[str], above: Keys) -> str:
    """A key in the wrong place is told its place, any other the nearest that exists."""
    sections = file.sections()
    for section, names in sections.items():
        if key in names and above != (section,):
            return f"; it belongs into a section: [{section}] {key}"
    if above and key in file.root.__struct_fields__:
        return f"; it belongs above the first section: {key}"
    if key in file.flags_only:
        return f"; write {file.flags_only[key]}"
    if near := nearest(key, valid):
        return f"; did you mean {near!r}?"
    for section, names in sections.items():
        if above != (section,) and (near := nearest(key, names)):
            return f"; did you mean [{section}] {near}?"
    if above == (_OPTIONS,):
        return "; `referee rules show` lists them"
    return f"; there are {', '.join(valid)}"


def _place(path: Path, text: str, keys: Keys) -> str:
    """Return `file:line` of a key, or the file alone where the line cannot be told."""
    table: Keys = ()
    seen: dict[str, int] = {}  # of each list of tables
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*(\[\[?)([^\[\]]+)\]", line):
            table = tuple(part.strip().strip("\"'") for part in header[2].split("."))
            if header[1] == "[[":
                seen[header[2]] = seen.get(header[2], -1) + 1
                if keys == table:  # the list itself
                    return f"{path}:{number}"
                table += (seen[header[2]],)
            if keys and table == keys:
                return f"{path}:{number}"
        elif entry := re.match(r"\s*([\w.\"'-]+)\s*=", line):
            named = (*table, *(part.strip("\"'") for part in entry[1].split(".")))
            if keys and named == keys[: len(named)]:
                return f"{path}:{number}"
    return str(path)
