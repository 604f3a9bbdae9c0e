"""Steps back from something that stands before a robot: the planner never steps backward, and with its toes at a box no
way leads on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from footfall.environment.model import Environment
from footfall.environment.sampling import sample_footprints
from footfall.errors import NoPath
from footfall.gait.actions import straight
from footfall.gait.plan import Action, TransitionSequence
from footfall.gait.poses import FootState, RobotPose, mean_foot_frame
from footfall.gait.walking_transitions import walking_sequence
from footfall.math.rotations import yaw_of
from footfall.motion.reduced_model import ReducedModel
from footfall.planning.parameters import PlannerParameters, parameters_for
from footfall.planning.postprocess import ALLOWED, Midway, in_something
from footfall.planning.surroundings import surroundings
from footfall.planning.tables import tables_for
from footfall.planning.transition_planner import PlanningContext

_LOOK_RADIUS = 1.2  # m around the robot that is looked at
_DISTANCES = (0.36, 0.24, 0.12)  # m, the farthest that is free is walked
_SPACING = 0.02  # m between places at which the body is looked at


@dataclass(frozen=True)
class StepBack:
    """Walk back as far as the ground behind is known to be level and free. The gait can be replanned."""

    action: Action = field(default=Action.AUTONOMOUS, init=False)

    def sequence(self, begin: RobotPose, context: PlanningContext, *, walking: bool) -> TransitionSequence:
        """Short steps back; `NoPath` if none is known to be free."""
        parameters = parameters_for(context.model) if context.parameters is None else context.parameters
        for distance in _DISTANCES:
            steps = straight(-distance, longest=max(parameters.step.backward_m, 0.1))
            sequence = walking_sequence(steps, begin, context.dimensions, action=self.action)
            if _stands(sequence, context, parameters) and _passes(sequence, context, parameters):
                return sequence
        raise NoPath("the ground behind is not known to be free: no steps back")


def _stands(sequence: TransitionSequence, context: PlanningContext, parameters: PlannerParameters) -> bool:
    feet = [each.end.stance_foot for each in sequence.transitions]  # that have been put down
    return stands_on_known_ground(feet, context.environment, context.model, parameters)


def stands_on_known_ground(
    feet: Sequence[FootState], environment: Environment, model: ReducedModel, parameters: PlannerParameters
) -> bool:
    """Whether all feet are on ground that was seen and is as level as the planner asks for."""
    places = np.array([(*foot.position[:2], yaw_of(np.array(foot.rotation))) for foot in feet])
    heights = np.array([foot.position[2] for foot in feet])
    rear, front, right, left = model.sole
    lower, upper = np.array([rear, right]), np.array([front, left])
    found = sample_footprints(environment.terrain, places, lower=lower, upper=upper)
    uneven, trusted = parameters.foothold.uneven_m, parameters.foothold.least_confidence
    level = (found.highest < heights + uneven) & (found.lowest > heights - uneven)
    return bool((level & (found.confidence >= trusted)).all())


def _passes(sequence: TransitionSequence, context: PlanningContext, parameters: PlannerParameters) -> bool:
    """Whether body and arms come free of what they are next to, and stay so."""
    tables = tables_for(context.model, parameters)
    poses = (sequence.begin, *(each.end for each in sequence.transitions))
    middles = [mean_foot_frame(*pose.feet) for pose in poses]
    places, yaws = np.array([place for place, _ in middles]), [float(yaw_of(turn)) for _, turn in middles]
    low, high = places[:, :2].min(axis=0) - _LOOK_RADIUS, places[:, :2].max(axis=0) + _LOOK_RADIUS
    around = surroundings(context.environment, tables, tuple(low.tolist()), tuple(high.tolist()))
    volumes = tables.volumes
    capsules = np.concatenate(
        [
            volumes.body[: volumes.body_count],
            *(volumes.arms[side * volumes.arm_count :][: volumes.arm_count] for side in range(volumes.hands)),
        ]
    )
    count = int(np.linalg.norm(np.diff(places, axis=0), axis=1).sum() / _SPACING) + 2
    at = np.linspace(0.0, len(places) - 1.0, count)
    inside = []
    for share in at.tolist():
        k = min(int(share), len(places) - 2)
        place = places[k] + (share - k) * (places[k + 1] - places[k])
        inside.append(in_something(around.solids, capsules, Midway(place, yaws[k]), ALLOWED))
    freed = inside.index(False) if False in inside else len(inside)
    return freed < len(inside) and not any(inside[freed:])
