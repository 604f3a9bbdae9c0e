"""Dynamics as native code: what the textbook functions give, alone, in batches and inside other traces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import footfall
from footfall.compiler import build_kernel, jacobian
from footfall.public_names import public_name
from footfall.robot.model import Robot
from tests.peers.comparison import assert_agree
from tests.random_robots import ALL_TYPES, random_robot, random_state

CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("inverse_dynamics", "qva", {}),
    ("bias_forces", "qv", {}),
    ("gravity_forces", "q", {}),
    ("joint_wrenches", "qva", {}),
    ("mass_matrix", "q", {}),
    ("factorise_mass_matrix", "q", {}),
    ("inverse_mass_matrix", "q", {}),
    ("forward_dynamics", "qvt", {}),
    ("forward_dynamics", "qvt", {"method": "factorised"}),
    ("forward_dynamics", "qvt", {"method": "dense"}),
    ("inverse_dynamics_derivatives", "qva", {}),
    ("forward_dynamics_derivatives", "qvt", {}),
]
WITH_WRENCHES = [
    ("inverse_dynamics", "qva"),
    ("bias_forces", "qv"),
    ("joint_wrenches", "qva"),
    ("forward_dynamics", "qvt"),
    ("inverse_dynamics_derivatives", "qva"),
]


@pytest.fixture(scope="module")
def robot() -> Robot:
    """A floating base and every joint type, one after the other and branching."""
    types = ["floating", *ALL_TYPES[:-1]]
    return random_robot(31, types=types, ups=[0, 0, 0, 1, 0, 0, 2, 0], floating_base=True)


@pytest.fixture(scope="module")
def states(robot: Robot) -> dict[str, np.ndarray]:
    samples = [random_state(robot, seed) for seed in range(9)]
    return {name: np.array(part) for name, part in zip("qvat", zip(*samples, strict=True), strict=True)}


def parts(result: Any) -> tuple[np.ndarray, ...]:
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("name, arguments, options", CALLS, ids=lambda value: str(value))
def test_native_code_agrees(
    robot: Robot, states: dict[str, np.ndarray], name: str, arguments: str, options: dict[str, Any]
) -> None:
    function = public_name(name)
    arrays = [states[letter] for letter in arguments]
    batch = parts(function(robot, *arrays, **options))
    for row in range(0, len(states["q"]), 4):
        expected = parts(function.textbook(robot, *(array[row] for array in arrays), **options))
        single = parts(function(robot, *(array[row] for array in arrays), **options))
        for reference, one, many in zip(expected, single, batch, strict=True):
            assert_agree(one, reference, 1e-12)
            np.testing.assert_array_equal(many[row], one)


@pytest.mark.parametrize("name, arguments", WITH_WRENCHES)
def test_wrenches_in_native_code(
    robot: Robot, states: dict[str, np.ndarray], name: str, arguments: str
) -> None:
    function = public_name(name)
    arrays = [states[letter][0] for letter in arguments]
    rng = np.random.default_rng(4)
    for _ in range(2):  # other values, the same kernel
        wrenches = {"body3": 10 * rng.normal(size=6), robot.frames[-1].name: 10 * rng.normal(size=6)}
        expected = parts(function.textbook(robot, *arrays, wrenches=wrenches))
        for reference, one in zip(expected, parts(function(robot, *arrays, wrenches=wrenches)), strict=True):
            assert_agree(one, reference, 1e-12)


def test_use_inside_a_trace(robot: Robot, states: dict[str, np.ndarray]) -> None:
    """Forward dynamics of what inverse dynamics says gives the accelerations back, in one kernel."""

    def round_trip(q, v, a):
        return {"a": footfall.forward_dynamics(robot, q, v, footfall.inverse_dynamics(robot, q, v, a))}

    kernel = build_kernel(round_trip, {"q": robot.nq, "v": robot.nv, "a": robot.nv})
    q, v, a, _ = (states[name][1] for name in "qvat")
    assert_agree(kernel(q, v, a), a, 1e-10)


def test_recursive_derivatives_are_those_of_the_graph() -> None:
    """The traced code of `inverse_dynamics`, differentiated operation by operation."""
    small = random_robot(8, types=["floating", "revolute", "spherical", "prismatic"], ups=[0, 0, 0, 2])
    q, v, a, _ = random_state(small, 3)

    def differentiated(q, v, a, step):
        forces = footfall.inverse_dynamics(small, footfall.integrate(small, q, step), v, a)
        return {"dq": jacobian(forces, step), "dv": jacobian(forces, v), "da": jacobian(forces, a)}

    sizes = {"q": small.nq, "v": small.nv, "a": small.nv, "step": small.nv}
    by_graph = build_kernel(differentiated, sizes)(q, v, a, np.zeros(small.nv))
    by_recursion = footfall.inverse_dynamics_derivatives.textbook(small, q, v, a)
    for actual, expected in zip(by_recursion, by_graph, strict=True):
        assert_agree(actual, expected, 1e-12)
