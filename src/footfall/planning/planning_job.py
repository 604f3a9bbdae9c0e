"""One call of the planner at work: parts of a way are searched, checked, and searched again without what failed."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.making_time import running_seconds
from footfall.environment.model import Environment
from footfall.environment.sampling import sample_terrain
from footfall.environment.terrain import PackedTerrain
from footfall.errors import InvalidTransition, MotionWarning
from footfall.gait.plan import Action, MotionPlan
from footfall.gait.poses import FootState, RobotPose, mean_foot_frame
from footfall.gait.walking_transitions import WalkingTransition, walking_sequence
from footfall.motion.motion import Motion
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.motion.reduced_model import ReducedModel
from footfall.planning.contacts import Blockage, Goal, PlannedContacts, SearchEffort, Stance
from footfall.planning.conversion import walking_transitions
from footfall.planning.explanation import explain
from footfall.planning.footsteps import FOUND
from footfall.planning.kept_guide import KeptGuide, kept_guide
from footfall.planning.leg_ways import LegsOnTheirWay
from footfall.planning.parameters import PlannerParameters
from footfall.planning.postprocess import narrowest_gap, stances_of, widths
from footfall.planning.search import (
    Aim,
    Path,
    Search,
    SearchOptions,
    explored_places,
    guide_anew,
    guide_for,
    new_search,
    path_of,
    path_to,
    place_of,
    standable_goal,
    states_around,
)
from footfall.planning.surroundings import surroundings
from footfall.planning.swings import Swings, over_ground
from footfall.planning.tables import Tables, tables_for
from footfall.planning.watch import Watch
from footfall.planning.way_points import way_points

MOST_NODES = "search.most_nodes"
STOREY = 1.0  # m by which a goal may be higher or lower than the ground where it is
_SAME_PLACE = 0.3  # m: footholds that are refused for the same reason are no farther apart
_LONG = 7.0  # m between start and goal; longer ways lead over way points
_LEG_MARGIN = 1.6  # m around each part of a long way
_PATIENCE = 10.0  # s of CPU time for looking for what closes a way, without making native code
_QUICK = SearchOptions(weight=2.0)  # to see whether there is a way at all


@dataclass
class Job:
    """One call of the planner. aims: what is passed through on the way, the goal last. parts: what was found for each;
    banned: states of each that turned out not to be possible; refused: where steps were, x, y in m. notes: what the
    user is told. later: a part that was refused and those after it, which stay if its end does. stuck: number of the
    part that failed last."""

    environment: Environment
    model: ReducedModel
    tables: Tables
    start: RobotPose
    goal: Goal
    options: SearchOptions
    watch: Watch
    check_motion: bool
    keep_explored: bool
    previous: KeptGuide | None = None
    accepts: Callable[[MotionPlan], object] | None = None
    explored: Array = field(default_factory=lambda: np.empty((0, 3)))
    aims: list[Aim] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    banned: list[set[int]] = field(default_factory=list)
    refused: list[tuple[float, float]] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    later: list[Part] = field(default_factory=list)
    stuck: int | None = None
    effort: SearchEffort = field(default_factory=SearchEffort)

    def plan(self) -> PlannedContacts:
        """Plan part by part; what the motion generator refuses is left out and planned again."""
        if (elsewhere := self._other_storey()) is not None:
            self.aims, self.parts = (
                [Aim(self.goal)],
                [Part(self.start, (), math.inf, elsewhere, failed=True)],
            )
            return self._result(elsewhere)
        self.aims = self._chosen_aims()
        self.banned = [set() for _ in self.aims]
        self.watch.done("environment")
        while True:
            while len(self.parts) < len(self.aims):
                part = self._next_part()
                self.parts.append(part)
                if not part.failed and self.later and part.end == self.later[0].end:
                    self.parts += self.later[1:]
                    part = self.parts[-1]
                elif self.later:  # what follows begins elsewhere, where states have other numbers
                    self.banned[len(self.parts) :] = [set() for _ in self.aims[len(self.parts) :]]
                self.later = []
                if part.failed and self._other_way():
                    continue
                if part.blockage is not None or part.failed:
                    return self._result(part.blockage)
                if not part.at_goal and not self.aims[len(self.parts) - 1].radius:
                    break  # the horizon
            try:
                return self._result(None)
            except InvalidTransition as refused:
                self.watch.done("motion")
                if not self._ban(refused.number):
                    why = f"no plan was accepted after {self.effort.repairs} repairs: {refused}"
                    self.parts[-1].failed = True
                    return self._result(Blockage("limit", "search.repairs", why))

    def _other_storey(self) -> Blockage | None:
        """Why a goal is not on the ground that is seen where it is, None if it may be."""
        if self.goal.z is None:
            return None
        found = sample_terrain(self.environment.terrain, np.array([[self.goal.x, self.goal.y]]))
        height = float(found.height[0])
        if not found.seen[0] or abs(height - self.goal.z) <= STOREY:
            return None
        return Blockage(
            "goal",
            "height",
            f"the goal is {self.goal.z:.2f} m high, the ground that is seen there {height:.2f} m: it is on another "
            "storey, and a map has one height a place",
        )

    def _chosen_aims(self) -> list[Aim]:
        middle, _ = mean_foot_frame(*self.start.feet)
        far = math.hypot(middle[0] - self.goal.x, middle[1] - self.goal.y) > _LONG
        if far and self.options.guided and self.options.horizon is None:
            return way_points(self.environment, self.tables, middle, self.goal)
        return [Aim(self.goal)]

    def _other_way(self) -> bool:
        """Leave a point to pass out: the one that a part could not reach, or where it began if it was not the first to
        fail from there. Whether there is such a point."""
        failed = len(self.parts) - 1
        ahead = failed < len(self.aims) - 1 and failed != self.stuck  # the goal is where it is
        dropped = failed if ahead else failed - 1
        if dropped < 0 or self.watch.stopped:
            return False
        self.stuck = failed if ahead else None
        after = self.aims[dropped + 1]
        self.aims[dropped + 1] = after._replace(way=self.aims[dropped].way + after.way)
        del self.parts[dropped:], self.aims[dropped]
        self.banned = [set() for _ in self.aims]
        return True

    def _next_part(self) -> Part:
        """Search the next part from where the one before ended."""
        number = len(self.parts)
        if len(self.aims) == 1 and self.later and self.later[0].search is not None:
            return self._solved(self.later[0].search, self.banned[0])  # all that it has looked at still holds
        start = self.start if number == 0 else self.parts[-1].end
        margin = self.tables.parameters.grid.margin_m if len(self.aims) == 1 else _LEG_MARGIN
        kept = self.previous if len(self.aims) == 1 else None
        aim = self.aims[number]
        options = self.options if number == 0 else self.options._replace(kept_hands=())
        search = self._search(self.environment, self.tables, start, aim, options, margin, kept)
        if search.refused is not None:
            return Part(start, (), math.inf, search.refused, failed=True)
        off = math.hypot(search.aim.goal.x - self.goal.x, search.aim.goal.y - self.goal.y)
        if number == len(self.aims) - 1 and off > 0.0:
            self.notes = (f"feet find no ground at the goal: the plan ends {off:.2f} m beside it",)
        return self._solved(search, self.banned[number])

    def _search(
        self,
        environment: Environment,
        tables: Tables,
        start: RobotPose,
        aim: Aim,
        options: SearchOptions,
        margin: float,
        kept: KeptGuide | None = None,
    ) -> Search:
        around = surroundings(environment, tables, *part_bounds(environment, start, aim, margin))
        self.watch.done("environment")
        search = new_search(around, tables, start, aim, options)
        if search.refused is not None and (moved := standable_goal(search)) is not None:
            search = new_search(around, tables, start, aim._replace(goal=moved), options)
        if search.refused is None and options.guided:
            search = guide_for(search, kept)
        self.watch.done("guide")
        return search

    def _solved(self, search: Search, banned: set[int]) -> Part:
        """Search until the stances of a path are possible when looked at closely."""
        while True:
            search.allowed = self._left(search)
            outcome = search.run(banned, self.watch)
            self.watch.done("search")
            self._count(search)
            if self.keep_explored:
                self.explored = explored_places(search)
            if outcome != FOUND and search.kept and not self.watch.stopped:
                search = guide_anew(search)
                self.watch.done("guide")
                continue
            if outcome != FOUND:
                return self._partial(search)
            path = path_of(search)
            try:
                stances = stances_of(search, path)
                part = Part(
                    path.pose, stances, search.cost, None, path.numbers, search.at_goal, search=search
                )
                if self.later and len(self.aims) > 1 and self.check_motion:
                    self._check_again(part)
            except InvalidTransition as refused:
                self.watch.done("refinement")
                if not self._repaired():
                    return self._partial(search)
                banned |= self._around_refused(search, path.numbers, refused.number)
                continue
            self.watch.done("refinement")
            return part

    def _check_again(self, part: Part) -> None:
        """InvalidTransition if the motion generator refuses a step of a part that is planned again, between the parts
        beside it: with all parts of a long way it takes ten times as long."""
        before = self.parts[-1:]
        around = [*before, part, *(self.later[1:2] if part.end == self.later[0].end else [])]
        try:
            steps, plan = self._walked(
                around[0].start, [stance for each in around for stance in each.stances]
            )
            moved = _moved(Swings(steps, plan.sequences[0]), self.model, self.environment.terrain.packed)
            self._check_legs(moved.motion, around)
        except InvalidTransition as refused:
            step = refused.number - sum(len(each.stances) for each in before)
            if 0 <= step < len(part.stances):
                raise InvalidTransition(step, refused.message) from None

    def _check_legs(self, motion: Motion, parts: list[Part]) -> None:
        """InvalidTransition if a leg would be in something that was looked at for the part that it walks."""
        legs, first = LegsOnTheirWay(motion), 0
        for part in parts:
            last = part is parts[-1]
            steps = range(first, len(motion.given.transitions) if last else first + len(part.stances))
            if part.search is not None:
                legs.check(part.search.around.solids, steps)
            first += len(part.stances)

    def _count(self, search: Search) -> None:
        effort = self.effort
        self.effort = replace(
            effort,
            guide_nodes=effort.guide_nodes + search.guide_nodes,
            nodes=effort.nodes + search.explored,
            guide=search.guide_kind,
        )
        search.explored = search.guide_nodes = 0

    def _left(self, search: Search) -> int:
        """How many states may still be looked at: as many as the parameters say for each part of a way. Counted, and
        not timed, so that plans do not depend on the machine."""
        if not self.options.guided or not search.problem.guided:
            return search.allowed
        most = self.tables.parameters.search.most_nodes * len(self.aims)
        return max(most - self.effort.guide_nodes - self.effort.nodes - search.guide_nodes, 0)

    def _repaired(self) -> bool:
        """Count a repair; whether it is allowed."""
        self.effort = replace(self.effort, repairs=self.effort.repairs + 1)
        return self.effort.repairs <= self.tables.parameters.search.repairs

    def _partial(self, search: Search) -> Part:
        """As near to the goal as the search came."""
        why = Blockage("search", "stopped", "planning was stopped") if self.watch.stopped else None
        if why is None and search.problem.guided and self._left(search) == 0:
            most = self.tables.parameters.search.most_nodes
            limit = f"no way was found within the {most:,} states that a plan may look at (search.most_nodes)"
            why = Blockage("search", MOST_NODES, limit)
        number = search.closest
        stances: tuple[Stance, ...] = ()
        path = Path(search.start, (), (), ())
        if number is not None:
            path = path_to(search, number)
            try:
                stances = stances_of(search, path)
            except InvalidTransition:
                path = path._replace(numbers=())
        where = place_of(search, search.starts[0] if number is None else number)
        return Part(path.pose, stances, math.inf, why, path.numbers, False, failed=True, where=where)

    def _ban(self, number: int) -> bool:
        """Leave out what a refused step leads to, and all that was planned after it; whether that is allowed."""
        if not self._repaired():
            return False
        for k, part in enumerate(self.parts):
            if number < len(part.stances) or k == len(self.parts) - 1:
                assert part.search is not None
                self.banned[k] |= self._around_refused(part.search, part.numbers, number)
                self.later, self.parts = self.parts[k:], self.parts[:k]
                return True
            number -= len(part.stances)
        return False

    def _around_refused(self, search: Search, numbers: tuple[int, ...], step: int) -> set[int]:
        """What to leave out after a step of a path was refused: the state that it leads to. If steps to about the same
        place are refused again and again, more around it, and by turns around the stance that they start from."""
        step = min(step, len(numbers) - 1)  # closing steps are not planned
        x, y = place_of(search, numbers[step]).tolist()
        before = sum(math.hypot(x - u, y - v) < _SAME_PLACE for u, v in self.refused)
        self.refused.append((x, y))
        return states_around(search, numbers[step - before % 2 if step > 0 else step], before // 2)

    def _result(self, why: Blockage | None) -> PlannedContacts:
        """The plan of all parts; raises if the motion generator refuses it."""
        stances, cost = [], 0.0
        for part in self.parts:
            stances += [replace(stance, cost=cost + stance.cost) for stance in part.stances]
            cost += part.cost
        failed = self.parts[-1].failed
        pose = self.parts[0].start
        steps: tuple[WalkingTransition, ...] = ()
        plan = None
        if stances:
            steps, plan = self._walked(pose, stances)
        self.watch.done("transitions")
        result = PlannedContacts(
            not failed,
            cost,
            pose,
            self.goal,
            tuple(stances),
            steps,
            plan,
            self.effort,
            complete=not failed and self.parts[-1].at_goal,
            why_not=why,
            explored=self.explored,
            guide=self._kept(),
        )
        if stances and self.check_motion and not failed:
            assert plan is not None
            moved = _moved(Swings(steps, plan.sequences[0]), self.model, self.environment.terrain.packed)
            self._check_legs(moved.motion, self.parts)
            swings = moved.swings
            result = replace(
                result,
                steps=swings.steps,
                motion_plan=MotionPlan((swings.sequence,)),
                warnings=moved.warnings,
            )
            if self.accepts is not None and result.motion_plan is not None:
                self.accepts(result.motion_plan)
            self.watch.done("motion")
        effort = replace(self.effort, milliseconds=dict(self.watch.milliseconds))
        return replace(result, effort=effort, warnings=(*result.warnings, *self.notes))

    def _kept(self) -> KeptGuide | None:
        """What the next plan to the same goal may use."""
        search = self.parts[0].search
        if len(self.aims) > 1 or search is None:
            return None
        return self.previous if search.kept else kept_guide(search)

    def _walked(
        self, pose: RobotPose, stances: list[Stance]
    ) -> tuple[tuple[WalkingTransition, ...], MotionPlan]:
        tables, terrain = self.tables, self.environment.terrain.packed
        steps = walking_transitions(
            pose, stances, tables.parameters, terrain, tables.refinement, tables.biped.foot_distance
        )
        sequence = walking_sequence(steps, pose, gait_dimensions(self.model), action=Action.AUTONOMOUS)
        return tuple(steps), MotionPlan((sequence,))

    def improved(self, plan: PlannedContacts) -> PlannedContacts:
        """The best plan that is found until the deadline, with what is known of how good it is."""
        best, bound = plan, 0.0
        margin = self.tables.parameters.grid.margin_m
        for weight in (1.2, 1.1, 1.05, 1.0):
            options = SearchOptions(False, weight, self.options.horizon)
            search = self._search(self.environment, self.tables, self.start, Aim(self.goal), options, margin)
            part = self._solved(search, set())
            # A* with a consistent estimate and a weight is never worse than the weight says (Pohl 1970).
            bound = max(bound, search.bound, 0.0 if part.failed else part.cost / weight)
            if not part.failed and part.cost < best.cost:
                self.parts = [part]
                try:
                    best = self._result(None)
                except InvalidTransition:
                    continue
            if self.watch.stopped:
                break
        ratio = best.cost / bound if bound > 0.0 else math.inf
        effort = replace(self.effort, bound=ratio, milliseconds=dict(self.watch.milliseconds))
        return replace(best, effort=effort)

    def explanation(self, plan: PlannedContacts) -> Blockage:
        """What closes the way from where the last part ended."""
        part = self.parts[-1]
        aim = self.aims[len(self.parts) - 1]
        start = self.start if len(self.parts) == 1 else self.parts[-2].end
        margin = self.tables.parameters.grid.margin_m
        quiet, begin = Watch(), running_seconds()

        def passable(environment: Environment, parameters: PlannerParameters) -> bool:
            if running_seconds() - begin > _PATIENCE or self.watch.stopped:
                raise TimeoutError
            tables = tables_for(self.model, parameters)
            search = self._search(environment, tables, start, aim, _QUICK, margin)
            if search.refused is not None or not math.isfinite(search.guide_cost):
                return False
            return search.run(set(), quiet) == FOUND

        where = part.where if part.where is not None else np.array([self.goal.x, self.goal.y])
        try:
            return explain(self.environment, self.tables.parameters, where, passable, self._gap_beside)
        except TimeoutError:
            place = f"({where[0]:.2f}, {where[1]:.2f})"
            text = f"no steps lead on from near {place}; what closes the way was not found in time"
            return Blockage("search", "reason", text)

    def _gap_beside(self, id: str) -> str:
        """What is said of the gap between an object and the next one beside it, if the robot is too wide for it."""
        found = narrowest_gap(self.environment, id)
        ahead, aside = widths(self.tables.biped)
        if found is None or found.wide > ahead:
            return ""
        return (
            f": the gap to {found.other!r} is {found.wide:.2f} m, the robot needs {ahead:.2f} m ahead, {aside:.2f} m "
            "sideways"
        )


@dataclass
class Part:
    """A part of a plan: the pose in which it begins, stances, their cost and the numbers of their states. failed:
    whether its aim was not reached; where (2,): the place nearest to it, m. search: what found it."""

    start: RobotPose
    stances: tuple[Stance, ...]
    cost: float
    blockage: Blockage | None
    numbers: tuple[int, ...] = ()
    at_goal: bool = False
    failed: bool = False
    where: Array | None = None
    search: Search | None = None

    @property
    def end(self) -> RobotPose:
        """The pose after its last step, as far as feet go."""
        pose = self.start
        for stance in self.stances[-2:]:
            placed = stance.placement
            foot = FootState(placed.position, placed.rotation, True, placed.contact)
            side = "right_foot" if placed.foot == "RF" else "left_foot"
            pose = replace(pose, stance=placed.foot, **{side: foot})  # type: ignore[arg-type]
        return pose


class Moved(NamedTuple):
    """Steps that lift feet over the ground, their motion, and what the motion generator warns of them."""

    swings: Swings
    motion: Motion
    warnings: tuple[str, ...]


def _moved(swings: Swings, model: ReducedModel, terrain: PackedTerrain) -> Moved:
    """How steps move; raises if the motion generator refuses them, or if no step is high enough."""
    swings = over_ground(swings, model, terrain)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MotionWarning)
        motion = generate_motion(MotionPlan((swings.sequence,)), model)
    warned = (str(each.message) for each in caught if issubclass(each.category, MotionWarning))
    return Moved(swings, motion, tuple(warned))


def part_bounds(
    environment: Environment, start: RobotPose, aim: Aim, margin: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """The rectangle that is searched: around start, goal and way, as far as there is terrain."""
    middle, _ = mean_foot_frame(*start.feet)
    ends = np.array([middle[:2], (aim.goal.x, aim.goal.y), *aim.way])
    low, high = ends.min(axis=0) - margin, ends.max(axis=0) + margin
    known = environment.terrain.bounds
    low, high = np.maximum(low, known[0]), np.minimum(high, known[1])
    low, high = np.minimum(low, ends.min(axis=0) - 0.4), np.maximum(high, ends.max(axis=0) + 0.4)
    return (float(low[0]), float(low[1])), (float(high[0]), float(high[1]))
