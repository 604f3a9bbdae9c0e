"""The contact planner: from an environment and a goal to footsteps and hand contacts (Seiwald 2023, chapter 5)."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from footfall.environment.model import Environment, updated
from footfall.environment.reset_area import reset_area
from footfall.environment.sampling import sample_terrain
from footfall.environment.terrain import PackedTerrain
from footfall.errors import InvalidTransition, MotionWarning, RefusedStance
from footfall.gait.plan import Action, MotionPlan
from footfall.gait.poses import FEET, RobotPose, mean_foot_frame
from footfall.gait.walking_transitions import idle_pose, walking_sequence
from footfall.motion.parameters import MotionParameters
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.motion.reduced_model import ReducedModel
from footfall.planning.contacts import Blockage, Goal, PlannedContacts, Stance
from footfall.planning.conversion import walking_transitions
from footfall.planning.footsteps import FOUND
from footfall.planning.parameters import PlannerParameters, parameters_for
from footfall.planning.postprocess import stances_of
from footfall.planning.search import Search, explored_places, guide_for, new_search, path_of
from footfall.planning.surroundings import surroundings
from footfall.planning.swings import ALLOWED, lifted_steps, swing_depths
from footfall.planning.tables import tables_for

_LIFTS = 5  # times that steps are raised before a stance is refused
_SLICE = 2000  # states that are expanded between two looks at the clock


@dataclass(frozen=True)
class Progress:
    """How far planning has come. nodes: explored so far. closest: cost still to go from the best stance; steps and
    seconds: forecast of what is left."""

    nodes: int
    closest: float
    steps: int
    seconds: float


@dataclass
class Watch:
    """Times of the stages, ms of the thread's CPU; who may stop the search, and who is told."""

    cancelled: Callable[[], bool] | None = None
    progress: Callable[[Progress], None] | None = None
    deadline: float | None = None
    milliseconds: dict[str, float] = field(default_factory=dict)
    last: float = field(default_factory=time.thread_time)
    began: float = field(default_factory=time.monotonic)

    def done(self, stage: str) -> None:
        """A stage ends that began when the one before ended."""
        now = time.thread_time()
        self.milliseconds[stage] = self.milliseconds.get(stage, 0.0) + 1e3 * (now - self.last)
        self.last = now

    @property
    def stopped(self) -> bool:
        """Whether to give up."""
        late = self.deadline is not None and time.monotonic() - self.began > self.deadline
        return late or (self.cancelled is not None and self.cancelled())


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
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    check_motion: bool = True,
    keep_explored: bool = False,
) -> PlannedContacts:
    """Where to put feet and hands on the way to a goal.

    start: pose to begin with, both feet on the ground; by default at rest in the origin. parameters: by default those
    for the robot's size. horizon: plan only so many steps towards the goal. deadline: s, then the best so far is given
    back. guided: whether the guide orders the search; without, the best plan is found, later. weight: of what is still
    to go, at least 1; 1 without guide finds the best plan. progress: told now and then. cancelled: asked now and then.
    check_motion: whether the motion generator is asked if it can make a motion of the plan. keep_explored: whether
    the result says where the search looked.
    """
    watch = Watch(cancelled, progress, deadline)
    parameters = parameters_for(model) if parameters is None else parameters
    tables = tables_for(model, parameters)
    if weight is None:
        weight = parameters.search.weight if guided else 1.0
    start = _standing(environment, model) if start is None else start
    environment = _with_ground(environment, start)
    around = surroundings(environment, tables, *_bounds(environment, start, goal, parameters))
    watch.done("environment")
    search = new_search(around, tables, start, goal, guided=guided, weight=weight, horizon=horizon)
    if search.refused is not None:
        return _nothing(start, goal, search, watch, search.refused)
    if guided:
        search = guide_for(search)
    watch.done("guide")
    result = _search_and_refine(search, model, watch, check_motion)
    return replace(result, explored=explored_places(search)) if keep_explored else result


