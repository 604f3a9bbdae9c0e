"""The centre of mass of the five-mass model as a trajectory of its own (Seiwald 2023)."""

from __future__ import annotations

from typing import NamedTuple

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Vector3
from footfall.math.interpolation import hermite_pieces
from footfall.math.trajectories import PolynomialTrajectory, union_of_times
from footfall.motion.draft import Draft
from footfall.motion.five_mass import centre_of_mass_motion, masses_of
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import Sample


class MassSamples(NamedTuple):
    """The five masses at times (k,), s: limbs in samples (k,) of a motion, and the motion of the torso (3, k, 3)."""

    times: Array
    limbs: ArrayOf[Sample]
    torso: ArrayOf[Vector3]


def plan_centre_of_mass(
    draft: Draft, torso: PolynomialTrajectory, model: ReducedModel
) -> tuple[PolynomialTrajectory, MassSamples]:
    """Stage 15: centre of mass (3,), m, as quintics that share its motion at all break points of what moves; and the
    masses there.

    Exact while masses do not change; where a hand is blended in, masses times positions are of degree 10, and
    quintics are close.
    """
    times = union_of_times(
        torso.times,
        draft.right_foot.times,
        draft.left_foot.times,
        draft.right_hand.times,
        draft.left_hand.times,
        draft.right_selection.times,
        draft.left_selection.times,
    )
    masses = MassSamples(times, draft.masses.sample(times), torso.sample(times))
    motion = centre_of_mass_motion(masses.limbs, masses.torso, masses_of(model))
    pieces = hermite_pieces(times, motion[0], motion[1], motion[2])
    return PolynomialTrajectory.unchecked(times, pieces), masses
