"""Balance: which wrench shall act on the robot so that its centre of mass comes back to its plan.

The divergent component of a pendulum obeys `xi' = w (xi - p)`. With the zero-moment point p shifted by
`(1 + k / w) (xi - xi_plan)` its error decays with the rate k (Takenaka 2009, Englsberger 2015). A shift of p by d is a
torque `d x F` about the centre of mass.
"""

from __future__ import annotations

import numpy as np

from footfall.compiler.routines import Vector3, Vector6
from footfall.walking.gains import ControlGains
from footfall.walking.state import BodyMemory


def zmp_shift(dcm_error: Vector3, gains: ControlGains) -> Vector3:
    """How far the zero-moment point should be off its plan, m."""
    shift = (1.0 + gains.balance_rate / gains.pendulum_rate) * dcm_error
    most = gains.sole.length
    return np.array([min(max(shift[0], -most), most), min(max(shift[1], -most), most), 0.0])


def balancing_wrench(planned: Vector6, shift: Vector3) -> Vector6:
    """The planned wrench [f; n] about the centre of mass, with the zero-moment point shifted, m."""
    fx, fy, fz, tx, ty, tz = planned
    return np.array([fx, fy, fz, tx + shift[1] * fz, ty - shift[0] * fz, tz + shift[0] * fy - shift[1] * fx])


def follow_height(memory: BodyMemory, goal: float, gains: ControlGains) -> BodyMemory:
    """The centre of mass follows the height of the ground, m, like a mass on a critically damped spring."""
    rate = gains.height_rate
    change = rate * rate * (goal - memory.height) - 2.0 * rate * memory.height_rate
    height_rate = memory.height_rate + gains.period * change
    return memory._replace(height=memory.height + gains.period * height_rate, height_rate=height_rate)
