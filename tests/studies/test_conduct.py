"""Whole studies: the same bits wherever they run, nothing lost, nothing twice, and errors that end no study."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from footfall.errors import InvalidInput, MissingFile, ProgramFailed, UnknownName
from footfall.studies import Limit, Span, Study, run_study, store
from footfall.studies.conduct import sampled_cells
from footfall.studies.store import FILE, stored_row, stored_study
from footfall.studies.workers import Processes, Task, Work, run_chunk, work_for
from tests.studies.thresholds import (
    fails_at_two,
    interrupts_at,
    kills_its_worker,
    returns_an_object,
    slow_square,
    stands,
    stands_at,
    threshold,
)

PUSHES = Study(
    name="pushes",
    seeds=9,
    first_seed=50,
    vary={"offset": [0.0, 1.5]},
    limit=Limit(parameter="push", first=0.0, last=16.0, within=0.01),
)
SQUARES = Study(name="squares", vary={"x": Span(first=0.0, last=29.0, count=30)})


def test_limits_are_medians_of_the_seeds(tmp_path: Path) -> None:
    result = run_study(PUSHES, tmp_path / "out", function=stands, workers=1)
    assert result.complete
    for cell, offset in zip(result.cells, (0.0, 1.5), strict=True):
        exact = np.sort([threshold(seed, offset) for seed in range(50, 59)])
        assert cell.limit is not None
        # Of nine seeds the second and the eighth enclose the median with 96 %, the third and the seventh with 82 %.
        assert cell.limit == pytest.approx((exact[4], exact[1], exact[7]), abs=0.01)
        assert cell.outside == 0


def test_results_have_the_same_bits_for_any_number_of_workers(tmp_path: Path) -> None:
    for count in (1, 2):
        run_study(PUSHES, tmp_path / str(count), function=stands, workers=count)
    for name in ("runs.parquet", "cells.csv", "README.md"):
        one, two = ((tmp_path / str(count) / name).read_bytes() for count in (1, 2))
        assert one == two


def test_a_study_goes_on_where_it_was(tmp_path: Path) -> None:
    first = run_study(PUSHES, tmp_path / "parts", function=stands, workers=1, most=25)
    assert not first.complete
    assert first.runs == 25
    again = run_study(PUSHES, tmp_path / "parts", function=stands, workers=1)
    whole = run_study(PUSHES, tmp_path / "whole", function=stands, workers=1)
    assert again.complete
    assert again.runs == whole.runs
    assert (tmp_path / "parts" / "runs.parquet").read_bytes() == (
        tmp_path / "whole" / "runs.parquet"
    ).read_bytes()


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_at_any_moment_nothing_is_lost_or_twice(tmp_path: Path, workers: int) -> None:
    code = (
        "from pathlib import Path; from footfall.studies import run_study\n"
        "from tests.studies.test_conduct import SQUARES, slow_square\n"
        f"run_study(SQUARES, Path({str(tmp_path / 'killed')!r}), function=slow_square, workers={workers})"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[2])
    path, count = tmp_path / "killed" / FILE, 0
    end = time.monotonic() + 120.0
    while count < 3 and time.monotonic() < end and process.poll() is None:
        time.sleep(0.01)
        if path.exists():
            try:
                with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
                    count = database.execute("SELECT COUNT(*) FROM runs").fetchone()[0]
            except sqlite3.OperationalError:
                continue  # the tables are being made
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert count >= 3
    assert len(children) >= (workers if workers > 1 else 0)
    while any(_runs(child) for child in children):  # they end with it
        assert time.monotonic() < end
        time.sleep(0.01)
    result = run_study(SQUARES, tmp_path / "killed", function=slow_square, workers=1)
    rows = pq.read_table(tmp_path / "killed" / "runs.parquet").to_pylist()
    assert result.complete
    assert [row["square"] for row in rows] == [float(x * x) for x in range(30)]


def _runs(process: str) -> bool:
    """Whether a process is there, and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_run_that_raises_is_a_row(tmp_path: Path) -> None:
    study = Study(name="odd", vary={"x": [1.0, 2.0, 3.0]})
    result = run_study(study, tmp_path / "out", function=fails_at_two, workers=1)
    rows = pq.read_table(tmp_path / "out" / "runs.parquet").to_pylist()
    assert result.complete
    assert result.failed == 1
    assert [row["value"] for row in rows] == [1.0, None, 3.0]
    assert "ArithmeticError: two is too many (thresholds.py:" in rows[1]["error"]
    assert rows[0]["error"] is None


def test_a_worker_that_dies_takes_no_other_run_along(tmp_path: Path) -> None:
    study = Study(name="deadly", vary={"x": [1.0, 2.0, 3.0, 4.0]})
    result = run_study(study, tmp_path / "out", function=kills_its_worker, workers=2)
    rows = pq.read_table(tmp_path / "out" / "runs.parquet").to_pylist()
    assert result.complete
    assert [row["value"] for row in rows] == [1.0, None, 3.0, 4.0]
    assert "died" in rows[1]["error"]


