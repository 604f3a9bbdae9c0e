"""Contacts that hold: numbers of 002 sections 9.3 and 11.3-11.4, and the KKT system as an independent solution."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.control.constrained_dynamics import (
    constraint_projector,
    contact_inertia,
    solve_constrained_dynamics,
)
from footfall.control.contact_constraints import SURFACE, Contact, build_constrained_system, contact_ranks
from footfall.errors import InvalidContact, InvalidRequest, UnknownName
from tests.control.stances import TIP, consistent_motion, feet, planar_arm, quadruped


def test_pinned_arm() -> None:
    """002 section 11.3, case A without torques; the spec's forces act on the environment."""
    robot, q, v = planar_arm()
    motion = solve_constrained_dynamics(robot, q, v, np.zeros(3), contacts=[TIP])
    assert np.abs(-motion.forces - [5.64436170, -14.67362323]).max() < 5e-9
    assert np.abs(motion.acceleration - [0.01732051, 0.01154701, -0.05196152]).max() < 5e-9
    assert motion.residual < 1e-13


def test_projector_of_the_pinned_arm() -> None:
    """002 section 11.4."""
    robot, q, v = planar_arm()
    system = build_constrained_system(robot, q, v, contacts=[TIP])
    projector = constraint_projector(system)
    assert np.abs(9 * projector - [[5, -3, -1], [-10, 6, 2], [10, -6, -2]]).max() < 1e-12
    assert np.abs(projector @ projector - projector).max() < 1e-12
    assert np.abs(system.jacobian @ projector).max() < 1e-12
    assert np.abs(projector @ np.linalg.solve(system.mass, system.jacobian.T)).max() < 1e-12
    assert np.abs(system.mass @ projector - (system.mass @ projector).T).max() < 1e-12
    assert np.abs(projector - projector.T).max() > 0.1


@pytest.mark.parametrize("names", [("RB",), ("RB", "LF"), ("RB", "LB", "LF"), ()])
def test_same_as_the_saddle_point_system(names: tuple[str, ...]) -> None:
    """`[[M, -J^T], [J, 0]] [a; f] = [tau - h; -bias]` solved at once."""
    robot, q = quadruped()
    contacts = feet(*names)
    v, _ = consistent_motion(robot, q, contacts)
    tau = np.concatenate([np.zeros(6), np.random.default_rng(3).normal(size=12)])
    motion = solve_constrained_dynamics(robot, q, v, tau, contacts=contacts)
    system = build_constrained_system(robot, q, v, contacts=contacts)
    rows = len(system.jacobian)
    saddle = np.block([[system.mass, -system.jacobian.T], [system.jacobian, np.zeros((rows, rows))]])
    solution = np.linalg.solve(saddle, np.concatenate([tau - system.forces, -system.jacobian_bias]))
    assert np.abs(motion.acceleration - solution[: robot.nv]).max() < 1e-9 * np.abs(solution).max()
    assert np.abs(motion.forces - solution[robot.nv :]).max() < 1e-9 * np.abs(solution).max()
    # 002 (3.65): the projected equation of motion, without forces
    projector = constraint_projector(system)
    left = projector.T @ (system.mass @ motion.acceleration + system.forces - tau)
    assert np.abs(left).max() < 1e-9 * np.abs(system.forces).max()


def test_forces_enter_the_dynamics_as_wrenches() -> None:
    """Forward dynamics with the contact forces as external ones gives the same accelerations."""
    robot, q = quadruped()
    v, _ = consistent_motion(robot, q, feet())
    tau = np.concatenate([np.zeros(6), np.random.default_rng(5).normal(size=12)])
    motion = solve_constrained_dynamics(robot, q, v, tau, contacts=feet())
    wrenches = {
        contact.frame: np.concatenate([force, np.zeros(3)])
        for contact, force in zip(feet(), motion.forces.reshape(-1, 3), strict=True)
    }
    a = footfall.forward_dynamics(robot, q, v, tau, wrenches=wrenches)
    assert np.abs(a - motion.acceleration).max() < 1e-9 * np.abs(a).max()


def test_standing_quadruped_carries_its_weight() -> None:
    """23.2 kg: 227.592 N."""
    robot = footfall.load("point-foot-quadruped")
    q = robot.configuration("stand")
    # Torques that hold the pose: gravity at the joints less what feet with a quarter of the weight each give.
    system = build_constrained_system(robot, q, np.zeros(robot.nv), contacts=feet())
    quarter = np.tile([0.0, 0.0, 9.81 * 23.2 / 4], 4)
    tau = system.forces - system.jacobian.T @ quarter
    tau[:6] = 0.0
    motion = solve_constrained_dynamics(robot, q, np.zeros(robot.nv), tau, contacts=feet())
    total = motion.forces.reshape(4, 3).sum(axis=0)
    carried = total - robot.mass * footfall.center_of_mass_jacobian(robot, q) @ motion.acceleration
    assert np.abs(carried - [0.0, 0.0, 227.592]).max() < 1e-9


