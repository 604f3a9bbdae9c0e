"""The workspace of an arm: indices in closed form, Seiwald 2023's numbers for LOLA, and a shell of known volume."""

from __future__ import annotations

import numpy as np
import pytest

from examples.arm_workspace import (
    Indices,
    _Gathered,
    analyse,
    best_lengths,
    indices_of,
    lola_arm,
    sample_counts,
    spiral_points,
)
from footfall import frame_jacobian

ARM = lola_arm()
RANGES = np.deg2rad([[-180.0, -180.0, -180.0, -158.0], [180.0, 0.0, 180.0, 24.0]])


def test_indices_of_a_planar_arm() -> None:
    """Two links: the manipulability is l1 l2 |sin q2|, and stretched the arm is singular."""
    first, second = 0.4, 0.3
    for bend in np.linspace(0.0, np.pi, 7):
        jacobian = np.array(
            [[-second * np.sin(bend), -second * np.sin(bend)], [first + second * np.cos(bend), second * np.cos(bend)]]
        )  # fmt: skip
        angles = np.array([0.0, bend])
        found = indices_of(jacobian, angles, np.full(2, -4.0), np.full(2, 4.0))
        assert found.manipulability == pytest.approx(first * second * abs(np.sin(bend)), abs=1e-15)
        assert found.joint_room == pytest.approx(np.sqrt((4.0 - bend) / 4.0))
        if bend in (0.0, np.pi):
            assert found.condition < 1e-15
    stop = indices_of(np.eye(2), np.array([0.0, 4.0]), np.full(2, -4.0), np.full(2, 4.0))
    assert stop.joint_room < 1e-100


def test_the_reference_pose_of_lola() -> None:
    """Condition 0.3834, manipulability 0.06486 m^3 (0.0754 by the span of 0.951 m), joint room 0.5579."""
    q = np.deg2rad([40.0, -15.0, 0.0, -90.0])
    jacobian = np.asarray(frame_jacobian(ARM, q, "RH"))[:3]
    found = indices_of(jacobian, q, *RANGES)
    assert found.condition == pytest.approx(0.3834, abs=5.1e-5)
    assert found.manipulability == pytest.approx(0.06486, abs=5.1e-6)
    assert found.joint_room == pytest.approx(0.5579, abs=5.1e-5)
    assert indices_of(jacobian, q, *RANGES, length=0.951).manipulability == pytest.approx(0.0754, abs=5.1e-5)


def test_as_many_samples_as_the_source_took() -> None:
    """1.5e11 samples, in steps of 2 mm."""
    counts = sample_counts(ARM, "RH", 0.002)
    assert counts == [796, 732, 732, 349]
    assert np.prod(np.array(counts, dtype=float)) == pytest.approx(1.5e11, rel=0.01)


def test_the_volume_tends_to_the_shell() -> None:
    """The shoulder turns anywhere: radii d(e)^2 = (0.383 + 0.345 cos e)^2 + (0.345 sin e)^2 + 0.05055^2 over the range
    of the elbow, 1.613 m^3. Cells that are reached hold the shell and stick out of it, smaller ones by less."""
    elbow = np.linspace(*RANGES[:, 3], 2001)
    radii = np.sqrt((0.383 + 0.345 * np.cos(elbow)) ** 2 + (0.345 * np.sin(elbow)) ** 2 + 0.05055**2)
    shell = 4.0 / 3.0 * np.pi * (radii.max() ** 3 - radii.min() ** 3)
    assert shell == pytest.approx(1.613, abs=1e-3)
    coarse, fine = (analyse(ARM, "RH", size=size, step=0.4 * size) for size in (0.25, 0.125))
    assert shell < fine.volume < shell + 0.25 * (coarse.volume - shell)
    far = np.linalg.norm(fine.centers - fine.centers.mean(axis=0), axis=1)
    assert far.max() < radii.max() + fine.size * np.sqrt(3.0)
    assert 0.9 < fine.compactness < 1.0
    for least, mean, greatest in zip(fine.least, fine.mean, fine.greatest, strict=True):
        assert (least <= mean + 1e-12).all()
        assert (mean <= greatest + 1e-12).all()


def test_batches_do_not_matter() -> None:
    random = np.random.default_rng(0)
    places, numbers = random.uniform(-1.0, 1.0, (500, 3)), Indices(*random.random((3, 500)))
    whole, parts = _Gathered(0.5), _Gathered(0.5)
    whole.add(places, numbers)
    for part in (slice(0, 170), slice(170, 500)):
        parts.add(places[part], Indices(*(each[part] for each in numbers)))
    one, other = whole.workspace(), parts.workspace()
    assert one.count.sum() == 500
    order = [np.lexsort(each.cells.T) for each in (one, other)]
    for name in ("cells", "count"):
        np.testing.assert_array_equal(getattr(one, name)[order[0]], getattr(other, name)[order[1]])
    for name in ("least", "mean", "greatest"):
        for a, b in zip(getattr(one, name), getattr(other, name), strict=True):
            np.testing.assert_allclose(a[order[0]], b[order[1]], rtol=1e-14)


def test_directions_are_spread_evenly() -> None:
    points = spiral_points(200)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1.0, atol=1e-14)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) + 9.0 * np.eye(200)
    nearest = apart.min(axis=1)
    assert nearest.std() < 0.1 * nearest.mean()
    assert np.abs(points.mean(axis=0)).max() < 0.01
    random = np.random.default_rng(1).normal(size=(200, 3))
    random /= np.linalg.norm(random, axis=1)[:, None]
    spread = (np.linalg.norm(random[:, None] - random[None], axis=2) + 9.0 * np.eye(200)).min(axis=1)
    assert spread.std() > 0.3 * spread.mean()  # directions by chance are not


def test_equal_links_reach_most() -> None:
    """Links l1 and l2 of one metre together that turn freely reach pi ((l1 + l2)^2 - (l1 - l2)^2) = 4 pi l1 l2."""

    def area(lengths: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
        first, second = lengths / lengths.sum()
        return float(np.pi * ((first + second) ** 2 - (first - second) ** 2))

    found = best_lengths(area, np.array([0.1, 0.1]), np.array([0.9, 0.9]))
    assert area(found) == pytest.approx(np.pi, rel=1e-6)
    assert found[0] / found.sum() == pytest.approx(0.5, abs=1e-3)
