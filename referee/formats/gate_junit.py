"""What a gate brought, as JUnit XML: what CI systems show as tests."""

import re
from collections.abc import Iterator

from referee.formats.gate_text import gate_text
from referee.formats.gate_words import headline, hypotheses_words
from referee.formats.printable import printable
from referee.ladder.gate_outcome import BASELINE, CANDIDATE, GateOutcome, GateVerdict

_SUITE = "referee gate"
_FAILED = (GateVerdict.REJECT, GateVerdict.UNDECIDED)
_FAULTY = {
    CANDIDATE: GateVerdict.CANDIDATE_FAULTY,
    BASELINE: GateVerdict.BASELINE_FAULTY,
}
_MARKS = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
_MARK = re.compile("[&<>\"']")
# What XML 1.0 cannot hold, in whatever spelling
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def gate_junit(outcome: GateOutcome) -> str:
    """Return a suite of three cases: each bot plays without fault, and the verdict.

    A verdict that is not reached by the bots' play is an error, a rejection or none a failure.
    """
    cases = "".join(f"  {line}\n" for line in _cases(outcome))
    failures, errors = cases.count("<failure "), cases.count("<error ")
    head = (
        f'<testsuite name="{_SUITE}" tests="3" failures="{failures}" errors="{errors}" '
        f'skipped="0" time="{outcome.elapsed_s:.3f}">'
    )
    out = f"  <system-out>{_text(gate_text(outcome))}</system-out>\n"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{cases}{out}</testsuite>\n'


def _cases(outcome: GateOutcome) -> Iterator[str]:
    for entry, verdict in _FAULTY.items():
        found = ""
        if outcome.verdict is verdict:
            said = "\n".join(printable(line) for line in outcome.said)
            found = _problem("error", verdict.value, outcome.why, said)
        yield _case(f"{entry} plays without fault", found, 0.0)
    yield _case(hypotheses_words(outcome.terms), _verdict(outcome), outcome.elapsed_s)


def _verdict(outcome: GateOutcome) -> str:
    if outcome.verdict is GateVerdict.ACCEPT or outcome.verdict in _FAULTY.values():
        return ""
    kind = "failure" if outcome.verdict in _FAILED else "error"
    return _problem(kind, outcome.verdict.value, headline(outcome), "")


def _case(name: str, inside: str, seconds: float) -> str:
    head = f'<testcase classname="{_SUITE}" name="{_text(name)}" time="{seconds:.3f}"'
    return f"{head}>{inside}</testcase>" if inside else f"{head}/>"


def _problem(kind: str, verdict: str, message: str, inside: str) -> str:
    head = f'<{kind} type="{_text(verdict)}" message="{_text(printable(message))}"'
    return f"{head}>{_text(inside)}</{kind}>" if inside else f"{head}/>"


def _text(text: str) -> str:
    """Return text for between two tags, or for an attribute in double quotes."""
    return _MARK.sub(lambda mark: _MARKS[mark[0]], _FORBIDDEN.sub("?", text))
