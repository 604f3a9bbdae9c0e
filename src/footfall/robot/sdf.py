"""Reader of SDF, the format of Gazebo.

An SDF is a graph: links stand at poses in the model, joints connect them in any direction, and those that close a loop
are joints like all others. Here a tree is spanned over the graph from the first link, with joints reversed where
the tree meets them from their child; what is left closes loops. Angles are zero at the poses of the file.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError, UnsupportedFeature, listed
from footfall.math.transform import Transform, identity_transform
from footfall.robot.description import Source, check_bodies, free_name
from footfall.robot.drives.spring import Spring
from footfall.robot.mesh_paths import MeshPaths
from footfall.robot.model import (
    WORLD,
    Body,
    Box,
    Capsule,
    Cylinder,
    Frame,
    Geometry,
    Joint,
    JointType,
    Loop,
    LoopType,
    Mesh,
    Robot,
    Shape,
    Sphere,
)
from footfall.robot.orientation import matrix_from_quaternion, matrix_from_rpy, quaternion_from_matrix
from footfall.robot.tree_loops import ASSEMBLY
from footfall.robot.xml_tree import Element, parse_numbers, parse_xml, read_xml

MODEL_FRAME = "__model__"
NO_LIMIT = 1e9  # rad, m, N: the format's default is 1e16

_TYPES = {
    "revolute": JointType.REVOLUTE,
    "continuous": JointType.CONTINUOUS,
    "prismatic": JointType.PRISMATIC,
    "ball": JointType.SPHERICAL,
    "fixed": JointType.FIXED,
    "universal": JointType.UNIVERSAL,
    "revolute2": JointType.UNIVERSAL,
}
_CLOSING = {
    JointType.REVOLUTE: LoopType.HINGE,
    JointType.CONTINUOUS: LoopType.HINGE,
    JointType.SPHERICAL: LoopType.POINT,
    JointType.FIXED: LoopType.WELD,
}


def read_sdf(
    path: str | Path, *, strict: bool = True, package_dirs: Iterable[str | os.PathLike[str]] = ()
) -> Robot:
    """Robot described by an SDF file with one model; its root floats unless a joint fixes it to the world.

    strict: false turns errors about impossible or missing inertias and about loops into warnings. package_dirs: where
    `model://` paths of meshes are looked for first.
    """
    path = Path(path)
    return _robot(read_xml(path), MeshPaths(path.parent, package_dirs), strict=strict)


def parse_sdf(text: str | bytes, *, source: str = "<text>", strict: bool = True) -> Robot:
    """Robot described by SDF text; `source` names it in errors."""
    return _robot(parse_xml(text, source=source), MeshPaths(None), strict=strict)


def _robot(root: Element, meshes: MeshPaths, *, strict: bool) -> Robot:
    model = _model(root)
    links = list(model.all("link"))
    if not links:
        raise model.error("<model> has no <link>; a robot has at least one")
    check_bodies(len(links), source=root.source)
    origin = Source(root.source)
    for kind, tag in (("body", "link"), ("joint", "joint"), ("frame", "frame")):
        origin.lines.update({(kind, each.string("name")): each.line for each in model.all(tag)})
    with origin.located():
        reader = _ModelReader(model, meshes)
        reader.span()
        reader.close_loops()
        fields = reader.fields()
    return origin.robot(
        strict=strict, foreign=True, findings=reader.findings(), name=model.string("name"), **fields
    )


def _model(root: Element) -> Element:
    """The one model of a file or of its world."""
    if root.tag != "sdf":
        raise root.error(f"root element is <{root.tag}>; an SDF has <sdf>")
    places = [root, *root.all("world")]
    models = [model for place in places for model in place.all("model")]
    moving = [model for model in models if _text(model, "static", "false") not in ("true", "1")] or models
    if len(moving) != 1:
        names = ", ".join(repr(model.attributes.get("name", "")) for model in moving)
        what = f"has {len(moving)} models ({names})" if moving else "has no <model>"
        raise root.error(f"{what}; a robot's file has one")
    nested = moving[0].first("model") or moving[0].first("include")
    if nested is not None:
        raise nested.error(f"<{nested.tag}> inside of a model is not read; expand it: gz sdf -p file.sdf")
    return moving[0]


@dataclass(frozen=True)
class _Link:
    """A link at its pose in the model."""

    body: Body
    pose: Transform


class _Edge(NamedTuple):
    """A joint of the file. pose: of its frame in the model. axes: unit vectors in its frame."""

    element: Element
    name: str
    type: JointType
    parent: str
    child: str
    pose: Transform
    axes: tuple[tuple[float, float, float], ...]


class _ModelReader:
    """Reads the parts of a model, then spans a tree over them."""

    def __init__(self, model: Element, meshes: MeshPaths) -> None:
        self._model, self._meshes = model, meshes
        self._poses = _Poses(model)
        self._collides = _text(model, "self_collide", "false") in ("true", "1")
        self._left_out: dict[str, list[str]] = {}
        self._links = {each.string("name"): self._link(each) for each in model.all("link")}
        self._gearboxes: list[Element] = []
        self._edges = [edge for edge in map(self._edge, model.all("joint")) if edge is not None]
        self._taken = {*self._links, *(each.string("name") for each in model.all("frame"))}
        self._bodies: list[Body] = []
        self._joints: list[Joint] = []
        self._frames: list[Frame] = []
        self._loops: list[Loop] = []
        self._used: set[str] = set()
        self._turned: dict[str, float] = {}

    def span(self) -> None:
        """Bodies and joints of the tree, from the world or the first link on, joints in the order of the file."""
        fixed = any(WORLD in (edge.parent, edge.child) for edge in self._edges)
        first = self._model.attributes.get("canonical_link") or next(iter(self._links))
        reached = {WORLD}
        if not fixed:
            static = _text(self._model, "static", "false") in ("true", "1")
            kind = JointType.FIXED if static else JointType.FLOATING
            placement = self._links[first].pose if static else identity_transform()
            self._joints.append(Joint(self._free_joint("root_joint"), kind, WORLD, first, placement))
            self._bodies.append(self._links[first].body)
            reached.add(first)
        pending = True
        while pending:
            pending = False
            for edge in self._edges:
                ends = [edge.parent in reached, edge.child in reached]
                if edge.name in self._used or ends[0] == ends[1]:
                    continue
                self._hang(edge, turned_round=ends[1])
                reached |= {edge.parent, edge.child}
                pending = True
        lost = [name for name in self._links if name not in reached]
        if lost:
            message = f"links {listed('', lost)} hang on nothing; a robot is one piece"
            raise RobotError(message, source=self._model.source, line=self._model.line)

    def _hang(self, edge: _Edge, *, turned_round: bool) -> None:
        """A joint and the body that it carries; a body off its joint gets a massless one before it."""
        self._used.add(edge.name)
        parent, child = (edge.child, edge.parent) if turned_round else (edge.parent, edge.child)
        self._turned[edge.name] = -1.0 if turned_round else 1.0
        joint = self._joint(edge, sign=self._turned[edge.name])
        placement = self._pose(parent).inverse() @ edge.pose
        link = self._links[child]
        after = edge.pose.inverse() @ link.pose
        if joint.type is JointType.FIXED:
            self._append(replace(joint, parent=parent, child=child, placement=placement @ after), link.body)
        elif _is_identity(after):
            # Exactly, so that what is nothing vanishes from native code.
            placement = self._pose(parent).inverse() @ link.pose
            self._append(replace(joint, parent=parent, child=child, placement=placement), link.body)
        else:
            carrier = free_name(f"{child}_{edge.name}", self._taken)
            self._taken.add(carrier)
            self._append(replace(joint, parent=parent, child=carrier, placement=placement), Body(carrier))
            weld = self._free_joint(f"{child}_weld")
            self._append(Joint(weld, JointType.FIXED, carrier, child, after), link.body)

    def close_loops(self) -> None:
        """What the tree has not: joints between bodies that hang on it already, and gearboxes."""
        for edge in self._edges:
            if edge.name in self._used:
                continue
            kind = _CLOSING.get(edge.type)
            if kind is None:
                self._leave_out(f"{edge.type} joints that close loops", edge.name)
                continue
            ends = []
            for body in (edge.parent, edge.child):
                name = free_name(f"{edge.name}_{body}", self._taken)
                self._taken.add(name)
                self._frames.append(Frame(name, body, self._pose(body).inverse() @ edge.pose))
                ends.append(name)
            axis = edge.axes[0] if kind is LoopType.HINGE else (0.0, 0.0, 1.0)
            self._loops.append(Loop(edge.name, kind, ends[0], ends[1], axis=axis))
        for gearbox in self._gearboxes:
            self._add_gearbox(gearbox)

    def _add_gearbox(self, element: Element) -> None:
        """theta_2 = -ratio * theta_1, angles of child and parent against the reference body about their joints."""
        name = element.string("name")
        reference = _text(element, "gearbox_reference_body", "")
        driving, driven = (self._between(reference, _text(element, tag, "")) for tag in ("parent", "child"))
        if driving is None or driven is None:
            self._leave_out("gearboxes whose wheels do not turn on their reference body", name)
            return
        (first, one), (second, other) = driving, driven
        ratio = -_number(element, "gearbox_ratio", 1.0) * one * other
        self._loops.append(Loop(name, LoopType.GEAR, joints=(second, first), coefficients=(ratio,)))

    def _between(self, reference: str, body: str) -> tuple[str, float] | None:
        """The joint of one coordinate between two bodies, and its sign as seen from the first."""
        for edge in self._edges:
            turns = edge.type in (JointType.REVOLUTE, JointType.CONTINUOUS)
            if turns and edge.name in self._turned and {edge.parent, edge.child} == {reference, body}:
                return edge.name, 1.0 if edge.parent == reference else -1.0
        return None

    def fields(self) -> dict[str, object]:
        """Of the robot."""
        names = {joint.name: joint for joint in self._joints}
        springs = tuple(
            spring for edge in self._edges if (spring := self._spring(edge, names.get(edge.name))) is not None
        )
        frames = [*self._own_frames(), *self._frames]
        fields: dict[str, object] = {
            "bodies": tuple(self._bodies),
            "joints": tuple(self._joints),
            "frames": tuple(frames),
            "springs": springs,
            "loops": tuple(self._loops),
        }
        root = self._joints[0]
        if root.type is JointType.FLOATING:
            fields["configurations"] = self._initial(root)
        return fields

    def _initial(self, root: Joint) -> dict[str, Array]:
        """As the model stands in its file."""
        place = _pose(self._model.first("pose")) @ self._links[root.child].pose
        start = [*place.translation.tolist(), *quaternion_from_matrix(place.rotation)]
        rest = [
            value
            for joint in Robot("bare", tuple(self._bodies), tuple(self._joints)).joints[1:]
            for value in (
                [1.0, 0.0, 0.0, 0.0] if joint.type.has_quaternion else [0.0] * joint.type.coordinates
            )
        ]
        initial = np.array([*start, *rest])
        return {"initial": initial, ASSEMBLY: initial} if self._loops else {"initial": initial}

    def findings(self) -> list[RobotError]:
        """One that lists what was left out."""
        parts = [f"{words} {', '.join(names)}" for words, names in self._left_out.items()]
        return [UnsupportedFeature(f"left out: {'; '.join(parts)}")] if parts else []

    def _own_frames(self) -> Iterator[Frame]:
        for element in self._model.all("frame"):
            name = element.string("name")
            body = self._poses.body_of(element)
            if body is None:
                self._leave_out("frames of the model", name)
                continue
            yield Frame(name, body, self._pose(body).inverse() @ self._poses.of(name))

    def _pose(self, body: str) -> Transform:
        return identity_transform() if body == WORLD else self._links[body].pose

    def _append(self, joint: Joint, body: Body) -> None:
        self._joints.append(joint)
        self._bodies.append(body)

    def _free_joint(self, wish: str) -> str:
        taken = {*(edge.name for edge in self._edges), *(joint.name for joint in self._joints)}
        return free_name(wish, taken)

    def _leave_out(self, words: str, name: str) -> None:
        self._left_out.setdefault(words, []).append(name)

    def _link(self, element: Element) -> _Link:
        name = element.string("name")
        mass, center, inertia = _inertial(element.first("inertial"))
        visuals = tuple(self._geometries(element, "visual", name))
        collisions = tuple(self._geometries(element, "collision", name))
        return _Link(Body(name, mass, center, inertia, visuals, collisions), self._poses.of(name))

    def _geometries(self, link: Element, tag: str, body: str) -> Iterator[Geometry]:
        for element in link.all(tag):
            shape = self._shape(element.need("geometry"))
            if shape is None:
                self._leave_out(f"shapes <{element.need('geometry').children[0].tag}> of", body)
                continue
            touches = tag == "collision"
            yield Geometry(
                shape,
                _pose(element.first("pose")),
                element.attributes.get("name", ""),
                None if touches else _color(element.first("material")),
                _friction(element) if touches else None,
                # Parts of a model touch each other only if it says so, but all of them touch what is around.
                mask=1 if self._collides or not touches else 0,
            )

    def _shape(self, geometry: Element) -> Shape | None:
        if not geometry.children:
            raise geometry.error("<geometry> is empty; it must hold a shape")
        element = geometry.children[0]
        match element.tag:
            case "box":
                x, y, z = _numbers(element.need("size"), 3)
                return Box((x, y, z))
            case "sphere":
                return Sphere(_number(element, "radius"))
            case "cylinder":
                return Cylinder(_number(element, "radius"), _number(element, "length"))
            case "capsule":
                return Capsule(_number(element, "radius"), _number(element, "length"))
            case "mesh" if element.first("submesh") is None:
                scale = element.first("scale")
                x, y, z = _numbers(scale, 3) if scale is not None else (1.0, 1.0, 1.0)
                return Mesh(self._meshes.resolve(_text(element, "uri", "")), (x, y, z))
        return None

    def _edge(self, element: Element) -> _Edge | None:
        name, written = element.string("name"), element.string("type")
        if written == "gearbox":
            self._gearboxes.append(element)
            return None
        if written not in _TYPES:
            raise element.error(
                f"joint {name!r} has type {written!r}; there are: {', '.join((*_TYPES, 'gearbox'))}"
            )
        ends = [_text(element, tag, "") for tag in ("parent", "child")]
        for end in ends:
            if end not in self._links and end != WORLD:
                raise element.error(
                    f"joint {name!r} has no link {end!r}; there are: {listed(end, self._links)}"
                )
        pose = self._poses.of(name)
        axes = tuple(
            self._axis(part, pose)
            for part in (element.first("axis"), element.first("axis2"))
            if part is not None
        )
        kind = _TYPES[written]
        if kind is JointType.UNIVERSAL and len(axes) < 2:
            raise element.error(f"joint {name!r} is {written}; it needs <axis> and <axis2>")
        return _Edge(element, name, kind, ends[0], ends[1], pose, axes or ((0.0, 0.0, 1.0),))

    def _axis(self, axis: Element, pose: Transform) -> tuple[float, float, float]:
        """In the joint's frame, which is that of its child unless it says otherwise."""
        written = axis.first("xyz")
        vector = np.array(_numbers(written, 3)) if written is not None else np.array([0.0, 0.0, 1.0])
        frame = written.attributes.get("expressed_in", "") if written is not None else ""
        if _text(axis, "use_parent_model_frame", "false") in ("true", "1"):
            frame = MODEL_FRAME
        if frame:
            vector = pose.rotation.T @ self._poses.of(frame).rotation @ vector
            vector[np.abs(vector) < 1e-12] = 0.0
        x, y, z = vector.tolist()
        return x, y, z

    def _joint(self, edge: _Edge, *, sign: float) -> Joint:
        """A joint by itself; a negative sign turns it round, so that its angle keeps its meaning."""
        axes = [(sign * x, sign * y, sign * z) for x, y, z in edge.axes]
        elements = [each for tag in ("axis", "axis2") if (each := edge.element.first(tag)) is not None]
        kind, limits = _limits(edge.type, elements[: edge.type.velocities])
        if sign < 0.0 and kind is JointType.UNIVERSAL:
            axes, limits = axes[::-1], _AxisLimits(*(values[::-1] for values in limits))
        dynamics = [each for element in elements if (each := element.first("dynamics")) is not None]
        if kind is JointType.FIXED:
            dynamics = []
        return Joint(
            edge.name,
            kind,
            "",
            "",
            axis=axes[0],
            second_axis=axes[1] if len(axes) > 1 else (0.0, 1.0, 0.0),
            lower=limits.lower,
            upper=limits.upper,
            velocity=limits.velocity,
            effort=limits.effort,
            damping=max((_number(each, "damping", 0.0) for each in dynamics), default=0.0),
            friction=max((_number(each, "friction", 0.0) for each in dynamics), default=0.0),
        )

    def _spring(self, edge: _Edge, joint: Joint | None) -> Spring | None:
        axis = edge.element.first("axis")
        dynamics = axis.first("dynamics") if axis is not None else None
        if joint is None or dynamics is None or joint.type.velocities != 1:
            return None
        stiffness = _number(dynamics, "spring_stiffness", 0.0)
        rest = _number(dynamics, "spring_reference", 0.0)
        return Spring(edge.name, stiffness, rest=rest) if stiffness > 0.0 else None


