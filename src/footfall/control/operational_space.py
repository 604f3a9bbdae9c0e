"""Motion in some directions, force in the others: operational-space control, RSL 2022, (3.97)-(3.99).

`OperationalSpaceControl` feeds forces forward: what it does not know of, friction above all, pushes the tip off its
path and changes the force. With a force sensor `ForceControl` takes the measured force off the motion and adds to the
pressing force what is missing of it. Until contact the tip approaches slowly, and it begins to press from zero, so
that contact closes without an impact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.actuation import torque_command
from footfall.control.contact_constraints import SURFACE
from footfall.control.gains import Gains, gain_arrays
from footfall.control.references import Path, Reference, pose_at
from footfall.control.requests import checked_array, checked_state
from footfall.control.task_space import (
    NEAR_SINGULAR,
    POSTURE_GAINS,
    MotionControl,
    commanded_acceleration,
)
from footfall.dynamics.kinematics import frame_pose, frame_velocity
from footfall.errors import InvalidInput
from footfall.math.rotations import is_rotation
from footfall.renamed import renamed_keywords, warn_renamed
from footfall.robot.model import Robot
from footfall.simulation.run_values import Trajectory, join_trajectories
from footfall.simulation.simulation import SimulationBase
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
        raise InvalidInput(f"rotation is no rotation matrix: {axes.tolist()}; give an orthonormal one")
    free = np.zeros((6, 6))
    for place, chosen in ((slice(0, 3), motion), (slice(3, 6), turning)):
        flags = np.array(chosen)
        if flags.shape != (3,) or flags.dtype != bool:
            raise InvalidInput(f"motion or turning is {chosen!r}; give 3 flags each, True or False")
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
class OperationalSpaceControl(MotionControl):
    """Moves a frame along a path in free directions and presses with a wrench in the others, RSL 2022, (3.97).

    wrench: [f; n] (6,), N and N m, that the robot shall exert on the environment, world axes, or a function of time.
    gains: of the motion, 1/s2 and 1/s. rows: which of the six directions the arm can control. force_damping: 1/s, slows
    motion in directions of force until there is contact. posture, damping, near_singular: as in `EndEffectorControl`.
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
    near_singular: float = NEAR_SINGULAR

    def __post_init__(self) -> None:
        self._check_motion("operational-space control")
        if not callable(self.wrench):
            object.__setattr__(self, "wrench", checked_array("wrench", self.wrench, (6,)))
        _check_selection(self.selection)
        if not (np.isfinite(self.force_damping) and self.force_damping >= 0.0):
            raise InvalidInput(f"force_damping is {self.force_damping}; it must be finite and not negative")

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
        dynamics = self._dynamics(q, v)
        acceleration = commanded_acceleration(dynamics, pose_at(self.path, time), self.gains)
        moved = self.selection.motion @ acceleration
        if advance is None:
            advance = -self.force_damping * dynamics.velocity
        moved += self.selection.force @ advance
        self._tell_held_back("operational-space control", dynamics, moved[rows])
        force = dynamics.inertia @ moved[rows] + pressed[rows]
        task: Array = dynamics.jacobian.T @ (force + dynamics.coriolis + dynamics.gravity)
        # What cancels velocity terms and gravity also does so in the self-motion, as in RSL 2022, (3.96).
        carrying = dynamics.joint_coriolis + dynamics.joint_gravity
        return task + self._beside(dynamics, time, q, v, carrying)


_RELEASED = 0.05  # s without a felt force, after which contact is lost


class _Memory(NamedTuple):
    """What the law knows of the time before."""

    time: float  # s
    in_contact: float  # s, when a force was felt last
    missing: Array  # (6,) what was added to it
    disturbing: Array  # (6,) felt wrench, smoothed
    behind: Array  # (6,) how far it is behind where the approach should have come


