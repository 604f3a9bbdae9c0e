"""Analytic Jacobians for every pair of position and rotation parameters, RSL 2022, (2.133)-(2.192)."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.dynamics.analytic_jacobians import analytic_jacobian, frame_parameters
from footfall.dynamics.jacobians import frame_jacobian
from footfall.errors import InvalidInput, UnknownName
from footfall.math.angular_velocity import angular_velocity_map
from footfall.math.positions import POSITION_KINDS, linear_velocity_map
from footfall.math.rotations import ROTATION_KINDS
from tests.dynamics.rates import rate_along
from tests.dynamics.small_robots import planar_arm
from tests.peers.comparison import assert_agree, relative_error
from tests.random_robots import random_robot, random_state

ROBOT = random_robot(21, types=["revolute", "prismatic", "universal", "spherical", "revolute"], ups=[0] * 5)
FLOATING = random_robot(22, types=["floating", "revolute", "planar"], ups=[0] * 3, floating_base=True)


@pytest.mark.parametrize("robot", [ROBOT, FLOATING], ids=["fixed", "floating"])
@pytest.mark.parametrize("position", POSITION_KINDS)
@pytest.mark.parametrize("rotation", ROTATION_KINDS)
def test_jacobian_is_the_derivative_of_the_parameters(robot, position: str, rotation: str) -> None:
    q = random_state(robot, 7).q
    frame = robot.bodies[-1].name
    options = {"position": position, "rotation": rotation}
    jacobian = analytic_jacobian.textbook(robot, q, frame, **options)
    expected = np.column_stack(
        [
            rate_along(lambda at: frame_parameters.textbook(robot, at, frame, **options), robot, q, unit)
            for unit in np.eye(robot.nv)
        ]
    )
    assert_agree(jacobian, expected, 1e-8)
    # RSL 2022, (2.189): E_e J_A is the geometric Jacobian
    parameters = frame_parameters.textbook(robot, q, frame, **options)
    geometric = frame_jacobian.textbook(robot, q, frame)
    linear = linear_velocity_map(position, parameters[:3]) @ jacobian[:3]
    angular = angular_velocity_map(rotation, parameters[3:]) @ jacobian[3:]
    assert_agree(np.vstack([linear, angular]), geometric, 1e-12)
    assert relative_error(np.vstack([linear, -angular]), geometric) > 1e-2


def test_sizes_of_example_2_8_2() -> None:
    """Cartesian position and Euler angles: 6 parameters; spherical position and full matrix: 12."""
    q = random_state(ROBOT, 0).q
    frame = ROBOT.bodies[-1].name
    assert frame_parameters.textbook(ROBOT, q, frame, rotation="zyx").shape == (6,)
    options = {"position": "spherical", "rotation": "matrix"}
    assert frame_parameters.textbook(ROBOT, q, frame, **options).shape == (12,)
    assert analytic_jacobian.textbook(ROBOT, q, frame, **options).shape == (12, ROBOT.nv)


def test_example_2_8_6() -> None:
    """Planar arm: position rows as by hand, one for each joint in the angle about y."""
    arm, q = planar_arm(), np.array([0.3, 0.7, -0.4])
    jacobian = analytic_jacobian.textbook(arm, q, "tip", rotation="yxz")
    s, c = np.sin(np.cumsum(q)), np.cos(np.cumsum(q))
    np.testing.assert_allclose(jacobian[0], np.cumsum(c[::-1])[::-1], atol=1e-15)
    np.testing.assert_allclose(jacobian[2], -np.cumsum(s[::-1])[::-1], atol=1e-15)
    np.testing.assert_allclose(jacobian[3:], [[1, 1, 1], [0, 0, 0], [0, 0, 0]], atol=1e-15)


def test_singular_and_unknown_parameters() -> None:
    arm = planar_arm()
    upright = np.zeros(3)  # the tip on the z axis, without any turn
    for options in ({"position": "cylindrical"}, {"rotation": "zyz"}, {"rotation": "angle_axis"}):
        with pytest.raises(InvalidInput):
            analytic_jacobian.textbook(arm, upright, "tip", **options)
    with pytest.raises(UnknownName, match="no rotation parameterisation 'rpy'"):
        analytic_jacobian.textbook(arm, upright, "tip", rotation="rpy")
    with pytest.raises(UnknownName, match="no position parameterisation 'xyz'"):
        frame_parameters.textbook(arm, upright, "tip", position="xyz")
