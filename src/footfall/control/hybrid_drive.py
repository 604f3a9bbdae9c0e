"""Tasks of a robot on wheels or feet: from virtual forces on its segments to torques of its motors.

Devaramani 2019, chapter 4.
Tasks are solved together with what the ground holds. Then the joint forces of the tasks are exchanged for ones that
motors can give, the ground bearing the rest: the motion stays the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from footfall.arrays import Array
from footfall.control.hybrid_control import TaskSolution, solve_tasks
from footfall.control.references import MovingFrame
from footfall.control.tasks.task import MotionTask
from footfall.dynamics.hybrid_actuation import motor_torques, shared_torques
from footfall.dynamics.hybrid_constraints import Constraint
from footfall.dynamics.hybrid_rows import BoundedRows, bounded_rows
from footfall.dynamics.hybrid_wheels import Wheel, rolling_constraints, rolling_rows
from footfall.dynamics.kinematics import frame_velocity
from footfall.robot.model import JointType, Robot

_KEPT_LEVEL = np.eye(6)[:, [2, 3, 4]]  # no motion upwards, no tilt


class Grounded(Protocol):
    """A robot on a floating base, and what the ground does with it."""

    @property
    def robot(self) -> Robot: ...

    @property
    def motors(self) -> tuple[int, ...]: ...

    @property
    def costs(self) -> Array | None: ...

    def ground_rows(self, q: Array, v: Array) -> BoundedRows: ...


def motor_places(robot: Robot) -> tuple[int, ...]:
    """Places in v of all joints that have a motor: all but floating ones."""
    return tuple(
        place
        for joint in robot.joints
        if joint.type is not JointType.FLOATING
        for place in range(robot.nv)[robot.v_slice(joint.name)]
    )


@dataclass(frozen=True)
class StandingRobot:
    """A robot whose feet, bodies or frames, stand flat and do not move; `tracking`: 1/s, decay of slip.

    width: m, of a foot: what makes moments count as much as forces. lifting: cost of forces upwards against those that
    may slip.
    """

    robot: Robot
    feet: tuple[str, ...]
    tracking: float = 20.0
    width: float = 0.05
    lifting: float = 0.05

    @property
    def costs(self) -> Array:
        """Of the forces of the ground, as many as `ground_rows`."""
        turning = 1.0 / self.width**2
        return np.tile([1.0, 1.0, self.lifting, turning, turning, turning], len(self.feet))

    @property
    def motors(self) -> tuple[int, ...]:
        """Places in v of the joints."""
        return motor_places(self.robot)

    def ground_rows(self, q: Array, v: Array) -> BoundedRows:
        """What the ground holds in the state q (nq,), v (nv,): all six components of each foot."""
        slip = np.concatenate([np.asarray(frame_velocity(self.robot, q, v, foot)) for foot in self.feet])
        constraints = [Constraint(foot, 6, name=f"{foot} on the ground") for foot in self.feet]
        return bounded_rows(constraints, np.tile(np.eye(6), len(self.feet)), -self.tracking * slip)


@dataclass(frozen=True)
class MobileRobot:
    """A robot whose floating body `base` rolls on level ground on its wheels; `tracking`: 1/s, decay of slip."""

    robot: Robot
    wheels: tuple[Wheel, ...]
    base: str = "base"
    tracking: float = 20.0

    @property
    def costs(self) -> None:
        """Of the forces of the ground: what holds a base level has no motors, so torques are made small instead."""

    @property
    def motors(self) -> tuple[int, ...]:
        """Places in v of wheels and all other joints."""
        return motor_places(self.robot)

    def ground_rows(self, q: Array, v: Array) -> BoundedRows:
        """What the ground holds in the state q (nq,), v (nv,): the base stays level, the wheels roll."""
        rolling = rolling_rows(self.robot, q, v, self.wheels, stiffness=self.tracking)
        constraints = (Constraint(self.base, 3, name="level"), *rolling_constraints(self.wheels))
        return bounded_rows(
            constraints,
            np.hstack([_KEPT_LEVEL, rolling.directions]),
            np.concatenate([np.zeros(3), rolling.setpoints]),
        )


class Drive(NamedTuple):
    """torques: (nv,) to command, zero where there is no motor, N m. residual: (nv,) of what the tasks want, that motors
    and ground cannot give. solution: of the tasks; its accelerations are what the torques cause."""

    torques: Array
    residual: Array
    solution: TaskSolution


def drive(
    mobile: Grounded,
    q: Array,
    v: Array,
    tasks: Sequence[MotionTask],
    *,
    tau: Array | None = None,
    contacts: BoundedRows | None = None,
    boundaries: BoundedRows | None = None,
    frames: Mapping[str, MovingFrame] | None = None,
    wrenches: Mapping[str, Array] | None = None,
) -> Drive:
    """Motor torques that make tasks happen in the state q (nq,), v (nv,).

    tau: (nv,) feed-forward joint forces, only of motors. contacts: with the world, which pushes by itself. boundaries:
    virtual ones, which the motors must hold the robot off. frames, wrenches: as in `solve_tasks`.
    """
    forward = np.zeros(mobile.robot.nv) if tau is None else tau
    ground = mobile.ground_rows(q, v)
    physical = [ground, *([] if contacts is None else [contacts])]
    virtual = [] if boundaries is None else [boundaries]
    solution = solve_tasks(
        mobile.robot, q, v, forward, tasks, frames=frames, before=[*physical, *virtual], wrenches=wrenches
    )
    count = sum(len(block.setpoints) for block in physical)
    forces, jacobian = solution.bounded.forces, solution.bounded.jacobian
    wanted = forces[count:] @ jacobian[count:]
    # Only the ground may bear a part: a push against a wall has to come from the motors, though it moves nothing.
    rows = slice(0, len(ground.setpoints))
    if mobile.costs is None:
        actuation = motor_torques(wanted, jacobian[rows], mobile.motors)
    else:
        actuation = shared_torques(wanted, jacobian[rows], forces[rows], mobile.motors, mobile.costs)
    return Drive(forward + actuation.torques, actuation.residual, solution)
