"""A watch over energy: what nothing drives must not gain any.

Steps are of first order in what turns fast, and impacts of many limbs at once have laws that may give energy (Kane's
paradox; `contact/islands/rebound.py`). So a run without efforts, pushes, springs and things on given paths is looked at
when it ends, and a gain of more than a hundredth of the most that moved at any time gives a warning, with the dt that
would do.

Semi-implicit steps move with the velocity of their end, so that energies belong together half a step before: there the
energy of what swings or flies goes up and down by dt squared, not by dt.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Matrix3, Vector3, routine
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.configuration import integrate
from footfall.dynamics.energy import kinetic_energy, link_kinetic_energies, potential_energy
from footfall.errors import SimulationWarning
from footfall.math.rotations import matrix_from_quaternion
from footfall.robot.model import Robot
from footfall.scene.assembly import combined_robot
from footfall.scene.model import Scene
from footfall.simulation.run_values import Trajectory

_GAIN = 0.01  # of what moved most, from which on it gives a warning
_HEIGHT = 0.05  # m: what rises by a hundredth of it is no news
_ROUNDING = 1e-12  # m: limp joints of a free robot have efforts of rounding, over the weight at this arm
_ROWS = 256  # of a run at most; the last one always


class Energies(NamedTuple):
    """Of all that moves: kinetic (n, movers) and potential (n, movers), J; the robots are one mover, before the free
    bodies."""

    kinetic: Array
    potential: Array


class _Things(NamedTuple):
    """Free bodies: mass (n,), kg, centre of mass (n, 3) and inertia about it (n, 3, 3) in their own frames."""

    mass: Array
    centre: ArrayOf[Vector3]
    inertia: ArrayOf[Matrix3]


class EnergyWatch:
    """Of one simulation, over all its runs that follow each other."""

    def __init__(self, robot: Robot, scene: Scene, dt: float, *, given: Robot | None) -> None:
        """robot: all that moves, combined; given: the robot that the scene does not have, None without."""
        self._robot, self._scene, self._given, self._dt = robot, scene, given, dt
        self._time = np.nan  # until which it is known
        self._lowest, self._most = np.inf, 0.0
        self._warned = False

    @cached_property
    def _robots(self) -> Robot | None:
        """All that moves but free bodies, combined; None if there is nothing."""
        if self._given is None and not self._scene.robots:
            return None
        return combined_robot(replace(self._scene, objects=self._scene.fixed_objects), self._given)

    @cached_property
    def _watches(self) -> bool:
        """Whether energy can only get less: nothing is sprung, and nothing moves on a given path."""
        materials = [thing.material for thing in self._scene.objects]
        hard = all(np.isinf(each.stiffness) and np.isinf(each.shear_stiffness) for each in materials)
        still = all(thing.motion is None for thing in self._scene.objects)
        loops = self._robot.tree.loops
        return hard and still and not self._robot.springs and (loops is None or not loops.held)

    @cached_property
    def _things(self) -> _Things:
        """The free bodies."""
        free = [thing.free for thing in self._scene.objects if thing.free is not None]
        return _Things(
            np.array([each.mass for each in free]),
            np.array([each.center_of_mass for each in free]).reshape(-1, 3),
            np.array([each.inertia for each in free]).reshape(-1, 3, 3),
        )

    def look(self, trajectory: Trajectory, *, passive: bool, began: float) -> None:
        """At a run that began at a time, s. passive: whether nothing was pushed; efforts are in the trajectory."""
        if self._warned or not self._watches:
            return
        effort = trajectory.effort
        driven = max(effort.max(initial=0.0), -effort.min(initial=0.0)) > _ROUNDING * self._robot.mass * 9.81
        if not passive or driven:
            self._time = np.nan
            return
        rows = _rows_of(len(trajectory.time))
        energies = self._energies(trajectory.q[rows], trajectory.v[rows])
        total = (energies.kinetic + energies.potential).sum(axis=1)
        if began != self._time:
            self._lowest, self._most = np.inf, 0.0
        kinetic = energies.kinetic.sum(axis=1)
        self._most = max(self._most, float(kinetic.max()), self._height_energy)
        lowest = np.minimum.accumulate(np.minimum(total, self._lowest))
        gain = total - lowest
        worst = int(gain.argmax())
        self._time, self._lowest = float(trajectory.time[-1]), float(lowest[-1])
        if self._most > 0.0 and gain[worst] > _GAIN * self._most:
            self._warned = True
            low = int(total[: worst + 1].argmin())
            self._tell(energies, rows, trajectory, low, worst, float(gain[worst] / self._most))

    @cached_property
    def _height_energy(self) -> float:
        return float(self._robot.mass * np.linalg.norm(self._robot.gravity) * _HEIGHT)

    def _energies(self, q: Array, v: Array) -> Energies:
        count = 0 if self._robots is None else self._robots.nq
        speeds = 0 if self._robots is None else self._robots.nv
        kinetic, potential = [], []
        if self._robots is not None:
            both = np.asarray(_energies_before(self._robots, q[:, :count], v[:, :speeds], [self._dt]))
            kinetic.append(both[:, :1])
            potential.append(both[:, 1:])
        if len(self._things.mass):
            shape = len(q), len(self._things.mass)
            kinetic.append(np.empty(shape))
            potential.append(np.empty(shape))
            half = 0.5 * self._dt
            gravity = np.asarray(self._robot.gravity, np.float64)
            _add_things(self._things, gravity, half, q[:, count:], v[:, speeds:], kinetic[-1], potential[-1])
        return Energies(np.hstack(kinetic), np.hstack(potential))

    def _tell(
        self, energies: Energies, rows: Any, trajectory: Trajectory, low: int, high: int, gain: float
    ) -> None:
        rise = (energies.kinetic + energies.potential)[high] - (energies.kinetic + energies.potential)[low]
        mover = int(rise.argmax())
        first = 0 if self._robots is None else 1
        if mover < first:
            assert self._robots is not None
            robot = self._robots
            q, v = trajectory.q[rows[high], : robot.nq], trajectory.v[rows[high], : robot.nv]
            links = [float(energy) for energy in link_kinetic_energies(robot, q, v)]
            name = robot.tree.links[int(np.argmax(links))].body
        else:
            name = self._scene.free_objects[mover - first].name
        enough = _rounded(0.5 * _GAIN / gain * self._dt)  # gains are of first order in dt
        warnings.warn(
            f"energy grew by {100 * gain:.3g} % of the most that moved, between t = "
            f"{trajectory.time[rows[low]]:.4g} s and {trajectory.time[rows[high]]:.4g} s, though nothing drives it; "
            f"{name!r} gained most. Steps of {1e3 * self._dt:g} ms are too long for how fast it turns: try "
            f"dt={enough:g}",
            SimulationWarning,
            stacklevel=3,
        )


@lru_cache(maxsize=16)
def _rows_of(count: int) -> Integers:
    """Which rows of a run of so many are looked at."""
    return np.unique(np.linspace(0, count - 1, _ROWS).round().astype(int))


@algorithm(q="nq", v="nv", dt="1")
def _energies_before(robot: Robot, q: Array, v: Array, dt: Array) -> Any:
    """Kinetic and potential energy (2,), J, half a step dt (1,) before q (nq,), with the velocity v (nv,)."""
    before = q if robot.loops else integrate(robot, q, -0.5 * dt[0] * v)
    return np.array([kinetic_energy(robot, before, v), potential_energy(robot, before)])


@routine
def _add_things(
    things: _Things, gravity: Vector3, half: float, q: Array, v: Array, kinetic: Array, potential: Array
) -> None:
    """The same for free bodies, (n, bodies), at q (n, 7 bodies) and v (n, 6 bodies). half: of a step, s."""
    for row in range(len(q)):
        for k in range(len(things.mass)):
            turn = matrix_from_quaternion(
                np.array([q[row, 7 * k + 3], q[row, 7 * k + 4], q[row, 7 * k + 5], q[row, 7 * k + 6]])
            )
            place: Vector3 = q[row, 7 * k : 7 * k + 3]
            speed: Vector3 = v[row, 6 * k : 6 * k + 3]
            spin: Vector3 = v[row, 6 * k + 3 : 6 * k + 6]
            arm = turn @ things.centre[k]
            linear = speed + np.cross(turn @ spin, arm)
            mass, centre = things.mass[k], place + arm - half * linear
            kinetic[row, k] = 0.5 * (mass * (linear @ linear) + spin @ (things.inertia[k] @ spin))
            potential[row, k] = -mass * (centre @ gravity)


def _rounded(dt: float) -> float:
    """Down to one, two or five times a power of ten."""
    power = 10.0 ** np.floor(np.log10(dt))
    return float(max(k for k in (1.0, 2.0, 5.0) if k * power <= dt * (1.0 + 1e-9)) * power)
