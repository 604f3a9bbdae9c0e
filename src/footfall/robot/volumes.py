"""Volumes of a robot's bodies: what must not touch, for distances between its own parts and to things around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from footfall.errors import RobotError, listed
from footfall.geometry.swept_sphere import SweptVolume
from footfall.robot.tree import Tree
from footfall.robot.values import Value

if TYPE_CHECKING:
    from footfall.robot.model import Robot

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class BodyVolume(Value):
    """A volume fixed to a body, in its frame. A body may have several, for different partners.

    Schwienbacher 2014, chapter 6.
    """

    name: str
    body: str
    shape: SweptVolume

    def __post_init__(self) -> None:
        shape: object = self.shape
        if not isinstance(shape, SweptVolume):
            message = f"shape is {shape!r}; it must be a SweptVolume"
            raise RobotError(message, subject=("volume", self.name))

    def mirrored(self, axis: str, *, name: str, body: str) -> BodyVolume:
        """The mirror image with a coordinate (`x`, `y` or `z`) negated, for the body on the other side."""
        return BodyVolume(name, body, self.shape.mirrored(axis))


def check_volumes(robot: Robot, world: str) -> None:
    """Names of volumes are unique, their bodies exist, pairs name two volumes each and stand once."""
    bodies = {body.name for body in robot.bodies} | {world}
    names: set[str] = set()
    for volume in robot.volumes:
        subject = ("volume", volume.name)
        if not volume.name or not volume.name.isprintable():
            raise RobotError("the name must be printable and not empty", subject=subject)
        if volume.name in names:
            raise RobotError("two volumes have this name", subject=subject)
        if volume.body not in bodies:
            message = f"body {volume.body!r} does not exist; there are: {listed(volume.body, bodies)}"
            raise RobotError(message, subject=subject)
        names.add(volume.name)
    seen: set[frozenset[str]] = set()
    for pair in robot.volume_pairs:
        subject = ("volume pair", " - ".join(pair))
        for name in pair:
            if name not in names:
                message = f"volume {name!r} does not exist; there are: {listed(name, names)}"
                raise RobotError(message, subject=subject)
        if pair[0] == pair[1]:
            raise RobotError("is a volume with itself; a pair has two volumes", subject=subject)
        if frozenset(pair) in seen:
            raise RobotError("stands twice", subject=subject)
        seen.add(frozenset(pair))


def as_pairs(pairs: Any, kind: str = "volume pair", members: str = "volumes") -> tuple[Pair, ...]:
    """Pairs of names as a tuple of tuples. kind, members: what they are, for errors."""
    found = []
    for pair in pairs:
        if isinstance(pair, str) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            message = f"each must be two names of {members}"
            raise RobotError(message, subject=(kind, repr(pair)))
        found.append((pair[0], pair[1]))
    return tuple(found)


def movable_pairs(robot: Robot) -> tuple[Pair, ...]:
    """All pairs of volumes that move against each other, without those on neighbouring bodies."""
    return tuple(
        (first.name, second.name)
        for first, second in combinations(robot.volumes, 2)
        if _apart(robot.tree, first.body, second.body)
    )


def checked_pairs(robot: Robot) -> tuple[Pair, ...]:
    """The pairs that the robot names, or all that move against each other if it names none."""
    return robot.volume_pairs or movable_pairs(robot)


def changing_velocities(tree: Tree, first: str, second: str) -> list[tuple[int, float]]:
    """The tree's velocities that change the distance of two bodies: 1 if they carry the second, -1 if the first."""
    paths = [tree.path(tree.attachments[body].link) for body in (first, second)]
    return [
        (velocity, sign)
        for own, other, sign in ((paths[0], paths[1], -1.0), (paths[1], paths[0], 1.0))
        for link in own
        if link not in other
        for velocity in range(tree.links[link].v.start, tree.links[link].v.stop)
    ]


def _apart(tree: Tree, first: str, second: str) -> bool:
    """Whether bodies are carried by different links that are not neighbours."""
    links = [tree.attachments[body].link for body in (first, second)]
    return (
        links[0] != links[1] and _carrier(tree, links[0]) != links[1] and _carrier(tree, links[1]) != links[0]
    )


def _carrier(tree: Tree, link: int) -> int:
    """The link that carries the whole joint of a link; a joint of several velocities is a chain of links."""
    if link < 0:
        return -2  # nothing carries the world
    parent = tree.links[link].parent
    while parent >= 0 and tree.links[parent].body == tree.links[link].body:
        parent = tree.links[parent].parent
    return parent


def pair_places(robot: Robot, pairs: Sequence[Pair]) -> list[tuple[int, int]]:
    """Where the volumes of pairs stand in the robot's list of them."""
    places = {volume.name: place for place, volume in enumerate(robot.volumes)}
    return [(places[first], places[second]) for first, second in pairs]
