"""Whether a planned motion can be walked: what cannot is refused, what nearly cannot is warned of.

Everything is looked at where the stages have samples anyway; where there is little room, it is computed again at many
times in between.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags
from footfall.compiler.routines import routine
from footfall.errors import InvalidTransition, MotionWarning
from footfall.math.polygons import border_distance
from footfall.math.polynomials import Jet
from footfall.motion.centre_of_mass import MassSamples
from footfall.motion.draft import Draft
from footfall.motion.five_mass import Masses, masses_of, wrench_at
from footfall.motion.leg_bounds import legs_of
from footfall.motion.leg_room import rooms_in_space, rooms_of_legs
from footfall.motion.motion import PhaseTable
from footfall.motion.parameters import MotionParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.schedule import Schedule
from footfall.motion.support import SupportAreas
from footfall.motion.torso import TorsoPlan
from footfall.motion.vertical_torso import legs_at

# With less room than this at a sample the times around it are looked at: by so much may it be less between samples.
_NEAR_BORDER, _NEAR_LOAD = 0.015, 0.2  # from the border of the soles, m; load, as a part of the weight
_NEAR_HEIGHT, _NEAR_STRETCH, _NEAR_LEAN = 0.0055, 0.0055, 0.03  # m, m, rad
_SAME_TIME = 1e-9  # s
_SHARES = np.array([0.25, 0.5, 0.75])  # where the first and last interval are looked at
_BETWEEN = 10  # parts into which intervals with little room are cut
_ROUNDING = 2e-4  # m or rad: room that may be missed between these, too


class PlannedSequence(NamedTuple):
    """All that is known of a sequence whose motion is planned. masses: at the break points of the motion."""

    schedule: Schedule
    phases: PhaseTable
    draft: Draft
    torso: TorsoPlan
    masses: MassSamples
    model: ReducedModel
    parameters: MotionParameters


class _Kind(NamedTuple):
    """What can be exceeded: what is said of it, in which unit, how many of them a SI unit has; how much is let pass."""

    text: str
    unit: str
    scale: float
    tolerated: float


def check_motion(planned: PlannedSequence) -> None:
    """Refuse a motion whose zero-moment point is outside of the soles, whose feet would have to pull, or whose legs
    would have to be longer or to bend further than they can; warn of a small excess."""
    times = _near_times(planned)
    if times is None:
        return
    limits, draft, torso = planned.parameters.limit, planned.draft, planned.torso.trajectory.sample(times)
    balance = _balance(planned, MassSamples(times, draft.masses.sample(times), torso))
    legs = rooms_of_legs(legs_at(draft, times), torso[0], planned.model)
    lean = "a leg leans {} further than its"
    found = (
        (
            _Kind("the load of the feet is {} of the weight too small", "%", 1e2, 0.0),
            balance.load - limits.least_load,
        ),
        (
            _Kind("the zero-moment point is {} outside of the soles", "mm", 1e3, limits.outside_m),
            balance.border,
        ),
        (_Kind("a leg is {} too short for its step", "mm", 1e3, limits.outside_m), legs.stretch),
        (_Kind("the torso is {} beyond the bounds of the legs", "mm", 1e3, limits.outside_m), legs.height),
        (_Kind(f"{lean} hip can", "rad", 1.0, limits.lean_rad), legs.hip),
        (_Kind(f"{lean} ankle can", "rad", 1.0, limits.lean_rad), legs.ankle),
    )
    issues = []
    for kind, rooms in found:
        worst = int(rooms.argmin())
        if rooms[worst] < _ROUNDING:
            beyond = max(-float(rooms[worst]), 0.0)
            issues.append(_warning(kind, beyond, planned.schedule, float(times[worst])))
    for warning in issues:
        warnings.warn(warning, stacklevel=5)


def _warning(kind: _Kind, beyond: float, schedule: Schedule, time: float) -> MotionWarning:
    """The warning; refuses what is too much."""
    number = transition_at(schedule, time)
    amount = f"{kind.scale * beyond:.3g} {kind.unit}" if np.isfinite(beyond) else "far"
    message = f"{kind.text.format(amount)} at {time:.2f} s"
    if beyond > kind.tolerated:
        limit = f"at most {kind.scale * kind.tolerated:g} {kind.unit} are let pass"
        raise InvalidTransition(number, f"{message}; {limit}", value=beyond, limit=kind.tolerated)
    return MotionWarning(number, message, beyond)


def transition_at(schedule: Schedule, time: float) -> int:
    """Number of the transition that runs at a time, s."""
    phase = int(np.searchsorted(schedule.times, time, "right")) - 1
    return int(schedule.transition[min(max(phase, 0), len(schedule.transition) - 1)])


def _near_times(planned: PlannedSequence) -> Array | None:
    """Increasing times (k,) around all samples that have little room, s; None if there are none."""
    masses, torso = planned.masses, planned.torso
    balanced = _is_near(_balance(planned, masses))
    # Where a motion starts and ends, more conditions are kept than the torso's equation bears: between the break points
    # the zero-moment point is off most there.
    first, second, before, last = masses.times[[0, 1, -2, -1]].tolist()
    at = (np.array([[first], [before]]) + np.array([[second - first], [last - before]]) * _SHARES).reshape(-1)
    inside = MassSamples(at, planned.draft.masses.sample(at), torso.trajectory.sample(at))
    if _is_near(_balance(planned, inside)).any():
        balanced[0] = balanced[-1] = True
    places = torso.trajectory.sample(torso.times, 0)[0]
    height = np.minimum(places[:, 2] - torso.lowest, torso.highest - places[:, 2])
    rooms = rooms_in_space(torso.legs, places, legs_of(planned.model))
    reached = ~(  # also where there is no number
        (height + planned.parameters.torso.bound_margin_m >= _NEAR_HEIGHT)
        & (rooms.stretch >= _NEAR_STRETCH)
        & (rooms.hip >= _NEAR_LEAN)
        & (rooms.ankle >= _NEAR_LEAN)
    )
    if not (balanced.any() or reached.any()):
        return None
    return np.unique(np.concatenate([_around(masses.times, balanced), _around(torso.times, reached)]))


class Balance(NamedTuple):
    """border (k,): distance of the five masses' zero-moment point from the border of the support area, m, negative
    outside. load (k,): vertical force of the feet as a part of the weight."""

    border: Array
    load: Array


def _is_near(balance: Balance) -> Flags:
    """Whether there is little room (k,)."""
    return ~((balance.border >= _NEAR_BORDER) & (balance.load >= _NEAR_LOAD))


def _balance(planned: PlannedSequence, masses: MassSamples) -> Balance:
    return balance_of(masses, planned.phases.times, planned.phases.soles, masses_of(planned.model))


@routine(quick=True)
def balance_of(samples: MassSamples, borders: Array, soles: SupportAreas, masses: Masses) -> Balance:
    """Balance at increasing times (k,). borders (P + 1,), soles: of the phases; where one ends and the next begins, the
    smaller area counts."""
    count, phase = len(samples.times), 0
    border, load = np.empty(count), np.empty(count)
    for k in range(count):
        time = samples.times[k]
        while phase < len(soles.sizes) - 1 and time >= borders[phase + 1] - _SAME_TIME:
            phase += 1
        torso = Jet(samples.torso[0, k], samples.torso[1, k], samples.torso[2, k])
        force, torque = wrench_at(samples.limbs[k], torso, masses)
        height = samples.limbs[k].value.zmp[2]
        load[k] = force[2] / (masses.total * masses.gravity)
        if force[2] <= 0.0:
            border[k] = -np.inf
            continue
        zmp = np.array([height * force[0] - torque[1], height * force[1] + torque[0]]) / force[2]
        border[k] = border_distance(soles.polygon(phase), zmp)
        if phase > 0 and time <= borders[phase] + _SAME_TIME:
            border[k] = min(border[k], border_distance(soles.polygon(phase - 1), zmp))
    return Balance(border, load)


def _around(times: Array, near: Flags) -> Array:
    """Times in the intervals on both sides of those that are near, s."""
    intervals = np.flatnonzero(near[:-1] | near[1:])
    shares = np.arange(_BETWEEN + 1.0) / _BETWEEN
    begin, end = times[intervals, None], times[intervals + 1, None]
    return np.asarray(begin + (end - begin) * shares).reshape(-1)
