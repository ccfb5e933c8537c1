"""Log events of a process: one line each, on stderr."""

import logging
import sys
from contextlib import suppress
from typing import TextIO, cast

import structlog


def configure_logs(form: str = "console", *, level: int = logging.INFO) -> None:
    """Send log events to stderr, one line each, as `console` text or `json`.

    Before this is called, `Referee.start` lets warnings and errors through and nothing else.
    """
    renderers: list[structlog.typing.Processor] = (
        [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        if form == "json"
        else [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *renderers,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(cast("TextIO", _Stderr())),
    )
    logging.basicConfig(handlers=[_Libraries(logging.WARNING)])  # an embedder's own stand


class _Stderr:
    """The stderr of the moment. Where nobody reads it any more the referee goes on."""

    def write(self, text: str) -> None:
        with suppress(OSError):
            sys.stderr.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            sys.stderr.flush()


class _Libraries(logging.Handler):
    """Gives what gRPC, asyncio and others log to our own log, which has one form for all."""

    def emit(self, record: logging.LogRecord) -> None:
        log = structlog.get_logger(record.name)
        tell = log.error if record.levelno >= logging.ERROR else log.warning
        try:
            tell(record.getMessage(), library=record.name, exc_info=record.exc_info)
        except Exception:
            self.handleError(record)  # a library's mistake, or a stderr that is gone
