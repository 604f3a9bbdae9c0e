"""Floating bases that stand: contacts come first and do not move (RSL 2022, (2.269)-(2.276))."""

from __future__ import annotations

from collections.abc import Sequence

from footfall.arrays import Array
from footfall.control.gains import Gains
from footfall.control.tasks.points import Point, point_kinematics
from footfall.control.tasks.poses import PoseTask
from footfall.control.tasks.positions import PositionTask
from footfall.control.tasks.task import MotionTask
from footfall.dynamics.kinematics import frame_pose
from footfall.errors import InvalidInput
from footfall.robot.model import Robot

CONTACT_PRIORITY = -1  # before the first of other tasks


def support_tasks(
    robot: Robot, q: Array, contacts: Sequence[Point], *, flat: bool = False, gains: Gains | float = 10.0
) -> tuple[MotionTask, ...]:
    """Tasks that keep contacts where they are at q (nq,), before all others; gains (1/s) undo drift.

    contacts: frames or points of frames. flat: whole frames, with their orientation, instead of points.
    """
    tasks: list[MotionTask] = []
    for contact in contacts:
        if not flat:
            place = point_kinematics(robot, q, contact).position
            tasks.append(PositionTask(contact, place, priority=CONTACT_PRIORITY, gains=gains))
        elif isinstance(contact, str):
            pose = frame_pose.textbook(robot, q, contact)
            tasks.append(PoseTask(contact, pose, priority=CONTACT_PRIORITY, gains=gains))
        else:
            raise InvalidInput(f"flat contacts are frames, not {contact!r}")
    if not tasks:
        raise InvalidInput("there is no contact; give at least one")
    return tuple(tasks)
