"""A humanoid with constraints at feet and hands, and how the ground shares what it bears."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.dynamics.hybrid_actuation import shared_torques
from footfall.scenarios.hybrid.humanoid import run_humanoid
from tests.scenarios.hybrid.criteria import missed

pytestmark = pytest.mark.filterwarnings("ignore::footfall.errors.ConvergenceWarning")


def test_humanoid() -> None:
    """Feet and hands of LOLA: stands, keeps the left hand, presses with the right one."""
    assert missed(run_humanoid(seconds=2.2)) == []


def test_shared_torques() -> None:
    """What acts on a base is kept, whatever forces of the ground are chosen; the cheapest ones are."""
    rng = np.random.default_rng(1)
    contacts, wanted, forces = rng.normal(size=(12, 16)), rng.normal(size=16), rng.normal(size=12)
    costs = rng.uniform(0.1, 10.0, 12)
    found = shared_torques(wanted, contacts, forces, range(6, 16), costs)
    np.testing.assert_allclose(found.residual, 0.0, atol=1e-12)
    np.testing.assert_allclose(found.torques[:6], 0.0, atol=1e-12)
    total = wanted + forces @ contacts
    left = total - found.torques  # of the ground
    chosen = np.linalg.lstsq(contacts.T, left, rcond=None)[0]
    np.testing.assert_allclose(chosen @ contacts, left, atol=1e-10)
    aside = np.linalg.svd(contacts[:, :6].T)[2][6:]  # other forces that push the base as much
    np.testing.assert_allclose(aside @ (costs * chosen), 0.0, atol=1e-9)
