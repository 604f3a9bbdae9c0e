"""Many worlds at once, each with its own list of contacts, shared out among threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import new_records
from footfall.compiler.threads import Job, available_cores, share
from footfall.contact.detection.shapes import Touch
from footfall.errors import InvalidOption
from footfall.robot.model import Robot
from footfall.simulation.engine import Batch
from footfall.simulation.pace import Pace
from footfall.simulation.world.plant import WorldPlant
from footfall.simulation.world.records import Forces
from footfall.simulation.world.run import Log, Span, run_world

if TYPE_CHECKING:
    from footfall.simulation.world.engine import WorldEngine

NO_FORCES = Forces(np.zeros(0, dtype=np.int64), np.zeros((0, 6)), np.zeros((0, 3)))


def roll_out(engine: WorldEngine, batch: Batch) -> tuple[Array, Array, Array]:
    """q (batch, steps, nq), v (batch, steps, nv) and residual (batch, steps) in N s, see `Simulation.rollout`."""
    robot, steps, out = engine.setting.robot, batch.steps, batch.out
    q, v, *parts = (np.asarray(part, dtype=np.float64) for part in (batch.q, batch.v, *batch.commands))
    count = _batch_size(robot, q, v, parts)
    lengths = {part.shape[1] for part in parts if part.ndim == 3 and part.shape[1] > 1}
    if steps is None:
        steps = max(lengths, default=1)
    if lengths - {steps}:
        raise InvalidOption(f"commands have {sorted(lengths)} steps; they must have {steps}, or one")
    q, v = np.broadcast_to(q, (count, robot.nq)), np.broadcast_to(v, (count, robot.nv))
    if out is None:
        out = (
            np.empty((count, steps, robot.nq)),
            np.empty((count, steps, robot.nv)),
            np.empty((count, steps)),
        )
    _check_out(out, ((count, steps, robot.nq), (count, steps, robot.nv), (count, steps)))
    result = out
    course = _RolloutCommands(parts, count, engine.joints)

    rows = iter(range(count))

    def part(job: Job) -> None:
        """Robots one after the other, each in stretches of some milliseconds: Ctrl-C waits for no more."""
        plant, pace = WorldPlant(engine), Pace()
        while not job.stopped:
            with job.lock:
                k = next(rows, None)
            if k is None:
                return
            plant.take(engine.start(q[k], v[k]))
            log = log_of(result[0][k], result[1][k], result[2][k])
            done, given = 0, course.of(k)
            while done < steps and not job.stopped:
                last = min(done + pace.periods, steps)
                with pace:
                    progress = run_world(
                        plant.moment(NO_FORCES), given, Span(done, last, engine.setting.substeps), log
                    )
                done = progress.periods
                if progress.lost:
                    result[0][k, done:], result[1][k, done:], result[2][k, done:] = np.nan, np.nan, np.nan
                    break
                if done < last:
                    plant.make_room(progress.touches, progress.pairs)
            result[2][k] *= engine.weight_impulse

    share(part, min(batch.threads or available_cores(), count))
    engine.forget()
    return result[0], result[1], result[2]


def _batch_size(robot: Robot, q: Array, v: Array, parts: Sequence[Array]) -> int:
    """How many robots there are; refuses arrays that do not fit."""
    for name, values, size in (("q", q, robot.nq), ("v", v, robot.nv)):
        if values.ndim not in (1, 2) or values.shape[-1] != size:
            raise InvalidOption(f"{name} has shape {values.shape}; it must be (batch, {size}) or ({size},)")
    counts = {len(values) for values in (q, v) if values.ndim == 2}
    counts |= {len(part) for part in parts if part.ndim > 1}
    if len(counts - {1}) > 1:
        raise InvalidOption(
            f"q, v and commands are of {sorted(counts)} robots; these must be the same, or one"
        )
    return max(counts, default=1)


def _check_out(out: Sequence[Array], shapes: Sequence[tuple[int, ...]]) -> None:
    """Native code writes into them: they must be what it takes them for."""
    if len(out) != len(shapes):
        raise InvalidOption(f"out has {len(out)} arrays; it must have q, v and residual")
    for name, array, shape in zip(("q", "v", "residual"), out, shapes, strict=True):
        right = isinstance(array, np.ndarray) and array.shape == shape and array.dtype == np.float64
        if not (right and array.flags.c_contiguous and array.flags.writeable):
            found = getattr(array, "shape", type(array).__name__)
            raise InvalidOption(
                f"out for {name} is {found}; it must be a contiguous array of float64 of shape {shape}"
            )


def log_of(q: Array, v: Array, residual: Array) -> Log:
    """A log of nothing but these, (steps, nq), (steps, nv) and (steps,)."""
    none, numbers = np.zeros((0, 0)), np.zeros(0, dtype=np.int64)
    steps = np.zeros(len(residual), dtype=np.int64)
    return Log(
        q=q,
        v=v,
        effort=none,
        drives=none,
        residual=residual,
        solver_steps=steps,
        touch_starts=numbers,
        touches=new_records(Touch, 0),
        forces=np.zeros((0, 3)),
    )


class _RolloutCommands:
    """Parts of commands, (joints,), (batch, joints) or (batch, steps, joints), as arrays (steps or 1, 6, joints)."""

    def __init__(self, parts: Sequence[Array], batch: int, joints: int) -> None:
        wide = [
            part[None, None] if part.ndim == 1 else part[:, None] if part.ndim == 2 else part
            for part in parts
        ]
        steps = max((part.shape[1] for part in wide), default=1)
        self.parts = [np.broadcast_to(part, (batch, steps, joints)) for part in wide]

    def of(self, row: int) -> Array:
        return np.ascontiguousarray(np.stack([part[row] for part in self.parts], axis=1))
