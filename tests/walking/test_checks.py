"""Every test that docs/walking-checks.md names exists."""

from __future__ import annotations

from tests.named_tests import TESTS, require_named_tests


def test_named_tests_exist() -> None:
    text = (TESTS.parent / "docs" / "walking-checks.md").read_text(encoding="utf-8")
    require_named_tests(text.partition("## Results of the source")[0])
