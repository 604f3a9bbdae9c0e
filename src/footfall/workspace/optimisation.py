"""Which arm is best for some tasks: lengths and axes of each topology by CMA-ES or a particle swarm, then a ranking.

Seiwald 2023, section 3.3 (L. Neuburger's search): samples of the joints, mean of the local indices in each cell,
weighted by the tasks, integrated over all cells that are reached.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from scipy.stats import qmc

from footfall.arrays import Array
from footfall.errors import FootfallError, InvalidInput
from footfall.studies.search import least_by_covariance
from footfall.studies.workers import Result, code_fingerprint, new_workers, require_same_code
from footfall.studies.workers import Task as Part
from footfall.whole_file import write_text
from footfall.workspace.candidates import ArmCandidate, Sampled, sampled
from footfall.workspace.tasks import Task, Tasks, Topology, Weights

_PARTICLES = 16
_INERTIA, _TO_OWN, _TO_BEST = 0.72, 1.49, 1.49  # of a swarm: Clerc and Kennedy 2002


class Score(NamedTuple):
    """How well an arm does. total: mean over the tasks, 0 to 1, or by the volume of the workspace. tasks: of each.
    matched: share of each task's volume, weighted, that is reached in a wanted direction. volume: of all that is
    reached, m3."""

    total: float
    tasks: tuple[float, ...]
    matched: tuple[float, ...]
    volume: float


class Best(NamedTuple):
    """The best arm of a topology. shares: of what was searched for, by name in `unknowns`. evaluations: arms tried."""

    topology: str
    score: Score
    unknowns: tuple[str, ...]
    shares: tuple[float, ...]
    evaluations: int

    def arm(self, tasks: Tasks) -> ArmCandidate:
        """The arm itself."""
        (topology,) = (each for each in tasks.topology if each.name == self.topology)
        return topology.arm(np.array(self.shares), tasks.span)


class OptimisationProgress(NamedTuple):
    """topologies: that are done, of `expected`; best: of the last."""

    topologies: int
    expected: int
    best: Best | None


def joint_shares(tasks: Tasks, joints: int) -> Array:
    """Shares (m, n) of ranges at which all arms of n joints are tried: Sobol points, the same for all."""
    engine = qmc.Sobol(joints, rng=np.random.default_rng(tasks.seed))
    return np.ascontiguousarray(engine.random_base2((tasks.samples - 1).bit_length())[: tasks.samples])


def score_arm(arm: ArmCandidate, tasks: Tasks, shares: Array) -> Score:
    """How well an arm does some tasks, by samples at shares (m, n) of its ranges.

    In each cell of a task the mean of the indices, each from 0 to 1, of samples that press in a wanted direction;
    weighted by the task and integrated. `normalise` says by what the integral is divided: `tasks`, by the integral of
    the weights, so that 1 is a perfect arm; `workspace`, by the volume of all that is reached (Kucuk and Bingul), which
    favours small arms.
    """
    found = sampled(arm, shares)
    quality = _quality(found, arm, tasks.weights)
    values = [_task_value(task, found, quality, tasks.size) for task in tasks.task]
    volume = _volume(found.positions, tasks.size)
    importance = np.array([task.weight for task in tasks.task])
    integrals, sizes, matched = np.array(values).T
    if tasks.normalise == "tasks":
        per_task = integrals / sizes
        total = float(importance @ per_task / max(importance.sum(), 1e-300))
    else:
        per_task = integrals / max(volume, 1e-300)
        total = float(importance @ per_task)
    return Score(total, tuple(per_task.tolist()), tuple(matched.tolist()), volume)


def _quality(found: Sampled, arm: ArmCandidate, weights: Weights) -> Array:
    """(m,) from 0 to 1; the third root of manipulability over the arm's length does not depend on the number of joints
    or on how large all is."""
    dexterity = np.minimum(np.cbrt(found.manipulability) / max(arm.length, 1e-9), 1.0)
    mixed = weights.reach + weights.condition * found.condition + weights.manipulability * dexterity
    return np.asarray((mixed + weights.joint_range * found.joint_range) / weights.total)


def _task_value(task: Task, found: Sampled, quality: Array, size: float) -> tuple[float, float, float]:
    """The integral of weight and quality over a task's cells, m3, that of the weight, and the share that is matched."""
    low = np.array(task.center) - 0.5 * np.array(task.size) - task.fade
    counts = np.maximum(np.ceil((np.array(task.size) + 2.0 * task.fade) / size - 1e-9).astype(int), 1)
    middles = np.stack(np.meshgrid(*[np.arange(n) + 0.5 for n in counts], indexing="ij"), axis=-1)
    weight = task.at(low + size * middles.reshape(-1, 3))
    places = np.floor((found.positions - low) / size).astype(np.int64)
    inside = ((places >= 0) & (places < counts)).all(axis=1)
    places, along = places[inside], task.along(found.directions[inside])
    cells = np.ravel_multi_index(tuple(places.T), tuple(counts))
    used = along > 0.0
    total = np.bincount(cells[used], weights=(along * quality[inside])[used], minlength=len(weight))
    number = np.bincount(cells[used], minlength=len(weight))
    mean = total / np.maximum(number, 1)
    everything = float(weight.sum())
    return float(weight @ mean) * size**3, everything * size**3, float(weight @ (number > 0)) / everything


def _volume(positions: Array, size: float) -> float:
    places = np.floor(positions / size).astype(np.int64)
    places -= places.min(axis=0)
    cells = np.ravel_multi_index(tuple(places.T), tuple(places.max(axis=0) + 1))
    return len(np.unique(cells)) * size**3


