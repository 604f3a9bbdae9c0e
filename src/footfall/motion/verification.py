"""What a motion promises, recomputed from its trajectories: zero-moment point, ground, legs, smoothness."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from footfall.arrays import Array
from footfall.math.rotations import rotate_by_quaternion
from footfall.motion.curves import POLYNOMIALS, MotionCurves
from footfall.motion.five_mass import FootWrench, contact_wrenches, masses_of, zero_moment_point
from footfall.motion.leg_room import LegRooms, rooms_of_legs
from footfall.motion.motion import Motion, PhaseTable
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import ROTATIONS
from footfall.motion.vertical_torso import legs_at

# What is continuous: position only, velocity, acceleration. The zero-moment point may turn sharply, contacts jump.
CONTINUOUS = {name: 0 if name == "zmp" else 2 for name in POLYNOMIALS if name != "contact"}


class Walk(Protocol):
    """A motion or a part of one."""

    @property
    def phases(self) -> PhaseTable:
        """Its phases."""

    @property
    def curves(self) -> MotionCurves:
        """Its trajectories."""

    @property
    def model(self) -> ReducedModel:
        """Of whom it is."""


class Verification(NamedTuple):
    """zmp_margin: least distance of the recomputed zero-moment point from the border of the area below whole soles,
    m, negative outside. zmp_error: root mean square of its distance to the wanted one, m. clearance: least height of
    a corner of a sole above the lower end of its step, m. leg_margin: least distance of the torso from the bounds of
    its legs, m, negative beyond. jump: largest jump of what must be continuous, relative to the largest value. speed:
    largest velocity at the begin and end, m/s or rad/s. stretch_margin: by how much the stretched leg is longer than
    hip and ankle are apart in space, m. lean_margin: how far legs are from the limits of their sideways lean, rad;
    infinite if these are not known. load: least vertical force of the feet as a part of the weight."""

    zmp_margin: float
    zmp_error: float
    clearance: float
    leg_margin: float
    jump: float
    speed: float
    stretch_margin: float
    lean_margin: float
    load: float


def verify_motion(motion: Motion, *, dt: float = 0.005) -> Verification:
    """Check a motion at instants dt apart, s."""
    count = max(int(np.ceil(motion.duration / dt)), 2)
    times = np.linspace(motion.begin_time, motion.end_time, count)
    recomputed, wanted = recomputed_zmp(motion, times), motion.sample(times).zmp[:, 0]
    margins = zmp_margins(motion, times)
    legs = leg_rooms(motion, times)
    ends = motion.sample(np.array([motion.begin_time, motion.end_time]))
    return Verification(
        float(margins.min()),
        float(np.sqrt(((recomputed - wanted)[:, :2] ** 2).sum(axis=1).mean())),
        float(clearances(motion, times).min()),
        float(legs.height.min()),
        max(jumps(motion).values(), default=0.0),
        float(max(np.abs(ends.values[:, 1]).max(), np.abs(ends.angular_velocities).max())),
        float(legs.stretch.min()),
        float(min(legs.hip.min(), legs.ankle.min())),
        float(loads(motion, times).min()),
    )


def _wrench(motion: Walk, times: Array) -> tuple[FootWrench, Array]:
    """What the ground must exert, and the height of the zero-moment point (k,), m."""
    samples = motion.curves.packed.sample(np.ascontiguousarray(times, dtype=np.float64))
    torso = np.stack([samples[derivative]["torso"] for derivative in ("value", "rate", "second")])
    return contact_wrenches(samples, torso, masses_of(motion.model)), samples["value"]["zmp"][:, 2]


def recomputed_zmp(motion: Walk, times: Array) -> Array:
    """Zero-moment point (k, 3) that the planned motion of the five masses has, with the angular momentum of the whole
    robot if it was made for one, at times (k,), m."""
    return zero_moment_point(*_wrench(motion, times))


def loads(motion: Walk, times: Array) -> Array:
    """Vertical force (k,) of both feet as a part of the weight."""
    force = _wrench(motion, times)[0].force[:, 2]
    return np.asarray(force / (motion.model.mass * motion.model.gravity))


def zmp_margins(motion: Walk, times: Array) -> Array:
    """Distance (k,) of the recomputed zero-moment point from the border of the support area of whole soles, m."""
    return motion.phases.margins(times, recomputed_zmp(motion, times)[:, :2])


def clearances(motion: Motion, times: Array) -> Array:
    """Least height (k,) of the corners of both soles above the lower end of the step they are in, m."""
    samples = motion.sample(times)
    rear, front, right, left = motion.model.sole
    corners = np.array([[x, y, 0.0] for x in (rear, front) for y in (right, left)])
    transitions = motion.phases.transition[motion.phases.at(times)]
    plan = motion.plan.transitions
    lowest = np.empty((len(times), 2))
    for side, name in ((0, "right_foot"), (1, "left_foot")):
        places = (
            rotate_by_quaternion(samples.quaternions[:, None, 2 + side], corners)
            + samples.feet[:, 0, side, None]
        )
        ground = np.array(
            [min(_lowest_corner(getattr(t, end), name, corners) for end in ("begin", "end")) for t in plan]
        )
        lowest[:, side] = places[..., 2].min(axis=1) - ground[transitions]
    return np.asarray(lowest.min(axis=1))


def _lowest_corner(pose: Any, name: str, corners: Array) -> float:
    foot = getattr(pose, name)
    return float((rotate_by_quaternion(np.array(foot.rotation), corners)[:, 2] + foot.position[2]).min())


def leg_rooms(motion: Walk, times: Array) -> LegRooms:
    """How far legs are from their limits at times (k,), s."""
    return rooms_of_legs(legs_at(motion.curves, times), motion.curves.torso.sample(times, 0)[0], motion.model)


def leg_margins(motion: Walk, times: Array) -> Array:
    """Distance (k,) of the torso's height from the bounds of both legs, m; negative beyond them."""
    return leg_rooms(motion, times).height


def jumps(motion: Motion) -> dict[str, float]:
    """Largest jump at a break point of every trajectory, of the derivatives that are continuous, relative to the most
    value of that derivative (at least 1)."""
    result = {}
    for name in CONTINUOUS:
        curve = getattr(motion.curves, name)
        inner = curve.times[1:-1]
        if len(inner):
            before, after = curve.sample(np.nextafter(inner, -np.inf)), curve.sample(inner)
            apart = np.abs(after - before).max(axis=(1, 2))
            size = np.maximum(np.abs(after).max(axis=(1, 2)), 1.0)
            result[name] = float((apart / size)[: CONTINUOUS[name] + 1].max())
    for name in ROTATIONS:
        curve = getattr(motion.curves, name)
        inner = curve.timing.times[1:-1]
        if len(inner):
            parts = zip(curve.sample(np.nextafter(inner, -np.inf)), curve.sample(inner), strict=True)
            result[name] = max(
                float(np.abs(after - before).max() / max(np.abs(after).max(), 1.0)) for before, after in parts
            )
    return result
