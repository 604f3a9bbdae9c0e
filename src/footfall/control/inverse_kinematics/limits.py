"""How fast joints may move: limits on velocity and position as bounds on v."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.errors import InvalidInput
from footfall.robot.model import Robot


@dataclass(frozen=True)
class Limits:
    """Which limits hold.

    position: keep joints within their stops. limit_set: one of the robot's named sets instead of the stops. velocity:
    keep joints below this multiple of their greatest rates; None: do not. approach: what part of the way to a stop
    one step may use, so that joints come to rest there without an impact.
    """

    position: bool = True
    limit_set: str | None = None
    velocity: float | None = 1.0
    approach: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 < self.approach <= 1.0:
            raise InvalidInput(f"approach is {self.approach}; it must be above 0 and at most 1")
        if self.velocity is not None and not self.velocity > 0.0:
            raise InvalidInput(f"velocity is {self.velocity}; it must be above zero, or None for no limit")


NO_LIMITS = Limits(position=False, velocity=None)


class Bounds(NamedTuple):
    """lower and upper (nv,) each, in the unit of what they bound."""

    lower: Array
    upper: Array


def single_coordinates(robot: Robot) -> tuple[Integers, Integers]:
    """Indices in q and in v of all coordinates that are numbers, not parts of quaternions, and independent."""
    kept = robot.tree.kernels
    if "single coordinates" not in kept:
        structure = robot.tree.loops
        own = range(robot.nv) if structure is None else structure.independent
        in_v = {velocity: place for place, velocity in enumerate(own)}
        links = [link for link in robot.tree.links if link.kind != "spherical" and link.v.start in in_v]
        places = np.array([(link.q.start, in_v[link.v.start]) for link in links], dtype=int).reshape(-1, 2)
        places.flags.writeable = False
        kept["single coordinates"] = places[:, 0], places[:, 1]
    return kept["single coordinates"]  # type: ignore[no-any-return]


def position_limits(robot: Robot, limits: Limits) -> Bounds:
    """Limits (nv,) of coordinates, rad or m, by their places in v; infinite where there are none."""
    lower, upper = np.full(robot.nv, -np.inf), np.full(robot.nv, np.inf)
    if limits.position:
        in_q, in_v = single_coordinates(robot)
        below, above = robot.limits(limits.limit_set)
        lower[in_v], upper[in_v] = below[in_q], above[in_q]
    return Bounds(lower, upper)


def velocity_bounds(robot: Robot, q: Array, *, dt: float, limits: Limits) -> Bounds:
    """Bounds (nv,) on v at q (nq,) that keep the limits for a step of dt, s.

    A joint beyond its stop is led back, as fast as its velocity limit allows.
    """
    fastest = np.full(robot.nv, np.inf)
    if limits == NO_LIMITS:
        return Bounds(-fastest, fastest)
    if limits.velocity is not None:
        fastest = limits.velocity * robot.velocity_limits
    below, above = position_limits(robot, limits)
    in_q, in_v = single_coordinates(robot)
    coordinates = np.zeros(robot.nv)
    coordinates[in_v] = np.asarray(q)[in_q]
    share = limits.approach / dt
    lower, upper = share * (below - coordinates), share * (above - coordinates)
    return checked_bounds(robot, np.clip(lower, -fastest, fastest), np.clip(upper, -fastest, fastest))


def checked_bounds(robot: Robot, lower: Array, upper: Array) -> Bounds:
    """Bounds (nv,) that do not contradict each other."""
    lower, upper = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    if lower.shape != (robot.nv,) or upper.shape != (robot.nv,):
        raise InvalidInput(
            f"bounds have shapes {lower.shape} and {upper.shape}; robot {robot.name!r} needs ({robot.nv},) for both"
        )
    wrong = np.flatnonzero(~(lower <= upper))
    if len(wrong):
        names = [
            joint.name
            for joint in robot.joints
            if set(wrong.tolist()) & set(range(robot.nv)[robot.v_slice(joint.name)])
        ]
        raise InvalidInput(
            f"limits contradict each other at {', '.join(names)}: a lower limit is above the upper one "
            f"(by {float((lower - upper).max()):.3g} at most); swap or widen them"
        )
    return Bounds(lower, upper)
