"""What tests of learning share: small tasks, compiled once."""

from __future__ import annotations

import pytest

pytest.importorskip("gymnasium")

from footfall.learning import quadruped_velocity


@pytest.fixture(scope="session")
def short_task():
    """Go2 with episodes of 0.3 s, so that rows end often."""
    return quadruped_velocity("go2", kp=30.0, kd=0.8, seconds=0.3)
