"""A real Dask scheduler with two workers on this machine: the same bits as without, also if a worker is killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from threading import Timer

import pytest

from footfall.errors import ProgramFailed
from footfall.studies import Span, Study, run_study
from tests.studies.thresholds import slow_square

pytest.importorskip("distributed")
SQUARES = Study(name="squares", vary={"x": Span(first=0.0, last=59.0, count=60)})


def test_a_cluster_gives_the_same_bits_although_a_worker_is_killed(tmp_path: Path) -> None:
    from distributed import LocalCluster

    run_study(SQUARES, tmp_path / "here", function=slow_square, workers=1)
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1", silence_logs=50
    ) as cluster:
        victim = next(iter(cluster.workers.values())).process.pid
        Timer(0.5, lambda: os.kill(victim, signal.SIGKILL)).start()
        result = run_study(
            SQUARES, tmp_path / "there", function=slow_square, cluster=cluster.scheduler_address
        )
    assert result.complete
    assert result.failed == 0
    assert (tmp_path / "here" / "runs.parquet").read_bytes() == (
        tmp_path / "there" / "runs.parquet"
    ).read_bytes()


def test_a_scheduler_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footfall.studies.workers.CONNECTING", 0.5)
    with pytest.raises(ProgramFailed, match="no Dask scheduler at"):
        run_study(SQUARES, tmp_path, function=slow_square, cluster="tcp://127.0.0.1:1")
