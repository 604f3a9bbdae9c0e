"""Whether legs reach their feet at all, wherever the torso may be (Seiwald 2023), and arms their hands."""

from __future__ import annotations

import numpy as np

from footfall.dynamics.kinematics import frame_pose
from footfall.errors import InvalidTransition
from footfall.gait.poses import HANDS
from footfall.math.rotations import rotate_by_quaternion
from footfall.motion.curves import MotionCurves
from footfall.motion.draft import Draft
from footfall.motion.feasibility import transition_at
from footfall.motion.leg_bounds import PlanarStance, height_ranges, legs_of, planar_bounds
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import MotionSamples
from footfall.motion.schedule import Schedule
from footfall.motion.torso import TorsoPlan
from footfall.motion.vertical_torso import legs_at
from footfall.motion.whole_body import WholeBody

_FORWARD = np.array([1.0, 0.0, 0.0])


def farthest_torso(model: ReducedModel, *, pitch: float = 0.0, toe: float = 0.0) -> tuple[float, float]:
    """How far behind and before a foot frame the torso may be, m, for an upright body on a foot with this pitch and
    planar angle of its toe joint, rad; found by halving. Both are 0 if the ankle cannot bend as far as the foot is
    pitched."""
    leg = model.leg
    above = -model.leg.toe_shift - model.leg.mid_foot_length + model.leg.torso_ahead  # hip above the ankle

    def reached(torso: float) -> bool:
        return bool(np.isfinite(planar_bounds(leg, PlanarStance(0.0, 0.0, pitch, toe, torso, 0.0)).lowest))

    if not reached(above):
        return 0.0, 0.0
    ends = []
    for sign in (-1.0, 1.0):
        inside, outside = above, above + sign * (model.leg.lower_leg + model.leg.upper_leg)
        for _ in range(40):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if reached(middle) else (inside, middle)
        ends.append(inside)
    return -ends[0], ends[1]


def check_arms(schedule: Schedule, curves: MotionCurves, body: WholeBody) -> None:
    """Refuse a motion with a hand in a place that its arm does not reach within its joint limits and without touching
    the robot, seen from where the upper body then is."""
    samples = curves.sample(schedule.pose_times)
    for side, hand in enumerate(HANDS):
        used = np.flatnonzero(samples.selection[:, 0, side] == 1.0)
        if len(used) == 0:
            continue
        postures = body.postures(MotionSamples(samples.values[used], samples.rotations[used]))
        upper = frame_pose(body.robot, postures.q, body.model.frames["UB"])
        away = samples.hands[used, 0, side] - upper.translation
        places = np.einsum("kji,kj->ki", upper.rotation, away)
        reached = body.arm(hand).contains(places)
        if not reached.all():
            first = int(reached.argmin())
            x, y, z = places[first]
            raise InvalidTransition(
                max(int(used[first]) - 1, 0),
                f"{hand} is out of reach at ({x:.2f}, {y:.2f}, {z:.2f}) m from the frame of the upper body: its arm "
                "does not get there within its joint limits and without touching the robot",
            )


def check_reach(schedule: Schedule, draft: Draft, torso: TorsoPlan, model: ReducedModel) -> None:
    """Refuse a motion in which a leg does not reach its foot."""
    reached = np.isfinite(torso.lowest) & np.isfinite(torso.highest)
    if reached.all():
        return
    time = torso.times[reached.argmin() : reached.argmin() + 1]
    place = torso.first_place(time)
    lowest = height_ranges(legs_at(draft, time), place, legs_of(model))["lowest"][0]
    side = 0 if not np.isfinite(lowest[0]) else 1
    foot = (draft.right_foot, draft.left_foot)[side](time)[0]
    turn = (draft.right_foot_rotation, draft.left_foot_rotation)[side](time)[0]
    toe = -model.toe_signs[side] * float((draft.right_toe, draft.left_toe)[side](time)[0, 0])
    heading = rotate_by_quaternion(draft.upper_body(time)[0], _FORWARD)[:2]
    pitch = -float(np.arcsin(np.clip(rotate_by_quaternion(turn, _FORWARD)[2], -1.0, 1.0)))
    ahead = float(heading @ (place[0] - foot[:2]) / np.linalg.norm(heading))
    limit = farthest_torso(model, pitch=pitch, toe=toe)[int(ahead > 0.0)]
    number = transition_at(schedule, float(time[0]))
    if abs(ahead) < limit:
        _check_bow(draft, model, number, ahead, pitch, toe, float(time[0]))
    raise InvalidTransition(
        number,
        f"{('RF', 'LF')[side]} is out of reach at {time[0]:.2f} s: the torso is {abs(ahead):.3f} m "
        f"{'before' if ahead > 0.0 else 'behind'} it; at most {limit:.3f} m with the foot pitched by {pitch:.2f} rad",
        value=abs(ahead),
        limit=limit,
    )


def _check_bow(
    draft: Draft, model: ReducedModel, number: int, ahead: float, foot: float, toe: float, time: float
) -> None:
    """Refuse a pitch of the upper body for which hips do not bend far enough, if an upright one would be reached.

    ahead: of the torso before the foot, m. foot, toe: pitch of the foot and planar angle of its toe joint, rad.
    """
    forward = rotate_by_quaternion(draft.upper_body(time), _FORWARD)
    pitch = float(np.arctan2(-forward[2], np.hypot(forward[0], forward[1])))

    def reached(body: float) -> bool:
        return bool(
            np.isfinite(planar_bounds(model.leg, PlanarStance(0.0, 0.0, foot, toe, ahead, body)).lowest)
        )

    if not reached(0.0) or reached(pitch):
        return
    inside, outside = 0.0, pitch
    for _ in range(40):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if reached(middle) else (inside, middle)
    raise InvalidTransition(
        number,
        f"the upper body is pitched by {pitch:.3f} rad at {time:.2f} s; hips and legs allow {inside:.3f} rad there",
        value=abs(pitch),
        limit=abs(inside),
    )
