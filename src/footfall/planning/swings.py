"""Swinging feet against the ground: how deep they would be in it, and steps that lift them over it.

Seiwald 2023 (5.5.5) raises the step by what lies below the way of the foot. A foot that starts close behind an edge is
not yet that high when it begins to move: here the planned motion itself is compared with the terrain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags
from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.environment.sampling import height_between
from footfall.environment.terrain import PackedTerrain
from footfall.errors import InvalidTransition
from footfall.gait.plan import TransitionSequence
from footfall.gait.walking_transitions import WalkingTransition
from footfall.math.rotations import matrix_from_quaternion
from footfall.motion.feet_alone import FeetAlone, plan_feet_alone
from footfall.motion.parameters import MotionParameters
from footfall.motion.reduced_model import ReducedModel

ALLOWED = 0.006  # m that a sole may be below the ground that was seen: noise of the map
_SAMPLES = 24  # of a swing
_ALONG, _ACROSS = 4, 6  # points of a heel or toe pad: corners of plates fit between few
_SPARE = 0.01  # m that a step is raised beyond what it lacks
_HIGHEST = 0.25  # m, of a step
_LIFTS = 5  # times that steps are raised before a stance is refused


class Swings(NamedTuple):
    """Steps, and the sequence of their transitions."""

    steps: tuple[WalkingTransition, ...]
    sequence: TransitionSequence


def over_ground(swings: Swings, model: ReducedModel, terrain: PackedTerrain) -> Swings:
    """The same footholds with steps that lift feet over the ground; InvalidTransition if no step is high enough."""
    parameters = MotionParameters()
    for _ in range(_LIFTS):
        feet = plan_feet_alone(swings.sequence, model, parameters)
        depths = swing_depths(feet, model, terrain)[: len(swings.steps)]
        if (depths <= ALLOWED).all():
            return swings
        steps = lifted_steps(swings.steps, depths, parameters.foot.step_height_m)
        swings = Swings(tuple(steps), _with_swings(swings.sequence, steps))
    worst = int(depths.argmax())
    raise InvalidTransition(worst, f"its foot would be {depths[worst]:.3f} m in the ground on its way")


def _with_swings(sequence: TransitionSequence, steps: Sequence[WalkingTransition]) -> TransitionSequence:
    """The sequence with heights and timing of steps; poses do not depend on them."""
    lifted = [
        replace(transition, step_height=step.step_height, swing_timing=step.swing_timing)
        for transition, step in zip(sequence.transitions, steps, strict=False)
    ]
    return replace(sequence, transitions=(*lifted, *sequence.transitions[len(lifted) :]))


def swing_depths(feet: FeetAlone, model: ReducedModel, terrain: PackedTerrain) -> Array:
    """How deep soles are in the ground while each transition moves (transitions,), m.

    Beyond what they are in it where they stand: the plane of a sole on uneven ground is below some of it.
    """
    schedule = feet.schedule
    phases = np.flatnonzero(schedule.motion)
    shares = np.linspace(0.0, 1.0, _SAMPLES)
    begin, end = schedule.times[phases], schedule.times[phases + 1]
    times = (begin[:, None] + shares * (end - begin)[:, None]).ravel()
    samples = feet.sample(times)
    turns = matrix_from_quaternion(samples.quaternions[:, 2:])
    points, heel = _sole_points(model)
    depths = np.empty((2, len(times)))
    for side in range(2):
        lift = model.toe_signs[side] * samples.toes[:, 0, side]
        local = _bent(points, heel, lift, model)
        places = samples.feet[:, 0, side, None] + np.einsum("nij,nkj->nki", turns[:, side], local)
        _depths(terrain, np.ascontiguousarray(places.reshape(-1, 3)), len(points), depths[side])
    swings = depths.reshape(2, len(phases), _SAMPLES)
    standing = np.maximum(np.maximum(swings[..., 0], swings[..., -1]), 0.0)
    worst = np.zeros(len(schedule.begin))
    np.maximum.at(worst, schedule.transition[phases], (swings.max(axis=2) - standing).max(axis=0))
    return worst


def _sole_points(model: ReducedModel) -> tuple[Array, Flags]:
    """Points (n, 3) of a sole in the frame of the foot, m, and which of them are behind the toe joint (n,)."""
    rear, front, right, left = model.sole
    toe = model.toe_sole[0] if model.toe_limits is not None else rear
    along = sorted({*np.linspace(rear, toe, _ALONG).tolist(), *np.linspace(toe, front, _ALONG).tolist()})
    points = np.array([[x, y, 0.0] for x in along for y in np.linspace(right, left, _ACROSS)])
    return points, points[:, 0] < toe - 1e-9


def _bent(points: Array, heel: Flags, lift: Array, model: ReducedModel) -> Array:
    """Points (times, n, 3) with the heel turned up about the toe joint by angles (times,), rad."""
    joint = np.array([-model.leg.toe_shift, 0.0, model.leg.toe_height])
    c, s = np.cos(lift)[:, None], np.sin(lift)[:, None]
    x, y, z = (points - joint).T
    turned = joint + np.stack([c * x + s * z, np.broadcast_to(y, (len(lift), len(y))), c * z - s * x], axis=2)
    return np.where(heel[None, :, None], turned, points[None])


@routine(quick=True)
def _depths(terrain: PackedTerrain, places: ArrayOf[Vector3], count: int, depths: Array) -> None:
    """The deepest of each `count` places, m."""
    for k in range(len(depths)):
        deepest = -np.inf
        for n in range(count):
            place = places[k * count + n]
            ground = height_between(terrain, place[0], place[1])
            if ground == ground:
                deepest = max(deepest, ground - place[2])
        depths[k] = deepest


def lifted_steps(steps: Sequence[WalkingTransition], depths: Array, usual: float) -> list[WalkingTransition]:
    """Steps whose feet rise before they move, or higher, where they would be in the ground.

    depths: (transitions,) of `swing_depths`. usual: height of a step that has none of its own, m.
    """
    mended = list(steps)
    for number, step in enumerate(steps):
        if depths[number] <= ALLOWED:
            continue
        if step.swing_timing < 1.0:
            mended[number] = replace(step, swing_timing=min(1.0, step.swing_timing + 0.5))
        else:
            height = usual if step.step_height is None else step.step_height
            mended[number] = replace(step, step_height=min(height + depths[number] + _SPARE, _HIGHEST))
    return mended
