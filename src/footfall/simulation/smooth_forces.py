"""What moves a robot in a step besides contact, as traced code, and the inertia that all of it moves.

The same for steps with found contacts, in lanes and on layers: joint control, drives and springs, gravity, pushes,
Coriolis and gyroscopic forces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.factorisation import factorise, solve_factored
from footfall.dynamics.inverse_dynamics import newton_euler
from footfall.dynamics.loops import Coupling, damping_of_followers
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.robot.model import Robot
from footfall.simulation.joint_action import JointAction, JointEntries, spring_entries
from footfall.simulation.joint_control import JointControl
from footfall.simulation.step_values import Command


class Drives(Protocol):
    """What acts on joints and has a state of its own: a `DriveTrain`, or a `BaseLoad`."""

    def entries(
        self, state: Array, command: Command, q: Array, v: Array
    ) -> tuple[list[JointEntries], Callable[[Array], Array]]:
        """What it does in a step, and its state afterwards as a function of the velocity (nv,) at its end."""
        ...

    def undriven(self, command: Command) -> Command:
        """What is left of a command for the joints themselves."""
        ...


class Driven(NamedTuple):
    """What drives and springs do in a step, the command that joints follow besides, and the drives' state after it as a
    function of the velocity (nv,) at its end."""

    action: JointAction | None
    command: Command
    following: Callable[[Array], Array]


def driven(
    robot: Robot, drives: Drives | None, state: Array, command: Command, q: Array, v: Array, dt: Any
) -> Driven:
    """Of a robot's springs and, if there are any, its drives in a state."""
    entries = [spring_entries(robot, q, v, dt)] if robot.springs else []
    following: Callable[[Array], Array] = lambda _: state  # noqa: E731
    if drives is not None:
        parts, following = drives.entries(state, command, q, v)
        entries, command = entries + parts, drives.undriven(command)
    return Driven(JointAction.of(robot.nv, entries) if entries else None, command, following)


class SmoothForces(NamedTuple):
    """forces (nv,): all that act, N m or N; bias (nv,): what gravity, pushes and velocities hold against them. mass
    (nv, nv): of the bodies; inertia (nv, nv): with what control, drives and loops add to it."""

    control: JointControl
    action: JointAction | None
    forces: Array
    bias: Array
    mass: Array
    inertia: Array


def smooth_forces(
    robot: Robot,
    q: Array,
    v: Array,
    control: JointControl,
    action: JointAction | None,
    coupling: Coupling,
    dt: Any,
    *,
    foreseen: Sequence[int],
    wrenches: Mapping[str, Array] | None = None,
    forces: Array | None = None,
    gravity: Array | None = None,
) -> SmoothForces:
    """Of a step of dt (s) from q (nq,), v (nv,).

    foreseen: velocities whose Coriolis and gyroscopic forces are those in the middle of the step. wrenches: on bodies;
    forces: (nv,) on joints, besides those of control. gravity: (3,) m/s2, the robot's own by default.
    """
    still = np.zeros(robot.nv)
    bias = newton_euler(robot, q, v, still, wrenches, gravity=gravity)
    acting = control.effort - bias - np.asarray(robot.damping) * v
    acting = acting if forces is None else acting + forces
    mass = composite_bodies(robot, q)
    inertia = mass + np.diag(control.added_inertia)
    if robot.loops:
        passive = damping_of_followers(robot, coupling)
        acting, inertia = acting - passive @ v, inertia + dt * passive
    if action is not None:
        acting, inertia = acting + action.forces, inertia + action.inertia
    if len(foreseen):
        half_change = solve_factored(robot.tree, factorise(robot.tree, inertia), 0.5 * dt * acting)
        middle = newton_euler(robot, q, v + half_change, still, wrenches, gravity=gravity)
        acting[foreseen] = (acting + bias - middle)[foreseen]
    return SmoothForces(control, action, acting, bias, mass, inertia)


def joint_effort(
    robot: Robot, control: JointControl, action: JointAction | None, change: Array, dt: Any
) -> Array:
    """What the joints gave in a step of dt (s) with that change (nv,) of the velocity, N m or N: the inertia that
    control adds is a part of it."""
    effort: Array = control.effort - (control.added_inertia * (1.0 / dt) - np.asarray(robot.damping)) * change
    return effort if action is None else effort + action.effort(change, dt)
