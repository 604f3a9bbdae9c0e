"""A real Dask scheduler with two workers on this machine: the same bits as without, also if a worker is killed."""

from __future__ import annotations

import os
import re
import signal
import socket
import textwrap
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Thread, Timer
from typing import Any

import pytest

from footfall.errors import ProgramFailed
from footfall.studies import Span, Study, StudyProgress, read_study, run_study
from footfall.studies.workers import Cluster, Task, work_for
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


class _Way:
    """A way to a server that can be cut. open: whether it can be gone again."""

    def __init__(self, address: str) -> None:
        host, port = address.removeprefix("tcp://").split(":")
        self._there = host, int(port)
        self._door = socket.create_server(("127.0.0.1", 0))
        self._ways: list[socket.socket] = []
        self.open = True
        Thread(target=self._serve, daemon=True).start()

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self._door.getsockname()[1]}"

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._door.accept()
                if not self.open:
                    here.close()
                    continue
                there = socket.create_connection(self._there)
                self._ways += [here, there]
                for one, other in ((here, there), (there, here)):
                    Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def cut(self) -> None:
        for each in self._ways:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._ways.clear()

    def close(self) -> None:
        self.cut()
        self._door.close()


@contextmanager
def _way_to_two_workers() -> Iterator[tuple[_Way, str]]:
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=None,
        host="127.0.0.1",
        silence_logs=50,
        processes=False,
        protocol="tcp://",
    ) as cluster:
        way = _Way(cluster.scheduler_address)
        try:
            yield way, cluster.scheduler_address
        finally:
            way.close()


def test_a_network_that_is_cut_for_a_moment_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("footfall.studies.conduct._LONGEST_CHUNK", 2)
    run_study(SQUARES, tmp_path / "here", function=slow_square, workers=1)
    cuts: list[int] = []
    with _way_to_two_workers() as (way, _):

        def cut_at_ten(now: StudyProgress) -> None:
            if now.runs >= 10 * (len(cuts) + 1) and len(cuts) < 2:
                cuts.append(now.runs)
                way.cut()

        result = run_study(
            SQUARES, tmp_path / "there", function=slow_square, cluster=way.address, progress=cut_at_ten
        )
    assert len(cuts) == 2
    assert result.complete
    assert result.runs == 60
    files = [tmp_path / name / "runs.parquet" for name in ("here", "there")]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_scheduler_that_stays_away_is_told_and_the_same_call_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("footfall.studies.workers.CONNECTING", 0.5)
    monkeypatch.setattr("footfall.studies.conduct._LONGEST_CHUNK", 2)
    run_study(SQUARES, tmp_path / "here", function=slow_square, workers=1)
    with _way_to_two_workers() as (way, address):

        def cut(now: StudyProgress) -> None:
            if now.runs >= 10 and way.open:
                way.open = False
                way.cut()

        with pytest.raises(ProgramFailed, match="is gone; what has run is kept"):
            run_study(SQUARES, tmp_path / "there", function=slow_square, cluster=way.address, progress=cut)
        monkeypatch.undo()
        kept = []
        run_study(
            SQUARES,
            tmp_path / "there",
            function=slow_square,
            cluster=address,
            progress=lambda now: kept.append(now.runs),
        )
    assert kept[0] >= 10  # what had run was not run again
    files = [tmp_path / name / "runs.parquet" for name in ("here", "there")]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_workers_with_other_code_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with _way_to_two_workers() as (_, address):
        monkeypatch.setattr("footfall.studies.workers.code_fingerprint", lambda: "of this side")
        work = work_for(slow_square)
        monkeypatch.undo()
        with closing(Cluster(work, address)) as cluster:
            cluster.submit([Task(0, 0, 0, None, {"x": 1.0}, 1)])
            with pytest.raises(ProgramFailed, match="has other code of footfall"):
                cluster.results(60.0)


def test_a_file_of_ones_own_goes_to_workers_as_it_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers that stay have not kept what it was, and need not have it themselves."""
    monkeypatch.chdir(tmp_path)
    study = Study(name="one", vary={"x": [3.0]})
    with _way_to_two_workers() as (_, address):
        for factor in (2.0, 5.0):
            Path("own.py").write_text(f"def times(x):\n    return {{'value': {factor} * x}}\n")
            run_study(study, f"by-{factor}", function="own.py:times", cluster=address)
    tables = [(tmp_path / name / "cells.csv").read_text() for name in ("by-2.0", "by-5.0")]
    assert "6.0" in tables[0]
    assert "15.0" in tables[1]


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
