"""Motion in some directions, force in the others: operational-space control, RSL 2022, (3.97)-(3.99)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.actuation import require_full_actuation, torque_command
from footfall.control.contact_constraints import SURFACE
from footfall.control.gains import Gains, check_gains
from footfall.control.references import Path, Reference, pose_at, settled_path, settled_reference
from footfall.control.requests import check_directions, checked_array, checked_state
from footfall.control.task_space import (
    POSTURE_GAINS,
    build_task_dynamics,
    commanded_acceleration,
    posture_torque,
    self_motion_projector,
)
from footfall.dynamics.kinematics import frame_attachment
from footfall.errors import InvalidInput
from footfall.math.rotations import is_rotation
from footfall.robot.model import Robot
from footfall.simulation.step_values import Command


class Selection(NamedTuple):
    """Projectors (6, 6) in world axes onto directions of motion and of force; their sum is one, RSL 2022, (3.99)."""

    motion: Array
    force: Array


def select(
    *,
    rotation: Array | None = None,
    motion: Sequence[bool] = (True, True, True),
    turning: Sequence[bool] = (True, True, True),
) -> Selection:
    """Which directions move and which press.

    rotation: (3, 3), maps contact axes to world axes; by default they are the same. motion, turning: along and about
    each contact axis, whether it is free to move; otherwise force or moment are controlled. A window with its normal
    along contact z is `motion=(True, True, False)`; a pin in a hole along z leaves z free to move and turn, no more.
    """
    axes = np.eye(3) if rotation is None else checked_array("rotation", rotation, (3, 3))
    if not is_rotation(axes):
        raise InvalidInput(f"rotation is no rotation matrix: {axes.tolist()}")
    free = np.zeros((6, 6))
    for place, chosen in ((slice(0, 3), motion), (slice(3, 6), turning)):
        flags = np.array(chosen)
        if flags.shape != (3,) or flags.dtype != bool:
            raise InvalidInput(f"motion and turning have 3 flags each, True or False, not {chosen!r}")
        free[place, place] = axes @ np.diag(flags.astype(np.float64)) @ axes.T
    return Selection(free, np.eye(6) - free)


def _check_selection(selection: Selection) -> None:
    """Refuse what does not split motion and force: both are symmetric projectors, and their sum is one."""
    if not isinstance(selection, Selection):
        raise InvalidInput(f"selection is {selection!r}; it must be a Selection, see `select`")
    parts = [
        checked_array(f"{name} of the selection", part, (6, 6)) for name, part in selection._asdict().items()
    ]
    for name, part in zip(Selection._fields, parts, strict=True):
        if np.abs(part @ part - part).max() > 1e-9 or np.abs(part - part.T).max() > 1e-9:
            raise InvalidInput(f"{name} of the selection is no symmetric projector; `select` makes both")
    if np.abs(parts[0] + parts[1] - np.eye(6)).max() > 1e-9:
        raise InvalidInput(
            "motion and force of the selection do not add up to the identity; `select` makes both"
        )


@dataclass(frozen=True)
class OperationalSpaceControl:
    """Moves a frame along a path in free directions and presses with a wrench in the others, RSL 2022, (3.97).

    wrench: [f; n] (6,), N and N m, that the robot shall exert on the environment, world axes, or a function of time.
    gains: of the motion, 1/s2 and 1/s. rows: which of the six directions the arm can control. force_damping: 1/s, slows
    motion in directions of force until there is contact. posture: as in `EndEffectorControl`.
    """

    robot: Robot
    frame: str
    path: Path
    wrench: Array | Callable[[float], Array]
    selection: Selection
    gains: Gains
    rows: tuple[int, ...] = SURFACE
    force_damping: float = 0.0
    posture: Reference | None = None
    posture_gains: Gains = POSTURE_GAINS
    damping: float = 0.0

    def __post_init__(self) -> None:
        require_full_actuation(self.robot, "operational-space control")
        frame_attachment(self.robot, self.frame)
        check_directions("operational-space control", self.rows, 6)
        check_gains("operational-space control", self.gains, 6)
        check_gains("posture of operational-space control", self.posture_gains, self.robot.nv)
        object.__setattr__(self, "path", settled_path(self.path))
        if not callable(self.wrench):
            object.__setattr__(self, "wrench", checked_array("wrench", self.wrench, (6,)))
        _check_selection(self.selection)
        if not (np.isfinite(self.force_damping) and self.force_damping >= 0.0):
            raise InvalidInput(f"force_damping is {self.force_damping}; it must be finite and not negative")
        if self.posture is not None:
            object.__setattr__(self, "posture", settled_reference(self.robot, self.posture))

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Torques (joints,), N m or N, in the state q (nq,), v (nv,)."""
        return self.torque_for(time, q, v, self.selection.force @ self.wrench_at(time))

    def wrench_at(self, time: float) -> Array:
        """The wrench (6,) that the robot shall exert at a time, s."""
        wanted = self.wrench(time) if callable(self.wrench) else self.wrench
        return checked_array("wrench", wanted, (6,))

    def torque_for(
        self, time: float, q: Array, v: Array, pressed: Array, *, advance: Array | None = None
    ) -> Array:
        """Torques (joints,) that move along the path and press with a wrench (6,), N and N m.

        advance: acceleration (6,) in the directions of force, m/s2 and rad/s2, instead of `force_damping`.
        """
        rows = list(self.rows)
        q, v = checked_state(self.robot, q, v)
        dynamics = build_task_dynamics(self.robot, q, v, self.frame, rows=self.rows, damping=self.damping)
        acceleration = commanded_acceleration(dynamics, pose_at(self.path, time), self.gains)
        moved = self.selection.motion @ acceleration
        if advance is None:
            advance = -self.force_damping * dynamics.velocity
        moved += self.selection.force @ advance
        force = dynamics.inertia @ moved[rows] + pressed[rows]
        beside = posture_torque(self.robot, dynamics, time, q, v, self.posture, self.posture_gains)
        # What cancels velocity terms and gravity also does so in the self-motion, as in RSL 2022, (3.96).
        beside = beside + dynamics.joint_coriolis + dynamics.joint_gravity
        task = dynamics.jacobian.T @ (force + dynamics.coriolis + dynamics.gravity)
        return task + self_motion_projector(dynamics) @ beside

    def __call__(self, time: float, q: Array, v: Array) -> Command:
        return torque_command(self.torque(time, q, v))