def test_workers_leave_interrupts_to_the_study_from_their_first_moment_on() -> None:
    """Ctrl-C goes to all processes of a terminal, also to those that are still beginning."""
    crew = Processes(work_for(slow_square), 2)
    try:
        crew.submit([Task(0, 0, 0, None, {"x": 1.0}, 0)])
        (number,) = crew._pool._processes
        status = dict(line.split(":", 1) for line in Path(f"/proc/{number}/status").read_text().splitlines())
        held = int(status["SigBlk"], 16) | int(status["SigIgn"], 16)
        assert held & 1 << (signal.SIGINT - 1)
        assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    finally:
        crew.close()


def test_results_of_another_study_are_not_mixed(tmp_path: Path) -> None:
    run_study(Study(name="a", vary={"x": [1.0]}), tmp_path, function=fails_at_two, workers=1)
    other = Study(name="a", vary={"x": [3.0]})
    with pytest.raises(InvalidInput, match="--restart"):
        run_study(other, tmp_path, function=fails_at_two, workers=1)
    assert run_study(other, tmp_path, function=fails_at_two, workers=1, restart=True).runs == 1
    assert stored_study(tmp_path) == other
    with pytest.raises(InvalidInput, match="rows 0 to 0"):
        stored_row(tmp_path, 1)


def test_files_that_are_no_results_are_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database at all" * 100)
    with pytest.raises(InvalidInput, match="holds no results"):
        run_study(Study(name="a", vary={"x": [1.0]}), tmp_path, function=fails_at_two, workers=1)
    with pytest.raises(InvalidInput, match="no results of a study"):
        stored_study(tmp_path / "nowhere")


def test_wrong_functions_and_parameters_are_told_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="no parameter 'y'"):
        run_study(Study(name="a", vary={"y": [1.0]}), tmp_path / "a", function=fails_at_two)
    with pytest.raises(UnknownName, match="experiment"):
        run_study(Study(name="a", experiment="wlak"), tmp_path / "a")
    with pytest.raises(InvalidInput, match=r"FILE\.py:NAME"):
        run_study(Study(name="a"), tmp_path / "a", function="nowhere.py:f")
    with pytest.raises(InvalidInput, match=r"experiment = one of walk, .*--function"):
        run_study(Study(name="a"), tmp_path / "a")
    assert not (tmp_path / "a").exists()
    result = run_study(
        Study(name="a", vary={"x": [1.0]}), tmp_path / "b", function=returns_an_object, workers=1
    )
    assert result.failed == 1
    with pytest.raises((MissingFile, OSError)):
        run_study(Study(name="a"), tmp_path / "b" / FILE / "deeper", function=fails_at_two)


def test_a_function_of_a_file_may_import_what_lies_beside_it_and_its_mistakes_are_told(
    tmp_path: Path,
) -> None:
    own, study = tmp_path / "own_study.py", Study(name="own", vary={"x": [1.0, 2.0]})
    (tmp_path / "beside_own_study.py").write_text("def twice(x):\n    return 2.0 * x\n")
    own.write_text(
        "from beside_own_study import twice\n\n\ndef measure(x):\n    return {'value': twice(x)}\n"
    )
    result = run_study(study, tmp_path / "out", function=f"{own}:measure", workers=2)
    assert [cell.means["value"] for cell in result.cells] == [2.0, 4.0]
    with pytest.raises(UnknownName, match=r"no function 'mesure' .* measure"):
        run_study(study, tmp_path / "out", function=f"{own}:mesure", workers=1)
    own.write_text("x = 1\ny = x / 0\n")
    with pytest.raises(InvalidInput, match="line 2: ZeroDivisionError"):
        run_study(study, tmp_path / "out", function=f"{own}:measure", workers=1)
    own.write_text("def measure(x: return x\n")
    with pytest.raises(InvalidInput, match="line 1: SyntaxError"):
        run_study(study, tmp_path / "out", function=f"{own}:measure", workers=1)


def test_runs_that_wait_for_others_come_in_small_chunks() -> None:
    """What counts is the clock: a function that waits for another process takes no time of its own."""
    (found,) = run_chunk(work_for(slow_square), [Task(0, 0, 0, None, {"x": 2.0}, 0)])
    assert found.lasted >= 0.02  # s, that it sleeps


def test_a_worker_with_other_code_refuses() -> None:
    task = Task(0, 0, 0, None, {"x": 1.0}, 0)
    with pytest.raises(ProgramFailed, match="install the same version"):
        run_chunk(Work(fails_at_two, "another fingerprint"), [task])


