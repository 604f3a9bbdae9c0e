"""Tests compile kernels into a cache of their own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Tests that open pages or let processes run in real time. What a browser or a process does while a test looks at it
# depends on when a busy machine lets it: such a test runs once more if it fails, from its fixtures on, and the summary
# says which. All others depend on nothing but the code, and fail at once.
_REAL_TIME = (
    "attack/test_pages.py",
    "cli/test_files.py",
    "environment/test_vision.py",
    "messages",
    "studies/test_cluster.py",
    "viewer/test_browser_ends.py",
    "viewer/test_guard.py",
    "viewer/test_loop_event.py",
    "viewer/test_panel_page.py",
    "viewer/test_policy_panel.py",
    "viewer/test_screenshot.py",
    "viewer/test_shared_page.py",
    "viewer/test_show.py",
    "walking/live",
    "walking/vision",
)

# Machines are slow at times, and what passes once passes again; `make explore` looks for new examples.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("main", _PATIENT, derandomize=True)
settings.register_profile("explore", _PATIENT, print_blob=True)
settings.load_profile("main")


@pytest.fixture(scope="session", autouse=True)
def kernel_cache() -> Path:
    """One cache for all test processes of a run, so that each kernel is compiled once."""
    folder = Path(
        os.environ.setdefault("FOOTFALL_CACHE_DIR", str(Path(tempfile.gettempdir()) / "footfall-tests"))
    )
    return folder


def pytest_collection_modifyitems(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    """Mark what runs in real time, and is tried once more."""
    if not config.pluginmanager.hasplugin("rerunfailures"):
        return
    here = Path(__file__).parent
    places = [here / each for each in _REAL_TIME]
    for item in items:
        if any(item.path.is_relative_to(each) for each in places):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What ran twice, and how much of the pages in a browser was not looked at, since there is none."""
    repeated = terminalreporter.stats.get("rerun", ())
    terminalreporter.write_line(f"{len(repeated)} tests in real time failed and were run once more")
    for each in repeated:
        terminalreporter.write_line(f"  {each.nodeid}")
    skipped = [each for each in terminalreporter.stats.get("skipped", ()) if "Chromium" in str(each.longrepr)]
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} tests of pages were skipped: Chromium is not installed")
