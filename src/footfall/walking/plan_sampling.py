"""What is planned at a time, for native loops: the stream of a motion with the contacts of feet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import Vector2, Vector3, Vector6, as_records, call_native
from footfall.gait.poses import CONTACT_TYPES, FootContact
from footfall.math.quaternion_splines import Turning
from footfall.math.rotations import matrix_from_quaternion
from footfall.motion.motion import Motion
from footfall.motion.packed_curves import PackedCurves, evaluate, own_types
from footfall.motion.samples import SIZE, Sample
from footfall.motion.stream import mass_numbers, stream_kernel
from footfall.walking.feet import FootPlan
from footfall.walking.gains import ControlGains
from footfall.walking.hands import HandPlan
from footfall.walking.task_space import BodyTarget, PointTarget

_PAN, _RATES, _WRENCH = 20, 28, 56  # places among the numbers of the stream
_FULL = CONTACT_TYPES.index(FootContact.FULL)


class PlanTable(NamedTuple):
    """A motion for native loops. stream: address of native code. times (n + 1,): borders of phases, s."""

    curves: PackedCurves
    stream: int
    masses: Array
    times: Array


class Planned(NamedTuple):
    """All that is planned at a time. body: the centre of mass with the rotation of the upper body. wrench (6,): of all
    contacts about the centre of mass, N and Nm. zmp: m. head, toes: rad, with rates. Pairs are right and left."""

    body: BodyTarget
    feet: tuple[FootPlan, FootPlan]
    hands: tuple[HandPlan, HandPlan]
    toes: Vector2
    toe_rates: Vector2
    head: Vector2
    head_rates: Vector2
    wrench: Vector6
    zmp: Vector3


def plan_table(motion: Motion) -> PlanTable:
    """The tables of a motion."""
    return PlanTable(
        own_types(motion.curves.packed),
        stream_kernel().native_function().address,
        0.0 + mass_numbers(motion.model),
        0.0 + np.array(motion.phases.times),
    )


def new_stream_room() -> Array:
    """Room for what native code takes and gives."""
    return np.zeros(SIZE + 13 + 62)


def planned_at(table: PlanTable, time: float, room: Array, gains: ControlGains) -> Planned:
    """The plan at a time, s."""
    at, count = np.full(1, time), SIZE + len(table.masses)
    room[:SIZE] = 0.0
    evaluate(at, table.curves, room[:SIZE].reshape(1, SIZE))
    room[SIZE:count] = table.masses
    call_native(table.stream, room[:count], room[count:])
    sample: Sample = as_records(Sample, room[:SIZE].reshape(1, SIZE))[0]
    out = room[count:]
    now, rate = sample.value, sample.rate
    right = _foot(sample.right_foot_rotation, now.right_foot, rate.right_foot)
    left = _foot(sample.left_foot_rotation, now.left_foot, rate.left_foot)
    right_sole = gains.sole if now.contact[2] == _FULL else gains.toe
    left_sole = gains.sole if now.contact[3] == _FULL else gains.toe
    reach = PointTarget(now.right_hand, rate.right_hand), PointTarget(now.left_hand, rate.left_hand)
    return Planned(
        _foot(sample.upper_body, now.center_of_mass, rate.center_of_mass),
        (
            FootPlan(right, now.contact[0] > 0.5, now.load[0], right_sole),
            FootPlan(left, now.contact[1] > 0.5, now.load[1], left_sole),
        ),
        (
            HandPlan(reach[0], now.right_force, now.load[2], now.right_selection),
            HandPlan(reach[1], now.left_force, now.load[3], now.left_selection),
        ),
        np.array([now.right_toe, now.left_toe]),
        np.array([rate.right_toe, rate.left_toe]),
        np.array([out[_PAN], out[_PAN + 1]]),
        np.array([out[_RATES + _PAN], out[_RATES + _PAN + 1]]),
        _wrench(out[_WRENCH:]),
        now.zmp,
    )


def shifted(planned: Planned, by: Vector3) -> Planned:
    """The plan somewhere else, m; hands stay at what they touch."""
    return planned._replace(
        body=_moved(planned.body, by),
        feet=(
            planned.feet[0]._replace(target=_moved(planned.feet[0].target, by)),
            planned.feet[1]._replace(target=_moved(planned.feet[1].target, by)),
        ),
        zmp=planned.zmp + by,
    )


def _moved(target: BodyTarget, by: Vector3) -> BodyTarget:
    return target._replace(position=target.position + by)


def _wrench(values: Array) -> Vector6:
    return np.array([values[0], values[1], values[2], values[3], values[4], values[5]])


def _foot(turn: Turning, position: Vector3, velocity: Vector3) -> BodyTarget:
    return BodyTarget(position, velocity, matrix_from_quaternion(turn.quaternion), turn.angular_velocity)


def phase_at(times: Array, time: float) -> int:
    """Number of the phase at a time, the first or last outside."""
    low, high = 0, len(times) - 2
    while low < high:
        middle = (low + high + 1) // 2
        if times[middle] <= time:
            low = middle
        else:
            high = middle - 1
    return low