class _Poses:
    """Poses in the model of its links, joints and frames, which may be given relative to each other."""

    def __init__(self, model: Element) -> None:
        self._elements: dict[str, Element] = {}
        for tag in ("link", "joint", "frame"):
            for element in model.all(tag):
                name = element.string("name")
                if name in self._elements:
                    raise element.error(f"two elements have the name {name!r}")
                self._elements[name] = element
        self._known: dict[str, Transform] = {MODEL_FRAME: identity_transform(), WORLD: identity_transform()}

    def of(self, name: str, inside: tuple[str, ...] = ()) -> Transform:
        """Pose of the link, joint or frame of that name."""
        if name not in self._known:
            element = self._elements.get(name)
            if element is None or name in inside or len(inside) > 500:
                place = next(iter(self._elements.values()))
                problem = "refers to itself" if element is not None else "does not exist"
                raise place.error(f"frame {name!r} {problem}; there are: {listed(name, self._elements)}")
            written = element.first("pose")
            relative = written.attributes.get("relative_to", "") if written is not None else ""
            base = self.of(relative or self._default(element), (*inside, name))
            self._known[name] = base @ _pose(written)
        return self._known[name]

    def body_of(self, frame: Element) -> str | None:
        """The link that a frame is attached to, None for the model."""
        name = frame.attributes.get("attached_to", "")
        for _ in self._elements:
            element = self._elements.get(name)
            if element is None:
                return None
            if element.tag == "link":
                return name
            name = (
                _text(element, "child", "")
                if element.tag == "joint"
                else element.attributes.get("attached_to", "")
            )
        return None

    def _default(self, element: Element) -> str:
        match element.tag:
            case "joint":
                return _text(element, "child", "")
            case "frame":
                return element.attributes.get("attached_to", "") or MODEL_FRAME
        return MODEL_FRAME


