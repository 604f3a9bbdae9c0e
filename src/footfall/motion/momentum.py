"""The angular momentum of a whole robot beyond that of five masses.

Thighs and shanks are not where five points are, so the robot that carries out a motion needs another torque of
the ground: at 0.5 m in 0.7 s its zero-moment point is 5 cm beside the planned one. The difference of both momenta along
a planned motion is a trajectory of its own; its rate is a torque in the equation of the torso, which is solved again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.math.interpolation import quintic_spline
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.draft import Draft
from footfall.motion.five_mass import angular_momenta, centre_of_mass_motion, masses_of
from footfall.motion.samples import MotionSamples, as_records
from footfall.motion.whole_body import WholeBody


class MomentumExcess(NamedTuple):
    """curve (3,): angular momentum about the centre of mass that a body has and masses have not, kg m2/s.
    configurations (n, nq): of the body where they were compared."""

    curve: PolynomialTrajectory
    configurations: Array


def momentum_excess(
    draft: Draft,
    torso: PolynomialTrajectory,
    body: WholeBody,
    times: Array,
    before: MomentumExcess | None = None,
) -> MomentumExcess:
    """The excess of a body with comfortable arms over masses at torso and feet: what hands do is left to their masses.

    torso (3,): its motion. times (n + 1,): where both are compared, from begin to end. before: of a motion close to
    this one.
    """
    numbers, masses = draft.packed.numbers(times), masses_of(body.model)
    limbs, samples = as_records(numbers), MotionSamples.of(numbers)
    center = centre_of_mass_motion(limbs, torso.sample(times), masses)
    samples.center_of_mass[:] = np.moveaxis(center, 0, 1)
    posture = body.postures(samples, start=None if before is None else before.configurations)
    excess = posture.momentum - angular_momenta(limbs, masses)
    start = np.zeros((3, 3)) if draft.momentum_start is None else draft.momentum_start
    excess[0], excess[-1] = start[0], 0.0
    curve = quintic_spline(times, excess, start_velocity=start[1], start_acceleration=start[2])
    return MomentumExcess(curve, posture.q)


def no_momentum(draft: Draft) -> PolynomialTrajectory:
    """For those who have no body: five masses are all there is."""
    return PolynomialTrajectory.unchecked(np.array([draft.begin_time, draft.end_time]), np.zeros((1, 6, 3)))
