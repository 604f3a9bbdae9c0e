"""Where a walk begins: the robot in the first pose of its motion."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.errors import InvalidInput
from footfall.gait.poses import yaw_quaternion
from footfall.motion.following import require_followed
from footfall.simulation.joint_control import actuated_velocities
from footfall.walking.body import WalkingBody
from footfall.walking.controller import ControllerRoom, plain_targets
from footfall.walking.gains import ControlGains
from footfall.walking.plan_sampling import PlanTable, planned_at
from footfall.walking.task_space import TaskCode, fill_targets, joint_velocities, look_at_model, move_model

_MOST_STEPS, _TOLERANCE = 400, 1e-3  # of inverse kinematics; m or rad
_LIMIT_SLACK = np.deg2rad(2.0)  # rad, that a joint may be beyond its limits


@routine(quick=True)
def come_to(
    gains: ControlGains,
    code: TaskCode,
    plan: PlanTable,
    time: float,
    q: Array,
    room: ControllerRoom,
    stream: Array,
) -> float:
    """Bring a configuration q (nq,), in place, to what is planned at a time, s; gives the error that is left, m or
    rad, hands aside."""
    planned = planned_at(plan, time, stream, gains)
    targets = plain_targets(planned)
    fill_targets(code, targets, room.inputs[code.nq :], room.rates)
    room.rates[:] = 0.0
    for _ in range(_MOST_STEPS):
        found = look_at_model(code, q, room.inputs, room.outputs)
        v = joint_velocities(code, found, room.rates, targets.selection, 0.0)
        move_model(code, q, (0.2 / code.gain) * v, room.moved)
    found = look_at_model(code, q, room.inputs, room.outputs)
    worst = 0.0
    for k in range(code.rows - 6):
        worst = max(worst, abs(found.error[k]))
    return worst


def require_reached(error: float, time: float) -> None:
    """Refuse a start that the robot cannot take."""
    require_followed(error, time, _TOLERANCE)


def require_within_limits(body: WalkingBody, q: Array) -> None:
    """Refuse a start beyond limits of joints: axes of the upper body point another way than those of the feet."""
    lower, upper = body.robot.lower_limits, body.robot.upper_limits
    for name, (at, _) in zip(body.joint_names, actuated_velocities(body.robot), strict=True):
        if not lower[at] - _LIMIT_SLACK <= q[at] <= upper[at] + _LIMIT_SLACK:
            angle, least, most = np.rad2deg([q[at], lower[at], upper[at]])
            raise InvalidInput(
                f"robot {body.robot.name!r} cannot stand as a walk begins: joint {name!r} would be at {angle:.0f} "
                f"degrees, its limits are {least:.0f} and {most:.0f}. Frames of feet and of the upper body "
                f"({body.model.frames['UB']!r}) must have x ahead and z up when it stands; add such a frame"
            )


def on_the_ground(q: Array, base: slice, position: Array, heading: float) -> Array:
    """q with its floating base at a position (3,), m, upright, turned by a heading, rad."""
    result = np.array(q, dtype=np.float64)
    result[base] = [*position, *yaw_quaternion(heading)]
    return result
