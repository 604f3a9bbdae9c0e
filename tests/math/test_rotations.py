"""Rotations: group axioms, agreement with SciPy, the worked examples and errata of RSL 2022, chapter 2."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from footfall.arrays import Array
from footfall.compiler import build_kernel
from footfall.errors import InvalidInput, UnknownName
from footfall.math import rotations as r
from footfall.math.angular_velocity import angular_velocity_map, rotation_rate_map
from footfall.math.spatial import cross, skew
from tests.random_robots import random_quaternion, random_rotation

KINDS = [kind for kind in r.ROTATION_KINDS if kind != "matrix"]

angles = st.floats(-10.0, 10.0)
unit_quaternions = (
    st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4)
    .map(np.array)
    .filter(lambda q: np.linalg.norm(q) > 1e-3)
    .map(lambda q: q / np.linalg.norm(q))
)


def half_turns() -> list[Array]:
    """Matrices of half turns about axes with components of all signs, where logarithms are delicate."""
    axes = [np.array(n, dtype=float) for n in np.ndindex(3, 3, 3) if n != (1, 1, 1)]
    axes = [(n - 1.0) / np.linalg.norm(n - 1.0) for n in axes]
    return [2 * np.outer(n, n) - np.eye(3) for n in axes]


SPECIAL = [
    np.eye(3),
    *half_turns(),
    *(
        r.ELEMENTARY[axis](angle)
        for axis in "xyz"
        for angle in (0.5, np.pi / 2, -np.pi / 2, np.pi, 1e-9, 3.1415926)
    ),
    r.matrix_from_euler("zyx", np.array([0.2, np.pi / 2, 0.1])),
    r.matrix_from_euler("zyx", np.array([0.2, np.pi / 2 - 1e-7, 0.1])),
    r.matrix_from_euler("zyz", np.array([0.2, 1e-8, 0.1])),
    r.matrix_from_euler("zyz", np.array([0.2, np.pi - 3e-6, 0.1])),
]


# Group axioms, for quaternions and matrices alike


def _quaternions(rng: np.random.Generator) -> tuple[list[Array], Array]:
    return [random_quaternion(rng) for _ in range(3)], np.array([1.0, 0.0, 0.0, 0.0])


def _matrices(rng: np.random.Generator) -> tuple[list[Array], Array]:
    return [random_rotation(rng) for _ in range(3)], np.eye(3)


@pytest.mark.parametrize(
    "sample, product, inverse, rotate",
    [
        (_quaternions, r.quaternion_product, r.quaternion_inverse, r.rotate_by_quaternion),
        (_matrices, np.matmul, np.transpose, np.matmul),
    ],
    ids=["quaternion", "matrix"],
)
@pytest.mark.parametrize("seed", range(5))
def test_group_axioms(sample, product, inverse, rotate, seed) -> None:
    (a, b, c), one = sample(np.random.default_rng(seed))
    vector = np.array([0.3, -1.2, 0.7])
    np.testing.assert_allclose(product(product(a, b), c), product(a, product(b, c)), atol=1e-14)
    np.testing.assert_allclose(product(a, one), a, atol=1e-15)
    np.testing.assert_allclose(product(one, a), a, atol=1e-15)
    np.testing.assert_allclose(product(a, inverse(a)), one, atol=1e-15)
    np.testing.assert_allclose(inverse(product(a, b)), product(inverse(b), inverse(a)), atol=1e-15)
    np.testing.assert_allclose(rotate(product(a, b), vector), rotate(a, rotate(b, vector)), atol=1e-14)
    assert np.linalg.norm(rotate(a, vector)) == pytest.approx(np.linalg.norm(vector), rel=1e-14)


def test_tilde_identities() -> None:
    """Schwienbacher 2014, (A.4)-(A.13) in the corrected forms; A.10 and A.12 as printed are false."""
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 3))
    n, matrix = a / np.linalg.norm(a), random_rotation(rng)
    np.testing.assert_allclose(skew(a) @ b, np.cross(a, b), atol=1e-15)
    np.testing.assert_allclose(cross(a, b), np.cross(a, b), atol=1e-15)
    np.testing.assert_allclose(r.unskew(skew(a)), a, atol=1e-15)
    np.testing.assert_allclose(skew(n) @ skew(n) @ skew(n), -skew(n), atol=1e-15)
    np.testing.assert_allclose(skew(matrix @ a), matrix @ skew(a) @ matrix.T, atol=1e-14)
    np.testing.assert_allclose(skew(a) @ skew(a), np.outer(a, a) - a @ a * np.eye(3), atol=1e-14)
    np.testing.assert_allclose(skew(a) @ skew(b), np.outer(b, a) - b @ a * np.eye(3), atol=1e-14)
    np.testing.assert_allclose(skew(skew(a) @ b), np.outer(b, a) - np.outer(a, b), atol=1e-14)
    np.testing.assert_allclose(skew(skew(a) @ b) @ c, skew(c) @ skew(b) @ a, atol=1e-14)
    np.testing.assert_allclose(skew(a) @ skew(b) @ skew(b) @ a, skew(b) @ skew(a).T @ skew(a) @ b, atol=1e-14)
    assert not np.allclose(skew(skew(a) @ b) @ skew(c), skew(c) @ skew(b) @ skew(a))


# Conversions


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_scipy_agrees(kind: str, seed: int) -> None:
    rotation = Rotation.random(rng=np.random.default_rng(seed))
    matrix = rotation.as_matrix()
    parameters = r.parameters_from_matrix(kind, matrix)
    if kind == "quaternion":
        expected = rotation.as_quat(canonical=True, scalar_first=True)
    elif kind == "rotation_vector":
        expected = rotation.as_rotvec()
    elif kind == "angle_axis":
        angle = rotation.magnitude()
        expected = np.array([angle, *rotation.as_rotvec() / angle])
    else:
        expected = rotation.as_euler(kind.upper())
    np.testing.assert_allclose(parameters, expected, atol=2e-13)
    np.testing.assert_allclose(r.matrix_from_parameters(kind, parameters), matrix, atol=1e-14)


@pytest.mark.parametrize("kind", r.ROTATION_KINDS)
@pytest.mark.parametrize("index", range(len(SPECIAL)))
def test_special_rotations_round_trip(kind: str, index: int) -> None:
    """The matrix comes back to rounding on and next to every singular set."""
    matrix = SPECIAL[index]
    back = r.matrix_from_parameters(kind, r.parameters_from_matrix(kind, matrix))
    np.testing.assert_allclose(back, matrix, atol=2e-15)


@given(q=unit_quaternions)
def test_every_quaternion_round_trips(q: Array) -> None:
    matrix = r.matrix_from_quaternion(q)
    back = r.quaternion_from_matrix(matrix)
    assert back[0] >= 0.0
    assert min(np.linalg.norm(back - q), np.linalg.norm(back + q)) < 4e-15
    assert r.is_rotation(matrix, tolerance=1e-14)


@given(sequence=st.sampled_from(r.EULER_SEQUENCES), a=angles, b=angles, c=angles)
def test_every_euler_angle_round_trips(sequence: str, a: float, b: float, c: float) -> None:
    matrix = r.matrix_from_euler(sequence, np.array([a, b, c]))
    found = r.euler_from_matrix(sequence, matrix)
    proper = sequence[0] == sequence[2]
    assert (0.0 <= found[1] <= np.pi) if proper else (abs(found[1]) <= np.pi / 2 + 1e-15)
    np.testing.assert_allclose(r.matrix_from_euler(sequence, found), matrix, atol=4e-15)


@given(
    vector=st.lists(st.floats(-1.8, 1.8), min_size=3, max_size=3).map(np.array), scale=st.integers(-200, 0)
)
def test_logarithm_undoes_the_exponential(vector: Array, scale: int) -> None:
    """Also for angles so small that their squares vanish."""
    vector = vector * 10.0**scale
    tolerance = 4e-15 * np.linalg.norm(vector) + 1e-300
    through_quaternion = r.rotation_vector_from_quaternion(r.quaternion_from_rotation_vector(vector))
    if np.linalg.norm(vector) < 3.1:
        np.testing.assert_allclose(through_quaternion, vector, rtol=0, atol=tolerance)
        through_matrix = r.rotation_vector_from_matrix(r.matrix_from_rotation_vector(vector))
        np.testing.assert_allclose(through_matrix, vector, rtol=0, atol=1e-14)


@given(unit_quaternions)
def test_both_signs_of_a_quaternion_are_one_rotation(q: Array) -> None:
    """RSL 2022: the logarithm takes the short way round, whichever of q and -q is given."""
    for sign in (1.0, -1.0):
        vector = r.rotation_vector_from_quaternion(sign * q)
        assert np.linalg.norm(vector) <= np.pi + 1e-12
        assert np.abs(r.matrix_from_rotation_vector(vector) - r.matrix_from_quaternion(q)).max() < 1e-14
    # The other way round takes longer, unless both are half turns.
    assert np.linalg.norm(vector) == pytest.approx(2 * np.arccos(min(1.0, abs(q[0]))), abs=1e-7)


def test_all_pairs_of_kinds() -> None:
    rng = np.random.default_rng(5)
    chain = [*r.ROTATION_KINDS, *rng.permutation(r.ROTATION_KINDS), "matrix"]
    matrix = random_rotation(rng)
    parameters = matrix.reshape(9)
    for source, target in pairwise(["matrix", *chain]):
        parameters = r.convert_rotation(parameters, str(source), str(target))
    np.testing.assert_allclose(parameters.reshape(3, 3), matrix, atol=1e-13)


def test_printed_euler_matrices() -> None:
    """RSL 2022, (2.33), (2.37), (2.41), (2.44), entry by entry."""
    a, b, c = 0.4, 1.1, -0.7
    (s1, sb, s2), (c1, cb, c2) = np.sin([a, b, c]), np.cos([a, b, c])
    printed = {
        "zyz": [
            [cb * c1 * c2 - s1 * s2, -c2 * s1 - cb * c1 * s2, c1 * sb],
            [c1 * s2 + cb * c2 * s1, c1 * c2 - cb * s1 * s2, sb * s1],
            [-c2 * sb, sb * s2, cb],
        ],
        "zxz": [
            [c1 * c2 - cb * s1 * s2, -c1 * s2 - cb * c2 * s1, sb * s1],
            [c2 * s1 + cb * c1 * s2, cb * c1 * c2 - s1 * s2, -c1 * sb],
            [sb * s2, c2 * sb, cb],
        ],
        "zyx": [
            [cb * c1, c1 * s2 * sb - c2 * s1, s2 * s1 + c2 * c1 * sb],
            [cb * s1, c2 * c1 + s2 * sb * s1, c2 * sb * s1 - c1 * s2],
            [-sb, cb * s2, c2 * cb],
        ],
        "xyz": [
            [cb * c2, -cb * s2, sb],
            [c1 * s2 + c2 * s1 * sb, c1 * c2 - s1 * sb * s2, -cb * s1],
            [s1 * s2 - c1 * c2 * sb, c2 * s1 + c1 * sb * s2, c1 * cb],
        ],
    }
    for sequence, expected in printed.items():
        np.testing.assert_allclose(r.matrix_from_euler(sequence, np.array([a, b, c])), expected, atol=1e-15)


def test_singular_euler_angles_give_their_rotation() -> None:
    """RSL 2022, (2.32)-(2.45): there the printed extractions return another rotation; the third angle is set to
    zero."""
    matrix = r.rotation_z(0.5)
    assert r.euler_from_matrix("zyz", matrix) == pytest.approx([0.5, 0.0, 0.0], abs=1e-15)
    assert r.euler_from_matrix("zxz", matrix) == pytest.approx([0.5, 0.0, 0.0], abs=1e-15)
    gimbal = r.matrix_from_euler("zyx", np.array([0.2, np.pi / 2, 0.1]))
    assert r.euler_from_matrix("zyx", gimbal) == pytest.approx([0.1, np.pi / 2, 0.0], abs=1e-15)


def test_quaternion_formula_by_signs_fails_at_half_turns() -> None:
    """Erratum at RSL 2022, (2.55): right in general, a matrix error of 2 for the axis (1, -1, 0)."""
    rng = np.random.default_rng(2)
    matrix = random_rotation(rng)
    np.testing.assert_allclose(
        r.quaternion_from_matrix_by_signs(matrix), r.quaternion_from_matrix(matrix), atol=1e-12
    )
    n = np.array([1.0, -1.0, 0.0]) / np.sqrt(2)
    half_turn = 2 * np.outer(n, n) - np.eye(3)
    wrong = r.quaternion_from_matrix_by_signs(half_turn)
    assert np.abs(r.matrix_from_quaternion(wrong) - half_turn).max() == pytest.approx(2.0)
    right = r.quaternion_from_matrix(half_turn)
    np.testing.assert_allclose(r.matrix_from_quaternion(right), half_turn, atol=1e-15)


def test_skew_form_of_the_quaternion_matrix() -> None:
    """Erratum at RSL 2022, (2.54): the middle term has the skew matrix to the first power."""
    q = random_quaternion(np.random.default_rng(3))
    expected = np.eye(3) + 2 * q[0] * skew(q[1:]) + 2 * skew(q[1:]) @ skew(q[1:])
    np.testing.assert_allclose(r.matrix_from_quaternion(q), expected, atol=1e-15)


def test_example_2_4_1() -> None:
    turn = np.array([np.sqrt(3), 1.0, 0.0, 0.0]) / 2
    np.testing.assert_allclose(
        r.quaternion_from_rotation_vector(np.array([np.pi / 3, 0.0, 0.0])), turn, atol=1e-15
    )
    s = np.sqrt(3)
    left = np.array([[s, 1, 0, 0], [-1, s, 0, 0], [0, 0, s, 1], [0, 0, -1, s]]) / 2
    right = np.array([[s, -1, 0, 0], [1, s, 0, 0], [0, 0, s, 1], [0, 0, -1, s]]) / 2
    np.testing.assert_allclose(r.left_matrix(r.quaternion_inverse(turn)), left, atol=1e-15)
    np.testing.assert_allclose(r.right_matrix(turn), right, atol=1e-15)
    expected = np.array([0.0, 0.5, -s / 2])
    pure = np.array([0.0, 0.0, 1.0, 0.0])
    np.testing.assert_allclose(left @ right @ pure, [0.0, *expected], atol=1e-15)
    actual = r.rotate_by_quaternion(r.quaternion_inverse(turn), pure[1:])
    np.testing.assert_allclose(actual, expected, atol=1e-15)


def test_quaternion_convention() -> None:
    """Trap T1: Hamilton, scalar first, B to A."""
    q = np.array([np.cos(np.pi / 4), 0.0, 0.0, np.sin(np.pi / 4)])
    np.testing.assert_allclose(
        r.rotate_by_quaternion(q, np.array([1.0, 0.0, 0.0])), [0.0, 1.0, 0.0], atol=1e-15
    )
    np.testing.assert_allclose(r.matrix_from_quaternion(q), r.rotation_z(np.pi / 2), atol=1e-15)


def test_products_as_matrices() -> None:
    rng = np.random.default_rng(4)
    a, b = random_quaternion(rng), random_quaternion(rng)
    product = r.quaternion_product(a, b)
    np.testing.assert_allclose(r.left_matrix(a) @ b, product, atol=1e-15)
    np.testing.assert_allclose(r.right_matrix(b) @ a, product, atol=1e-15)
    np.testing.assert_allclose(
        r.matrix_from_quaternion(product),
        r.matrix_from_quaternion(a) @ r.matrix_from_quaternion(b),
        atol=1e-14,
    )
    assert np.linalg.norm(r.normalised(3.0 * a) - a) < 1e-15


# Differences


@pytest.mark.parametrize(
    "plus, minus", [(r.boxplus, r.boxminus), (r.boxplus_local, r.boxminus_local)], ids=["reference", "local"]
)
def test_box_operators(plus, minus) -> None:
    rng = np.random.default_rng(6)
    for _ in range(20):
        a, b, step = random_rotation(rng), random_rotation(rng), rng.normal(size=3)
        np.testing.assert_allclose(plus(a, minus(b, a)), b, atol=1e-14)
        if np.linalg.norm(step) < 3.1:
            np.testing.assert_allclose(minus(plus(a, step), a), step, atol=1e-13)
        np.testing.assert_allclose(r.boxminus(b, a), a @ r.boxminus_local(b, a), atol=1e-12)
        trace = np.clip((np.trace(a.T @ b) - 1) / 2, -1, 1)
        assert np.linalg.norm(minus(b, a)) == pytest.approx(np.arccos(trace), abs=1e-7)


def test_a_difference_of_vectors_is_no_rotation_error() -> None:
    a, b = np.array([1.0, 0.2, -0.5]), np.array([0.3, -1.0, 0.8])
    turn = r.boxminus(r.matrix_from_rotation_vector(b), r.matrix_from_rotation_vector(a))
    assert np.linalg.norm(turn - (b - a)) > 0.1


# Checks and tracing


def test_is_rotation_and_nearest_rotation() -> None:
    rng = np.random.default_rng(7)
    matrix = random_rotation(rng)
    assert r.is_rotation(matrix)
    assert not r.is_rotation(matrix * 1.001)
    assert not r.is_rotation(np.diag([1.0, 1.0, -1.0]))
    for shape in ((4, 4), (3, 2), (9,)):
        assert not r.is_rotation(np.ones(shape))
    noisy = matrix + 1e-3 * rng.normal(size=(3, 3))
    nearest = r.nearest_rotation(noisy)
    assert r.is_rotation(nearest, tolerance=1e-14)
    assert np.linalg.norm(nearest - noisy) <= np.linalg.norm(matrix - noisy)
    assert r.is_rotation(r.nearest_rotation(np.diag([1.0, 1.0, -0.9])), tolerance=1e-14)


def test_numbers_of_another_kind_are_refused() -> None:
    assert (
        np.abs(r.convert_rotation([0.0, 0.0, 1.0], "rotation_vector", "zyx") - [1.0, 0.0, 0.0]).max() < 1e-15
    )
    for kind, numbers in (("quaternion", 3), ("rotation_vector", 4), ("zyx", 2), ("matrix", 8)):
        with pytest.raises(InvalidInput, match=rf"{kind} has shape \({numbers},\), needed is"):
            r.convert_rotation(np.ones(numbers), kind, "matrix")


def test_unknown_kinds_are_named() -> None:
    with pytest.raises(UnknownName, match=r"no Euler sequence 'zzx'.*zyx"):
        r.matrix_from_euler("zzx", np.zeros(3))
    with pytest.raises(UnknownName, match=r"no rotation parameterisation 'quat'.*quaternion"):
        r.parameters_from_matrix("quat", np.eye(3))
    with pytest.raises(UnknownName, match="rotation parameterisation"):
        r.matrix_from_parameters("quat", np.zeros(4))


def test_conversions_compile() -> None:
    """Native code gives what NumPy gives, on the choices and singular sets too."""

    def convert(matrix: Array) -> dict[str, Array]:
        result = {kind: r.parameters_from_matrix(kind, matrix.reshape(3, 3)) for kind in r.ROTATION_KINDS}
        back = {f"{kind}_back": r.matrix_from_parameters(kind, result[kind]) for kind in r.ROTATION_KINDS}
        return {**result, **back}

    kernel = build_kernel(convert, {"matrix": 9})
    rng = np.random.default_rng(8)
    matrices = np.array([*SPECIAL, *(random_rotation(rng) for _ in range(20))])
    outputs = dict(zip(r.ROTATION_KINDS, kernel(matrices.reshape(-1, 9)), strict=False))
    for kind in r.ROTATION_KINDS:
        for matrix, native in zip(matrices, outputs[kind], strict=True):
            np.testing.assert_allclose(r.matrix_from_parameters(kind, native), matrix, atol=4e-15)


@pytest.mark.parametrize("kind", r.ROTATION_KINDS)
def test_lists_and_rows_of_all_kinds(kind: str) -> None:
    """Rows give what each alone gives (native code may round differently), whatever the leading axes."""
    rng = np.random.default_rng(11)
    matrices = np.array([random_rotation(rng) for _ in range(12)])
    parameters = r.parameters_from_matrix(kind, matrices)
    assert parameters.shape == (12, *r.parameters_from_matrix(kind, matrices[0]).shape)
    for row, matrix in zip(parameters, matrices, strict=True):
        np.testing.assert_allclose(row, r.parameters_from_matrix(kind, matrix), atol=1e-14)
        np.testing.assert_allclose(
            r.matrix_from_parameters(kind, row.tolist()), r.matrix_from_parameters(kind, row), atol=0.0
        )
    np.testing.assert_allclose(r.matrix_from_parameters(kind, parameters), matrices, atol=1e-14)
    grid = parameters.reshape(3, 4, -1)
    np.testing.assert_allclose(
        r.convert_rotation(grid, kind, "quaternion"),
        r.quaternion_from_matrix(matrices).reshape(3, 4, 4),
        atol=1e-14,
    )
    for made in (angular_velocity_map, rotation_rate_map):
        maps = made(kind, parameters)
        for row, each in zip(parameters, maps, strict=True):
            np.testing.assert_allclose(each, made(kind, row.tolist()), rtol=1e-11, atol=1e-12)


def test_rows_broadcast() -> None:
    rng = np.random.default_rng(12)
    quaternions = r.quaternion_from_matrix(np.array([random_rotation(rng) for _ in range(5)]))
    vector = [0.3, -0.2, 0.7]
    turned = r.rotate_by_quaternion(quaternions, vector)
    assert turned.shape == (5, 3)
    np.testing.assert_allclose(
        turned, Rotation.from_quat(quaternions, scalar_first=True).apply(vector), atol=1e-14
    )
    vectors = rng.normal(size=(7, 1, 3))
    assert r.rotate_by_quaternion(quaternions, vectors).shape == (7, 5, 3)
    assert r.rotate_by_quaternion(q=quaternions, vector=vector).shape == (5, 3)
    angles = np.linspace(-3.0, 3.0, 6)
    np.testing.assert_allclose(r.rotation_z(angles), [r.rotation_z(float(a)) for a in angles], atol=1e-15)
    products = r.quaternion_product(quaternions, r.quaternion_inverse(quaternions))
    np.testing.assert_allclose(products, np.tile([1.0, 0.0, 0.0, 0.0], (5, 1)), atol=1e-15)
    assert r.matrix_from_quaternion(np.zeros((0, 4))).shape == (0, 3, 3)


def test_capital_sequences_are_the_same() -> None:
    """SciPy writes intrinsic angles in capitals."""
    angles = [0.3, -0.4, 0.9]
    for sequence in r.EULER_SEQUENCES:
        capital = sequence.upper()
        matrix = r.matrix_from_euler(capital, angles)
        np.testing.assert_array_equal(matrix, r.matrix_from_euler(sequence, angles))
        np.testing.assert_allclose(matrix, Rotation.from_euler(capital, angles).as_matrix(), atol=1e-15)
        np.testing.assert_array_equal(
            r.euler_from_matrix(capital, matrix), r.euler_from_matrix(sequence, matrix)
        )
        np.testing.assert_array_equal(
            r.convert_rotation(angles, capital, "matrix"), r.convert_rotation(angles, sequence, "matrix")
        )
        np.testing.assert_array_equal(
            angular_velocity_map(capital, angles), angular_velocity_map(sequence, np.array(angles))
        )


def test_wrong_shapes_say_what_is_right() -> None:
    for call, words in (
        (
            lambda: r.matrix_from_quaternion([1.0, 0.0, 0.0]),
            r"q has the shape \(3,\); needed is \(4,\), or rows",
        ),
        (lambda: r.quaternion_from_matrix(np.eye(4)), r"matrix has the shape \(4, 4\); needed is \(3, 3\)"),
        (lambda: r.matrix_from_rotation_vector(0.3), r"vector is 0.3; needed are numbers \(3,\)"),
    ):
        with pytest.raises(InvalidInput, match=words):
            call()


def test_arguments_that_are_missing_are_named() -> None:
    with pytest.raises(TypeError, match="missing a required argument: 'matrix'"):
        r.euler_from_matrix(np.eye(3))  # type: ignore[call-arg]


def test_quaternions_of_another_length_are_refused() -> None:
    """`matrix_from_quaternion([2, 0, 0, 0])` was four times the identity; four digits are close enough."""
    for wrong in ([2.0, 0.0, 0.0, 0.0], np.zeros(4), [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0]]):
        with pytest.raises(InvalidInput, match="has the norm"):
            r.matrix_from_quaternion(np.array(wrong))
    assert r.matrix_from_quaternion(np.array([0.7071, 0.7071, 0.0, 0.0])).shape == (3, 3)
    assert r.matrix_from_quaternion(np.zeros((0, 4))).shape == (0, 3, 3)


@pytest.mark.parametrize("function", [r.boxplus, r.boxplus_local])
def test_steps_from_what_is_no_rotation_are_refused(function: Any) -> None:
    with pytest.raises(InvalidInput, match="matrix is no rotation"):
        function(2.0 * np.eye(3), np.zeros(3))
    with pytest.raises(InvalidInput, match=r"step is .*finite"):
        function(np.eye(3), np.full(3, np.nan))
    with pytest.raises(InvalidInput, match=r"vector is .*finite"):
        r.matrix_from_rotation_vector(np.array([0.0, np.inf, 0.0]))
