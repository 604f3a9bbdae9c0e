"""What a motion promises, recomputed from its trajectories: zero-moment point, ground, legs, smoothness."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.math.polygons import boundary_distance
from footfall.math.quaternions import rotate
from footfall.motion.curves import POLYNOMIALS, ROTATIONS
from footfall.motion.five_mass import contact_wrench, limbs_of, zero_moment_point
from footfall.motion.leg_bounds import LegBounds
from footfall.motion.motion import Motion
from footfall.motion.vertical_torso import leg_bounds_at

Array = np.ndarray[Any, np.dtype[np.float64]]

# What is continuous: position only, velocity, acceleration. The zero-moment point may turn sharply.
CONTINUOUS = {name: 0 if name == "zmp" else 2 for name in POLYNOMIALS}


class Verification(NamedTuple):
    """zmp_margin: least distance of the recomputed zero-moment point from the border of the area below whole soles,
    m, negative outside. zmp_error: root mean square of its distance to the wanted one, m. clearance: least height of
    a corner of a sole above the lower end of its step, m. leg_margin: least distance of the torso from the bounds of
    its legs, m, negative beyond. jump: largest jump of what must be continuous, relative to the largest value. speed:
    largest velocity at the begin and end, m/s or rad/s."""

    zmp_margin: float
    zmp_error: float
    clearance: float
    leg_margin: float
    jump: float
    speed: float


def verify_motion(motion: Motion, *, dt: float = 0.005) -> Verification:
    """Check a motion at instants dt apart, s."""
    count = max(int(np.ceil(motion.duration / dt)), 2)
    times = np.linspace(motion.begin_time, motion.end_time, count)
    recomputed, wanted = recomputed_zmp(motion, times), motion.sample(times).zmp[:, 0]
    margins = zmp_margins(motion, times)
    ends = motion.sample(np.array([motion.begin_time, motion.end_time]))
    return Verification(
        float(margins.min()),
        float(np.sqrt(((recomputed - wanted)[:, :2] ** 2).sum(axis=1).mean())),
        float(clearances(motion, times).min()),
        float(leg_margins(motion, times).min()),
        max(jumps(motion).values(), default=0.0),
        float(max(np.abs(ends.values[:, 1]).max(), np.abs(ends.angular_velocities).max())),
    )


def recomputed_zmp(motion: Motion, times: Array) -> Array:
    """Zero-moment point (k, 3) that the planned motion of the five masses has, at times (k,), m."""
    samples = motion.sample(times)
    torso = np.ascontiguousarray(np.moveaxis(samples.torso, -2, 0))
    wrench = contact_wrench(limbs_of(*samples), torso, motion.model)
    return zero_moment_point(wrench, samples.zmp[:, 0, 2])


def zmp_margins(motion: Motion, times: Array) -> Array:
    """Distance (k,) of the recomputed zero-moment point from the border of the support area of whole soles, m."""
    zmp, phases = recomputed_zmp(motion, times), motion.phases.at(times)
    margins = np.empty(len(times))
    for phase in np.unique(phases):
        here = phases == phase
        margins[here] = boundary_distance(motion.phases.soles.polygon(int(phase)), zmp[here, :2])
    return margins


def clearances(motion: Motion, times: Array) -> Array:
    """Least height (k,) of the corners of both soles above the lower end of the step they are in, m."""
    samples = motion.sample(times)
    rear, front, right, left = motion.model.sole
    corners = np.array([[x, y, 0.0] for x in (rear, front) for y in (right, left)])
    transitions = motion.phases.transition[motion.phases.at(times)]
    plan = motion.plan.transitions
    lowest = np.empty((len(times), 2))
    for side, name in ((0, "right_foot"), (1, "left_foot")):
        places = rotate(samples.quaternions[:, None, 2 + side], corners) + samples.feet[:, 0, side, None]
        ground = np.array(
            [min(_lowest_corner(getattr(t, end), name, corners) for end in ("begin", "end")) for t in plan]
        )
        lowest[:, side] = places[..., 2].min(axis=1) - ground[transitions]
    return np.asarray(lowest.min(axis=1))


def _lowest_corner(pose: Any, name: str, corners: Array) -> float:
    foot = getattr(pose, name)
    return float((rotate(np.array(foot.rotation), corners)[:, 2] + foot.position[2]).min())


def leg_margins(motion: Motion, times: Array) -> Array:
    """Distance (k,) of the torso's height from the bounds of both legs, m; negative beyond them."""
    curves = motion.curves
    torso = curves.torso.sample(times, 0)[0]
    limits = leg_bounds_at(curves, np.ascontiguousarray(torso[:, :2]), times, LegBounds(motion.model))
    height = torso[:, 2]
    margins = np.stack([height - limits[0], limits[1] - height, height - limits[2], limits[3] - height])
    return np.asarray(margins.min(axis=0))


def jumps(motion: Motion) -> dict[str, float]:
    """Largest jump at a break point of every trajectory, of the derivatives that are continuous, relative to the most
    value of that derivative (at least 1)."""
    result = {}
    for name in POLYNOMIALS:
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
