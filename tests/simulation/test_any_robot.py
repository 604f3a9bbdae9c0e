"""Robots from anywhere: they start above the ground inside limits, gains fit them, and what goes wrong is said."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall import Body, Box, Command, Joint, JointType, Robot, Scene, SceneObject, Sphere, Transform
from footfall.errors import SceneWarning, SimulationWarning
from footfall.geometry.plane import Plane
from footfall.robot import Geometry
from footfall.simulation import JointOptions
from footfall.simulation.commands import holding_gains
from footfall.simulation.joint_control import held_inertias, moved_inertias
from footfall.simulation.run_watch import warn_of_restless_joints

FLOOR = Scene("floor", (SceneObject("floor", Plane()),))


def walker(*, effort: float = 40.0, shaped_base: bool = True, light: float = 1.0) -> Robot:
    """A box on two legs of one joint each, whose neutral position is outside of their limits."""
    cube = (Geometry(Box((0.3, 0.3, 0.1))),)
    bodies = [Body("base", 10.0, inertia=0.1 * np.eye(3), collisions=cube if shaped_base else ())]
    joints = [Joint("free", JointType.FLOATING, "world", "base")]
    for side, y in (("left", 0.1), ("right", -0.1)):
        foot = Geometry(Box((0.2, 0.08, 0.04)), Transform(np.eye(3), np.array([0.0, 0.0, -0.3])))
        bodies.append(
            Body(side, light, np.array([0.0, 0.0, -0.15]), 0.01 * light * np.eye(3), collisions=(foot,))
        )
        joints.append(
            Joint(
                f"{side}_hip",
                JointType.REVOLUTE,
                "base",
                side,
                Transform(np.eye(3), np.array([0.0, y, 0.0])),
                axis=(0.0, 1.0, 0.0),
                lower=(0.2,),
                upper=(1.2,),
                effort=(effort,),
            )
        )
    return Robot("walker", tuple(bodies), tuple(joints))


def test_it_starts_on_the_ground_and_inside_limits() -> None:
    simulation = footfall.Simulation(walker(), FLOOR)
    assert simulation.start is not None
    assert simulation.start.lifted > 0.1
    assert (simulation.q >= simulation.robot.lower_limits).all()
    assert "left_hip, right_hip moved inside of limits, lifted by" in str(simulation.start)
    sides = [footfall.frame_pose(simulation.robot, simulation.q, side) for side in ("left", "right")]
    assert all(0.2 < pose.translation[2] < 0.4 for pose in sides)
    trajectory = simulation.run(simulation.hold(), 0.5)
    assert trajectory.q[:, 2].min() > 0.15  # it does not sink


def test_a_given_q_is_taken_as_it_is() -> None:
    robot = walker()
    q = footfall.neutral(robot)
    q[2] = 0.9
    np.testing.assert_array_equal(footfall.Simulation(robot, FLOOR, q=q).q, q)


def test_held_inertia_of_a_hinge_on_a_free_body() -> None:
    """Two bodies in the plane on one hinge through the centre of the first: with a free base the hinge sees both
    inertias in series, I1 I2' / (I1 + I2') for centres that coincide."""
    inertias = np.diag([0.3, 0.2, 0.1]), np.diag([0.05, 0.06, 0.07])
    bodies = tuple(Body(name, 1.0, inertia=each) for name, each in zip("ab", inertias, strict=True))
    joints = (
        Joint("free", JointType.FLOATING, "world", "a"),
        Joint("hinge", JointType.REVOLUTE, "a", "b", axis=(0.0, 1.0, 0.0)),
    )
    robot = Robot("two", bodies, joints)
    assert held_inertias(robot, footfall.neutral(robot))[6] == pytest.approx(0.2 * 0.06 / 0.26)
    fixed = footfall.with_fixed_base(robot)
    assert held_inertias(fixed, footfall.neutral(fixed))[0] == pytest.approx(0.06)


def test_gains_follow_weight_and_efforts() -> None:
    kp, kd = holding_gains(walker(effort=40.0))
    np.testing.assert_allclose(kp, 12.0 * 9.81 * 3.0)  # the weight at 3 m, below 40 N m / 0.1 rad
    np.testing.assert_allclose(kd, 0.1 * kp)
    weak, _ = holding_gains(walker(effort=0.5, light=1e-3))
    np.testing.assert_allclose(weak, 0.5 / 0.1)


def test_moved_inertias_are_those_of_free_joints() -> None:
    robot = walker(light=1e-3)
    q = footfall.neutral(robot)
    free = 1.0 / np.diag(np.linalg.inv(np.asarray(footfall.mass_matrix(robot, q))))[6:]
    np.testing.assert_allclose(moved_inertias(robot, q)[6:], free)
    assert (free <= held_inertias(robot, q)[6:] * (1 + 1e-12)).all()


@pytest.mark.parametrize(("speed", "overshoots"), [(2.0, True), (100.0, False)])
def test_a_saturated_joint_stops_at_its_goal(speed: float, overshoots: bool) -> None:
    """I dv = -dt L where a full effort L leaves the joint short of its goal, here v = 0; where it would lead beyond,
    the effort falls with the way that is left: v' = v / (1 + dt L / (I v))."""
    inertia, limit, dt = 1e-4, 1.0, 1e-3
    body = Body("finger", 1e-3, inertia=inertia * np.eye(3))
    hinge = Joint("hinge", JointType.REVOLUTE, "world", "finger", axis=(0.0, 0.0, 1.0), effort=(limit,))
    simulation = footfall.Simulation(Robot("finger", (body,), (hinge,)), dt=dt)
    simulation.reset(v=np.array([speed]))
    trajectory = simulation.run(footfall.Command(kd=5.0), 0.05)
    expected = speed / (1.0 + dt * limit / (inertia * speed)) if overshoots else speed - dt * limit / inertia
    assert trajectory.v[0, 0] == pytest.approx(expected, rel=1e-12)
    assert (trajectory.v >= 0.0).all()  # it never swings back
    assert (np.diff(trajectory.v[:, 0]) <= 0.0).all()
    assert np.abs(trajectory.effort).max() <= limit * (1 + 1e-12)
    assert trajectory.v[-1, 0] < 1e-9


