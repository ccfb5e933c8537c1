"""Lines that the runner of GitHub Actions reads as commands, and text that it must not."""

from collections.abc import Iterator

from referee.formats.gate_words import headline
from referee.formats.printable import printable
from referee.ladder.gate_outcome import GateOutcome, GateVerdict

_FAULTS = (
    GateVerdict.CANDIDATE_FAULTY,
    GateVerdict.BASELINE_FAULTY,
    GateVerdict.MACHINE,
)
_OLD_COMMAND, _COMMAND = "##[", "::"  # the first anywhere in a line, the second at its beginning
_APART = "\u200b"  # a space that nobody sees


def annotations(outcome: GateOutcome) -> Iterator[str]:
    """Yield an `::error` for a gate that ended by a fault, and for what failed processes said."""
    if outcome.verdict in _FAULTS:
        yield error_line("gate", headline(outcome))
        for text in outcome.said:
            yield error_line("gate", text)


def error_line(title: str, text: str) -> str:
    r"""Return the command that shows an error; text of strangers cannot end it or add to it.

    >>> error_line("a: b, c", "100 %\n::stop-commands::x")
    '::error title=a%3A b%2C c::100 %25\\n::stop-commands::x'
    """
    title = _data(title).replace(":", "%3A").replace(",", "%2C")
    return f"::error title={title}::{_data(text)}"


def _data(text: str) -> str:
    """Return text as the runner reads it back; control characters are shown, as elsewhere."""
    shown = harmless(printable(text))
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def harmless(text: str) -> str:
    r"""Return one line of text in which the runner finds no command.

    >>> harmless("::error::x").encode("unicode_escape")
    b'\\u200b::error::x'
    """
    text = text.replace(_OLD_COMMAND, f"##{_APART}[")
    return f"{_APART}{text}" if text.lstrip().startswith(_COMMAND) else text
