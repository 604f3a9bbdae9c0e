"""Forked processes work as their parents do, and leave them alone."""

from __future__ import annotations

import os

import pytest

from benchmarks.attack.forks import SCENARIOS, run


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.parametrize("name", SCENARIOS)
def test_children_work_and_leave_their_parent_alone(name: str) -> None:
    assert run(name) == "as before"
