"""What makes bodies and joints a robot, and what makes a robot plausible.

Structure (names, references, the tree) is checked whenever a `Robot` is made. Physics is checked by the
readers through `check_physics`: a robot made in Python for kinematics alone may go without masses.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError, RobotWarning, listed
from footfall.robot.tree_loops import moves_others
from footfall.robot.values import Subject, finite_array

if TYPE_CHECKING:
    from footfall.robot.model import Body, Frame, Joint, Robot
    from footfall.robot.tree import Link

WORLD = "world"

Named = TypeVar("Named", "Body", "Joint", "Frame")

_INERTIA_TOLERANCE = 1e-6  # relative; descriptions are written with about six digits
_LEAST_RADIUS_OF_GYRATION = 3e-5  # m; inertias below mass times its square are noise around zero
# kg m2; exporters give small parts that are fixed to others any inertia, such as 1e-6 everywhere
_PLACEHOLDER = 1e-5
_HEAVY = 1e4  # kg
_LONG = 100.0  # m
_WIDE = 4 * math.pi  # rad


def depth_first(
    bodies: tuple[Body, ...], joints: tuple[Joint, ...]
) -> tuple[tuple[Body, ...], tuple[Joint, ...]]:
    """Bodies and the joints that carry them, depth first, children in the order of `joints`."""
    by_name = _unique("body", bodies)
    _unique("joint", joints)
    if WORLD in by_name:
        raise RobotError("the name is reserved for what does not move", subject=("body", WORLD))
    children: dict[str, list[Joint]] = {name: [] for name in (WORLD, *by_name)}
    carriers: dict[str, Joint] = {}
    for joint in joints:
        subject = ("joint", joint.name)
        if joint.child not in by_name:
            raise _unknown("child body", joint.child, by_name, subject)
        if joint.parent not in children:
            raise _unknown("parent body", joint.parent, children, subject)
        if joint.child in carriers:
            raise RobotError(
                f"carries body {joint.child!r}, which joint {carriers[joint.child].name!r} carries already; "
                "a body has one parent",
                subject=subject,
            )
        carriers[joint.child] = joint
        children[joint.parent].append(joint)
    for name in by_name:
        if name not in carriers:
            raise RobotError(
                "no joint carries it; give it one (type 'fixed', parent 'world' if it is a root at rest)",
                subject=("body", name),
            )
    ordered: list[Joint] = []
    stack = children[WORLD][::-1]
    while stack:
        joint = stack.pop()
        ordered.append(joint)
        stack.extend(children[joint.child][::-1])
    if len(ordered) < len(bodies):
        reached = {joint.child for joint in ordered}
        loose = [name for name in by_name if name not in reached]
        raise RobotError(
            f"joints form a cycle among the bodies {', '.join(loose)}; one of them must hang on 'world'",
            subject=("joint", carriers[loose[0]].name),
        )
    return tuple(by_name[joint.child] for joint in ordered), tuple(ordered)


def check_references(robot: Robot) -> None:
    """Names of frames are unique; frames, mimics, groups, regions, pairs and limit sets refer to what exists."""
    bodies = {body.name for body in robot.bodies}
    joints = {joint.name: joint for joint in robot.joints}
    for frame in _unique("frame", robot.frames).values():
        subject = ("frame", frame.name)
        if frame.name == WORLD or frame.name in bodies:
            raise RobotError("a body has this name; bodies are frames already", subject=subject)
        if frame.body != WORLD and frame.body not in bodies:
            raise _unknown("body", frame.body, bodies, subject)
    for joint in robot.joints:
        if joint.mimic is not None:
            _check_mimic(joint, joints)
    _check_members("group", "joint", robot.groups, joints)
    _check_members("region", "body", robot.regions, bodies)
    for pair in robot.apart:
        for name in pair:
            if name not in bodies:
                raise _unknown("body", name, bodies, ("pair that never touches", " - ".join(pair)))
    _check_members("limit set", "joint", robot.limit_sets, joints)
    for name, limits in robot.limit_sets.items():
        for joint_name, (lower, upper) in limits.items():
            subject = ("limit set", name)
            if joints[joint_name].type.coordinates != 1:
                raise RobotError(
                    f"joint {joint_name!r} has more or less than one coordinate", subject=subject
                )
            if not lower <= upper:
                message = f"joint {joint_name!r} has lower limit {lower:g} above upper limit {upper:g}"
                raise RobotError(message, subject=subject)


def checked_configuration(name: str, q: Array, joints: tuple[Joint, ...]) -> Array:
    """A read-only configuration (nq,) with unit quaternions."""
    subject = ("configuration", name)
    size = sum(joint.type.coordinates for joint in joints)
    if np.shape(q) != (size,):
        raise RobotError(f"has shape {np.shape(q)}; the robot has {size} coordinates", subject=subject)
    q = finite_array(q, (size,), "q", subject)
    start = 0
    for joint in joints:
        stop = start + joint.type.coordinates
        if joint.type.has_quaternion:
            norm = float(np.linalg.norm(q[stop - 4 : stop]))
            if not abs(norm - 1.0) < 1e-3:
                message = f"the quaternion of joint {joint.name!r} has norm {norm:g}; it must be 1"
                raise RobotError(message, subject=subject)
            if abs(norm - 1.0) > 1e-15:
                q = q.copy()
                q[stop - 4 : stop] /= norm
                q.flags.writeable = False
        start = stop
    return q


def check_physics(robot: Robot, *, strict: bool = True, foreign: bool = False) -> list[RobotError]:
    """Check inertias and magnitudes; the findings that are tolerable are returned (see `warn_of`).

    foreign: the description comes from elsewhere (URDF, MJCF). Real files hold bodies whose inertia is
    slightly impossible; there only a whole moving link with negative moments is an error. strict: false turns
    all errors into findings.
    """
    findings: list[RobotError] = []
    alone = _not_fixed_to_others(robot)
    for body in robot.bodies:
        problem = _inertia_problem(body.mass, body.inertia)
        if problem and foreign and body.name not in alone and _excess(body.inertia) < _PLACEHOLDER:
            continue
        if problem:
            findings.append(RobotError(problem, subject=("body", body.name)))
            if strict and not foreign:
                raise _with_way_out(findings[-1])
    for error in (*_impossible_links(robot), *_links_without_inertia(robot)):
        if strict:
            raise _with_way_out(error)
        findings.append(error)
    findings.extend(_suspicions(robot))
    return findings


def check_mass_matrix(robot: Robot) -> None:
    """Refuse a robot whose mass matrix is singular in every configuration."""
    for error in _links_without_inertia(robot):
        raise error


def warn_of(findings: Iterable[RobotError], *, stacklevel: int = 2) -> None:
    """Issue a `RobotWarning` for each finding."""
    for finding in findings:
        warnings.warn(RobotWarning(str(finding)), stacklevel=stacklevel + 1)


def _with_way_out(error: RobotError) -> RobotError:
    error.message += "; strict=False (--lenient) only warns of it"
    return error


def _unique(kind: str, elements: tuple[Named, ...]) -> dict[str, Named]:
    by_name: dict[str, Named] = {}
    for element in elements:
        if not element.name or not element.name.isprintable():
            raise RobotError("the name must be printable and not empty", subject=(kind, element.name))
        if element.name in by_name:
            raise RobotError(f"two {_PLURALS[kind]} have this name", subject=(kind, element.name))
        by_name[element.name] = element
    return by_name


_PLURALS = {"body": "bodies", "joint": "joints", "frame": "frames"}


def _unknown(what: str, name: str, available: Iterable[str], subject: Subject) -> RobotError:
    return RobotError(
        f"{what} {name!r} does not exist; there are: {listed(name, available)}", subject=subject
    )


def _check_mimic(joint: Joint, joints: Mapping[str, Joint]) -> None:
    assert joint.mimic is not None
    subject = ("joint", joint.name)
    if joint.mimic.joint not in joints:
        raise _unknown("mimicked joint", joint.mimic.joint, joints, subject)
    if joint.type.coordinates != 1 or joints[joint.mimic.joint].type.coordinates != 1:
        message = (
            f"mimics joint {joint.mimic.joint!r}, but only joints with one coordinate mimic and are mimicked"
        )
        raise RobotError(message, subject=subject)
    seen = {joint.name}
    follower = joint
    while follower.mimic is not None and follower.mimic.joint in joints:
        if follower.mimic.joint in seen:
            raise RobotError(f"mimics itself through {', '.join(sorted(seen))}", subject=subject)
        seen.add(follower.mimic.joint)
        follower = joints[follower.mimic.joint]


def _check_members(what: str, kind: str, sets: Mapping[str, Iterable[str]], available: Iterable[str]) -> None:
    available = set(available)
    for name, members in sets.items():
        for member in members:
            if member not in available:
                raise _unknown(kind, member, sorted(available), (what, name))


def _not_fixed_to_others(robot: Robot) -> set[str]:
    """Bodies that are a moving link by themselves."""
    links: dict[int, list[str]] = {}
    for body in robot.bodies:
        links.setdefault(robot.tree.attachments[body.name].link, []).append(body.name)
    return {names[0] for link, names in links.items() if len(names) == 1 and link >= 0}


def _excess(inertia: Array) -> float:
    """By how much moments would have to be raised for a body to have this inertia (3, 3), kg m2."""
    low, middle, high = np.linalg.eigvalsh(inertia).tolist()
    return float(max(-low, high - low - middle, 0.0))


def _inertia_problem(mass: float, inertia: Array) -> str:
    """Why no body has this inertia (3, 3) about its centre of mass; empty if one can."""
    low, middle, high = np.linalg.eigvalsh(inertia).tolist()
    noise = _INERTIA_TOLERANCE * max(high, _LEAST_RADIUS_OF_GYRATION**2 * mass)
    low, middle = (0.0 if abs(moment) < 1e-12 * abs(high) else moment for moment in (low, middle))
    moments = f"principal moments of inertia are {low:.6g}, {middle:.6g}, {high:.6g} kg m2"
    if low < -noise:
        return f"{moments}; none may be negative"
    if high > low + middle + noise:
        return f"{moments}; the largest must not exceed the sum of the others, {low + middle:.6g}"
    return ""


def _impossible_links(robot: Robot) -> Iterator[RobotError]:
    for link in robot.tree.links:
        low = float(np.linalg.eigvalsh(link.inertia)[0])
        if low < 0.0 and _inertia_problem(link.mass, link.inertia).endswith("negative"):
            yield RobotError(
                f"with all that is fixed to it, its least principal moment of inertia is {low:.6g} kg m2; "
                "it must not be negative",
                subject=("body", link.body),
            )


def _links_without_inertia(robot: Robot) -> Iterator[RobotError]:
    """Joints whose motion meets no inertia, in any configuration; dependent ones need none of their own."""
    links = robot.tree.links
    idle: list[int] = []
    carried = [bool(link.mass > 0.0 or np.any(link.inertia)) for link in links]
    leaf = [True] * len(links)
    carriers = {joint.child: joint.name for joint in robot.joints}
    for index in reversed(range(len(links))):
        link = links[index]
        if link.parent >= 0:
            carried[link.parent] |= carried[index]
            leaf[link.parent] = False
        if link.armature == 0.0 and (not carried[index] or (leaf[index] and _resistance(link) <= 0.0)):
            idle.append(index)
    moving = moves_others(robot.tree, {links[index].v.start for index in idle})
    for index in idle:
        link = links[index]
        if link.v.start not in moving:
            yield RobotError(
                f"moves body {link.body!r}, which has no inertia against it, so there is no forward dynamics; give "
                "that body (or one fixed to it) mass and inertia, or the joint an armature",
                subject=("joint", carriers[link.body]),
            )


def idle_joints(robot: Robot) -> list[str]:
    """Joints whose motion meets no inertia in any configuration."""
    return [error.subject[1] for error in _links_without_inertia(robot) if error.subject is not None]


def _resistance(link: Link) -> float:
    """Least inertia that a link without children opposes to its joint, kg or kg m2."""
    if link.kind == "prismatic":
        return link.mass
    r = link.center_of_mass
    about_origin = link.inertia + link.mass * (r @ r * np.eye(3) - np.outer(r, r))
    if link.kind == "revolute":
        return float(about_origin[2, 2])
    return float(np.linalg.eigvalsh(about_origin)[0])


def _suspicions(robot: Robot) -> Iterator[RobotError]:
    for body in robot.bodies:
        if body.mass > _HEAVY:
            yield RobotError(f"mass is {body.mass:g} kg; is that in kilograms?", subject=("body", body.name))
        if float(np.abs(body.center_of_mass).max()) > _LONG:
            message = f"center_of_mass is {body.center_of_mass.tolist()}; is that in metres?"
            yield RobotError(message, subject=("body", body.name))
    for joint in robot.joints:
        if float(np.abs(joint.placement.translation).max()) > _LONG:
            message = f"stands {joint.placement.translation.tolist()} m from its parent; is that in metres?"
            yield RobotError(message, subject=("joint", joint.name))
        limits = [limit for limit in (*joint.lower, *joint.upper) if math.isfinite(limit)]
        if joint.type.turns and any(abs(limit) > _WIDE for limit in limits):
            message = (
                f"limits {list(joint.lower)} to {list(joint.upper)} are beyond 4 pi; are they in radians?"
            )
            yield RobotError(message, subject=("joint", joint.name))
