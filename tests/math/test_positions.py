"""Position parameters and their velocity maps, RSL 2022, chapter 2."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.errors import InvalidInput, UnknownName
from footfall.math.positions import (
    POSITION_KINDS,
    linear_velocity_map,
    parameters_from_position,
    position_from_parameters,
    position_rate_map,
)


@pytest.mark.parametrize("kind", POSITION_KINDS)
def test_round_trip_and_maps(kind: str) -> None:
    rng = np.random.default_rng(1)
    h = 1e-4
    for _ in range(50):
        position = rng.normal(size=3)
        parameters = parameters_from_position(kind, position)
        np.testing.assert_allclose(position_from_parameters(kind, parameters), position, atol=1e-15)
        forward = linear_velocity_map(kind, parameters)
        for axis, unit in enumerate(np.eye(3)):
            ahead, behind = (position_from_parameters(kind, parameters + step * unit) for step in (h, -h))
            np.testing.assert_allclose(forward[:, axis], (ahead - behind) / (2 * h), atol=1e-7)
        inverse = position_rate_map(kind, parameters)
        np.testing.assert_allclose(forward @ inverse, np.eye(3), atol=1e-12 * np.abs(inverse).max())


def test_order_and_meaning_of_the_parameters() -> None:
    """Trap T26: azimuth before polar angle; the polar angle counts from +z."""
    x, y, z = position_from_parameters("spherical", np.array([2.0, 0.3, 0.4]))
    assert (x, y, z) == pytest.approx(
        (2 * np.cos(0.3) * np.sin(0.4), 2 * np.sin(0.3) * np.sin(0.4), 2 * np.cos(0.4))
    )
    assert parameters_from_position("spherical", np.array([0.0, 0.0, 3.0])) == pytest.approx([3.0, 0.0, 0.0])
    assert parameters_from_position("cylindrical", np.array([0.0, 2.0, 1.0])) == pytest.approx(
        [2.0, np.pi / 2, 1.0]
    )


def test_determinants() -> None:
    spherical = linear_velocity_map("spherical", np.array([2.0, 0.5, 1.1]))
    assert np.linalg.det(spherical) == pytest.approx(-3.564829440, abs=1e-9)
    cylindrical = linear_velocity_map("cylindrical", np.array([2.0, 0.5, 1.1]))
    assert np.linalg.det(cylindrical) == pytest.approx(2.0)


@pytest.mark.parametrize(
    "kind, parameters",
    [("cylindrical", [0.0, 0.1, 1.0]), ("spherical", [0.0, 0.1, 0.2]), ("spherical", [1.0, 0.1, 0.0])],
)
def test_singular_positions_are_refused(kind: str, parameters: list[float]) -> None:
    with pytest.raises(InvalidInput, match=f"{kind} parameters have no rates here: .* must not vanish"):
        position_rate_map(kind, np.array(parameters))
    with pytest.raises(InvalidInput):
        position_rate_map(kind, np.zeros(3, dtype=np.int64))


def test_unknown_kinds_are_named() -> None:
    for function in (
        position_from_parameters,
        parameters_from_position,
        linear_velocity_map,
        position_rate_map,
    ):
        with pytest.raises(UnknownName, match=r"no position parameterisation 'polar'; there are: cartesian"):
            function("polar", np.ones(3))
