"""Drives and springs that refer to joints of a robot: whether these exist and can be moved so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from footfall.errors import RobotError, listed
from footfall.robot.drives.drive import Drive
from footfall.robot.drives.spring import Spring
from footfall.robot.values import parts

if TYPE_CHECKING:
    from footfall.robot.model import Robot


def check_drives(robot: Robot) -> None:
    """Drives and springs of a robot act on joints of one coordinate, and no two drives on the same."""
    subject = ("robot", robot.name)
    check_driven_joints(robot, parts(robot.drives, Drive, "drives", subject))
    for spring in parts(robot.springs, Spring, "springs", subject):
        _check_joint(robot, "spring of", spring.joint)


def check_driven_joints(robot: Robot, drives: Iterable[Drive]) -> None:
    """Each drive moves joints of the robot that have one coordinate and no other drive."""
    seen: set[str] = set()
    for drive in drives:
        for name in drive.joints:
            _check_joint(robot, "drive of", name)
            if name in seen:
                raise RobotError("two drives move it; one must", subject=("drive of", name))
            seen.add(name)


def _check_joint(robot: Robot, what: str, name: str) -> None:
    subject = (what, name)
    joints = {joint.name: joint for joint in robot.joints}
    if name not in joints:
        raise RobotError(f"joint {name!r} does not exist; there are: {listed(name, joints)}", subject=subject)
    kind = joints[name].type
    if kind.velocities != 1 or kind.coordinates != 1:
        raise RobotError(f"its joint is {kind}; it must have one coordinate", subject=subject)
