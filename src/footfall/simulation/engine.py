"""What computes the steps of a simulation: an engine, and a course for each run.

There are two engines. `WorldEngine` finds contacts while it runs, for any number of things. `ListedEngine` has native
code made for a list of places that may touch: the fastest for a few feet, in lanes for thousands of robots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from footfall.arrays import Array
from footfall.simulation.run_values import SimulationState, Trajectory
from footfall.simulation.step_values import Command

Pushes = Mapping[str, Array]  # body -> wrench [f; n] (6,) at its origin, world axes, N and N m


class Deepest(NamedTuple):
    """Where a body is inside of another one: depth in m, and their names."""

    depth: float
    body: str
    other: str


class Course(Protocol):
    """A run of some control periods. q (periods, nq), v (periods, nv): as far as they are computed."""

    @property
    def q(self) -> Array: ...

    @property
    def v(self) -> Array: ...

    def advance(
        self, state: SimulationState, command: Command, pushes: Pushes, first: int, last: int, time: float
    ) -> SimulationState:
        """Compute the periods from `first` to before `last` under one command; gives the state at the end, whose time
        (s) is given."""
        ...

    def row(self, period: int) -> tuple[Array, Array, Array, Array]:
        """Effort (nv,), touching positions and forces (m, 3), and currents (motors,) of a period."""
        ...

    def trajectory(self, time: Array) -> Trajectory:
        """All of it; time (periods,) s."""
        ...


class Engine(Protocol):
    def start(self, q: Array, v: Array) -> SimulationState:
        """The state at time zero with q (nq,) and v (nv,)."""
        ...

    def course(self, periods: int) -> Course: ...

    def deepest(self, state: SimulationState) -> Deepest | None:
        """What is deepest inside of something else, if anything is."""
        ...

    def rollout(
        self,
        q: Array,
        v: Array,
        commands: Command,
        *,
        steps: int | None,
        threads: int | None,
        out: Sequence[Array] | None,
    ) -> tuple[Array, Array, Array]:
        """q (batch, steps, nq), v (batch, steps, nv) and residual (batch, steps), see `Simulation.rollout`."""
        ...
