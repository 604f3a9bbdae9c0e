"""What contacts would have to do: against cones, and against the linear program of contact forces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.control.constrained_dynamics import solve_constrained_dynamics, solve_stance_torques
from footfall.control.contact_constraints import SURFACE, Contact, contact_loads, failures_of
from footfall.control.wrench_cone import in_rectangular_cone
from footfall.errors import InvalidInput
from tests.control.stances import CORNERS, consistent_motion, feet, quadruped, table


def test_points() -> None:
    robot, q = quadruped()
    contacts = [
        Contact("LF", friction=0.5),
        Contact("RF", normal=(0.0, 1.0, 0.0), friction=0.5),
        Contact("LB"),
    ]
    forces = np.array([3.0, 4.0, 20.0, 0.0, 10.0, 8.0, 0.0, 0.0, -5.0])
    first, second, third = contact_loads(robot, q, contacts, forces)
    assert (first.normal, first.sideways, first.friction) == pytest.approx((20.0, 5.0, 0.25))
    assert first.holds
    assert second.slips
    assert second.friction == pytest.approx(0.8)
    assert third.pulls
    assert third.friction == np.inf
    assert failures_of((first, second, third)) == "RF would slip, LB would have to pull"
    (bare,) = contact_loads(robot, q, [Contact("LF", rows=(2,))], np.array([-5.0]))
    assert bare.holds  # a mere constraint may pull
    (idle,) = contact_loads(robot, q, [Contact("LF")], np.zeros(3))
    assert idle.holds


def test_soles_agree_with_the_rectangular_cone() -> None:
    """Random wrenches in the axes of a turned sole: it holds exactly where the cone of the sole and friction say so."""
    robot = footfall.load("lola")
    q = robot.configuration("idle")
    q[7:] += 0.1
    sole = Contact("RF", rows=SURFACE, friction=0.6, half_size=(0.1, 0.05))
    rotation = footfall.frame_pose(robot, q, "RF").rotation
    along = rotation[:, 0] - rotation[2, 0] * np.array([0.0, 0.0, 1.0])
    along /= np.linalg.norm(along)
    axes = np.array([along, np.cross([0.0, 0.0, 1.0], along), [0.0, 0.0, 1.0]])
    rng, verdicts = np.random.default_rng(0), []
    for _ in range(200):
        local = rng.normal(size=6) * np.array([30.0, 30.0, 60.0, 4.0, 8.0, 4.0]) + np.array(
            [0, 0, 100.0, 0, 0, 0]
        )
        wrench = np.concatenate([axes.T @ local[:3], axes.T @ local[3:]])
        (load,) = contact_loads(robot, q, [sole], wrench)
        cone = in_rectangular_cone(local, 0.6, 0.1, 0.05)
        round_cone = np.hypot(*local[:2]) <= 0.6 * local[2]
        assert load.holds == (cone and round_cone) or (cone and not round_cone and load.slips)
        verdicts.append(load.holds)
    assert 20 < sum(verdicts) < 180


def test_calculations_bring_their_loads() -> None:
    """A stance that is asked for more than friction gives says which feet slip; a gentle one holds."""
    robot, q = quadruped()
    rough = tuple(replace(foot, friction=1.5) for foot in feet())
    _, moved = consistent_motion(robot, q, feet())
    for share, holds in ((0.0, True), (3.0, False)):
        stance = solve_stance_torques(robot, q, np.zeros(18), share * moved, contacts=rough)
        forces = stance.forces.reshape(4, 3)
        needed = np.linalg.norm(forces[:, :2], axis=1) / forces[:, 2]
        assert all(load.holds for load in stance.loads) is holds
        assert bool(needed.max() < 1.5 and forces[:, 2].min() > 0.0) is holds
    still = table()
    corners = [Contact(name) for name in CORNERS]
    motion = solve_constrained_dynamics(
        still, footfall.neutral(still), np.zeros(6), np.zeros(6), contacts=corners
    )
    assert [load.normal for load in motion.loads] == pytest.approx([196.2 / 4] * 4)
    assert all(load.holds for load in motion.loads)
    lifted = np.array([0.0, 0.0, 250.0, 0.0, 0.0, 0.0])
    motion = solve_constrained_dynamics(still, footfall.neutral(still), np.zeros(6), lifted, contacts=corners)
    assert all(load.pulls for load in motion.loads)


def test_bad_input() -> None:
    robot, q = quadruped()
    with pytest.raises(InvalidInput, match=r"forces has shape \(2,\); it must be \(3,\)"):
        contact_loads(robot, q, [Contact("LF")], np.zeros(2))
