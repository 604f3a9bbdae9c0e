"""`run_study`: run all cells of a study, wherever there are workers, and keep what comes out."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import CannotWrite, InvalidInput
from footfall.studies.experiments import Experiment
from footfall.studies.rounds import Ask, Rounds, rounds_of
from footfall.studies.store import FILE, Store
from footfall.studies.study import Study
from footfall.studies.tables import StudyResult, result_of, write_results
from footfall.studies.workers import Result, Task, Work, Workers, new_workers, work_for

_CHUNK_SECONDS = 0.5  # of work in a chunk
_LONGEST_CHUNK = 256  # runs
_QUEUED = 2  # chunks a worker has waiting
_SAMPLE_SEED = 32  # of which cells stand for all
_COMMIT, _COMMIT_HERE = 1.0, 0.1  # s between two commits at most; of runs in this process


class StudyProgress(NamedTuple):
    """How far a study is. runs: ended, of about `expected`. failed: of them, with an error. rate: runs a second."""

    runs: int
    expected: int
    failed: int
    rate: float

    @property
    def remaining(self) -> float:
        """s, as it goes now."""
        return (self.expected - self.runs) / self.rate if self.rate > 0.0 else float("inf")


@dataclass
class _Cell:
    """A cell whose runs are not all known. open: numbers of seeds of this round that are still running."""

    number: int
    rounds: Rounds
    round: int
    asks: list[Ask]
    answers: dict[int, bool]

    @property
    def complete(self) -> bool:
        return len(self.answers) == len(self.asks)


class _Schedule:
    """Which run comes next. Cells are looked at one after the other, and only those that are running are in memory.

    numbers: of the cells that are wanted.
    """

    def __init__(self, study: Study, store: Store, numbers: Sequence[int]) -> None:
        self.study, self.store = study, store
        self._numbers, self._begun = numbers, 0
        self._cells: dict[int, _Cell] = {}
        # The first cells first: runs of one have more in common than those of several.
        self.ready: list[Task] = []
        self.ended_runs = 0  # of cells that need no more

    def fill(self, count: int) -> None:
        """Have at least so many runs ready, if there are any left."""
        while len(self.ready) < count and self._begun < len(self._numbers):
            self._start(self._numbers[self._begun])
            self._begun += 1

    @property
    def complete(self) -> bool:
        """Whether every cell of the study has all that it needs."""
        return self._begun == self.study.cells and not self._cells

    @property
    def finished_cells(self) -> int:
        return self._begun - len(self._cells)

    def _start(self, number: int) -> None:
        rounds = rounds_of(self.study)
        cell = _Cell(number, rounds, 0, next(rounds), {})
        self._cells[number] = cell
        self._ask(cell)

    def _ask(self, cell: _Cell) -> None:
        """Make tasks of a round; what is known already is not run again, and whole rounds that are known are passed."""
        while True:
            for ask in cell.asks:
                known = self.store.round(cell.number, ask.number, cell.round)
                if known is not None:
                    cell.answers[ask.number] = known
                else:
                    heapq.heappush(self.ready, self._task(cell, ask))
            if not cell.complete or not self._next_round(cell):
                return

    def _task(self, cell: _Cell, ask: Ask) -> Task:
        parameters = self.study.parameters(cell.number, ask.level)
        seed = self.study.first_seed + ask.number
        return Task(cell.number, ask.number, cell.round, ask.level, parameters, seed)

    def _next_round(self, cell: _Cell) -> bool:
        """Whether a cell goes on."""
        self.ended_runs += len(cell.asks)
        answers = [cell.answers[ask.number] for ask in cell.asks]
        try:
            cell.asks = cell.rounds.send(answers)
        except StopIteration:
            del self._cells[cell.number]
            return False
        cell.round, cell.answers = cell.round + 1, {}
        return True

    def take(self, result: Result, success: str) -> None:
        """A run has ended."""
        cell = self._cells[result.task.cell]
        cell.answers[result.task.number] = result.measures.get(success) is True
        if cell.complete and self._next_round(cell):
            self._ask(cell)

    @property
    def expected(self) -> int:
        """How many runs there will be: those of cells that ended tell about the others."""
        cells = len(self._numbers)
        if self.study.limit is None:
            return cells * self.study.seeds
        if self.finished_cells < 1:
            return cells * self.study.limit.usual_runs(self.study.seeds)
        return round(cells * self.ended_runs / self.finished_cells)


def run_study(
    study: Study,
    output: Path | str,
    *,
    function: Callable[..., Any] | str | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    cells: int | None = None,
    most: int | None = None,
    restart: bool = False,
    progress: Callable[[StudyProgress], None] | None = None,
) -> StudyResult:
    """Run a study, or what is left of it; results are in the folder `output` all the time.

    function: to be run instead of an experiment by name; or FILE.py:NAME. workers: processes, all cores by default; 1
    runs in this process. cluster: address of a Dask scheduler instead. cells: so many, drawn at random, instead of all;
    with more of them the same ones are among them. most: runs at most, now. restart: throw away what the folder has.
    Results do not depend on who ran what, to the bit.
    """
    if study.search is not None:
        raise InvalidInput("the study has a table [search]; use run_search")
    work = work_for(function if function is not None else study.experiment)
    experiment = work.experiment()
    experiment.check(study)
    with Crew(work, workers, cluster) as crew:
        return conduct(
            study,
            Path(output),
            experiment,
            crew,
            cells=cells,
            most=most,
            restart=restart,
            progress=progress,
        )


class Crew:
    """The workers for some work, hired when there is something to do. `with` it, so that they go home."""

    def __init__(self, work: Work, workers: int | None, cluster: str | None) -> None:
        if workers is not None and not 1 <= workers <= 4096:
            raise InvalidInput(f"workers is {workers}; it must be from 1 to 4096")
        self._hire: Callable[[], Workers] = partial(new_workers, work, workers, cluster)
        self._workers: Workers | None = None

    @property
    def workers(self) -> Workers:
        """They themselves."""
        if self._workers is None:
            self._workers = self._hire()
        return self._workers

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        if self._workers is not None:
            self._workers.close()


def conduct(
    study: Study,
    folder: Path,
    experiment: Experiment,
    crew: Crew,
    *,
    cells: int | None = None,
    most: int | None = None,
    restart: bool = False,
    tables: bool = True,
    progress: Callable[[StudyProgress], None] | None = None,
) -> StudyResult:
    """Run what is left of a study by a crew that stays. tables: whether to write them."""
    numbers = range(study.cells) if cells is None else sampled_cells(study, cells)
    _prepare(folder, restart)
    success = study.success or experiment.success or "success"
    with closing(Store(folder, study)) as store:
        schedule = _Schedule(study, store, numbers)
        schedule.fill(1)
        if schedule.ready:
            _conduct(schedule, crew.workers, success, most, progress)
        result = result_of(study, store, folder, complete=schedule.complete)
        if tables:
            write_results(result, store, success)
        return result


def sampled_cells(study: Study, count: int) -> list[int]:
    """So many cells of a study, the same ones each time, in the order of the study: neighbours have much in common."""
    if not 1 <= count <= study.cells:
        raise InvalidInput(f"cells is {count}; it must be from 1 to {study.cells}, the cells of the study")
    return sorted(np.random.default_rng(_SAMPLE_SEED).permutation(study.cells)[:count].tolist())


def _prepare(folder: Path, restart: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"folder {str(folder)!r} cannot be made: {error.strerror}") from None
    if restart:
        for path in folder.glob(f"{FILE}*"):
            path.unlink()


def _conduct(
    schedule: _Schedule,
    crew: Workers,
    success: str,
    most: int | None,
    progress: Callable[[StudyProgress], None] | None,
) -> None:
    store, begin = schedule.store, time.perf_counter()
    before = ended = store.count()
    failed = flying = 0
    seconds_a_run, last = 0.0, begin
    kept: list[Result] = []
    try:
        while True:
            # The first run goes alone: it makes native code, which the others then find.
            chunks = 1 if ended == before else _QUEUED * crew.count
            size = _chunk_size(seconds_a_run)
            schedule.fill(chunks * size)
            allowed = before + most - ended - flying if most is not None else len(schedule.ready)
            while schedule.ready and flying < chunks * size and allowed > 0:
                chunk = [
                    heapq.heappop(schedule.ready) for _ in range(min(size, len(schedule.ready), allowed))
                ]
                crew.submit(chunk)
                flying, allowed = flying + len(chunk), allowed - len(chunk)
            if flying == 0:
                return
            for result in crew.results(_COMMIT):
                flying, ended = flying - 1, ended + 1
                failed += result.error is not None
                share = 1.0 / min(ended - before, 100)
                seconds_a_run += share * (result.lasted - seconds_a_run)
                schedule.take(result, success)
                kept.append(result)
            now = time.perf_counter()
            if kept and (now - last >= (_COMMIT if crew.count > 1 else _COMMIT_HERE) or flying == 0):
                store.add(kept, success)
                kept, last = [], now
            if progress is not None:
                rate = (ended - before) / max(now - begin, 1e-9)
                progress(StudyProgress(ended, schedule.expected, failed, rate))
    finally:
        if kept:
            store.add(kept, success)


def _chunk_size(seconds_a_run: float) -> int:
    if seconds_a_run <= 0.0:
        return 1
    return max(1, min(_LONGEST_CHUNK, round(_CHUNK_SECONDS / seconds_a_run)))
