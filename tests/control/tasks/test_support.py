"""Standing robots: ranks of contacts (RSL 2022, (2.269)-(2.272)), feet that stay, bases that move.

RSL 2022, (2.273)-(2.276).
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import footfall
from footfall.control.contact_constraints import contact_jacobian, contact_ranks
from footfall.control.inverse_kinematics.velocity import build_ik, follow, solve_velocity
from footfall.control.tasks.points import FramePoint
from footfall.control.tasks.poses import PoseTask, support_tasks
from footfall.control.tasks.positions import frame_position
from footfall.control.tasks.task import MotionTask
from footfall.errors import InvalidInput
from footfall.math.transform import Transform
from footfall.robot.model import Robot


@cache
def quadruped() -> Robot:
    return footfall.load("point-foot-quadruped")


def feet() -> list[str]:
    return [frame.name for frame in quadruped().frames][:4]


def bent() -> np.ndarray:
    """Legs apart and bent, no two in line."""
    q = footfall.neutral(quadruped())
    q[2] = 0.5
    q[7:] = np.tile([0.1, 0.7, -1.3], 4) + 0.05 * np.sin(np.arange(12))
    return q


@pytest.mark.parametrize(
    ("count", "expected"), [(1, (3, 3, 0)), (2, (6, 5, 1)), (3, (9, 6, 3)), (4, (12, 6, 6))]
)
def test_ranks_of_point_feet(count: int, expected: tuple[int, int, int]) -> None:
    assert contact_ranks(quadruped(), bent(), feet()[:count]) == expected


@pytest.mark.parametrize(("count", "expected"), [(2, (5, 5, 0)), (3, (6, 6, 0))])
def test_ranks_of_one_foot(count: int, expected: tuple[int, int, int]) -> None:
    lola = footfall.load("lola")
    points = [FramePoint("RF", offset) for offset in ((0.0, 0.0, 0.0), (0.05, 0.0, 0.0), (0.0, 0.04, 0.0))]
    assert contact_ranks(lola, lola.configuration("idle"), points[:count]) == expected


def base_name() -> str:
    return quadruped().bodies[0].name


def test_feet_do_not_move_and_the_base_does() -> None:
    q = bent()
    contacts = support_tasks(quadruped(), q, feet())
    move = frame_position(base_name(), np.zeros(3), gains=0.0, rate=np.array([0.1, 0.05, -0.1]))
    problem = build_ik(quadruped(), q, [*contacts, move])
    u = solve_velocity(problem)
    np.testing.assert_allclose(contact_jacobian(quadruped(), q, feet()) @ u, 0.0, atol=1e-12)
    np.testing.assert_allclose(u[:3], move.rate, atol=1e-12)


def test_no_joint_turns_the_base_about_the_line_of_two_feet() -> None:
    """The motion is not against the contacts, but nothing drives it; across the line the legs do."""
    q = bent()
    pair = [feet()[0], feet()[-1]]
    places = [footfall.frame_pose(quadruped(), q, foot).translation for foot in pair]
    arm = q[:3] - places[0]
    line = (places[1] - places[0]) / np.linalg.norm(places[1] - places[0])
    contacts = support_tasks(quadruped(), q, pair)
    for direction, driven in ((line, False), (np.cross(line, [0.0, 0.0, 1.0]), True)):
        rate = np.concatenate([np.cross(direction, arm), direction])
        turn = PoseTask(base_name(), footfall.frame_pose(quadruped(), q, base_name()), rate=rate, priority=1)
        problem = build_ik(quadruped(), q, [*contacts, turn])
        u = solve_velocity(problem)
        np.testing.assert_allclose(contact_jacobian(quadruped(), q, pair) @ u, 0.0, atol=1e-12)
        assert problem.residuals(u)[turn.label] < 1e-9
        assert (np.abs(u[6:]).max() > 0.1) == driven
    assert contact_ranks(quadruped(), q, pair).base == 5


def test_feet_drift_little_in_a_squat() -> None:
    """RSL 2022: below 1e-6 m with feedback."""
    q = bent()
    contacts = support_tasks(quadruped(), q, feet(), gains=100.0)
    start = footfall.frame_pose(quadruped(), q, base_name())

    def tasks(time: float) -> list[MotionTask]:
        depth = 0.05 * (1 - np.cos(2 * np.pi * time))
        rate = np.array([0.0, 0.0, -0.1 * np.pi * np.sin(2 * np.pi * time), 0.0, 0.0, 0.0])
        goal = Transform(start.rotation, start.translation - np.array([0.0, 0.0, depth]))
        return [*contacts, PoseTask(base_name(), goal, gains=20.0, rate=rate)]

    path = follow(quadruped(), q, tasks, dt=5e-3, steps=200, integrator="adams")
    lowest = min(path[:, 2])
    assert q[2] - lowest == pytest.approx(0.1, abs=1e-3)
    for foot in feet():
        before = footfall.frame_pose(quadruped(), q, foot).translation
        places = footfall.frame_pose(quadruped(), path, foot).translation
        assert np.abs(places - before).max() < 1e-6


def test_flat_feet_keep_their_pose() -> None:
    lola = footfall.load("lola")
    q = lola.configuration("idle")
    contacts = support_tasks(lola, q, ["RF", "LF"], flat=True)
    assert sum(task.size(lola) for task in contacts) == 12
    shift = frame_position("UB", np.zeros(3), gains=0.0, rate=np.array([0.0, 0.1, -0.05]))
    u = solve_velocity(build_ik(lola, q, [*contacts, shift]))
    for foot in ("RF", "LF"):
        np.testing.assert_allclose(footfall.frame_velocity(lola, q, u, foot), 0.0, atol=1e-12)
    np.testing.assert_allclose(footfall.frame_velocity(lola, q, u, "UB")[:3], shift.rate, atol=1e-12)


def test_bad_input() -> None:
    lola = footfall.load("lola")
    with pytest.raises(InvalidInput, match="no contact"):
        support_tasks(lola, lola.configuration("idle"), [])
    with pytest.raises(InvalidInput, match="flat contact is"):
        support_tasks(lola, lola.configuration("idle"), [FramePoint("RF")], flat=True)
    assert contact_ranks(footfall.load("arm-6r"), np.full(6, 0.5), ["tip"]) == (3, 0, 3)  # nothing but joints
