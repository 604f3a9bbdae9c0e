"""Many worlds at once, each with its own list of contacts, shared out among threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import new_records
from footfall.compiler.threads import Job, available_cores, share
from footfall.contact.detection.shapes import Touch
from footfall.simulation.engine import Batch, RolloutParts
from footfall.simulation.pace import Pace
from footfall.simulation.world.plant import WorldPlant
from footfall.simulation.world.records import Forces
from footfall.simulation.world.run import Log, Span, run_world

if TYPE_CHECKING:
    from footfall.simulation.world.engine import WorldEngine

NO_FORCES = Forces(np.zeros(0, dtype=np.int64), np.zeros((0, 6)), np.zeros((0, 3)))


def roll_out(engine: WorldEngine, batch: Batch) -> tuple[Array, Array, Array]:
    """q (batch, steps, nq), v (batch, steps, nv) and residual (batch, steps) in N s, see `Simulation.rollout`."""
    parts = RolloutParts(engine.setting.robot, engine.joints, batch)
    q, v, steps, result, count = parts.q, parts.v, parts.steps, parts.out, parts.count
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
            done, given = 0, parts.commands(k)
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
