"""What every test shares: hypothesis profiles, captured logs, and which tests are there at all."""

import logging
import os
import signal
from collections.abc import Iterator, MutableMapping
from pathlib import Path

import pytest
import structlog
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]
SHARED_RULES = ROOT.parent / "shared" / "rules"
PROFILE = os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "local")

# A shared machine may stall for longer than any deadline, and pytest-timeout ends what hangs.
settings.register_profile("local", deadline=None, print_blob=True)
settings.register_profile(
    "ci",
    deadline=None,
    print_blob=True,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(PROFILE)


@pytest.fixture
def logs() -> Iterator[list[MutableMapping[str, object]]]:
    """The log events of the test, as they come."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))
    with structlog.testing.capture_logs() as captured:
        yield captured
    structlog.configure(**before)


def pytest_configure() -> None:
    """Let Ctrl-C through: a shell starts what runs in its background deaf to it, and that is
    inherited by every process that a test starts.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header() -> str:
    """Say how to repeat the random part of this run."""
    seed = "examples derived from each test" if PROFILE == "ci" else "new examples, failures print"
    shared = "present" if SHARED_RULES.is_dir() else "absent, its tests are left out"
    return f"hypothesis profile: {PROFILE} ({seed}); ../shared/rules: {shared}"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out files that read ../shared where it is missing; None lets others decide."""
    needs_shared = collection_path.name.startswith("test_shared_")
    return True if needs_shared and not SHARED_RULES.is_dir() else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect, rather than skip, what reads the BrettspielWelt logs where they are missing."""
    if (SHARED_RULES / "bsw").is_dir():
        return
    gone = [item for item in items if item.get_closest_marker("bsw")]
    if gone:
        config.hook.pytest_deselected(items=gone)
        items[:] = [item for item in items if item not in gone]
