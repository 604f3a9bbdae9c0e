"""The leg under load: the sole bears the weight, and the motors what statics asks for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from examples.driven_squat import SquatResult, follow_squat
from footfall.drives import DriveSet, Friction
from footfall.scenarios.driven_leg import LEG_JOINTS, lola_leg


@pytest.fixture(scope="module")
def squat() -> SquatResult:
    leg = lola_leg()
    smooth = replace(leg, drives=tuple(replace(drive, friction=Friction()) for drive in leg.drives))
    return follow_squat("elastic", duration=0.6, rest=0.6, leg=smooth)


def test_it_goes_down_and_up_on_its_sole(squat: SquatResult) -> None:
    path = squat.path
    height = path.q[:, 0] - path.q[-1, 0]
    assert height.min() == pytest.approx(-0.06, abs=2e-3)
    assert np.abs(path.q[:, 1:] - squat.wanted).max() < np.radians(0.5)
    assert path.forces[-1, :, 2].sum() == pytest.approx(squat.weight, rel=1e-3)
    assert path.forces[:, :, 2].sum(axis=1).min() > 0.3 * squat.weight  # never off the ground


def test_currents_bear_the_weight(squat: SquatResult) -> None:
    """Inverse dynamics with the wrench of all contacts on the foot, through the mechanisms."""
    robot, path = squat.robot, squat.path
    q, forces, positions = path.q[-1], path.forces[-1], path.positions[-1]
    foot = footfall.frame_pose.textbook(robot, q, "RF").translation
    wrench = np.concatenate([forces.sum(axis=0), np.cross(positions - foot, forces).sum(axis=0)])
    still = np.zeros(robot.nv)
    # The pads of heel and toes are on two bodies, so the toe joint is left out of the comparison.
    tau = footfall.inverse_dynamics.textbook(robot, q, still, still, wrenches={"RF": wrench})
    drives = DriveSet(robot, robot.drives)
    torque = drives.motor_torque(q, np.asarray(tau, dtype=float))
    constants = np.array([drive.motor.torque_constant for drive in robot.drives for _ in drive.joints])
    currents = path.currents[-1] * constants
    for k, joint in enumerate(LEG_JOINTS[:-1]):
        assert currents[k] == pytest.approx(torque[k], abs=1e-3), joint
    knee = LEG_JOINTS.index("kfr")
    assert abs(currents[knee]) > 0.3  # N m at the motor: it does bear
