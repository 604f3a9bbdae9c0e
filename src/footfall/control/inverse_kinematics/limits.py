"""How fast joints may move: limits on velocity and position as bounds on v."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler import build_kernel, maximum, minimum
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

    def pace(self, dt: float) -> float:
        """Of the way to a stop, 1/s, that a step of dt, s, may use."""
        return self.approach / dt


UNBOUNDED = 1e30  # stands for no limit where native code gives bounds, whose numbers are finite
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
    """Bounds (nv,) on v at q (nq,) that keep the limits for a step of dt, s; infinite where there are none.

    A joint beyond its stop is led back, as fast as its velocity limit allows.
    """
    if limits == NO_LIMITS:
        anything = np.full(robot.nv, np.inf)
        return Bounds(-anything, anything)
    kept, place = robot.tree.kernels, ("velocity bounds", limits)
    if place not in kept:

        def traced(q: Array, pace: Array) -> dict[str, Array]:
            return traced_bounds(robot, q, pace[0], limits)._asdict()

        key = f"{robot.fingerprint} {limits!r}"
        kept[place] = build_kernel(traced, {"q": robot.nq, "pace": 1}, name="velocity_bounds", key=key)
    lower, upper = kept[place](q, np.array([limits.pace(dt)]))
    lower, upper = np.where(lower > -UNBOUNDED, lower, -np.inf), np.where(upper < UNBOUNDED, upper, np.inf)
    return checked_bounds(robot, lower, upper)


def traced_bounds(robot: Robot, q: Array, pace: Any, limits: Limits) -> Bounds:
    """The same for traces; UNBOUNDED where there is no limit. pace: of the way to a stop, 1/s, see `Limits.pace`."""
    fastest = np.full(robot.nv, UNBOUNDED)
    if limits.velocity is not None:
        fastest = np.minimum(limits.velocity * robot.velocity_limits, UNBOUNDED)
    below, above = position_limits(robot, limits)
    lower: list[Any] = list(-fastest)
    upper: list[Any] = list(fastest)
    for in_q, in_v in zip(*(places.tolist() for places in single_coordinates(robot)), strict=True):
        most = fastest[in_v]
        if np.isfinite(below[in_v]):
            lower[in_v] = minimum(maximum(pace * (below[in_v] - q[in_q]), -most), most)
        if np.isfinite(above[in_v]):
            upper[in_v] = minimum(maximum(pace * (above[in_v] - q[in_q]), -most), most)
    return Bounds(np.array(lower), np.array(upper))


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
