"""What a simulation goes on from, and what a run of it gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array


@dataclass(frozen=True)
class SimulationState:
    """All that a simulation goes on from: time (s), q (nq,), v (nv,), integral (joints,) of the joint controllers,
    impulses (rows,) of the last step and the state of the drives, see `DriveTrain`. A value: keep it to
    return to it."""

    time: float
    q: Array
    v: Array
    integral: Array
    impulses: Array
    drives: Array = field(default_factory=lambda: np.zeros(0))


class Trajectory(NamedTuple):
    """What a run gives, one row a control period: time (n,) s, q (n, nq), v (n, nv), effort (n, nv) N m, contact
    positions (n, contacts, 3) m, forces (n, contacts, 3) N in world axes, residual (n,) N s, sweeps (n,) and currents
    (n, motors) A of a robot with drives."""

    time: Array
    q: Array
    v: Array
    effort: Array
    positions: Array
    forces: Array
    residual: Array
    sweeps: Array
    currents: Array

    def __repr__(self) -> str:
        span = f"{self.time[0]:.6g} to {self.time[-1]:.6g} s" if len(self.time) else "no time"
        shapes = ", ".join(f"{name} {part.shape}" for name, part in self._asdict().items())
        return f"Trajectory over {span}: {shapes}"
