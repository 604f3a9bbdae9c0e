"""What is refused before anything is planned: sequences that no robot can walk, with the transition's number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidTransition
from footfall.gait.plan import TransitionSequence
from footfall.gait.poses import HANDS, PoseRow
from footfall.motion.parameters import LimitParameters, MotionParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.schedule import Schedule
from footfall.motion.schedule_loops import (
    BOTH_SWING,
    STRAY_CONTACT,
    STRAY_KIND,
    contact_fault,
    head_fault,
    pose_fault,
)
from footfall.motion.support import sole_corners


def check_numbers(sequence: TransitionSequence, limits: LimitParameters) -> None:
    """Refuse durations, step heights and swing timings that have no meaning."""
    for number, transition in enumerate(sequence.transitions):
        duration = transition.duration
        if duration is not None:
            shortest, longest = limits.shortest_transition_s, limits.longest_transition_s
            if not duration >= shortest:
                raise InvalidTransition(
                    number,
                    f"its duration is {duration:g} s; it must be at least {shortest:g} s",
                    value=duration,
                    limit=shortest,
                )
            if not duration <= longest:
                raise InvalidTransition(
                    number,
                    f"its duration is {duration:g} s; it must be at most {longest:g} s",
                    value=duration,
                    limit=longest,
                )
        timing, height = transition.swing_timing, transition.step_height
        if not 0.0 <= timing <= 1.0:
            raise InvalidTransition(
                number,
                f"its swing timing is {timing:g}; it must be in [0, 1]",
                value=timing,
                limit=float(timing > 0.5),
            )
        if height is not None and not 0.0 <= height <= limits.step_height_m:
            raise InvalidTransition(
                number,
                f"its step height is {height:g} m; it must be from 0 to {limits.step_height_m:g} m",
                value=height,
                limit=limits.step_height_m if height > 0.0 else 0.0,
            )


def check_steps(schedule: Schedule, model: ReducedModel, parameters: MotionParameters) -> None:
    """Refuse two swing feet, contacts that change by themselves, steps out of reach, feet that overlap and hands that
    cannot reach, a centre of mass that no leg carries, and a head that is turned too far."""
    _check_contacts(schedule)
    rows, limits = schedule.poses, parameters.limit
    leg = model.leg.lower_leg + model.leg.upper_leg
    allowed = (
        # Stretched legs from hips that are as high as they must be reach no further apart.
        math.sqrt(2.0) * limits.leg_reach * leg + model.hip_width,
        limits.step_up_m,
        limits.foot_distance_m,
        # The wanted centre of mass is above both feet and not above stretched legs; finer bounds are the torso's.
        0.25 * model.com_height,
        model.com_height + leg,
    )
    kind, pose, value = pose_fault(rows, sole_corners(rows, model, whole=True), np.array(allowed))
    if kind >= 0:
        message = _FAULTS[kind].format(value=value, limit=allowed[kind])
        raise InvalidTransition(max(pose - 1, 0), message, value=value, limit=allowed[kind])
    heads = np.array(
        [_ANY if given is None else given for given in (model.head_pan_limits, model.head_tilt_limits)]
    )
    joint, pose, value, limit = head_fault(rows, heads)
    if joint >= 0:
        message = f"the {('pan', 'tilt')[joint]} of the head is {value:.3f} rad; its limit is {limit:.3f} rad"
        raise InvalidTransition(max(pose - 1, 0), message, value=value, limit=limit)
    if np.count_nonzero(rows[:, PoseRow.SELECTION]):
        _check_hands(rows, model, limits)


_ANY = (-np.inf, np.inf)
_FAULTS = (
    "the feet are {value:.3f} m apart, out of reach; at most {limit:.3f} m",
    "one foot is {value:.3f} m above the other, out of reach; at most {limit:.3f} m",
    "the feet overlap or nearly touch: their soles are {value:.3f} m apart; at least {limit:.3f} m",
    "the centre of mass is to be {value:.3f} m above the higher foot; at least {limit:.3f} m",
    "the centre of mass is to be {value:.3f} m above the lower foot; at most {limit:.3f} m",
)


def _check_contacts(schedule: Schedule) -> None:
    fault, number, limb = contact_fault(schedule.begin, schedule.end, schedule.moving)
    name = ("RF", "LF", "RH", "LH")[limb]
    if fault == BOTH_SWING:
        raise InvalidTransition(number, "both feet move in it; at most 1 may swing", value=2, limit=1)
    if fault == STRAY_CONTACT:
        raise InvalidTransition(number, f"the contact of {name} changes although it does not move")
    if fault == STRAY_KIND:
        raise InvalidTransition(number, f"the kind of contact of {name} changes although it does not move")


def _check_hands(rows: Array, model: ReducedModel, limits: LimitParameters) -> None:
    arm = limits.arm_reach * (model.upper_arm + model.lower_arm)
    for index, hand in enumerate(HANDS):
        used = rows[:, PoseRow.SELECTION.start + index] > 0.5
        if not used.any():
            continue
        shoulders = shoulder_positions(rows[used], model)[:, index]
        distance = np.zeros(len(rows))
        way = rows[used][:, PoseRow.HAND_POSITION[index]] - shoulders
        distance[used] = np.sqrt((way * way).sum(axis=1))
        _refuse(
            distance > arm,
            distance,
            arm,
            f"{hand} is {{value:.3f}} m from its shoulder, out of reach; at most {{limit:.3f}} m",
        )
        force = np.sqrt((rows[:, PoseRow.WRENCH[index]][:, :3] ** 2).sum(axis=1))
        most = limits.hand_force_g * model.mass * model.gravity
        _refuse(force > most, force, most, f"the force on {hand} is {{value:.4g}} N; at most {{limit:.4g}} N")


def shoulder_positions(rows: Array, model: ReducedModel) -> Array:
    """Where the shoulders are about, (n, 2, 3), m, for rows of poses (n, 50): above the middle of both feet, at the
    height that the wanted centre of mass gives, turned as the upper body."""
    ankles = [
        rows[:, PoseRow.FOOT_POSITION[foot]] + _ahead(rows[:, PoseRow.FOOT_ROTATION[foot]], model)
        for foot in range(2)
    ]
    middle = (ankles[0] + ankles[1]) / 2
    w, x, y, z = rows[:, PoseRow.UPPER_BODY].T
    across = np.stack([2 * (x * y - w * z), 1.0 - 2 * (x * x + z * z), 2 * (y * z + w * x)], axis=-1)
    up = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1.0 - 2 * (x * x + y * y)], axis=-1)
    hips = np.stack(
        [middle[:, 0], middle[:, 1], rows[:, PoseRow.COM_HEIGHT] + _hips_above_com(model)], axis=-1
    )
    top = hips + model.shoulder_height * up
    half = model.shoulder_width / 2
    return np.stack([top - half * across, top + half * across], axis=1)


def _ahead(rotation: Array, model: ReducedModel) -> Array:
    """Middle of the sole in the frame of the foot, turned into the world (n, 3), m."""
    w, x, y, z = rotation.T
    forward = np.stack([1.0 - 2 * (y * y + z * z), 2 * (w * z + x * y), 2 * (x * z - w * y)], axis=-1)
    return np.asarray(forward * (model.sole[0] + model.sole[1]) / 2)


def _hips_above_com(model: ReducedModel) -> float:
    """At rest: the torso's mass is above the hips, and lies where five masses have their centre at the right height."""
    torso = model.com_height / (1.0 - 2 * model.foot_share)
    return torso - model.leg.hip_to_torso - model.com_height


def _refuse(wrong: Any, values: Array, limit: float, message: str) -> None:
    """Raise for the first pose that is wrong: pose k + 1 is the end of transition k."""
    if wrong.any():
        found = int(wrong.argmax())
        value = float(values[found])
        raise InvalidTransition(
            max(found - 1, 0), message.format(value=value, limit=limit), value=value, limit=limit
        )
