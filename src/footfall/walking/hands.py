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
    """Displacement of a hand after a period; measured, wanted: forces on it, N, world axes."""
    normal = hand_normal(plan)
    force = measured @ normal
    touching = touches(np.sqrt(measured @ measured), memory.touching, gains.hand_touch_force)
    standing = plan.load > _LOADED
    goal = 1.0 if standing or touching > 0.5 else 0.0
    step = gains.period / _SWITCHING
    active = memory.active + min(max(goal - memory.active, -step), step)
    rate: Vector3 = np.zeros(3)
    if standing:
        missing = min(max(wanted @ normal - force, -gains.hand_force_limit), gains.hand_force_limit)
        rate = (-active * gains.force_rate / gains.hand_stiffness * missing) * normal
    elif touching > 0.5 and plan.target.velocity @ normal < 0.0:  # early: it waits for its plan
        rate = -(plan.target.velocity @ normal) * normal
    else:
        rate = -gains.release_rate * memory.offset
    offset = memory.offset + gains.period * rate
    size = np.sqrt(offset @ offset)
    if size > _LARGEST:
        offset = (_LARGEST / size) * offset
    return HandMemory(offset, rate, touching, active)


def hand_target(memory: HandMemory, plan: HandPlan) -> PointTarget:
    """Where the hand of the model shall be."""
    return PointTarget(plan.target.position + memory.offset, plan.target.velocity + memory.offset_rate)