class _AxisLimits(NamedTuple):
    """One number an axis, nothing where there are none."""

    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    velocity: tuple[float, ...] = ()
    effort: tuple[float, ...] = ()


def _limits(kind: JointType, axes: list[Element]) -> tuple[JointType, _AxisLimits]:
    """The kind of joint, which has no stops if it is continuous, and its limits."""
    if kind not in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.UNIVERSAL):
        return kind, _AxisLimits()
    limits = _AxisLimits(
        _axis_limits(axes, "lower", -math.inf),
        _axis_limits(axes, "upper", math.inf),
        _axis_limits(axes, "velocity", math.inf),
        _axis_limits(axes, "effort", math.inf),
    )
    if kind is JointType.CONTINUOUS or (kind is JointType.REVOLUTE and not (limits.lower or limits.upper)):
        return JointType.CONTINUOUS, limits._replace(lower=(), upper=())
    return kind, limits


def _axis_limits(axes: list[Element], name: str, none: float) -> tuple[float, ...]:
    values = [_number(axis.first("limit"), name, none, infinite=True) for axis in axes]
    if name in ("velocity", "effort"):
        values = [none if value < 0.0 else value for value in values]  # -1 stands for none
    values = [math.copysign(math.inf, value) if abs(value) >= NO_LIMIT else value for value in values]
    return () if all(map(math.isinf, values)) else tuple(values)


