"""Chains of features: closed forms of their coordinates, Jacobian and bias by differences, use in all solvers."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.control.tasks.features import FeatureTask, chain_bias, chain_pose
from footfall.errors import InvalidInput
from footfall.ik import ResolvedRate, solve_ik
from footfall.math import parameters_from_matrix
from footfall.tasks import TaskStack

ARM = footfall.load("arm-7r")
READY = ARM.configuration("ready")
POST = {"angle": "rz", "distance": "x", "height": "z", "turn": "rz", "tilt": "ry", "lean": "rx"}
TABLE = {"x": "x", "y": "y", "z": "z", "yaw": "rz", "pitch": "ry", "roll": "rx"}


def test_the_chain_itself() -> None:
    """Jacobian and bias of the chain by differences."""
    rng = np.random.default_rng(0)
    axes = tuple(POST.values())
    values, rates, step = rng.normal(size=6), rng.normal(size=6), 1e-5
    ends = [chain_pose(axes, values + sign * step * rates) for sign in (-1.0, 0.0, 1.0)]
    speed = (ends[2].position - ends[0].position) / (2 * step)
    np.testing.assert_allclose(ends[1].jacobian[:3] @ rates, speed, atol=1e-8)
    bias = (ends[2].jacobian @ rates - ends[0].jacobian @ rates) / (2 * step)
    np.testing.assert_allclose(chain_bias(axes, values, rates), bias, atol=1e-8)


def test_closed_forms() -> None:
    """Across a table: place and Euler angles. Round a post: cylinder coordinates."""
    q = READY + 0.2 * np.random.default_rng(1).normal(size=7)
    pose = footfall.frame_pose(ARM, q, "tip")
    x, y, z = pose.translation
    expected = {
        "table": (
            TABLE,
            {"yaw": -3.0, "pitch": 0.5, "roll": 3.0},
            [x, y, z, *parameters_from_matrix("zyx", pose.rotation)],
        ),
        "post": (POST, {"distance": 0.5}, [np.arctan2(y, x), np.hypot(x, y), z]),
    }
    for chain, near, values in expected.values():
        names = list(chain)[: len(values)]
        task = FeatureTask("tip", chain, dict.fromkeys(names, 0.1), near=near)
        found = task.coordinates(ARM, q, task.parameters)
        np.testing.assert_allclose(found[: len(values)], values, atol=1e-9)


@pytest.mark.parametrize("seen_from", ["world", "link3"])
def test_jacobian_and_bias_by_differences(seen_from: str) -> None:
    seen_from = ARM.bodies[2].name if seen_from == "link3" else seen_from
    v = 0.4 * np.random.default_rng(2).normal(size=7)
    task = FeatureTask(
        "tip",
        POST,
        {"angle": 0.1, "distance": 0.4, "tilt": 0.2},
        relative_to=seen_from,
        near={"distance": 0.4},
    )
    stack, step = TaskStack(ARM, [task]), 1e-6
    seen = [stack.kernel(READY + sign * step * v, stack.parameters) for sign in (-1.0, 0.0, 1.0)]
    np.testing.assert_allclose(seen[1][1] @ v, (seen[0][0] - seen[2][0]) / (2 * step), atol=1e-7)
    bias = stack.motion_kernel(READY, v, stack.parameters)[3]
    np.testing.assert_allclose(bias, (seen[2][1] - seen[0][1]) @ v / (2 * step), atol=1e-6)


def test_round_a_post() -> None:
    """On velocity level the tip goes round at its distance; on position level it comes to an angle; hybrid too."""
    tip = footfall.frame_pose(ARM, READY, "tip").translation
    around = {"angle": 0.0, "distance": float(np.hypot(*tip[:2])), "height": float(tip[2])}
    near = {"distance": around["distance"]}
    turning = FeatureTask("tip", POST, around, near=near, rate=np.array([0.5, 0.0, 0.0]), gains=0.0)
    v = ResolvedRate(ARM, [turning])(READY)
    moved = footfall.frame_velocity(ARM, READY, v, "tip")[:3]
    np.testing.assert_allclose(moved, np.cross([0.0, 0.0, 0.5], tip), atol=1e-6)
    found = solve_ik(ARM, READY, [FeatureTask("tip", POST, {**around, "angle": 0.4}, near=near)])
    assert found.reached
    place = footfall.frame_pose(ARM, found.q, "tip").translation
    assert np.arctan2(place[1], place[0]) == pytest.approx(0.4, abs=1e-6)
    assert np.hypot(*place[:2]) == pytest.approx(around["distance"], abs=1e-6)
    driven = footfall.hybrid.solve_tasks(ARM, READY, np.zeros(7), np.zeros(7), [turning])
    stack = TaskStack(ARM, [turning])
    jacobian = stack.kernel(READY, stack.parameters)[1]
    np.testing.assert_allclose(jacobian @ driven.motion.accelerations, np.zeros(3), atol=1e-6)


def test_bad_input() -> None:
    with pytest.raises(InvalidInput, match="it must have six names"):
        FeatureTask("tip", {"x": "x"}, {"x": 0.0})
    with pytest.raises(InvalidInput, match=r"targets has \['far'\]; the chain has angle"):
        FeatureTask("tip", POST, {"far": 0.0})
    with pytest.raises(InvalidInput, match="there are no targets"):
        FeatureTask("tip", POST, {})
