"""Orientations against SciPy, and that right angles are exact."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from footfall.errors import RobotError
from footfall.robot.orientation import (
    matrix_from_axis_angle,
    matrix_from_quaternion,
    matrix_from_rpy,
    quaternion_from_matrix,
    rpy_from_matrix,
)

angles = st.floats(-7.0, 7.0)
# around a pitch of a right angle, where roll and yaw turn about the same axis
steep = st.builds(lambda side, e: side * math.pi / 2 + e, st.sampled_from([-1, 1]), st.floats(-1e-6, 1e-6))
# twelve digits of a right angle count as one
TOLERANCE = 2e-11


@given(angles, angles | steep, angles)
def test_roll_pitch_yaw(roll: float, pitch: float, yaw: float) -> None:
    theirs = Rotation.from_euler("xyz", [roll, pitch, yaw]).as_matrix()
    ours = matrix_from_rpy((roll, pitch, yaw))
    np.testing.assert_allclose(ours, theirs, atol=TOLERANCE)
    np.testing.assert_allclose(matrix_from_rpy(rpy_from_matrix(ours)), ours, atol=TOLERANCE)


@given(st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: max(map(abs, q)) > 1e-3))
def test_quaternions(quaternion: tuple[float, float, float, float]) -> None:
    theirs = Rotation.from_quat(np.roll(quaternion, -1)).as_matrix()
    ours = matrix_from_quaternion(quaternion)
    np.testing.assert_allclose(ours, theirs, atol=3e-15)
    again = quaternion_from_matrix(ours)
    assert again[0] >= 0.0
    unit = np.array(quaternion) / np.linalg.norm(quaternion)
    assert min(np.abs(again - unit).max(), np.abs(again + unit).max()) < 3e-15


@given(st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda a: max(map(abs, a)) > 1e-3), angles)
def test_axis_and_angle(axis: tuple[float, float, float], angle: float) -> None:
    unit = np.array(axis) / np.linalg.norm(axis)
    theirs = Rotation.from_rotvec(unit * angle).as_matrix()
    np.testing.assert_allclose(matrix_from_axis_angle(unit.tolist(), angle), theirs, atol=TOLERANCE)


@pytest.mark.parametrize("quarters", range(-4, 5))
@pytest.mark.parametrize("axis", range(3))
def test_right_angles_are_exact(quarters: int, axis: int) -> None:
    rpy = np.eye(3)[axis] * quarters * math.pi / 2
    for rotation in (
        matrix_from_rpy(rpy.tolist()),
        matrix_from_axis_angle(np.eye(3)[axis].tolist(), rpy[axis]),
    ):
        np.testing.assert_array_equal(rotation, np.round(rotation))
        np.testing.assert_array_equal(
            matrix_from_quaternion(quaternion_from_matrix(rotation).tolist()), rotation
        )


@pytest.mark.parametrize("quaternion", [(0, 0, 0, 0), (math.nan, 0, 0, 1), (math.inf, 0, 0, 1)])
def test_no_orientation(quaternion: tuple[float, ...]) -> None:
    with pytest.raises(RobotError, match="quaternion"):
        matrix_from_quaternion(quaternion)
