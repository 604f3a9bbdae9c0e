"""Steps that simulations took, kept to be solved again: by the native step itself and by every other solver."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.contact.problem import ContactProblem
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.run_values import SimulationState
from footfall.simulation.step_problem import build_step_problem
from footfall.simulation.step_values import Command

Rows = np.ndarray[Any, np.dtype[np.intp]]

_NEAR = 5e-3  # m or rad: what would still be farther away without any impulse stays out of a problem


@dataclass(frozen=True, eq=False)
class RecordedStep:
    """A step that a simulation took.

    problem: of all contacts and limits that are near. rows: (n,) where its rows are among the impulses of the
    simulation. weight_impulse: weight times dt, N s. state, command: what the step began with.
    """

    scene: str
    problem: ContactProblem
    rows: Rows
    weight_impulse: float
    simulation: FeetSimulation
    state: SimulationState
    command: Command

    @property
    def start(self) -> Array:
        """Impulses (n,) of the step before, N s."""
        start: Array = self.state.impulses[self.rows]
        return start


class Source(NamedTuple):
    """Runs to record from: starts, (q, v) each, commands by time, and the number of steps from one record to the
    next."""

    name: str
    simulation: FeetSimulation
    starts: Sequence[tuple[Array, Array]]
    command: Callable[[float], Command]
    every: int = 1


def record(source: Source, count: int) -> Iterator[RecordedStep]:
    """Steps of a source in which something presses, about the same number from each of its starts."""
    simulation = source.simulation
    gravity = float(np.linalg.norm(simulation.robot.gravity))
    weight_impulse = simulation.robot.mass * gravity * simulation.options.dt
    normal = slice(2, 3 * len(simulation.candidates), 3)
    for k, (q, v) in enumerate(source.starts):
        wanted = count // len(source.starts) + (k < count % len(source.starts))
        simulation.reset(q, v)
        pressed = 0
        while wanted:
            state, command = simulation.state, source.command(simulation.state.time)
            simulation.step(command)
            if not (simulation.state.impulses[normal] > 0.0).any():
                continue
            pressed += 1
            if pressed % source.every == 0:
                problem, rows = near_problem(simulation, state, command, simulation.state.impulses)
                yield RecordedStep(source.name, problem, rows, weight_impulse, simulation, state, command)
                wanted -= 1


def near_problem(
    simulation: FeetSimulation, state: SimulationState, command: Command, found: Array
) -> tuple[ContactProblem, Rows]:
    """The problem of a step without what is too far away to matter, and its rows among all of the step.

    found: impulses (rows,) of the step; where they press nothing is left out.
    """
    problem = build_step_problem(simulation, state, command).problem
    first, boxes = 3 * problem.contacts, problem.size - len(problem.box)
    ahead = simulation.options.dt * problem.bias  # gaps at the end of the step if there were no impulses
    near = (ahead < _NEAR) | (found > 0.0)
    contacts = np.flatnonzero(near[2:first:3])
    limits = first + np.flatnonzero(near[first:boxes])
    parts = [(3 * contacts[:, None] + np.arange(3)).ravel(), limits, np.arange(boxes, problem.size)]
    rows = np.concatenate(parts)
    reduced = ContactProblem(
        delassus=problem.delassus[np.ix_(rows, rows)],
        bias=problem.bias[rows],
        friction=problem.friction[contacts],
        extra=problem.extra[contacts],
        limits=len(limits),
        box=problem.box,
        compliance=problem.compliance[rows],
    )
    return reduced, rows
