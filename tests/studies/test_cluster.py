"""A real Dask scheduler with two workers on this machine: the same bits as without, also if a worker is killed."""

from __future__ import annotations

import os
import re
import signal
import textwrap
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from footfall.errors import ProgramFailed
from footfall.studies import Span, Study, read_study, run_study
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


def test_the_script_for_slurm_asks_for_what_the_document_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs as it stands, with a real scheduler; jobs are not submitted, what they would be is looked at."""
    queue = pytest.importorskip("dask_jobqueue")
    page = (Path(__file__).parents[2] / "docs" / "studies.md").read_text()
    found = re.search(r"    from dask_jobqueue import.*?\n\n(?=\S)", page, re.DOTALL)
    assert found is not None
    asked: list[object] = []

    def scale(cluster: Any, jobs: int) -> None:
        if jobs:  # closing scales to none
            asked.extend([jobs, cluster.job_script()])

    monkeypatch.setattr(queue.SLURMCluster, "scale", scale)
    monkeypatch.setattr(
        "footfall.studies.run_study", lambda study, output, cluster: asked.extend([study, output, cluster])
    )
    exec(compile(textwrap.dedent(found[0]), "docs/studies.md", "exec"), {})
    jobs, script, study, output, address = asked
    assert (jobs, study, output) == (10, read_study("push_map"), "push-map")
    assert str(address).startswith("tcp://")
    for part in ("#SBATCH -t 08:00:00", "--cpus-per-task=16", "--nworkers 16", "--nthreads 1", str(address)):
        assert part in str(script)
