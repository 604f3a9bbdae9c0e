"""Inertias as MuJoCo accepts them: positive on every body that moves, and within the triangle inequality.

Robots in use break this in small parts that are fixed to large ones. Then the large one gets the inertia of all,
which changes nothing for the motion. Where that does not help, inertias are raised.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError
from footfall.math.transform import Transform, identity_transform
from footfall.robot.model import WORLD, JointType, Robot
from footfall.robot.tree import merge_inertias
from footfall.robot.validation import warn_of

LEAST = 1e-14  # kg and kg m2: what bodies without inertia get; MuJoCo's own threshold is 1e-15
_LEAST_OF_FULL = 1e-13  # kg m2: where there are products of inertia, its threshold is 1e-14


class Inertial(NamedTuple):
    """mass (kg), center (3,) m and inertia (3, 3) kg m2 about it, in body axes."""

    mass: float
    center: Array
    inertia: Array

    @property
    def is_diagonal(self) -> bool:
        return bool(np.all(self.inertia == np.diag(np.diag(self.inertia))))

    @property
    def is_nothing(self) -> bool:
        return self.mass == 0.0 and not np.any(self.inertia)


def acceptable_inertials(robot: Robot) -> dict[str, Inertial]:
    """What to write for each body."""
    moving = {joint.child for joint in robot.joints if joint.type is not JointType.FIXED}
    inertials: dict[str, Inertial] = {}
    for members in _fixed_together(robot).values():
        inertials.update(_merged_if_needed(robot, members))
    return {name: _acceptable(name, each, moving=name in moving) for name, each in inertials.items()}


def _fixed_together(robot: Robot) -> dict[str, dict[str, Transform]]:
    """Bodies without a joint between them: the first of them -> all, with their poses in the first."""
    groups: dict[str, dict[str, Transform]] = {}
    first_of: dict[str, str] = {}
    for joint in robot.joints:
        if joint.type is JointType.FIXED and joint.parent != WORLD:
            first_of[joint.child] = first_of[joint.parent]
            pose = groups[first_of[joint.parent]][joint.parent] @ joint.placement
        else:
            first_of[joint.child] = joint.child
            pose = identity_transform()
        groups.setdefault(first_of[joint.child], {})[joint.child] = pose
    return groups


def _merged_if_needed(robot: Robot, members: dict[str, Transform]) -> dict[str, Inertial]:
    """The inertials of bodies that are fixed together, all in the first if one is impossible."""
    single = {
        name: Inertial(body.mass, body.center_of_mass, body.inertia)
        for name, body in ((name, robot.body(name)) for name in members)
    }
    if not any(_is_impossible(each) for each in single.values()):
        return single
    together = Inertial(*merge_inertias([(members[name], *each) for name, each in single.items()]))
    if _is_impossible(together):
        return single
    nothing = Inertial(0.0, np.zeros(3), np.zeros((3, 3)))
    return {name: together if index == 0 else nothing for index, name in enumerate(members)}


def _missing(inertial: Inertial) -> float:
    """How much all moments must be raised so that none is negative and none exceeds the sum of the others."""
    low, middle, high = np.linalg.eigvalsh(inertial.inertia).tolist()
    return float(max(high - low - middle, -low, 0.0))


def _is_impossible(inertial: Inertial) -> bool:
    """By more than the last digits of a description."""
    return _missing(inertial) > 1e-6 * max(float(np.abs(inertial.inertia).max()), 1e-6)


def _acceptable(name: str, inertial: Inertial, *, moving: bool) -> Inertial:
    """The inertial, its moments raised equally by the least that MuJoCo accepts."""
    if _is_impossible(inertial):
        message = f"inertia is raised by {_missing(inertial):.3g} kg m2 about all axes: MuJoCo refuses impossible ones"
        warn_of([RobotError(message, subject=("body", name))], stacklevel=4)
    low = float(np.linalg.eigvalsh(inertial.inertia)[0])
    rounding = 0.0 if inertial.is_diagonal else 1e-13 * float(np.abs(inertial.inertia).max())
    missing = _missing(inertial)
    if not inertial.is_diagonal:
        missing = max(missing, _LEAST_OF_FULL + rounding - low)
    elif moving:
        missing = max(missing, LEAST - low)
    inertia = inertial.inertia if missing == 0.0 else inertial.inertia + (missing + rounding) * np.eye(3)
    return Inertial(max(inertial.mass, LEAST) if moving else inertial.mass, inertial.center, inertia)
