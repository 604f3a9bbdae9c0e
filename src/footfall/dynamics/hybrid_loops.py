"""Hybrid dynamics of looped robots: on the tree with the loops as its first constraints.

Points and welds hold without set-points: bodies that meet in a point accelerate alike there. What the loops do to each
other and to the tasks is then found at the root, with ranks, like everything else.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.hybrid_constraints import AXES, Constraint, constraint_rows
from footfall.dynamics.hybrid_sweeps import Inputs
from footfall.dynamics.loops import Coupling, independent
from footfall.errors import UnsupportedFeature
from footfall.robot.loops import LoopType
from footfall.robot.model import Robot

_DIRECTIONS = {LoopType.POINT: AXES[:3], LoopType.WELD: AXES}


def loop_constraints(robot: Robot) -> tuple[Constraint, ...]:
    """The loops of a robot as constraints on `robot.spanning`; points and welds can be such."""
    for loop in robot.loops:
        if loop.recovery:
            message = "fades with `recovery`; hybrid dynamics takes loops that are closed"
            raise UnsupportedFeature(message, subject=("loop", loop.name))
        if loop.type not in _DIRECTIONS:
            raise UnsupportedFeature(
                f"is a {loop.type}; hybrid dynamics takes points and welds", subject=("loop", loop.name)
            )
    return tuple(
        Constraint(loop.frame, _DIRECTIONS[loop.type], against=loop.against, name=loop.name)
        for loop in robot.loops
    )


def inputs_of_all_joints(robot: Robot, coupling: Coupling, inputs: Inputs) -> Inputs:
    """The same for `robot.spanning`, with the loops before the other constraints."""
    for joint in inputs.prescribed:
        if not len(range(robot.nv)[robot.v_slice(joint)]):
            raise UnsupportedFeature(
                "follows from others; only joints that others follow can be prescribed",
                subject=("joint", joint),
            )
    loops = loop_constraints(robot)
    rows = constraint_rows(loops)

    def behind(values: Array, filling: float) -> Array:
        return np.concatenate([np.full((*values.shape[:-1], rows), filling), values], axis=-1)

    return inputs._replace(
        v=coupling.velocity(inputs.v),
        tau=_spread(robot, inputs.tau),
        constraints=(*loops, *inputs.constraints),
        directions=None if inputs.directions is None else behind(inputs.directions, 1.0),
        active=None if inputs.active is None else behind(inputs.active, 1.0),
        a=None if inputs.a is None else _spread(robot, inputs.a),
        goal=behind(inputs.goal, 0.0),
        compliance=None if inputs.compliance is None else behind(inputs.compliance, 0.0),
    )


def field_of_independent_joints(robot: Robot, coupling: Coupling, name: str, value: Array) -> Array:
    """A field of the motion of all joints as that of the looped robot."""
    if name in ("accelerations", "joint_forces"):
        return independent(robot, value)
    if name == "constraint_torques":
        return coupling.forces(value)  # loops have no part in it, as they do no work
    if name in ("forces", "residuals", "kept"):
        return value[constraint_rows(loop_constraints(robot)) :]
    return value


def _spread(robot: Robot, values: Array) -> Array:
    """Values (nv,) of the independent joints among zeros for the others."""
    assert robot.tree.loops is not None
    entries: list[Any] = [0.0] * robot.tree.nv
    for place, velocity in enumerate(robot.tree.loops.independent):
        entries[velocity] = values[place]
    return np.array(entries)
