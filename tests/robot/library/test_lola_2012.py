"""The 30-DoF stand-in of Schwienbacher 2014: topology recovered from the sparsity counts of the source."""

from __future__ import annotations

import numpy as np

from footfall.dynamics.kinematics import frame_pose
from footfall.robot.load import load
from footfall.robot.model import Robot
from tests.robot.library.sparsity import nonzeros_of_mass_matrix

OLD = load("lola-2012")
LOLA = load("lola")


def test_counts() -> None:
    assert (OLD.nq, OLD.nv) == (31, 30)
    assert {name: len(joints) for name, joints in OLD.groups.items()} == {
        "pelvis": 2,
        "right_leg": 7,
        "left_leg": 7,
        "right_arm": 3,
        "left_arm": 3,
        "head": 2,
    }


def test_sparsity_of_the_mass_matrix() -> None:
    assert nonzeros_of_mass_matrix(OLD) == 267  # Table 2.4 of the source
    assert OLD.nv * (OLD.nv + 1) // 2 == 465
    assert nonzeros_of_mass_matrix(LOLA) == 287  # two arm joints more, with 10 velocities on their paths


def test_it_stands_as_lola_does() -> None:
    idle: dict[str, Robot] = {"new": LOLA, "old": OLD}
    for frame in ("RF", "LF", "RH", "LH", "VTCP"):
        poses = [frame_pose.textbook(robot, robot.configuration("idle"), frame) for robot in idle.values()]
        np.testing.assert_allclose(poses[0].translation, poses[1].translation, atol=1e-14)
    assert OLD.mass == LOLA.mass
    assert "stand_in" in OLD.notes