@renamed_keywords(touch="contact_force")
@dataclass
class ForceControl:
    """Motion in some directions, felt force in the others. It remembers what was missing: one object for each run.

    control: what shall move where and press how hard. integral: 1/s, part of the missing force that is added in a
    second; keep it below half the rate of the controller. smoothing: s, time constant of the felt force that is taken
    off the motion; friction at rest answers to what one pushes with, so that it must not be zero. approach: m/s, speed
    towards the wall while nothing is felt. contact_force: N, felt force from which on there is contact. most: N and
    N m, bound of the force and of the moment that are added.
    """

    control: OperationalSpaceControl
    integral: float = 50.0
    smoothing: float = 0.01
    approach: float = 0.01
    contact_force: float = 0.5
    most: float = 50.0
    _memory: _Memory | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.control, OperationalSpaceControl):
            raise InvalidInput(f"control is {self.control!r}; it must be an OperationalSpaceControl")
        for name in ("integral", "smoothing", "approach", "contact_force", "most"):
            value = getattr(self, name)
            if not 0.0 <= value < np.inf:
                raise InvalidInput(f"{name} is {value}; it must be finite and not negative")
        if self.smoothing == 0.0:
            raise InvalidInput("smoothing is 0; it must be above, 0.01 s say")

    @property
    def touch(self) -> float:
        """The old name of `contact_force`."""
        warn_renamed("ForceControl.touch", "contact_force", depth=3)
        return self.contact_force

    def torque(self, time: float, q: Array, v: Array, felt: Array) -> Array:
        """Torques (joints,), N m or N, in the state q (nq,), v (nv,).

        felt: wrench [f; n] (6,) on the robot at the frame's origin, N and N m, world axes, without weight. Times must
        rise; an earlier time begins a new run.
        """
        felt = checked_array("felt", felt, (6,))
        control = self.control
        selection, wanted = control.selection, control.selection.force @ control.wrench_at(time)
        before = self._memory
        if before is None or time < before.time:
            before = _Memory(time, -np.inf, -wanted, np.zeros(6), np.zeros(6))
        step = time - before.time
        pressing, towards = float(np.linalg.norm(wanted[:3])), np.zeros(6)
        if pressing > 0.0:
            towards[:3] = wanted[:3] / pressing
        # Without a wanted force nothing is approached: the tip gives way to what it feels from the beginning.
        in_contact = time if pressing == 0.0 or -felt @ towards > self.contact_force else before.in_contact
        disturbing = before.disturbing + (1.0 - np.exp(-step / self.smoothing)) * (felt - before.disturbing)
        if time - in_contact < _RELEASED:
            # What is wanted is fed forward where it changes; what is missing of it is added bit by bit.
            missing = before.missing + step * self.integral * (selection.force @ (wanted + felt))
            # An impact is no reason to draw back.
            missing -= min(0.0, float((wanted + missing) @ towards)) * towards
            missing, behind, advance = self._bounded(missing, wanted), np.zeros(6), None
        else:
            too_slow = self.approach * towards - selection.force @ frame_velocity(
                control.robot, q, v, control.frame
            )
            missing, behind = -wanted, before.behind + step * too_slow
            stiffness, damping = gain_arrays(control.gains, 6)
            advance = damping * too_slow + stiffness * behind
        self._memory = _Memory(time, in_contact, missing, disturbing, behind)
        force = wanted + missing - selection.motion @ disturbing
        return control.torque_for(time, q, v, force, advance=advance)

    def _bounded(self, missing: Array, wanted: Array) -> Array:
        """What is added at the most; taking all of the wanted wrench away is always possible."""
        parts = []
        for part in (slice(0, 3), slice(3, 6)):
            bound = max(self.most, float(np.linalg.norm(wanted[part])))
            size = float(np.linalg.norm(missing[part]))
            parts.append(missing[part] * min(1.0, bound / size) if size > 0.0 else missing[part])
        return np.concatenate(parts)

    def __call__(self, time: float, q: Array, v: Array, felt: Array) -> Command:
        return torque_command(self.torque(time, q, v, felt))


FeelingController = Callable[[float, Array, Array, Array], Command]


def run_feeling(
    simulation: SimulationBase, controller: FeelingController, seconds: float, *, frame: str
) -> Trajectory:
    """Run a simulation under a controller that feels the contacts: `controller(time, q, v, felt)`.

    felt: wrench [f; n] (6,) of all contacts on the robot in the last control period, about the origin of a frame, N and
    N m, world axes: what a force sensor tells that carries the frame.
    """
    robot, felt, rows = simulation.robot, np.zeros(6), []
    for _ in range(max(1, round(seconds / simulation.control_period))):
        state = simulation.state
        rows.append(simulation.step(controller(state.time, state.q.copy(), state.v.copy(), felt)))
        felt = contact_wrench(robot, simulation.state.q, frame, rows[-1].positions[0], rows[-1].forces[0])
    return join_trajectories(rows)


def contact_wrench(robot: Robot, q: Array, frame: str, positions: Array, forces: Array) -> Array:
    """Wrench [f; n] (6,) of forces (n, 3) at positions (n, 3), about the origin of a frame at q (nq,); world axes."""
    arms = positions - frame_pose(robot, q, frame).translation
    return np.concatenate([forces.sum(axis=0), np.cross(arms, forces).sum(axis=0)])
