"""What contacts ask for where a step is not straight, where limbs touch each other, and where joints end."""

from __future__ import annotations

import numpy as np

from footfall import Scene
from footfall.math.transform import Transform
from footfall.robot.model import WORLD, Body, Joint, JointType, Robot
from footfall.robot.shapes import Capsule, Geometry, Sphere
from footfall.simulation import step_residuals
from footfall.simulation.simulation import Simulation
from tests.simulation.worlds import GRAVITY, ground

DT = 1e-3
RADIUS = 0.02  # m, of the ball at the end of an arm
LENGTH = 0.3  # m, of both parts of the arm


def dragged_arm(rate: float) -> Simulation:
    """A heavy slide that falls with a shoulder, an upper arm that stands up and turns at this rate, and a forearm that
    hangs from it upright with its end on the ground."""
    rail = Body("rail", 1e-3, np.zeros(3), 1e-6 * np.eye(3))
    slide = Body("slide", 20.0, np.zeros(3), 0.1 * np.eye(3))
    upper = Body("upper", 1.0, np.zeros(3), np.eye(3))
    ball = Geometry(Sphere(RADIUS), Transform(np.eye(3), np.array([0.0, 0.0, -LENGTH])))
    fore = Body("fore", 1.0, np.zeros(3), np.eye(3), (), (ball,))
    elbow = Transform(np.eye(3), np.array([0.0, 0.0, LENGTH]))
    turns = {"axis": (0.0, 1.0, 0.0), "lower": (-3.0,), "upper": (3.0,)}
    joints = (
        Joint("along", JointType.PRISMATIC, WORLD, "rail", axis=(1.0, 0.0, 0.0)),
        Joint("down", JointType.PRISMATIC, "rail", "slide", axis=(0.0, 0.0, 1.0)),
        Joint("shoulder", JointType.REVOLUTE, "slide", "upper", **turns),
        Joint("elbow", JointType.REVOLUTE, "upper", "fore", elbow, **turns),
    )
    robot = Robot("arm", (rail, slide, upper, fore), joints)
    simulation = Simulation(robot, Scene("floor", (ground(friction=0.0),)), dt=DT)
    angle = 0.4
    q = np.array([0.0, RADIUS + LENGTH - LENGTH * np.cos(angle), angle, -angle])
    simulation.reset(q, np.array([0.0, LENGTH * np.sin(angle) * rate, rate, -rate]))
    return simulation


def test_an_arm_that_turns_is_as_deep_as_one_step_bends() -> None:
    """A step with the rate w takes the elbow along a circle, LENGTH cos(q) (w dt)^2 / 2 below its tangent. Were steps
    taken for straight, the forearm would go 1 / recovery = 5 times as deep."""
    simulation = dragged_arm(-4.0)
    run = simulation.run(simulation.zero_command, 0.15)
    shoulder, elbow = run.q[:, 2], run.q[:, 3]
    depth = RADIUS - (run.q[:, 1] + LENGTH * np.cos(shoulder) - LENGTH * np.cos(shoulder + elbow))
    bend = LENGTH * (run.v[:, 2] * DT) ** 2 / 2
    assert depth[20:].min() > 0.5 * bend[20:].min()  # it does go down
    assert (depth < 1.2 * bend.max()).all()


def jackknife() -> Robot:
    """Two limbs on one trunk, close to each other, which fold onto each other as it falls."""
    trunk = Body("trunk", 5.0, np.zeros(3), 0.05 * np.eye(3), (), (Geometry(Sphere(0.05)),))
    limb = Geometry(Capsule(0.03, 0.2), Transform(np.eye(3), np.array([0.0, 0.0, -0.15])))
    bodies, joints = [trunk], [Joint("root", JointType.FLOATING, WORLD, "trunk")]
    for name, side in (("left", 1.0), ("right", -1.0)):
        bodies.append(Body(name, 1.0, np.array([0.0, 0.0, -0.15]), 5e-3 * np.eye(3), (), (limb,)))
        place = Transform(np.eye(3), np.array([0.0, 0.09 * side, 0.0]))
        limits = {"lower": (-1.2,), "upper": (1.2,)}
        joints.append(
            Joint(
                name, JointType.REVOLUTE, "trunk", name, place, axis=(1.0, 0.0, 0.0), damping=0.01, **limits
            )
        )
    return Robot("jackknife", tuple(bodies), tuple(joints))


def test_the_validator_knows_the_laws_of_limbs_that_touch_each_other() -> None:
    """A fall in which limbs meet limbs, ground and their ends; the dense problem of every step is solved too."""
    simulation = Simulation(jackknife(), Scene("floor", (ground(),)), dt=DT)
    q = simulation.q
    q[2], q[3:7], q[7:] = 0.4, (0.8, 0.6, 0.0, 0.0), (0.3, -0.3)
    v = np.zeros(simulation.robot.nv)
    v[6:] = -9.0, 9.0  # rad/s, towards each other
    simulation.reset(q, v)
    residuals, run = step_residuals(simulation, simulation.zero_command, 300)
    log = run.contacts
    trunk, floor = log.number("trunk"), log.number("ground")
    own = ~np.isin(log.second, [floor]) & ~np.isin(log.first, [floor, trunk])
    assert np.linalg.norm(log.forces[own], axis=1).max() > 10.0  # N: limbs did meet
    assert residuals.max() < 1e-7 * simulation.robot.mass * GRAVITY * DT
    # Limbs give way to each other by a ten thousandth of what a free point would: nothing that one sees.
    assert -log.gaps.min() < 1e-4


def test_an_impact_does_not_drive_a_joint_through_its_limit() -> None:
    """A joint that moves away from its limit, slowly, is struck back within one step."""
    base = Body("base", 50.0, np.zeros(3), np.eye(3))
    tip = Geometry(Sphere(0.02), Transform(np.eye(3), np.array([0.3, 0.0, 0.0])))
    arm = Body("arm", 0.5, np.array([0.15, 0.0, 0.0]), 5e-3 * np.eye(3), (), (tip,))
    joints = (
        Joint("down", JointType.PRISMATIC, WORLD, "base", axis=(0.0, 0.0, 1.0)),
        Joint("turn", JointType.REVOLUTE, "base", "arm", axis=(0.0, 1.0, 0.0), lower=(0.5,), upper=(1.5,)),
    )
    simulation = Simulation(Robot("hammer", (base, arm), joints), Scene("floor", (ground(),)), dt=DT)
    # A turn by q about y takes the tip 0.3 sin(q) below the base. It is 1 mm above the ground, falls at 5 m/s with the
    # base, and its joint leaves the limit, which the ground drives it to, at 0.1 rad/s.
    angle = 0.5 + 1e-3
    simulation.reset(np.array([0.021 + 0.3 * np.sin(angle), angle]), np.array([-5.0, 0.1]))
    run = simulation.run(simulation.zero_command, 0.05)
    assert run.contacts.counts.max() > 0
    assert run.q[:, 1].min() > 0.5 - 1e-9
