"""Writer of MJCF, the format of MuJoCo; it does not need MuJoCo.

A joint with several velocities becomes several MuJoCo joints of one body, named `joint:1`, `joint:2`, ...;
only a floating joint at the world's origin is a free joint. Mimics and loops become equality constraints, frames sites,
configurations keyframes, effort limits motors with a force range. `left_out` lists what MJCF has no word for; meshes
are written if asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import UnsupportedFeature
from footfall.math.transform import Transform
from footfall.robot.description import free_name
from footfall.robot.drives.spring import Spring
from footfall.robot.mjcf_inertias import Inertial, acceptable_inertials
from footfall.robot.model import (
    WORLD,
    Box,
    Capsule,
    Cylinder,
    Geometry,
    Joint,
    JointType,
    Loop,
    LoopType,
    Mesh,
    Robot,
    Sphere,
)
from footfall.robot.orientation import quaternion_from_matrix
from footfall.robot.tree import rotation_with_z_along
from footfall.robot.xml_writer import Node
from footfall.whole_file import is_file

NO_LIMIT = 1e9  # rad or m: ranges have two ends, this one stands for none
VISUAL_GROUP, COLLISION_GROUP = 2, 3

_MESH_SUFFIXES = (".stl", ".obj", ".msh")  # what MuJoCo opens


class Part(NamedTuple):
    """One MuJoCo joint."""

    type: str
    axis: tuple[float, float, float] | None


def mjcf_text(robot: Robot, *, meshes: bool | Mapping[Mesh, str] = False) -> str:
    """The robot as MJCF text.

    meshes: the files of those that are written; true writes those whose files exist in a format of MuJoCo.
    """
    if isinstance(meshes, bool):
        files = {mesh: str(Path(mesh.path).absolute()) for mesh in _openable(robot)}
        meshes = files if meshes else {}
    root = Node("mujoco", {"model": robot.name})
    root.add("compiler", angle="radian", autolimits="true", inertiafromgeom="false")
    root.add("option", gravity=robot.gravity)
    assets = _Assets(root.add("asset") if meshes else None, meshes)
    nodes = {WORLD: root.add("worldbody")}
    geometry_names: set[str] = set()
    inertials = acceptable_inertials(robot)
    springs = {spring.joint: spring for spring in robot.springs}
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        node = nodes[joint.parent].add("body", name=body.name, **_pose(joint.placement))
        nodes[body.name] = node
        _add_joints(node, joint, springs.get(joint.name))
        _add_inertial(node, inertials[body.name])
        for geometries, visual in ((body.visuals, True), (body.collisions, False)):
            for geometry in geometries:
                _add_geometry(node, geometry, geometry_names, assets, visual=visual)
    for frame in robot.frames:
        nodes[frame.body].add("site", name=frame.name, **_pose(frame.placement))
    _add_equalities(root, robot)
    if robot.apart:
        contact = root.add("contact")
        for first, second in robot.apart:
            contact.add("exclude", body1=first, body2=second)
    _add_motors(root, robot)
    if robot.configurations:
        keyframe = root.add("keyframe")
        for name, q in robot.configurations.items():
            keyframe.add("key", name=name, qpos=q)
    return root.text()


def _openable(robot: Robot) -> Iterator[Mesh]:
    for body in robot.bodies:
        for geometry in (*body.visuals, *body.collisions):
            shape = geometry.shape
            if not isinstance(shape, Mesh) or not is_file(Path(shape.path)):
                continue
            if Path(shape.path).suffix.lower() in _MESH_SUFFIXES:
                yield shape


def parts(joint: Joint) -> list[Part]:
    """The MuJoCo joints that make up a joint, in the order of its coordinates."""
    match joint.type:
        case JointType.REVOLUTE | JointType.CONTINUOUS:
            return [Part("hinge", joint.axis)]
        case JointType.PRISMATIC:
            return [Part("slide", joint.axis)]
        case JointType.UNIVERSAL:
            return [Part("hinge", joint.axis), Part("hinge", joint.second_axis)]
        case JointType.PLANAR:
            first, second = (
                Part("slide", _tuple(axis)) for axis in rotation_with_z_along(np.array(joint.axis)).T[:2]
            )
            return [first, second, Part("hinge", joint.axis)]
        case JointType.SPHERICAL:
            return [Part("ball", None)]
        case JointType.FLOATING:
            at_origin = joint.parent == WORLD and not _pose(joint.placement)
            slides = [Part("slide", _tuple(axis)) for axis in np.eye(3)]
            return [Part("free", None)] if at_origin else [*slides, Part("ball", None)]
        case JointType.FIXED:
            return []


def part_names(joint: Joint) -> list[str]:
    """Names of the MuJoCo joints that make up a joint."""
    count = len(parts(joint))
    return [joint.name] if count == 1 else [f"{joint.name}:{number}" for number in range(1, count + 1)]


def _tuple(vector: Array) -> tuple[float, float, float]:
    x, y, z = vector.tolist()
    return x, y, z


def _pose(placement: Transform) -> dict[str, Array]:
    """Attributes of a pose; none for the identity."""
    attributes = {}
    if np.any(placement.translation):
        attributes["pos"] = placement.translation
    if not np.array_equal(placement.rotation, np.eye(3)):
        attributes["quat"] = quaternion_from_matrix(placement.rotation)
    return attributes


def _add_joints(node: Node, joint: Joint, spring: Spring | None) -> None:
    """Its MuJoCo joints; a spring acts on a joint of one coordinate, and its damping is the joint's there."""
    damping = joint.damping + (spring.damping if spring else 0.0)
    for index, (part, name) in enumerate(zip(parts(joint), part_names(joint), strict=True)):
        node.add(
            "joint",
            name=name,
            type=part.type,
            axis=part.axis,
            range=_range(joint, index),
            damping=damping or None,
            stiffness=spring.stiffness if spring else None,
            springref=spring.rest if spring and spring.rest else None,
            frictionloss=joint.friction or None,
            armature=joint.armature or None,
        )