def test_a_study_that_is_interrupted_keeps_its_runs_and_goes_on(tmp_path: Path) -> None:
    study = Study(name="interrupted", vary={"x": [1.0, 2.0, 3.0, 4.0]})
    interrupts_at["x"] = 3.0
    with pytest.raises(KeyboardInterrupt):
        run_study(study, tmp_path, function=interrupts_at.measure, workers=1)
    interrupts_at["x"] = np.inf
    again = run_study(study, tmp_path, function=interrupts_at.measure, workers=1)
    assert again.complete
    assert interrupts_at.called == [1.0, 2.0, 3.0, 3.0, 4.0]  # nothing twice but what was running


def test_a_full_disk_is_told_and_the_study_goes_on_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = store._connected

    def on_a_full_disk(path: Path) -> sqlite3.Connection:
        database = real(path)
        database.execute("PRAGMA max_page_count = 8")  # SQLite says the same as of a disk
        return database

    monkeypatch.setattr(store, "_connected", on_a_full_disk)
    study = Study(name="full", vary={"x": Span(first=0.0, last=1.0, count=2000)})
    with pytest.raises(ProgramFailed, match=r"full; \d+ runs are kept"):
        run_study(study, tmp_path, function=stands_at, workers=1)
    monkeypatch.undo()
    assert run_study(study, tmp_path, function=stands_at, workers=1).complete


def test_the_worst_walks_are_those_that_failed_at_the_least(tmp_path: Path) -> None:
    """Only walks can be replayed; of a function nothing can."""
    result = run_study(PUSHES, tmp_path, function=stands, workers=1)
    assert store.worst_rows(tmp_path, 3) == []
    with sqlite3.connect(tmp_path / FILE) as database:
        database.execute("UPDATE runs SET replay = x'00'")
    rows = pq.read_table(result.folder / "runs.parquet").to_pylist()
    failed = sorted(row["push"] for row in rows if not row["success"])
    assert [rows[number]["push"] for number in store.worst_rows(tmp_path, 3)] == failed[:3]
    assert not any(rows[number]["success"] for number in store.worst_rows(tmp_path, 100))


def test_results_of_other_versions_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = Study(name="old", vary={"x": [1.0, 3.0]})
    with monkeypatch.context() as older:
        older.setattr(store, "__version__", "0.0.7")
        run_study(study, tmp_path, function=fails_at_two, workers=1, most=1)
    (told,) = run_study(study, tmp_path, function=fails_at_two, workers=1).warnings
    assert "begun with footfall 0.0.7; what is missing is run with" in told
    with sqlite3.connect(tmp_path / FILE) as database:
        database.execute("UPDATE runs SET replay = ?", (zlib.compress(b'{"version": 3, "robot": "lola"}'),))
    *_, told = run_study(study, tmp_path, function=fails_at_two, workers=1).warnings
    assert "was begun by version 3 of walks; what is missing is walked by version" in told
    with sqlite3.connect(tmp_path / FILE) as database:
        database.execute("UPDATE study SET format = 1")
    with pytest.raises(InvalidInput, match=r"kept runs in another way .*--restart"):
        run_study(study, tmp_path, function=fails_at_two, workers=1)


def test_some_cells_stand_for_all_and_are_among_more_of_them(tmp_path: Path) -> None:
    """Each is as likely as any other: of 30 cells 10 are drawn, and the mean of their numbers is that of all."""
    few, more = sampled_cells(SQUARES, 10), sampled_cells(SQUARES, 20)
    assert set(few) < set(more) < set(range(30))
    assert few == sorted(few)
    many = Study(name="many", vary={"x": Span(first=0.0, last=1.0, count=10_000)})
    # 1,000 of 10,000 have a mean within 4 standard deviations, 10000 / sqrt(12 * 1000).
    assert abs(np.mean(sampled_cells(many, 1000)) - 4999.5) < 4.0 * 10_000 / np.sqrt(12.0 * 1000)
    part = run_study(SQUARES, tmp_path / "x", function=slow_square, workers=1, cells=3)
    assert not part.complete
    assert [cell.number for cell in part.cells] == sampled_cells(SQUARES, 3)
    assert [cell.number for cell in part.first_cells(2)] == sampled_cells(SQUARES, 3)[:2]
    assert run_study(SQUARES, tmp_path / "x", function=slow_square, workers=1).complete
    whole = run_study(SQUARES, tmp_path / "y", function=slow_square, workers=1)
    assert (tmp_path / "x" / "runs.parquet").read_bytes() == (whole.folder / "runs.parquet").read_bytes()
    with pytest.raises(InvalidInput, match="from 1 to 30, the cells of the study"):
        run_study(SQUARES, tmp_path / "z", function=slow_square, cells=31)
    assert not (tmp_path / "z").exists()
