"""Balance: which wrench shall act on the robot so that its centre of mass comes back to its plan.

The divergent component of a pendulum obeys `xi' = w (xi - p)`. With the zero-moment point p shifted by
`(1 + k / w) (xi - xi_plan)` its error decays with the rate k (Takenaka 2009, Englsberger 2015). A shift of p by d is a
torque `d x F` about the centre of mass.

Beside it stands the law of the source, as a share (`gains.inclination_share`): the robot as a flywheel that tilts about
its feet by e, `Theta e'' = m g h sin e - T`, is brought upright by a PD controller with gravity made up for, and what
the disturbance observer has seen (`disturbance`), Seiwald 2023, section 4.6.
"""

from __future__ import annotations

import numpy as np

from footfall.compiler.routines import Vector3, Vector6
from footfall.walking.disturbance import ObservedForce
from footfall.walking.gains import ControlGains
from footfall.walking.perceived import Tilt
from footfall.walking.state import BodyMemory


def zmp_shift(dcm_error: Vector3, gains: ControlGains) -> Vector3:
    """How far the zero-moment point should be off its plan, m."""
    shift = (1.0 + gains.balance_rate / gains.pendulum_rate) * dcm_error
    most = gains.sole.length
    return np.array([min(max(shift[0], -most), most), min(max(shift[1], -most), most), 0.0])


def inclination_shift(error: Vector3, rate: Vector3, gains: ControlGains) -> Vector3:
    """How far the zero-moment point should be off its plan, m, for a tilt about the world's axes, rad and rad/s.

    The torque `T = K_p e + K_d e' + m g h sin e` with critical damping: K_p = Theta w^2, K_d = 2 Theta w, and the rate
    w of the balance. A torque is a shift of T / (m g).
    """
    inertia, speed, weight = gains.inclination_inertia, gains.balance_rate, gains.mass * gains.gravity
    stiff, damp = inertia * speed * speed / weight, 2.0 * inertia * speed / weight
    about_x = stiff * error[0] + damp * rate[0] + gains.height * np.sin(error[0])
    about_y = stiff * error[1] + damp * rate[1] + gains.height * np.sin(error[1])
    return np.array([about_y, -about_x, 0.0])


def balancing_shift(dcm: Vector3, tilt: Tilt, seen: ObservedForce, gains: ControlGains) -> Vector3:
    """The shift of the zero-moment point, m, by all laws that are asked for."""
    shift = zmp_shift(dcm, gains)
    if gains.inclination_share > 0.0:
        other = inclination_shift(tilt.error, tilt.rate, gains)
        shift = shift + gains.inclination_share * (other - shift)
    if gains.disturbance_share > 0.0:
        rate = gains.pendulum_rate
        shift = shift + gains.disturbance_share / (gains.mass * rate * rate) * seen.force
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
