"""A real Dask scheduler with two workers on this machine: a workspace has the same bits as without."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.errors import ProgramFailed
from footfall.workspace import Workspace, analyse_workspace
from tests.workspace.arms import lola_arm

pytest.importorskip("distributed")
ARRAYS = ("corner", "grid", "counts", "seen", "least", "mean", "greatest", "normals", "offsets")


def _analysed(seed: int, *, cluster: str | None = None) -> Workspace:
    return analyse_workspace(lola_arm(), size=0.08, samples=300_000, seed=seed, cluster=cluster)


def test_a_cluster_gives_the_same_bits() -> None:
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1", silence_logs=50
    ) as cluster:
        there = _analysed(7, cluster=cluster.scheduler_address)
    here, other = _analysed(7), _analysed(8)
    for name in ARRAYS:
        assert np.asarray(getattr(here, name)).tobytes() == np.asarray(getattr(there, name)).tobytes(), name
    assert not np.array_equal(here.counts, other.counts)  # another seed has other samples


def test_a_scheduler_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footfall.studies.workers.CONNECTING", 0.5)
    with pytest.raises(ProgramFailed, match="no Dask scheduler at"):
        _analysed(7, cluster="tcp://127.0.0.1:1")
