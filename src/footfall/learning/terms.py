"""Terms of tasks in which a robot follows a velocity: observations, rewards, ends, and what is drawn anew.

Each is a plain function of named quantities (`quantities.py`) and of options with defaults. A task of your own may mix
them with yours: they are traced and run in lanes.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import absolute, equal, exp, greater, less, maximum, minimum, where
from footfall.learning.random_streams import Draw
from footfall.math.rotations import quaternion_product


def square(vector: Array) -> Any:
    """Sum of the squares."""
    return vector @ vector


# Observations


def base_velocity(base_velocity: Array, scale: float = 1.0) -> Array:
    """m/s, in axes of the base."""
    return scale * base_velocity


def base_rate(base_rate: Array, scale: float = 0.25) -> Array:
    """rad/s, scaled."""
    return scale * base_rate


def gravity(gravity: Array) -> Array:
    """Its direction in axes of the base."""
    return gravity


def command(command: Array, scale: Any = 1.0) -> Array:
    """What is wanted: m/s, m/s, rad/s; scale: of each, or one for all."""
    return np.asarray(scale, dtype=np.float64) * command


def joint_position(joint_position: Array, encoder_bias: Array, scale: float = 1.0) -> Array:
    """As it is read, against the default one, rad."""
    return scale * (joint_position + encoder_bias)


def joint_rate(joint_rate: Array, scale: float = 0.05) -> Array:
    """rad/s, scaled."""
    return scale * joint_rate


def last_action(action: Array) -> Array:
    """What was done last."""
    return action


def gait_phase(time: Any, period: float = 0.8) -> Array:
    """Sine and cosine of a clock that goes round once in a period, s."""
    angle = (2.0 * np.pi / period) * time
    return np.array([np.sin(angle), np.cos(angle)])


def foot_touching(foot_touching: Array) -> Array:
    """1 where a foot touches."""
    return foot_touching


def foot_force(foot_force: Array, scale: float = 0.01) -> Array:
    """Along the vertical, scaled."""
    return scale * foot_force[:, 2]


def air_time(air_time: Array) -> Array:
    """s."""
    return minimum(air_time, 1.0)


def foot_height(foot_height: Array) -> Array:
    """m above the ground."""
    return foot_height


def friction(friction: Array) -> Any:
    """Of the first foot."""
    return friction[0]


def height_scan(height_scan: Array, below: float = 0.3) -> Array:
    """Of the ground under the points of the scan, m, around a base that is so high above it."""
    return maximum(minimum(height_scan + below, 1.0), -1.0)


# Rewards, for a second each


def track_velocity(command: Array, base_velocity: Array, width: float = 0.25) -> Any:
    """1 where the base goes as wanted along the ground: `exp(-e^2 / width)`."""
    return exp(-square(command[:2] - base_velocity[:2]) / width)


def track_rate(command: Array, base_rate: Array, width: float = 0.25) -> Any:
    """1 where the base turns as wanted."""
    return exp(-((command[2] - base_rate[2]) ** 2) / width)


def vertical_velocity(base_velocity: Array) -> Any:
    """Square of the base's velocity up and down."""
    return base_velocity[2] ** 2


def tumbling(base_rate: Array) -> Any:
    """Square of rolling and pitching."""
    return square(base_rate[:2])


def tilt(gravity: Array) -> Any:
    """Square of the sine of the base's inclination."""
    return square(gravity[:2])


def effort(effort: Array) -> Any:
    """Sum of the squares of the joints' efforts."""
    return square(effort)


def action_rate(action: Array, last_action: Array) -> Any:
    """Square of the change of the action."""
    return square(action - last_action)


def posture(joint_position: Array) -> Any:
    """Square of the distance from the default posture."""
    return square(joint_position)


def height_error(base_height: Any, default: Array) -> Any:
    """Square of the base's distance from the height that it starts at."""
    return (base_height - default[2]) ** 2


def sinking(base_height: Any, default: Array, share: float = 0.85) -> Any:
    """Square of how far the base is below a share of the height that it starts at."""
    return maximum(share * default[2] - base_height, 0.0) ** 2


def stepping(landing: Array, command: Array, least: float = 0.1, most: float = 0.3) -> Any:
    """Time in the air of feet that touch down, beyond the least and up to the most; only where something is wanted."""
    moving = greater(square(command), 0.01)
    gained = where(greater(landing, 0.0), minimum(landing, most) - least, 0.0)
    return where(moving, np.sum(gained), 0.0)


def slip(foot_velocity: Array, foot_touching: Array) -> Any:
    """Square of the velocity along the ground of feet that touch."""
    return sum(touch * square(each[:2]) for each, touch in zip(foot_velocity, foot_touching, strict=True))


def standing_still(joint_position: Array, command: Array) -> Any:
    """Distance from the default posture where nothing is wanted."""
    return where(less(square(command), 0.01), np.sum(absolute(joint_position)), 0.0)


def joint_limits(joint_position: Array, joint_limits: Array, share: float = 0.9) -> Any:
    """How far joints are beyond a share of their range, rad."""
    lower, upper = joint_limits
    finite = np.isfinite(lower) & np.isfinite(upper)
    middle, half = (lower[finite] + upper[finite]) / 2, (upper[finite] - lower[finite]) / 2
    return np.sum(maximum(absolute(joint_position[finite] - middle) - share * half, 0.0))


def alive() -> float:
    """1 as long as it lasts."""
    return 1.0


