"""Masses fitted to synthetic recordings whose truth is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.motion.limbs import Limbs, centre_of_mass, contact_wrench, sample_limbs
from footfall.motion.mass_fit import fit_masses
from tests.motion.test_five_mass import random_draft
from tests.motion.walks import lola_model

AT = np.linspace(0.05, 1.95, 150)
START = lola_model()
TRUTH = replace(
    START,
    foot_share=0.083,
    hand_share=0.031,
    torso_inertia=np.array([[1.9, 0.1, -0.2], [0.1, 1.6, 0.05], [-0.2, 0.05, 0.9]]),
)


def recording(seed: int, noise: float = 0.0) -> tuple[Limbs, Array, Array]:
    draft, torso = random_draft(seed, blending=False)
    limbs, motion = sample_limbs(draft, AT), torso.sample(AT)
    torque = contact_wrench(limbs, motion, TRUTH).torque
    rng = np.random.default_rng(seed)
    return limbs, centre_of_mass(limbs, motion, TRUTH), torque + noise * rng.normal(size=torque.shape)


def parameters(model: Any) -> Array:
    return np.array([model.foot_share, model.hand_share, *model.torso_inertia[np.triu_indices(3)]])


@pytest.mark.parametrize("seed", [1, 2])
def test_truth_is_found_without_noise(seed: int) -> None:
    fit = fit_masses(START, *recording(seed))
    np.testing.assert_allclose(parameters(fit.model), parameters(TRUTH), atol=1e-6)
    assert fit.error < 1e-6
    assert fit.error_before > 1.0


def test_truth_is_found_within_the_stated_deviations() -> None:
    """Noise of 2 N m; of 40 errors over their deviations about a third exceed 1, none 4."""
    scores = []
    for seed in range(5):
        fit = fit_masses(START, *recording(seed, noise=2.0))
        scores.append((parameters(fit.model) - parameters(TRUTH)) / fit.deviations)
        assert fit.error == pytest.approx(2.0, rel=0.1)
    assert np.abs(scores).max() < 4.0
    assert 0.1 < np.mean(np.abs(scores) > 1.0) < 0.6


def test_shares_alone() -> None:
    limbs, centre, torque = recording(3)
    known = replace(START, torso_inertia=TRUTH.torso_inertia)
    fit = fit_masses(known, limbs, centre, torque, with_inertia=False)
    assert (fit.model.foot_share, fit.model.hand_share) == pytest.approx((0.083, 0.031), abs=1e-8)
    assert len(fit.deviations) == 2


def test_what_a_motion_does_not_show_is_said() -> None:
    """Hands in null space have no mass: their share stays unknown."""
    limbs, centre, torque = recording(4)
    nothing = np.zeros_like(limbs.right_selection)
    fit = fit_masses(START, limbs._replace(right_selection=nothing, left_selection=nothing), centre, torque)
    assert np.isinf(fit.deviations[1])
    assert np.isfinite(fit.deviations[0])


def test_wrong_recordings_are_refused() -> None:
    limbs, centre, torque = recording(1)
    with pytest.raises(InvalidInput, match="k, 3"):
        fit_masses(START, limbs, centre[:, :5], torque)
