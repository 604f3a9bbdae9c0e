"""Contacts that hold: numbers of RSL 2022, (2.269)-(2.272), (3.59)-(3.65), and the KKT system as an independent
solution."""

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
from footfall.control.gains import Gains
from footfall.control.references import JointReference
from footfall.control.tasks.accelerations import FrameAcceleration
from footfall.control.tasks.frames import AxisGoal, FrameTask
from footfall.control.tasks.postures import PostureTask
from footfall.dynamics.hybrid_constraints import Constraint
from footfall.errors import InvalidInput, UnknownName
from footfall.robot.model import Body, Joint, JointType, Robot
from tests.control.stances import TIP, consistent_motion, feet, planar_arm, quadruped


def test_pinned_arm() -> None:
    """RSL 2022, (3.59)-(3.62), case A without torques; the source's forces act on the environment."""
    robot, q, v = planar_arm()
    motion = solve_constrained_dynamics(robot, q, v, np.zeros(3), contacts=[TIP])
    assert np.abs(-motion.forces - [5.64436170, -14.67362323]).max() < 5e-9
    assert np.abs(motion.acceleration - [0.01732051, 0.01154701, -0.05196152]).max() < 5e-9
    assert motion.residual < 1e-13


def test_projector_of_the_pinned_arm() -> None:
    """RSL 2022, (3.63)-(3.65)."""
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
    # RSL 2022, (3.65): the projected equation of motion, without forces
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
    """The table of RSL 2022, (2.269)-(2.272)."""
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
    with pytest.raises(InvalidInput, match="rows are"):
        Contact("LF", rows=(2, 1))
    with pytest.raises(InvalidInput, match="normal is"):
        Contact("LF", normal=(0.0, 0.0, 0.0))
    with pytest.raises(InvalidInput, match="point is"):
        Contact("LF", (np.nan, 0.0, 0.0))
    with pytest.raises(InvalidInput, match="friction is -1"):
        Contact("LF", friction=-1)
    with pytest.raises(InvalidInput, match=r"tau has shape \(3,\)"):
        solve_constrained_dynamics(robot, q, np.zeros(18), np.zeros(3), contacts=feet())


def shaken_pendulum() -> Robot:
    """A point mass of 2 kg on a rod of 0.5 m below a pivot that slides along x."""
    bodies = (
        Body("slider", 1.0, inertia=1e-3 * np.eye(3)),
        Body("bob", 2.0, center_of_mass=np.array([0.0, 0.0, -0.5]), inertia=np.zeros((3, 3))),
    )
    joints = (
        Joint("rail", JointType.PRISMATIC, "world", "slider", axis=(1.0, 0.0, 0.0)),
        Joint("swing", JointType.REVOLUTE, "slider", "bob", axis=(0.0, -1.0, 0.0)),
    )
    return Robot("shaken", bodies, joints)


def test_a_pivot_that_is_shaken() -> None:
    """RSL 2022, (3.35)-(3.37) with a prescribed motion x(t): phi'' = -(g sin phi + x'' cos phi) / l; and what it
    takes."""
    robot = shaken_pendulum()
    angle, rate, shake = 0.7, -0.4, 3.0
    q, v = np.array([0.2, angle]), np.array([0.1, rate])
    still = Gains(0.0, 0.0)
    moved = PostureTask(np.array([0.2]), ("rail",), acceleration=np.array([shake]), gains=still)
    motion = solve_constrained_dynamics(robot, q, v, np.zeros(2), motions=[moved])
    swing = -(9.81 * np.sin(angle) + shake * np.cos(angle)) / 0.5
    assert motion.acceleration == pytest.approx([shake, swing], rel=1e-12)
    force = 3.0 * shake + 2.0 * 0.5 * (np.cos(angle) * swing - np.sin(angle) * rate**2)  # RSL 2022, chapter 3
    assert motion.held == pytest.approx([force], rel=1e-12)
    assert motion.residual < 1e-12


def test_prescribed_motions_are_kept_over_time() -> None:
    """Feedback takes back what the integrator lets drift: the rail follows a sine that only the tasks know.

    Euler's method changes velocities late by a step: places are off by dt x'' / k = 1.25e-4 m at most.
    """
    robot = shaken_pendulum()

    def wave(time: float) -> JointReference:
        return JointReference(
            np.array([0.1 * np.sin(5 * time), 0.0]),
            np.array([0.5 * np.cos(5 * time), 0.0]),
            np.array([-2.5 * np.sin(5 * time), 0.0]),
        )

    task = PostureTask(wave, ("rail",), gains=20.0)
    q, v, dt = np.array([0.0, 0.7]), np.array([0.5, 0.0]), 1e-3
    for step in range(1000):
        a = solve_constrained_dynamics(robot, q, v, np.zeros(2), motions=[task], time=step * dt).acceleration
        v = v + dt * a
        q = footfall.integrate(robot, q, dt * v)
    assert abs(q[0] - 0.1 * np.sin(5.0)) < 1.25e-4


def test_a_skate_goes_round_in_a_circle() -> None:
    """A velocity constraint, RSL 2022, (3.35): a blade at the centre of mass goes straight on in its own axes. It turns
    with a constant rate, so that the ice pushes with m v w."""
    robot = Robot(
        "skate",
        (Body("blade", 3.0, inertia=np.eye(3)),),
        (Joint("root", JointType.FLOATING, "world", "blade"),),
    )
    speed, turn = 2.0, 0.8
    q, v = footfall.neutral(robot), np.array([speed, 0.0, 0.0, 0.0, 0.0, turn])
    edge = FrameTask("edge", "blade", {"y": AxisGoal("velocity")}, "frame")
    level = FrameTask("level", "blade", {axis: AxisGoal("velocity") for axis in ("z", "rx", "ry")})
    motion = solve_constrained_dynamics(robot, q, v, np.zeros(6), motions=[edge, level])
    assert motion.acceleration == pytest.approx([0.0, speed * turn, 0.0, 0.0, 0.0, 0.0], abs=1e-12)
    assert motion.held == pytest.approx([3.0 * speed * turn, 3.0 * 9.81, 0.0, 0.0], abs=1e-11)


def test_prescribed_accelerations_beside_contacts() -> None:
    """Four feet stand and the torso accelerates as told: forces agree with those of hybrid dynamics."""
    robot, q = quadruped()
    v, _ = consistent_motion(robot, q, feet())
    asked = FrameAcceleration("torso", np.array([0.3, -0.2, 0.1, 0.2, 0.1, -0.3]))
    motion = solve_constrained_dynamics(robot, q, v, np.zeros(18), contacts=feet(), motions=[asked])
    reached = footfall.frame_acceleration(robot, q, v, motion.acceleration, "torso")
    np.testing.assert_allclose(reached, asked.target, atol=1e-9)
    held = (*(Constraint(foot.frame, ("x", "y", "z")) for foot in feet()), Constraint("torso"))
    setpoints = np.concatenate([np.zeros(12), asked.target])
    other = footfall.hybrid.hybrid_dynamics(robot, q, v, np.zeros(18), constraints=held, setpoints=setpoints)
    np.testing.assert_allclose(motion.acceleration, other.accelerations, atol=1e-8)
    np.testing.assert_allclose(motion.held, other.forces[12:], rtol=1e-8)
