"""LOLA's task spaces as ready values, with the targets of a given configuration.

`lola_task_space`: 22, 25 or 28 rows of Seiwald 2023, section 4.3. `lola_task_space_2012`: the 28 rows of Schwienbacher
2014, table 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from footfall.arrays import Array
from footfall.control.gains import Gains
from footfall.control.tasks.orientations import OrientationTask
from footfall.control.tasks.points import CenterOf, point_kinematics
from footfall.control.tasks.positions import PositionTask, center_of_mass_position, frame_position
from footfall.control.tasks.postures import posture
from footfall.control.tasks.task import MotionTask
from footfall.dynamics.center_of_mass import center_of_mass
from footfall.dynamics.kinematics import frame_pose
from footfall.errors import InvalidInput
from footfall.robot.model import Robot

HANDS = ("RH", "LH")


def lola_task_space(
    robot: Robot, q: Array, *, hands: Sequence[str] = (), gains: Gains | float | None = None
) -> tuple[MotionTask, ...]:
    """Centre of mass, upper body, feet with toes, head, and positions of `hands`, in the order of Seiwald 2023, 4.3.

    22 rows, and three more for each hand ("RH", "LH"); 10, 7 or 4 directions are left free.
    """
    wrong = [hand for hand in hands if hand not in HANDS]
    if wrong or len(set(hands)) != len(hands):
        raise InvalidInput(
            f"hands are {', '.join(hands)}; they must be some of {', '.join(HANDS)}, each once"
        )
    tasks: list[MotionTask] = [center_of_mass_position(center_of_mass.textbook(robot, q)), _upright(robot, q)]
    for foot, toe in (("RF", "zfr"), ("LF", "zfl")):
        pose = frame_pose.textbook(robot, q, foot)
        tasks += [frame_position(foot, pose.translation), OrientationTask(foot, pose.rotation)]
        tasks.append(posture(robot, q, joints=[toe]))
    tasks += [posture(robot, q, joints=["vp"]), posture(robot, q, joints=["vt"])]
    for hand in HANDS:
        if hand in hands:
            tasks.append(frame_position(hand, frame_pose.textbook(robot, q, hand).translation))
    return tuple(replace(task, gains=gains) for task in tasks)


def lola_task_space_2012(
    robot: Robot, q: Array, *, gains: Gains | float | None = None
) -> tuple[MotionTask, ...]:
    """Feet seen from the centre of mass, centre of mass, upper body, arms, pelvis and toes; Schwienbacher 2014, table
    4.2, 28 rows.

    Positions relative to the centre of mass are in the axes of the upper body. With LOLA of 2012 and its head at rest
    all 28 directions are used.
    """
    tasks: list[MotionTask] = [_seen_from_center(robot, q, foot) for foot in ("RF", "LF")]
    body = frame_pose.textbook(robot, q, "UB").rotation
    for foot in ("RF", "LF"):
        tasks.append(OrientationTask(foot, body.T @ frame_pose.textbook(robot, q, foot).rotation, "UB"))
    tasks += [center_of_mass_position(center_of_mass.textbook(robot, q)), _upright(robot, q)]
    for side in ("right_arm", "left_arm"):
        bodies = tuple(robot.joint(joint).child for joint in robot.groups[side])
        tasks.append(_seen_from_center(robot, q, CenterOf(bodies)))
    tasks += [posture(robot, q, joints=[joint]) for joint in ("br", "ba", "zfr", "zfl")]
    return tuple(replace(task, gains=gains) for task in tasks)


def _upright(robot: Robot, q: Array) -> MotionTask:
    return OrientationTask("UB", frame_pose.textbook(robot, q, "UB").rotation)


def _seen_from_center(robot: Robot, q: Array, point: str | CenterOf) -> MotionTask:
    offset = point_kinematics(robot, q, point).position - center_of_mass.textbook(robot, q)
    return PositionTask(point, frame_pose.textbook(robot, q, "UB").rotation.T @ offset, CenterOf(), "UB")