def _inertial(element: Element | None) -> tuple[float, Array, Array]:
    """Mass, centre of mass and inertia about it in the link's axes."""
    if element is None:  # the format's default, a kilogramme, is never meant
        return 0.0, np.zeros(3), np.zeros((3, 3))
    rotation, center = _pose(element.first("pose"))
    entries = element.first("inertia")
    xx, xy, xz, yy, yz, zz = (
        _number(entries, name, default)
        for name, default in (
            ("ixx", 1.0),
            ("ixy", 0.0),
            ("ixz", 0.0),
            ("iyy", 1.0),
            ("iyz", 0.0),
            ("izz", 1.0),
        )
    )
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if not np.array_equal(rotation, np.eye(3)):
        inertia = rotation @ inertia @ rotation.T
        inertia = (inertia + inertia.T) / 2
    return _number(element, "mass", 1.0), center, inertia


def _pose(element: Element | None) -> Transform:
    if element is None or not element.text.strip():
        return identity_transform()
    if element.attributes.get("rotation_format", "euler_rpy") == "quat_xyzw":
        *position, x, y, z, w = _numbers(element, 7)
        if not any((x, y, z, w)):
            raise element.error("quaternion of <pose> is zero")
        return Transform(matrix_from_quaternion((w, x, y, z)), np.array(position))
    numbers = _numbers(element, 6)
    angles = numbers[3:]
    if element.attributes.get("degrees", "false") in ("true", "1"):
        angles = tuple(map(math.radians, angles))
    roll, pitch, yaw = angles
    return Transform(matrix_from_rpy((roll, pitch, yaw)), np.array(numbers[:3]))


