"""One form for every line of the log, whoever wrote it."""

import json
import subprocess
import sys

LIBRARY = """
import logging, sys
from referee.bootstrap.logs import configure_logs

configure_logs(sys.argv[1])
log = logging.getLogger("some.library")
log.info("not told")
log.warning("%d calls", 3)
try:
    raise ValueError("no such call")
except ValueError:
    log.exception("a call failed")
log.error("%d calls", "three")  # a mistake of the library's own
"""


def logged(form: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", LIBRARY, form],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")
    return done.stderr


def test_what_a_library_logs_has_the_form_of_our_own_lines() -> None:
    text = logged("json").splitlines()
    told, failed = map(json.loads, text[:2])
    assert (told["event"], told["level"]) == ("3 calls", "warning")
    assert told["library"] == failed["library"] == "some.library"
    assert (failed["event"], failed["level"]) == ("a call failed", "error")
    assert failed["exception"].startswith("Traceback")
    assert failed["exception"].endswith("ValueError: no such call")


def test_on_a_console_a_traceback_follows_its_line() -> None:
    text = logged("console")
    assert "3 calls" in text
    assert "not told" not in text
    assert text.index("a call failed") < text.index("ValueError: no such call")
