"""Does a log line or the page of metrics name a card, a hand or a secret?"""

import ast
import re
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import structlog
from structlog.testing import LogCapture

from tests.simulation.leaks.scan import faults_of_text

Entry = Mapping[str, object]

# What a log line may have beside its event and lengths of time (`..._ms`). None of it comes from a
# hand, a deal or a token: `facts` is a number, `error`, `where`, `peer`, `file` and `ladder` are of
# the operator's world, `text` is a bot's own last words.
KEYS = frozenset(
    (
        *("match", "seat", "ask", "round", "instance", "instances", "name", "names", "matches"),
        *("ending", "blame", "failed", "awarded", "totals", "points", "rounds", "strikes", "count"),
        *("why", "text", "resumed", "seats", "returncode", "missing", "signal"),
        *("error", "error_id", "where", "peer", "unlogged_before", "facts", "file", "ladder"),
    )
)
_LEVELS = frozenset(("debug", "info", "warning", "error", "critical", "exception"))
_VALUE = re.compile(r" \S+$")


@contextmanager
def heard() -> Iterator[Sequence[MutableMapping[str, object]]]:
    """Collect every log line, debug included."""
    before, capture = structlog.get_config(), LogCapture()
    structlog.configure(
        processors=[capture], wrapper_class=structlog.make_filtering_bound_logger(0)
    )
    try:
        yield capture.entries
    finally:
        structlog.configure(**before)


def faults_of_logs(entries: Sequence[Entry], secrets: Sequence[bytes]) -> list[str]:
    """Return what log lines tell that no line may."""
    found = []
    for entry in entries:
        line = " ".join(f"{key}={value}" for key, value in entry.items())
        found += [*faults_of_text(line), *_secrets_in(line, secrets)]
    return found


def faults_of_page(page: str, secrets: Sequence[bytes]) -> list[str]:
    """Return what a page of metrics tells: names and labels, since values count and measure."""
    found = _secrets_in(page, secrets)
    for line in page.splitlines():
        if not line.startswith("#"):
            found += faults_of_text(_VALUE.sub("", line))
    return found


def _secrets_in(text: str, secrets: Sequence[bytes]) -> list[str]:
    data = text.encode()
    return [f"a secret in {text[:200]!r}" for secret in secrets if secret in data]


def log_calls(folder: Path) -> Iterator[tuple[str, ast.Call]]:
    """Yield every call of a logger below a folder, with its place."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and _is_logger(node.func):
                yield f"{path.relative_to(folder)}:{node.lineno}", node


def _is_logger(called: ast.expr) -> bool:
    if not isinstance(called, ast.Attribute) or called.attr not in _LEVELS:
        return False
    return isinstance(called.value, ast.Name) and called.value.id.endswith("log")
