"""`analyse_workspace`: samples of a chain on one core, on all, or on a cluster; kept as they come.

What an analysis has done so far, in a file from which it goes on.
"""

from __future__ import annotations

import os
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.errors import FootfallError, InvalidInput
from footfall.robot.digest import digest_of
from footfall.studies.workers import Result, Task, code_fingerprint, new_workers, require_same_code
from footfall.whole_file import open_file, written_whole
from footfall.workspace.border import Border
from footfall.workspace.cells import BLOCK, WIDTH, CellTable, merged
from footfall.workspace.chain import ArmChain
from footfall.workspace.evaluation import HAND_AXES, MOST, Asked
from footfall.workspace.gathering import Gatherer
from footfall.workspace.samples import Samples, plan_samples
from footfall.workspace.workspace import Description, Workspace

_ARRAYS = ("corner", "grid", "rows", "seen", "seeds")


class Explored(NamedTuple):
    """parts: of samples that are done. rounds: of exploring. spent: samples of both."""

    parts: int
    rounds: int
    spent: int
    table: CellTable


def trimmed(table: CellTable) -> CellTable:
    """Without room for more blocks."""
    cells = int(table.used[0]) * BLOCK
    return table._replace(rows=table.rows[: 3 * cells], seen=table.seen[:cells], seeds=table.seeds[:cells])


def keep_state(path: Path, digest: str, state: Explored) -> None:
    """Write what is done, whole or not at all."""
    table = trimmed(state.table)
    arrays = {name: getattr(table, name) for name in _ARRAYS}
    numbers = np.array([state.parts, state.rounds, state.spent, int(table.used[0])])
    with written_whole(path) as file:
        np.savez(file, digest=np.array(digest), size=table.size, numbers=numbers, **arrays)


def kept_state(path: Path, digest: str) -> Explored | None:
    """What is done of a request; None if there is no file."""
    if not path.exists():
        return None
    try:
        with open_file(path) as file, np.load(file, allow_pickle=False) as kept:
            if str(kept["digest"]) != digest:
                raise InvalidInput(f"{str(path)!r} is of another analysis; choose another place or delete it")
            corner, grid, rows, seen, seeds = (kept[name] for name in _ARRAYS)
            size, numbers = float(kept["size"]), kept["numbers"]
    except (EOFError, KeyError, OSError, ValueError, zipfile.BadZipFile) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"{str(path)!r} cannot be read ({error}); delete it to begin anew") from None
    cells = len(seen)
    whole = (
        numbers.shape == (4,)
        and corner.shape == (3,)
        and grid.ndim == 3
        and rows.shape == (3 * cells, WIDTH)
        and seeds.ndim == 2
        and len(seeds) == cells == int(numbers[3]) * BLOCK
        and int(grid.max(initial=-1)) < max(int(numbers[3]), 1)
        and int(grid.min(initial=-1)) >= -1
    )
    if not whole:
        raise InvalidInput(f"{str(path)!r} is damaged; delete it to begin anew")
    used = np.array([int(numbers[3])], dtype=np.int64)
    table = CellTable(corner, size, grid, rows, seen, seeds, used)
    return Explored(int(numbers[0]), int(numbers[1]), int(numbers[2]), table)


_PLAIN = 0.5  # of all samples; the others look around cells that are new, seldom reached or at the border
_SETTLED = 5e-4  # of all cells: fewer new ones in a round, and exploring ends
_MOST_ROUNDS = 40  # of exploring at most
_ROUND = 1_000_000  # samples of a round at most
_KEEP = 20.0  # s between two times that all is kept
_QUEUED = 2  # parts a worker has waiting


class Request(NamedTuple):
    """All that decides about a workspace."""

    chain: ArmChain
    asked: Asked
    size: float
    directions: int
    clearance: float | None
    samples: Samples
    budget: int  # of samples that explore

    @property
    def digest(self) -> str:
        """To tell it from others."""
        chain = self.chain
        return digest_of(
            chain.robot.fingerprint, chain.root, chain.hand, chain.lower, chain.upper, chain.effort,
            repr((self.asked, self.size, self.directions, self.clearance, self.samples, self.budget)),
        )  # fmt: skip

    def gatherer(self) -> Gatherer:
        """Who evaluates its samples."""
        return Gatherer(self.chain, self.asked, self.size, self.directions, self.clearance)


class WorkspaceProgress(NamedTuple):
    """How far an analysis is. stage: sampling, exploring, border. samples: of about `expected`. rate: a second."""

    stage: str
    samples: int
    expected: int
    rate: float

    @property
    def remaining(self) -> float:
        """s, as it goes now."""
        return max(self.expected - self.samples, 0) / self.rate if self.rate > 0.0 else float("inf")


