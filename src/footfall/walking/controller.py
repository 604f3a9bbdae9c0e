"""One period of the walking controller: from what is planned and what sensors say to joint velocities.

The order is that of the source, Seiwald (2023) section 4.6: sensor pre-processing, reactive adaption, balance control,
distribution of the contact wrench, contact force control, inverse kinematics.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import Vector3, Vector6
from footfall.walking.arm_speeds import hold_arms
from footfall.walking.balance import balancing_shift, balancing_wrench, follow_height
from footfall.walking.catching import catch_goal, next_catch, with_catch
from footfall.walking.clearance import keep_clear
from footfall.walking.distribution import FootSupport, HandSupport, Shares, distribute
from footfall.walking.disturbance import observed_force
from footfall.walking.feet import FootGoal, FootLoad, FootPlan, adapt_foot, foot_target, notice_touch
from footfall.walking.footholds import Lead, come_back, foothold_goal, has_landed, shift_plan, step_room
from footfall.walking.gains import ControlGains
from footfall.walking.hands import HandPlan, adapt_hand, hand_axes, hand_target, make_up, remember_touch
from footfall.walking.leaving import keep_off
from footfall.walking.perceived import (
    Centre,
    Footing,
    Tilt,
    centre_of,
    dcm_error,
    foot_turn,
    foot_wrench,
    observed_dcm,
    tilt_of,
)
from footfall.walking.plan_sampling import Planned, shifted
from footfall.walking.state import ControllerState, FootMemory, HandMemory, JointPlaces, Sensors
from footfall.walking.task_space import (
    BodyTarget,
    Kinematics,
    PointTarget,
    Targets,
    TaskCode,
    fill_targets,
    greatest_error,
    joint_velocities,
    look_at_model,
    look_at_targets,
    move_model,
)

_LEFT = 0.02  # of the height of the centre of mass, by which feet may be lower since the robot tilts


class ControllerRoom(NamedTuple):
    """Room for native code of tasks: its inputs (q and parameters), outputs, rates of tasks; moved: q and a step;
    clearance: q and what keeps arms off the body."""

    inputs: Array
    outputs: Array
    rates: Array
    moved: Array
    clearance: Array


class Decision(NamedTuple):
    """What the controller came to in a period, for recordings. dcm, shift: error of the divergent component and the
    shift of the zero-moment point, m. center: estimated, m. tilt: rad. task_error: m or rad, of the model. clearance:
    least distance of arms and body, m, as far as it is looked at."""

    dcm: Vector3
    shift: Vector3
    center: Vector3
    tilt: Vector3
    wrench: Vector6
    shares: Shares
    task_error: float
    clearance: float


class Stance(NamedTuple):
    """How the robot stands: tilted against its model about where its feet are."""

    tilt: Tilt
    footing: Footing

    def true_place(self, place: Vector3) -> Vector3:
        """Where a place of the model really is, m."""
        there: Vector3 = self.tilt.rotation @ (place - self.footing.model) + self.footing.ground
        return there


def control_period(
    gains: ControlGains,
    code: TaskCode,
    driven: JointPlaces,
    planned: Planned,
    sensors: Sensors,
    state: ControllerState,
    room: ControllerRoom,
) -> Decision:
    """Bring the state to the end of a period; `state.v` has the joint velocities to be followed."""
    # The model as it is now. Its errors are still those of the targets of the last period.
    model = look_at_model(code, state.q, room.inputs, room.outputs)
    body = state.body[0]
    planned = shifted(planned, body.plan_shift)
    tilt = tilt_of(sensors, model.upper_body, planned.body.turning)
    footing = _footing(planned, state, model)
    velocity = planned.body.velocity + np.array([0.0, 0.0, body.height_rate]) + body.shift_rate
    center = centre_of(tilt, model.center, velocity, footing)
    error = dcm_error(center, Centre(planned.body.position, planned.body.velocity), gains)
    pushed = contact_force(sensors, state, driven, tilt, model) - planned_force(planned)
    smooth = observed_dcm(body.dcm, error, center.position - planned.body.position, pushed, gains)
    seen = body.disturbance
    if gains.disturbance_share > 0.0:  # places off the plan as it was made: it may be shifted
        away = center.position - planned.body.position + body.plan_shift
        seen = observed_force(body.disturbance, away, pushed, gains)
    state.body[0] = body._replace(dcm=smooth, disturbance=seen)
    state.catch[0] = next_catch(state.catch[0], planned, state, error, gains)
    planned = with_catch(planned, state.catch[0], gains)
    shift = balancing_shift(smooth, tilt, seen, gains)
    wrench = balancing_wrench(planned.wrench, shift)
    shares = _distribute(planned, wrench, state, gains)
    _adapt(gains, planned, sensors, state, model, Stance(tilt, footing), shares)
    targets = _targets(shifted(planned, state.body[0].plan_shift - body.plan_shift), state)
    fill_targets(code, targets, room.inputs[code.nq :], room.rates)
    look_at_targets(code, room.inputs, room.outputs)
    clearance = np.inf
    if code.clearance != 0:
        clearance = keep_clear(
            code, state.q, state.walls, targets.selection, room.clearance, state.push, model.slope
        )
    _leave(code, planned, targets, state, model, gains)
    state.v[:] = joint_velocities(code, model, room.rates, targets.selection, targets.body.turning[2])
    hold_arms(code.arms, model.mobility, state.v)
    task_error = greatest_error(code, model, targets.selection)
    for k in range(len(driven.velocities)):
        state.before[k], state.after[k] = state.after[k], state.v[driven.velocities[k]]
    move_model(code, state.q, gains.period * state.v, room.moved)
    return Decision(error, shift, center.position, tilt.error, wrench, shares, task_error, clearance)


def _leave(
    code: TaskCode,
    planned: Planned,
    targets: Targets,
    state: ControllerState,
    found: Kinematics,
    gains: ControlGains,
) -> None:
    """Hands keep off what they have touched as far as they are in null space."""
    for hand, plan in enumerate(planned.hands):
        row = code.rows - 6 + 3 * hand
        missed = np.array([found.error[row], found.error[row + 1], found.error[row + 2]])
        place = targets.hands[hand].position - missed
        state.hands[hand] = remember_touch(state.hands[hand], plan, place, gains)
        touch = state.hands[hand].last
        keep_off(touch._replace(share=touch.share * (1.0 - plan.selection)), place, found, row, gains)


def contact_force(
    sensors: Sensors, state: ControllerState, driven: JointPlaces, tilt: Tilt, model: Kinematics
) -> Vector3:
    """On the robot, N, world axes. Feet need not lie flat: they may stand on an edge."""
    force: Vector3 = np.zeros(3)
    for foot in (0, 1):
        wrench = foot_wrench(sensors, foot)
        turn = foot_turn(sensors, state, driven, model, foot)
        force = force + turn @ np.array([wrench[0], wrench[1], wrench[2]])
    for hand, turn in enumerate(model.hands):
        force = force + turn @ np.array(
            [sensors.hands[hand, 0], sensors.hands[hand, 1], sensors.hands[hand, 2]]
        )
    total: Vector3 = tilt.rotation @ force
    return total


def planned_force(planned: Planned) -> Vector3:
    """On the robot, N, world axes."""
    return np.array([planned.wrench[0], planned.wrench[1], planned.wrench[2]])


def _footing(planned: Planned, state: ControllerState, model: Kinematics) -> Footing:
    """Where the robot stands."""
    a, b = planned.feet[0].load, planned.feet[1].load
    right, left = _held(planned.feet[0], state.feet[0]), _held(planned.feet[1], state.feet[1])
    velocity = a * right.velocity + b * left.velocity
    place = a * model.feet[0] + b * model.feet[1]
    return Footing(place, velocity, a * right.position + b * left.position, velocity)


def _held(plan: FootPlan, foot: FootMemory) -> PointTarget:
    """Where a foot is put, and how it moves."""
    return PointTarget(plan.target.position + foot.hold, plan.target.velocity + foot.hold_rate)


def _distribute(planned: Planned, wrench: Vector6, state: ControllerState, gains: ControlGains) -> Shares:
    """Feet that do not touch are not asked for anything."""
    center = planned.body.position
    feet, hands = planned.feet, planned.hands
    return distribute(
        wrench,
        (_foot_support(feet[0], state.feet[0], center), _foot_support(feet[1], state.feet[1], center)),
        (_hand_support(hands[0], state.hands[0], center), _hand_support(hands[1], state.hands[1], center)),
        gains,
    )


def _foot_support(plan: FootPlan, foot: FootMemory, center: Vector3) -> FootSupport:
    place = plan.target.position + _aside(foot) - center
    return FootSupport(place, plan.target.rotation, plan.sole, plan.load * foot.active)


def _hand_support(plan: HandPlan, hand: HandMemory, center: Vector3) -> HandSupport:
    force = np.sqrt(plan.force @ plan.force)
    return HandSupport(plan.target.position - center, hand_axes(plan), force, plan.load * hand.active)


def _aside(foot: FootMemory) -> Vector3:
    """How far a foot is displaced in the plane, m."""
    return np.array([foot.hold[0], foot.hold[1], 0.0])


def _adapt(
    gains: ControlGains,
    planned: Planned,
    sensors: Sensors,
    state: ControllerState,
    model: Kinematics,
    stance: Stance,
    shares: Shares,
) -> None:
    """Feet and hands answer to the forces on them, the centre of mass to the height of the ground."""
    plans, wanted = planned.feet, shares.feet
    felt = foot_wrench(sensors, 0), foot_wrench(sensors, 1)
    feet = (
        notice_touch(state.feet[0], plans[0], felt[0][2], gains),
        notice_touch(state.feet[1], plans[1], felt[1][2], gains),
    )
    pressed = 0.5 * ((wanted[0][2] - felt[0][2]) - (wanted[1][2] - felt[1][2]))
    pressed *= feet[0].active * feet[1].active
    goals = (
        _goal(-1.0, plans[0], feet[1].hold[2], planned, state, stance, gains),
        _goal(1.0, plans[1], feet[0].hold[2], planned, state, stance, gains),
    )
    for foot, plan in enumerate(plans):
        load = FootLoad(felt[foot], wanted[foot])
        more = pressed if foot == 0 else -pressed
        state.feet[foot] = adapt_foot(feet[foot], plan, load, more, goals[foot], gains)
    for foot, plan in enumerate(plans):
        if has_landed(state.feet[foot], plan.closed):
            shift_plan(state, foot)
    for hand, lean in enumerate(planned.hands):
        force = np.array([sensors.hands[hand, 0], sensors.hands[hand, 1], sensors.hands[hand, 2]])
        force = stance.tilt.rotation @ (model.hands[hand] @ force)
        there = stance.true_place(lean.target.position)
        memory = adapt_hand(state.hands[hand], lean, force, shares.hands[hand], gains)
        state.hands[hand] = make_up(memory, there - lean.target.position, gains)
    ground = plans[0].load * state.feet[0].hold[2] + plans[1].load * state.feet[1].hold[2]
    state.body[0] = come_back(follow_height(state.body[0], ground, gains), _beside(state), gains)
    _level(state, gains)


def _beside(state: ControllerState) -> Vector3:
    """Where the centre of mass goes beside its plan, m: half of the way with a foot that catches the robot."""
    catch = state.catch[0]
    if catch.side == 0.0:
        return np.zeros(3)
    foot = state.feet[1] if catch.side > 0.0 else state.feet[0]
    return 0.5 * _aside(foot)


def _goal(
    side: float,
    plan: FootPlan,
    height: float,
    planned: Planned,
    state: ControllerState,
    stance: Stance,
    gains: ControlGains,
) -> FootGoal:
    """How a foot should be displaced while it swings: where the error is, at the height of the other one, m. side: 1 of
    the left foot, -1 of the right."""
    up = np.array([0.0, 0.0, 1.0])
    body, catch = state.body[0], state.catch[0]
    if catch.side * side > 0.0:
        return _level_goal(catch_goal(catch, planned, state, gains) + height * up, plan, stance)
    lead = Lead(body.dcm, body.plan_shift, step_room(gains))
    hold = foothold_goal(lead, plan.target.rotation, side, gains) + height * up
    return FootGoal(hold + raised(hold, plan, stance, gains) * up, np.zeros(3))


def lowered(hold: Vector3, plan: FootPlan, stance: Stance) -> float:
    """By how much the tilt of the robot brings a foot nearer to the ground, m."""
    there = stance.true_place(plan.target.position + hold)
    return float(plan.target.position[2] + hold[2] - there[2])


def raised(hold: Vector3, plan: FootPlan, stance: Stance, gains: ControlGains) -> float:
    """How much higher a foot of a robot that walks should be since it tilts, m: else it lands long before its time, and
    far from its foothold. Small tilts are left to reflexes."""
    return max(lowered(hold, plan, stance) - _LEFT * gains.height, 0.0)


def _level_goal(hold: Vector3, plan: FootPlan, stance: Stance) -> FootGoal:
    """The goal of a foot of a robot that tilts: level, and as high above the ground as the model has it."""
    lower = lowered(hold, plan, stance)
    return FootGoal(hold + np.array([0.0, 0.0, lower]), -stance.tilt.error)


def _level(state: ControllerState, gains: ControlGains) -> None:
    """Let the model as a whole come back to the height of its plan: nothing that the robot could notice."""
    first, second, body = state.feet[0], state.feet[1], state.body[0]
    common = gains.period * gains.level_rate * 0.5 * (first.hold[2] + second.hold[2])
    down = np.array([0.0, 0.0, common])
    state.feet[0] = first._replace(hold=first.hold - down)
    state.feet[1] = second._replace(hold=second.hold - down)
    state.body[0] = body._replace(height=body.height - common)


def plain_targets(planned: Planned) -> Targets:
    """What is planned, as it is."""
    return Targets(
        planned.body,
        (planned.feet[0].target, planned.feet[1].target),
        (planned.hands[0].target, planned.hands[1].target),
        planned.toes,
        planned.toe_rates,
        planned.head,
        planned.head_rates,
        np.array([planned.hands[0].selection, planned.hands[1].selection]),
    )


def _targets(planned: Planned, state: ControllerState) -> Targets:
    body, feet, hands = state.body[0], planned.feet, planned.hands
    up = np.array([0.0, 0.0, 1.0])
    center = BodyTarget(
        planned.body.position + body.height * up + body.shift,
        planned.body.velocity + body.height_rate * up + body.shift_rate,
        planned.body.rotation,
        planned.body.turning,
    )
    return plain_targets(planned)._replace(
        body=center,
        feet=(foot_target(state.feet[0], feet[0]), foot_target(state.feet[1], feet[1])),
        hands=(hand_target(state.hands[0], hands[0]), hand_target(state.hands[1], hands[1])),
    )
