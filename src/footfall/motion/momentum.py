"""The angular momentum of a whole robot beyond that of five masses.

Thighs, shanks and arms are not where five points are, so the robot that carries out a motion needs another torque of
the ground: at 0.5 m in 0.7 s its zero-moment point is 5 cm beside the planned one. The difference of both momenta along
a planned motion is a trajectory of its own; its rate is a torque in the equation of the torso, which is solved again.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.gait.poses import Hand
from footfall.math.interpolation import quintic_spline
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.draft import Draft
from footfall.motion.five_mass import angular_momenta, centre_of_mass_motion, masses_of
from footfall.motion.samples import MotionSamples, as_records
from footfall.motion.whole_body import WholeBody

Postures = dict[tuple[Hand, ...], Array]


def momentum_excess(
    draft: Draft, torso: PolynomialTrajectory, body: WholeBody, times: Array, near: Postures
) -> PolynomialTrajectory:
    """Angular momentum (3,) about the centre of mass that the body has and five masses have not, kg m2/s.

    torso (3,): its motion. times (n + 1,): where both are compared, from begin to end. near: see `WholeBody.momentum`.
    """
    masses = masses_of(body.model)
    numbers = draft.packed.numbers(times)
    limbs, moving = as_records(numbers), torso.sample(times)
    samples = MotionSamples.of(numbers)
    samples.torso[:] = np.moveaxis(moving, 0, 1)
    samples.center_of_mass[:] = np.moveaxis(centre_of_mass_motion(limbs, moving, masses), 0, 1)
    excess = body.momentum(samples, near) - angular_momenta(limbs, masses)
    start = np.zeros((3, 3)) if draft.momentum_start is None else draft.momentum_start
    excess[0], excess[-1] = start[0], 0.0
    return quintic_spline(times, excess, start_velocity=start[1], start_acceleration=start[2])


def no_momentum(draft: Draft) -> PolynomialTrajectory:
    """For those who have no body: five masses are all there is."""
    return PolynomialTrajectory.unchecked(np.array([draft.begin_time, draft.end_time]), np.zeros((1, 6, 3)))
