"""Writer of URDF.

What URDF has no word for: a universal joint is written as two revolute ones with a link between, a capsule as
a cylinder and two spheres, a frame as a link without mass, a gear between two joints as a mimic; spherical joints and
other loops are an error. What is left out is listed by `left_out`; `srdf_writer` writes configurations and groups.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from footfall.errors import UnsupportedFeature
from footfall.math.transform import Transform, identity_transform
from footfall.robot.description import free_name
from footfall.robot.model import (
    WORLD,
    Body,
    Box,
    Capsule,
    Cylinder,
    Geometry,
    Joint,
    JointType,
    LoopType,
    Mesh,
    Mimic,
    Robot,
    Sphere,
)
from footfall.robot.orientation import rpy_from_matrix
from footfall.robot.urdf import NO_LIMIT, ROOT_JOINT
from footfall.robot.xml_writer import Node


def urdf_text(robot: Robot) -> str:
    """The robot as URDF text."""
    followers = _followers(robot)
    root = Node("robot", {"name": robot.name, "xmlns:drake": "http://drake.mit.edu"})
    world = not _is_plain_root(robot)
    if world:
        root.add("link", name=WORLD)
    if any(isinstance(each.shape, Mesh) for body in robot.bodies for each in body.collisions):
        # MuJoCo reads URDF as well, but looks for meshes without their folder unless told.
        root.add("mujoco").add("compiler", strippath="false")
    links = set(robot.frame_names)
    joints = urdf_joints(robot)
    names = {part.name for parts in joints.values() for part in parts}
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        _add_link(root, body)
        if joint.parent == WORLD and not world:
            continue
        for part in joints[joint.name]:
            if part.child not in links:
                root.add("link", name=part.child)
                links.add(part.child)
            _add_joint(root, replace(part, mimic=followers.get(part.name, part.mimic)))
    for frame in robot.frames:
        root.add("link", name=frame.name)
        name = free_name(f"{frame.name}_joint", names)
        names.add(name)
        _add_joint(root, Joint(name, JointType.FIXED, frame.body, frame.name, frame.placement))
    return root.text()


def urdf_joints(robot: Robot) -> dict[str, list[Joint]]:
    """By each joint of the robot those that stand for it in a URDF."""
    links = set(robot.frame_names)
    names = {joint.name for joint in robot.joints}
    return {joint.name: _urdf_joints(joint, links, names) for joint in robot.joints}


def _followers(robot: Robot) -> dict[str, Mimic]:
    """Gears between two joints as mimics, which is all that URDF knows of loops."""
    mimics: dict[str, Mimic] = {}
    for loop in robot.loops:
        follower = loop.joints[0] if loop.joints else ""
        if loop.type is not LoopType.GEAR or len(loop.joints) != 2 or follower in mimics:
            message = (
                f"is a {loop.type}; URDF has only gears between two joints; save as .toml or .xml (MJCF)"
            )
            raise UnsupportedFeature(message, subject=("loop", loop.name))
        mimics[follower] = Mimic(loop.joints[1], loop.coefficients[0], loop.offset)
    return mimics


def _is_plain_root(robot: Robot) -> bool:
    """Whether the root joint is the one that the reader adds by itself."""
    roots = [joint for joint in robot.joints if joint.parent == WORLD]
    return (
        len(roots) == 1
        and roots[0].type is JointType.FIXED
        and roots[0].name == ROOT_JOINT
        and _is_identity(roots[0].placement)
        and all(frame.body != WORLD for frame in robot.frames)
    )


def _is_identity(placement: Transform) -> bool:
    return np.array_equal(placement.rotation, np.eye(3)) and not np.any(placement.translation)


def _urdf_joints(joint: Joint, links: set[str], names: set[str]) -> list[Joint]:
    """The joint as one or more that URDF knows."""
    if joint.type is JointType.SPHERICAL:
        message = "is spherical, which URDF cannot express; save as .xml (MJCF) or .toml, or lock the joint"
        raise UnsupportedFeature(message, subject=("joint", joint.name))
    if joint.type is not JointType.UNIVERSAL:
        return [joint]
    middle = free_name(f"{joint.child}_middle", links)
    links.add(middle)
    second = free_name(f"{joint.name}_second", names)
    names.add(second)
    parts = [
        replace(
            joint,
            type=JointType.REVOLUTE,
            **{name: getattr(joint, name)[k : k + 1] for name in ("lower", "upper", "velocity", "effort")},
        )
        for k in range(2)
    ]
    return [
        replace(parts[0], child=middle),
        replace(parts[1], name=second, parent=middle, placement=identity_transform(), axis=joint.second_axis),
    ]


def _add_link(root: Node, body: Body) -> None:
    link = root.add("link", name=body.name)
    if body.mass > 0.0 or np.any(body.inertia):
        inertial = link.add("inertial")
        inertial.add("origin", xyz=body.center_of_mass, rpy=(0.0, 0.0, 0.0))
        inertial.add("mass", value=body.mass)
        i = body.inertia
        entries = {
            "ixx": i[0, 0],
            "ixy": i[0, 1],
            "ixz": i[0, 2],
            "iyy": i[1, 1],
            "iyz": i[1, 2],
            "izz": i[2, 2],
        }
        inertial.add("inertia", **entries)
    for tag, geometries in (("visual", body.visuals), ("collision", body.collisions)):
        for geometry in geometries:
            for part in _without_capsules(geometry):
                _add_geometry(link, tag, part)


def _without_capsules(geometry: Geometry) -> list[Geometry]:
    """Shapes that every URDF parser knows."""
    if not isinstance(geometry.shape, Capsule):
        return [geometry]
    radius, half = geometry.shape.radius, geometry.shape.length / 2
    ends = [geometry.placement @ Transform(np.eye(3), np.array([0.0, 0.0, z])) for z in (-half, half)]
    return [
        replace(geometry, shape=Cylinder(radius, geometry.shape.length)),
        *(replace(geometry, shape=Sphere(radius), placement=end) for end in ends),
    ]


def _add_geometry(link: Node, tag: str, geometry: Geometry) -> None:
    element = link.add(tag, name=geometry.name or None)
    _add_origin(element, geometry.placement)
    holder = element.add("geometry")
    match geometry.shape:
        case Box(size):
            holder.add("box", size=size)
        case Sphere(radius):
            holder.add("sphere", radius=radius)
        case Cylinder(radius, length):
            holder.add("cylinder", radius=radius, length=length)
        case Mesh(path, scale):
            holder.add("mesh", filename=path, scale=scale)
    if geometry.color is not None:
        name = "rgba " + " ".join(f"{part:g}" for part in geometry.color)
        element.add("material", name=name).add("color", rgba=geometry.color)


def _add_origin(element: Node, placement: Transform) -> None:
    if not _is_identity(placement):
        element.add("origin", xyz=placement.translation, rpy=rpy_from_matrix(placement.rotation))


def _add_joint(root: Node, joint: Joint) -> None:
    element = root.add("joint", name=joint.name, type=str(joint.type))
    _add_origin(element, joint.placement)
    element.add("parent", link=joint.parent)
    element.add("child", link=joint.child)
    if joint.type is JointType.FIXED:
        return
    if joint.type is not JointType.FLOATING:
        element.add("axis", xyz=joint.axis)
        _add_limit(element, joint)
    if joint.damping or joint.friction:
        element.add("dynamics", damping=joint.damping, friction=joint.friction)
    if joint.mimic is not None:
        mimic = joint.mimic
        element.add("mimic", joint=mimic.joint, multiplier=mimic.multiplier, offset=mimic.offset)
    if joint.armature:
        _add_transmission(root, joint)


def _add_limit(element: Node, joint: Joint) -> None:
    stops = joint.type in (JointType.REVOLUTE, JointType.PRISMATIC)
    element.add(
        "limit",
        lower=_bounded(joint.lower, -math.inf) if stops else None,
        upper=_bounded(joint.upper, math.inf) if stops else None,
        effort=_bounded(joint.effort, math.inf),
        velocity=_bounded(joint.velocity, math.inf),
    )


def _bounded(limits: tuple[float, ...], default: float) -> float:
    """The limit as a finite number: of a joint with several velocities the least, which holds for all."""
    limit = min(limits) if limits else default
    return max(-NO_LIMIT, min(limit, NO_LIMIT))


def _add_transmission(root: Node, joint: Joint) -> None:
    transmission = root.add("transmission", name=f"{joint.name}_transmission")
    transmission.add("joint", name=joint.name)
    actuator = transmission.add("actuator", name=f"{joint.name}_actuator")
    actuator.add("drake:gear_ratio", value=1.0)
    actuator.add("drake:rotor_inertia", value=joint.armature)
