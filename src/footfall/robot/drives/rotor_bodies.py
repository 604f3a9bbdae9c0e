"""Rotors as bodies of their own: leaves of the tree that turn about their axis on the body that carries them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError
from footfall.math.transform import Transform
from footfall.robot.drives.drive import Drive
from footfall.robot.drives.harmonic_drive import HarmonicDrive
from footfall.robot.model import WORLD, Body, Joint, JointType, Robot


def rotor_name(joint: str) -> str:
    """Of the body and joint of the rotor that moves `joint`; of an ankle's two rotors the first has the first's."""
    return f"{joint}_rotor"


def rotor_axes(robot: Robot, drive: Drive) -> list[Array] | None:
    """Axes (3,) of a drive's rotors in the body that carries its first joint; None if they are not known."""
    if drive.rotor_axes:
        return [np.array(axis) for axis in drive.rotor_axes]
    if isinstance(drive.mechanism, HarmonicDrive):
        joint = robot.joint(drive.joints[0])
        return [joint.placement.rotation @ np.array(joint.axis)]
    return None


def with_rotor_bodies(robot: Robot, drives: Iterable[Drive]) -> Robot:
    """The robot with a body for each rotor of these drives, free to turn; its angle is the motor's, rad.

    The rotors' mass stays where it was: a rotor body has no mass and the inertia of a thin ring, which the carrier
    loses. Named configurations get rotor angles of zero. The drives are left out.
    """
    taken: dict[str, Array] = {}
    bodies, joints = list(robot.bodies), list(robot.joints)
    moved: set[tuple[str, ...]] = set()
    for drive in drives:
        axes = rotor_axes(robot, drive)
        if axes is None:
            raise RobotError(
                "the axes of its rotors are not known; give rotor_axes",
                subject=("drive of", " and ".join(drive.joints)),
            )
        carrying = robot.joint(drive.joints[0])
        for name, axis in zip(drive.joints, axes, strict=True):
            inertia = drive.motor.rotor_inertia / 2.0 * (np.eye(3) + np.outer(axis, axis))
            if carrying.parent != WORLD:
                taken[carrying.parent] = taken.get(carrying.parent, np.zeros((3, 3))) + inertia
            place = Transform(np.eye(3), carrying.placement.translation)
            bodies.append(Body(rotor_name(name), inertia=inertia))
            kind = JointType.CONTINUOUS
            joints.append(
                Joint(rotor_name(name), kind, carrying.parent, rotor_name(name), place, tuple(axis))
            )
        moved.add(drive.joints)
    lighter = (
        replace(body, inertia=body.inertia - taken[body.name]) if body.name in taken else body
        for body in bodies
    )
    bare = replace(
        robot,
        bodies=tuple(lighter),
        joints=tuple(joints),
        configurations={},
        drives=tuple(drive for drive in robot.drives if drive.joints not in moved),
    )
    return replace(
        bare,
        configurations={
            name: spread_configuration(robot, bare, q) for name, q in robot.configurations.items()
        },
    )


def spread_configuration(robot: Robot, larger: Robot, q: Array) -> Array:
    """The configuration q (nq,) of a robot for one that has more joints, which are at zero."""
    result = np.zeros(larger.nq)
    for joint in robot.joints:
        result[larger.q_slice(joint.name)] = q[robot.q_slice(joint.name)]
    return result
