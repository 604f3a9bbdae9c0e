"""Pressing with the force that is felt instead of the one that is hoped for.

`OperationalSpaceControl` feeds forces forward: what it does not know of, friction above all, pushes the tip off its
path and changes the force. With a force sensor the same law takes the felt force off the motion and adds to the
pressing force what is missing of it. Until something is felt the tip comes near slowly, and it begins to press from
zero, so that the touch is no blow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.actuation import torque_command
from footfall.control.gains import gain_arrays
from footfall.control.operational_space import OperationalSpaceControl
from footfall.control.requests import checked_array
from footfall.dynamics.kinematics import frame_pose, frame_velocity
from footfall.errors import InvalidInput
from footfall.robot.model import Robot
from footfall.simulation.run_values import Trajectory, join_trajectories
from footfall.simulation.simulation import SimulationBase
from footfall.simulation.step_values import Command

_RELEASED = 0.05  # s without a felt force, after which contact is lost


class _Memory(NamedTuple):
    """What the law knows of the time before."""

    time: float  # s
    touched: float  # s, when a force was felt last
    missing: Array  # (6,) what was added to it
    disturbing: Array  # (6,) felt wrench, smoothed
    behind: Array  # (6,) how far it is behind where the approach should have come


@dataclass
class ForceControl:
    """Motion in some directions, felt force in the others. It remembers what was missing: one object for each run.

    control: what shall move where and press how hard. integral: 1/s, part of the missing force that is added in a
    second; keep it below half the rate of the controller. smoothing: s, time constant of the felt force that is taken
    off the motion; friction at rest answers to what one pushes with, so that it must not be zero. approach: m/s, speed
    towards the wall while nothing is felt. touch: N, felt force from which on there is contact. most: N and N m, bound
    of the force and of the moment that are added.
    """

    control: OperationalSpaceControl
    integral: float = 50.0
    smoothing: float = 0.01
    approach: float = 0.01
    touch: float = 0.5
    most: float = 50.0
    _memory: _Memory | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.control, OperationalSpaceControl):
            raise InvalidInput(f"control is {self.control!r}; it must be an OperationalSpaceControl")
        for name in ("integral", "smoothing", "approach", "touch", "most"):
            value = getattr(self, name)
            if not 0.0 <= value < np.inf:
                raise InvalidInput(f"{name} is {value}; it must be finite and not negative")
        if self.smoothing == 0.0:
            raise InvalidInput("smoothing is 0; it must be above, 0.01 s say")

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
        touched = time if pressing == 0.0 or -felt @ towards > self.touch else before.touched
        disturbing = before.disturbing + (1.0 - np.exp(-step / self.smoothing)) * (felt - before.disturbing)
        if time - touched < _RELEASED:
            # What is wanted is fed forward where it changes; what is missing of it is added bit by bit.
            missing = before.missing + step * self.integral * (selection.force @ (wanted + felt))
            # A blow is no reason to draw back.
            missing -= min(0.0, float((wanted + missing) @ towards)) * towards
            missing, behind, advance = self._bounded(missing, wanted), np.zeros(6), None
        else:
            too_slow = self.approach * towards - selection.force @ frame_velocity(
                control.robot, q, v, control.frame
            )
            missing, behind = -wanted, before.behind + step * too_slow
            stiffness, damping = gain_arrays(control.gains, 6)
            advance = damping * too_slow + stiffness * behind
        self._memory = _Memory(time, touched, missing, disturbing, behind)
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
