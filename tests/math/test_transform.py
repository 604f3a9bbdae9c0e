"""Homogeneous transforms (RSL 2022, (2.108)-(2.112))."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.math.rotations import rotation_x
from footfall.math.transform import Transform, transform_from_matrix
from tests.poses import random_pose


def test_example_2_6_1() -> None:
    pose = Transform(np.round(rotation_x(np.pi / 2), 15), np.array([0.0, 3.0, 1.0]))
    expected = [[1, 0, 0, 0], [0, 0, -1, 3], [0, 1, 0, 1], [0, 0, 0, 1]]
    np.testing.assert_array_equal(pose.matrix, expected)
    np.testing.assert_array_equal(pose.apply(np.array([0.0, 1.0, 1.0])), [0, 2, 2])
    # RSL 2022, (2.111), the sign corrected.
    inverse = [[1, 0, 0, 0], [0, 0, 1, -1], [0, -1, 0, 3], [0, 0, 0, 1]]
    np.testing.assert_array_equal(pose.inverse().matrix, inverse)


def test_products_and_inverses_are_those_of_the_matrices() -> None:
    rng = np.random.default_rng(0)
    a, b = random_pose(rng), random_pose(rng)
    np.testing.assert_allclose((a @ b).matrix, a.matrix @ b.matrix, atol=1e-14)
    np.testing.assert_allclose(a.inverse().matrix, np.linalg.inv(a.matrix), atol=1e-13)
    np.testing.assert_array_equal(transform_from_matrix(a.matrix).rotation, a.rotation)
    np.testing.assert_array_equal(transform_from_matrix(a.matrix).translation, a.translation)


@pytest.mark.parametrize(
    ("matrix", "text"),
    [
        (np.full((4, 4), np.nan), "rotation of matrix is .* all numbers must be finite"),
        (np.diag([2.0, 2.0, 2.0, 1.0]), "rotation of matrix is no rotation"),
        (np.diag([1.0, 1.0, -1.0, 1.0]), "rotation of matrix mirrors"),
        (np.eye(3), r"matrix has the shape \(3, 3\); needed is \(4, 4\)"),
    ],
)
def test_what_is_no_rigid_transform_is_refused(matrix: Array, text: str) -> None:
    with pytest.raises(InvalidInput, match=text):
        transform_from_matrix(matrix)
