"""Ctrl-C in native work: it is answered, and no thread writes afterwards. The times are in `benchmarks/attack`."""

from __future__ import annotations

import pytest

from benchmarks.attack.interrupts import SCENARIOS, run


@pytest.mark.parametrize("name", SCENARIOS)
def test_interrupted_work_ends(name: str) -> None:
    """Each would go on for a minute or longer, if it were not interrupted."""
    outcome = run(name)
    assert outcome.sound, outcome
