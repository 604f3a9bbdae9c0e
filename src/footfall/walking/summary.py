"""What a walk came to: numbers for people and for `--json`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Flags
from footfall.dynamics.inverse_dynamics import inverse_dynamics
from footfall.gait.poses import HANDS
from footfall.walking.body import FEET, WalkingBody
from footfall.walking.loop import WalkLog

_HAND_FORCE = 10.0  # N, from which a hand counts as being in contact
_LEANS = 0.5  # planned load factor of a hand that should push
_MADE = 0.5  # of the time in which a hand should push: if it does for that long, the contact was made
_SHORTEST = 0.05  # s, of a contact that counts, and of the gap between two
_EVERY = 4  # periods between two states that torques are computed of


@dataclass(frozen=True)
class WalkSummary:
    """What happened.

    reached: whether the robot stands at the goal, or has done what it was told and stands where its plan ends:
    nearer than 0.15 m and 10 degrees in the true world. goal_error: m, and goal_turn: rad, how far the middle
    between its feet is from there. cause: of a fall. problem: why there was no plan in the end. time: s, simulated.
    steps, hand_contacts: counted from measured forces. planned_hand_contacts: that the plan had until the end;
    made_hand_contacts: those of them in which the hand pushed for at least half of the time. distance: m, way of
    the middle between the feet; speed: m/s, over the time of walking. control_us: median of a control period.
    planning_ms: from what was seen to the first motion; compiling_ms: in which native code was made or loaded,
    which is in no other time; both CPU time. plans: how many there were; replanning_ms: the longest of those made
    on the way, CPU time; late_plans: how many of them took longer than the latency that the walk simulates.
    real_time_factor: simulated over computing time. tilt: rad, greatest of the upper body against its plan.
    dcm_error_rms, zmp_error_rms, center_error_rms: m, against the plan. residual: worst of contact, as a part of
    the weight. drift: m, and drift_turn: rad, between where the robot stands and where it thinks it does, which
    only a camera corrects. peak_foot_force, peak_hand_force: N. energy: J, positive work of all joints.
    cost_of_transport: energy over weight and distance. mode: reduced or full; in full mode tracking: rad, greatest
    error of a joint against its set point, strain: greatest current as a part of what its motor can have, and
    lost_frames of the bus. peak_torques: Nm, by joint. limits_passed: joints that were beyond their limits or
    faster than they can be, with the time, in words.
    """

    reached: bool
    goal_error: float
    goal_turn: float
    fallen: bool
    cause: str | None
    problem: str | None
    time: float
    steps: int
    hand_contacts: int
    planned_hand_contacts: int
    made_hand_contacts: int
    distance: float
    speed: float
    control_us: float
    planning_ms: float
    compiling_ms: float
    plans: int
    replanning_ms: float
    late_plans: int
    real_time_factor: float
    tilt: float
    dcm_error_rms: float
    zmp_error_rms: float
    center_error_rms: float
    residual: float
    drift: float
    drift_turn: float
    peak_foot_force: float
    peak_hand_force: float
    energy: float
    cost_of_transport: float
    mode: str
    tracking: float
    strain: float
    lost_frames: int
    peak_torques: dict[str, float]
    limits_passed: tuple[str, ...]


class HandContacts(NamedTuple):
    """found: how often hands have pushed. planned: how often they should have. made: planned ones in which they did."""

    found: int
    planned: int
    made: int


def stretches(flags: Flags, shortest: int) -> list[slice]:
    """Rows in which something is true for at least so many of them, where shorter gaps do not count."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(int)))
    begins, ends = edges[::2], edges[1::2]
    if not len(begins):
        return []
    apart = begins[1:] - ends[:-1] >= shortest
    starts = begins[np.concatenate([[True], apart])].tolist()
    stops = ends[np.concatenate([apart, [True]])].tolist()
    return [slice(a, b) for a, b in zip(starts, stops, strict=True) if b - a >= shortest]


def count_steps(signals: Any, weight: float, period: float) -> int:
    """How often feet were off the ground."""
    shortest = round(_SHORTEST / period)
    return sum(
        len(stretches(signals[foot][:, 2] < 0.01 * weight, shortest)) for foot in ("right_foot", "left_foot")
    )


def count_hand_contacts(signals: Any, period: float) -> HandContacts:
    """What hands did, and what they should have done."""
    shortest, found, planned, made = round(_SHORTEST / period), 0, 0, 0
    for number, hand in enumerate(("right_hand", "left_hand")):
        pushing = np.linalg.norm(signals[hand][:, :3], axis=1) > _HAND_FORCE
        leaning = stretches(signals["hand_loads"][:, number] > _LEANS, shortest)
        found += len(stretches(pushing, shortest))
        planned += len(leaning)
        made += sum(bool(pushing[rows].mean() >= _MADE) for rows in leaning)
    return HandContacts(found, planned, made)


def joint_torques(body: WalkingBody, log: WalkLog, period: float, every: int = _EVERY) -> tuple[Array, Array]:
    """Torques (n, joints) that prescribed joints take, Nm, and their velocities, from inverse dynamics with the contact
    wrenches; one in `every` periods."""
    robot, signals = body.robot, log.signals
    rows = np.arange(1, len(log.q), every)
    v = log.v[:, : robot.nv]
    # Contact acts at the end of a step, where its velocity holds.
    acceleration = (v[rows] - v[rows - 1]) / period
    names = [body.model.frames[name] for name in (*FEET, *HANDS)]
    parts = ("right_foot", "left_foot", "right_hand", "left_hand")
    loads = {name: np.ascontiguousarray(signals[part][rows]) for name, part in zip(names, parts, strict=True)}
    q = np.ascontiguousarray(log.q[rows - 1][:, : robot.nq])
    torques = inverse_dynamics(robot, q, np.ascontiguousarray(v[rows]), acceleration, wrenches=loads)
    return torques[:, body.driven], v[rows][:, body.driven]


def rms(errors: Array) -> float:
    """Root of the mean square of lengths of rows; rows that are no numbers do not count."""
    return float(np.sqrt(np.nanmean(np.square(errors).sum(axis=-1)))) if len(errors) else 0.0