def _range(joint: Joint, index: int) -> tuple[float, float] | None:
    lower = max(joint.lower[index] if joint.lower else -math.inf, -NO_LIMIT)
    upper = min(joint.upper[index] if joint.upper else math.inf, NO_LIMIT)
    return None if lower == -NO_LIMIT and upper == NO_LIMIT else (lower, upper)


def _add_inertial(node: Node, inertial: Inertial) -> None:
    if inertial.is_nothing:
        return
    i = inertial.inertia
    full = (i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2])
    node.add(
        "inertial",
        pos=inertial.center,
        mass=inertial.mass,
        diaginertia=np.diag(i) if inertial.is_diagonal else None,
        fullinertia=None if inertial.is_diagonal else full,
    )


class _Assets:
    """Meshes that geometries refer to; each file is written once for each scale."""

    def __init__(self, node: Node | None, meshes: Mapping[Mesh, str]) -> None:
        self._node = node
        self._meshes = meshes
        self._names: dict[Mesh, str] = {}

    def mesh(self, mesh: Mesh) -> str | None:
        """Name of the asset, None if it cannot be one."""
        if self._node is None or mesh not in self._meshes:
            return None
        if mesh not in self._names:
            file = self._meshes[mesh]
            name = free_name(Path(file).stem, set(self._names.values()))
            self._names[mesh] = name
            # Bodies have inertias of their own; as a solid MuJoCo refuses what encloses too little.
            self._node.add("mesh", name=name, file=file, scale=mesh.scale, inertia="shell")
        return self._names[mesh]


def _add_geometry(node: Node, geometry: Geometry, names: set[str], assets: _Assets, *, visual: bool) -> None:
    mesh = assets.mesh(geometry.shape) if isinstance(geometry.shape, Mesh) else None
    match geometry.shape:
        case Box(size):
            kind, sizes = "box", [edge / 2 for edge in size]
        case Sphere(radius):
            kind, sizes = "sphere", [radius]
        case Cylinder(radius, length):
            kind, sizes = "cylinder", [radius, length / 2]
        case Capsule(radius, length):
            kind, sizes = "capsule", [radius, length / 2]
        case _:
            kind, sizes = "mesh", []
    if (kind == "mesh" and mesh is None) or any(size <= 0.0 for size in sizes):
        return  # MuJoCo refuses shapes without extent
    name = None
    if geometry.name:
        name = free_name(geometry.name, names)
        names.add(name)
    node.add(
        "geom",
        name=name,
        type=kind,
        mesh=mesh,
        size=sizes or None,
        **_pose(geometry.placement),
        rgba=geometry.color,
        friction=None if visual else _friction(geometry),
        condim=None if visual else _dimensions(geometry),
        contype=0 if visual else None if geometry.group == 1 else geometry.group,
        conaffinity=0 if visual else None if geometry.mask == 1 else geometry.mask,
        group=VISUAL_GROUP if visual else COLLISION_GROUP,
    )


