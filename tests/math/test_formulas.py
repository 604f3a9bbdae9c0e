"""SymPy's expressions go through rotations, kinematics and dynamics; what is no rotation is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import footfall
from footfall import math
from footfall.errors import InvalidInput
from footfall.math.formulas import taken_in

sympy = pytest.importorskip("sympy")


def numbers(result: Any, values: dict[Any, float]) -> np.ndarray[Any, Any]:
    return np.array([sympy.N(sympy.sympify(each).subs(values)) for each in np.ravel(result)], dtype=float)


def test_rotations_of_plain_symbols() -> None:
    a, b = sympy.symbols("a b")
    turned = sympy.Matrix(math.rotation_z(a) @ math.rotation_z(b) - math.rotation_z(a + b))
    assert sympy.simplify(turned) == sympy.zeros(3, 3)
    euler = math.matrix_from_euler("zyx", [a, b, 0])
    at = {a: 0.3, b: -0.4}
    assert np.allclose(numbers(euler, at).reshape(3, 3), math.matrix_from_euler("zyx", [0.3, -0.4, 0.0]))


@pytest.mark.parametrize(
    "name", ["mass_matrix", "gravity_forces", "bias_forces", "kinetic_energy", "frame_velocity"]
)
def test_dynamics_of_symbols_agree_with_numbers(name: str) -> None:
    robot = footfall.load("arm-6r")
    q, v = np.array(sympy.symbols("q1:7")), np.array(sympy.symbols("v1:7"))
    at, rates = footfall.random_configuration(robot, seed=1000), np.linspace(-1.0, 1.0, 6)
    function = getattr(footfall, name)
    given = {"q": (q, at), "v": (v, rates)}
    arrays = [given[each] for each in function.required]
    frame = (robot.bodies[-1].name,) if name == "frame_velocity" else ()
    formula = function(robot, *(each[0] for each in arrays), *frame)
    expected = function(robot, *(each[1] for each in arrays), *frame)
    values = dict(zip((*q, *v), (*at, *rates), strict=True))
    scale = float(np.abs(expected).max())
    assert np.allclose(numbers(formula, values), np.ravel(expected), rtol=0.0, atol=1e-12 * (1.0 + scale))


def test_maps_to_rates_of_plain_symbols() -> None:
    a, x, y, z = sympy.symbols("a x y z", real=True)
    at = {a: 0.7, x: 0.36, y: 0.48, z: 0.8}
    for name in ("angle_axis_map", "angle_axis_map_inverse", "quaternion_map"):
        function = getattr(math, name)
        formula, expected = function([a, x, y, z]), function(np.array(list(at.values())))
        assert np.allclose(numbers(formula, at), np.ravel(expected), rtol=0.0, atol=1e-14)
    for name in ("rotation_vector_map", "rotation_vector_map_inverse"):
        with pytest.raises(InvalidInput, match="no formula"):
            getattr(math, name)([x, y, z])


def test_symbols_of_a_wrong_shape_and_choices_are_refused() -> None:
    robot = footfall.load("arm-6r")
    q = np.array(sympy.symbols("q1:7"))
    with pytest.raises(InvalidInput, match="no formula"):
        bool(taken_in(q)[0] > 0.0)
    with pytest.raises(InvalidInput, match="shape"):
        footfall.mass_matrix(robot, q[1:])


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: math.quaternion_from_matrix(2 * np.eye(3)), "no rotation"),
        (lambda: math.quaternion_from_matrix(np.diag([1.0, 1.0, -1.0])), "mirrors"),
        (lambda: math.rotation_vector_from_matrix(np.full((3, 3), np.nan)), "finite"),
        (lambda: math.matrix_from_angle_axis([0.3, 0.0, 0.0, 2.0]), "axis has the norm 2"),
        (lambda: math.matrix_from_quaternion([np.nan, 0.0, 0.0, 1.0]), "finite"),
        (lambda: math.convert_rotation(np.ones(9), "matrix", "quaternion"), "no rotation"),
        (lambda: math.convert_rotation([np.nan, 0.0, 0.0], "zyx", "quaternion"), "finite"),
        (lambda: math.rotation_x(np.nan), "finite"),
        (lambda: math.rotation_x("a"), "angle is 'a'; it must be a number"),
        (lambda: math.matrix_from_angle_axis([np.nan, 0.0, 0.0, 1.0]), "finite"),
        (lambda: math.rotation_vector_map([np.nan, 0.0, 0.0]), "finite"),
        (lambda: math.quaternion_map([1.0, 0.0, 0.0]), "shape"),
    ],
)
def test_what_is_no_rotation_is_refused(wrong: Any, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        wrong()
