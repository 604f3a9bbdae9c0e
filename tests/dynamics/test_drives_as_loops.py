"""Drive mechanisms described as loops, against their closed forms in `footfall.robot.drives`.

Schwienbacher 2014, chapter 3.
"""

from __future__ import annotations

import numpy as np

import footfall
from footfall.dynamics.loops import Coupling
from footfall.math.transform import Transform
from footfall.robot.drives.ankle_cranks import AnkleCranks, SliderCrank
from footfall.robot.drives.knee_screw import KneeScrew
from footfall.robot.model import Body, Frame, Joint, JointType, Loop, LoopType, Robot
from tests.looped_robots import at

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def solid(name: str, mass: float = 1.0) -> Body:
    return Body(name, mass, np.array([0.02, 0.01, -0.05]), 0.01 * mass * np.eye(3))


def rotor(name: str) -> Body:
    return Body(name, 0.3, np.zeros(3), 3e-5 * np.eye(3))


KNEE = KneeScrew(np.array([0.02, -0.30, 0.0]), np.array([-0.05, 0.02, 0.0]), 0.005)


def knee() -> Robot:
    """Thigh at rest, shank, and the screw's rotor in the thigh, which turns with the distance of the pivots."""
    return Robot(
        "knee",
        (solid("shank"), rotor("screw")),
        (
            Joint("knee", JointType.REVOLUTE, "world", "shank", axis=Z),
            Joint("screw", JointType.CONTINUOUS, "world", "screw", axis=Y),
        ),
        (
            Frame("pivot", "world", Transform(np.eye(3), -KNEE.thigh_to_hinge)),
            Frame("lever", "shank", Transform(np.eye(3), KNEE.hinge_to_shank)),
        ),
        {"assembly": np.array([0.7, 300.0])},
        loops=(
            Loop("spindle", LoopType.SCREW, "pivot", "lever", joints=("screw",), coefficients=(KNEE.ratio,)),
        ),
    )


def crank(side: float) -> SliderCrank:
    return SliderCrank(
        np.array([-0.05, 0.04 * side, 0.15]),
        np.array([0.05, 0.02 * side, -1.0]),
        np.array([-0.06, 0.05 * side, 0.0]),
        0.22,
        0.005,
    )


ANKLE = AnkleCranks(
    (crank(1.0), crank(-1.0)), np.array(Y), np.array(X), np.array([0.0, 0.0, -0.3]), np.zeros(3)
)


def ankle() -> Robot:
    """Shank at rest, foot on a universal joint, two massless nuts on screws, couplers as distances, two rotors."""
    bodies, joints, frames, loops = [solid("foot")], [], [], []
    joints.append(
        Joint("ankle", JointType.UNIVERSAL, "world", "foot", at(0.0, 0.0, -0.3), axis=Y, second_axis=X)
    )
    start = [0.1, -0.05]
    nuts = ANKLE.nut_position(np.array(start))
    for k, each in enumerate(ANKLE.cranks):
        direction = tuple(float(number) for number in each.direction)
        top = Transform(np.eye(3), each.top)
        bodies += [Body(f"nut{k}"), rotor(f"screw{k}")]
        joints += [
            Joint(f"nut{k}", JointType.PRISMATIC, "world", f"nut{k}", top, axis=direction),
            Joint(f"screw{k}", JointType.CONTINUOUS, "world", f"screw{k}", top, axis=direction),
        ]
        frames.append(Frame(f"coupler{k}", "foot", Transform(np.eye(3), each.foot_point)))
        loops += [
            Loop(f"coupler{k}", LoopType.DISTANCE, f"nut{k}", f"coupler{k}", length=each.coupler),
            Loop(f"thread{k}", LoopType.GEAR, joints=(f"screw{k}", f"nut{k}"), coefficients=(each.ratio,)),
        ]
        start += [float(nuts[k]), each.ratio * float(nuts[k])]
    return Robot(
        "ankle",
        tuple(bodies),
        tuple(joints),
        tuple(frames),
        {"assembly": np.array(start)},
        loops=tuple(loops),
    )


def test_knee_screw() -> None:
    """Position, ratio and its rate: the value of Schwienbacher 2014, (3.3)-(3.21) is among them."""
    robot = knee()
    assert robot.nv == 1
    for angle in (0.2, 0.7, 1.3, 2.0):
        q = footfall.integrate(robot, footfall.neutral(robot), np.array([angle - footfall.neutral(robot)[0]]))
        coupling, v = Coupling(robot, q), np.array([1.3])
        assert np.abs(q[1] - KNEE.motor_position(q[:1])[0]) < 1e-10
        assert np.abs(coupling.velocity(v)[1] - KNEE.motor_velocity(q[:1], v)[0]) < 1e-10
        acceleration = KNEE.motor_acceleration(q[:1], v, np.zeros(1))[0]
        assert np.abs(coupling.bias(v)[1] - acceleration) < 1e-9
        if angle == 0.7:
            assert np.abs(coupling.bias(v)[1] / 1.3 - -33.218) < 1e-3


def test_parallel_ankle() -> None:
    """Two spatial slider-cranks: nuts and screws follow flexion and adduction as their closed form says."""
    robot = ankle()
    assert robot.tree.loops is not None
    assert robot.nv == 2
    assert robot.tree.loops.independent == (0, 1)  # flexion and adduction
    assert sorted(len(block.velocities) for block in robot.tree.loops.blocks) == [1, 1, 1, 1]
    rng = np.random.default_rng(0)
    for _ in range(20):
        step, v, a = rng.uniform(-0.3, 0.3, 2), rng.normal(size=2), rng.normal(size=2)
        q = footfall.integrate(robot, footfall.neutral(robot), step)
        coupling = Coupling(robot, q)
        nuts, screws = [2, 4], [3, 5]
        assert np.abs(q[nuts] - ANKLE.nut_position(q[:2])).max() < 1e-14
        assert np.abs(q[screws] - ANKLE.motor_position(q[:2])).max() < 1e-11
        assert np.abs(coupling.velocity(v)[screws] - ANKLE.motor_velocity(q[:2], v)).max() < 1e-10
        accelerations = coupling.acceleration(v, a)[screws]
        assert np.abs(accelerations - ANKLE.motor_acceleration(q[:2], v, a)).max() < 1e-9


def test_rotors_of_the_ankle_are_felt_through_the_mechanism() -> None:
    """Kinetic energy of foot and screws, the latter by the mechanism's own Jacobian."""
    robot = ankle()
    rng = np.random.default_rng(1)
    q = footfall.integrate(robot, footfall.neutral(robot), rng.uniform(-0.2, 0.2, 2))
    mass = footfall.mass_matrix(robot, q)
    alone = Robot("foot", robot.bodies[:1], robot.joints[:1])
    jacobian = ANKLE.motor_jacobian(q[:2])
    expected = footfall.mass_matrix(alone, q[:2]) + 3e-5 * jacobian.T @ jacobian
    assert np.abs(mass - expected).max() < 1e-12 * np.abs(expected).max()
    for method in ("articulated", "factorised", "dense"):
        v, tau = rng.normal(size=2), rng.normal(size=2)
        a = footfall.forward_dynamics(robot, q, v, tau, method=method)
        assert np.abs(footfall.inverse_dynamics(robot, q, v, a) - tau).max() < 1e-10