def _friction(geometry: Geometry) -> tuple[float, float, float] | None:
    """MuJoCo's numbers: sliding, torsional, rolling; None for its default."""
    if geometry.friction is None and _dimensions(geometry) is None:
        return None
    sliding = 1.0 if geometry.friction is None else geometry.friction
    if _dimensions(geometry) is None:
        return sliding, 0.005, 0.0001
    return sliding, geometry.torsional_friction, geometry.rolling_friction


def _dimensions(geometry: Geometry) -> int | None:
    """MuJoCo's condim; None for its default, sliding alone."""
    if geometry.rolling_friction > 0.0:
        return 6
    return 4 if geometry.torsional_friction > 0.0 else None


def _add_equalities(root: Node, robot: Robot) -> None:
    """Mimics and loops. MuJoCo keeps them by stiff springs."""
    followers = [(joint, joint.mimic) for joint in robot.joints if joint.mimic is not None]
    if not followers and not robot.loops:
        return
    linear = [loop for loop in robot.loops if loop.type in (LoopType.GEAR, LoopType.ROLLING)]
    tendons = root.add("tendon") if linear else None
    equality = root.add("equality")
    for joint, mimic in followers:
        polynomial = (mimic.offset, mimic.multiplier, 0.0, 0.0, 0.0)
        equality.add("joint", joint1=joint.name, joint2=mimic.joint, polycoef=polynomial)
    for loop in robot.loops:
        if loop in linear and tendons is not None:
            _add_tendon(tendons, equality, loop)
        else:
            _add_loop(equality, robot, loop)


def _add_tendon(tendons: Node, equality: Node, loop: Loop) -> None:
    """A weighted sum of joints that stays what it is."""
    rolling = loop.type is LoopType.ROLLING
    weights = loop.coefficients if rolling else (1.0, *(-ratio for ratio in loop.coefficients))
    fixed = tendons.add("fixed", name=loop.name)
    for joint, weight in zip(loop.joints, weights, strict=True):
        fixed.add("joint", joint=joint, coef=weight)
    equality.add("tendon", name=loop.name, tendon1=loop.name, polycoef=(loop.offset, 0.0, 0.0, 0.0, 0.0))


def _add_loop(equality: Node, robot: Robot, loop: Loop) -> None:
    numbers = loop.coefficients
    frames = {frame.name for frame in robot.frames}
    if loop.type in (LoopType.POINT, LoopType.WELD) and {loop.frame, loop.against} <= frames:
        tag = "connect" if loop.type is LoopType.POINT else "weld"
        equality.add(tag, name=loop.name, site1=loop.frame, site2=loop.against)
    elif loop.type is LoopType.POLYNOMIAL and len(numbers) <= 5:
        polynomial = (numbers[0] + loop.offset, *numbers[1:], *(0.0,) * (5 - len(numbers)))
        equality.add(
            "joint", name=loop.name, joint1=loop.joints[0], joint2=loop.joints[1], polycoef=polynomial
        )
    else:
        message = (
            f"is a {loop.type} between {loop.frame or loop.joints[0]!r} and {loop.against or loop.joints[-1]!r}; "
            "MJCF can express points and welds between frames (not bodies), gears, rolling and polynomials to the "
            "fourth power; save as .toml"
        )
        raise UnsupportedFeature(message, subject=("loop", loop.name))


def _add_motors(root: Node, robot: Robot) -> None:
    motors = list(_motors(robot))
    if not motors:
        return
    actuator = root.add("actuator")
    for name, limit, gains in motors:
        force = None if math.isinf(limit) else (-limit, limit)
        if gains is None:
            actuator.add("motor", name=name, joint=name, ctrlrange=force, forcerange=force)
        elif gains[0] > 0.0:
            actuator.add("position", name=name, joint=name, kp=gains[0], kv=gains[1], forcerange=force)
        else:
            actuator.add("velocity", name=name, joint=name, kv=gains[1], forcerange=force)


def _motors(robot: Robot) -> Iterator[tuple[str, float, tuple[float, float] | None]]:
    """Hinges and slides that are driven (not those of a free base), their greatest effort, and gains of servos."""
    for joint in robot.joints:
        if joint.mimic is not None or (
            not joint.effort and joint.type in (JointType.PLANAR, JointType.FLOATING)
        ):
            continue
        for index, (part, name) in enumerate(zip(parts(joint), part_names(joint), strict=True)):
            limit = joint.effort[index] if joint.effort else math.inf
            gains = (joint.kp[index], joint.kd[index] if joint.kd else 0.0) if joint.kp else None
            if part.type in ("hinge", "slide") and limit > 0.0:
                yield name, limit, gains if gains is not None and any(gains) else None
