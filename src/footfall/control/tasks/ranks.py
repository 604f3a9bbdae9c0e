"""Whether tasks can be had together: rows that depend on others, that contradict them, or that nothing moves.

iTaSC derives a controller for any chain of features, so what a chain cannot say must be reported before it runs: a
chain that is singular where the robot is (two of its coordinates do the same), coordinates that others imply, and such
that are asked for different things. All is reported by the names of task and coordinate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags
from footfall.control.references import MovingFrame
from footfall.control.requests import checked_array
from footfall.control.tasks.features import FeatureTask, chain_pose
from footfall.control.tasks.frames import FrameTask
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask
from footfall.robot.model import Robot

_SINGULAR = 1e-6  # smallest over largest singular value of a chain, and of rows that others imply
_PART = 0.1  # of the largest part: what has a hand in a dependence
_CONFLICT = 1e-6  # m/s or rad/s, by which rates must differ to contradict each other


class RankReport(NamedTuple):
    """What is wrong with tasks at a configuration; all empty: nothing.

    rank, rows: of the stacked Jacobian. singular: by task, coordinates of its chain that do the same. unmoved: rows
    that no joint moves. redundant: by row, those before it that imply it and ask for the same. conflicting: by row,
    those before it that imply it but ask for something else.
    """

    rank: int
    rows: int
    singular: Mapping[str, tuple[str, ...]]
    unmoved: tuple[str, ...]
    redundant: Mapping[str, tuple[str, ...]]
    conflicting: Mapping[str, tuple[str, ...]]

    @property
    def fine(self) -> bool:
        """Whether all rows can be had, each by itself."""
        return self.rank == self.rows and not self.singular

    @property
    def text(self) -> str:
        """In a few lines."""
        lines = [f"rank {self.rank} of {self.rows} rows"]
        for task, names in self.singular.items():
            lines.append(
                f"{task}: the chain is singular here, {' and '.join(names)} do the same; choose other coordinates, or "
                "another start"
            )
        lines += [f"{row}: no joint of the robot moves it; leave it out" for row in self.unmoved]
        for row, others in self.redundant.items():
            lines.append(f"{row} is redundant: it follows from {', '.join(others)}")
        for row, others in self.conflicting.items():
            lines.append(
                f"{row} conflicts with {', '.join(others)}: they ask for different rates of the same motion"
            )
        return "\n".join(lines)


def check_ranks(
    robot: Robot,
    q: Array,
    tasks: Sequence[MotionTask],
    *,
    frames: Mapping[str, MovingFrame] | None = None,
    tolerance: float = _SINGULAR,
) -> RankReport:
    """Whether tasks can be had together at q (nq,), in their order: rows count against those before them.

    frames: those outside the robot, by name, as in `solve_tasks`. tolerance: part of a row that must be left after
    those before it.
    """
    q = checked_array("q", q, (robot.nq,))
    stack = TaskStack(robot, [each.seen_from(frames or {}) for each in tasks])
    error, jacobian = stack.kernel(q, stack.parameters)
    drift = np.broadcast_to(stack.drift(q), len(error))
    names, rates, singular, broken = [], np.zeros(len(error)), {}, np.zeros(len(error), dtype=bool)
    for task, place in zip(stack.tasks, stack.places, strict=True):
        names += _row_names(task, place.stop - place.start)
        rates[place] = task.fed("rate", place.stop - place.start) + task.decay * error[place] - drift[place]
        same = _same(robot, q, task) if isinstance(task, FeatureTask) else ()
        if same:
            singular[task.label], broken[place] = same, True
    return _dependences(names, np.asarray(jacobian), rates, broken, singular, tolerance)


def _row_names(task: MotionTask, count: int) -> list[str]:
    if isinstance(task, FrameTask):
        return [f"{task.name}.{axis}" for axis in task.motion_axes]
    rows = getattr(task, "rows", None) or [str(k) for k in range(count)]
    return [f"{task.label}.{row}" for row in rows]


def _same(robot: Robot, q: Array, task: FeatureTask) -> tuple[str, ...]:
    """Coordinates of a chain that do the same at q (nq,), none where it is regular."""
    axes = tuple(task.chain.values())
    jacobian = chain_pose(axes, np.asarray(task.coordinates(robot, q, task.parameters), dtype=float)).jacobian
    if not np.isfinite(jacobian).all():
        return tuple(task.chain)
    _, values, right = np.linalg.svd(np.asarray(jacobian, dtype=float))
    if values[-1] > _SINGULAR * values[0]:
        return ()
    part = np.abs(right[-1])
    return tuple(name for name, share in zip(task.chain, part, strict=True) if share > _PART * part.max())


def _dependences(
    names: list[str],
    jacobian: Array,
    rates: Array,
    broken: Flags,
    singular: Mapping[str, tuple[str, ...]],
    tolerance: float,
) -> RankReport:
    """Row after row against those kept before it."""
    kept: list[int] = []
    unmoved: list[str] = []
    redundant: dict[str, tuple[str, ...]] = {}
    conflicting: dict[str, tuple[str, ...]] = {}
    largest = np.linalg.norm(jacobian[~broken], axis=1).max(initial=0.0)
    for k, row in enumerate(jacobian):
        if broken[k]:
            continue
        size = np.linalg.norm(row)
        if size <= tolerance * largest or size == 0.0:
            unmoved.append(names[k])
            continue
        shares = np.linalg.lstsq(jacobian[kept].T, row, rcond=None)[0] if kept else np.zeros(0)
        if np.linalg.norm(row - shares @ jacobian[kept]) > tolerance * size:
            kept.append(k)
            continue
        weights = np.abs(shares) * np.linalg.norm(jacobian[kept], axis=1)
        others = tuple(names[kept[i]] for i in np.flatnonzero(weights > _PART * weights.max()))
        apart = abs(float(rates[k] - shares @ rates[kept]))
        (conflicting if apart > _CONFLICT else redundant)[names[k]] = others
    return RankReport(len(kept), len(names), singular, tuple(unmoved), redundant, conflicting)
