"""Which steps a walk takes: those of a plan, or those that lead to a goal."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import msgspec
import numpy as np

from footfall.environment.model import Environment
from footfall.errors import InvalidInput, MotionWarning, NoPath
from footfall.gait.plan import MotionPlan, Transition, TransitionSequence
from footfall.gait.poses import Hand, RobotPose
from footfall.gait.walking_transitions import idle_pose
from footfall.math.rotations import rotation_z
from footfall.math.transform import Transform, identity_transform
from footfall.motion.pipeline import gait_dimensions
from footfall.motion.reduced_model import ReducedModel
from footfall.planning.contacts import Goal, PlannedContacts
from footfall.planning.parameters import PlannerParameters, parameters_for
from footfall.planning.planner import plan_contacts
from footfall.scene.model import Scene
from footfall.walking.request import WalkRequest

_RISE = 0.035  # of the height of the centre of mass: a foot that rises or falls by more swings with care
# Swing timing upwards: the edge may be a centimetre ahead of the toe, which is up before it goes on.
_UPWARDS = 0.75
# Likewise: how high feet swing on level ground, so that they do not trip over what was not seen.
_LIFT = 0.065
_WIDER, _REPAIRS = 2.0, 3  # how much more map and repairs the second search has


class Way(NamedTuple):
    """Steps on the way to a goal, and what the planner found, for the next plan to the same goal. wide: whether it
    took more than the usual map."""

    sequence: TransitionSequence
    contacts: PlannedContacts
    wide: bool = False


def plan_way(
    environment: Environment,
    model: ReducedModel,
    goal: Goal,
    parameters: PlannerParameters,
    *,
    start: RobotPose | None = None,
    horizon: int | None = None,
    explained: bool = True,
    previous: PlannedContacts | None = None,
    accepts: Callable[[TransitionSequence], object] | None = None,
    kept_hands: tuple[Hand, ...] = (),
    cancelled: Callable[[], bool] | None = None,
) -> Way:
    """Steps and hand contacts on the way to a goal. start: by default at rest in the origin. horizon: steps at most.
    explained: whether to find out what closes the way, if there is none. previous: the last plan to the same goal.
    accepts: makes a motion of steps; where it cannot the search goes on. kept_hands: that stay where they are in
    `start` for the first step. cancelled: asked now and then whether to give up. Raises `NoPath` if there is no way."""

    def walkable(plan: MotionPlan) -> None:
        assert accepts is not None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MotionWarning)
            accepts(with_careful_swings(plan.sequences[0], model))

    found = plan_contacts(
        environment,
        model,
        goal,
        start=start,
        parameters=parameters,
        horizon=horizon,
        explained=explained,
        previous=previous,
        accepts=None if accepts is None else walkable,
        kept_hands=kept_hands,
        cancelled=cancelled,
    )
    if not found.found or found.motion_plan is None:
        reason = "" if found.why_not is None else f": {found.why_not.text}"
        raise NoPath(f"no way to x = {goal.x:g} m, y = {goal.y:g} m{reason}")
    return Way(with_careful_swings(found.motion_plan.sequences[0], model), found)


def plan_way_from_rest(
    environment: Environment,
    model: ReducedModel,
    goal: Goal,
    parameters: PlannerParameters,
    *,
    start: RobotPose | None = None,
    horizon: int | None = None,
    accepts: Callable[[TransitionSequence], object] | None = None,
) -> Way:
    """As `plan_way`, and where there is no way on the usual map on a wider one: the only door may be far from the
    straight way. What closes the way is found out on the usual one."""
    plan = partial(plan_way, environment, model, goal, start=start, horizon=horizon, accepts=accepts)
    for tried in (parameters, wider_search(parameters)):
        try:
            return plan(tried, explained=False)._replace(wide=tried is not parameters)
        except NoPath:
            pass
    return plan(parameters)


def wider_search(parameters: PlannerParameters) -> PlannerParameters:
    """The same with more of the map around start and goal, and more repairs."""
    change = msgspec.structs.replace
    return change(
        parameters,
        grid=change(parameters.grid, margin_m=_WIDER * parameters.grid.margin_m),
        search=change(parameters.search, repairs=_REPAIRS * parameters.search.repairs),
    )


def passing_near(parameters: PlannerParameters) -> PlannerParameters:
    """The same without a look at upper body and arms between stances: where it stands they have their room all the
    same, and arms yield."""
    change = msgspec.structs.replace
    return change(parameters, search=change(parameters.search, swept_body=False))


def with_careful_swings(sequence: TransitionSequence, model: ReducedModel) -> TransitionSequence:
    """The sequence with swings that rise before they go ahead, and go ahead before they fall, wherever a foot comes to
    another height than it had: an edge may lie between. They take longer. On level ground feet are lifted higher than
    a plan needs that is right in all."""
    return replace(sequence, transitions=tuple(_careful(each, model) for each in sequence.transitions))


def _careful(transition: Transition, model: ReducedModel) -> Transition:
    begin, end = transition.begin, transition.end
    pairs = ((begin.right_foot, end.right_foot), (begin.left_foot, end.left_foot))
    rises = [after.position[2] - before.position[2] for before, after in pairs]
    if max(abs(rise) for rise in rises) < _RISE * model.com_height:
        lift = max(transition.step_height or 0.0, _LIFT * model.com_height)
        return replace(transition, step_height=lift)
    usual = parameters_for(model).timing
    longer = usual.transition_s * usual.careful_factor
    duration = longer if transition.duration is None else max(transition.duration, longer)
    timing = max(usual.careful_timing, _UPWARDS) if max(rises) > 0.0 else usual.careful_timing
    return replace(transition, swing_timing=timing, duration=duration)


def goal_for(request: WalkRequest, scene: Scene) -> Goal:
    """What is asked for, or the goal of the scene."""
    if request.goal is not None:
        return Goal(*request.goal, request.goal_height)
    goal = goal_of_scene(scene)
    if goal is None:
        raise InvalidInput(f"scene {scene.name!r} has no goal; give one by --goal X,Y,YAW, m and degrees")
    return goal


def goal_of_scene(scene: Scene) -> Goal | None:
    """Where a scene is to be left, if it says so."""
    if scene.goal is None:
        return None
    (x, y, z), ahead = scene.goal.translation.tolist(), scene.goal.rotation[:, 0]
    return Goal(x, y, float(np.arctan2(ahead[1], ahead[0])), z)


def start_pose(scene: Scene, model: ReducedModel) -> RobotPose | None:
    """At rest where the scene has a robot begin; None in the origin, on the ground that is seen there."""
    if scene.start is None or np.array_equal(scene.start.matrix, np.eye(4)):
        return None
    ahead = scene.start.rotation[:, 0]
    yaw = float(np.arctan2(ahead[1], ahead[0]))
    return idle_pose(gait_dimensions(model), position=scene.start.translation.tolist(), yaw=yaw)


def scene_with_goal(scene: Scene, goal: Goal | None) -> Scene:
    """The scene with where a walk begins and ends: what is seen of level ground lies around both."""
    begin = identity_transform() if scene.start is None else scene.start
    if goal is None:
        return replace(scene, start=begin)
    end = Transform(rotation_z(goal.yaw), np.array([goal.x, goal.y, goal.z or 0.0]))
    return replace(scene, start=begin, goal=end)
