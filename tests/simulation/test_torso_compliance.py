"""The bending torso: its frequency by mass matrix and potential, and by letting it swing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.errors import RobotError
from footfall.robot.loops import Loop
from footfall.robot.model import Robot
from footfall.robot.variants import lock_joints
from footfall.simulation.torso_compliance import BENDING, with_torso_compliance


def standing(robot: Robot) -> Robot:
    """Pelvis and legs welded to the world, all joints of the robot locked but the bending one: one velocity is left."""
    idle = robot.configuration("idle")
    others = [joint.name for joint in robot.joints[1:] if joint.type.velocities and joint.name != BENDING]
    stiff = lock_joints(robot, others, q=idle)
    pelvis = footfall.frame_pose.textbook(stiff, stiff.configuration("idle"), BENDING)
    mark = footfall.Frame("ground", "world", pelvis)
    root = stiff.joints[0].name
    weld = Loop("stand", "weld", BENDING, "ground", dependent=(root,))
    return replace(
        stiff,
        frames=(*stiff.frames, mark),
        loops=(weld,),
        configurations={"assembly": stiff.configuration("idle")},
    )


@pytest.mark.parametrize(("name", "frequency"), [("lola-2012", 9.7), ("lola", 11.6)])
def test_it_swings_at_the_frequency_of_the_source(name: str, frequency: float) -> None:
    """The upper body as one pendulum on a spring, by the dynamics of a looped robot."""
    robot = with_torso_compliance(footfall.load(name), damping_ratio=0.0)
    pendulum = standing(robot)
    assert pendulum.nv == 1
    (spring,) = pendulum.springs
    place = pendulum.q_slice(BENDING).start
    rest = pendulum.configuration("assembly")

    def acceleration(angle: float) -> float:
        q = np.asarray(footfall.integrate.textbook(pendulum, rest, np.array([angle])), dtype=float)
        tau = np.array([spring.torque(q[place], 0.0)])
        return float(np.asarray(footfall.forward_dynamics.textbook(pendulum, q, np.zeros(1), tau))[0])

    small = 1e-4
    slope = (acceleration(small) - acceleration(-small)) / (2.0 * small)
    assert np.sqrt(-slope) / (2.0 * np.pi) == pytest.approx(frequency, rel=1e-6)


def test_other_values_and_faults() -> None:
    lola = footfall.load("lola")
    soft, stiff = (with_torso_compliance(lola, frequency=f).springs[0] for f in (5.0, 10.0))
    assert stiff.damping == pytest.approx(2.0 * soft.damping)
    assert stiff.stiffness > 3.0 * soft.stiffness
    robot = with_torso_compliance(lola)
    assert robot.nv == lola.nv + 1
    pose = footfall.frame_pose.textbook(robot, robot.configuration("idle"), "RF")
    same = footfall.frame_pose.textbook(lola, lola.configuration("idle"), "RF")
    np.testing.assert_allclose(pose.translation, same.translation, atol=1e-12)
    assert len(robot.drives) == len(lola.drives)
    with pytest.raises(RobotError, match="no known frequency"):
        with_torso_compliance(footfall.load("quadruped"))
    with pytest.raises(RobotError, match="above zero"):
        with_torso_compliance(lola, frequency=0.0)
