"""The frameworks of Devaramani 2019, chapter 2, told as tasks: the example's numbers are those of their own
formulas."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "07_task_frameworks.py"


def test_frameworks() -> None:
    example = runpy.run_path(str(EXAMPLE))
    error, push = example["task_frame_formalism"]()
    assert error < 1e-9
    assert push == pytest.approx(-10.0)
    assert example["operational_space"]() < 1e-9
    missed, left, null_space = example["stack_of_tasks"]()
    assert missed < 1e-8
    assert left > 0.1  # the lowest level cannot have all: it gives way
    assert null_space < 1e-9
    assert example["constraint_based"]() < 1e-5
