"""Following references: decay, stability, order of integrators, rotations, accelerations.

Schwienbacher 2014, chapter 4.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import footfall
from footfall.compiler import build_kernel
from footfall.control.inverse_kinematics.velocity import (
    JointState,
    build_acceleration,
    follow,
    solve_acceleration,
    trapezoid_step,
)
from footfall.control.tasks.orientations import OrientationTask
from footfall.control.tasks.positions import frame_position
from footfall.control.tasks.task import MotionTask
from footfall.errors import InvalidInput, UnknownName
from footfall.math.angular_velocity import angular_velocity_map, rotation_rate_map
from footfall.math.rotation_curves import geodesic_angle
from footfall.math.rotations import (
    boxminus,
    matrix_from_euler,
    matrix_from_rotation_vector,
    parameters_from_matrix,
)
from footfall.robot.model import Robot


@cache
def robot(name: str) -> Robot:
    return footfall.load(name)


START = np.array([0.3, 0.9, 0.7])


def tip(q: np.ndarray) -> np.ndarray:
    arm = robot("planar-arm")
    return np.asarray(footfall.frame_pose(arm, q, arm.frame_names[0]).translation)


def circle(gain: float, offset: float = 0.0):
    """Half a metre a second on a circle through the start; offset: how far the reference is from the start, m."""
    center = tip(START) - np.array([0.25, 0.0, 0.0])

    def tasks(time: float) -> list[MotionTask]:
        c, s = 0.25 * np.cos(2 * time), 0.25 * np.sin(2 * time)
        target = center + np.array([c + offset, 0.0, s])
        rate = 2 * np.array([-s, c])
        return [frame_position(robot("planar-arm").frame_names[0], target, rows="xz", rate=rate, gains=gain)]

    return tasks


def distance_to(tasks, q: np.ndarray, time: float) -> float:
    return float(np.linalg.norm(tasks(time)[0].target[[0, 2]] - tip(q)[[0, 2]]))


def test_errors_decay_exponentially() -> None:
    tasks = circle(gain=3.0, offset=0.02)
    path = follow(robot("planar-arm"), START, tasks, dt=2e-3, steps=500)
    assert distance_to(tasks, path[-1], 1.0) == pytest.approx(0.02 * np.exp(-3.0), rel=0.25)
    without = circle(gain=0.0)
    drift = follow(robot("planar-arm"), START, without, dt=2e-3, steps=500)
    assert distance_to(without, drift[-1], 1.0) > 2e-4  # of the order of the step
    held = circle(gain=50.0)
    kept = follow(robot("planar-arm"), START, held, dt=2e-3, steps=500)
    assert distance_to(held, kept[-1], 1.0) < 5e-5


@pytest.mark.parametrize(("product", "stable"), [(1.9, True), (2.1, False)])
def test_stability_border(product: float, stable: bool) -> None:
    """RSL 2022, (2.256)-(2.258): a step multiplies the error by 1 - k dt."""
    arm = robot("planar-arm")
    task = frame_position(
        arm.frame_names[0], tip(START) + np.array([1e-4, 0.0, 0.0]), rows="xz", gains=product / 0.01
    )
    path = follow(arm, START, lambda time: [task], dt=0.01, steps=40)
    error = np.linalg.norm(tip(path[-1]) - task.target)
    assert (error < 1e-4) == stable
    assert error == pytest.approx(1e-4 * abs(1 - product) ** 40, rel=0.1)


@pytest.mark.parametrize(("integrator", "order"), [("euler", 1), ("adams", 4), ("runge_kutta", 4)])
def test_order_of_integrators(integrator: str, order: int) -> None:
    tasks = circle(gain=0.0)
    errors = []
    for steps in (25, 50):
        path = follow(robot("planar-arm"), START, tasks, dt=1.0 / steps, steps=steps, integrator=integrator)
        errors.append(distance_to(tasks, path[-1], 1.0))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.6)


def test_orientation_follows_a_turning_reference() -> None:
    """C*(t) = C0 rotMat(t w), with an error at the start that decays."""
    wrist = robot("wrist")
    frame = wrist.frame_names[0]
    start = footfall.frame_pose(wrist, np.array([0.1, 0.2, -0.3]), frame).rotation
    w = np.array([0.3, 0.1, -0.2])

    def tasks(time: float) -> list[MotionTask]:
        target = matrix_from_rotation_vector(time * w) @ start
        return [OrientationTask(frame, target, rate=w, gains=4.0)]

    path = follow(wrist, np.array([0.15, 0.1, -0.3]), tasks, dt=5e-3, steps=200)
    before, after = (
        geodesic_angle(footfall.frame_pose(wrist, q, frame).rotation, tasks(time)[0].target)  # type: ignore[attr-defined]
        for q, time in ((path[0], 0.0), (path[-1], 1.0))
    )
    assert after == pytest.approx(before * np.exp(-4.0), rel=0.05)


TABLE = {  # RSL 2022, (2.255): iterations, final q, length of the path, first error
    "zyx": (5657, (0.6951, 1.4948, -0.4930), 3.3950, 2.8653),
    "xyz": (5867, (0.7335, 1.4922, -0.4691), 3.7121, 3.5363),
    "rotation_vector": (5804, (0.7076, 1.4924, -0.4862), 3.2793, 3.3206),
    "error": (5705, (0.6710, 1.5068, 5.7472), 2.9972, 3.0072),
}


def parameter_study(kind: str, gain: float) -> tuple[int, np.ndarray, float, float]:
    """Example 2.9.7: iterations, final q, length of the path on the rotations, and the first error.

    The wrist's Jacobian is the map from zyx rates to angular velocity, so both maps make the step.
    """
    goal = matrix_from_euler("zyx", np.array([0.7, 1.5, -0.5]))

    def iteration(q: np.ndarray) -> dict[str, np.ndarray]:
        now = matrix_from_euler("zyx", q)
        if kind == "error":
            error = boxminus(goal, now)
            turning = error
        else:
            parameters = parameters_from_matrix(kind, now)
            error = parameters_from_matrix(kind, goal) - parameters
            turning = angular_velocity_map(kind, parameters) @ error
        after = q + gain * rotation_rate_map("zyx", q) @ turning
        way = geodesic_angle(now, matrix_from_euler("zyx", after))
        return {"q": after, "figures": np.array([np.sqrt(error @ error), way])}

    kernel = build_kernel(iteration, {"q": 3})
    path, figures = kernel.rollout(np.array([-0.7, 0.0, 1.5]), steps=10000)
    norms = figures[0, :, 0]
    count = int(np.argmax(norms < 0.01)) + 1
    return count, path[0, count - 1], float(figures[0, :count, 1].sum()), float(norms[0])


@pytest.mark.parametrize("kind", TABLE)
def test_parameterisations_of_section_8_4(kind: str) -> None:
    count, q, length, first = parameter_study(kind, 0.001)
    expected = TABLE[kind]
    assert abs(count - expected[0]) <= 1
    np.testing.assert_allclose(q, expected[1], atol=2e-3)
    assert length == pytest.approx(expected[2], abs=1e-3)
    assert first == pytest.approx(expected[3], abs=1e-4)


def test_acceleration_level_converges_and_keeps_to_the_path() -> None:
    arm = robot("planar-arm")
    frame = arm.frame_names[0]
    center = tip(START) - np.array([0.25, 0.0, 0.0])
    dt, state = 2e-3, JointState(START + np.array([0.01, -0.02, 0.0]), np.zeros(3))
    for step in range(2000):
        time = step * dt
        c, s = 0.25 * np.cos(2 * time), 0.25 * np.sin(2 * time)
        rate = 2 * np.array([-s, c])
        target = center + np.array([c, 0.0, s])
        feed = -4 * np.array([c, s])
        task = frame_position(frame, target, rows="xz", rate=rate, acceleration=feed, gains=10.0)
        a = solve_acceleration(build_acceleration(arm, state.q, state.v, [task]), preferred=-state.v)
        state = trapezoid_step(arm, state, a, dt)
    assert np.linalg.norm(tip(state.q) - target) < 5e-3
    achieved = footfall.frame_acceleration(arm, state.q, state.v, a, frame)[[0, 2]]
    assert np.abs(achieved).max() < 2.0


def test_commanded_acceleration_is_achieved() -> None:
    """RSL 2022: with no gain the task accelerates as commanded, whatever the velocity."""
    arm = robot("arm-7r")
    rng = np.random.default_rng(0)
    q, v = footfall.random_configuration(arm, seed=1), rng.normal(size=7)
    feed = rng.normal(size=3)
    task = frame_position("tip", np.zeros(3), gains=0.0, acceleration=feed)
    a = solve_acceleration(build_acceleration(arm, q, v, [task]))
    np.testing.assert_allclose(footfall.frame_acceleration(arm, q, v, a, "tip")[:3], feed, atol=1e-11)
    with pytest.raises(InvalidInput, match="acceleration has 2 rows; it must have 3"):
        build_acceleration(arm, q, v, [replace(task, acceleration=np.zeros(2))])


def test_bad_input() -> None:
    with pytest.raises(UnknownName, match="no integrator 'leapfrog'"):
        follow(robot("planar-arm"), START, circle(1.0), dt=0.1, steps=1, integrator="leapfrog")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="dt is -1"):
        follow(robot("planar-arm"), START, circle(1.0), dt=-1.0, steps=1)