def one_foot(foot_touching: Array, command: Array) -> Any:
    """1 where exactly one of two feet touches and something is wanted."""
    single = equal(np.sum(foot_touching), 1.0)
    return where(single & greater(square(command), 0.01), 1.0, 0.0)


def in_step(
    foot_touching: Array, time: Any, command: Array, period: float = 0.8, stance: float = 0.55
) -> Any:
    """Share of two feet that touch, or do not, as the clock of `gait_phase` has it: each for a share of its round, and
    half a round apart; both where nothing is wanted. A foot of several bodies, as with toes, touches if one does."""
    wanted = [where(greater(each, 0.0), 0.0, 1.0) for each in _swing(time, command, period, stance)]
    touching = reduce(maximum, foot_touching.reshape(2, -1).T)
    return 1.0 - 0.5 * np.sum(absolute(touching - np.array(wanted)))


def swing_height(
    foot_height: Array,
    time: Any,
    command: Array,
    period: float = 0.8,
    stance: float = 0.55,
    height: float = 0.06,
    width: float = 0.003,
) -> Any:
    """1 where two feet are as high as the clock of `in_step` has it, up to a height in the middle of a swing, m:
    `exp(-e^2 / width)`. It tells a foot that rests on the ground which way is better, which `in_step` does not."""
    error = foot_height.reshape(2, -1).T - height * np.array(_swing(time, command, period, stance))
    return exp(-square(np.ravel(error)) / width)


def _swing(time: Any, command: Array, period: float, stance: float) -> list[Any]:
    """How far up in its swing each of two feet should be, 0 to 1: on the ground for a share of a round, and where
    nothing is wanted."""
    moving, angle = greater(square(command), 0.01), np.sin((2.0 * np.pi / period) * time)
    least = float(np.cos(np.pi * stance))  # the sine of an angle is above it for this share of a round
    return [where(moving, maximum(least - each, 0.0) / (1.0 + least), 0.0) for each in (angle, -angle)]


def clearance(foot_height: Array, foot_touching: Array, height: float = 0.08) -> Any:
    """Square of the distance of feet in the air from a height above the ground, m."""
    return sum(
        (1.0 - touch) * (each - height) ** 2 for each, touch in zip(foot_height, foot_touching, strict=True)
    )


# Ends


def fallen(gravity: Array, angle: float = 1.2) -> Any:
    """The base leans by more than an angle, rad."""
    return greater(gravity[2], -float(np.cos(angle)))


def too_low(base_height: Any, default: Array, share: float = 0.55) -> Any:
    """The base is lower than a share of the height that it starts at."""
    return less(base_height, share * default[2])


# Drawn anew: of a row that begins, or of its command


def twist(
    draw: Draw,
    level: Any,
    forwards: float = 1.0,
    sideways: float = 0.5,
    turning: float = 1.0,
    standing: float = 0.1,
    first: float = 1.0,
) -> Array:
    """A velocity in a box; some rows stand. first: share of the box at the lowest level of the curriculum."""
    share = first + (1.0 - first) * level
    drawn = np.array([draw.uniform(-1.0, 1.0) * most for most in (forwards, sideways, turning)])
    return where(less(draw.uniform(), standing), 0.0, 1.0) * share * drawn


def start_pose(
    draw: Draw,
    default: Array,
    origin: Array,
    joints: float = 0.15,
    yaw: float = float(np.pi),
    around: float = 0.0,
) -> Array:
    """The default configuration with joints and yaw changed at random, around the row's origin."""
    angle = draw.uniform(-yaw, yaw) / 2
    turn = np.array([np.cos(angle), 0.0, 0.0, np.sin(angle)])
    base = [origin[0] + draw.uniform(-around, around), origin[1] + draw.uniform(-around, around), default[2]]
    return np.concatenate(
        [
            base,
            quaternion_product(turn, default[3:7]),
            default[7:] + draw.uniform(-joints, joints, len(default) - 7),
        ]
    )


def start_velocity(draw: Draw, v: Array, linear: float = 0.3, angular: float = 0.3) -> Array:
    """Of the base, at random; joints rest."""
    base = [draw.uniform(-linear, linear, 3), draw.uniform(-angular, angular, 3)]
    return np.concatenate([*base, np.zeros(len(v) - 6)])


def uniform(draw: Draw, low: float = 0.0, high: float = 1.0) -> Any:
    """One number between two, for all entries."""
    return draw.uniform(low, high)


def each_uniform(draw: Draw, encoder_bias: Array, low: float = 0.0, high: float = 1.0) -> Array:
    """A number between two for each joint."""
    return draw.uniform(low, high, len(encoder_bias))


def shift(draw: Draw, most: float = 0.025) -> Array:
    """Of a centre of mass, along each axis, m."""
    return draw.uniform(-most, most, 3)


def kick(draw: Draw, linear: float = 0.5, angular: float = 0.0) -> Array:
    """Change of the base's velocity, along the ground and about all axes, (6,)."""
    way = draw.uniform(-linear, linear, 2)
    return np.concatenate([way, [0.0], draw.uniform(-angular, angular, 3)])


def walked_far(
    q: Array, origin: Array, command: Array, level: Any, time: Any, far: float = 0.5, step: float = 0.1
) -> Any:
    """The next level of a curriculum: one step up for rows that went at least a share of what was wanted, else down."""
    way = square(q[:2] - origin)
    wanted = square(far * time * command[:2])
    change = where(less(wanted, 0.01), 0.0, where(greater(way, wanted), step, -step))
    return maximum(minimum(level + change, 1.0), 0.0)
