"""What a suite came to: lines for people, JSON and JUnit for programs."""

import json
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from referee.check.asking import Outcome
from referee.formats.printable import printable


def text_lines(outcomes: Sequence[Outcome]) -> list[str]:
    """Return a line for each question that failed, and `N passed, M failed`."""
    lines = [
        printable(f"{one.line.name}: {one.line.title}: {one.fault}")
        for one in outcomes
        if one.fault is not None
    ]
    return [*lines, counts_line(outcomes)]


def counts_line(outcomes: Sequence[Outcome]) -> str:
    """Return `N passed, M failed`."""
    failed = sum(one.fault is not None for one in outcomes)
    return f"{len(outcomes) - failed} passed, {failed} failed"


def json_text(outcomes: Sequence[Outcome]) -> str:
    """Return all outcomes as one JSON object."""
    failed = sum(one.fault is not None for one in outcomes)
    results = [
        {
            "id": one.line.name,
            "title": one.line.title,
            "passed": one.fault is None,
            "fault": one.fault,
            "seconds": one.seconds,
        }
        for one in outcomes
    ]
    report = {"passed": len(outcomes) - failed, "failed": failed, "results": results}
    return json.dumps(report, indent=2) + "\n"


def junit_text(outcomes: Sequence[Outcome], *, suite: str) -> str:
    """Return all outcomes as a JUnit file, a test case each; `suite` names it."""
    failed = sum(one.fault is not None for one in outcomes)
    cases = [line for one in outcomes for line in _case(one, suite)]
    head = f'<testsuite name={_quoted(suite)} tests="{len(outcomes)}" failures="{failed}">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>", ""])


def _case(one: Outcome, suite: str) -> list[str]:
    name = _quoted(f"{one.line.name}: {one.line.title}".removesuffix(": "))
    head = f'  <testcase classname={_quoted(suite)} name={name} time="{one.seconds:.3f}"'
    if one.fault is None:
        return [head + "/>"]
    fault = printable(one.fault)
    return [
        head + ">",
        f"    <failure message={_quoted(fault)}>{escape(fault)}</failure>",
        "  </testcase>",
    ]


def _quoted(text: str) -> str:
    return quoteattr(printable(text))
