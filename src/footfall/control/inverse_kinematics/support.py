"""Floating bases that stand: contacts come first and do not move (002 sections 9.3 and 9.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.control.inverse_kinematics.errors import InvalidTask
from footfall.control.inverse_kinematics.points import FramePoint, Point, point_kinematics
from footfall.control.inverse_kinematics.task import Task
from footfall.control.inverse_kinematics.tasks import PoseTask, PositionTask
from footfall.dynamics.kinematics import frame_pose
from footfall.math.generalised_inverses import RANK_TOLERANCE, decompose
from footfall.robot.model import JointType, Robot

Array = np.ndarray[Any, np.dtype[Any]]
CONTACT_PRIORITY = -1  # before the first of other tasks


def support_tasks(
    robot: Robot, q: Array, contacts: Sequence[Point], *, flat: bool = False, gain: float = 10.0
) -> tuple[Task, ...]:
    """Tasks that keep contacts where they are at q (nq,), before all others; gain (1/s) undoes drift.

    contacts: frames or points of frames. flat: whole frames, with their orientation, instead of points.
    """
    tasks: list[Task] = []
    for contact in contacts:
        options = {"priority": CONTACT_PRIORITY, "gain": gain}
        if flat:
            if not isinstance(contact, str):
                raise InvalidTask(f"flat contacts are frames, not {contact!r}")
            tasks.append(PoseTask(contact, frame_pose.textbook(robot, q, contact), **options))  # type: ignore[arg-type]
        else:
            place = point_kinematics(robot, q, contact).position
            tasks.append(PositionTask(contact, place, **options))  # type: ignore[arg-type]
    if not tasks:
        raise InvalidTask("there is no contact; give at least one")
    return tuple(tasks)


class ContactRanks(NamedTuple):
    """What contact points do, 002 (2.272).

    constraints: how many are independent; base: how many of the base's six directions they hold; internal: how many
    hold legs against each other.
    """

    constraints: int
    base: int
    internal: int


def contact_jacobian(robot: Robot, q: Array, contacts: Sequence[Point]) -> Array:
    """J_c (3 n, nv) of n contact points at q (nq,): it maps v to their velocities, world axes."""
    points = [FramePoint(contact) if isinstance(contact, str) else contact for contact in contacts]
    return np.vstack([point_kinematics(robot, q, point).jacobian for point in points])


def contact_ranks(
    robot: Robot, q: Array, contacts: Sequence[Point], *, tolerance: float = RANK_TOLERANCE
) -> ContactRanks:
    """Ranks of the contact Jacobian and of its columns of the floating base."""
    base = [
        column
        for joint in robot.joints
        if joint.type is JointType.FLOATING
        for column in range(robot.nv)[robot.v_slice(joint.name)]
    ]
    if not base:
        raise InvalidTask(f"robot {robot.name!r} has no floating base; see footfall.with_floating_base")
    jacobian = contact_jacobian(robot, q, contacts)
    whole = decompose(jacobian, tolerance=tolerance).rank
    held = decompose(jacobian[:, base], tolerance=tolerance).rank
    return ContactRanks(whole, held, whole - held)
