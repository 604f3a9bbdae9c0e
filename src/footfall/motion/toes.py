"""Stage 8: how the toes bend (spec 003c section 5.6)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from footfall.gait.poses import CONTACT_TYPES, FootContact, PoseRow
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.moves import REST_TO_REST, hermite_pieces, moves_and_rests, rest_to_rest_pieces
from footfall.motion.parameters import ToeParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.schedule import Schedule

Array = np.ndarray[Any, np.dtype[np.float64]]
_AT_REST = 1e-12  # rad, rad/s, rad/s2
_TIPTOE = CONTACT_TYPES.index(FootContact.TIPTOE)


def plan_toe(
    schedule: Schedule,
    foot: int,
    model: ReducedModel,
    parameters: ToeParameters,
    *,
    start: Array | None = None,
) -> PolynomialTrajectory:
    """Angle (1,) of a toe joint, rad, with the sign of its side; foot: 0 for RF, 1 for LF.

    It bends while the heel lifts in large steps and steps up, and as long as the foot stands on tiptoe. start (3,):
    angle, velocity and acceleration to continue from; it comes to rest in the first phase.
    """
    phases = np.flatnonzero(schedule.motion)
    phases = phases[schedule.moving[schedule.transition[phases], foot]]
    transitions = schedule.transition[phases]
    begin, end = schedule.begin[transitions], schedule.end[transitions]
    on_toes = np.stack([row[:, PoseRow.CONTACT.start + foot] == _TIPTOE for row in (begin, end)], axis=1)
    standing = np.deg2rad(parameters.tiptoe_deg) * on_toes
    tiptoe = on_toes.any(axis=1)

    way = _in_stance_axes(begin, end, foot)
    bent = _bend(way, model, parameters)
    before, after = schedule.times[phases], schedule.times[phases + 1]
    forward = way[:, 0] >= 0.0
    usual = ~tiptoe & (bent > 0.0)
    # Going forward the toe bends from the load switch before on, going backward until the one after has ended.
    earlier = (usual & forward) & _switch(schedule, phases - 1)
    starts = np.where(earlier, schedule.times[np.maximum(phases - 1, 0)], before)
    later = (usual & ~forward) & _switch(schedule, phases + 1)
    stops = np.where(later, schedule.times[np.minimum(phases + 2, len(schedule.times) - 1)], after)
    starts[1:] = np.maximum(starts[1:], stops[:-1])  # a step back before has the load switch in between
    peak = starts + parameters.peak_share * (stops - starts)
    middle = np.where(tiptoe, standing.mean(axis=1), bent)
    times = np.stack([starts, peak, stops], axis=1)
    angles = np.stack([standing[:, 0], middle, standing[:, 1]], axis=1)
    pieces = _pieces(angles, tiptoe, parameters.peak_share)
    used = tiptoe | usual
    lowest, highest = (0.0, 0.0) if model.toe_limits is None else model.toe_limits[foot]
    sign = model.toe_signs[foot]
    # The limit in the direction in which the heel lifts; the shape stays, only its size is cut.
    limit = max(sign * lowest, sign * highest, 0.0)
    scale = sign * np.minimum(1.0, limit / np.maximum(np.abs(angles).max(axis=1, initial=0.0), 1e-12))[used]
    initial = np.array([sign * min(limit, np.deg2rad(parameters.tiptoe_deg))]) * float(
        schedule.begin[0, PoseRow.CONTACT.start + foot] == _TIPTOE
    )
    times, pieces, reached = (
        times[used],
        pieces[used] * scale[:, None, None, None],
        (scale * angles[used, 2])[:, None],
    )
    if start is not None and np.abs(start - [initial[0], 0.0, 0.0]).max() > _AT_REST:
        times, pieces, reached = _settled(schedule, start, initial, times, pieces, reached)
        initial = start[:1]
    return moves_and_rests(initial, times, pieces, reached, schedule.times[0], schedule.times[-1])


def _settled(
    schedule: Schedule, start: Array, rest: Array, times: Array, pieces: Array, reached: Array
) -> tuple[Array, Array, Array]:
    """The moves with one before that comes from a state (3,) to rest in the first phase; the next begins after it."""
    begin, end = schedule.times[0], schedule.times[1]
    if len(times):
        times = np.maximum(times, end)
    states = np.array([start, [rest[0], 0.0, 0.0]])[None, :, :, None]
    settling = hermite_pieces(states, np.array([[end - begin]]))
    none = np.zeros((1, 1, 6, 1))
    none[..., 5, :] = rest
    return (
        np.concatenate([[[begin, end, end]], times]),
        np.concatenate([np.concatenate([settling, none], axis=1), pieces]),
        np.concatenate([rest[None], reached]),
    )


def _bend(way: Array, model: ReducedModel, parameters: ToeParameters) -> Array:
    """Largest angle (n,) of steps (n, 3), rad, 003c (6.13)."""
    length = model.sole[1] - model.sole[0]
    stride = np.abs(way[:, 0])
    slope = np.deg2rad(parameters.large_stride_deg) / max(parameters.large_stride_m - length, 1e-9)
    large = np.where(stride >= parameters.large_stride_soles * length, slope * (stride - length), 0.0)
    bend: Array = large + np.where(way[:, 2] > 1e-9, parameters.rise_rad_per_m * way[:, 2], 0.0)
    return bend


def _pieces(angles: Array, tiptoe: Any, peak: float) -> Array:
    """Two segments a step (n, 2, 6, 1): up to the peak and down, or one quintic for tiptoe, cut in two."""
    pieces = rest_to_rest_pieces(angles[:, :, None])
    single = (angles[:, 2] - angles[:, 0])[:, None, None, None] * _halves(peak)[None, :, :, None]
    single[:, :, 5, 0] += angles[:, :1]
    return np.where(np.asarray(tiptoe)[:, None, None, None], single, pieces)


@cache
def _halves(peak: float) -> Array:
    """The quintic from 0 to 1 before and after a time, (2, 6), each again over [0, 1]."""
    whole = PolynomialTrajectory(np.array([0.0, 1.0]), REST_TO_REST[None, :, None])
    return np.ascontiguousarray(whole.on(np.array([0.0, peak, 1.0])).coefficients[:, :, 0])


def _switch(schedule: Schedule, phases: Any) -> Any:
    """Whether phases exist and are load switches."""
    inside = (phases >= 0) & (phases < len(schedule.motion))
    return inside & ~schedule.motion[np.clip(phases, 0, len(schedule.motion) - 1)]


def _in_stance_axes(begin: Array, end: Array, foot: int) -> Array:
    """Way (n, 3) of a foot in axes of the other one, m."""
    way = end[:, PoseRow.FOOT_POSITION[foot]] - begin[:, PoseRow.FOOT_POSITION[foot]]
    q = begin[:, PoseRow.FOOT_ROTATION[1 - foot]]
    vector = -q[:, 1:]  # of the inverse
    half = np.cross(vector, way)
    turned: Array = way + 2 * (q[:, :1] * half + np.cross(vector, half))
    return turned
