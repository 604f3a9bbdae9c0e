"""How many samples there are, and that each comes once."""

from __future__ import annotations

import math

import numpy as np
import pytest

from footfall.errors import InvalidInput
from footfall.workspace import sample_counts, spiral_points
from footfall.workspace.evaluation import SIDE, nearest_table, octahedral_bin
from footfall.workspace.samples import plan_samples
from tests.workspace.arms import lola_arm, planar_arm, railed_scara


def test_the_source_counted_so_many_samples() -> None:
    # Seiwald 2023, section 3.3: 1.5e11 samples; 2 mm is the step that gives them.
    counts = sample_counts(lola_arm(), 0.002)
    assert counts == (796, 732, 732, 349)
    assert math.prod(counts) == pytest.approx(1.49e11, rel=2e-3)


def test_a_rail_is_sampled_by_its_length() -> None:
    assert sample_counts(railed_scara(), 0.01)[0] == 100


def test_a_grid_has_every_combination_once() -> None:
    chain = planar_arm()
    samples = plan_samples(chain, "grid", step=0.05)
    shares = samples.shares(0, 2)
    a, b = samples.counts
    every = {(round(x * a - 0.5), round(y * b - 0.5)) for x, y in shares}
    assert len(shares) == a * b == len(every)
    assert every == {(i, j) for i in range(a) for j in range(b)}


@pytest.mark.parametrize("method", ["random", "sobol"])
def test_parts_are_the_same_every_time_and_differ(method: str) -> None:
    samples = plan_samples(lola_arm(), method, total=5_000_000, seed=3)
    assert [samples.size(part) for part in range(samples.parts)] == [2**21, 2**21, 5_000_000 - 2**22]
    last = samples.shares(2, 4)
    assert (last == samples.shares(2, 4)).all()
    assert (last[:100] != samples.shares(1, 4)[:100]).any()
    assert ((last >= 0.0) & (last <= 1.0)).all()


@pytest.mark.parametrize(
    "wrong, told",
    [
        ({"method": "guess", "total": 10}, "random, sobol, grid"),
        ({"method": "grid"}, "step"),
        ({"method": "grid", "step": -0.1}, "step is -0.1"),
        ({"method": "grid", "step": 1e-9}, "larger step"),
        ({"method": "random", "total": 0}, "total is 0"),
        ({"method": "random", "total": 5, "step": 0.1}, "step is for grids"),
        ({"method": "random", "total": 5, "seed": -1}, "seed is -1"),
    ],
)
def test_wrong_samples_are_refused(wrong: dict[str, object], told: str) -> None:
    options = dict(wrong)
    with pytest.raises(InvalidInput, match=told):
        plan_samples(lola_arm(), options.pop("method"), **options)  # type: ignore[arg-type]


def test_spiral_points_are_spread_evenly() -> None:
    points = spiral_points(64)
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1) + 4.0 * np.eye(64)
    assert np.linalg.norm(points, axis=1) == pytest.approx(np.ones(64), abs=1e-15)
    # Saff and Kuijlaars: neighbours are about 3.6 / sqrt(N) apart; the two next to each pole are closer.
    nearest = apart.min(axis=1)
    assert nearest[3:-3].min() > 0.8 * 3.6 / 8.0
    assert nearest.min() > 0.5 * 3.6 / 8.0
    assert nearest.max() < 1.1 * 3.6 / 8.0


def test_the_table_finds_the_nearest_direction() -> None:
    random = np.random.default_rng(0)
    directions = random.normal(size=(2000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    found = np.array([nearest_table(64)[int(octahedral_bin(each))] for each in directions])
    cosines = directions @ spiral_points(64).T
    chosen = cosines[np.arange(2000), found]
    # A field of the table is 2 / SIDE wide, the sphere's up to three times that: so much may be lost at borders.
    lost = np.arccos(np.clip(chosen, -1.0, 1.0)) - np.arccos(np.clip(cosines.max(axis=1), -1.0, 1.0))
    assert lost.max() < 2.0 * 3.0 * 2.0 / SIDE
    assert (lost == 0.0).mean() > 0.85
