"""A central pattern generator: one Hopf oscillator a leg, coupled to a master by phase differences.

Ayit 2015, chapter 2.
Each oscillator has a limit cycle of radius sqrt(mu); the coupling vanishes where the phases stand as the gait wants
them. Another gait is another set of differences, towards which they glide: the oscillators never stop or jump.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.gait.gaits import Gait
from footfall.option_checks import require_above_zero

Complexes = np.ndarray[Any, np.dtype[np.complex128]]


@dataclass
class PatternGenerator:
    """Oscillators of a gait; state is `z` (legs,), complex: x + i y of `dx = a (mu - r^2) x - w y`, and likewise y.

    frequency: cycles per second. attraction a: to the limit cycle, 1/s. mu: square of its radius. coupling: of the
    others to the master, 1/s. glide: how fast phase differences may change with the gait, cycles per second.
    """

    gait: Gait
    frequency: float = 1.0
    attraction: float = 10.0
    mu: float = 1.0
    coupling: float = 5.0
    glide: float = 0.5
    master: str = "LF"
    z: Complexes = field(init=False)
    differences: Array = field(init=False)  # (legs,) to the master that hold now, cycles

    def __post_init__(self) -> None:
        names = ("frequency", "attraction", "mu", "coupling", "glide")
        require_above_zero(self, *names, of=" of the pattern generator")
        if self.master not in self.gait.legs:
            raise InvalidInput(f"no leg {self.master!r} to lead; there are: {', '.join(self.gait.legs)}")
        self.differences = self._wanted(self.gait)
        self.z = np.sqrt(self.mu) * np.exp(2j * np.pi * self.differences)

    def switch(self, gait: Gait) -> None:
        """From now on, glide to another gait of the same legs."""
        if gait.legs != self.gait.legs:
            raise InvalidInput(
                f"gait {gait.name!r} has legs {gait.legs}, it must have those of the generator, {self.gait.legs}"
            )
        self.gait = gait

    def step(self, dt: float) -> None:
        """Advance by dt seconds, by one step of the classical Runge-Kutta method."""
        # Along the shorter way round. Half a cycle could go either way: then later, by the choice of the remainder.
        missing = (self._wanted(self.gait) - self.differences + 0.5) % 1.0 - 0.5
        self.differences = self.differences + np.clip(missing, -self.glide * dt, self.glide * dt)
        k1 = self._rate(self.z)
        k2 = self._rate(self.z + dt / 2 * k1)
        k3 = self._rate(self.z + dt / 2 * k2)
        k4 = self._rate(self.z + dt * k3)
        self.z = self.z + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    def leg_phases(self) -> Array:
        """Phase of each leg in [0, 1), (legs,); zero where its foot comes down."""
        phases: Array = np.angle(self.z) / (2 * np.pi) % 1.0
        return phases

    def phase_error(self) -> float:
        """Largest deviation of the phases from the table of the gait, cycles."""
        phases = self.leg_phases()
        error = phases - phases[self._master] - self._wanted(self.gait)
        return float(np.abs((error + 0.5) % 1.0 - 0.5).max())

    @property
    def _master(self) -> int:
        return self.gait.legs.index(self.master)

    def _wanted(self, gait: Gait) -> Array:
        """Phase of each leg minus that of the master: a foot that comes down later is behind."""
        offsets = np.array([*gait.offsets.values()])
        return np.asarray(offsets[self._master] - offsets)

    def _rate(self, z: Complexes) -> Complexes:
        turn = np.exp(2j * np.pi * self.differences)
        own = (self.attraction * (self.mu - np.abs(z) ** 2) + 2j * np.pi * self.frequency) * z
        rate: Complexes = own + self.coupling * (turn * z[self._master] - z)
        return rate
