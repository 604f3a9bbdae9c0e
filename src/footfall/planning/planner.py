"""The contact planner: from an environment and a goal to footsteps and hand contacts (Seiwald 2023, chapter 5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from footfall.environment.model import Environment, updated
from footfall.environment.reset_area import reset_area
from footfall.environment.sampling import sample_terrain
from footfall.gait.plan import MotionPlan
from footfall.gait.poses import FEET, Hand, RobotPose
from footfall.gait.walking_transitions import idle_pose
from footfall.motion.pipeline import gait_dimensions
from footfall.motion.reduced_model import ReducedModel
from footfall.planning.contacts import Goal, PlannedContacts
from footfall.planning.parameters import PlannerParameters, parameters_for
from footfall.planning.planning_job import MOST_NODES, Job
from footfall.planning.search import SearchOptions
from footfall.planning.tables import tables_for
from footfall.planning.watch import Progress, Watch


def plan_contacts(
    environment: Environment,
    model: ReducedModel,
    goal: Goal,
    *,
    start: RobotPose | None = None,
    parameters: PlannerParameters | None = None,
    horizon: int | None = None,
    deadline: float | None = None,
    guided: bool = True,
    weight: float | None = None,
    improve: bool = False,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    check_motion: bool = True,
    keep_explored: bool = False,
    explained: bool = True,
    previous: PlannedContacts | None = None,
    accepts: Callable[[MotionPlan], object] | None = None,
    kept_hands: tuple[Hand, ...] = (),
) -> PlannedContacts:
    """Where to put feet and hands on the way to a goal.

    start: pose to begin with, both feet on the ground; by default at rest in the origin. parameters: by default those
    for the robot's size. horizon: plan only so many steps towards the goal. deadline: s, then what was found so far is
    given back. guided: whether the guide orders the search; without, A* finds the best plan, later. weight: of what is
    still to go, by default that of the parameters, or 1 without guide. improve: search on until the plan is known to be
    the best, or the deadline comes. progress: called now and then. cancelled: asked now and then whether to stop.
    check_motion: whether the motion generator is asked if it can make a motion of the plan. keep_explored: whether the
    result says where the search, of a long way the last one, looked. explained: whether to find
    out why there is no way, which takes longer. previous: an earlier plan to the same goal, in surroundings that have
    changed little: what it has learnt of the way orders this search too, which is then several times faster. accepts:
    called with a plan that seems good; if it raises `InvalidTransition` the search goes on without that step.
    kept_hands: hands that touch something in `start` and stay there during the first step, as an earlier plan has it,
    where they still reach it and it is still there.
    """
    watch = Watch(cancelled, progress, deadline)
    parameters = parameters_for(model) if parameters is None else parameters
    if weight is None:
        weight = parameters.search.weight if guided else 1.0
    start = _standing(environment, model) if start is None else start
    job = Job(
        _with_ground(environment, start),
        model,
        tables_for(model, parameters),
        start,
        goal,
        SearchOptions(guided, weight, horizon, kept_hands),
        watch,
        check_motion,
        keep_explored,
        None if previous is None else previous.guide,
        accepts,
    )
    plan = job.plan()
    if plan.found and improve:
        return job.improved(plan)
    if not plan.found and explained and (plan.why_not is None or plan.why_not.name == MOST_NODES):
        return replace(plan, why_not=job.explanation(plan))
    return plan


def _standing(environment: Environment, model: ReducedModel) -> RobotPose:
    """The pose at rest in the origin, on the ground that is seen there."""
    found = sample_terrain(environment.terrain, np.zeros((1, 2)))
    height = float(found.height[0]) if found.seen[0] else 0.0
    return idle_pose(gait_dimensions(model), position=(0.0, 0.0, height))


def _with_ground(environment: Environment, start: RobotPose) -> Environment:
    """With ground below the robot, which cameras do not see."""
    feet = np.array([start.foot(name).position for name in FEET])
    if sample_terrain(environment.terrain, feet).seen.all():
        return environment
    x, y, height = feet.mean(axis=0).tolist()
    return updated(environment, reset_area(environment.terrain, (x, y), height, radius=0.6))
