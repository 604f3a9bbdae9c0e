"""Angular momentum of walking: arms that swing against the legs, by four ways (Schwienbacher 2014, chapter 7).

A swinging leg turns the robot about the vertical axis, and soles must hold against it by friction. Arms can take that
momentum up: they follow the opposite legs (`arm_swing`), or what tasks leave free cancels it (`MomentumCompensation`),
or motion that makes momentum is penalised (`MomentumWeight`). While a robot turns, the momentum it should have is a
cubic of time in each step (`turning_momentum`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from footfall.arrays import Array
from footfall.compiler import sqrt
from footfall.control.inverse_kinematics.null_space import AXES, TaskMotion
from footfall.control.tasks.points import CenterOf, point_kinematics
from footfall.control.tasks.task import MotionTask, TaskValue
from footfall.dynamics.center_of_mass import center_of_mass
from footfall.dynamics.centroidal import centroidal_momentum_matrix
from footfall.dynamics.kinematics import frame_pose
from footfall.errors import InvalidInput
from footfall.robot.model import Robot

Variant = Literal["projected", "exact", "unit", "literal"]
_LEAST_SQUARE = 1e-9  # kg2 m4, keeps divisions possible


@dataclass(frozen=True)
class MomentumCompensation:
    """Null-space motion that gives the angular momentum about the centre of mass the value that the caller tells.

    joints: names of those that take the momentum up, such as the arms'. variant: "projected" uses what the tasks really
    leave free of these joints, and meets the momentum as far as `damping` allows; the others are Schwienbacher's, who
    does not look at that: "exact" (7.7), "unit", the direction of (7.7) times the momentum that is missing, and
    "literal", (7.9) as printed, which grows without bound where arms have little hold. damping: kg m2, of "projected"
    and "exact": arms with less hold than that move less. gain: of the whole. axis: of the momentum.
    """

    joints: tuple[str, ...]
    variant: Variant = "projected"
    gain: float = 1.0
    damping: float = 0.1
    axis: str = "z"

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", tuple(self.joints))
        if self.variant not in get_args(Variant) or self.axis not in AXES or not self.joints:
            raise InvalidInput(
                f"variant is {self.variant!r}, axis {self.axis!r}, joints {self.joints}; the variant must be one of "
                f"{', '.join(get_args(Variant))}, the axis x, y or z, and there must be joints"
            )
        if not (0.0 <= self.damping < np.inf and np.isfinite(self.gain)):
            raise InvalidInput(
                f"gain is {self.gain}, damping {self.damping}; they must be finite, damping at least zero"
            )

    @property
    def numbers(self) -> Array:
        return np.array([self.gain, self.damping])

    @property
    def inputs(self) -> int:
        return 1

    def facts(self) -> Any:
        return "momentum", self.joints, self.variant, self.axis

    def velocity(self, robot: Robot, q: Array, motion: TaskMotion) -> Any:
        """v (nv,) of the joints; motion.inputs: the momentum that is wanted, kg m2/s."""
        row = centroidal_momentum_matrix.textbook(robot, q)[3 + AXES[self.axis]]
        chosen = np.zeros(robot.nv)
        for name in self.joints:
            chosen[robot.v_slice(name)] = 1.0
        own = row * chosen
        gain, damping = motion.numbers
        if self.variant == "projected":
            missing = motion.inputs[0] - row @ (motion.particular + motion.free)
            # Of all motion of these joints that no task feels, the one that changes momentum most.
            direction = motion.project(chosen * motion.project(own))
            hold = row @ direction
            # hold^2 + damping^2 |own|^2: the damping is in the unit of the momentum that a unit of motion gives.
            size = hold * hold + damping**2 * (own @ own) + _LEAST_SQUARE
            return gain * (missing * hold / size) * (chosen * motion.project(own))
        # (7.5) to (7.8): joints that make momentum move as the tasks ask, the others answer.
        missing = motion.inputs[0] - (row - own) @ motion.particular
        square = own @ own + _LEAST_SQUARE
        direction = own * (gain * missing)
        if self.variant == "exact":
            return direction / (square + damping**2)
        length = sqrt(square)
        return direction / length if self.variant == "unit" else direction / (length * square)


@dataclass(frozen=True, eq=False, repr=False)
class ArmSwingTask(MotionTask):
    """The centre of mass of an arm, seen from that of the robot, goes with that of the opposite leg, scaled.

    arm, leg: names of joints. frame: whose axes count. scale: of the leg's way; Buschmann 2010 takes less than one as
    arms are shorter. target (3,): what `arm - scale leg` is in a pose that is liked; `arm_swing` fills it in.
    """

    arm: tuple[str, ...]
    leg: tuple[str, ...]
    frame: str
    scale: float
    target: Array

    def _settle(self, target: Any) -> None:
        self._set("target", self._array("target", target, (3,)))

    @property
    def label(self) -> str:
        return f"swing of {self.arm[0]!r}"

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("arm swing", self.arm, self.leg, self.frame, self.scale)

    def size(self, robot: Robot) -> int:
        return 3

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        arm, leg, whole = self._points(robot, q)
        axes = frame_pose.textbook(robot, q, self.frame).rotation
        share = 1.0 - self.scale
        value = axes.T @ (arm.position - self.scale * leg.position - share * whole.position)
        rows = axes.T @ (arm.jacobian - self.scale * leg.jacobian - share * whole.jacobian)
        # The axes turn little in walking: what that would add is left to the feedback.
        return TaskValue(parameters - value, rows)

    def _points(self, robot: Robot, q: Array) -> tuple[Any, Any, Any]:
        bodies = [tuple(robot.joint(name).child for name in names) for names in (self.arm, self.leg)]
        return (
            point_kinematics(robot, q, CenterOf(bodies[0])),
            point_kinematics(robot, q, CenterOf(bodies[1])),
            point_kinematics(robot, q, CenterOf()),
        )


def arm_swing(
    robot: Robot,
    q: Array,
    *,
    frame: str,
    pairs: Mapping[str, str] | None = None,
    scale: float | None = None,
    **options: Any,
) -> tuple[ArmSwingTask, ...]:
    """Tasks that swing arms with the opposite legs, from a pose q (nq,) on.

    pairs: groups of joints of the robot, legs by arms; by default `right_arm` with `left_leg` and the other way round.
    scale: by default the length of an arm over that of a leg. options: of the tasks, such as gains.
    """
    chosen = {"right_arm": "left_leg", "left_arm": "right_leg"} if pairs is None else dict(pairs)
    tasks = []
    for arm, leg in chosen.items():
        for name in (arm, leg):
            if name not in robot.groups:
                raise InvalidInput(
                    f"robot {robot.name!r} has no group {name!r}; there are: {sorted(robot.groups)}"
                )
        own, other = robot.groups[arm], robot.groups[leg]
        share = _length(robot, q, own) / _length(robot, q, other) if scale is None else scale
        task = ArmSwingTask(own, other, frame, float(share), np.zeros(3), **options)
        found = task.evaluate(robot, np.asarray(q, dtype=np.float64), np.zeros(3))
        tasks.append(ArmSwingTask(own, other, frame, float(share), -np.asarray(found.error), **options))
    return tuple(tasks)


def _length(robot: Robot, q: Array, joints: Sequence[str]) -> float:
    """From the first joint to the last, m."""
    ends = [frame_pose(robot, q, robot.joint(joints[place]).child).translation for place in (0, -1)]
    return float(np.linalg.norm(ends[1] - ends[0]))


def turning_momentum(
    inertia: float, steps: Sequence[tuple[float, float]], times: Array
) -> tuple[Array, Array]:
    """Angular momentum about the vertical (n,), kg m2/s, and its rate (n,), N m, at times (n,), s: a cubic a step.

    inertia: of the whole robot about the vertical through its centre of mass in a standing pose, kg m2. steps: for each
    its duration, s, and by how much the upper body turns in it, rad. At the end of a step the robot turns as a rigid
    body with the rate of that step, Schwienbacher 2014, (7.10) to (7.12). After the last step it comes to rest.
    """
    value, rate, begin = 0.0, 0.0, 0.0
    momentum, torque = np.zeros(len(times)), np.zeros(len(times))
    last = steps[-1][0] if steps else 1.0
    for duration, turn in (*steps, (last, 0.0)):
        if not duration > 0.0:
            raise InvalidInput(f"a step takes {duration} s; it must be above zero")
        end = inertia * turn / duration
        a2 = 3 * (end - value) / duration**2 - 2 * rate / duration
        a3 = -2 * (end - value) / duration**3 + rate / duration**2
        inside = (times >= begin) & (times < begin + duration)
        tau = times[inside] - begin
        momentum[inside] = value + rate * tau + a2 * tau**2 + a3 * tau**3
        torque[inside] = rate + 2 * a2 * tau + 3 * a3 * tau**2
        value, rate, begin = end, 0.0, begin + duration
    return momentum, torque


def vertical_inertia(robot: Robot, q: Array) -> float:
    """Of the whole robot as one rigid body about the vertical through its centre of mass at q (nq,), kg m2."""
    q = np.asarray(q, dtype=np.float64)
    root = next((joint for joint in robot.joints if joint.type == "floating"), None)
    if root is None:
        raise InvalidInput(f"robot {robot.name!r} has no floating base; it cannot turn as a whole")
    place = range(robot.nv)[robot.v_slice(root.name)]
    turn = np.zeros(robot.nv)
    base = frame_pose(robot, q, root.child)
    turn[place[3] : place[3] + 3] = base.rotation.T @ [0.0, 0.0, 1.0]  # angular velocity in body axes
    turn[place[0] : place[0] + 3] = np.cross([0.0, 0.0, 1.0], base.translation - center_of_mass(robot, q))
    return float(centroidal_momentum_matrix(robot, q)[5] @ turn)
