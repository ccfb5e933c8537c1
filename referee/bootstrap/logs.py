"""Log events of a process: one line each, on stderr."""

import logging
import sys

import structlog


def configure_logs(form: str = "console", *, level: int = logging.INFO) -> None:
    """Send log events to stderr, one line each, as `console` text or `json`.

    Before this is called, `Referee.start` lets warnings and errors through and nothing else.
    """
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
