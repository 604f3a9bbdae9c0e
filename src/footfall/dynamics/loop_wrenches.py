"""What loops transmit: the wrenches between their two frames, which joints that follow from others need to move so.

In the tree the joint forces t of a motion are those of the motors and of the loops, `t = tau + J^T f`. Joints that
follow have no motor, so the forces f of the equations follow from their part of t, from the last block of equations
to the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.inverse_dynamics import newton_euler
from footfall.dynamics.kinematics import link_poses
from footfall.dynamics.loops import Coupling
from footfall.errors import UnsupportedFeature
from footfall.math.small_systems import solve_small
from footfall.robot.loop_equations import Cut, hindered_turns, seen_from
from footfall.robot.loops import LoopType
from footfall.robot.model import Robot


@algorithm(q="nq", v="nv", a="nv", wrenches="name -> 6")
def loop_wrenches(
    robot: Robot, q: Array, v: Array, a: Array, *, wrenches: Mapping[str, Array] | None = None
) -> Array:
    """Wrench [f; n] (loops, 6), N and N m, that each loop transmits from its frame to the one it is against.

    World axes, at the origin of the frame `against`, in the order of `robot.loops`; zero for loops that couple joints
    only. q (nq,), v (nv,), a (nv,); wrenches as in `inverse_dynamics`. On joints that follow no motor acts.
    """
    structure, tree = robot.tree.loops, robot.tree
    if structure is None:
        return np.zeros((0, 6))
    if structure.held:
        message = (
            f"loop_wrenches is for loops that coordinates hold; forces hold {structure.held[0].loop.name!r}"
        )
        raise UnsupportedFeature(message, subject=("robot", robot.name))
    poses = link_poses(tree, q)
    result = []
    for cut, forces in zip(structure.cuts, _equation_forces(robot, q, v, a, wrenches), strict=True):
        if not cut.ends:
            result.append(np.zeros(6))
            continue
        rotation = poses[cut.ancestor].rotation if cut.ancestor >= 0 else np.eye(3)
        force, moment = _between_frames(robot, cut, q, forces)
        result.append(np.concatenate([rotation @ force, rotation @ moment]))
    return np.array(result).reshape(-1, 6)


def _equation_forces(
    robot: Robot, q: Array, v: Array, a: Array, wrenches: Mapping[str, Array] | None
) -> list[list[Any]]:
    """For each loop the forces of its equations."""
    structure, coupling = robot.tree.loops, Coupling(robot, q)
    assert structure is not None
    needed = newton_euler(robot.spanning, q, coupling.velocity(v), coupling.acceleration(v, a), wrenches)
    rest = list(needed)
    forces: list[list[Any]] = [[0.0] * 6 for _ in structure.cuts]
    for block in reversed(structure.blocks):
        rows = coupling.block_rows(block)
        matrix = np.array([[row.get(k, 0.0) for row in rows] for k in block.velocities])
        right = np.array([rest[k] for k in block.velocities]).reshape(-1, 1)
        for chosen, row, force in zip(block.rows, rows, solve_small(matrix, right)[:, 0], strict=True):
            for k, entry in row.items():
                rest[k] = rest[k] - entry * force
            for number, weight in chosen.weights:
                forces[chosen.cut][number] = forces[chosen.cut][number] + weight * force
    return forces


def _between_frames(robot: Robot, cut: Cut, q: Array, forces: list[Any]) -> tuple[Array, Array]:
    """Force and moment (3,) on the second frame of a loop, axes of its ancestor."""
    first, second = (seen_from(robot.tree, cut.ancestor, end, q).pose for end in cut.ends)
    if cut.loop.type in (LoopType.DISTANCE, LoopType.SCREW):
        apart = second.translation - first.translation
        factor = 1.0 if cut.loop.type is LoopType.DISTANCE else -cut.loop.coefficients[0]
        return factor * forces[0] * apart / np.sqrt(apart @ apart), np.zeros(3)
    axes = first.rotation @ hindered_turns(cut.loop)
    moment = sum((axes[:, k] * forces[3 + k] for k in range(axes.shape[1])), start=np.zeros(3))
    return np.array(forces[:3]), moment
