"""Robots as Pinocchio's models whose tangent space is ours.

No composite joints: Pinocchio takes their motion subspaces for constant where it differentiates Jacobians. So a joint
of ours is a chain of Pinocchio's, and a floating base a translation and a ball joint on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from footfall.errors import UnsupportedFeature
from footfall.math.transform import Transform
from footfall.robot.model import WORLD, Body, Joint, JointType, Robot
from footfall.robot.tree import rotation_with_z_along

ROOT = "root_joint"  # Pinocchio's name of the joint that a file's root gets


def model_from_robot(robot: Robot, *, fast: bool = False) -> Any:
    """Joint by joint, with a frame for each body and frame; without gravity and armatures.

    fast: with Pinocchio's free flyer, whose tangent space is not ours, and its joints about coordinate axes.
    """
    model = pin.Model()
    model.name = robot.name
    carriers: dict[str, tuple[int, Any]] = {WORLD: (0, pin.SE3.Identity())}
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        parent, pose = carriers[joint.parent]
        pose = pose * _se3(joint.placement)
        if joint.type is not JointType.FIXED:
            parent = _add_chain(model, parent, _fast(joint) if fast else _elementary(joint), pose, joint.name)
            pose = pin.SE3.Identity()
        carriers[body.name] = (parent, pose)
        model.appendBodyToJoint(parent, _inertia(body), pose)
        model.addFrame(pin.Frame(body.name, parent, 0, pose, pin.FrameType.BODY))
    for frame in robot.frames:
        parent, pose = carriers[frame.body]
        placed = pose * _se3(frame.placement)
        model.addFrame(pin.Frame(frame.name, parent, 0, placed, pin.FrameType.OP_FRAME))
    return model


def model_from_urdf(path: Path | str, *, floating_base: bool) -> Any:
    """By Pinocchio's own reader: children come alphabetically, continuous joints have coordinates (cos, sin)."""
    model = pin.buildModelFromUrdf(str(path))
    return _on_floating_base(model) if floating_base else model


def _on_floating_base(fixed: Any) -> Any:
    """A model read with its root fixed, on a translation and a ball joint."""
    model = pin.Model()
    base = [pin.JointModelTranslation(), pin.JointModelSpherical()]
    root = _add_chain(model, 0, base, pin.SE3.Identity(), ROOT)
    model.appendBodyToJoint(root, fixed.inertias[0], pin.SE3.Identity())
    for index in range(1, fixed.njoints):
        parent = fixed.parents[index] + root
        model.addJoint(parent, fixed.joints[index], fixed.jointPlacements[index], fixed.names[index])
        model.appendBodyToJoint(index + root, fixed.inertias[index], pin.SE3.Identity())
    for frame in fixed.frames[1:]:
        model.addFrame(pin.Frame(frame.name, frame.parentJoint + root, 0, frame.placement, frame.type), False)
    return model


def _add_chain(model: Any, parent: int, joints: Sequence[Any], pose: Any, name: str) -> int:
    """Add joints one on the other; the last has the name itself. Gives its index."""
    for number, joint in enumerate(joints):
        last = number == len(joints) - 1
        parent = model.addJoint(parent, joint, pose, name if last else f"{name}:{number}")
        pose = pin.SE3.Identity()
    return parent


def _elementary(joint: Joint) -> list[Any]:
    """Pinocchio's joints that make up a joint, in the order of its coordinates."""
    axis, second = np.array(joint.axis), np.array(joint.second_axis)
    match joint.type:
        case JointType.REVOLUTE | JointType.CONTINUOUS:
            return [pin.JointModelRevoluteUnaligned(axis)]
        case JointType.PRISMATIC:
            return [pin.JointModelPrismaticUnaligned(axis)]
        case JointType.UNIVERSAL:
            return [pin.JointModelRevoluteUnaligned(axis), pin.JointModelRevoluteUnaligned(second)]
        case JointType.PLANAR:
            directions = rotation_with_z_along(axis).T[:2]
            slides = [pin.JointModelPrismaticUnaligned(direction) for direction in directions]
            return [*slides, pin.JointModelRevoluteUnaligned(axis)]
        case JointType.SPHERICAL:
            return [pin.JointModelSpherical()]
        case JointType.FLOATING:
            return [pin.JointModelTranslation(), pin.JointModelSpherical()]
    message = f"type {joint.type} has no counterpart in Pinocchio"
    raise UnsupportedFeature(message, subject=("joint", joint.name))


_ALIGNED = {
    JointType.REVOLUTE: (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ),
    JointType.CONTINUOUS: (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ),
    JointType.PRISMATIC: (pin.JointModelPX, pin.JointModelPY, pin.JointModelPZ),
}


def _fast(joint: Joint) -> list[Any]:
    """The same with the joints that Pinocchio is fastest with."""
    if joint.type is JointType.FLOATING:
        return [pin.JointModelFreeFlyer()]
    if joint.type is JointType.UNIVERSAL:
        turn = replace(joint, type=JointType.REVOLUTE, lower=(), upper=(), velocity=(), effort=())
        return _fast(turn) + _fast(replace(turn, axis=joint.second_axis))
    if joint.type in _ALIGNED and sorted(joint.axis) == [0.0, 0.0, 1.0]:
        return [_ALIGNED[joint.type][joint.axis.index(1.0)]()]
    return _elementary(joint)


def _se3(pose: Transform) -> Any:
    return pin.SE3(np.asarray(pose.rotation, dtype=float), np.asarray(pose.translation, dtype=float))


def _inertia(body: Body) -> Any:
    """By its ten parameters: the constructor refuses the impossible inertias that some publications have."""
    mass, c = body.mass, np.asarray(body.center_of_mass)
    if mass == 0.0:
        return pin.Inertia(0.0, c, np.asarray(body.inertia))
    i = body.inertia + mass * (c @ c * np.eye(3) - np.outer(c, c))
    entries = [i[0, 0], i[0, 1], i[1, 1], i[0, 2], i[1, 2], i[2, 2]]
    return pin.Inertia.FromDynamicParameters(np.array([mass, *(mass * c), *entries]))