def _is_identity(pose: Transform) -> bool:
    return bool(np.abs(pose.translation).max() < 1e-12 and np.abs(pose.rotation - np.eye(3)).max() < 1e-12)


def _text(element: Element, tag: str, default: str) -> str:
    child = element.first(tag)
    return default if child is None else child.text.strip()


def _number(
    element: Element | None, tag: str, default: float | None = None, *, infinite: bool = False
) -> float:
    child = element.first(tag) if element is not None else None
    if child is None and default is not None:
        return default
    assert element is not None
    child = element.need(tag)
    return parse_numbers(child.text, 1, child, tag, infinite=infinite)[0]


def _numbers(element: Element, count: int) -> tuple[float, ...]:
    return parse_numbers(element.text, count, element, element.tag)


def _color(material: Element | None) -> tuple[float, float, float, float] | None:
    if material is None:
        return None
    written = material.first("diffuse") or material.first("ambient")
    if written is None:
        return None
    count = len(written.text.split())
    numbers = _numbers(written, 4 if count != 3 else 3)
    red, green, blue, alpha = (min(max(part, 0.0), 1.0) for part in (*numbers, 1.0)[:4])
    return red, green, blue, alpha


def _friction(collision: Element) -> float | None:
    """Coulomb's coefficient, where it is given."""
    element: Element | None = collision
    for tag in ("surface", "friction", "ode"):
        element = element.first(tag) if element is not None else None
    mu = element.first("mu") if element is not None else None
    return None if mu is None else parse_numbers(mu.text, 1, mu, "mu")[0]
