"""A run of a world, one stretch after another, and what it gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import new_records
from footfall.contact.detection.shapes import Touch
from footfall.simulation.engine import Pushes, RecordedRows, body_numbers
from footfall.simulation.run_values import SimulationState, TouchLog, Trajectory
from footfall.simulation.step_values import Command
from footfall.simulation.world.plant import longer
from footfall.simulation.world.run import Log, Span, run_world

if TYPE_CHECKING:
    from footfall.simulation.world.engine import WorldEngine

_TOUCHES_A_PERIOD = 16  # room in a log at the start, besides as many as there are


class WorldCourse:
    """A run with a `WorldEngine`."""

    def __init__(self, engine: WorldEngine, periods: int) -> None:
        robot = engine.setting.robot
        size = sum(train.size for train in engine.trains)
        known = engine.plant.latest
        room = (_TOUCHES_A_PERIOD + (0 if known is None else len(known.touches))) * (periods + 1)
        self.engine = engine
        self._bodies = np.zeros(0, dtype=np.int64)
        self.log = Log(
            q=np.empty((periods, robot.nq)),
            v=np.empty((periods, robot.nv)),
            effort=np.empty((periods, robot.nv)),
            drives=np.empty((periods, size)),
            residual=np.empty(periods),
            solver_steps=np.empty(periods, dtype=np.int64),
            touch_starts=np.zeros(periods + 1, dtype=np.int64),
            touches=new_records(Touch, room),
            forces=np.empty((room, 3)),
        )

    @property
    def q(self) -> Array:
        return self.log.q

    @property
    def v(self) -> Array:
        return self.log.v

    def advance(
        self, state: SimulationState, command: Command, pushes: Pushes, first: int, last: int, time: float
    ) -> SimulationState:
        plant, substeps, done = self.engine.plant, self.engine.setting.substeps, first
        commands, forces = np.array([command]), plant.forces(pushes)
        plant.begin(state)
        while done < last:
            progress = run_world(plant.moment(forces), commands, Span(done, last, substeps), self.log)
            done = progress.periods
            if progress.lost:  # the caller looks at what it has come to
                self.log.q[done:last], self.log.v[done:last] = self.log.q[done], self.log.v[done]
                break
            if progress.logged:
                self._grow(progress.logged)
            elif done < last:
                plant.make_room(progress.touches, progress.pairs)
        return plant.keep(time)

    def _grow(self, needed: int) -> None:
        log, count = self.log, 2 * needed
        self.log = log._replace(touches=longer(log.touches, count), forces=longer(log.forces, count))

    def rows(self, first: int, last: int) -> RecordedRows:
        log, contacts = self.log, self.engine.contacts
        if len(self._bodies) != len(contacts.owners):  # which only ever grow
            self._bodies = body_numbers(self.engine.setting.robot, contacts.owners)
        starts = log.touch_starts[first : last + 1]
        touching = slice(int(starts[0]), int(starts[-1]))
        touches: Any = log.touches
        return RecordedRows(
            log.effort[first:last],
            self.engine.currents(log.drives[first:last]),
            np.diff(starts),
            touches["position"][touching],
            log.forces[touching],
            self._bodies[contacts.shape_owners[touches["first"][touching]]],
        )

    def trajectory(self, time: Array) -> Trajectory:
        log, contacts = self.log, self.engine.contacts
        touches: Any = log.touches
        touches = touches[: int(log.touch_starts[-1])]
        owners = contacts.shape_owners
        touch_log = TouchLog(
            tuple(contacts.owners),
            log.touch_starts,
            owners.take(touches["first"]),
            owners.take(touches["second"]),
            touches["position"],
            touches["normal"],
            log.forces[: len(touches)],
            touches["gap"],
        )
        return Trajectory(
            time,
            log.q,
            log.v,
            log.effort,
            touch_log,
            log.residual * self.engine.weight_impulse,
            log.solver_steps,
            self.engine.currents(log.drives),
        )
