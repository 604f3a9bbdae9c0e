"""Workspaces against closed forms, inverse kinematics and each other."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import footfall
from footfall.dynamics.volume_distances import volume_distances
from footfall.errors import InvalidInput, UnknownName, UnsuitableRobot
from footfall.workspace import Workspace, WorkspaceProgress, analyse_workspace, arm_chain, reachable
from footfall.workspace.cells import Batch, fill, merged, new_table
from footfall.workspace.collisions import own_volumes
from footfall.workspace.evaluation import Asked, nearest_table
from footfall.workspace.gathering import BATCH, Gatherer
from tests.workspace.arms import lola_arm, lola_reaches, lola_volume, planar_arm, railed_scara


def test_an_arm_in_a_plane_reaches_a_ring() -> None:
    found = analyse_workspace(planar_arm(0.4, 0.25), size=0.02, samples=150_000)
    # pi ((l1 + l2)^2 - (l1 - l2)^2), one layer of cells; planes at the border are right to a few percent of a cell,
    # of which the border has 2 pi (0.65 + 0.15) m: 0.05 * 0.02 * 5 / 1.26 = 0.4 %, twice that allowed.
    assert found.volume / found.size == pytest.approx(np.pi * (0.65**2 - 0.15**2), rel=8e-3)


def test_a_railed_scara_reaches_a_hollow_cylinder() -> None:
    found = analyse_workspace(railed_scara(), size=0.04, samples=300_000)
    # A ring times 1 m of rail and 0.2 m of slide; surface 12 m2, missing 2 % of a cell there: 0.7 %.
    assert found.volume == pytest.approx(np.pi * (0.6**2 - 0.1**2) * 1.2, rel=1.5e-2)
    assert found.box[0] == pytest.approx([-0.6, -0.6, 0.1], abs=0.04)
    assert found.box[1] == pytest.approx([0.6, 0.6, 1.3], abs=0.04)


def test_lolas_arm_reaches_what_its_shoulder_lets_it(lola_workspace: Workspace) -> None:
    # Cells of 4 cm, surface about 7 m2, 3 % of a cell: 0.7 %.
    assert lola_workspace.volume == pytest.approx(lola_volume(), rel=1.5e-2)
    random = np.random.default_rng(1000)
    points = random.uniform(*lola_workspace.box, (20_000, 3))
    wrong = lola_workspace.reaches(points) != lola_reaches(points)
    assert wrong.mean() < 0.02
    # The comparison sees 2 cm.
    assert (lola_workspace.reaches(points) != lola_reaches(points + np.array([0.0, 0.0, 0.02]))).mean() > 0.02


def test_a_shoulder_without_stops_reaches_a_whole_shell() -> None:
    chain = lola_arm(limits={"aar": (-np.pi, np.pi)})
    found = analyse_workspace(chain, size=0.04, samples=300_000)
    assert found.volume == pytest.approx(1.613, rel=2e-2)  # between 0.1525 and 0.7298 m


def test_inverse_kinematics_agrees_with_the_closed_form() -> None:
    points = np.random.default_rng(7).uniform(-0.7, 1.0, (3000, 3))
    assert (reachable(lola_arm(), points) == lola_reaches(points)).all()


def test_levels_hold_what_is_below_them(lola_workspace: Workspace) -> None:
    levels = [lola_workspace.level(k) for k in range(4)]
    assert [level.size for level in levels] == pytest.approx([0.04, 0.08, 0.16, 0.32])
    for fine, coarse in pairwise(levels):
        assert coarse.counts.sum() == fine.counts.sum()
        assert coarse.greatest[coarse.counts > 0].max() == fine.greatest[fine.counts > 0].max()
        assert coarse.least[coarse.counts > 0].min() == fine.least[fine.counts > 0].min()
        total = (fine.counts[:, None] * np.where(fine.counts[:, None] > 0, fine.mean, 0.0)).sum(axis=0)
        assert (coarse.counts[:, None] * coarse.mean).sum(axis=0) == pytest.approx(total, rel=1e-12)
    there = levels[0].counts > 0
    assert (levels[0].least[there] <= levels[0].mean[there] + 1e-12).all()
    assert (levels[0].mean[there] <= levels[0].greatest[there] + 1e-12).all()


def test_queries_find_the_cells_of_points(lola_workspace: Workspace) -> None:
    cells = np.flatnonzero(lola_workspace.counts > 0.0)[::97]
    centers = lola_workspace.centers()[cells]
    found = lola_workspace.at(centers)
    assert (found.counts == lola_workspace.counts[cells]).all()
    assert (found.mean == lola_workspace.mean[cells]).all()
    coarse = lola_workspace.at(centers, level=2)
    assert (coarse.counts >= found.counts).all()
    far = lola_workspace.at(np.array([[9.0, 9.0, 9.0], [np.nan, 0.0, 0.0], [1e300, 0.0, 0.0]]))
    assert (far.counts == 0.0).all()
    assert np.isnan(far.mean).all()
    assert not lola_workspace.reaches_point(np.array([9.0, 0.0, 0.0]))
    assert not lola_workspace.reaches_point(np.array([np.nan, 0.0, 0.0]))


def test_cells_count_like_numpy() -> None:
    gatherer = Gatherer(lola_arm(), Asked(), 0.05, 64, None)
    shares = np.random.default_rng(2).random((BATCH, 4))
    table = gatherer.gather(gatherer.new_table(), shares)
    (batch,) = (Batch(*(np.copy(each) for each in every)) for every in gatherer.batches(shares))
    places = np.floor((batch.positions - table.corner) / 0.05).astype(int)
    cells, which = np.unique(places, axis=0, return_inverse=True)
    assert int((table.seen != 0).sum()) == len(cells)
    counts = np.sort(table.rows[::3, 0][table.seen != 0])
    assert (counts == np.sort(np.bincount(which.reshape(-1)))).all()
    greatest = np.full(len(cells), -np.inf)
    np.maximum.at(greatest, which.reshape(-1), batch.values[:, 2])
    assert (np.sort(table.rows[2::3, 2][table.seen != 0]) == np.sort(greatest)).all()


def test_tables_together_are_the_table_of_all() -> None:
    gatherer = Gatherer(lola_arm(), Asked(), 0.05, 64, None)
    shares = np.random.default_rng(3).random((2 * BATCH, 4))
    both = gatherer.gather(gatherer.new_table(), shares)
    parts = [gatherer.gather(gatherer.new_table(), part) for part in (shares[:BATCH], shares[BATCH:])]
    one = merged(parts[0], parts[1])
    where = np.argwhere(both.grid >= 0)
    assert (where == np.argwhere(one.grid >= 0)).all()
    for a, b, c in where:
        first, second = (
            slice(3 * 512 * k, 3 * 512 * (k + 1)) for k in (both.grid[a, b, c], one.grid[a, b, c])
        )
        # Sums in another order
        assert both.rows[first] == pytest.approx(one.rows[second], rel=1e-13)


def test_a_sample_outside_of_the_grid_is_told() -> None:
    table = new_table(np.zeros(3), 0.1, 0.02, 1)
    batch = Batch(
        np.zeros((8, 1)), np.full((8, 3), 5.0), np.zeros((8, 1)), np.ones((8, 8)), np.zeros(8, bool)
    )
    assert fill(table, batch, nearest_table(64), 0, 1e300) == -1


def test_own_volumes_keep_apart() -> None:
    chain = lola_arm()
    volumes = own_volumes(chain)
    gatherer = Gatherer(chain, Asked(), 0.05, 64, 0.0)
    shares = np.random.default_rng(5).random((BATCH, 4))
    (batch,) = gatherer.batches(shares)
    dropped = batch.dropped.copy()
    q = chain.lower + shares * (chain.upper - chain.lower)
    moving = [
        pair for pair in chain.robot.volume_pairs if any("right" in name and "arm" in name for name in pair)
    ]
    least = np.asarray(volume_distances(chain.robot, q, pairs=moving).distance).min(axis=1)
    assert len(volumes.pairs) > 40
    assert (dropped == (least < 0.0)).all()
    assert 0.01 < dropped.mean() < 0.2


def test_less_is_reached_without_touch_with_loads_and_narrow_limits() -> None:
    free = analyse_workspace(lola_arm(), size=0.05, samples=100_000)
    for options, limits in (
        ({"clearance": 0.02}, {}),
        ({"load": 40.0}, {}),
        ({}, {"limit_set": "multi_contact"}),
    ):
        less = analyse_workspace(lola_arm(**limits), size=0.05, samples=100_000, **options)
        assert 0.1 < less.volume < 0.99 * free.volume


def test_processes_change_no_bit() -> None:
    # Three parts, two of them at once.
    options = {"size": 0.1, "samples": 2**22 + 5, "explore": False}
    one = analyse_workspace(lola_arm(), **options)  # type: ignore[arg-type]
    two = analyse_workspace(lola_arm(), workers=2, **options)  # type: ignore[arg-type]
    for name in ("grid", "counts", "seen", "mean", "least", "greatest"):
        assert (getattr(one, name) == getattr(two, name)).all()


def test_what_was_interrupted_goes_on(tmp_path: Path) -> None:
    kept = tmp_path / "kept.npz"
    stages: list[str] = []

    def stop(now: WorkspaceProgress) -> None:
        stages.append(now.stage)
        if now.stage == "exploring":
            raise KeyboardInterrupt

    options = {"size": 0.08, "samples": 100_000}
    with pytest.raises(KeyboardInterrupt):
        analyse_workspace(lola_arm(), keep=kept, progress=stop, **options)  # type: ignore[arg-type]
    assert kept.exists()
    later: list[str] = []
    again = analyse_workspace(
        lola_arm(),
        keep=kept,
        progress=lambda now: later.append(now.stage),
        **options,  # type: ignore[arg-type]
    )
    assert "sampling" in stages
    assert "sampling" not in later
    assert not kept.exists()
    whole = analyse_workspace(lola_arm(), **options)  # type: ignore[arg-type]
    assert (again.mean == whole.mean).all()
    assert (again.offsets == whole.offsets).all()


@pytest.mark.parametrize("damage", [b"", b"no zip", b"PK\x03\x04"])
def test_a_damaged_file_is_refused(tmp_path: Path, damage: bytes) -> None:
    kept = tmp_path / "kept.npz"
    kept.write_bytes(damage)
    with pytest.raises(InvalidInput, match="delete it"):
        analyse_workspace(lola_arm(), size=0.1, samples=1000, keep=kept)


def test_chains_without_meaning_are_refused() -> None:
    lola = footfall.load("lola")
    with pytest.raises(InvalidInput, match="both"):
        arm_chain(lola, "RH", "RH")
    with pytest.raises(InvalidInput, match="no joint lies between"):
        arm_chain(lola, "RH", "efr")
    with pytest.raises(UnknownName, match="no frame 'hand'"):
        arm_chain(lola, "torso", "hand")
    with pytest.raises(UnsuitableRobot, match="floating"):
        arm_chain(lola, "world", "RH")
    with pytest.raises(InvalidInput, match="limits has 'knee'"):
        arm_chain(lola, "torso", "RH", limits={"knee": (0.0, 1.0)})
    with pytest.raises(InvalidInput, match="first must not be greater"):
        arm_chain(lola, "torso", "RH", limits={"efr": (1.0, 0.0)})


@pytest.mark.parametrize(
    "wrong, told",
    [
        ({"size": 0.0}, "size is 0"),
        ({"size": 1e-6}, "too small"),
        ({"axis": "w"}, "axis is 'w'"),
        ({"length": -1.0}, "length is -1"),
        ({"push": (0.0, 0.0, 0.0)}, "direction"),
        ({"push": (1.0, 0.0)}, "direction"),
        ({"load": -1.0}, "load is -1"),
        ({"clearance": -0.1}, "clearance is -0.1"),
        ({"directions": 65}, "from 2 to 64"),
        ({"workers": 0}, "workers is 0"),
        ({"method": "grid", "step": 0.1, "samples": 5}, "leave `samples` out"),
    ],
)
def test_wrong_options_are_told_by_name(wrong: dict[str, object], told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        analyse_workspace(lola_arm(), **{"samples": 1000, **wrong} if "step" not in wrong else wrong)  # type: ignore[arg-type]


def test_robots_without_what_is_asked_for_are_told() -> None:
    with pytest.raises(InvalidInput, match="no swept-sphere volumes"):
        analyse_workspace(planar_arm(), samples=1000, clearance=0.0)
    with pytest.raises(InvalidInput, match="no effort limit"):
        analyse_workspace(planar_arm(), samples=1000, load=1.0)


def test_one_point_is_asked_for_as_many_are(lola_workspace: Workspace) -> None:
    """`at_point` and `reaches_point` say what `at` and `reaches` say, at every level, inside and outside."""
    low, high = lola_workspace.box
    points = np.random.default_rng(1000).uniform(low - 0.1, high + 0.1, (200, 3))
    reached = lola_workspace.reaches(points)
    assert 0.1 < reached.mean() < 0.9
    for level in range(4):
        many = lola_workspace.at(points, level=level)
        for k, point in enumerate(points):
            one = lola_workspace.at_point(point, level=level)
            for values, value in zip(many, one, strict=True):
                np.testing.assert_array_equal(values[k], value)
            assert lola_workspace.reaches_point(point) == reached[k]


@pytest.mark.parametrize("points", [np.zeros(3), np.zeros((2, 2)), [["a", "b", "c"]], None])
def test_points_that_are_none_are_refused(lola_workspace: Workspace, points: Any) -> None:
    for ask in (lola_workspace.reaches, lola_workspace.at):
        with pytest.raises(InvalidInput, match="points"):
            ask(points)
