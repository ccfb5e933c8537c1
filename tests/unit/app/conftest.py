"""Logs stay quiet, but for tests that read them."""

import logging
from collections.abc import Iterator, MutableMapping

import pytest
import structlog

structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


@pytest.fixture
def logs() -> Iterator[list[MutableMapping[str, object]]]:
    """The log events of the test, as they come."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))
    with structlog.testing.capture_logs() as captured:
        yield captured
    structlog.configure(**before)
