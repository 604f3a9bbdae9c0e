"""Which branches of a robot can have their constraints eliminated: tried out, once for each robot and constraints.

Counting joints is not enough: joints whose axes pass through a point do not move it.
"""

from __future__ import annotations

import numpy as np

from footfall.dynamics.hybrid_branches import branches_to_eliminate
from footfall.dynamics.hybrid_constraints import Constraint, constraint_rows
from footfall.dynamics.hybrid_sweeps import Inputs, inward_sweep, prescribed_velocities
from footfall.robot.model import Robot

Plan = dict[int, list[int]]

_TRIALS = 3


def branch_plan(robot: Robot, constraints: tuple[Constraint, ...], prescribed: tuple[str, ...]) -> Plan:
    """Rows to eliminate where they leave a link, by link; see `branches_to_eliminate`."""
    key = ("branch plan", constraints, prescribed)
    if key not in robot.tree.kernels:
        robot.tree.kernels[key] = _tried_plan(robot, constraints, prescribed)
    plan: Plan = robot.tree.kernels[key]
    return plan


def _tried_plan(robot: Robot, constraints: tuple[Constraint, ...], prescribed: tuple[str, ...]) -> Plan:
    driven = prescribed_velocities(robot, prescribed)
    trials = [_random_inputs(robot, constraints, prescribed, seed) for seed in range(_TRIALS)]
    attached = inward_sweep(robot, trials[0]).attached
    refused: set[int] = set()
    while True:
        plan = branches_to_eliminate(robot.tree, attached, driven, refused)
        if not plan:
            return plan
        sweeps = [inward_sweep(robot, inputs, plan=plan) for inputs in trials]
        poor = {
            link
            for link in plan
            if sum(not sweep.eliminated[link].factor.margin >= 0.0 for sweep in sweeps) > _TRIALS // 2
        }
        if not poor:
            return plan
        refused |= poor


def _random_inputs(
    robot: Robot, constraints: tuple[Constraint, ...], prescribed: tuple[str, ...], seed: int
) -> Inputs:
    """A configuration anywhere, at rest, with any directions."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=robot.nq)
    for link in robot.tree.links:
        if link.kind == "spherical":
            q[link.q] /= np.linalg.norm(q[link.q])
    rows, zero = constraint_rows(constraints), np.zeros(robot.nv)
    directions = rng.normal(size=(6, rows))
    return Inputs(q, zero, zero, constraints, directions, None, prescribed, zero, None, np.zeros(rows), None)
