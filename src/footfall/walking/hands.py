"""Hands in contact: they push along the normal of what they touch with the force that is asked for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Matrix3, Vector3
from footfall.contact.contacts import contact_frame
from footfall.walking.gains import ControlGains
from footfall.walking.perceived import touches
from footfall.walking.state import HandMemory
from footfall.walking.task_space import PointTarget

_LOADED = 1e-3
_SWITCHING = 0.03  # s
SMOOTH = 0.008  # s, of forces that decide on contact, and of velocities
_LARGEST = 0.12  # m, displacement of a hand


class HandPlan(NamedTuple):
    """What is planned for a hand: its motion, the force on it, N, its load factor and how far it is in task space."""

    target: PointTarget
    force: Vector3
    load: float
    selection: float


def hand_normal(plan: HandPlan) -> Vector3:
    """Towards the robot: the direction of the planned force, straight up without one."""
    size = np.sqrt(plan.force @ plan.force)
    return plan.force / size if size > 1e-6 else np.array([0.0, 0.0, 1.0])


def hand_axes(plan: HandPlan) -> Matrix3:
    """Axes (t1, t2, n) of what the hand touches."""
    return contact_frame(hand_normal(plan))


def adapt_hand(
    memory: HandMemory, plan: HandPlan, measured: Vector3, wanted: Vector3, gains: ControlGains
) -> HandMemory:
    """Displacement of a hand after a period; measured, wanted: forces on it, N, world axes.

    What it touches is a spring along its normal: `u = -(c / k) (F_des - F)`. Along the surface, where friction holds
    it, the hand is where it was planned to be. A hand that should touch and does not goes on along the normal; one that
    touches early waits for its plan. Forces and velocities are smoothed: a hand that is set down by one period and
    taken off by the next one hammers on the wall.
    """
    normal = hand_normal(plan)
    smooth = memory.force + gains.period / (gains.period + SMOOTH) * (
        float(np.sqrt(measured @ measured)) - memory.force
    )
    touching = touches(smooth, memory.touching, gains.hand_touch_force)
    standing = plan.load > _LOADED
    step = gains.period / _SWITCHING
    goal = 1.0 if standing and touching > 0.5 else 0.0
    active = memory.active + min(max(goal - memory.active, -step), step)
    coming = float(plan.target.velocity @ normal)
    rate: Vector3 = np.zeros(3)
    if standing and touching > 0.5:
        rate = (-gains.hand_rate / gains.hand_stiffness * float((wanted - measured) @ normal)) * normal
    elif standing:
        rate = -gains.hand_speed * normal
    elif touching > 0.5:
        rate = (gains.hand_rate / gains.hand_stiffness * float(measured @ normal) - min(coming, 0.0)) * normal
    else:
        rate = -gains.release_rate * memory.offset
    rate = memory.offset_rate + gains.period / (gains.period + SMOOTH) * (rate - memory.offset_rate)
    offset = memory.offset + gains.period * rate
    size = np.sqrt(offset @ offset)
    if size > _LARGEST:
        offset = (_LARGEST / size) * offset
    return HandMemory(offset, rate, touching, smooth, active)


def hand_target(memory: HandMemory, plan: HandPlan) -> PointTarget:
    """Where the hand of the model shall be."""
    return PointTarget(plan.target.position + memory.offset, plan.target.velocity + memory.offset_rate)
