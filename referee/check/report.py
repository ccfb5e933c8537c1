"""What came of an examination: lines for people, JSON, JUnit and a badge."""

import json
import re
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from referee.check.probe import PROTOCOL_PAGE, Probe
from referee.check.runner import Result, Verdict
from referee.formats.printable import printable
from referee.ports import PROTOCOL_VERSION

_NAMED = 8  # probes that failed alike, before the rest is counted
_WIDTH = 24  # of an id in a list
_SHOWN = {Verdict.OK: "ok", Verdict.FAILED: "FAILED", Verdict.NOT_RUN: "not run"}


def list_line(probe: Probe) -> str:
    """Return the line of a probe in `--list`."""
    return f"{probe.level}  {probe.id:{_WIDTH}} {probe.title}"


def cause(result: Result) -> str:
    """Return what two probes have in common that failed alike: what happened, but for numbers."""
    last = result.errors[-1] if result.errors else ""
    return re.sub(r"\S*tichu-\S*|\d+|0x[0-9a-f]+", "", f"{result.what}\n{last}")


def result_lines(result: Result, before: Probe | None = None) -> list[str]:
    """Return what is said of a probe that ended; `before` failed alike, and has been told."""
    probe = result.probe
    head = f"{_SHOWN[result.verdict]:7} {list_line(probe)}"
    if result.verdict is not Verdict.FAILED:
        return [head, *(f"        note: {printable(note)}" for note in result.notes)]
    what = f"        what: {printable(result.what)}"
    if before is not None:
        return [head, what, f"        as {before.id} above: cure that first"]
    return [
        head,
        what,
        f"        demanded: {probe.demand} ({PROTOCOL_PAGE}#{probe.place})",
        f"        cure: {result.cure}",
    ]


def reached(results: Sequence[Result], levels: Sequence[int]) -> int:
    """Return the highest level of which, and of those below, all was run and passed; 0 for none."""
    level = 0
    for one in levels:
        of_level = [result for result in results if result.probe.level == one]
        if not of_level or any(result.verdict is not Verdict.OK for result in of_level):
            break
        level = one
    return level


def cause_lines(results: Sequence[Result]) -> list[str]:
    """Return which probes failed alike, where several did."""
    alike: dict[str, list[Result]] = {}
    for one in results:
        if one.verdict is Verdict.FAILED:
            alike.setdefault(cause(one), []).append(one)
    groups = sorted((group for group in alike.values() if len(group) > 1), key=lambda g: -len(g))
    lines = []
    for group in groups:
        more = f" and {len(group) - _NAMED} more" if len(group) > _NAMED else ""
        names = ", ".join(one.probe.id for one in group[:_NAMED])
        lines.append(f"{len(group)} failed alike, {printable(group[0].what)}: {names}{more}")
    return lines


def barred_lines(results: Sequence[Result]) -> list[str]:
    """Return what bars each level that has failed probes, in their order."""
    bars: dict[int, list[str]] = {}
    for one in sorted(results, key=lambda one: one.probe.level):
        if one.verdict is Verdict.FAILED:
            bars.setdefault(one.probe.level, []).append(one.probe.id)
    return [f"level {level} not reached: {', '.join(names)}" for level, names in bars.items()]


def last_lines(results: Sequence[Result], level: int | None) -> list[str]:
    """Return the end of what is said; `level` None where single probes were run."""
    count = {verdict: sum(one.verdict is verdict for one in results) for verdict in Verdict}
    left = f", {count[Verdict.NOT_RUN]} not run" if count[Verdict.NOT_RUN] else ""
    counts = f"{count[Verdict.OK]} passed, {count[Verdict.FAILED]} failed{left}"
    if level is None:
        return [counts]
    return [*barred_lines(results), f"level {level} reached", counts]


def json_text(results: Sequence[Result], *, level: int | None, seed: str) -> str:
    """Return all results as one JSON object."""
    report = {
        "protocol_version": PROTOCOL_VERSION,
        "level": level,
        "seed": seed,
        "passed": sum(one.verdict is Verdict.OK for one in results),
        "failed": sum(one.verdict is Verdict.FAILED for one in results),
        "probes": [
            {
                "id": one.probe.id,
                "level": one.probe.level,
                "title": one.probe.title,
                "verdict": one.verdict.value,
                "seconds": round(one.took_s, 3),
                "what": one.what or None,
                "cure": one.cure or None,
                "demand": one.probe.demand,
                "place": f"{PROTOCOL_PAGE}#{one.probe.place}",
                "notes": list(one.notes),
                "stderr": list(one.errors),
                "stdout": list(one.output),
            }
            for one in results
        ],
    }
    return json.dumps(report, indent=2) + "\n"


def junit_text(results: Sequence[Result]) -> str:
    """Return all results as a JUnit file, a test case each."""
    failed = sum(one.verdict is Verdict.FAILED for one in results)
    skipped = sum(one.verdict is Verdict.NOT_RUN for one in results)
    cases = [line for one in results for line in _case(one)]
    head = (
        f'<testsuite name="referee bot check" tests="{len(results)}" failures="{failed}" '
        f'skipped="{skipped}">'
    )
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>", ""])


def _case(one: Result) -> list[str]:
    probe = one.probe
    head = (
        f'  <testcase classname="level {probe.level}" name={quoteattr(probe.id)} '
        f'time="{one.took_s:.3f}"'
    )
    match one.verdict:
        case Verdict.OK:
            return [head + "/>"]
        case Verdict.NOT_RUN:
            return [head + "><skipped/></testcase>"]
        case Verdict.FAILED:
            what = printable(one.what)
            text = "\n".join([what, f"cure: {one.cure}", *map(printable, one.errors)])
            return [
                head + ">",
                f"    <failure message={quoteattr(what)}>{escape(text)}</failure>",
                "  </testcase>",
            ]


def badge_svg(level: int) -> str:
    """Return a badge as SVG: the level that a bot reached, and of which protocol."""
    right = f"Level {level}, protocol v{PROTOCOL_VERSION}"
    colour = {0: "#b04040", 1: "#a08020", 2: "#4080a0", 3: "#3a8a4a"}[level]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="228" height="20" role="img" '
        f'aria-label="Tichu-Referee {right}">\n'
        f"<title>Tichu-Referee {right}</title>\n"
        '<rect width="96" height="20" rx="3" fill="#444"/>\n'
        f'<rect x="92" width="136" height="20" rx="3" fill="{colour}"/>\n'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">\n'
        '<text x="8" y="14" textLength="78">Tichu-Referee</text>\n'
        f'<text x="99" y="14" textLength="122">{right}</text>\n'
        "</g>\n</svg>\n"
    )
