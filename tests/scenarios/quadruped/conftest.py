"""Runs that several tests look at, each made once; simulations are compiled once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from footfall.scenarios.quadruped import Run, load_scenario, run_scenario
from footfall.scenarios.quadruped.run import build_simulation


@cache
def _simulation(contact: str) -> Any:
    return build_simulation(load_scenario("trot"), contact)  # type: ignore[arg-type]


@cache
def _run(kind: str, contact: str, changes: tuple[tuple[str, Any], ...]) -> Run:
    scenario = load_scenario(kind).changed(**dict(changes))
    shared = not any(
        name.split("__")[0] in ("step", "ground", "robot", "penalty", "control") for name, _ in changes
    )
    return run_scenario(scenario, contact, simulation=_simulation(contact) if shared else None)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def run_of() -> Callable[..., Run]:
    """A run by kind, contact model and changed parameters."""

    def get(kind: str, contact: str = "exact", **changes: Any) -> Run:
        return _run(kind, contact, tuple(sorted(changes.items())))

    return get
