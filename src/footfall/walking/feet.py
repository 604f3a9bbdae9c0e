"""Feet in contact: force control of stance feet, and reflexes of feet that meet the ground early or late.

Force control, Seiwald (2023) section 4.6: a sole is a bed of springs, so that torques answer to turning as
`lambda' = -K u`, and `u = -K^-1 c (lambda_des - lambda)` lets errors decay with the rate c. Two feet are pressed
against each other, so that they share the load as they should; their common height belongs to the centre of mass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Vector3, Vector6
from footfall.math.rotations import matrix_from_rotation_vector
from footfall.walking.compliance import Adaption, forget, learn
from footfall.walking.gains import ControlGains, Sole
from footfall.walking.perceived import about_sole, touches
from footfall.walking.state import FootMemory
from footfall.walking.task_space import BodyTarget

_SWITCHING = 0.03  # s, in which position control becomes force control
# s, of forces that decide on contact, and of how fast feet turn: dampers in soles answer at once.
_SMOOTH = 0.004
_STRUCK, _FREE = 0.003, 0.05  # s, in which a foot notices that it has struck something, and forgets it
_BLOCKED = 1e-3  # of what blocks the way, from which on it counts
_PATIENCE = 0.02  # s, for which a foot may be late, or light once it has landed, without doing anything
_FASTEST = 1.0  # of the pendulum's speed `w h`, by which a swinging foot is displaced
_SINKING = 0.25  # of the speed of a late foot: that of one which came early and has lost the ground again


class FootPlan(NamedTuple):
    """What is planned for a foot: its motion, whether it stands, its load factor, and the sole that will touch."""

    target: BodyTarget
    closed: bool
    load: float
    sole: Sole


class FootLoad(NamedTuple):
    """Measured and wanted wrenches [f; n] of a foot in its frame, N and Nm."""

    measured: Vector6
    wanted: Vector6


class FootGoal(NamedTuple):
    """How a foot should be displaced and turned against its plan while it swings, m and rad, world axes."""

    hold: Vector3
    turn: Vector3


def notice_touch(memory: FootMemory, plan: FootPlan, force: float, gains: ControlGains) -> FootMemory:
    """Who touches and who does so early; force: on the foot, N, upwards."""
    smooth = memory.force + gains.period / (gains.period + _SMOOTH) * (force - memory.force)
    pressed = touches(smooth, memory.touching, gains.touch_force)
    stands = plan.closed or memory.early > 0.5
    missing = memory.missing + gains.period if stands and pressed < 0.5 else 0.0
    # A foot that lands is light now and then: it has lost the ground if it stays so.
    touching = 1.0 if stands and memory.touching > 0.5 and missing <= _PATIENCE else pressed
    # It has met the ground as it came down: it stays there until its plan has come down too, or goes up again.
    early = 0.0
    if not plan.closed and plan.target.velocity[2] < 0.0 and (touching > 0.5 or memory.early > 0.5):
        early = 1.0
    wanted = 1.0 if touching > 0.5 and (plan.closed or early > 0.5) else 0.0
    step = gains.period / _SWITCHING
    active = memory.active + min(max(wanted - memory.active, -step), step)
    swung = memory.swung if plan.closed else 1.0
    return memory._replace(
        touching=touching, early=early, missing=missing, force=smooth, active=active, swung=swung
    )


def adapt_foot(
    memory: FootMemory, plan: FootPlan, load: FootLoad, pressed: float, goal: FootGoal, gains: ControlGains
) -> FootMemory:
    """Displacement and turn of a foot after a period.

    pressed: by which force the two feet should be pressed apart more, N: half of the difference of errors.
    """
    memory = _learnt(_with_pivot(memory, plan), plan, load, gains)
    hold_rate: Vector3 = np.zeros(3)
    turn_rate: Vector3 = np.zeros(3)
    # A foot that leaves the ground is left alone: the plan has its next sole already, which may be a tiptoe's.
    controlled = memory.active > 0.0 and (plan.closed or memory.early > 0.5)
    if controlled:
        turn_rate = memory.active * _turn_rate(memory, plan, load, gains)
        turn_rate = memory.turn_rate + gains.period / (gains.period + _SMOOTH) * (
            turn_rate - memory.turn_rate
        )
        hold_rate[2] -= memory.active * gains.force_rate / gains.foot_stiffness * pressed
    if memory.early > 0.5:  # stay where the ground is: a foot that goes on with its plan hammers on it
        hold_rate = -plan.target.velocity
        if memory.touching < 0.5:
            hold_rate[2] -= _SINKING * gains.late_speed
    elif memory.missing > _PATIENCE:  # look for the ground
        share = min((memory.missing - _PATIENCE) / _PATIENCE, 1.0)
        hold_rate = np.array([0.0, 0.0, -share * gains.late_speed])
    if not plan.closed and memory.early < 0.5:
        share = 1.0 - memory.active
        hold_rate = hold_rate - share * _no_faster(
            gains.release_rate * (memory.hold - goal.hold), _FASTEST * gains.pendulum_rate * gains.height
        )
        turn_rate = turn_rate - (share * gains.release_rate) * (memory.turn - goal.turn)
        memory = _struck(memory, plan, load, gains)
        hold_rate = hold_rate - _into(plan.target.velocity + hold_rate, memory.block)
    most = gains.stop_acceleration
    step = most * gains.period / gains.stop_time
    # A foot that strikes something stops as hard as it can.
    struck = memory.block @ memory.block > _BLOCKED * _BLOCKED
    limits = Smoothness(most, most if struck else step, gains.period)
    held = _smoothly(Moving(memory.hold_rate, memory.hold_acceleration), hold_rate, limits)
    hold = memory.hold + gains.period * held.rate
    turned = Moving(turn_rate, (turn_rate - memory.turn_rate) / gains.period)
    if not controlled:  # else the filter of force control has smoothed it
        before = Moving(memory.turn_rate, memory.turn_acceleration)
        arm = 0.5 * gains.sole.length
        turned = _smoothly(before, turn_rate, Smoothness(most / arm, step / arm, gains.period))
    hold[2] = min(max(hold[2], -gains.largest_step), gains.largest_step)
    turn = memory.turn + gains.period * turned.rate
    for i in (0, 1, 2):
        turn[i] = min(max(turn[i], -gains.largest_turn), gains.largest_turn)
    return memory._replace(
        hold=hold,
        hold_rate=held.rate,
        hold_acceleration=held.acceleration,
        turn=turn,
        turn_rate=turned.rate,
        turn_acceleration=turned.acceleration,
    )


def _no_faster(velocity: Vector3, most: float) -> Vector3:
    """A velocity with its size limited, m/s."""
    size = np.sqrt(velocity @ velocity)
    return velocity if size <= most else (most / size) * velocity


def _struck(memory: FootMemory, plan: FootPlan, load: FootLoad, gains: ControlGains) -> FootMemory:
    """What a foot notices of something that it strikes while it swings: a force in the plane that cannot be friction of
    the ground. The edge of a step, say, which pushes it back while the plan goes on."""
    force = plan.target.rotation @ np.array([load.measured[0], load.measured[1], load.measured[2]])
    push = np.array([force[0], force[1], 0.0])
    size = np.sqrt(push @ push)
    share, seen = gains.period / _FREE, np.zeros(3)
    if size > gains.touch_force + gains.foot_friction * max(force[2], 0.0):
        share, seen = gains.period / _STRUCK, push / size
    return memory._replace(block=memory.block + share * (seen - memory.block))


def _into(velocity: Vector3, block: Vector3) -> Vector3:
    """The part of a velocity that leads into what blocks the way."""
    size = np.sqrt(block @ block)
    if size < _BLOCKED:
        return np.zeros(3)
    into: Vector3 = (min(float(velocity @ block), 0.0) / size) * block
    return into


class Smoothness(NamedTuple):
    """most: greatest acceleration. step: by which it changes in a period, s, at most."""

    most: float
    step: float
    period: float


class Moving(NamedTuple):
    """How fast a displacement changes, with its acceleration: m or rad, s."""

    rate: Vector3
    acceleration: Vector3


def _smoothly(before: Moving, wanted: Vector3, limits: Smoothness) -> Moving:
    """After a period, on the way to a wanted rate, with an acceleration that does not jump: joints have set points with
    two derivatives.

    An acceleration that falls from (n + f) steps to nothing, a step each period, changes the rate by
    ((n + 1) f + n (n + 1) / 2) steps times the period: the greatest one that does not take it too far is solved for."""
    rate, acceleration = before.rate.copy(), before.acceleration.copy()
    for i in (0, 1, 2):
        missing = wanted[i] - before.rate[i]
        steps = abs(missing) / (limits.step * limits.period)
        whole = np.floor(0.5 * (np.sqrt(1.0 + 8.0 * steps) - 1.0))
        rest = (steps - 0.5 * whole * (whole + 1.0)) / (whole + 1.0)
        best = min((whole + rest) * limits.step, limits.most)
        change = (best if missing > 0.0 else -best) - before.acceleration[i]
        acceleration[i] = before.acceleration[i] + min(max(change, -limits.step), limits.step)
        rate[i] = before.rate[i] + limits.period * acceleration[i]
    return Moving(rate, acceleration)


def _with_pivot(memory: FootMemory, plan: FootPlan) -> FootMemory:
    """A foot that stays where it is when another sole becomes the one that it is turned about."""
    pivot = plan.sole.middle
    if pivot == memory.pivot:
        return memory
    arm = (memory.pivot - pivot) * plan.target.rotation[:, 0]
    moved = arm - matrix_from_rotation_vector(memory.turn) @ arm
    return memory._replace(hold=memory.hold + moved, pivot=pivot)


def _learnt(memory: FootMemory, plan: FootPlan, load: FootLoad, gains: ControlGains) -> FootMemory:
    """With what the last period told about the ground, if the foot stands and learns."""
    if gains.learning <= 0.0:
        return memory
    sole = plan.sole
    wanted, measured = about_sole(load.wanted, sole.middle), about_sole(load.measured, sole.middle)
    if memory.active < 1.0:
        return memory._replace(
            about_x=forget(memory.about_x, measured[3]), about_y=forget(memory.about_y, measured[4])
        )
    scale = 0.5 * gains.sole.length * gains.mass * gains.gravity
    adaption = Adaption(gains.force_rate, gains.learning, scale, gains.period)
    return memory._replace(
        about_x=learn(memory.about_x, wanted[3], measured[3], adaption),
        about_y=learn(memory.about_y, wanted[4], measured[4], adaption),
    )


def _turn_rate(memory: FootMemory, plan: FootPlan, load: FootLoad, gains: ControlGains) -> Vector3:
    """How fast a foot should turn so that the torques about the middle of its sole become those wanted."""
    sole = plan.sole
    wanted, measured = about_sole(load.wanted, sole.middle), about_sole(load.measured, sole.middle)
    # Bending stiffness of an even bed of springs: k w^2 / 12.
    about_x = gains.foot_stiffness * sole.width * sole.width / (12.0 * (1.0 + memory.about_x.excess))
    about_y = gains.foot_stiffness * sole.length * sole.length / (12.0 * (1.0 + memory.about_y.excess))
    rate = np.array(
        [
            -gains.force_rate * (wanted[3] - measured[3]) / about_x,
            -gains.force_rate * (wanted[4] - measured[4]) / about_y,
            0.0,
        ]
    )
    turning: Vector3 = plan.target.rotation @ rate
    return turning


def foot_target(memory: FootMemory, plan: FootPlan) -> BodyTarget:
    """Where the foot of the model shall be: displaced, and turned about the middle of its sole."""
    target, turn = plan.target, matrix_from_rotation_vector(memory.turn)
    arm = -memory.pivot * target.rotation[:, 0]
    moved = turn @ arm - arm + memory.hold
    return BodyTarget(
        target.position + moved,
        target.velocity + memory.hold_rate + np.cross(memory.turn_rate, arm),
        turn @ target.rotation,
        target.turning + memory.turn_rate,
    )
