"""How far loops are from a singular position, where joints that follow would have to move infinitely fast."""

from __future__ import annotations

from typing import Any

from footfall.arrays import Array
from footfall.compiler import absolute, maximum
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.loops import Coupling
from footfall.robot.loop_structure import Block, LoopStructure
from footfall.robot.model import Robot
from footfall.robot.tree_loops import loop_systems


@algorithm(q="nq")
def loop_margin(robot: Robot, q: Array) -> Any:
    """Share in (0, 1] that falls to zero at a singular position of a loop; q (nq,); one for robots without loops.

    The inverse of the greatest speed with which a joint that is solved for (not one that a formula gives) follows one
    that turns with 1 rad/s, or slides by the size of the loop in a second. Near a dead point, where the joints that
    lead turn back, it falls with the root of the distance.
    """
    greatest: Any = 1.0
    for ratios in _follow_ratios(robot, q).values():
        for ratio in ratios:
            greatest = maximum(greatest, ratio)
    return 1.0 / greatest


def has_margin(robot: Robot) -> bool:
    """Whether some loop is solved for its joints, so that it may have singular positions."""
    structure = robot.tree.loops
    return structure is not None and any(_is_solved(structure, block) for block in structure.blocks)


def tightest_loops(robot: Robot, q: Array) -> tuple[str, ...]:
    """Names of the loops whose joints have to move fastest, at a configuration q (nq,)."""
    ratios = {names: max(found, default=0.0) for names, found in _follow_ratios(robot, q).items()}
    return max(ratios, key=lambda names: ratios[names])


def _follow_ratios(robot: Robot, q: Array) -> dict[tuple[str, ...], list[Any]]:
    """By the names of loops that are solved together: how fast their joints follow those that lead."""
    structure, coupling = robot.tree.loops, Coupling(robot, q)
    if structure is None:
        return {}
    scales: dict[int, float] = {}
    for system in loop_systems(robot.tree):
        scales.update(zip(system.velocities, system.scales.tolist(), strict=True))
    found: dict[tuple[str, ...], list[Any]] = {}
    for block in structure.blocks:
        if not _is_solved(structure, block):
            continue
        names = tuple(dict.fromkeys(structure.cuts[row.cut].loop.name for row in block.rows))
        found.setdefault(names, []).extend(
            absolute(weight) * (scales[structure.independent[place]] / scales[velocity])
            for velocity in block.velocities
            for place, weight in coupling.rows[velocity].items()
        )
    return found


def _is_solved(structure: LoopStructure, block: Block) -> bool:
    """Whether its joints are found by iteration, not by a formula."""
    return any(not structure.cuts[row.cut].loop.type.is_explicit for row in block.rows)
