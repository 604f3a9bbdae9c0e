"""Rotors as bodies that turn with the joints: gears, screws and cranks as loops of the model.

Schwienbacher 2014, chapter 2.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import singledispatch

import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError
from footfall.math.transform import Transform
from footfall.robot.drives.ankle_cranks import AnkleCranks
from footfall.robot.drives.drive import Drive
from footfall.robot.drives.harmonic_drive import HarmonicDrive
from footfall.robot.drives.knee_screw import KneeScrew
from footfall.robot.drives.mechanism import Mechanism
from footfall.robot.drives.rotor_bodies import rotor_name, spread_configuration, with_rotor_bodies
from footfall.robot.loops import Loop, LoopType
from footfall.robot.model import Body, Frame, Joint, JointType, Robot

_NUT_MASS = 1e-3  # kg; the source counts no nuts, but a body that moves needs some mass


@dataclass(frozen=True)
class _Parts:
    """What a mechanism adds to a robot whose rotors are bodies."""

    bodies: tuple[Body, ...] = ()
    joints: tuple[Joint, ...] = ()
    frames: tuple[Frame, ...] = ()
    loops: tuple[Loop, ...] = ()


def with_geared_rotors(robot: Robot, drives: Iterable[Drive]) -> Robot:
    """The robot with a body for each rotor of these drives, which follows the joints through its mechanism.

    v stays what it was; q gets the rotors' angles (rad) and the travel of an ankle's nuts (m). See `with_rotor_bodies`
    for what becomes of masses. An ankle's nuts have a gram each. The configuration "assembly" has all joints at zero.
    """
    drives = tuple(drives)
    turning = with_rotor_bodies(robot, drives)
    parts = [_parts(drive.mechanism, drive, robot) for drive in drives]
    open_robot = replace(
        turning,
        bodies=(*turning.bodies, *(body for part in parts for body in part.bodies)),
        joints=(*turning.joints, *(joint for part in parts for joint in part.joints)),
        frames=(*turning.frames, *(frame for part in parts for frame in part.frames)),
        configurations={},
    )
    at_rest = {"assembly": _neutral(robot), **robot.configurations}
    return replace(
        open_robot,
        loops=(*turning.loops, *(loop for part in parts for loop in part.loops)),
        configurations={name: _closed(robot, open_robot, drives, q) for name, q in at_rest.items()},
    )


def _neutral(robot: Robot) -> Array:
    q = np.zeros(robot.nq)
    for joint in robot.joints:
        if joint.type.has_quaternion:
            q[robot.q_slice(joint.name).stop - 4] = 1.0
    return q


def _closed(robot: Robot, larger: Robot, drives: tuple[Drive, ...], q: Array) -> Array:
    """The configuration q (nq,) with rotors and nuts where the mechanisms have them."""
    result = spread_configuration(robot, larger, q)
    for drive in drives:
        here = np.array([q[robot.q_slice(name).start] for name in drive.joints])
        for name, angle in zip(drive.joints, drive.mechanism.motor_position(here), strict=True):
            result[larger.q_slice(rotor_name(name))] = angle
        if isinstance(drive.mechanism, AnkleCranks):
            for name, travel in zip(drive.joints, drive.mechanism.nut_position(here), strict=True):
                result[larger.q_slice(_nut(name))] = travel
    return result


@singledispatch
def _parts(mechanism: Mechanism, drive: Drive, robot: Robot) -> _Parts:
    raise RobotError(
        f"a {type(mechanism).__name__} has no form as a loop of the model",
        subject=("drive of", " and ".join(drive.joints)),
    )


@_parts.register
def _gear_parts(mechanism: HarmonicDrive, drive: Drive, robot: Robot) -> _Parts:
    (joint,) = drive.joints
    return _Parts(loops=(_gear(rotor_name(joint), joint, mechanism.ratio),))


@_parts.register
def _screw_parts(mechanism: KneeScrew, drive: Drive, robot: Robot) -> _Parts:
    """A spindle between thigh and shank; its rotor keeps its direction in the thigh.

    Schwienbacher 2014, (3.3)-(3.21).
    """
    (name,) = drive.joints
    joint, rotor = robot.joint(name), rotor_name(name)
    axis = joint.placement.rotation @ np.array(joint.axis)
    turn = _turn((mechanism.axis, mechanism.screw_axis), (axis, np.array(drive.rotor_axes[0])))
    thigh = joint.placement.translation - turn @ mechanism.thigh_to_hinge
    shank = joint.placement.rotation.T @ turn @ mechanism.hinge_to_shank
    ends = (f"{name}_screw_thigh", f"{name}_screw_shank")
    loop = Loop(
        f"{name}_screw", LoopType.SCREW, *ends, joints=(rotor,), coefficients=(mechanism.ratio,)
    )  # fmt: skip
    return _Parts(
        frames=(_frame(ends[0], joint.parent, thigh), _frame(ends[1], joint.child, shank)), loops=(loop,)
    )


@_parts.register
def _crank_parts(mechanism: AnkleCranks, drive: Drive, robot: Robot) -> _Parts:
    """For each screw a nut that slides in the shank and a coupler of constant length to the foot.

    Schwienbacher 2014, (3.22)-(3.37).
    """
    first, second = (robot.joint(name) for name in drive.joints)
    to_foot = first.placement.rotation @ second.placement.rotation
    axes = (first.placement.rotation @ np.array(first.axis), to_foot @ np.array(second.axis))
    turn = _turn((mechanism.first_axis, mechanism.second_axis), axes)
    bodies, joints, frames, loops = [], [], [], []
    for name, crank in zip(drive.joints, mechanism.cranks, strict=True):
        nut, coupler = _nut(name), f"{name}_coupler"
        top = first.placement.translation + turn @ (crank.top - mechanism.shank_to_ankle)
        direction = tuple((turn @ crank.direction).tolist())
        bodies.append(Body(nut, _NUT_MASS))
        joints.append(
            Joint(nut, JointType.PRISMATIC, first.parent, nut, Transform(np.eye(3), top), direction)
        )
        frames.append(_frame(coupler, second.child, to_foot.T @ turn @ crank.foot_point))
        loops += [
            Loop(coupler, LoopType.DISTANCE, nut, coupler, length=crank.coupler, dependent=(nut,)),
            _gear(rotor_name(name), nut, crank.ratio),
        ]
    return _Parts(tuple(bodies), tuple(joints), tuple(frames), tuple(loops))


def _nut(joint: str) -> str:
    return f"{joint}_nut"


def _gear(rotor: str, joint: str, ratio: float) -> Loop:
    return Loop(f"{rotor}_gear", LoopType.GEAR, joints=(rotor, joint), coefficients=(ratio,))


def _frame(name: str, body: str, position: Array) -> Frame:
    return Frame(name, body, Transform(np.eye(3), position))


def _turn(mechanism: tuple[Array, Array], body: tuple[Array, Array]) -> Array:
    """The rotation (3, 3) that takes two directions in the mechanism's axes to those in the body's."""
    frames = []
    for first, second in (mechanism, body):
        third = np.cross(first, second)
        third /= np.linalg.norm(third)
        frames.append(np.column_stack([first, np.cross(third, first), third]))
    turn = frames[1] @ frames[0].T
    return np.where(np.abs(turn) < 1e-12, 0.0, turn)
