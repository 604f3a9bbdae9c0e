"""Orientations by parameters: Jacobians, the study of RSL 2022, (2.255) through `solve_ik`, angles modulo a turn."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.errors import InvalidInput
from footfall.ik import NO_LIMITS, solve_ik, solve_ik_textbook
from footfall.math import parameters_from_matrix
from footfall.tasks import PostureTask, RotationParametersTask, TaskStack

# RSL 2022, (2.255): steps of a thousandth of the error, until it is below 0.01
STUDY = {
    "zyx": (5657, 2.8653),
    "xyz": (5867, 3.5363),
    "rotation_vector": (5804, 3.3206),
}


@pytest.mark.parametrize("kind", STUDY)
def test_study_of_section_8_4(kind: str) -> None:
    wrist = footfall.load("wrist")
    frame = wrist.frame_names[0]
    goal = footfall.frame_pose(wrist, np.array([0.7, 1.5, -0.5]), frame).rotation
    task = RotationParametersTask(frame, kind, parameters_from_matrix(kind, goal))
    found = solve_ik_textbook(
        wrist,
        np.array([-0.7, 0.0, 1.5]),
        [task],
        method="newton",
        gain=0.001,
        limits=NO_LIMITS,
        tolerance=1e-3,
        iterations=10_000,
    )
    count, first = STUDY[kind]
    assert found.reached
    steps = next(k for k, norm in enumerate(found.history) if norm < 0.01)
    assert abs(steps - count) <= 1
    assert found.history[0] == pytest.approx(first, abs=1e-4)


@pytest.mark.parametrize("kind", ["zyx", "zxz", "rotation_vector", "quaternion"])
def test_jacobian_and_bias_by_differences(kind: str) -> None:
    arm = footfall.load("arm-7r")
    rng = np.random.default_rng(1)
    q, v = arm.configuration("ready"), 0.3 * rng.normal(size=7)
    wanted = parameters_from_matrix(
        kind, footfall.frame_pose(arm, q + 0.1 * rng.normal(size=7), "tip").rotation
    )
    task = RotationParametersTask("tip", kind, wanted)
    stack = TaskStack(arm, [task])
    step = 1e-6
    rates = []
    for at in (q, q + step * v, q - step * v):
        error, jacobian = stack.kernel(at, stack.parameters)
        rates.append((error, jacobian @ v))
    np.testing.assert_allclose(rates[0][1], (rates[2][0] - rates[1][0]) / (2 * step), atol=1e-8)
    bias = stack.motion_kernel(q, v, stack.parameters)[3]
    np.testing.assert_allclose(bias, (rates[1][1] - rates[2][1]) / (2 * step), atol=1e-7)


def test_angles_count_modulo_a_turn_and_quaternions_up_to_their_sign() -> None:
    arm = footfall.load("arm-7r")
    q = arm.configuration("ready")
    turn = footfall.frame_pose(arm, q, "tip").rotation
    for kind, target in (
        ("zyx", parameters_from_matrix("zyx", turn) + np.array([2 * np.pi, 0.0, -2 * np.pi])),
        ("quaternion", -parameters_from_matrix("quaternion", turn)),
    ):
        found = solve_ik(arm, q, [RotationParametersTask("tip", kind, target)])
        assert found.reached
        assert found.iterations == 0


def test_a_roll_that_stays_zero() -> None:
    """In hybrid and whole-body control too: one task language."""
    arm = footfall.load("arm-7r")
    q = arm.configuration("ready")
    target = parameters_from_matrix("zyx", footfall.frame_pose(arm, q, "tip").rotation) + np.array(
        [0.1, 0.05, 0.0]
    )
    tasks = [RotationParametersTask("tip", "zyx", target), PostureTask(q, priority=1)]
    solution = footfall.hybrid.solve_tasks(arm, q, np.zeros(7), np.zeros(7), tasks)
    whole = footfall.control.WholeBodyControl(arm, (), tasks).solve(0.0, q, np.zeros(7))  # type: ignore[arg-type]
    jacobian = footfall.dynamics.analytic_jacobian(arm, q, "tip", rotation="zyx")[3:]
    for a in (solution.motion.accelerations, whole.acceleration):
        np.testing.assert_allclose(jacobian @ a, [0.1 * 157.91367, 0.05 * 157.91367, 0.0], atol=1e-5)


def test_bad_input() -> None:
    with pytest.raises(InvalidInput, match=r"target has shape \(4,\); it must be \(3,\)"):
        RotationParametersTask("tip", "zyx", np.zeros(4))
    with pytest.raises(InvalidInput, match=r"has the norm 2\.0; it must be 1"):
        RotationParametersTask("tip", "quaternion", np.array([2.0, 0.0, 0.0, 0.0]))
    with pytest.raises(InvalidInput, match="whose rates are independent"):
        RotationParametersTask("tip", "angle_axis", np.zeros(4))
