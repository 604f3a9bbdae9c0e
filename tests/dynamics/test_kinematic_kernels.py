"""Kinematics, momentum and energy as native code: what the textbook functions give, alone and in batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import footfall
from footfall.compiler import build_kernel
from footfall.errors import UnknownName
from footfall.public_names import public_name
from footfall.robot.model import Robot
from tests.dynamics.small_robots import planar_arm
from tests.peers.comparison import assert_agree
from tests.random_robots import ALL_TYPES, random_robot, random_state

CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("forward_kinematics", "q", {}),
    ("forward_kinematics", "q", {"frames": ("body3", "body1")}),
    ("frame_pose", "q", {"frame": "body7"}),
    ("frame_velocity", "qv", {"frame": "body7"}),
    ("frame_acceleration", "qva", {"frame": "body7"}),
    ("frame_jacobian", "q", {"frame": "body7"}),
    ("frame_jacobian_bias", "qv", {"frame": "body7"}),
    ("frame_jacobian_rate", "qv", {"frame": "body7"}),
    ("joint_motions", "q", {}),
    ("analytic_jacobian", "q", {"frame": "body7"}),
    ("analytic_jacobian", "q", {"frame": "body7", "position": "spherical", "rotation": "zxy"}),
    ("frame_parameters", "q", {"frame": "body7", "position": "cylindrical", "rotation": "rotation_vector"}),
    ("center_of_mass", "q", {}),
    ("center_of_mass_velocity", "qv", {}),
    ("center_of_mass_bias", "qv", {}),
    ("center_of_mass_jacobian", "q", {}),
    ("centroidal_momentum", "qv", {}),
    ("centroidal_momentum_bias", "qv", {}),
    ("centroidal_momentum_matrix", "q", {}),
    ("kinetic_energy", "qv", {}),
    ("potential_energy", "q", {}),
    ("integrate", "qv", {}),
    ("difference", "qp", {}),
]


@pytest.fixture(scope="module")
def robot() -> Robot:
    """A floating base and every joint type, one after the other and branching."""
    types = ["floating", *ALL_TYPES]
    return random_robot(31, types=types, ups=[0, 0, 0, 1, 0, 0, 2, 0, 0], floating_base=True)


@pytest.fixture(scope="module")
def states(robot: Robot) -> dict[str, np.ndarray]:
    samples = [random_state(robot, seed) for seed in range(11)]
    q, v, a, _ = (np.array(part) for part in zip(*samples, strict=True))
    return {"q": q, "v": v, "a": a, "p": q[::-1]}


@pytest.mark.parametrize("name, arguments, options", CALLS, ids=lambda value: str(value))
def test_native_code_agrees(
    robot: Robot, states: dict[str, np.ndarray], name: str, arguments: str, options
) -> None:
    function = public_name(name)
    arrays = [states[letter] for letter in arguments]
    batch = function(robot, *arrays, **options)
    for row in range(len(states["q"])):
        expected = function.textbook(robot, *(array[row] for array in arrays), **options)
        single = function(robot, *(array[row] for array in arrays), **options)
        if not isinstance(expected, tuple):
            expected, single, of_batch = (expected,), (single,), (batch,)
        else:
            of_batch = batch
        assert len(expected) == len(single) == len(of_batch)
        for reference, one, many in zip(expected, single, of_batch, strict=True):
            assert_agree(one, reference, 1e-13, scale=1e-3)
            np.testing.assert_array_equal(many[row], one)


def test_result_types(robot: Robot, states: dict[str, np.ndarray]) -> None:
    q = states["q"][0]
    assert isinstance(footfall.forward_kinematics(robot, q), footfall.dynamics.Poses)
    assert isinstance(footfall.frame_pose(robot, q, "body2"), footfall.Transform)


def test_unknown_frames_are_named_before_compiling(robot: Robot, states: dict[str, np.ndarray]) -> None:
    with pytest.raises(UnknownName, match=r"no frame 'foot' in robot 'random-31'"):
        footfall.frame_jacobian(robot, states["q"][0], "foot")


def test_singular_parameters_give_infinite_entries() -> None:
    """Native code cannot raise; a number that looks like a rate would be worse."""
    arm = planar_arm()
    jacobian = footfall.dynamics.analytic_jacobian(arm, np.zeros(3), "tip", rotation="zyz")
    assert not np.all(np.isfinite(jacobian[3:]))
    assert np.all(np.isfinite(jacobian[:3]))


def test_use_inside_a_trace(robot: Robot, states: dict[str, np.ndarray]) -> None:
    """The public names work inside traced code: the power of gravity from Jacobian and weight."""

    def power(q, v):
        return {"power": footfall.center_of_mass_jacobian(robot, q) @ v @ np.array([0.0, 0.0, -9.81])}

    kernel = build_kernel(power, {"q": robot.nq, "v": robot.nv})
    q, v = states["q"][0], states["v"][0]
    expected = footfall.dynamics.center_of_mass_velocity.textbook(robot, q, v)[2] * -9.81
    assert_agree(kernel(q, v), expected, 1e-12)
