"""Step parameters in both directions, Seiwald 2023, appendix D."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InvalidInput
from footfall.gait.step_parameters import (
    next_stance,
    step_displacement,
    step_lengths,
    step_parameters,
    wrapped,
)
from footfall.math.rotations import quaternion_from_roll_pitch_yaw, roll_pitch_yaw

length = st.floats(-1.0, 1.0)


@pytest.mark.parametrize(
    ("forward", "left", "yaw", "side", "expected"),
    [
        (0.19, 0.0, 0.2, 1, (0.161419, 0.291196)),
        (0.19, 0.0, 0.2, -1, (0.216053, -0.253322)),
        (0.4, 0.0, 0.0, 1, (0.4, 0.275)),
        (0.3, 0.1, np.deg2rad(15.0), 1, (0.235115, 0.405954)),
        (0.3, -0.1, -np.deg2rad(15.0), -1, (0.235115, -0.405954)),
    ],
)
def test_values_of_the_spec(
    forward: float, left: float, yaw: float, side: int, expected: tuple[float, float]
) -> None:
    assert step_displacement([forward, left, 0.0], yaw, side * 0.1375)[:2] == pytest.approx(
        expected, abs=1e-6
    )


@given(st.tuples(length, length, length), st.floats(-3.0, 3.0), st.sampled_from([0.1375, -0.1375]))
def test_there_and_back(lengths: tuple[float, ...], yaw: float, half: float) -> None:
    way = step_displacement(lengths, yaw, half)
    assert step_lengths(way, yaw, half) == pytest.approx(np.array(lengths), abs=1e-9)


@given(st.tuples(length, length), st.sampled_from([0.1375, -0.1375]), st.sampled_from([0.1, -0.1]))
def test_no_jump_where_the_source_changes_its_formula(
    lengths: tuple[float, float], half: float, border: float
) -> None:
    """The source's expansion below 0.1 rad jumps by 0.67 mm and more; these forms do not."""
    before, after = (step_displacement([*lengths, 0.0], border + change, half) for change in (-1e-12, 1e-12))
    assert before == pytest.approx(after, abs=1e-11)


def test_expansion_has_the_corrected_coefficient() -> None:
    forward, left, phi, w = 0.3, 0.24, 0.05, 0.1375
    expansion = [
        forward - (left + w) * phi - forward * phi**2 / 6,
        2 * w + left + forward * phi / 2 - (left + w) * phi**2 / 2,
    ]
    way = step_displacement([forward, left, 0.0], phi, w)[:2]
    assert way == pytest.approx(expansion, abs=5e-5)
    assert abs(way[1] - (expansion[1] - (left + w) * phi**2 / 2)) > 4e-4  # with the printed one


@given(
    st.tuples(length, length, length),
    st.tuples(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5), st.floats(-1.5, 1.5)),
    st.floats(-3.0, 3.0),
)
def test_stances_there_and_back(lengths: tuple[float, ...], angles: tuple[float, ...], yaw: float) -> None:
    position, reached = next_stance([1.0, -2.0, 0.5], yaw, lengths, angles, 0.1375)
    found = step_parameters([1.0, -2.0, 0.5], yaw, position, reached, 0.1375)
    assert found.lengths == pytest.approx(np.array(lengths), abs=1e-9)
    assert found.angles == pytest.approx(np.array(angles), abs=1e-9)


@given(st.tuples(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5), st.floats(-3.1, 3.1)))
def test_angles_and_quaternions(angles: tuple[float, ...]) -> None:
    assert roll_pitch_yaw(quaternion_from_roll_pitch_yaw(angles)) == pytest.approx(np.array(angles), abs=1e-9)


def test_many_at_once() -> None:
    lengths = np.random.default_rng(0).uniform(-0.3, 0.3, (50, 3))
    yaw = np.linspace(-0.5, 0.5, 50)
    whole = step_displacement(lengths, yaw, 0.1375)
    for index in (0, 25, 49):
        assert whole[index] == pytest.approx(step_displacement(lengths[index], yaw[index], 0.1375))


def test_wrapping() -> None:
    assert wrapped(np.pi) == pytest.approx(np.pi)
    assert wrapped(-np.pi) == pytest.approx(np.pi)
    assert wrapped(3.5) == pytest.approx(3.5 - 2 * np.pi)


def test_half_turns_are_refused() -> None:
    with pytest.raises(InvalidInput, match="half a turn"):
        step_lengths([0.1, 0.2, 0.0], 3.2, 0.1375)
