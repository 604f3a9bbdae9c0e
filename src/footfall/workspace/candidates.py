"""Arms that do not exist yet: chains whose axes, kinds, lengths and ranges are numbers, evaluated by one kernel."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel, cos, sin
from footfall.math.spatial import cross
from footfall.math.transform import Transform
from footfall.workspace.chain import HandMotion
from footfall.workspace.evaluation import indices_of


class ArmCandidate(NamedTuple):
    """An arm of n joints. axes: (n, 3) unit vectors, in the frame of the link before. slides: (n,) 1 for joints that
    slide, else 0. offsets: (n + 1, 3) m, from each joint to the next, first from the base, last to the hand. lower,
    upper: (n,) rad or m."""

    axes: Array
    slides: Array
    offsets: Array
    lower: Array
    upper: Array

    @property
    def joints(self) -> int:
        """How many there are."""
        return len(self.lower)

    @property
    def length(self) -> float:
        """m, from the first joint to the hand, stretched."""
        slides = self.slides * np.maximum(np.abs(self.lower), np.abs(self.upper))
        return float(np.linalg.norm(self.offsets[1:], axis=1).sum() + slides.sum())

    @property
    def approach(self) -> Array:
        """(3,) direction of the last link in its own axes: the one in which a hand presses."""
        reach = np.linalg.norm(self.offsets, axis=1)
        last = (
            self.offsets[np.flatnonzero(reach > 1e-9)[-1]]
            if (reach > 1e-9).any()
            else np.array([0.0, 0.0, -1.0])
        )
        return np.asarray(last / np.linalg.norm(last))


def candidate_motion(axes: Array, slides: Array, offsets: Array, q: Array) -> HandMotion:
    """How the hand stands and moves at q (n,), in the axes of the base; numbers or symbols."""
    rotation, place = np.eye(3), np.zeros(3)
    turns, origins = [], []
    for k in range(len(q)):
        place = place + rotation @ offsets[k]
        axis = rotation @ axes[k]
        turns.append(axis)
        place = place + axis * (slides[k] * q[k])
        origins.append(place)
        rotation = rotation @ _about(axes[k], (1.0 - slides[k]) * q[k])
    hand = place + rotation @ offsets[len(q)]
    linear = [
        (1.0 - slide) * cross(axis, hand - origin) + slide * axis
        for slide, axis, origin in zip(slides, turns, origins, strict=True)
    ]
    angular = [(1.0 - slide) * axis for slide, axis in zip(slides, turns, strict=True)]
    return HandMotion(Transform(rotation, hand), np.array(linear).T, np.array(angular).T)


def _about(axis: Array, angle: Any) -> Array:
    """Rodrigues' rotation matrix (3, 3), RSL 2022, (2.65)."""
    c, s = cos(angle), sin(angle)
    x, y, z = axis
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned: Array = c * np.eye(3) + s * skew + (1.0 - c) * np.outer(axis, axis)
    return turned


@cache
def candidate_kernel(joints: int) -> Kernel:
    """Native code for all arms of so many joints: shares (n,) of the ranges and the arm to the hand's position (3,),
    the direction (3,) of its last link, and condition, manipulability and room to the stops."""

    def sample(
        shares: Array, axes: Array, slides: Array, offsets: Array, lower: Array, upper: Array, approach: Array
    ) -> Mapping[str, Any]:
        ranges = upper - lower
        motion = candidate_motion(axes, slides, offsets, lower + shares * ranges)
        everything = (np.eye(3), np.eye(3))
        turning = tuple(False for _ in range(joints))
        values = indices_of(motion, everything, turning, shares, ranges, 1.0)
        return {
            "position": motion.pose.translation,
            "direction": motion.pose.rotation @ approach,
            "values": np.array([values[0], values[1], values[3]]),
        }

    n = joints
    inputs: dict[str, Any] = {"shares": n, "axes": (n, 3), "slides": n, "offsets": (n + 1, 3)}
    inputs |= {"lower": n, "upper": n, "approach": 3}
    return build_kernel(sample, inputs, name="candidate_sample", key=f"candidate {n}", check_finite=False)


class Sampled(NamedTuple):
    """Samples of an arm. positions, directions: (m, 3). condition, manipulability (m3), joint_range: (m,)."""

    positions: Array
    directions: Array
    condition: Array
    manipulability: Array
    joint_range: Array


def sampled(arm: ArmCandidate, shares: Array) -> Sampled:
    """An arm at shares (m, n) of its ranges."""
    position, direction, values = candidate_kernel(arm.joints).batch(
        shares, arm.axes, arm.slides, arm.offsets, arm.lower, arm.upper, arm.approach, threads=1
    )
    return Sampled(position, direction, values[:, 0], values[:, 1], values[:, 2])