def analyse_workspace(
    chain: ArmChain,
    *,
    size: float = 0.02,
    samples: int | None = None,
    method: str = "random",
    step: float | None = None,
    seed: int = 0,
    explore: bool = True,
    axis: str = "z",
    directions: int = MOST,
    length: float = 1.0,
    load: float | None = None,
    push: Sequence[float] | None = None,
    clearance: float | None = None,
    workers: int = 1,
    cluster: str | None = None,
    keep: Path | str | None = None,
    progress: Callable[[WorkspaceProgress], None] | None = None,
) -> Workspace:
    """Where a chain's hand gets and how well it moves there, in cells of a size, m.

    samples: how many, 10 million by default; method: `random`, `sobol`, or `grid` with a step, m, that the hand moves
    from one sample to the next at most (Seiwald 2023, section 3.3). explore: half of the samples go where cells are
    reached seldom and where the workspace ends, which a grid and its counts leave out. axis: of the hand, whose
    directions are counted, `x` to `-z`, among so many `directions` (64 at most). length: m by which velocities are
    divided. load: kg on the hand, and push: a direction (3,) in root axes; both need effort limits, and samples that
    the load is too much for do not count. clearance: m between the robot's own volumes; None lets them touch. workers:
    processes. cluster: address of a Dask scheduler instead. keep: a file for what is done, from which the same call
    goes on. Results do not depend on who computed what, to the bit.
    """
    asked = _asked(axis, length, load, push)
    if not 2 <= directions <= MOST:
        raise InvalidInput(f"directions is {directions}; it must be from 2 to {MOST}")
    if clearance is not None and not 0.0 <= clearance < np.inf:
        raise InvalidInput(f"clearance is {clearance}; it must be at least 0 m")
    if not 1 <= workers <= 4096:
        raise InvalidInput(f"workers is {workers}; it must be from 1 to 4096")
    if method == "grid":
        if samples is not None:
            raise InvalidInput("a grid has as many samples as its step asks for; leave `samples` out")
        explore, planned, budget = False, plan_samples(chain, method, step=step, seed=seed), 0
    else:
        total = 10_000_000 if samples is None else samples
        if total < 1:
            raise InvalidInput(f"samples is {samples}; it must be at least 1")
        plain = max(int(_PLAIN * total), 1) if explore else total
        planned = plan_samples(chain, method, total=plain, step=step, seed=seed)
        budget = total - plain
    request = Request(chain, asked, float(size), directions, clearance, planned, budget)
    kept = None if keep is None else Path(keep)
    state = kept_state(kept, request.digest) if kept is not None else None
    if state is None:
        state = Explored(0, 0, 0, request.gatherer().new_table())
    analysis = _Analysis(request, kept, progress, state)
    try:
        analysis.sample(workers, cluster)
        if explore:
            analysis.explore()
        return analysis.result()
    finally:
        if kept is not None and not analysis.complete:
            keep_state(kept, request.digest, analysis.state)


def _asked(axis: str, length: float, load: float | None, push: Sequence[float] | None) -> Asked:
    if axis not in HAND_AXES:
        raise InvalidInput(f"axis is {axis!r}; it must be one of: {', '.join(HAND_AXES)}")
    if not 0.0 < length < np.inf:
        raise InvalidInput(f"length is {length}; it must be above 0 m")
    if load is not None and not 0.0 <= load < np.inf:
        raise InvalidInput(f"load is {load}; it must be at least 0 kg")
    way = None
    if push is not None:
        x, y, z = (float(each) for each in push) if len(push) == 3 else (np.nan,) * 3
        if not 0.0 < x * x + y * y + z * z < np.inf:
            raise InvalidInput(f"push is {list(push)}; it must be a direction: three numbers, not all zero")
        way = (x, y, z)
    return Asked(axis, float(length), load, way)


class PartWork(NamedTuple):
    """What workers need to compute parts."""

    request: Request
    fingerprint: str


_GATHERERS: dict[
    str, Gatherer
] = {}  # of this process: parts of the same request share native code and arrays


def run_part(work: PartWork, tasks: Sequence[Task]) -> list[Result]:
    """Compute parts in whatever process this is called: a table each."""
    require_same_code(work.fingerprint)
    request = work.request
    key = request.digest
    if key not in _GATHERERS:
        _GATHERERS.clear()
        _GATHERERS[key] = request.gatherer()
    gatherer, results = _GATHERERS[key], []
    for task in tasks:
        begin = time.process_time()
        shares = request.samples.shares(task.cell, request.chain.count)
        table = trimmed(gatherer.gather(gatherer.new_table(), shares))
        results.append(Result(task, {}, None, None, time.process_time() - begin, table))
    return results


