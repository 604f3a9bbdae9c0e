"""Contacts of standing robots checked by the validator of contact problems, which does not know the solver.

A recorded row has forces, and ratios of forces tell how much friction was needed. Whether friction, lift-off and
sticking obey their laws takes the velocities too: from time to time a run repeats a single step, builds its contact
problem another way, and judges the impulses of the step by the conditions themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from footfall import Command, frame_jacobian
from footfall.arrays import Array
from footfall.contact import Residuals, check_solution
from footfall.simulation import SimulationState, build_step_problem

from .stances import Stance


@dataclass(frozen=True)
class ContactCheck:
    """One step. residuals: of its impulses, see `Residuals`. slip: speed, m/s, with which the fastest of the points
    that are pressed slides. pressed: how many are."""

    residuals: Residuals
    slip: float
    pressed: int


@dataclass
class ContactWatch:
    """Checks steps of a robot in a stance; weight: of the robot in a step, N s, to compare residuals with."""

    stance: Stance
    checks: list[ContactCheck] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._simulation = self.stance.simulation(substeps=1)

    @property
    def weight(self) -> float:
        """Impulse of the robot's weight in a step, N s."""
        robot, dt = self.stance.robot, self._simulation.options.dt
        return float(robot.mass * np.linalg.norm(robot.gravity) * dt)

    def look(self, state: SimulationState, command: Command, wrench: Array | None) -> None:
        """Check the step that follows a state with a command; wrench (6,): on the base, N and N m, or None."""
        simulation, robot = self._simulation, self.stance.robot
        simulation.state = state
        step = build_step_problem(simulation, state, command)
        problem = step.problem
        if wrench is not None:
            force = frame_jacobian(robot, state.q, self.stance.base).T @ wrench
            problem = replace(problem, bias=problem.bias + simulation.options.dt * (step.response.T @ force))
            simulation.push(self.stance.base, wrench, simulation.options.dt)
        simulation.step(command)
        impulses = simulation.state.impulses
        rows = 3 * problem.contacts
        velocities = problem.velocities(impulses)[:rows].reshape(-1, 3)
        pressed = impulses[2:rows:3] > 1e-3 * self.weight
        slip = np.linalg.norm(velocities[pressed, :2], axis=1).max(initial=0.0)
        residuals = check_solution(problem, impulses)
        self.checks.append(ContactCheck(residuals, float(slip), int(np.count_nonzero(pressed))))
