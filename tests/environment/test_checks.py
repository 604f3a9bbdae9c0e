"""Every test that docs/environment-checks.md names exists."""

from __future__ import annotations

from tests.named_tests import TESTS, require_named_tests


def test_named_tests_exist() -> None:
    require_named_tests((TESTS.parent / "docs" / "environment-checks.md").read_text(encoding="utf-8"))