def test_redundant_points_on_one_body() -> None:
    """Four points of one foot have 12 rows of rank 6: the same motion as holding the foot as a surface."""
    robot = footfall.load("lola")
    q = robot.configuration("idle")
    corners = [Contact("RF", (x, y, 0.0)) for x in (-0.1, 0.1) for y in (-0.05, 0.05)]
    tau = np.concatenate([np.zeros(6), np.random.default_rng(0).normal(size=robot.nv - 6)])
    rest = np.zeros(robot.nv)
    points = solve_constrained_dynamics(robot, q, rest, tau, contacts=corners)
    surface = solve_constrained_dynamics(robot, q, rest, tau, contacts=[Contact("RF", rows=SURFACE)])
    assert np.abs(points.acceleration - surface.acceleration).max() < 1e-7 * np.abs(points.acceleration).max()
    assert np.abs(points.forces.reshape(4, 3).sum(axis=0) - surface.forces[:3]).max() < 1e-6
    assert contact_ranks(robot, q, contacts=corners) == (6, 6, 0)
    assert contact_ranks(robot, q, contacts=corners[:2]) == (5, 5, 0)


@pytest.mark.parametrize(
    "names, ranks",
    [
        (("LF",), (3, 3, 0)),
        (("LF", "RB"), (6, 5, 1)),
        (("LF", "RB", "LB"), (9, 6, 3)),
        (("LF", "RB", "LB", "RF"), (12, 6, 6)),
    ],
)
def test_ranks_of_a_quadruped(names: tuple[str, ...], ranks: tuple[int, int, int]) -> None:
    """The table of 002 section 9.3."""
    robot, q = quadruped()
    assert contact_ranks(robot, q, contacts=feet(*names)) == ranks


def test_bias_of_a_point_off_the_frame() -> None:
    """`dJ/dt v` by finite differences of `J v` along v, for a point that turns with its body."""
    robot, q = quadruped()
    random = np.random.default_rng(4)
    v = random.normal(size=robot.nv)
    contact = Contact("LF_shank", (0.03, -0.02, -0.2), rows=SURFACE)

    def velocity(step: float) -> np.ndarray:
        at = footfall.integrate(robot, q, step * v)
        return build_constrained_system(robot, at, v, contacts=[contact]).jacobian @ v

    step = 1e-6
    expected = (velocity(step) - velocity(-step)) / (2 * step)
    bias = build_constrained_system(robot, q, v, contacts=[contact]).jacobian_bias
    assert np.abs(bias - expected).max() < 1e-7 * np.abs(bias).max()
    place = build_constrained_system(robot, q, v, contacts=[contact]).positions[0]
    assert (
        np.abs(place - footfall.frame_pose(robot, q, "LF_shank").apply(np.array(contact.point))).max() < 1e-14
    )


def test_no_contacts_leave_the_robot_free() -> None:
    robot, q = quadruped()
    motion = solve_constrained_dynamics(robot, q, np.zeros(18), np.zeros(18), contacts=[])
    assert (
        np.abs(motion.acceleration - footfall.forward_dynamics(robot, q, np.zeros(18), np.zeros(18))).max()
        < 1e-9
    )
    assert motion.forces.shape == (0,)
    assert contact_inertia(build_constrained_system(robot, q, np.zeros(18), contacts=[])).shape == (0, 0)


def test_bad_contacts() -> None:
    robot, q = quadruped()
    with pytest.raises(UnknownName, match="no frame 'l_foot' in robot 'point-foot-quadruped'; there are"):
        contact_ranks(robot, q, contacts=[Contact("l_foot")])
    with pytest.raises(InvalidContact, match="rows are"):
        Contact("LF", rows=(2, 1))
    with pytest.raises(InvalidContact, match="normal is"):
        Contact("LF", normal=(0.0, 0.0, 0.0))
    with pytest.raises(InvalidContact, match="point is"):
        Contact("LF", (np.nan, 0.0, 0.0))
    with pytest.raises(InvalidContact, match="friction is -1"):
        Contact("LF", friction=-1)
    with pytest.raises(InvalidRequest, match=r"tau has shape \(3,\)"):
        solve_constrained_dynamics(robot, q, np.zeros(18), np.zeros(3), contacts=feet())
