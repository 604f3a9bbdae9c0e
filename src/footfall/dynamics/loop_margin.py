"""How far loops are from a singular position, where joints that follow would have to move infinitely fast."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler import absolute, maximum
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.loops import Coupling
from footfall.robot.model import Robot
from footfall.robot.tree_loops import loop_systems

Array = np.ndarray[Any, np.dtype[Any]]


@algorithm(q="nq")
def loop_margin(robot: Robot, q: Array) -> Any:
    """Share in (0, 1] that falls to zero at a singular position of a loop; q (nq,); one for robots without loops.

    The inverse of the greatest speed with which a joint that is solved for (not one that a formula gives) follows one
    that turns with 1 rad/s, or slides by the size of the loop in a second.
    """
    structure, coupling = robot.tree.loops, Coupling(robot, q)
    greatest: Any = 1.0
    if structure is None:
        return greatest
    scales: dict[int, float] = {}
    for system in loop_systems(robot.tree):
        scales.update(zip(system.velocities, system.scales.tolist(), strict=True))
    solved = [
        velocity
        for block in structure.blocks
        if any(not structure.cuts[row.cut].loop.type.is_explicit for row in block.rows)
        for velocity in block.velocities
    ]
    for velocity in solved:
        for place, weight in coupling.rows[velocity].items():
            ratio = scales[structure.independent[place]] / scales[velocity]
            greatest = maximum(greatest, absolute(weight) * ratio)
    return 1.0 / greatest
