"""Limits that keep volumes apart, in velocity, position and whole-body control, together with joint limits."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.control import WholeBodyControl, WholeBodyLimits
from footfall.errors import InvalidInput
from footfall.geometry.swept_sphere import SweptVolume, swept_point, swept_triangle
from footfall.ik import BoundedRate, CollisionLimits, Limits, build_ik, solve_ik, solve_velocity
from footfall.math.transform import Transform
from footfall.tasks import PoseTask, frame_position, posture
from footfall.volumes import Obstacle, volume_distances
from tests.control.inverse_kinematics.test_repulsion import planar_arm

LOLA = footfall.load("lola")
IDLE = LOLA.configuration("idle")
ARMS = tuple(pair for pair in LOLA.volume_pairs if "arm" in pair[0])
# The hand in front of the belly, reached by a forearm that would pass through the torso.
INSIDE = np.array([-0.12, -0.02, 1.15])


def reach(target: Array) -> list[PoseTask]:
    trunk = PoseTask("UB", footfall.frame_pose(LOLA, IDLE, "UB"), gains=10.0, weight=100.0)
    return [trunk, frame_position("RH", target, gains=5.0)]


def run(step: BoundedRate, target: Array, steps: int = 120, dt: float = 0.01) -> tuple[Array, float]:
    q, least = IDLE.copy(), np.inf
    for _ in range(steps):
        q = footfall.integrate(LOLA, q, dt * step(q, reach(target)))
        least = min(least, volume_distances(LOLA, q, pairs=ARMS).distance.min())
    return q, least


def test_velocity_level_stops_at_the_clearance() -> None:
    """The hand is drawn into the torso: without limits it gets there, with them the clearance is kept but for the
    curvature of a step (0.3 of the way to it, a tenth of a millimetre)."""
    free = BoundedRate(LOLA, reach(INSIDE), dt=0.01, damping=0.01)
    q, least = run(free, INSIDE)
    assert least < -0.02
    assert np.linalg.norm(footfall.frame_pose(LOLA, q, "RH").translation - INSIDE) < 5e-3
    kept = BoundedRate(
        LOLA, reach(INSIDE), dt=0.01, damping=0.01, collisions=CollisionLimits(pairs=ARMS, clearance=0.01)
    )
    q, least = run(kept, INSIDE)
    assert least > 0.01 - 1e-3
    assert not kept.solve(q).violated
    assert kept.solve(q).distances
    lower, upper = LOLA.limits(None)
    assert (q >= lower - 1e-9).all()
    assert (q <= upper + 1e-9).all()


def test_what_cannot_be_kept_is_told() -> None:
    """A ball on a rod between two walls cannot get away from both: the solution says so; from one of them it can."""
    robot = planar_arm()
    wall = swept_triangle((0, -9, -9), (0, 9, -9), (0, 0, 9), 0.0)
    walls = [
        Obstacle(name, SweptVolume((wall,)), Transform(np.eye(3), np.array([x, 0.0, 0.0])))
        for name, x in (("left", -0.03), ("right", 0.03))
    ]
    q = np.zeros(3)  # upright between the walls, 1 cm from both
    place = footfall.frame_pose(robot, q, "tip").translation
    missed = []
    for chosen in (walls, walls[:1]):
        collisions = CollisionLimits(pairs=(), obstacles=tuple(chosen), clearance=0.02, recovery=0.3)
        step = BoundedRate(robot, [frame_position("tip", place)], dt=0.01, collisions=collisions)
        missed.append(step.solve(q).violated)
    assert 0.1 < max(missed[0].values()) < 0.5
    assert set(missed[1]) <= {(robot.volumes[0].name, "left")}  # its foot stands still


def test_obstacles_move_as_numbers() -> None:
    ball = Obstacle("ball", swept_point((0, 0, 0), 0.05))
    hand = footfall.frame_pose(LOLA, IDLE, "RH").translation
    collisions = CollisionLimits(pairs=(), obstacles=(ball,), clearance=0.01, reach=0.2)
    step = BoundedRate(LOLA, reach(hand), dt=0.01, damping=0.01, collisions=collisions)
    resting = step(IDLE, placements={"ball": Transform(np.eye(3), hand + np.array([1.0, 0, 0]))})
    pushed = step(IDLE, placements={"ball": Transform(np.eye(3), hand + np.array([0.03, 0, 0]))})
    assert np.abs(resting).max() < 1e-6
    away = footfall.frame_jacobian(LOLA, IDLE, "RH")[:3] @ pushed
    assert away[0] < -0.05


def test_distances_come_before_all_priorities() -> None:
    """`build_ik` puts them first; the posture gives way to the hand, and both to the distances."""
    collisions = CollisionLimits(pairs=ARMS, clearance=0.01)
    q, _ = run(BoundedRate(LOLA, reach(INSIDE), dt=0.01, damping=0.01, collisions=collisions), INSIDE)
    tasks = [*reach(INSIDE), posture(LOLA, IDLE, priority=1, gains=5.0)]
    problem = build_ik(LOLA, q, tasks, dt=0.01, limits=Limits(), collisions=collisions)
    v = solve_velocity(problem, method="qp")
    rows = collisions.rows(LOLA, q)
    assert (rows.jacobian @ v >= collisions.least_rates(rows.distance, 0.01) - 1e-6).all()
    without = solve_velocity(build_ik(LOLA, q, tasks, dt=0.01, limits=Limits()), method="qp")
    assert (rows.jacobian @ without < collisions.least_rates(rows.distance, 0.01) - 1e-3).any()


def test_position_level_finds_a_free_pose() -> None:
    """Targets of poses that are free: all are met, none with volumes closer than the clearance."""
    rng = np.random.default_rng(0)
    joints = [LOLA.q_slice(name) for name in ("afr", "aar", "arr", "efr")]
    lower, upper = np.maximum(LOLA.lower_limits, -1.6), np.minimum(LOLA.upper_limits, 1.6)
    collisions = CollisionLimits(pairs=ARMS, clearance=0.01)
    met = tried = 0
    while tried < 12:
        pose = IDLE.copy()
        for place in joints:
            pose[place] = rng.uniform(lower[place], upper[place])
        gap = volume_distances(LOLA, pose, pairs=ARMS).distance
        if not gap.min() > 0.012 or gap[: len(ARMS) // 2].min() > 0.04:
            continue
        tried += 1
        target = footfall.frame_pose(LOLA, pose, "RH").translation
        tasks = [PoseTask("UB", footfall.frame_pose(LOLA, IDLE, "UB")), frame_position("RH", target)]
        found = solve_ik(LOLA, IDLE, tasks, collisions=collisions, restarts=5)
        met += found.reached
        if found.reached:
            assert volume_distances(LOLA, found.q, pairs=ARMS).distance.min() >= 0.01 - 2e-6
            np.testing.assert_allclose(
                footfall.frame_pose(LOLA, found.q, "RH").translation, target, atol=1e-7
            )
    assert met == tried
    blocked = solve_ik(LOLA, IDLE, [tasks[0], frame_position("RH", INSIDE)], collisions=collisions)
    assert not blocked.reached
    assert blocked.closest is not None
    assert blocked.closest[1] == pytest.approx(0.01, abs=1e-5)
    with pytest.raises(InvalidInput, match="default method"):
        solve_ik(LOLA, IDLE, tasks, collisions=collisions, method="newton")


def test_whole_body_control_keeps_off() -> None:
    """A planar arm is drawn through a post: with limits it stops before; without it goes through."""
    robot = planar_arm()
    start = np.array([0.9, -0.5, 0.2])
    goal = posture(robot, np.array([-0.6, -0.5, 0.2]), gains=3.0)
    least = {}
    for name, collisions in (("free", None), ("kept", CollisionLimits(clearance=0.02, reach=0.3))):
        limits = WholeBodyLimits(torque=False, joints=False, collisions=collisions)
        control = WholeBodyControl(robot, (), (goal,), limits=limits)
        q, v, course = start.copy(), np.zeros(3), []
        for k in range(400):
            v = v + 0.005 * control.solve(0.005 * k, q, v).acceleration
            q = footfall.integrate(robot, q, 0.005 * v)
            course.append(volume_distances(robot, q).distance.min())
        least[name] = min(course)
    assert least["free"] < -0.03
    assert least["kept"] > 0.012


def test_bad_input_is_named() -> None:
    for wrong in ({"clearance": 0.2}, {"clearance": -0.1}, {"reach": np.inf}):
        with pytest.raises(InvalidInput, match="clearance is"):
            CollisionLimits(**wrong)
    for wrong in ({"approach": 0.0}, {"approach": 1.5}, {"recovery": 0.0}):
        with pytest.raises(InvalidInput, match="approach is"):
            CollisionLimits(**wrong)
    with pytest.raises(InvalidInput, match="must be an Obstacle"):
        CollisionLimits(obstacles=(1,))  # type: ignore[arg-type]
