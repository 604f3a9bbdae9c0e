"""Terrain: every level of the tree against brute force, windows and samples against single cells, exact updates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.environment import Patch, sample_footprints, sample_terrain, terrain_from_cells
from footfall.environment.patch import CELL, LEVELS, PATCH, SIDE, UNSEEN, metres, quantised
from footfall.environment.terrain import Terrain, index_at
from footfall.errors import InvalidEnvironment


def random_patch(seed: int, *, unseen: float = 0.3) -> Patch:
    rng = np.random.default_rng(seed)
    heights = rng.integers(-32767, 32768, (SIDE, SIDE)).astype(np.int16)
    confidence = rng.integers(1, 256, (SIDE, SIDE)).astype(np.uint8)
    confidence[rng.uniform(size=(SIDE, SIDE)) < unseen] = 0
    block = rng.integers(0, 4) * 16
    confidence[block : block + 16, :16] = 0  # a whole node without anything seen
    return Patch(heights, confidence)


def random_terrain_cells(seed: int, shape: tuple[int, int] = (200, 150)) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    heights = rng.normal(0.0, 0.1, shape)
    confidence = rng.uniform(0.01, 1.0, shape)
    confidence[rng.uniform(size=shape) < 0.2] = 0.0
    return heights, confidence


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.3, 0.95, 1.0]))
def test_levels_are_those_of_brute_force(seed: int, unseen: float) -> None:
    patch = random_patch(seed, unseen=unseen)
    for level in range(LEVELS):
        side, block = 2**level, SIDE // 2**level
        nodes = patch.level(level)
        for i in range(0, side, max(1, side // 4)):
            for j in range(0, side, max(1, side // 4)):
                cells = slice(i * block, (i + 1) * block), slice(j * block, (j + 1) * block)
                trust = patch.confidence[cells].astype(np.int64)
                seen = patch.heights[cells][trust > 0].astype(np.int64)
                assert nodes.least[i, j] == trust.min()
                assert nodes.most[i, j] == trust.max()
                assert nodes.sure[i, j] == pytest.approx(trust.mean() / 255.0, rel=2**-23)
                if len(seen):
                    assert nodes.lowest[i, j] == seen.min()
                    assert nodes.highest[i, j] == seen.max()
                    # single precision of an exact mean
                    assert nodes.mean[i, j] == pytest.approx(seen.mean() / 1000.0, rel=2**-23, abs=1e-9)
                else:
                    assert nodes.lowest[i, j] == nodes.highest[i, j] == UNSEEN
                    assert np.isnan(nodes.mean[i, j])


def test_unseen_cells_are_no_cliff() -> None:
    """A platform of 20 cm beside a strip that was never seen."""
    heights = np.full((SIDE, SIDE), 200, np.int16)
    confidence = np.full((SIDE, SIDE), 255, np.uint8)
    heights[32:], confidence[32:] = 0, 0
    top = Patch(heights, confidence).level(0)
    assert top.lowest[0, 0] == top.highest[0, 0] == 200
    assert top.mean[0, 0] == np.float32(0.2)
    assert top.sure[0, 0] == 0.5
    confidence[32:] = 255  # the comparison can fail: seen at zero, it is one
    assert Patch(heights, confidence).level(0).lowest[0, 0] == 0


def test_a_cell_without_height_or_confidence_has_neither() -> None:
    heights, confidence = np.zeros((SIDE, SIDE), np.int16), np.full((SIDE, SIDE), 9, np.uint8)
    heights[0, 0], confidence[1, 1] = UNSEEN, 0
    patch = Patch(heights, confidence)
    assert patch.confidence[0, 0] == 0
    assert patch.heights[1, 1] == UNSEEN
    assert heights[1, 1] == 0  # the caller's own arrays stay as they are


def test_levels_have_the_sizes_of_the_planner() -> None:
    patch = random_patch(0)
    sizes = [PATCH / len(patch.level(level).mean) for level in range(LEVELS)]
    assert sizes == pytest.approx([0.64, 0.32, 0.16, 0.08, 0.04, 0.02, 0.01])
    with pytest.raises(InvalidEnvironment, match=r"level is 7; it must be from 0 \(64 cm\) to 6"):
        patch.level(7)


def test_patches_are_read_only() -> None:
    patch = random_patch(0)
    with pytest.raises(ValueError, match="read-only"):
        patch.heights[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        patch.level(3).lowest[0, 0] = 1


def test_rounding_is_to_millimetres_and_bytes() -> None:
    heights, confidence = quantised(
        np.array([[0.0014, 0.0016, -0.0306, np.nan]]), np.array([[1.0, 0.5, 0.001, 1.0]])
    )
    assert heights.tolist() == [[1, 2, -31, UNSEEN]]
    assert confidence.tolist() == [[255, 128, 0, 0]]
    with pytest.raises(InvalidEnvironment, match=r"33 m from zero; heights are from -32\.767"):
        quantised(np.full((1, 1), -33.0), np.ones((1, 1)))
    with pytest.raises(InvalidEnvironment, match="confidence"):
        quantised(np.zeros((1, 1)), np.full((1, 1), 1.5))


@pytest.mark.parametrize("first", [(0, 0), (-70, 13), (64, -128), (1000, -1001)])
def test_cells_go_to_their_patches(first: tuple[int, int]) -> None:
    heights, confidence = random_terrain_cells(1)
    terrain = terrain_from_cells(heights, confidence, first=first)
    expected, trust = quantised(heights, confidence)
    for i, j in np.random.default_rng(2).integers(0, (200, 150), (200, 2)):
        a, b = first[0] + int(i), first[1] + int(j)
        patch = terrain.patches.get((a // SIDE, b // SIDE))
        if patch is None:
            assert trust[i, j] == 0
            continue
        assert patch.confidence[a % SIDE, b % SIDE] == trust[i, j]
        if trust[i, j]:
            assert patch.heights[a % SIDE, b % SIDE] == expected[i, j]
            assert index_at((a + 0.5) * CELL, (b + 0.5) * CELL) == (a // SIDE, b // SIDE)


@pytest.mark.parametrize("level", range(LEVELS))
def test_a_window_crosses_patches(level: int) -> None:
    heights, confidence = random_terrain_cells(3, (300, 260))
    terrain = terrain_from_cells(heights, confidence, first=(-150, -130))
    window = terrain.window((-1.3, -0.9), (1.1, 1.4), level=level)
    cell = PATCH / 2**level
    assert window.cell == pytest.approx(cell)
    assert window.x <= -1.3 < window.x + cell
    nx, ny = window.mean.shape
    assert window.x + (nx - 1) * cell < 1.1 <= window.x + nx * cell + 1e-9
    for i in range(0, nx, max(1, nx // 7)):
        for j in range(0, ny, max(1, ny // 7)):
            a, b = round(window.x / cell) + i, round(window.y / cell) + j
            patch = terrain.patches.get((a // 2**level, b // 2**level))
            if patch is None:
                assert np.isnan(window.mean[i, j])
                assert window.most[i, j] == 0.0
                continue
            nodes, place = patch.level(level), (a % 2**level, b % 2**level)
            for mine, theirs in (
                (window.mean, nodes.mean),
                (window.lowest, metres(nodes.lowest)),
                (window.highest, metres(nodes.highest)),
                (window.sure, nodes.sure),
                (window.least, nodes.least / np.float32(255)),
                (window.most, nodes.most / np.float32(255)),
            ):
                np.testing.assert_equal(mine[i, j], theirs[place])


def test_updates_share_what_did_not_change() -> None:
    one, other = random_patch(1), random_patch(2)
    before = Terrain({(0, 0): one, (1, -1): other})
    after = before.updated({(0, 0): other}, reset=[(1, -1), (7, 7)])
    assert dict(before.patches) == {(0, 0): one, (1, -1): other}
    assert dict(after.patches) == {(0, 0): other}
    assert before.updated({(5, 5): one}).patches[1, -1] is other


@pytest.mark.parametrize("index", [(0, 0, 0), (0.5, 0), (2**20, 0), "ab", (True, 0)])
def test_wrong_indices_are_refused(index: object) -> None:
    with pytest.raises(InvalidEnvironment, match="index of a patch"):
        Terrain({index: random_patch(0)})  # type: ignore[dict-item]


# Samples


def test_heights_are_bilinear_between_centres() -> None:
    """h = a + b x + c y in whole millimetres is met to rounding, and its slope is (b, c)."""
    i, j = np.meshgrid(np.arange(-100, 100), np.arange(-90, 110), indexing="ij")
    plane = 0.05 + 0.2 * (i + 0.5) * CELL - 0.1 * (j + 0.5) * CELL
    terrain = terrain_from_cells(plane, np.ones_like(plane), first=(-100, -90))
    points = np.random.default_rng(0).uniform(-0.8, 0.8, (500, 2))
    samples = sample_terrain(terrain, points, radius=0.05)
    expected = 0.05 + 0.2 * points[:, 0] - 0.1 * points[:, 1]
    assert np.abs(samples.height - expected).max() <= 0.5e-3 + 1e-9  # half a millimetre of rounding
    # Each of 121 heights is off by 0.5 mm at most; a slope is sum(x e) / sum(x x), so at most 0.5e-3 * 330 / 13.31.
    assert np.abs(samples.slope - (0.2, -0.1)).max() <= 0.0124
    assert samples.seen.all()
    assert (samples.confidence == 1.0).all()


def test_samples_match_single_cells() -> None:
    heights, confidence = random_terrain_cells(5, (300, 260))
    terrain = terrain_from_cells(heights, confidence, first=(-150, -130))
    rng = np.random.default_rng(6)
    points = rng.uniform(-2.0, 2.0, (1000, 3))
    samples = sample_terrain(terrain, points)
    millimetres, trust = quantised(heights, confidence)
    for k, (x, y, _) in enumerate(points):
        i, j = int(np.floor(x / CELL)) + 150, int(np.floor(y / CELL)) + 130
        inside = 0 <= i < 300 and 0 <= j < 260
        assert samples.seen[k] == (inside and trust[i, j] > 0)
        assert samples.confidence[k] == (trust[i, j] / 255.0 if inside else 0.0)
    # At centres of seen cells the height is that of the cell.
    for i, j in rng.integers(10, 250, (100, 2)):
        if trust[i, j]:
            place = np.array([[(i - 150 + 0.5) * CELL, (j - 130 + 0.5) * CELL]])
            height = sample_terrain(terrain, place).height[0]
            assert height == pytest.approx(millimetres[i, j] / 1000.0, abs=1e-6)


def test_nothing_was_seen_of_an_empty_terrain() -> None:
    samples = sample_terrain(Terrain(), np.array([[0.0, 0.0], [1e3, -1e3]]))
    assert np.isnan(samples.height).all()
    assert np.isnan(samples.slope).all()
    assert not samples.seen.any()


def test_footprints_are_those_of_brute_force() -> None:
    heights, confidence = random_terrain_cells(7, (300, 260))
    terrain = terrain_from_cells(heights, confidence, first=(-150, -130))
    millimetres, trust = quantised(heights, confidence)
    rng = np.random.default_rng(8)
    poses = np.column_stack([rng.uniform(-1.0, 1.0, (50, 2)), rng.uniform(-4, 4, 50)])
    lower, upper = np.array([-0.2336, -0.11]), np.array([0.0425, 0.11])
    prints = sample_footprints(terrain, poses, lower=lower, upper=upper)
    i, j = np.meshgrid(np.arange(-150, 150), np.arange(-130, 130), indexing="ij")
    centres = np.stack([(i + 0.5) * CELL, (j + 0.5) * CELL], axis=-1)
    for k, (x, y, yaw) in enumerate(poses):
        turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
        local = (centres - (x, y)) @ turn
        inside = ((local >= lower) & (local <= upper)).all(axis=-1)
        seen = inside & (trust > 0)
        assert prints.lowest[k] == pytest.approx(millimetres[seen].min() / 1000.0, abs=1e-9)
        assert prints.highest[k] == pytest.approx(millimetres[seen].max() / 1000.0, abs=1e-9)
        assert prints.mean[k] == pytest.approx(millimetres[seen].mean() / 1000.0, abs=1e-9)
        assert prints.confidence[k] == pytest.approx(trust[inside].mean() / 255.0, abs=1e-9)
        assert prints.least[k] == trust[inside].min() / 255.0
        assert prints.unseen[k] == pytest.approx(1.0 - seen.sum() / inside.sum(), abs=1e-12)


def test_wrong_questions_are_refused() -> None:
    terrain = Terrain({(0, 0): random_patch(0)})
    with pytest.raises(InvalidEnvironment, match="points have shape"):
        sample_terrain(terrain, np.zeros((3, 4)))
    with pytest.raises(InvalidEnvironment, match="finite"):
        sample_terrain(terrain, np.full((1, 2), np.nan))
    with pytest.raises(InvalidEnvironment, match="radius"):
        sample_terrain(terrain, np.zeros((1, 2)), radius=0.0)
    with pytest.raises(InvalidEnvironment, match="lower must be below upper"):
        sample_footprints(terrain, np.zeros((1, 3)), lower=np.ones(2), upper=np.zeros(2))
    with pytest.raises(InvalidEnvironment, match="window"):
        terrain.window((0.0, 0.0), (1e6, 1e6))