def optimise_topology(tasks: Tasks, topology: Topology) -> Best:
    """The best arm of a topology that is found within `tasks.evaluations`."""
    shares = joint_shares(tasks, len(topology.joint))
    unknowns = topology.unknowns
    best: tuple[float, Array] = (-np.inf, np.full(len(unknowns), 0.5))
    count = 0

    def value(point: Array) -> float:
        nonlocal best, count
        count += 1
        found = score_arm(topology.arm(point, tasks.span), tasks, shares).total
        if found > best[0]:
            best = found, np.clip(point, 0.0, 1.0)
        return found

    value(best[1])
    search = _by_covariance if tasks.method == "cma" else _by_swarm
    if unknowns:
        search(value, len(unknowns), tasks.evaluations - 1, tasks.seed)
    score = score_arm(topology.arm(best[1], tasks.span), tasks, shares)
    return Best(topology.name, score, tuple(unknowns), tuple(best[1].tolist()), count)


def _by_covariance(value: Callable[[Array], float], unknowns: int, evaluations: int, seed: int) -> None:
    """CMA-ES, on shares from 0 to 1."""
    least_by_covariance(
        lambda points: [-value(point) for point in points], np.full(unknowns, 0.5), evaluations, seed + 1
    )


def _by_swarm(value: Callable[[Array], float], unknowns: int, evaluations: int, seed: int) -> None:
    """Particles that go on, towards their own best and that of all (Kennedy and Eberhart 1995)."""
    random = np.random.default_rng(seed)
    place = random.random((_PARTICLES, unknowns))
    speed = np.zeros_like(place)
    own, values = place.copy(), np.array([value(each) for each in place])
    for _ in range(max(evaluations // _PARTICLES - 1, 0)):
        to_own, to_best = random.random((2, *place.shape))
        best = own[values.argmax()]
        speed = _INERTIA * speed + _TO_OWN * to_own * (own - place) + _TO_BEST * to_best * (best - place)
        place = np.clip(place + speed, 0.0, 1.0)
        now = np.array([value(each) for each in place])
        better = now > values
        own[better], values[better] = place[better], now[better]


class _TopologyWork(NamedTuple):
    tasks: bytes  # as JSON: structs of msgspec do not go through every pickle
    fingerprint: str


def run_topologies(work: _TopologyWork, parts: Any) -> list[Result]:
    """Optimise topologies in whatever process this is called."""
    require_same_code(work.fingerprint)
    tasks = msgspec.json.decode(work.tasks, type=Tasks)
    return [
        Result(part, {}, None, None, 0.0, optimise_topology(tasks, tasks.topology[part.cell]))
        for part in parts
    ]


def optimise_arms(
    tasks: Tasks,
    *,
    workers: int = 1,
    cluster: str | None = None,
    keep: Path | str | None = None,
    progress: Callable[[OptimisationProgress], None] | None = None,
) -> tuple[Best, ...]:
    """The best arm of every topology, best first.

    workers: processes, a topology each at a time. cluster: address of a Dask scheduler instead. keep: a file (.json)
    for topologies that are done, from which the same call goes on.
    """
    if not 1 <= workers <= 4096:
        raise InvalidInput(f"workers is {workers}; it must be from 1 to 4096")
    text = msgspec.json.encode(tasks)
    found = _kept(keep, text)
    left = [k for k, topology in enumerate(tasks.topology) if topology.name not in found]
    count = len(tasks.topology)
    if progress is not None:
        progress(OptimisationProgress(len(found), count, None))
    if left:
        crew = new_workers(
            _TopologyWork(text, code_fingerprint()), min(workers, len(left)), cluster, run_topologies
        )
        try:
            for k in left:
                crew.submit([Part(k, 0, 0, None, {}, 0)])
            while len(found) < count:
                for result in crew.results(1.0):
                    if result.error is not None:
                        name = tasks.topology[result.task.cell].name
                        raise FootfallError(f"topology {name!r} failed: {result.error}")
                    best: Best = result.product
                    found[best.topology] = best
                    if keep is not None:
                        rows = {"tasks": text.decode(), "found": [_plain(each) for each in found.values()]}
                        write_text(Path(keep), json.dumps(rows))
                    if progress is not None:
                        progress(OptimisationProgress(len(found), count, best))
        finally:
            crew.close()
    return tuple(sorted(found.values(), key=lambda best: -best.score.total))


def _plain(best: Best) -> dict[str, Any]:
    return {**best._asdict(), "score": best.score._asdict()}


def _kept(keep: Path | str | None, text: bytes) -> dict[str, Best]:
    """What is done of these tasks."""
    if keep is None or not Path(keep).exists():
        return {}
    try:
        rows = json.loads(Path(keep).read_text())
        if rows["tasks"] != text.decode():
            return {}
        return {
            row["topology"]: Best(
                str(row["topology"]),
                Score(
                    float(row["score"]["total"]),
                    tuple(map(float, row["score"]["tasks"])),
                    tuple(map(float, row["score"]["matched"])),
                    float(row["score"]["volume"]),
                ),
                tuple(map(str, row["unknowns"])),
                tuple(map(float, row["shares"])),
                int(row["evaluations"]),
            )
            for row in rows["found"]
        }
    except (KeyError, TypeError, ValueError, OSError) as error:
        raise InvalidInput(f"{str(keep)!r} cannot be read ({error}); delete it to begin anew") from None
