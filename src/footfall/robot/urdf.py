"""Reader of URDF, the format of ROS."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.errors import RobotError
from footfall.math.transform import Transform
from footfall.robot.description import Source, check_bodies, free_name
from footfall.robot.mesh_paths import MeshPaths
from footfall.robot.model import (
    WORLD,
    Body,
    Box,
    Capsule,
    Cylinder,
    Geometry,
    Joint,
    JointType,
    Mesh,
    Mimic,
    Robot,
    Shape,
    Sphere,
)
from footfall.robot.orientation import matrix_from_rpy
from footfall.robot.xml_tree import Element, parse_xml, read_xml

Color = tuple[float, float, float, float]

ROOT_JOINT = "root_joint"  # carries the root link on the world
EXPAND = "xacro robot.urdf > expanded.urdf, or name it robot.urdf.xacro: load expands that"
NO_LIMIT = 1e9  # rad, m, N, ...: the format asks for finite limits; from here on they stand for none

_ZERO = (0.0, 0.0, 0.0)
_JOINT_TYPES = {
    name: JointType(name) for name in ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
}


class _Reading(NamedTuple):
    """How a description is read: where its meshes are, colours by name, whether angles are meant as written."""

    meshes: MeshPaths
    colors: Mapping[str, Color]
    literal_angles: bool


def read_urdf(
    path: str | Path,
    *,
    strict: bool = True,
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    literal_angles: bool = False,
) -> Robot:
    """Robot described by a URDF file; its root link is fixed to the world, or is the world if it is named so.

    strict: false turns errors about impossible or missing inertias and about mimics of joints that do not
    exist into warnings. package_dirs: where `package://` mesh paths are looked for first; paths of missing
    meshes stay as written. literal_angles: angles are as written, also those within 5e-12 rad of a right angle.
    """
    path = Path(path)
    meshes = MeshPaths(path.parent, package_dirs)
    root = read_xml(path)
    return _robot(root, meshes, default_name=path.stem, strict=strict, literal_angles=literal_angles)


def parse_urdf(
    text: str | bytes,
    *,
    source: str = "<text>",
    strict: bool = True,
    literal_angles: bool = False,
    meshes: MeshPaths | None = None,
) -> Robot:
    """Robot described by URDF text; `source` names it in errors. meshes: where they are."""
    root = parse_xml(text, source=source)
    places = meshes or MeshPaths(None)
    return _robot(root, places, default_name="robot", strict=strict, literal_angles=literal_angles)


def _robot(
    root: Element, meshes: MeshPaths, *, default_name: str, strict: bool, literal_angles: bool
) -> Robot:
    if root.tag != "robot":
        raise root.error(f"root element is <{root.tag}>; a URDF has <robot>")
    links = list(root.all("link"))
    joint_elements = list(root.all("joint"))
    macro = next((child for child in root.children if child.tag.startswith("xacro:")), None)
    if macro is not None:
        raise macro.error(f"<{macro.tag}> is a macro of xacro; expand the file first: {EXPAND}")
    if not links:
        hint = "; it is a xacro file, expand it first" if "xmlns:xacro" in root.attributes else ""
        raise root.error(f"<robot> has no <link>{hint}")
    check_bodies(len(links), source=root.source)
    origin = Source(root.source)
    origin.lines.update({("body", link.string("name")): link.line for link in links})
    origin.lines.update({("joint", joint.string("name")): joint.line for joint in joint_elements})
    with origin.located():
        reading = _Reading(meshes, _material_colors(root), literal_angles)
        armatures = _armatures(root)
        bodies = [_body(link, reading) for link in links]
        joints = [_joint(joint, armatures, reading) for joint in joint_elements]
        base = _root_link(bodies, joints, root)
    joints, findings = _independent_of_rest(joints, strict=strict)
    if base == WORLD:
        bodies = [body for body in bodies if body.name != WORLD]
    else:
        name = free_name(ROOT_JOINT, {joint.name for joint in joints})
        joints.insert(0, Joint(name, JointType.FIXED, WORLD, base))
    return origin.robot(
        strict=strict,
        foreign=True,
        findings=findings,
        name=root.attributes.get("name") or default_name,
        bodies=tuple(bodies),
        joints=tuple(joints),
    )


def _root_link(bodies: list[Body], joints: list[Joint], root: Element) -> str:
    children = {joint.child for joint in joints}
    roots = [body.name for body in bodies if body.name not in children]
    if len(roots) != 1:
        problem = (
            f"links {', '.join(map(repr, roots))} have no parent" if roots else "every link has a parent"
        )
        raise RobotError(f"{problem}; there must be one root link", source=root.source, line=root.line)
    return roots[0]


def _body(link: Element, reading: _Reading) -> Body:
    visuals = tuple(_geometry(each, reading) for each in link.all("visual"))
    collisions = tuple(_geometry(each, reading) for each in link.all("collision"))
    inertial = link.first("inertial")
    if inertial is None:
        return Body(link.string("name"), visuals=visuals, collisions=collisions)
    rotation, center = _origin(inertial, reading)
    entries = inertial.need("inertia")
    xx, xy, xz, yy, yz, zz = (entries.number(name) for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if not np.array_equal(rotation, np.eye(3)):
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused by Body
            inertia = rotation @ inertia @ rotation.T
            inertia = (inertia + inertia.T) / 2
    mass = inertial.need("mass").number("value")
    return Body(link.string("name"), mass, center, inertia, visuals, collisions)


def _joint(element: Element, armatures: Mapping[str, float], reading: _Reading) -> Joint:
    name, written_type = element.string("name"), element.string("type")
    if written_type not in _JOINT_TYPES:
        known = ", ".join(_JOINT_TYPES)
        raise element.error(f"joint {name!r} has type {written_type!r}; there are: {known}")
    kind = _JOINT_TYPES[written_type]
    axis, dynamics = element.first("axis"), element.first("dynamics")
    lower, upper, velocity, effort = _limits(element.first("limit"), kind)
    return Joint(
        name,
        kind,
        element.need("parent").string("link"),
        element.need("child").string("link"),
        _origin(element, reading),
        axis=_vector3(axis, "xyz", (1.0, 0.0, 0.0)) if kind.velocities in (1, 3) else (0.0, 0.0, 1.0),
        lower=lower,
        upper=upper,
        velocity=velocity,
        effort=effort,
        damping=dynamics.number("damping", 0.0) if dynamics else 0.0,
        friction=dynamics.number("friction", 0.0) if dynamics else 0.0,
        armature=armatures.get(name, 0.0),
        mimic=_mimic(element) if kind is not JointType.FIXED else None,
    )


def _limits(limit: Element | None, kind: JointType) -> tuple[tuple[float, ...], ...]:
    """Lower, upper, velocity and effort, as far as they have a meaning for the type of joint."""
    if limit is None or kind in (JointType.FIXED, JointType.FLOATING):
        return (), (), (), ()
    stops: tuple[tuple[float, ...], ...] = ((), ())
    if kind in (JointType.REVOLUTE, JointType.PRISMATIC):
        lower, upper = (limit.number(name, 0.0, infinite=True) for name in ("lower", "upper"))
        stops = (() if lower <= -NO_LIMIT else (lower,), () if upper >= NO_LIMIT else (upper,))
    rates = (limit.number(name, math.inf, infinite=True) for name in ("velocity", "effort"))
    return (*stops, *(() if rate >= NO_LIMIT else (rate,) * kind.velocities for rate in rates))


def _mimic(joint: Element) -> Mimic | None:
    element = joint.first("mimic")
    if element is None:
        return None
    return Mimic(element.string("joint"), element.number("multiplier", 1.0), element.number("offset", 0.0))


def _independent_of_rest(joints: list[Joint], *, strict: bool) -> tuple[list[Joint], list[RobotError]]:
    """Joints without mimics of what cannot move, and what to say about it.

    Reduced robots are often made by fixing joints that others go on to mimic.
    """
    types = {joint.name: joint.type for joint in joints}
    findings: list[RobotError] = []
    result = []
    for joint in joints:
        leader = types.get(joint.mimic.joint) if joint.mimic is not None else None
        if joint.mimic is None or (leader is None and strict) or (leader and leader.coordinates == 1):
            result.append(joint)
            continue
        state = f"is {leader}" if leader else "does not exist"
        message = f"mimics joint {joint.mimic.joint!r}, which {state}; taken as independent"
        findings.append(RobotError(message, subject=("joint", joint.name)))
        result.append(replace(joint, mimic=None))
    return result, findings


def _origin(element: Element, reading: _Reading) -> Transform:
    origin = element.first("origin")
    rotation = matrix_from_rpy(_vector3(origin, "rpy", _ZERO), literal=reading.literal_angles)
    return Transform(rotation, np.array(_vector3(origin, "xyz", _ZERO)))


def _vector3(
    element: Element | None, name: str, default: tuple[float, float, float]
) -> tuple[float, float, float]:
    if element is None or not element.attributes.get(name, "").strip():
        return default
    x, y, z = element.vector(name, 3)
    return x, y, z


def _geometry(element: Element, reading: _Reading) -> Geometry:
    shape = _shape(element.need("geometry"), reading.meshes)
    material = element.first("material")
    color = None
    if material is not None:
        color = _color(material) or reading.colors.get(material.attributes.get("name", ""))
    return Geometry(shape, _origin(element, reading), element.attributes.get("name", ""), color)


def _shape(geometry: Element, meshes: MeshPaths) -> Shape:
    if not geometry.children:
        raise geometry.error("<geometry> is empty; it must hold a shape")
    element = geometry.children[0]
    match element.tag:
        case "box":
            x, y, z = element.vector("size", 3)
            return Box((x, y, z))
        case "sphere":
            return Sphere(element.number("radius"))
        case "cylinder":
            return Cylinder(element.number("radius"), element.number("length"))
        case "capsule":
            return Capsule(element.number("radius"), element.number("length"))
        case "mesh":
            return Mesh(meshes.resolve(element.string("filename")), _scale(element))
    raise element.error(f"shape <{element.tag}> is unknown; there are: box, sphere, cylinder, capsule, mesh")


def _scale(mesh: Element) -> tuple[float, float, float]:
    written = mesh.attributes.get("scale", "").split()
    if len(written) == 1:  # some exporters write one factor for all axes
        factor = mesh.number("scale")
        return factor, factor, factor
    return _vector3(mesh, "scale", (1.0, 1.0, 1.0))


def _color(material: Element) -> Color | None:
    color = material.first("color")
    if color is None:
        return None
    red, green, blue, alpha = color.vector("rgba", 4)
    return red, green, blue, alpha


def _material_colors(root: Element) -> dict[str, Color]:
    """Colours of named materials, which may be defined at the top or where they are first used."""
    in_links = (
        m for link in root.all("link") for visual in link.all("visual") for m in visual.all("material")
    )
    colors: dict[str, Color] = {}
    for material in (*root.all("material"), *in_links):
        color = _color(material)
        if color is not None:
            colors.setdefault(material.attributes.get("name", ""), color)
    return colors


def _armatures(root: Element) -> dict[str, float]:
    """Rotor inertias seen at the joints, from transmissions in Drake's dialect: inertia times ratio^2."""
    armatures: dict[str, float] = {}
    for transmission in root.all("transmission"):
        joint, actuator = transmission.first("joint"), transmission.first("actuator")
        rotor = actuator.first("drake:rotor_inertia") if actuator is not None else None
        if joint is None or actuator is None or rotor is None:
            continue
        gear = actuator.first("drake:gear_ratio")
        ratio = gear.number("value") if gear is not None else 1.0
        inertia = rotor.number("value") * ratio * ratio
        if not np.isfinite(inertia):
            raise RobotError(
                f"rotor inertia seen at the joint is {inertia}", source=root.source, line=rotor.line
            )
        armatures[joint.string("name")] = inertia
    return armatures
