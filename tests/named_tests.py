"""Tests that pages of docs/ name."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent


def require_named_tests(promises: str) -> None:
    """Every row of the tables in a text names tests that exist, as `file.py::test`."""
    rows = [line for line in promises.splitlines() if line.startswith("| ") and "held by" not in line]
    assert len(rows) > 40
    for row in rows:
        named = re.findall(r"`([\w/]+\.py)::(\w+)`", row)
        assert named, f"no test: {row}"
        for file, test in named:
            source = (TESTS / file).read_text(encoding="utf-8")
            assert f"def {test}(" in source, f"{file} has no {test}"