def _search_and_refine(
    search: Search, model: ReducedModel, watch: Watch, check_motion: bool
) -> PlannedContacts:
    """Search until footholds, hands and motion of a path are accepted; what is not is left out next time."""
    banned: set[int] = set()
    repairs = 0
    while True:
        outcome = search.run(banned, watch)
        watch.done("search")
        if outcome != FOUND:
            why = Blockage("search", "cancelled", "planning was stopped") if watch.stopped else None
            return _nothing(search.start, search.goal, search, watch, why or search.explanation(), repairs)
        path = path_of(search)
        try:
            stances = stances_of(search, path)
            watch.done("refinement")
            result = _converted(search, path.pose, stances, model, watch, repairs)
            if check_motion:
                result = _checked(result, model, search.around.terrain.packed)
                watch.done("motion")
            return result
        except RefusedStance as refused:
            number = path.numbers[refused.step]
        except InvalidTransition as refused:
            number = path.numbers[min(refused.number, len(path.numbers) - 1)]
        if repairs >= search.tables.parameters.search.repairs:
            why = Blockage("limit", "repairs", f"no footholds were accepted after {repairs} repairs")
            return _nothing(search.start, search.goal, search, watch, why, repairs)
        repairs += 1
        banned.add(number)
        watch.done("refinement")


def _converted(
    search: Search,
    pose: RobotPose,
    stances: tuple[Stance, ...],
    model: ReducedModel,
    watch: Watch,
    repairs: int,
) -> PlannedContacts:
    tables = search.tables
    terrain = search.around.terrain.packed
    steps = walking_transitions(
        pose, stances, tables.parameters, terrain, tables.refinement, tables.biped.foot_distance
    )
    sequence = walking_sequence(steps, pose, gait_dimensions(model), action=Action.AUTONOMOUS)
    watch.done("transitions")
    return PlannedContacts(
        True,
        search.cost,
        pose,
        search.goal,
        stances,
        tuple(steps),
        MotionPlan((sequence,)),
        search.effort(watch.milliseconds, repairs),
        complete=search.at_goal,
    )


def _checked(result: PlannedContacts, model: ReducedModel, terrain: PackedTerrain) -> PlannedContacts:
    """With what the motion generator warns of, and steps that lift feet over the ground; raises if it refuses, or if
    no step is high enough."""
    dimensions, usual = gait_dimensions(model), MotionParameters().foot.step_height_m
    for _ in range(_LIFTS):
        assert result.motion_plan is not None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", MotionWarning)
            motion = generate_motion(result.motion_plan, model)
        depths = swing_depths(motion, terrain)[: len(result.steps)]
        if (depths <= ALLOWED).all():
            return replace(result, warnings=tuple(str(each.message) for each in caught))
        steps = lifted_steps(result.steps, depths, usual)
        sequence = walking_sequence(steps, result.start, dimensions, action=Action.AUTONOMOUS)
        result = replace(result, steps=tuple(steps), motion_plan=MotionPlan((sequence,)))
    worst = int(depths.argmax())
    raise RefusedStance(worst, f"its foot would be {depths[worst]:.3f} m in the ground on its way")


def _nothing(
    start: RobotPose, goal: Goal, search: Search, watch: Watch, why: Blockage, repairs: int = 0
) -> PlannedContacts:
    """There is no plan."""
    effort = search.effort(watch.milliseconds, repairs)
    return PlannedContacts(False, np.inf, start, goal, (), (), None, effort, complete=False, why_not=why)


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
    middle = feet.mean(axis=0)
    radius = 0.6
    disc = reset_area(
        environment.terrain, (float(middle[0]), float(middle[1])), float(middle[2]), radius=radius
    )
    return updated(environment, disc)


def _bounds(
    environment: Environment, start: RobotPose, goal: Goal, parameters: PlannerParameters
) -> tuple[tuple[float, float], tuple[float, float]]:
    """The rectangle that is searched: around start and goal, as far as there is terrain."""
    middle, _ = mean_foot_frame(*start.feet)
    ends = np.array([middle[:2], [goal.x, goal.y]])
    margin = parameters.grid.margin_m
    low, high = ends.min(axis=0) - margin, ends.max(axis=0) + margin
    known = environment.terrain.bounds
    low, high = np.maximum(low, known[0]), np.minimum(high, known[1])
    low, high = np.minimum(low, ends.min(axis=0) - 0.08), np.maximum(high, ends.max(axis=0) + 0.08)
    return (float(low[0]), float(low[1])), (float(high[0]), float(high[1]))
