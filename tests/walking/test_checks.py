"""Every test and report that docs/walking-checks.md names exists."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent.parent


def test_named_tests_exist() -> None:
    text = (TESTS.parent / "docs" / "walking-checks.md").read_text(encoding="utf-8")
    promises = text.partition("## Results of the source")[0]
    rows = [line for line in promises.splitlines() if line.startswith("| ") and "held by" not in line]
    assert len(rows) > 40
    for row in rows:
        named = re.findall(r"`([\w/]+\.py)::(\w+)`", row)
        assert named, f"no test: {row}"
        for file, test in named:
            source = (TESTS / file).read_text(encoding="utf-8")
            assert f"def {test}(" in source, f"{file} has no {test}"
