"""The table of docs/textbook.md has all 56 rows, and every test that it names exists."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent.parent
PAGE = TESTS.parent / "docs" / "textbook.md"


def rows() -> dict[int, str]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return {int(found[1]): line for line in lines if (found := re.match(r"\| (\d+) \|", line))}


def test_all_rows_are_there() -> None:
    assert sorted(rows()) == list(range(1, 57))


def test_named_tests_exist() -> None:
    for number, line in rows().items():
        named = re.findall(r"`([\w/]+\.py)::(\w+)`", line)
        assert named, f"row {number} names no test"
        for file, test in named:
            source = (TESTS / file).read_text(encoding="utf-8")
            assert f"def {test}(" in source, f"row {number}: {file} has no {test}"
