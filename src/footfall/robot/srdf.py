"""Reader of SRDF, which says about a URDF what a URDF cannot: groups, named configurations, pairs that never touch."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from footfall.arrays import Array
from footfall.errors import LoopClosureError, MissingFile, RobotError
from footfall.robot.model import WORLD, JointType, Robot
from footfall.robot.start import inside_limits
from footfall.robot.tree_loops import closed_configuration, neutral_coordinates
from footfall.robot.validation import warn_of
from footfall.robot.xml_tree import Element, read_xml
from footfall.whole_file import is_file

SUFFIX = ".srdf"
_FOLDERS = (".", "srdf", "../srdf", "../config")  # where such files lie, seen from the description
_MOST_FILES = 200  # of a folder that are looked at


@dataclass(frozen=True)
class SemanticDescription:
    """What an SRDF file says, by the names that it uses: a robot need not have all of them.

    states: named configurations, coordinates by joint as written. groups: members of each, as elements. apart: pairs of
    bodies that never touch.
    """

    path: Path
    name: str
    states: Mapping[str, Mapping[str, tuple[float, ...]]]
    groups: Mapping[str, Element]
    apart: tuple[tuple[str, str], ...]

    @property
    def joints(self) -> set[str]:
        """Joints that its configurations name."""
        return {joint for state in self.states.values() for joint in state}


def read_srdf(path: str | os.PathLike[str]) -> SemanticDescription:
    """What an SRDF file says. States of one name, of an arm and of its hand say, are one."""
    path = Path(path)
    root = read_xml(path)
    if root.tag != "robot":
        raise root.error(f"root element is <{root.tag}>; an SRDF has <robot>")
    states: dict[str, dict[str, tuple[float, ...]]] = {}
    for state in root.all("group_state"):
        values = states.setdefault(state.string("name"), {})
        values.update({joint.string("name"): _numbers(joint) for joint in state.all("joint")})
    pairs = ((each.string("link1"), each.string("link2")) for each in root.all("disable_collisions"))
    return SemanticDescription(
        path,
        root.attributes.get("name", ""),
        states,
        {group.string("name"): group for group in root.all("group")},
        tuple(pair for pair in pairs if pair[0] != pair[1]),
    )


def find_srdf(description: Path, robot: Robot) -> SemanticDescription | None:
    """The file that belongs to a description: beside it or in a folder `srdf`, with its name or the robot's.

    Of several the one with the longest name that the description's begins with. It must know the robot's joints.
    """
    found: list[tuple[int, SemanticDescription]] = []
    for path in _beside(description):
        begins = description.stem.startswith(path.stem)
        try:
            semantic = read_srdf(path)
        except (RobotError, MissingFile, OSError):
            continue  # it was not asked for
        if (begins or semantic.name == robot.name) and _fits(semantic, robot):
            found.append((len(path.stem) if begins else 0, semantic))
    return max(found, key=lambda each: each[0])[1] if found else None


def with_semantics(robot: Robot, semantic: SemanticDescription) -> Robot:
    """The robot with the configurations, groups and pairs of an SRDF, as far as it has the joints and bodies.

    Coordinates that a configuration does not name are neutral, or as near to that as limits let them be.
    """
    bodies = {body.name for body in robot.bodies}
    neutral = inside_limits(robot, neutral_coordinates(robot))
    states = {}
    for name, state in semantic.states.items():
        q = _configuration(robot, neutral, state)
        try:
            states[name] = closed_configuration(robot, q) if robot.loops else q
        except LoopClosureError as error:
            message = f"configuration {name!r} is left out: {error}"
            warn_of([RobotError(message, source=str(semantic.path))], stacklevel=3)
    groups = {name: tuple(_members(robot, semantic.groups, name, ())) for name in semantic.groups}
    apart = (pair for pair in semantic.apart if bodies.issuperset(pair))
    known: dict[frozenset[str], tuple[str, str]] = {}
    for pair in (*robot.apart, *apart):
        known.setdefault(frozenset(pair), pair)
    return replace(
        robot,
        configurations={**states, **robot.configurations},
        groups={**{name: members for name, members in groups.items() if members}, **robot.groups},
        apart=tuple(known.values()),
    )


def _beside(description: Path) -> Iterator[Path]:
    seen: set[Path] = set()
    for name in _FOLDERS:
        folder = description.parent / name
        try:
            files = sorted(path for path in folder.glob(f"*{SUFFIX}") if is_file(path))
        except OSError:
            continue
        for path in files[:_MOST_FILES]:
            if path.resolve() not in seen:
                seen.add(path.resolve())
                yield path


def _fits(semantic: SemanticDescription, robot: Robot) -> bool:
    """Whether the robot has most of the joints it names; a free root goes by any name."""
    joints = {joint.name for joint in robot.joints}
    named = {
        joint for state in semantic.states.values() for joint, values in state.items() if len(values) < 7
    }
    bodies = {body.name for body in robot.bodies}
    paired = {name for pair in semantic.apart for name in pair}
    known, wanted = (joints, named) if named else (bodies, paired)
    return 2 * len(wanted & known) > len(wanted)


def _numbers(joint: Element) -> tuple[float, ...]:
    text = joint.string("value").split()
    try:
        numbers = tuple(float(word) for word in text)
    except ValueError:
        numbers = ()
    if not numbers or not all(map(math.isfinite, numbers)):
        raise joint.error(f"'value' of <joint> is {joint.string('value')!r}; it must be finite numbers")
    return numbers


def _configuration(robot: Robot, base: Array, state: Mapping[str, tuple[float, ...]]) -> Array:
    q = np.array(base)
    root = robot.joints[0]
    for name, values in state.items():
        known = any(joint.name == name for joint in robot.joints)
        joint = robot.joint(name) if known else root
        if not known and not (joint.type is JointType.FLOATING and len(values) == 7):
            continue  # of another variant of the robot
        coordinates = _coordinates(joint.type, values)
        if coordinates is not None:
            q[robot.q_slice(joint.name)] = coordinates
    return q


def _coordinates(kind: JointType, values: Sequence[float]) -> Sequence[float] | None:
    """In our order; None if they are not of this kind of joint. Quaternions of SRDF have their scalar last."""
    if kind.has_quaternion and len(values) == kind.coordinates:
        x, y, z, w = values[-4:]
        norm = math.sqrt(x * x + y * y + z * z + w * w)
        return (*values[:-4], *(part / norm for part in (w, x, y, z))) if norm > 0.0 else None
    if kind.coordinates == 1 and len(values) == 2:  # Pinocchio has cosine and sine of what turns without end
        return (math.atan2(values[1], values[0]),)
    return values if len(values) == kind.coordinates else None


def _members(
    robot: Robot, groups: Mapping[str, Element], name: str, inside: tuple[str, ...]
) -> Iterator[str]:
    """Names of the joints of a group that move, each once."""
    carriers = {joint.child: joint for joint in robot.joints}
    joints = {joint.name: joint for joint in robot.joints}
    found: dict[str, None] = {}
    for part in groups[name].children:
        match part.tag:
            case "joint":
                found[part.string("name")] = None
            case "link" if part.string("name") in carriers:
                found[carriers[part.string("name")].name] = None
            case "chain":
                found.update(dict.fromkeys(_chain(robot, part)))
            case "group" if part.string("name") in groups and part.string("name") not in (*inside, name):
                found.update(dict.fromkeys(_members(robot, groups, part.string("name"), (*inside, name))))
    return (each for each in found if each in joints and joints[each].type is not JointType.FIXED)


def _chain(robot: Robot, chain: Element) -> list[str]:
    """Joints from one body to another."""
    carriers = {joint.child: joint for joint in robot.joints}
    base, tip = chain.string("base_link"), chain.string("tip_link")
    names: list[str] = []
    while tip != base and tip in carriers and tip != WORLD:
        names.append(carriers[tip].name)
        tip = carriers[tip].parent
    return names[::-1] if tip == base else []
