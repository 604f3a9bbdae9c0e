"""Tests compile kernels into a cache of their own."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

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


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How much of the pages in a browser was not looked at, since there is none."""
    skipped = [each for each in terminalreporter.stats.get("skipped", ()) if "Chromium" in str(each.longrepr)]
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} tests of pages were skipped: Chromium is not installed")
