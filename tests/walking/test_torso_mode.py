"""A torso that bends while the robot balances: the source's second mode at 9.7 Hz."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from benchmarks.lab.torso_loop import BendingRobot, bending_robot, closed_loop, faster, growth, margin, modes
from footfall.gait.actions import idle
from footfall.gait.plan import MotionPlan
from footfall.gait.walking_transitions import idle_pose
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.scene.load import load_scene
from footfall.simulation.torso_compliance import BENDING, with_torso_compliance
from footfall.walking.body import walking_body
from footfall.walking.gains import ControlGains, control_gains
from footfall.walking.request import Push
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode

AXES = {"ahead": (0.0, 1.0, 0.0), "aside": (1.0, 0.0, 0.0)}


@pytest.fixture(scope="module")
def gains(code: WalkingCode) -> ControlGains:
    return control_gains(code.body.model)


def bent(way: str, frequency: float) -> BendingRobot:
    return bending_robot(footfall.load("lola"), "br", AXES[way], frequency=frequency, damping_ratio=0.02)


def test_the_parts_are_those_of_the_robot() -> None:
    robot = bent("ahead", 9.7)
    lola = footfall.load("lola")
    assert robot.mass == pytest.approx(lola.mass, rel=1e-12)
    assert robot.height == pytest.approx(0.9, abs=1e-6)  # the centre of mass of its idle pose


def test_a_stiff_torso_falls_as_a_pendulum(gains: ControlGains) -> None:
    """Without balance it falls as exp(t sqrt(m g h / I)), I about the sole."""
    robot = bent("ahead", 500.0)
    inertia = sum(part.inertia + part.mass * part.height**2 for part in (robot.lower, robot.upper))
    expected = np.sqrt(robot.mass * 9.81 * robot.height / inertia)
    blind = gains._replace(balance_rate=-gains.pendulum_rate)
    assert growth(closed_loop(robot, blind)) == pytest.approx(expected, rel=1e-4)
    assert growth(closed_loop(robot, gains)) < -0.5 * gains.balance_rate


@pytest.mark.parametrize("way", AXES)
def test_the_loop_is_stable_with_the_mode_of_the_source(way: str, gains: ControlGains) -> None:
    """Its gains may be thrice as great, and more with the stiffer torso; a torso of 3 Hz is not balanced."""
    assert growth(closed_loop(bent(way, 9.7), gains)) < 0.0
    margins = [margin(bent(way, frequency), gains) for frequency in (5.0, 9.7, 11.6)]
    assert margins == sorted(margins)
    assert margins[1] > 3.0
    assert growth(closed_loop(bent(way, 9.7), faster(gains, 1.1 * margins[1]))) > 0.0
    assert growth(closed_loop(bent(way, 3.0), gains)) > 0.0
    swings = [mode for mode in modes(closed_loop(bent(way, 9.7), gains)) if mode.frequency > 5.0]
    assert min(mode.damping for mode in swings) > 0.02  # balance takes nothing of its own damping


def test_a_tapped_torso_comes_to_rest_on_drives() -> None:
    """The whole robot with a sprung torso: what a tap leaves of its swing after two seconds is less than a hundredth.
    Swings of its damping alone would be exp(-2 % 2 pi 9.7 Hz 1.7 s) = 13 %."""
    robot = with_torso_compliance(footfall.load("lola"), frequency=9.7, axis=AXES["aside"])
    code = WalkingCode(walking_body(robot))
    model = code.body.model
    standing = MotionPlan((idle(idle_pose(gait_dimensions(model)), duration=3.0),))
    push = Push("torso", (0.0, 150.0, 0.0), 0.5, 0.02)
    options = WalkerOptions(mode="full", pushes=(push,))
    walker = Walker(code, load_scene("flat"), generate_motion(standing, model), options)
    assert walker.run_until(2.5)
    angles = walker.log.q[:, code.body.robot.q_slice(BENDING).start]
    first, last = np.ptp(angles[520:720]), np.ptp(angles[-200:])
    assert np.rad2deg(first) > 0.1
    assert last < 0.01 * first
    # The controller's model does not bend.
    assert abs(walker.brain.state.q[robot.q_slice(BENDING)][0]) < 1e-9
