"""Robots of arms that were found: an arm by itself, and a robot that gets it on both sides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.math.transform import Transform
from footfall.robot.denavit_hartenberg import rod_body
from footfall.robot.load import load
from footfall.robot.model import WORLD, Body, Frame, Joint, JointType, Robot
from footfall.robot.variants import lock_joints, with_configuration
from footfall.workspace.candidates import ArmCandidate
from footfall.workspace.tasks import ArmReplacement

BASE, HAND = "base", "hand"
_MIRROR = np.array([1.0, -1.0, 1.0])


def arm_robot(arm: ArmCandidate, name: str = "arm", *, mass: float = 5.0, effort: float = 100.0) -> Robot:
    """An arm on a fixed body `base`, with links `arm1`, ... and a frame `hand`. mass: kg, of all links. effort: N m."""
    base = Body(BASE, 1.0, np.zeros(3), 1e-2 * np.eye(3))
    bodies, joints, frame = _links(arm, "arm", BASE, np.zeros(3), HAND, mass, effort)
    return Robot(name, (base, *bodies), (Joint(BASE, JointType.FIXED, WORLD, BASE), *joints), (frame,))


def robot_with_arms(arm: ArmCandidate, where: ArmReplacement) -> Robot:
    """A robot whose arms are replaced by this one and, on the left, its mirror image."""
    robot = load(where.name)
    robot = lock_joints(robot, where.weld) if where.weld else robot
    gone = _carried(robot, where.remove)
    bodies = [body for body in robot.bodies if body.name not in gone]
    joints = [joint for joint in robot.joints if joint.child not in gone]
    frames = [frame for frame in robot.frames if frame.body not in gone]
    parts: list[Any] = [bodies, joints, frames]
    names: list[str] = []
    for side, hand, mirror in (("right", where.hands[0], 1.0), ("left", where.hands[1], -1.0)):
        place = np.array(where.position)
        own = arm if mirror > 0.0 else _mirrored(arm)
        if mirror < 0.0:
            place = place * _MIRROR
        found = _links(own, f"arm_{side}", where.body, place, hand, where.mass, where.effort)
        parts[0] += found[0]
        parts[1] += found[1]
        parts[2].append(found[2])
        names += [joint.name for joint in found[1]]
    kept = {joint.name for joint in joints}
    new = replace(
        robot,
        name=f"{robot.name}_other_arms",
        bodies=tuple(parts[0]),
        joints=tuple(parts[1]),
        frames=tuple(parts[2]),
        configurations={},
        groups={name: tuple(m for m in members if m in kept) for name, members in robot.groups.items()},
        regions={name: tuple(m for m in members if m not in gone) for name, members in robot.regions.items()},
        limit_sets={
            name: {joint: limit for joint, limit in limits.items() if joint in kept}
            for name, limits in robot.limit_sets.items()
        },
        drives=tuple(drive for drive in robot.drives if set(drive.joints) <= kept),
        springs=tuple(spring for spring in robot.springs if spring.joint in kept),
        volumes=tuple(volume for volume in robot.volumes if volume.body not in gone),
        volume_pairs=tuple(
            pair for pair in robot.volume_pairs if not any(_body_of(robot, name) in gone for name in pair)
        ),
        apart=tuple(pair for pair in robot.apart if not set(pair) & gone),
    )
    for name, q in robot.configurations.items():
        new = with_configuration(new, name, _configuration(robot, new, q, names))
    return new


def _links(
    arm: ArmCandidate, prefix: str, parent: str, place: Array, hand: str, mass: float, effort: float
) -> tuple[list[Body], list[Joint], Frame]:
    """Bodies and joints of an arm, and the frame of its hand."""
    bodies, joints = [], []
    count = arm.joints
    for k in range(count):
        name, offset = f"{prefix}{k + 1}", arm.offsets[k] + (place if k == 0 else 0.0)
        sliding = arm.slides[k] > 0.5
        joints.append(
            Joint(
                name,
                JointType.PRISMATIC if sliding else JointType.REVOLUTE,
                parent,
                name,
                Transform(np.eye(3), offset),
                tuple(arm.axes[k].tolist()),
                lower=(float(arm.lower[k]),),
                upper=(float(arm.upper[k]),),
                effort=(effort,),
                velocity=(1.0 if sliding else 6.0,),
            )
        )
        bodies.append(rod_body(name, mass / count, arm.offsets[k + 1]))
        parent = name
    return bodies, joints, Frame(hand, parent, Transform(np.eye(3), arm.offsets[count]))


def _mirrored(arm: ArmCandidate) -> ArmCandidate:
    """On the other side of the xz plane: a turn about (x, y, z) becomes one about (-x, y, -z), a slide goes along its
    mirror image."""
    turned = np.where(arm.slides[:, None] > 0.5, arm.axes * _MIRROR, -arm.axes * _MIRROR)
    return arm._replace(axes=turned, offsets=arm.offsets * _MIRROR)


def _carried(robot: Robot, names: list[str]) -> set[str]:
    """Bodies of these names and all that they carry."""
    gone = {robot.body(name).name for name in names}
    for joint in robot.joints:  # parents come first
        if joint.parent in gone:
            gone.add(joint.child)
    return gone


def _body_of(robot: Robot, volume: str) -> str:
    return next(each.body for each in robot.volumes if each.name == volume)


def _configuration(old: Robot, new: Robot, q: Array, arms: list[str]) -> Array:
    """The same for joints that are still there; arms hang, or are as near to that as their ranges allow."""
    result = np.zeros(new.nq)
    for joint in new.joints:
        place = new.q_slice(joint.name)
        if joint.name in arms:
            result[place] = np.clip(0.0, joint.lower[0], joint.upper[0])
        else:
            result[place] = q[old.q_slice(joint.name)]
    return result
