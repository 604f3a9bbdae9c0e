"""Both ways of contact for tests of closed forms."""

from __future__ import annotations

import pytest

from tests.simulation import worlds


@pytest.fixture(params=["found", "listed"])
def each_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test with contacts that are found while time passes, and with native code for a list of places."""
    monkeypatch.setattr(worlds, "CONTACTS", request.param)
    return str(request.param)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Native code for a list of places: for what only that can do, and for looking into it."""
    monkeypatch.setattr(worlds, "CONTACTS", "listed")
