"""The sole of a foot, from the shapes on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.configuration import neutral
from footfall.dynamics.kinematics import link_poses
from footfall.errors import MisplacedFrame
from footfall.geometry.mesh import load_mesh
from footfall.math.transform import Transform, identity_transform
from footfall.motion.reduced_model import Rectangle
from footfall.robot.model import Robot
from footfall.robot.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Sphere
from footfall.whole_file import is_file

_THICKNESS = 0.02  # m above the lowest point: what lies in it is the sole


def foot_points(robot: Robot, foot: str, *, beside: Sequence[int] = ()) -> Array:
    """Points (k, 3) in a foot frame, m, whose hull is that of the shapes of the body that carries it. beside: links
    whose shapes count, too, as they stand where all joints are at zero."""
    attachments = robot.tree.attachments
    here = attachments[foot]
    poses = link_poses(robot.tree, neutral(robot)) if beside else []
    points = []
    for body in robot.bodies:
        carried = attachments[body.name]
        if carried.link == here.link:
            to_foot = here.placement.inverse() @ carried.placement
        elif carried.link in beside:
            seen = poses[here.link] @ here.placement
            to_foot = seen.inverse() @ poses[carried.link] @ carried.placement
        else:
            continue
        for shape in body.collisions or body.visuals:
            pose = to_foot @ shape.placement
            points.append(shape_points(shape) @ pose.rotation.T + pose.translation)
    return np.concatenate(points) if points else np.empty((0, 3))


def sole_rectangle(robot: Robot, foot: str, *, beside: Sequence[int] = ()) -> Rectangle:
    """(rear, front, right, left) of the sole in a foot frame, m, from the shapes of the body that carries it, and of
    links beside it."""
    cloud = foot_points(robot, foot, beside=beside)
    if len(cloud) == 0:
        raise MisplacedFrame(
            f"the body of frame {foot!r} has no shapes; pass sole=(rear, front, right, left)"
        )
    lowest = float(cloud[:, 2].min())
    if abs(lowest) > 0.5 * _THICKNESS:
        raise MisplacedFrame(
            f"the sole is at z = {lowest:.3g} m of frame {foot!r}; a foot frame must lie on the sole "
            "(`with_standing_frames` adds such frames)"
        )
    flat = cloud[cloud[:, 2] < lowest + _THICKNESS]
    # The same rectangle serves both feet: as far to either side as the sole reaches to both.
    half = float(min(-flat[:, 1].min(), flat[:, 1].max()))
    if half <= 0.0:
        raise MisplacedFrame(
            f"the sole does not reach to both sides of frame {foot!r}; pass sole=(rear, front, right, left)"
        )
    return float(flat[:, 0].min()), float(flat[:, 0].max()), -half, half


def stands_on_shapes(robot: Robot, foot: str) -> bool:
    """Whether the body of a foot has something that touches the ground."""
    attachments = robot.tree.attachments
    return any(
        len(shape_points(shape)) > 0
        for body in robot.bodies
        if attachments[body.name].link == attachments[foot].link
        for shape in body.collisions
    )


def with_sole_shapes(robot: Robot, feet: Iterable[str], sole: Rectangle | None) -> Robot:
    """The robot with boxes under those feet that have nothing to stand on, of this sole (rear, front, right, left)."""
    bare = [foot for foot in feet if not stands_on_shapes(robot, foot)]
    if not bare:
        return robot
    if sole is None:
        raise MisplacedFrame(
            f"feet {', '.join(bare)} of robot {robot.name!r} have no shapes that touch the ground; give the sole that "
            "they stand on: --sole REAR,FRONT,RIGHT,LEFT, sole=(rear, front, right, left)"
        )
    rear, front, right, left = sole
    middle = np.array([(rear + front) / 2, (right + left) / 2, _THICKNESS / 2])
    box = Box((front - rear, left - right, _THICKNESS))
    frames = {frame.name: frame for frame in robot.frames}
    bodies = {body.name: body for body in robot.bodies}
    for foot in bare:
        carrier = frames[foot].body if foot in frames else foot
        place = frames[foot].placement if foot in frames else identity_transform()
        shape = Geometry(box, place @ Transform(np.eye(3), middle), f"{foot}_sole")
        bodies[carrier] = replace(bodies[carrier], collisions=(*bodies[carrier].collisions, shape))
    return replace(robot, bodies=tuple(bodies[body.name] for body in robot.bodies))


def shape_points(geometry: Geometry) -> Array:
    """Points (k, 3) whose hull is that of a shape, in its own frame."""
    signs = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    shape = geometry.shape
    if isinstance(shape, Mesh):
        if not is_file(Path(shape.path)):
            return np.empty((0, 3))
        return np.asarray(load_mesh(shape.path).vertices * np.array(shape.scale))
    match shape:
        case Box(size):
            half = np.array(size) / 2
        case Sphere(radius):
            half = np.full(3, radius)
        case Cylinder(radius, length):
            half = np.array([radius, radius, length / 2])
        case Capsule(radius, length):
            half = np.array([radius, radius, length / 2 + radius])
    return np.asarray(signs * half)
