"""Which pairs of volumes are worth looking at: each reason on a robot made for it."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.errors import FootfallError
from footfall.geometry.swept_sphere import SweptVolume, swept_line, swept_point
from footfall.math.transform import Transform
from footfall.robot.model import Body, Joint, JointType, Robot
from footfall.robot.volumes import BodyVolume


def two_arms(apart: float, *, turn: float = 3.0) -> Robot:
    """Two arms of two links of 0.5 m, their shoulders so far apart along y, m; angles within +-turn, rad."""
    bodies, joints, volumes = [], [], []
    for side, y in (("left", apart / 2), ("right", -apart / 2)):
        parent, place = "world", np.array([0.0, y, 0.0])
        for part in ("upper", "lower"):
            name = f"{side}_{part}"
            bodies.append(Body(name, mass=1.0, inertia=np.eye(3)))
            joints.append(
                Joint(name + "_j", JointType.REVOLUTE, parent, name, Transform(np.eye(3), place),
                      lower=(-turn,), upper=(turn,))
            )  # fmt: skip
            shape = SweptVolume((swept_line((0.1, 0, 0), (0.4, 0, 0), 0.05),))
            volumes.append(BodyVolume(name, name, shape))
            parent, place = name, np.array([0.5, 0.0, 0.0])
    return Robot("arms", tuple(bodies), tuple(joints), volumes=tuple(volumes))


def test_arms_that_are_too_short_never_meet() -> None:
    """Shoulders 3 m apart, arms that reach 0.95 m: no angle brings them together; 1 m apart many do."""
    far = footfall.volumes.choose_volume_pairs(two_arms(3.0))
    assert far.pairs == ()
    assert "whatever the angles" in far.left_out["left_lower", "right_lower"]
    # 3 m - 2 (0.5 + 0.25 + 0.15 + 0.05) m: middles and radii of balls about links, from the shoulders on
    assert "at least 1.1 m" in far.left_out["left_lower", "right_lower"]
    near = footfall.volumes.choose_volume_pairs(two_arms(1.0))
    assert ("left_lower", "right_lower") in near.pairs
    assert "neighbours" in near.left_out["left_upper", "left_lower"]
    assert not set(near.pairs) & set(near.left_out)
    assert len(near.pairs) + len(near.left_out) == 6


def test_limits_keep_arms_apart() -> None:
    """Angles of 0.05 rad leave arms 1 m apart nearly parallel: samples tell, lengths do not."""
    choice = footfall.volumes.choose_volume_pairs(two_arms(1.0, turn=0.05), samples=200)
    assert choice.pairs == ()
    assert "200 random configurations" in choice.left_out["left_lower", "right_lower"]


def test_what_always_touches_is_left_out() -> None:
    robot = two_arms(1.0)
    ball = BodyVolume("ball", "world", SweptVolume((swept_point((0.0, 0.5, 0.0), 2.0),)))
    robot = Robot("arms", robot.bodies, robot.joints, volumes=(*robot.volumes, ball))
    choice = footfall.volumes.choose_volume_pairs(robot, samples=100)
    assert "where the robot starts" in choice.left_out["left_lower", "ball"]


def test_no_samples_are_refused() -> None:
    with pytest.raises(FootfallError, match="at least 1"):
        footfall.volumes.choose_volume_pairs(two_arms(1.0), samples=0)
