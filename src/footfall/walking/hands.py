"""Hands in contact: they push along the normal of what they touch with the force that is asked for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Matrix3, Vector3
from footfall.contact.contacts import contact_frame
from footfall.walking.gains import ControlGains
from footfall.walking.leaving import LastTouch, forget_touch
from footfall.walking.perceived import touches
from footfall.walking.state import HandMemory
from footfall.walking.task_space import PointTarget

_LOADED = 1e-3
_SWITCHING = 0.03  # s
SMOOTH = 0.008  # s, of forces that decide on contact, and of velocities
_LEANING = 0.02  # s, in which hands make up for a tilt
_MOST_DISPLACEMENT = 0.12  # m, displacement of a hand


class HandPlan(NamedTuple):
    """What is planned for a hand: its motion, the force on it, N, its load factor and how far it is in task space."""

    target: PointTarget
    force: Vector3
    load: float
    selection: float


def hand_normal(plan: HandPlan) -> Vector3:
    """Towards the robot: the direction of the planned force, straight up without one."""
    return direction(plan.force, np.array([0.0, 0.0, 1.0]))


def hand_axes(plan: HandPlan) -> Matrix3:
    """Axes (t1, t2, n) of what the hand touches."""
    return contact_frame(hand_normal(plan))


def direction(vector: Vector3, otherwise: Vector3) -> Vector3:
    """Of a vector, if it has one."""
    size = np.sqrt(vector @ vector)
    return vector / size if size > 1e-6 else otherwise


def adapt_hand(
    memory: HandMemory, plan: HandPlan, measured: Vector3, wanted: Vector3, gains: ControlGains
) -> HandMemory:
    """Displacement of a hand after a period; measured, wanted: forces on it, N, world axes.

    What it touches is a spring along its normal: `u = -(c / k) (F_des - F)`. Along the surface, where friction holds
    it, the hand is where it was planned to be. A hand that should touch and does not goes on along the normal. Forces
    and velocities are smoothed: a hand that is set down by one period and taken off by the next one hammers on the
    wall. Only the first touch is noticed at once.
    """
    share = gains.period / (gains.period + SMOOTH)
    smooth = memory.force + share * (measured - memory.force)
    size = float(np.sqrt(smooth @ smooth))
    if memory.touching < 0.5:
        size = max(size, float(np.sqrt(measured @ measured)))
    touching = touches(size, memory.touching, gains.hand_touch_force)
    standing = plan.load > _LOADED
    step = gains.period / _SWITCHING
    goal = 1.0 if standing and touching > 0.5 else 0.0
    active = memory.active + min(max(goal - memory.active, -step), step)
    rate: Vector3 = np.zeros(3)
    if standing and touching > 0.5:
        normal = hand_normal(plan)
        rate = (-gains.hand_rate / gains.hand_stiffness * float((wanted - measured) @ normal)) * normal
    elif standing:
        rate = -gains.hand_speed * hand_normal(plan)
    elif touching > 0.5:
        rate = early_rate(plan, measured, direction(smooth, hand_normal(plan)), gains)
    else:
        rate = -gains.release_rate * memory.offset
    rate = memory.offset_rate + share * (rate - memory.offset_rate)
    offset = memory.offset + gains.period * rate
    far = np.sqrt(offset @ offset)
    if far > _MOST_DISPLACEMENT:
        offset = (_MOST_DISPLACEMENT / far) * offset
    return memory._replace(offset=offset, offset_rate=rate, touching=touching, force=smooth, active=active)


def early_rate(plan: HandPlan, measured: Vector3, normal: Vector3, gains: ControlGains) -> Vector3:
    """Of the displacement of a hand that touches before it was planned to: it comes no nearer and slides along, with a
    light touch, until its plan follows or leads away. normal: that of the force on it, since no contact is planned."""
    push = float(measured @ normal) - gains.hand_touch_force
    coming = min(float(plan.target.velocity @ normal), 0.0)
    rate: Vector3 = (gains.hand_rate / gains.hand_stiffness * push - coming) * normal
    return rate


def remember_touch(memory: HandMemory, plan: HandPlan, place: Vector3, gains: ControlGains) -> HandMemory:
    """What a hand touches as planned, or strikes while it swings in null space, is remembered for a while. place: of
    the hand, m."""
    normal = hand_normal(plan)
    planned, struck = plan.load > _LOADED, plan.selection == 0.0
    if struck and not planned:
        normal = direction(memory.force, normal)
    if memory.touching > 0.5 and (planned or struck):
        return memory._replace(last=LastTouch(normal, float(normal @ place), 1.0))
    return memory._replace(last=forget_touch(memory.last, gains))


def make_up(memory: HandMemory, missed: Vector3, gains: ControlGains) -> HandMemory:
    """Let a hand in the air be where it was planned to be although the robot is tilted; one that touches stays as it
    is, since a robot that sways leans on it. missed: by which the tilt takes it from its plan, m, world axes; followed
    as smoothly as an inertial unit that tells it every few milliseconds asks for."""
    wanted: Vector3 = -(missed + memory.lean) / _LEANING if memory.touching < 0.5 else np.zeros(3)
    rate = memory.lean_rate + gains.period / (gains.period + SMOOTH) * (wanted - memory.lean_rate)
    return memory._replace(lean=memory.lean + gains.period * rate, lean_rate=rate)


def hand_target(memory: HandMemory, plan: HandPlan) -> PointTarget:
    """Where the hand of the model shall be."""
    return PointTarget(
        plan.target.position + memory.offset + memory.lean,
        plan.target.velocity + memory.offset_rate + memory.lean_rate,
    )
