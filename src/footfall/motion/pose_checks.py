"""Poses that no robot takes: measured before anything is planned, refused with the number of the transition."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import ArrayOf, Vector2, Vector3, routine
from footfall.errors import InvalidTransition
from footfall.gait.pose_records import FootRecord, HandRecord, PoseRecord
from footfall.gait.poses import FEET, HANDS
from footfall.math.polygons import after, cross
from footfall.math.rotations import (
    matrix_from_quaternion,
    quaternion_inverse,
    quaternion_product,
    rotate_by_quaternion,
)
from footfall.motion.hand_space import HandSpace
from footfall.motion.parameters import LimitParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.schedule import Schedule
from footfall.motion.support import Sole, Soles, ground_corners

_ROUNDING = 1e-9  # rad
_ABOUT = 0.04  # m, how well is known where shoulders are
_FORWARD = np.array([1.0, 0.0, 0.0])


class Excess(NamedTuple):
    """What is too much. kind: of the limit, -1 if none is exceeded; pose: its number; value and limit: SI units."""

    kind: int
    pose: int
    value: float
    limit: float


def _refuse(excess: Excess, messages: tuple[str, ...]) -> None:
    """Raise if there is an excess: pose k + 1 is the end of transition k."""
    if excess.kind >= 0:
        _, pose, value, limit = excess
        message = messages[excess.kind].format(value=value, limit=limit)
        raise InvalidTransition(max(pose - 1, 0), message, value=value, limit=limit)


# Contacts

_BOTH_SWING, _STRAY_CONTACT, _STRAY_KIND = 1, 2, 3  # the worst first


class ContactFault(NamedTuple):
    """kind: 0 if there is none. limb: RF, LF, RH, LH."""

    kind: int
    transition: int
    limb: int


def check_contacts(schedule: Schedule) -> None:
    """Refuse two feet that swing at once, and contacts that change although nothing moves."""
    fault, number, limb = contact_fault(schedule)
    name = (*FEET, *HANDS)[limb]
    if fault == _BOTH_SWING:
        raise InvalidTransition(number, "both feet move in it; at most 1 may swing", value=2, limit=1)
    if fault == _STRAY_CONTACT:
        raise InvalidTransition(number, f"the contact of {name} changes although it does not move")
    if fault == _STRAY_KIND:
        raise InvalidTransition(number, f"the kind of contact of {name} changes although it does not move")


def fault_of_foot(begin: FootRecord, end: FootRecord, moves: bool) -> int:
    """Kind of a fault, 0 without."""
    if moves:
        return 0
    return (
        _STRAY_CONTACT if begin.closed != end.closed else _STRAY_KIND if begin.contact != end.contact else 0
    )


def fault_of_hand(begin: HandRecord, end: HandRecord, moves: bool) -> int:
    """Kind of a fault, 0 without."""
    return _STRAY_CONTACT if begin.closed != end.closed and not moves else 0


@routine(quick=True)
def contact_fault(schedule: Schedule) -> ContactFault:
    """The first fault of the worst kind."""
    worst = ContactFault(0, 0, 0)
    for k in range(len(schedule.begin)):
        begin, end, moving = schedule.begin[k], schedule.end[k], schedule.moving[k]
        right = fault_of_foot(begin.right_foot, end.right_foot, moving.right_foot)
        faults = (
            _BOTH_SWING if moving.right_foot and moving.left_foot else right,
            fault_of_foot(begin.left_foot, end.left_foot, moving.left_foot),
            fault_of_hand(begin.right_hand, end.right_hand, moving.right_hand),
            fault_of_hand(begin.left_hand, end.left_hand, moving.left_hand),
        )
        for limb, fault in enumerate(faults):
            if fault != 0 and (worst.kind == 0 or fault < worst.kind):
                worst = ContactFault(fault, k, limb)
    return worst


# Feet and the centre of mass

_STANCES = (
    "the feet are {value:.3f} m apart, out of reach; at most {limit:.3f} m",
    "one foot is {value:.3f} m above the other, out of reach; at most {limit:.3f} m",
    "the feet overlap or nearly touch: their soles are {value:.3f} m apart; at least {limit:.3f} m",
    "the centre of mass is to be {value:.3f} m above the higher foot; at least {limit:.3f} m",
    "the centre of mass is to be {value:.3f} m above the lower foot; at most {limit:.3f} m",
)


class StanceLimits(NamedTuple):
    """What poses keep, m; what comes first counts most."""

    feet_apart: float  # at most
    step_up: float  # at most
    sole_gap: float  # at least
    above_higher_foot: float  # of the centre of mass, at least
    above_lower_foot: float  # of the centre of mass, at most


def check_stances(schedule: Schedule, model: ReducedModel, limits: LimitParameters) -> None:
    """Refuse steps out of reach, feet that overlap, and a centre of mass that no leg carries."""
    leg = model.leg.lower_leg + model.leg.upper_leg
    allowed = StanceLimits(
        # Stretched legs from hips that are as high as they must be reach no further apart.
        math.sqrt(2.0) * limits.leg_reach * leg + model.hip_width,
        limits.step_up_m,
        limits.foot_distance_m,
        # The wanted centre of mass is above both feet and not above stretched legs; finer bounds are the torso's.
        0.25 * model.com_height,
        model.com_height + leg,
    )
    whole = Sole(*model.sole)
    _refuse(stance_excess(schedule, Soles(whole, whole), allowed), _STANCES)


@routine(quick=True)
def stance_excess(schedule: Schedule, soles: Soles, limits: StanceLimits) -> Excess:
    """The first pose that breaks the limit that counts most."""
    worst = Excess(-1, 0, 0.0, 0.0)
    right: ArrayOf[Vector2] = np.empty((4, 2))
    left: ArrayOf[Vector2] = np.empty((4, 2))
    for n in range(len(schedule.end) + 1):
        pose = schedule.pose(n)
        right[:], left[:] = ground_corners(pose.right_foot, soles), ground_corners(pose.left_foot, soles)
        apart = pose.left_foot.position - pose.right_foot.position
        lower = min(pose.right_foot.position[2], pose.left_foot.position[2])
        higher = max(pose.right_foot.position[2], pose.left_foot.position[2])
        measured = (  # value, limit, and whether that is the most or the least
            (np.sqrt(apart @ apart), limits.feet_apart, True),
            (abs(apart[2]), limits.step_up, True),
            (sole_gap(right, left), limits.sole_gap, False),
            (pose.com_height - higher, limits.above_higher_foot, False),
            (pose.com_height - lower, limits.above_lower_foot, True),
        )
        for kind, (value, limit, most) in enumerate(measured):
            broken = value > limit if most else value < limit
            if broken and (worst.kind < 0 or kind < worst.kind):
                worst = Excess(kind, n, value, limit)
    return worst


def sole_gap(right: ArrayOf[Vector2], left: ArrayOf[Vector2]) -> float:
    """Distance of two soles (4, 2) in the plane, m; how deep they overlap if negative."""
    one, other = gap_to_edges(right, left), gap_to_edges(left, right)
    separation = max(one.separation, other.separation)
    return separation if separation < 0.0 else float(np.sqrt(min(one.square, other.square)))


class EdgeGap(NamedTuple):
    """separation: how far a polygon is outside of the edge that separates it best, m. square: of the distance of its
    corners to the edges, m2."""

    separation: float
    square: float


def gap_to_edges(polygon: ArrayOf[Vector2], corners: ArrayOf[Vector2]) -> EdgeGap:
    """How far corners are from the edges of a polygon that runs counter-clockwise."""
    separation, nearest = -np.inf, np.inf
    for i in range(len(polygon)):
        edge = polygon[after(i, len(polygon))] - polygon[i]
        square, least = edge @ edge, np.inf
        for corner in corners:
            away = corner - polygon[i]
            least = min(least, cross(away, edge))  # outward is to the right of the edges
            beyond = away - min(max((away @ edge) / square, 0.0), 1.0) * edge
            nearest = min(nearest, beyond @ beyond)
        separation = max(separation, least / np.sqrt(square))
    return EdgeGap(separation, nearest)


# Heads


class HeadLimits(NamedTuple):
    """Angles, rad."""

    least_pan: float
    most_pan: float
    least_tilt: float
    most_tilt: float


def check_heads(schedule: Schedule, model: ReducedModel) -> None:
    """Refuse a head that yaws too far."""
    ranges = [given or (-math.inf, math.inf) for given in (model.head_pan_limits, model.head_tilt_limits)]
    messages = tuple(
        f"the {joint} of the head is {{value:.3f}} rad; its limit is {{limit:.3f}} rad"
        for joint in ("pan", "tilt")
    )
    _refuse(head_excess(schedule, HeadLimits(*ranges[0], *ranges[1])), messages)


@routine(quick=True)
def head_excess(schedule: Schedule, limits: HeadLimits) -> Excess:
    """The first pose in which pan or tilt is beyond its limits, Seiwald 2023, (6.32), (6.33)."""
    for n in range(len(schedule.end) + 1):
        pose = schedule.pose(n)
        turn = quaternion_product(quaternion_inverse(pose.upper_body), pose.head)
        ahead, left, up = rotate_by_quaternion(turn, _FORWARD)
        pan, tilt = np.arctan2(left, ahead), np.arctan2(up, np.hypot(ahead, left))
        if pan < limits.least_pan - _ROUNDING:
            return Excess(0, n, pan, limits.least_pan)
        if pan > limits.most_pan + _ROUNDING:
            return Excess(0, n, pan, limits.most_pan)
        if tilt < limits.least_tilt - _ROUNDING:
            return Excess(1, n, tilt, limits.least_tilt)
        if tilt > limits.most_tilt + _ROUNDING:
            return Excess(1, n, tilt, limits.most_tilt)
    return Excess(-1, 0, 0.0, 0.0)


# Hands


class Arms(NamedTuple):
    """Where shoulders are about, m, and what arms can do."""

    middle_of_sole: float  # before the frame of a foot
    hips_above_com: float
    shoulder_height: float  # above the hips
    shoulder_width: float
    reach: float
    force: float  # N, at most


def check_hands(schedule: Schedule, model: ReducedModel, limits: LimitParameters) -> None:
    """Refuse hands that do not reach where they shall be, and too much force on them."""
    # At rest the torso's mass is above the hips, and lies where five masses have their centre at the right height.
    torso = model.com_height / (1.0 - 2 * model.foot_share)
    arms = Arms(
        (model.sole[0] + model.sole[1]) / 2,
        torso - model.leg.hip_to_torso - model.com_height,
        model.shoulder_height,
        model.shoulder_width,
        limits.arm_reach * (model.upper_arm + model.lower_arm),
        limits.hand_force_g * model.mass * model.gravity,
    )
    for side, name in enumerate(HANDS):
        messages = (
            f"{name} is {{value:.3f}} m from its shoulder, out of reach; at most {{limit:.3f}} m",
            f"the force on {name} is {{value:.4g}} N; at most {{limit:.4g}} N",
        )
        _refuse(hand_excess(schedule, side, arms), messages)
        if model.hand_space is not None:
            _check_space(schedule, side, arms, model.hand_space)


def _check_space(schedule: Schedule, side: int, arms: Arms, space: HandSpace) -> None:
    """Refuse a hand in a place that its arm does not reach within its joint limits and without touching the robot;
    where shoulders are is known to some centimetres."""
    places = np.empty((len(schedule.end) + 1, 3))
    hands_from_shoulders(schedule, side, arms, places)
    used = np.flatnonzero(np.isfinite(places[:, 0]))
    reached = space.contains(places[used], left=side == 1, within=_ABOUT)
    if not reached.all():
        first = int(used[reached.argmin()])
        x, y, z = places[first]
        raise InvalidTransition(
            max(first - 1, 0),
            f"{HANDS[side]} is out of reach at ({x:.2f}, {y:.2f}, {z:.2f}) m from its shoulder: its arm does not get "
            "there within its joint limits and without touching the robot",
        )


@routine(quick=True)
def hands_from_shoulders(schedule: Schedule, side: int, arms: Arms, places: ArrayOf[Vector3]) -> None:
    """Where a hand is seen from its shoulder in each pose (n, 3), axes of the upper body, m; not a number where it is
    not in task space."""
    for n in range(len(places)):
        pose = schedule.pose(n)
        hand = pose.hand(side)
        places[n] = np.full(3, np.nan)
        if hand.task_space:
            offset = hand.position - shoulder_position(pose, side, arms)
            places[n] = matrix_from_quaternion(pose.upper_body).T @ offset


def shoulder_position(pose: PoseRecord, side: int, arms: Arms) -> Vector3:
    """Where a shoulder is about, m: above the middle of both feet, at the height that the wanted centre of mass gives,
    turned as the upper body."""
    middle = (pose.right_foot.position + pose.left_foot.position) / 2.0
    for foot in (pose.right_foot, pose.left_foot):
        middle = middle + arms.middle_of_sole / 2.0 * matrix_from_quaternion(foot.rotation)[:, 0]
    body = matrix_from_quaternion(pose.upper_body)
    hips = np.array([middle[0], middle[1], pose.com_height + arms.hips_above_com])
    outward = -0.5 if side == 0 else 0.5
    return hips + arms.shoulder_height * body[:, 2] + outward * arms.shoulder_width * body[:, 1]


@routine(quick=True)
def hand_excess(schedule: Schedule, side: int, arms: Arms) -> Excess:
    """The first pose in which a hand in task space is out of reach, else the first with too much force, if a hand is
    ever in task space."""
    used, strong = False, Excess(-1, 0, 0.0, 0.0)
    for n in range(len(schedule.end) + 1):
        pose = schedule.pose(n)
        hand = pose.hand(side)
        if hand.task_space:
            used = True
            offset = hand.position - shoulder_position(pose, side, arms)
            distance = np.sqrt(offset @ offset)
            if distance > arms.reach:
                return Excess(0, n, distance, arms.reach)
        force = np.sqrt(hand.force @ hand.force)
        if force > arms.force and strong.kind < 0:
            strong = Excess(1, n, force, arms.force)
    return strong if used else Excess(-1, 0, 0.0, 0.0)
