"""A policy that was trained here, in other simulators: the same observations, commands and pushes."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from benchmarks.lab.learning_mujoco import MujocoRows, Shapes
from footfall.arrays import Array
from footfall.learning.observer import Observer
from footfall.learning.policy import Policy
from footfall.learning.policy_run import PolicyRun
from footfall.learning.task import LearningTask
from footfall.simulation.lanes.batch import RobotBatch

_SETTLED = 2.0  # s after which velocities count
_PUSH_EVERY = 2.0  # s
_LEAN, _LOW = 1.2, 0.55  # rad, and of the height at the start: beyond them a row has fallen


class Rows(Protocol):
    """Robots of a simulator. positions (rows, nq), velocities (rows, nv)."""

    @property
    def positions(self) -> Array: ...

    @property
    def velocities(self) -> Array: ...

    def step(self, goals: Array) -> None:
        """One control period under goals (rows, joints), rad."""

    def kick(self, change: Array) -> None:
        """Change the velocities of the bases by (rows, 3) m/s."""


class LaneRows:
    """Ours, feet in lanes."""

    def __init__(self, task: LearningTask, rows: int) -> None:
        self.batch = RobotBatch(task.model, rows, dt=task.dt, substeps=task.substeps, q=task.default)
        self.batch.settings.kp[:], self.batch.settings.kd[:] = task.gains

    @property
    def positions(self) -> Array:
        return self.batch.state.q.copy()

    @property
    def velocities(self) -> Array:
        return self.batch.state.v.copy()

    def step(self, goals: Array) -> None:
        self.batch.step(goals)

    def kick(self, change: Array) -> None:
        self.batch.state.v[:, :3] += change


class FoundRows:
    """Ours, all shapes of the file, contacts found while they run, one robot after the other."""

    def __init__(self, policy: Policy, task: LearningTask, rows: int, dt: float | None = None) -> None:
        self.runs = [PolicyRun(policy, robot=task.model, dt=dt)]
        self.runs += [PolicyRun(policy, robot=task.model, dt=dt) for _ in range(rows - 1)]
        self._gains = task.gains

    @property
    def positions(self) -> Array:
        return np.array([run.simulation.q for run in self.runs])

    @property
    def velocities(self) -> Array:
        return np.array([run.simulation.v for run in self.runs])

    def step(self, goals: Array) -> None:
        kp, kd = self._gains
        for run, goal in zip(self.runs, goals, strict=True):
            run.simulation.run(run.simulation.pd(goal, kp=kp, kd=kd), run.note.period)

    def kick(self, change: Array) -> None:
        for run, each in zip(self.runs, change, strict=True):
            v = run.simulation.v
            v[:3] += each
            run.simulation.reset(run.simulation.q, v)


class Followed(NamedTuple):
    """velocity_error, rate_error: of the mean velocity of rows that stay up, m/s and rad/s. up: rows that do."""

    velocity_error: float
    rate_error: float
    up: int
    rows: int

    def __str__(self) -> str:
        return f"{self.velocity_error:.3f} m/s, {self.rate_error:.3f} rad/s, {self.up} of {self.rows}"


def commands(count: int, speeds: Array, seed: int) -> Array:
    """(count, 3), at random."""
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3)) * np.asarray(speeds)


def follow(
    rows: Rows,
    policy: Policy,
    task: LearningTask,
    wanted: Array,
    *,
    seconds: float,
    push: float = 0.0,
    seed: int = 1000,
) -> Followed:
    """Let each row follow its command (rows, 3). push: m/s by which bases are kicked every 2 s, in any direction."""
    assert policy.note is not None
    observe = Observer(policy.note, robot=task.model)
    note, count = policy.note, len(wanted)
    places = [coordinate for coordinate, _ in observe.joints]
    rng = np.random.default_rng(seed)
    action, last = (np.zeros((count, len(places))) for _ in range(2))
    fallen, sums, counted = np.zeros(count, dtype=bool), np.zeros((count, 3)), 0
    every = round(_PUSH_EVERY / note.period)
    for k in range(round(seconds / note.period)):
        q, v = rows.positions, rows.velocities
        upright = 1.0 - 2.0 * (q[:, 4] ** 2 + q[:, 5] ** 2)
        fallen |= (
            (upright < np.cos(_LEAN)) | (q[:, 2] < _LOW * observe.default[2]) | ~np.isfinite(q).all(axis=1)
        )
        seen = observe(
            q, v, command=wanted, action=action, last_action=last, elapsed=np.full(count, float(k))
        )
        last, action = action, np.clip(policy(seen), -note.action_limit, note.action_limit)
        rows.step(task.goals(action))
        if push and k % every == every - 1:
            angle = rng.uniform(0.0, 2.0 * np.pi, count)
            rows.kick(push * np.stack([np.cos(angle), np.sin(angle), np.zeros(count)], axis=1))
        if k * note.period >= _SETTLED:
            w, x, y, z = rows.positions[:, 3:7].T
            yaw, v = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)), rows.velocities
            ahead, aside = np.cos(yaw), np.sin(yaw)
            sums += np.stack(
                [ahead * v[:, 0] + aside * v[:, 1], ahead * v[:, 1] - aside * v[:, 0], v[:, 5]], axis=1
            )
            counted += 1
    off = (sums / max(counted, 1) - wanted)[~fallen]
    if not len(off):
        return Followed(float("nan"), float("nan"), 0, count)
    return Followed(
        float(np.linalg.norm(off[:, :2], axis=1).mean()),
        float(np.abs(off[:, 2]).mean()),
        int((~fallen).sum()),
        count,
    )


def mujoco_rows(task: LearningTask, rows: int, shapes: Shapes, dt: float) -> MujocoRows:
    """Robots in MuJoCo, for `follow`."""
    return MujocoRows(task, rows, shapes=shapes, dt=dt)
