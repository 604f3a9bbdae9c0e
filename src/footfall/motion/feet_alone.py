"""The feet of a sequence without all else: enough to compare their swings with the ground, in a tenth of the time."""

from __future__ import annotations

from typing import NamedTuple

from footfall.arrays import Array
from footfall.gait.plan import TransitionSequence
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.curves import LimbCurves
from footfall.motion.feet import plan_feet
from footfall.motion.packed_curves import PackedCurves, packed
from footfall.motion.parameters import MotionParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import MotionSamples
from footfall.motion.schedule import Schedule, plan_phases
from footfall.motion.toes import plan_toe


class FeetAlone(NamedTuple):
    """When feet move, and how: positions, rotations and toes as `generate_motion` makes them."""

    schedule: Schedule
    curves: PackedCurves

    def sample(self, times: Array) -> MotionSamples:
        """Feet and toes at times (k,), s; all else is zero."""
        return MotionSamples.of(self.curves.numbers(times))


def plan_feet_alone(
    sequence: TransitionSequence, model: ReducedModel, parameters: MotionParameters
) -> FeetAlone:
    """How the feet of a sequence move that begins at rest; nothing is checked."""
    schedule = plan_phases(sequence, parameters.phase)
    feet = plan_feet(schedule, model, parameters.foot)
    curves: dict[str, PolynomialTrajectory | QuaternionTrajectory] = {
        "right_foot": feet.positions[0],
        "left_foot": feet.positions[1],
        "right_foot_rotation": feet.rotations[0],
        "left_foot_rotation": feet.rotations[1],
        "right_toe": plan_toe(schedule, 0, model, parameters.toe),
        "left_toe": plan_toe(schedule, 1, model, parameters.toe),
    }
    return FeetAlone(schedule, packed((curve, LimbCurves.places[name]) for name, curve in curves.items()))
