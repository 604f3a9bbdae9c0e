"""Tables of Denavit and Hartenberg against their matrices."""

from __future__ import annotations

import math

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.errors import FootfallError
from footfall.robot.toml import parse_toml


def _table(convention: str) -> str:
    return f"""
        name = "arm"
        [denavit_hartenberg]
        convention = "{convention}"
        [[denavit_hartenberg.row]]
        a = 0.1
        alpha_deg = 30
        d = 0.2
        theta_deg = 15
        [[denavit_hartenberg.row]]
        type = "prismatic"
        a = 0.3
        alpha_deg = -90
        theta_deg = 40
        lower = 0.0
        upper = 0.5
        [[denavit_hartenberg.row]]
        a = -0.2
        alpha_deg = 75
        d = 0.15
        lower_deg = -90
        upper_deg = 90
    """


def _about_z(angle: float, d: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, d], [0, 0, 0, 1.0]])


def _about_x(angle: float, a: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1, 0, 0, a], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


@pytest.mark.parametrize("convention", ["craig", "classic"])
def test_poses_are_products_of_the_matrices(convention: str) -> None:
    robot = parse_toml(_table(convention))
    q = np.array([0.4, 0.25, -0.8])
    rows = [(0.1, 30, 15, 0.2), (0.3, -90, 40, 0.0), (-0.2, 75, 0, 0.15)]
    pose = np.eye(4)
    for k, (a, alpha, theta, d) in enumerate(rows):
        turn = _about_z(math.radians(theta) + (q[k] if k != 1 else 0.0), d + (q[k] if k == 1 else 0.0))
        across = _about_x(math.radians(alpha), a)
        # Craig: Rx(alpha) Tx(a) Rz(theta) Tz(d) with a, alpha of the link before; classic: the other way round.
        pose = pose @ (across @ turn if convention == "craig" else turn @ across)
    found = footfall.frame_pose(robot, q, "tool")
    assert found.matrix == pytest.approx(pose, abs=1e-15)
    assert robot.joint("joint3").upper == pytest.approx([np.pi / 2])


@pytest.mark.parametrize(
    "line, told",
    [
        ("lower_deg = 5", "one limit"),
        ("lower_deg = -5\nupper_deg = 5\nlower = 0.0\nupper = 1.0", "give one of them"),
        ('type = "prismatic"\nlower_deg = 0\nupper_deg = 5', "slides"),
        ('type = "screw"', "screw"),
        ("alpha = 3", "alpha"),
    ],
)
def test_wrong_rows_are_told(line: str, told: str) -> None:
    with pytest.raises(FootfallError, match=told):
        parse_toml(f'name = "arm"\n[denavit_hartenberg]\n[[denavit_hartenberg.row]]\n{line}\n')


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(FootfallError, match="no row"):
        parse_toml('name = "arm"\n[denavit_hartenberg]\nrow = []\n')
