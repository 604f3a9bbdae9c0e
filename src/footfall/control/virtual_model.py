"""Quasi-static virtual model control, RSL 2022, (3.116)-(3.121).

Motion is slow, so inertia and velocity terms are left out. Joint torques let the robot behave as if it had no weight
and virtual forces pulled at it; the feet press as little as that allows.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.actuation import driven_velocities, torque_command
from footfall.control.contact_constraints import (
    Contact,
    ContactLoad,
    build_constrained_system,
    contact_loads,
    failures_of,
)
from footfall.control.gains import Gains, check_gains, gain_arrays
from footfall.control.references import Path, pose_at, settled_path
from footfall.control.requests import checked_array
from footfall.control.task_space import pose_error
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_attachment, frame_pose, frame_velocity
from footfall.errors import ControlWarning
from footfall.math.generalised_inverses import RANK_TOLERANCE, pseudo_inverse
from footfall.renamed import renamed_keywords
from footfall.robot.model import Robot
from footfall.simulation.step_values import Command


class VirtualModelTorques(NamedTuple):
    """torque (joints,), N m or N; forces (rows,) of the contacts on the robot, N and N m; residual: greatest force or
    moment at the undriven velocities that the contacts could not give, N or N m. loads: what each contact carries, and
    whether it can: nothing here keeps feet from having to pull."""

    torque: Array
    forces: Array
    residual: float
    loads: tuple[ContactLoad, ...]

    @property
    def holds(self) -> bool:
        """Whether all contacts can give their forces: they push, within friction and soles."""
        return all(load.holds for load in self.loads)


def solve_virtual_model(
    robot: Robot,
    q: Array,
    *,
    contacts: Sequence[Contact],
    virtual: Mapping[str, Array],
    tolerance: float = RANK_TOLERANCE,
) -> VirtualModelTorques:
    """Torques at q (nq,) that act like virtual wrenches and carry the weight, RSL 2022, (3.120)-(3.121).

    virtual: by name of a body or frame, the wrench [f; n] (6,) that shall seem to act on the robot, N and N m, world
    axes, at the frame's origin. Less than three point feet cannot give every wrench: look at the residual. A strong one
    asks feet to pull: look at `holds`.
    """
    driven = driven_velocities(robot)
    undriven = np.setdiff1d(np.arange(robot.nv), driven)
    system = build_constrained_system(robot, q, np.zeros(robot.nv), contacts=contacts)
    load = system.forces.copy()  # at rest only gravity
    for frame, wrench in virtual.items():
        frame_attachment(robot, frame)
        load += frame_jacobian(robot, q, frame).T @ checked_array(f"wrench of {frame}", wrench, (6,))
    bearing = system.jacobian[:, undriven].T
    forces = pseudo_inverse(bearing, tolerance=tolerance) @ load[undriven]
    joint_forces = load - system.jacobian.T @ forces
    residual = float(np.abs(joint_forces[undriven]).max(initial=0.0))
    return VirtualModelTorques(
        joint_forces[driven], forces, residual, contact_loads(robot, q, contacts, forces)
    )


@renamed_keywords(stiffness="gains")
@dataclass(frozen=True)
class VirtualModelControl:
    """A virtual spring and damper draw a frame, mostly the base, to a path while contacts carry the robot.

    gains: N/m and N m/rad, N s/m and N m s/rad, one for all or six, linear before angular. Stiffness and damping may
    also be given as two (6,).
    """

    robot: Robot
    frame: str
    path: Path
    contacts: tuple[Contact, ...]
    gains: Gains | Array
    damping: Array | None = None

    def __post_init__(self) -> None:
        frame_attachment(self.robot, self.frame)
        if self.damping is not None:
            object.__setattr__(self, "gains", Gains(self.gains, self.damping))
            object.__setattr__(self, "damping", None)
        check_gains("virtual model control", self.gains, 6)
        object.__setattr__(self, "contacts", tuple(self.contacts))
        object.__setattr__(self, "path", settled_path(self.path))

    def wrench(self, time: float, q: Array, v: Array) -> Array:
        """The virtual wrench (6,) in the state q (nq,), v (nv,), N and N m, world axes."""
        wanted = pose_at(self.path, time)
        error = pose_error(frame_pose(self.robot, q, self.frame), wanted.pose)
        rate = wanted.velocity - frame_velocity(self.robot, q, v, self.frame)
        assert isinstance(self.gains, Gains)
        stiffness, damping = gain_arrays(self.gains, 6)
        return np.asarray(stiffness * error + damping * rate, dtype=np.float64)

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Torques (joints,), N m or N."""
        virtual = {self.frame: self.wrench(time, q, v)}
        found = solve_virtual_model(self.robot, q, contacts=self.contacts, virtual=virtual)
        if not found.holds:
            warnings.warn(
                f"contacts cannot give what virtual model control of robot {self.robot.name!r} counts on at "
                f"{time:.3f} s: {failures_of(found.loads)}; soften the springs, or use WholeBodyControl",
                ControlWarning,
                stacklevel=2,
            )
        return found.torque

    def __call__(self, time: float, q: Array, v: Array) -> Command:
        return torque_command(self.torque(time, q, v))
