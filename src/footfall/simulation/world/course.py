"""A run of a world, one stretch after another, and what it gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import helped, new_records
from footfall.compiler.threads import Job, available_cores, share
from footfall.contact.contacts import Contact
from footfall.simulation.engine import Batch, Pace, Pushes, RecordedRows, RolloutParts, body_numbers
from footfall.simulation.run_values import ContactLog, SimulationState, Trajectory
from footfall.simulation.step_values import Command
from footfall.simulation.world.plant import WorldPlant, longer
from footfall.simulation.world.records import Forces
from footfall.simulation.world.run import Log, Span, run_world

if TYPE_CHECKING:
    from footfall.simulation.world.engine import WorldEngine

_TOUCHES_A_PERIOD = 16  # room in a log at the start, besides an eighth more than there are


class WorldCourse:
    """A run with a `WorldEngine`."""

    def __init__(self, engine: WorldEngine, periods: int) -> None:
        robot = engine.setting.robot
        size = sum(train.size for train in engine.trains)
        known = 0 if engine.plant.latest is None else len(engine.plant.latest.contacts)
        # What is not used costs nothing; too little costs a copy of all. Steps want room for twice what they find.
        room = (_TOUCHES_A_PERIOD + known + known // 8) * (periods + 2)
        self.engine = engine
        self._bodies = np.zeros(0, dtype=np.int64)
        self.log = Log(
            q=np.empty((periods, robot.nq)),
            v=np.empty((periods, robot.nv)),
            effort=np.empty((periods, robot.nv)),
            drives=np.empty((periods, size)),
            residual=np.empty(periods),
            asked=np.empty(periods),
            solver_steps=np.empty(periods, dtype=np.int64),
            contact_starts=np.zeros(periods + 1, dtype=np.int64),
            contacts=new_records(Contact, room),
            forces=np.empty((room, 3)),
        )

    @property
    def q(self) -> Array:
        return self.log.q

    @property
    def v(self) -> Array:
        return self.log.v

    def advance(
        self, state: SimulationState, command: Command, pushes: Pushes, first: int, last: int, times: Array
    ) -> SimulationState:
        plant, substeps, done = self.engine.plant, self.engine.setting.substeps, first
        commands, forces = np.array([command]), plant.forces(pushes)
        plant.begin(state)
        while done < last:
            with helped(plant.room.shared.team):
                progress = run_world(plant.moment(forces), commands, Span(done, last, substeps), self.log)
            done = progress.periods
            if progress.lost:  # the caller looks at what it has come to
                self.log.q[done:last], self.log.v[done:last] = self.log.q[done], self.log.v[done]
                break
            if progress.logged:
                self._grow(progress.logged)
            elif done < last:
                plant.make_room(progress.contacts, progress.pairs)
        return plant.keep(float(times[-1]))

    def _grow(self, needed: int) -> None:
        log, count = self.log, 2 * needed
        self.log = log._replace(contacts=longer(log.contacts, count), forces=longer(log.forces, count))

    def rows(self, first: int, last: int) -> RecordedRows:
        log, world = self.log, self.engine.contacts
        if len(self._bodies) != len(world.owners):  # which only ever grow
            self._bodies = body_numbers(self.engine.setting.robot, world.owners)
        starts = log.contact_starts[first : last + 1]
        touching = slice(int(starts[0]), int(starts[-1]))
        contacts: Any = log.contacts
        return RecordedRows(
            log.effort[first:last],
            self.engine.currents(log.drives[first:last]),
            np.diff(starts),
            contacts["position"][touching],
            log.forces[touching],
            self._bodies[world.shape_owners[contacts["first"][touching]]],
        )

    def trajectory(self, time: Array) -> Trajectory:
        log, world = self.log, self.engine.contacts
        contacts: Any = log.contacts
        contacts = contacts[: int(log.contact_starts[-1])]
        owners = world.shape_owners
        contact_log = ContactLog(
            tuple(world.owners),
            log.contact_starts,
            owners.take(contacts["first"]),
            owners.take(contacts["second"]),
            contacts["position"],
            contacts["normal"],
            log.forces[: len(contacts)],
            contacts["gap"],
        )
        return Trajectory(
            time,
            log.q,
            log.v,
            log.effort,
            contact_log,
            log.residual * self.engine.weight_impulse,
            log.solver_steps,
            self.engine.currents(log.drives),
            log.asked * self.engine.weight_impulse,
        )


# Many worlds at once, each with its own list of contacts, shared out among threads.

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
                    plant.make_room(progress.contacts, progress.pairs)
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
        asked=np.zeros(len(residual)),
        solver_steps=steps,
        contact_starts=numbers,
        contacts=new_records(Contact, 0),
        forces=np.zeros((0, 3)),
    )
