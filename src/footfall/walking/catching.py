"""Steps by which a robot that stands catches itself: beyond the source, whose robot stands where it is.

Soles hold a robot whose divergent component of motion is above them. If a push takes it beyond, a foot is lifted at
once and put where the component will be as it lands, by the law of `footholds.py`. The plan follows to where it stands,
and the other foot comes after it.
"""

from __future__ import annotations

import numpy as np

from footfall.compiler.routines import Vector3
from footfall.walking.feet import FootPlan
from footfall.walking.footholds import Lead, StepRoom, foothold_goal
from footfall.walking.gains import ControlGains
from footfall.walking.plan_sampling import Planned
from footfall.walking.state import CatchMemory, ControllerState, FootMemory
from footfall.walking.step_ground import on_free_ground

# In times of the pendulum, 1 / w: how long a foot swings, in which its load is handed over, and how long both feet
# stand before the one that is behind comes after.
_SWING, _HANDING, _CALMING = 1.1, 0.13, 0.25
_LIFT = 0.05  # of the height of the centre of mass
_HELD = 0.95  # of half a sole: an error that soles hold
_APART = 0.12  # of a sole: a displacement of one foot that is left as it is
_OUTWARD, _INWARD = 0.8, 0.1  # of a sole's width, that a foot may be put aside
_EVEN = 0.1  # of the load, by which feet of a robot that stands may differ
_REST = 0.01  # of the pendulum's speed `w h`: the plan stands


def catch_room(gains: ControlGains) -> StepRoom:
    """How far a foot may be put from where it stands."""
    return StepRoom(
        gains.catching_step,
        _OUTWARD * gains.sole.width,
        _INWARD * gains.sole.width,
        0.17 * gains.sole.length,
    )


def stands(planned: Planned, gains: ControlGains) -> bool:
    """Whether the plan is to stand on both feet, with no hand on anything."""
    right, left = planned.feet
    speed = planned.body.velocity
    return bool(
        right.closed
        and left.closed
        and right.sole.length == gains.sole.length
        and left.sole.length == gains.sole.length
        and abs(right.load - left.load) < _EVEN
        and planned.hands[0].load + planned.hands[1].load == 0.0
        and speed @ speed < (_REST * gains.pendulum_rate * gains.height) ** 2
    )


def next_catch(
    memory: CatchMemory, planned: Planned, state: ControllerState, error: Vector3, gains: ControlGains
) -> CatchMemory:
    """What is done in this period; error: of the divergent component, m."""
    w = gains.pendulum_rate
    time = memory.time + gains.period
    if memory.side != 0.0:
        foot = state.feet[1] if memory.side > 0.0 else state.feet[0]
        if w * time >= _SWING:
            return CatchMemory(0.0, 0.0, memory.taken, memory.side)
        step = gains.period * w / _HANDING
        wanted = 0.0 if foot.early > 0.5 else 1.0
        return memory._replace(time=time, taken=memory.taken + min(max(wanted - memory.taken, -step), step))
    taken = max(memory.taken - gains.period * w / _HANDING, 0.0)
    resting = memory._replace(time=time, taken=taken)
    if gains.catching_step <= 0.0 or taken > 0.0 or not stands(planned, gains):
        return resting
    side = _next_side(planned, state, error, w * time > _CALMING, gains)
    return resting if side == 0.0 else CatchMemory(side, 0.0, 0.0, side)


def _next_side(
    planned: Planned, state: ControllerState, error: Vector3, settled: bool, gains: ControlGains
) -> float:
    """Which foot should be lifted now: 1 left, -1 right, 0 none."""
    heading = planned.feet[0].target.rotation
    ahead, left = heading[:, 0], heading[:, 1]
    right_x, left_x = float(state.feet[0].hold @ ahead), float(state.feet[1].hold @ ahead)
    x, y = float(error @ ahead), float(error @ left)
    half = 0.5 * gains.sole.length
    low, high = min(right_x, left_x) - _HELD * half, max(right_x, left_x) + _HELD * half
    if x < low or x > high:
        # The foot that has farther to go, or the one that carries less.
        if abs(right_x - left_x) > _APART * gains.sole.length:
            behind = 1.0 if left_x < right_x else -1.0
            return behind if x > high else -behind
        return -1.0 if y > 0.0 else 1.0
    first, second = _size(state.feet[0]), _size(state.feet[1])
    if settled and abs(x) < _HELD * half and max(first, second) > _APART * gains.sole.length:
        side = -1.0 if first > second else 1.0
        there = landing_error(error, CatchMemory(side, 0.0, 0.0, side), planned, state, gains)
        if abs(float(there @ left)) < _OUTWARD * gains.sole.width:
            return side
    return 0.0


