"""Pairs that never touch: neighbours in a robot, and what a user leaves out, by the names of bodies and objects."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

from footfall.robot.model import JointType, Robot
from footfall.robot.tree import Tree

Names = tuple[str, str]


def ordered(one: str, other: str) -> Names:
    """A pair of names in one order."""
    return (one, other) if one < other else (other, one)


def neighbours(robot: Robot) -> set[Names]:
    """Pairs of bodies whose links a joint or a loop joins; links are all bodies that are fixed to each other."""
    tree = robot.tree
    bodies: dict[int, list[str]] = defaultdict(list)
    for body in robot.bodies:
        bodies[tree.attachments[body.name].link].append(body.name)
    floating = {joint.child for joint in robot.joints if joint.type is JointType.FLOATING}
    joined = {
        (number, _carrier(tree, number))
        for number in bodies
        if number >= 0 and tree.links[number].body not in floating
    }
    for loop in robot.loops:
        if loop.frame and loop.against:
            joined.add((tree.attachments[loop.frame].link, tree.attachments[loop.against].link))
    return {
        ordered(*names)
        for one, other in joined
        if one != other
        for names in product(bodies.get(one, []), bodies.get(other, []))
    }


def _carrier(tree: Tree, link: int) -> int:
    """The link that carries the whole joint of a link; -1 is the world."""
    parent = tree.links[link].parent
    while parent >= 0 and tree.links[parent].body == tree.links[link].body:
        parent = tree.links[parent].parent
    return parent
