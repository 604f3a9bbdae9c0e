"""Tasks that come and go without a jolt (Schwienbacher 2014, table 4.2).

When a task is dropped or taken up, the velocities of the joints jump. Two solutions that both meet a task still meet it
mixed, whatever the shares: so the mix of the velocities of all sets of tasks changes smoothly from one to the other,
and what they have in common is kept exactly on the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.inverse_kinematics.resolved_rate import ResolvedRate
from footfall.control.tasks.task import MotionTask
from footfall.errors import InvalidTask, UnknownName
from footfall.robot.model import Robot

_DONE = 1e-9  # share below which a set is no longer computed


class _Shares(NamedTuple):
    """Of each set of tasks, and how they change, 1/s."""

    value: Array
    rate: Array


class SwitchedRate:
    """`ResolvedRate` of several sets of tasks, one of which is active; switching takes as long as the jerk allows.

    sets: tasks by name. dt: s, length of a step. jerk: rad/s3 or m/s3, that a switch may add to a joint's motion.
    options: as of `ResolvedRate`. The first set is active first. An object has a memory: one for each run.
    """

    def __init__(
        self,
        robot: Robot,
        sets: Mapping[str, Sequence[MotionTask]],
        *,
        dt: float,
        jerk: float,
        **options: Any,
    ) -> None:
        if not sets:
            raise InvalidTask("there are no sets of tasks; give at least one, by name")
        for name, value in (("dt", dt), ("jerk", jerk)):
            if not 0.0 < value < np.inf:
                raise InvalidTask(f"{name} is {value}; it must be finite and above zero")
        self.rates = {name: ResolvedRate(robot, tasks, **options) for name, tasks in sets.items()}
        self.dt, self.jerk = dt, jerk
        self.active = next(iter(sets))
        self._shares = _Shares(self._only(self.active), np.zeros(len(sets)))
        self._lag = dt  # s, time constant of the shares

    def __call__(self, q: Array, active: str | None = None, **tasks: Sequence[MotionTask]) -> Array:
        """v (nv,) at q (nq,) for the next step. active: the set that counts from now on; None: as before.

        tasks: by the name of a set, the same tasks with other targets and rates.
        """
        for name in (active, *tasks):
            if name is not None and name not in self.rates:
                raise UnknownName("set of tasks", name, list(self.rates), "switched tasks")
        # A set that begins is looked at when it is chosen, to know how far the velocities are apart.
        beginning = active if active not in (None, self.active) else None
        velocities = np.zeros((len(self.rates), self.rates[self.active].stack.robot.nv))
        for place, (name, rate) in enumerate(self.rates.items()):
            if self._counts(place) or name == beginning:
                velocities[place] = rate(q, tasks.get(name))
        if beginning is not None:
            self.active = beginning
            apart = velocities - velocities[list(self.rates).index(beginning)]
            self._lag = max(self._slowest(self._shares.value @ apart, self._shares.rate @ apart), self.dt)
        v: Array = self._shares.value @ velocities
        self._shares = self._later(self._shares)
        return v

    @property
    def shares(self) -> dict[str, float]:
        """How much each set counts in the next step; their sum is one."""
        return dict(zip(self.rates, self._shares.value.tolist(), strict=True))

    def _slowest(self, away: Array, speed: Array) -> float:
        """Time constant, s, with which velocities that are so far away and change so fast keep the jerk.

        Critically damped shares begin with `away w^2 + 2 speed w`, w = 1 / lag; what follows is less.
        """
        a, r = np.abs(away) + 1e-12, np.abs(speed)
        return float(np.max(a / (np.sqrt(r * r + a * self.jerk) - r)))

    def _only(self, name: str) -> Array:
        return np.array([1.0 if each == name else 0.0 for each in self.rates])

    def _counts(self, place: int) -> bool:
        return bool(
            abs(self._shares.value[place]) > _DONE or abs(self._shares.rate[place]) * self._lag > _DONE
        )

    def _later(self, now: _Shares) -> _Shares:
        """A step of `lag^2 x'' + 2 lag x' + x = goal`, exactly."""
        goal, w = self._only(self.active), 1.0 / self._lag
        away, fade = now.value - goal, np.exp(-w * self.dt)
        slope = now.rate + w * away
        value = goal + (away + slope * self.dt) * fade
        return _Shares(value, (slope - w * (away + slope * self.dt)) * fade)
