"""Plain calls with wrong arguments: errors may come out, the process lives on, no routine reaches outside of arrays."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from benchmarks.attack import calls
from footfall.compiler.routines import routine
from footfall.errors import GeometryError, InvalidInput
from footfall.geometry.hierarchy import build_hierarchy
from footfall.math import PolynomialTrajectory

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


@pytest.fixture(autouse=True)
def checked_indices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTFALL_CHECKED_ROUTINES", "1")


@pytest.mark.parametrize("name", calls.names())
def test_wrong_arguments_do_no_harm(name: str) -> None:
    assert calls.run(name) == []


def test_harm_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    @routine
    def last(values: Any, place: int) -> float:
        return float(values[place])

    def deadly(values: Any, place: Any) -> None:
        if place == 10**12:
            os.abort()

    careless = {
        "careless": calls.Call(last, (np.zeros(3), 2)),
        "deadly": calls.Call(deadly, (np.zeros(3), 2)),
    }
    monkeypatch.setattr(calls, "_calls", lambda: careless)
    assert any("outside" in problem for _, problem in calls.run("careless"))
    assert [problem for _, problem in calls.run("deadly")] == ["SIGABRT"]


def test_wrong_numbers_are_named() -> None:
    trajectory = PolynomialTrajectory(np.array([0.0, 1.0]), np.ones((1, 3, 2)))
    for order in (-1, 10**12, 1.5):
        with pytest.raises(InvalidInput, match="whole number, 0 or more"):
            trajectory.sample(np.array([0.5]), order)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="whole number, 0 or more"):
            trajectory(0.5, derivative=order)  # type: ignore[arg-type]
    assert (trajectory(0.5, derivative=9) == 0.0).all()
    boxes = np.zeros((5, 3)), np.ones((5, 3))
    with pytest.raises(GeometryError, match="leaf_size is 0"):
        build_hierarchy(*boxes, leaf_size=0)
    with pytest.raises(GeometryError, match="one box at least"):
        build_hierarchy(np.zeros((0, 3)), np.zeros((0, 3)))
