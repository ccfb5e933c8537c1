"""`referee rules count`: how many legal plays positions have."""

import json
import sys
from collections.abc import Iterable

import click

from referee.cli.refusing import RefusingCommand
from referee.cli.shipped import COUNTS, shipped
from referee.cli.suite_lines import lines_of

_FAILED = 1
_BAD_INPUT = 2
_STATED_NAME = "the stated positions"


@click.command(cls=RefusingCommand, short_help="Count the legal plays of positions.")
@click.argument("files", nargs=-1, metavar="[FILE...]")
@click.option("--check", is_flag=True, help="Compare with the counts that the lines state.")
@click.option("--stated", is_flag=True, help="The 1,000 positions that ship, before those of FILE.")
@click.option("--print", "printed", is_flag=True, help="With --stated: print these lines instead.")
def count(files: tuple[str, ...], *, check: bool, stated: bool, printed: bool) -> None:
    """Count the legal plays of positions, one a line, so that another generator can be compared.

    A line is a position as docs/VECTORS.md has it, with an id and the seat whose plays are counted
    (the one on turn unless given). Prints for each `{"id":...,"legal":N,"patterns":M}`: N as the
    check `legal` of a vector lists them, M as an ask lists them. With --check it prints only what
    differs, then `N passed, M failed`. FILE - is the standard input.

    Exit codes: 0 done; 1 a count differs; 2 bad input.
    """
    from referee.rules.errors import ConfigError

    if printed and not (stated and not files and not check):
        raise ConfigError("--print goes with --stated alone")
    if not files and not stated:
        raise ConfigError("no file is named; name a file of positions, or say --stated")
    if printed:
        for data in stated_lines():
            click.echo(data.decode())
        return
    sources: list[tuple[str, Iterable[bytes]]] = []
    if stated:
        sources.append((_STATED_NAME, stated_lines()))
    sources += [(name, lines_of(name)) for name in files]
    sys.exit(_count(sources, check=check))


def _count(sources: "list[tuple[str, Iterable[bytes]]]", *, check: bool) -> int:
    """Print the counts, or what is wrong with those stated; return the exit code."""
    from referee.formats.plays_counted import Uncounted, count_lines
    from referee.formats.printable import printable

    passed = failed = bad = 0
    for name, lines in sources:
        for number, one in count_lines(lines):
            if isinstance(one, Uncounted):
                bad += 1
                click.echo(f"error: {printable(name)} line {number}: {one.fault}", err=True)
            elif not check:
                counts = {"id": one.name, "legal": one.legal, "patterns": one.patterns}
                click.echo(json.dumps(counts, ensure_ascii=False, separators=(",", ":")))
            elif one.stated_legal is None and one.stated_patterns is None:
                bad += 1
                what = "states no count: write legal or patterns, or leave out --check"
                click.echo(f"error: {printable(name)} line {number}: {what}", err=True)
            elif one.fault is None:
                passed += 1
            else:
                failed += 1
                click.echo(printable(one.fault))
    if check:
        click.echo(f"{passed} passed, {failed} failed")
    if bad:
        return _BAD_INPUT
    return _FAILED if failed else 0


def stated_lines() -> list[bytes]:
    """Return the lines of the positions that ship."""
    return shipped(COUNTS).read_bytes().splitlines()