def test_gains_of_servos_are_kept() -> None:
    robot = walker()
    joints = tuple(replace(j, kp=(7.0,), kd=(0.3,)) if j.effort else j for j in robot.joints)
    kp, kd = holding_gains(replace(robot, joints=joints))
    np.testing.assert_array_equal(kp, [7.0, 7.0])
    np.testing.assert_array_equal(kd, [0.3, 0.3])


def test_weak_light_joints_come_to_rest() -> None:
    """Struck by their neighbour's motion they saturate; where gains act at the start of a step they never stop."""
    robot = walker(effort=0.5, light=1e-2)
    v = np.zeros(robot.nv)
    v[6:] = 5.0, -5.0

    def run(*, implicit: bool = True, **gains: float) -> tuple[float, list[warnings.WarningMessage]]:
        joints = JointOptions(implicit_gains=implicit)
        simulation = footfall.Simulation(robot, options=footfall.StepOptions(dt=1e-3, joints=joints))
        simulation.reset(q=simulation.q, v=v)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            trajectory = simulation.run(simulation.hold(**gains), 1.0)
        return float(np.abs(trajectory.v[-50:, 6:]).max()), caught

    for gains in ({}, {"kp": 1e3, "kd": 300.0}):
        speed, caught = run(**gains)
        assert speed < 1e-2
        assert not [each for each in caught if each.category is SimulationWarning]
    speed, caught = run(implicit=False, kp=1e3, kd=300.0)
    assert speed > 0.5
    assert "swing to and fro from step to step: left_hip" in str(
        next(each.message for each in caught if each.category is SimulationWarning)
    )


def test_joints_at_their_limit_are_said() -> None:
    arm = footfall.with_fixed_base(walker(effort=0.05))
    simulation = footfall.Simulation(arm, dt=1e-3, q=np.array([0.7, 0.7]))
    with pytest.warns(SimulationWarning, match="greatest effort most of the time: left_hip, right_hip"):
        simulation.run(simulation.pd(np.array([0.7, 0.7]), kp=100.0, kd=1.0), 0.3)


def test_a_body_without_shapes_below_the_ground_is_said_once() -> None:
    """A pendulum of 0.5 m on a heavy ball of 0.1 m hangs into the ground."""
    ball = Body("ball", 50.0, inertia=np.eye(3), collisions=(Geometry(Sphere(0.1)),))
    bob = Body("bob", 1.0, np.array([0.5, 0.0, 0.0]), 0.01 * np.eye(3))
    joints = (
        Joint("free", JointType.FLOATING, "world", "ball"),
        Joint("hinge", JointType.REVOLUTE, "ball", "bob", axis=(0.0, 1.0, 0.0)),
    )
    simulation = footfall.Simulation(Robot("clock", (ball, bob), joints), FLOOR)
    with pytest.warns(SimulationWarning, match=r"bob \(0\.\d+ m\).*collision shapes"):
        simulation.run(simulation.zero_command, 0.4)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SimulationWarning)
        simulation.run(simulation.zero_command, 0.05)


def falling(gravity: tuple[float, float, float]) -> Robot:
    body = Body("ball", 1.0, inertia=np.eye(3), collisions=(Geometry(Sphere(0.1)),))
    return Robot("ball", (body,), (Joint("free", JointType.FLOATING, "world", "ball"),), gravity=gravity)


def test_gravity_of_the_robot_counts() -> None:
    moon = (0.0, 0.0, -1.62)
    simulation = footfall.Simulation(falling(moon), dt=1e-3)
    simulation.run(Command(), 0.1)
    assert simulation.v[2] == pytest.approx(-1.62 * 0.1, rel=1e-9)


def test_gravity_of_the_scene_wins_and_contradictions_are_said() -> None:
    mars = Scene("mars", gravity=(0.0, 0.0, -3.72))
    with pytest.warns(SceneWarning, match=r"'ball' has gravity .*-1\.62.* scene 'mars' has .*-3\.72"):
        simulation = footfall.Simulation(falling((0.0, 0.0, -1.62)), mars)
    assert simulation.robot.gravity == (0.0, 0.0, -3.72)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SceneWarning)
        usual = footfall.Simulation(falling((0.0, 0.0, -9.81)), mars)
    assert usual.robot.gravity == (0.0, 0.0, -3.72)


def test_limp_joints_that_are_struck_are_not_said_to_ring() -> None:
    v = np.zeros((40, 8))
    v[:, 6] = 2.0 * (-1.0) ** np.arange(40)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SimulationWarning)
        assert not warn_of_restless_joints(walker(), v, np.zeros((40, 8)))
    effort = np.zeros((40, 8))
    effort[:, 6] = 0.1
    with pytest.warns(SimulationWarning, match="left_hip"):
        assert warn_of_restless_joints(walker(), v, effort)
