"""What a gate brought, as Markdown for the summary of a CI job or a comment."""

from collections.abc import Iterator

from referee.formats.export_md import escaped
from referee.formats.gate_text import gate_remarks, gate_rows
from referee.formats.gate_words import VERDICTS
from referee.ladder.gate_outcome import GateOutcome


def gate_md(outcome: GateOutcome) -> str:
    """Return a heading with the verdict, a table of its numbers, and remarks."""
    return "".join(f"{line}\n" for line in _lines(outcome))


def _lines(outcome: GateOutcome) -> Iterator[str]:
    names = f"{outcome.candidate.name} against {outcome.baseline.name}"
    yield f"### Gate: {escaped(VERDICTS[outcome.verdict])}"
    yield ""
    yield f"{escaped(names)}: {escaped(outcome.why)}"
    yield ""
    yield "| | |"
    yield "| --- | --- |"
    for name, text in gate_rows(outcome):
        yield f"| {escaped(name)} | {escaped(text)} |"
    remarks = list(gate_remarks(outcome))
    if remarks:
        yield ""
    for remark in remarks:
        yield f"- {escaped(remark)}"
