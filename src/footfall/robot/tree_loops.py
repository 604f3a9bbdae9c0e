"""The loops of a robot brought onto its tree, and its configurations closed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError
from footfall.robot.loop_closing import CLOSED, LoopSystem, close_dependent, largest_residual, scaled_jacobian
from footfall.robot.loop_equations import cut_of
from footfall.robot.loop_structure import PASSIVE, POWERED, UNKNOWN, LoopStructure, analyse_loops
from footfall.robot.tree import Tree

if TYPE_CHECKING:
    from footfall.robot.model import Joint, Robot

ASSEMBLY = "assembly"


def structure_of(robot: Robot, tree: Tree) -> LoopStructure:
    """How the loops of a robot are solved; tree: of its joints."""
    places: dict[str, tuple[int, int]] = {}
    joints: dict[int, str] = {}
    preferences: list[int] = []
    at_q = 0
    for joint in robot.joints:
        places[joint.name] = (at_q, len(preferences))
        for _ in range(joint.type.velocities):
            joints[len(preferences)] = joint.name
            preferences.append(_preference(joint))
        at_q += joint.type.coordinates
    cuts = [cut_of(tree, loop, places) for loop in robot.loops]
    start = robot.configurations.get(ASSEMBLY)
    start = tree_neutral(tree) if start is None else np.array(start)
    return analyse_loops(tree, cuts, start, joints=joints, preferences=preferences)


def _preference(joint: Joint) -> int:
    """Passive joints are dependent before those of which nothing is known, and these before motors."""
    if not joint.effort:
        return UNKNOWN
    return POWERED if any(joint.effort) else PASSIVE


def tree_neutral(tree: Tree) -> Array:
    """All joints of a tree at zero, quaternions at identity, (nq,); its loops may be open there."""
    q = np.zeros(tree.nq)
    for link in tree.links:
        if link.kind == "spherical":
            q[link.q.start] = 1.0
    return q


def neutral_coordinates(robot: Robot) -> Array:
    """The configuration (nq,) with all joints at zero and quaternions at identity, or closed near that."""
    structure = robot.tree.loops
    return tree_neutral(robot.tree) if structure is None else np.array(structure.reference)


def loop_systems(tree: Tree) -> list[LoopSystem]:
    """The sub-systems of a tree that have loops."""
    structure = tree.loops
    if structure is None:
        return []
    return [
        LoopSystem(tree, subsystem, tuple(structure.cuts[k] for k in subsystem.cuts))
        for subsystem in structure.subsystems
        if subsystem.cuts
    ]


def closed_configuration(robot: Robot, q: Array) -> Array:
    """q (nq,) with the dependent joints moved until all loops are closed; an error says which cannot be."""
    tree = robot.tree
    if np.shape(q) != (robot.nq,):
        message = f"q has shape {np.shape(q)}; it must be ({robot.nq},)"
        raise RobotError(message, subject=("robot", robot.name))
    if tree.loops is None:
        return q
    closed = np.array(q, dtype=np.float64)
    dependent = set(tree.loops.dependent)
    for system in loop_systems(tree):
        own = [velocity for velocity in system.velocities if velocity in dependent]
        if largest_residual(system, closed)[0] > 1e-3 * CLOSED:
            closed = close_dependent(system, closed, own)
    closed.flags.writeable = False
    return closed


def moves_others(tree: Tree, idle: set[int]) -> set[int]:
    """Those of some tree velocities, which meet no inertia by themselves, that move other joints or follow them."""
    if tree.loops is None:
        return set()
    dependent = set(tree.loops.dependent)
    moving = idle & dependent
    for system in loop_systems(tree):
        jacobian = scaled_jacobian(system, tree.loops.reference)
        follow = [k for k, velocity in enumerate(system.velocities) if velocity in dependent]
        for k, velocity in enumerate(system.velocities):
            if velocity in idle - dependent:
                weights = np.linalg.lstsq(jacobian[:, follow], -jacobian[:, k])[0]
                moved = {system.velocities[n] for n, w in zip(follow, weights, strict=True) if abs(w) > 1e-9}
                moving |= {velocity} if moved - idle else set()
    return moving


def independent_slices(slices: Sequence[slice], independent: Sequence[int]) -> tuple[slice, ...]:
    """Where the independent velocities of joints stand in v; slices: of all velocities of the tree."""
    result = []
    for place in slices:
        own = [k for k, velocity in enumerate(independent) if place.start <= velocity < place.stop]
        start = own[0] if own else sum(velocity < place.start for velocity in independent)
        assert own == list(range(start, start + len(own))), "the velocities of a joint stand together"
        result.append(slice(start, start + len(own)))
    return tuple(result)
