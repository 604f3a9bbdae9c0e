"""What goes into a time step in lanes and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from footfall.arrays import Array
from footfall.contact.candidates import Candidate
from footfall.robot.model import Robot
from footfall.simulation.joint_action import JointAction
from footfall.simulation.step_values import StepOptions


class Place(NamedTuple):
    """What a step in lanes is made for: a robot, the places of it that may touch, and how steps are computed.
    on_surfaces: whether contacts act where the surface is, as those that are found, or where the robot's place is."""

    robot: Robot
    candidates: tuple[Candidate, ...]
    options: StepOptions
    on_surfaces: bool = False


class Loads(NamedTuple):
    """What acts in a step besides the command.

    friction: (candidates,) coefficients. time: at the start, s, which places what moves on a given path. wrenches: on
    bodies. action: of drives and springs. forces: (nv,) on the joints, N m or N.
    """

    friction: Array
    time: Any = 0.0
    wrenches: Mapping[str, Array] | None = None
    action: JointAction | None = None
    forces: Array | None = None


class StepState(NamedTuple):
    """What one step hands to the next. q (nq,), v (nv,), integral (joints,) of the position errors in rad s,
    impulses (rows,) of contacts, limits and joint friction in N s: the start of the next solution."""

    q: Array
    v: Array
    integral: Array
    impulses: Array


class StepReport(NamedTuple):
    """What happened. effort (nv,) applied, N m. positions (contacts, 3) m, forces (contacts, 3) N and
    normals (contacts, 3) in world axes, gaps (contacts,) m before the step; residual: of the natural map, or the change
    of the impulses in the last sweep, N s; solver_steps: of Newton's method, or sweeps, taken."""

    effort: Array
    positions: Array
    forces: Array
    normals: Array
    gaps: Array
    residual: Any
    solver_steps: Any
