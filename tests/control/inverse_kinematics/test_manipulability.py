"""Manipulability as a cost: its closed form, its gradient, and an arm that bends while its tip stays."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.errors import InvalidInput
from footfall.ik import ManipulabilityCost, ResolvedRate
from footfall.math import singularity
from footfall.tasks import frame_position


def test_planar_arm() -> None:
    """The product of the singular values, Schwienbacher 2014, (4.22)."""
    arm = footfall.load("planar-arm")
    frame = arm.frame_names[0]
    cost = ManipulabilityCost(frame, gain=1.0, rows=("x", "z"), damping=1e-9)
    q = np.array([0.3, 0.8, -0.5])
    jacobian = footfall.frame_jacobian(arm, q, frame)[[0, 2]]
    assert cost.value(arm, q) == pytest.approx(-np.log(singularity(jacobian).manipulability), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "rows"), [("arm-7r", "xyz"), ("arm-7r", ("x", "y", "z", "rx", "ry", "rz")), ("lola", "xyz")]
)
def test_gradient_by_differences(name: str, rows: object) -> None:
    model = footfall.load(name)
    rng = np.random.default_rng(0)
    frame = "tip" if name == "arm-7r" else "RH"
    q = model.configuration("ready" if name == "arm-7r" else "idle")
    q = footfall.integrate(model, q, 0.2 * rng.normal(size=model.nv))
    cost = ManipulabilityCost(frame, gain=0.7, rows=rows)  # type: ignore[arg-type]
    slope, step = cost.gradient(model, q), 1e-6
    for _ in range(3):
        v = rng.normal(size=model.nv)
        ahead, behind = (cost.value(model, footfall.integrate(model, q, s * step * v)) for s in (1, -1))
        assert slope @ v == pytest.approx((ahead - behind) / (2 * step), abs=1e-7)
    if name == "lola":
        np.testing.assert_array_equal(slope[:6], 0.0)


def test_an_arm_leaves_a_bad_pose_while_its_tip_stays() -> None:
    arm = footfall.load("arm-7r")
    q = arm.configuration("ready") + 0.3 * np.random.default_rng(2).normal(size=7)
    pose = footfall.frame_pose(arm, q, "tip")
    cost = ManipulabilityCost("tip", gain=1.0)
    rate = ResolvedRate(arm, [frame_position("tip", pose.translation, gains=20.0)], cost=cost)
    course = [cost.value(arm, q)]
    for _ in range(400):
        q = q + 0.01 * rate(q)
        course.append(cost.value(arm, q))
    assert (np.diff(course) <= 1e-9).all()
    assert course[-1] < course[0] - 0.05  # at least 5 % more manipulability
    there = footfall.frame_pose(arm, q, "tip")
    np.testing.assert_allclose(there.translation, pose.translation, atol=1e-4)


def test_bad_input() -> None:
    with pytest.raises(InvalidInput, match="rows are 'q'"):
        ManipulabilityCost("tip", rows="q")
    with pytest.raises(InvalidInput, match="gain is -1"):
        ManipulabilityCost("tip", gain=-1.0)