class _Analysis:
    """What is done of a request."""

    def __init__(
        self,
        request: Request,
        kept: Path | None,
        progress: Callable[[WorkspaceProgress], None] | None,
        state: Explored,
    ) -> None:
        self.request, self.state, self.complete = request, state, False
        self._kept, self._progress = kept, progress
        self._begin, self._last = time.perf_counter(), time.perf_counter()
        self._first = state.spent
        self._border: Border | None = None

    def sample(self, workers: int, cluster: str | None) -> None:
        """All parts that are left; they are put together in their order, whoever was first."""
        samples, next_part = self.request.samples, self.state.parts
        if next_part == samples.parts:
            return
        crew = new_workers(PartWork(self.request, code_fingerprint()), workers, cluster, run_part)
        arrived: dict[int, CellTable] = {}
        try:
            while self.state.parts < samples.parts:
                while next_part < samples.parts and next_part < self.state.parts + _QUEUED * crew.count:
                    crew.submit([Task(next_part, 0, 0, None, {}, 0)])
                    next_part += 1
                for result in crew.results(1.0):
                    if result.error is not None:
                        raise FootfallError(f"part {result.task.cell} failed: {result.error}")
                    arrived[result.task.cell] = result.product
                while self.state.parts in arrived:
                    part = self.state.parts
                    table = merged(self.state.table, arrived.pop(part))
                    spent = self.state.spent + samples.size(part)
                    self._advance(Explored(part + 1, 0, spent, table), "sampling")
        finally:
            crew.close()

    def explore(self) -> None:
        """Rounds around cells that are few, then along the border. Each has its own random numbers, so that it does not
        matter where an analysis was interrupted."""
        gatherer, plain = self.request.gatherer(), self.request.samples.total
        seed = self.request.samples.seed
        while (number := self.state.rounds) < _MOST_ROUNDS:
            left = self.request.budget - (self.state.spent - plain)
            if left <= 0:
                break
            random = np.random.default_rng([seed, number, 1])
            table, new, spent = gatherer.explore(self.state.table, random, min(left // 2 + 1, _ROUND))
            settled = new < _SETTLED * max(int((table.seen != 0).sum()), 1)
            rounds = _MOST_ROUNDS if settled else number + 1
            self._advance(Explored(self.state.parts, rounds, self.state.spent + spent, table), "exploring")
        random = np.random.default_rng([seed, 0, 2])
        left = self.request.budget - (self.state.spent - plain)
        table, self._border, spent = gatherer.follow_border(self.state.table, random, left)
        self._advance(self.state._replace(table=table, spent=self.state.spent + spent), "border", kept=False)

    def _advance(self, state: Explored, stage: str, kept: bool = True) -> None:
        self.state = state
        now = time.perf_counter()
        if self._progress is not None:
            rate = (state.spent - self._first) / max(now - self._begin, 1e-9)
            expected = max(self.request.samples.total + self.request.budget, state.spent)
            self._progress(WorkspaceProgress(stage, state.spent, expected, rate))
        if kept and self._kept is not None and now - self._last > _KEEP:
            keep_state(self._kept, self.request.digest, state)
            self._last = now

    def result(self) -> Workspace:
        """The workspace; what was kept of it is not needed any more."""
        request, table = self.request, trimmed(self.state.table)
        chain, names = request.chain, request.asked.names
        rows = np.asarray(table.rows).reshape(-1, 3, WIDTH)
        counts = rows[:, 0, 0].copy()
        columns = slice(1, 1 + len(names))
        there = counts > 0.0
        mean = np.where(there[:, None], rows[:, 0, columns] / np.maximum(counts, 1.0)[:, None], 0.0)
        if self._border is None:
            normals, offsets = np.zeros((len(counts), 3)), np.zeros(len(counts))
        else:
            normals, offsets = np.asarray(self._border.normals), self._border.offsets
        options = {
            **asdict(request.asked),
            "clearance": request.clearance,
            "method": request.samples.method,
            "seed": request.samples.seed,
            "counts": list(request.samples.counts),
        }
        about = Description(
            chain.robot.name, chain.root, chain.hand, chain.joints,
            tuple(chain.lower.tolist()), tuple(chain.upper.tolist()), options,
        )  # fmt: skip
        self.complete = True
        if self._kept is not None and self._kept.exists():
            os.unlink(self._kept)
        return Workspace(
            about, names, table.corner, table.size, table.grid, counts, table.seen,
            rows[:, 1, columns].copy(), mean, rows[:, 2, columns].copy(), normals, offsets,
            request.directions, self.state.spent,
        )  # fmt: skip