def _size(foot: FootMemory) -> float:
    return float(np.sqrt(foot.hold[0] ** 2 + foot.hold[1] ** 2))


def with_catch(planned: Planned, memory: CatchMemory, gains: ControlGains) -> Planned:
    """The plan with the foot lifted that swings, and its load on the other one."""
    right, left = planned.feet
    return planned._replace(
        feet=(
            _in_catch(-1.0, right, left.load, memory, gains),
            _in_catch(1.0, left, right.load, memory, gains),
        )
    )


def _in_catch(
    side: float, plan: FootPlan, other: float, memory: CatchMemory, gains: ControlGains
) -> FootPlan:
    """A foot that swings, or with what it has taken over of the other foot's load. side: its own."""
    if memory.last * side > 0.0:
        return _lifted(plan, memory, gains)
    if memory.last * side < 0.0:
        return plan._replace(load=plan.load + memory.taken * other)
    return plan


def _lifted(plan: FootPlan, memory: CatchMemory, gains: ControlGains) -> FootPlan:
    """A foot on its way up and down, h sin^2(pi t / T), or one that has come down and takes its load back."""
    plan = plan._replace(load=(1.0 - memory.taken) * plan.load)
    if memory.side == 0.0:
        return plan
    turn = np.pi * gains.pendulum_rate / _SWING
    angle, lift = turn * memory.time, _LIFT * gains.height
    up = np.array([0.0, 0.0, 1.0])
    height, rate = lift * np.sin(angle) ** 2, lift * turn * np.sin(2.0 * angle)
    target = plan.target._replace(
        position=plan.target.position + height * up, velocity=plan.target.velocity + rate * up
    )
    return plan._replace(target=target, closed=False)


def catch_goal(memory: CatchMemory, planned: Planned, state: ControllerState, gains: ControlGains) -> Vector3:
    """How far from its plan the foot that swings is put, m: where the error will be, on ground that it may stand on."""
    number = 1 if memory.side > 0.0 else 0
    plan = planned.feet[1] if memory.side > 0.0 else planned.feet[0]
    error = landing_error(state.body[0].dcm, memory, planned, state, gains)
    lead = Lead(error, np.zeros(3), catch_room(gains))
    step = foothold_goal(lead, plan.target.rotation, memory.side, gains)
    return on_free_ground(number, plan.target.position, step, state.ground)


def landing_error(
    error: Vector3, memory: CatchMemory, planned: Planned, state: ControllerState, gains: ControlGains
) -> Vector3:
    """The error that there will be as the foot lands, m: `p + (e - p) exp(w t)` about the zero-moment point p that the
    other foot can give."""
    w = gains.pendulum_rate
    stance = planned.feet[0] if memory.side > 0.0 else planned.feet[1]
    foot = state.feet[0] if memory.side > 0.0 else state.feet[1]
    sole, heading = stance.sole, stance.target.rotation
    origin = stance.target.position + foot.hold - planned.body.position
    ahead, left = heading[:, 0], heading[:, 1]
    wanted = (1.0 + gains.balance_rate / w) * error
    x = float(origin @ ahead)
    y = float(origin @ left)
    px = min(max(float(wanted @ ahead), x + sole.rear), x + sole.front)
    py = min(max(float(wanted @ left), y + sole.right), y + sole.left)
    pivot = px * ahead + py * left
    growth = np.exp(max(_SWING - w * memory.time, 0.0))
    there = pivot + growth * (error - pivot)
    return np.array([there[0], there[1], 0.0])
