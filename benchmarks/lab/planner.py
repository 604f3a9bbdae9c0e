"""Contact plans measured: the nine scenes of the source, random scenes, noisy ground, replanning and long ways.

Every plan is judged by `plan_checker`, which shares no code with the planner.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.lab.plan_checker import Capsule, CheckLimits, PlanCheck, check_plan
from footfall import Scene, load, load_scene
from footfall.arrays import Array
from footfall.environment import (
    Environment,
    PerceptionOptions,
    perceive,
    terrain_from_cells,
)
from footfall.environment.patch import FINEST
from footfall.gait import FootContact, RobotPose, idle_pose
from footfall.math import rotation_z
from footfall.math.transform import Transform
from footfall.motion.model_derivation import reduced_model
from footfall.motion.pipeline import gait_dimensions
from footfall.motion.reduced_model import ReducedModel
from footfall.planning import (
    Goal,
    PlannedContacts,
    PlanningContext,
    Teleoperate,
    TransitionPlanner,
    VelocityCommand,
    commanded_steps,
    plan_contacts,
)
from footfall.planning.biped import biped_of
from footfall.scene import make_scene
from footfall.volumes import SweptVolume
from footfall.walking.settings import planner_parameters

NINE = (
    "platform", "right-wall", "right-table", "corridor", "obstacles", "ramps", "stairs", "stairs-partial", "trap"
)  # fmt: skip
EXACT = PerceptionOptions(voxel=0.0, noise=0.0)
_SEEN_FAR = 0.025  # m: voxels of 5 cm round edges by half of one


class Source(NamedTuple):
    """Seiwald 2023, table 5.4: nodes of both levels, contact planner in ms, steps, slow steps, hands, motion in s."""

    nodes: int
    milliseconds: float
    steps: int
    slow: int
    hands: bool
    seconds: float


SOURCE = {
    "platform": Source(5_496 + 7_085, 639.0, 10, 6, True, 12.3),
    "right-wall": Source(9_413 + 9_026, 1337.0, 7, 3, True, 8.7),
    "right-table": Source(8_972 + 7_272, 887.9, 7, 3, True, 8.7),
    "corridor": Source(5_397 + 7_969, 985.0, 8, 3, True, 9.5),
    "obstacles": Source(9_646 + 9_863, 733.3, 20, 2, False, 18.7),
    "ramps": Source(3_888 + 11_169, 1044.9, 11, 4, False, 12.3),
    "stairs": Source(2_122 + 6_837, 517.6, 11, 7, False, 13.5),
    "stairs-partial": Source(10_012 + 75_580, 7225.8, 11, 6, False, 13.1),
    "trap": Source(37_280 + 11_984, 974.0, 24, 0, False, 21.1),
}


@dataclass(frozen=True)
class Robot:
    """Who walks: a reduced model, its pose at rest in the origin, and capsules around its body for the judge."""

    model: ReducedModel
    start: RobotPose
    body: tuple[Capsule, ...]


def walker(name: str = "lola") -> Robot:
    """A robot by its name; the judge checks the volumes that the planner takes its body for, by other code."""
    model = reduced_model(load(name))
    biped = biped_of(model)
    parts: list[tuple[SweptVolume, str | None]] = [(biped.body, None)]
    parts += list(zip(biped.arms, ("RH", "LH"), strict=False))
    body = []
    for volume, hand in parts:
        for each in volume.elements:
            first, second = (
                tuple(float(x) for x in corner) for corner in (each.corners[0], each.corners[-1])
            )
            body.append(Capsule(first, second, each.radius, hand))  # type: ignore[arg-type]
    return Robot(model, idle_pose(gait_dimensions(model)), tuple(body))


def goal_of(scene: Scene) -> Goal:
    """Where a scene is to be left."""
    assert scene.goal is not None
    x, y, _ = scene.goal.translation.tolist()
    turn = scene.goal.rotation
    return Goal(x, y, float(np.arctan2(turn[1, 0], turn[0, 0])))


def judge(result: PlannedContacts, scene: Scene, robot: Robot, *, exact: bool) -> PlanCheck:
    """What the independent checker says of a plan. exact: planned on the scene as it is."""
    assert result.motion_plan is not None
    return check_plan(
        result.motion_plan,
        scene,
        robot.model,
        start=robot.start,
        goal=(result.goal.x, result.goal.y, result.goal.yaw),
        body=robot.body,
        limits=CheckLimits(sight=0.002 if exact else _SEEN_FAR),
    )


# Nine scenes


class SceneRow(NamedTuple):
    """A scene: the plan of the last run, its check, and ms by stage as trimmed means over the runs."""

    name: str
    result: PlannedContacts
    check: PlanCheck | None
    milliseconds: dict[str, float]
    best_cost: float

    @property
    def total(self) -> float:
        """Contact planner without pre-processing, ms."""
        return sum(value for stage, value in self.milliseconds.items() if not stage.startswith("environment"))

    @property
    def slow(self) -> int:
        """Steps that take longer than usual."""
        return sum(step.duration is not None and step.duration > 1.0 for step in self.result.steps)

    @property
    def special(self) -> str:
        """Footholds that are not on the whole sole."""
        kinds = [step.contact for step in self.result.steps]
        named = [
            f"{kinds.count(kind)} {kind.value}"
            for kind in (FootContact.PARTIAL, FootContact.TIPTOE)
            if kind in kinds
        ]
        return ", ".join(named) or "all whole"


def measure_scene(name: str, robot: Robot, *, runs: int, exact: bool, best: bool = True) -> SceneRow:
    """Plan a scene many times, as in footnote 72 of Seiwald 2023: the fastest and slowest tenth are left out.

    best: whether the best plan of all is searched for too, without a guide.
    """
    scene = make_scene(name)
    environment = perceive(scene, EXACT if exact else None)
    goal = goal_of(scene)
    results = [plan_contacts(environment, robot.model, goal, start=robot.start) for _ in range(runs + 1)][1:]
    stages = list(results[-1].effort.milliseconds)
    times = {
        stage: trimmed_mean([each.effort.milliseconds.get(stage, 0.0) for each in results])
        for stage in stages
    }
    last = results[-1]
    check = judge(last, scene, robot, exact=exact) if last.found else None
    cost = np.inf
    if best:
        cost = plan_contacts(
            environment, robot.model, goal, start=robot.start, guided=False, check_motion=False
        ).cost
    return SceneRow(name, last, check, times, cost)


def trimmed_mean(values: list[float]) -> float:
    """Mean without the least and the greatest tenth."""
    ordered, cut = sorted(values), len(values) // 10
    return float(np.mean(ordered[cut : len(ordered) - cut]))


# Scenes of strangers

STRANGERS = sorted((Path(__file__).parents[1] / "scenes").glob("*.toml"))


class StrangerRow(NamedTuple):
    """A scene that the planner was not made with: the plan of the last run, its check, and ms (median), planned as by
    default and with the parameters of a walk."""

    name: str
    result: PlannedContacts
    check: PlanCheck | None
    milliseconds: float
    walking: PlannedContacts
    walking_milliseconds: float


def measure_stranger(path: Path, robot: Robot, *, runs: int) -> StrangerRow:
    """Plan through a scene of a file, known exactly."""
    scene = load_scene(path)
    environment, goal = perceive(scene, EXACT), goal_of(scene)
    results = []
    for parameters in (None, planner_parameters(robot.model)):
        plans = [
            plan_contacts(
                environment, robot.model, goal, start=robot.start, parameters=parameters, explained=False
            )
            for _ in range(runs + 1)
        ][1:]
        times = [sum(v for k, v in each.effort.milliseconds.items() if k != "environment") for each in plans]
        results.append((plans[-1], float(np.median(times))))
    (plan, time_of_plan), (walk, time_of_walk) = results
    check = judge(plan, scene, robot, exact=True) if plan.found else None
    return StrangerRow(scene.name, plan, check, time_of_plan, walk, time_of_walk)


# Random scenes


class RandomRow(NamedTuple):
    """A random scene: whether a way was found, its cost, ms, repairs and faults."""

    seed: int
    found: bool
    cost: float
    milliseconds: float
    repairs: int
    faults: tuple[str, ...]
    warnings: int


def random_scene(seed: int) -> Scene:
    """Boxes, plates and posts on 4 m of floor."""
    return make_scene("random-obstacles", seed=seed, count=9, length=4.0, width=3.0, clearance=0.45)


def study_random(robot: Robot, seeds: range) -> Iterator[RandomRow]:
    """Plans through random scenes, judged."""
    for seed in seeds:
        scene = random_scene(seed)
        found = plan_contacts(
            perceive(scene, EXACT), robot.model, goal_of(scene), start=robot.start, explained=False
        )
        check = judge(found, scene, robot, exact=True) if found.found else None
        faults = () if check is None else tuple(f"{each.kind}: {each.what}" for each in check.faults)
        warned = 0 if check is None else len(check.warnings)
        yield RandomRow(
            seed, found.found, found.cost, found.milliseconds, found.effort.repairs, faults, warned
        )


class ComparedRow(NamedTuple):
    """A random scene planned with and without guide: costs (infinite without a way), nodes, and s without guide."""

    seed: int
    cost: float
    best_cost: float
    nodes: int
    best_nodes: int
    best_seconds: float


def small_random_scene(seed: int) -> Scene:
    """Boxes, plates and posts on 2.2 m of floor: there the search without guide ends within seconds."""
    return make_scene("random-obstacles", seed=seed, count=5, length=2.2, width=2.0, clearance=0.45)


def compare_random(robot: Robot, seeds: range) -> Iterator[ComparedRow]:
    """How much worse plans are than the best ones, which the search without guide finds."""
    for seed in seeds:
        scene = small_random_scene(seed)
        environment, goal = perceive(scene, EXACT), goal_of(scene)

        def planned(
            guided: bool, environment: Environment = environment, goal: Goal = goal
        ) -> PlannedContacts:
            return plan_contacts(
                environment,
                robot.model,
                goal,
                start=robot.start,
                guided=guided,
                check_motion=False,
                explained=False,
            )

        ours = planned(True)
        begin = time.thread_time()
        best = planned(False)
        seconds = time.thread_time() - begin
        yield ComparedRow(
            seed,
            ours.cost if ours.found else np.inf,
            best.cost if best.found else np.inf,
            ours.effort.nodes,
            best.effort.nodes,
            seconds,
        )


# Noisy ground


def with_ripple(environment: Environment, height: float, wavelength: float, seed: int) -> Environment:
    """The environment as poor cameras see it: waves on the ground, from valley to crest, m."""
    rng = np.random.default_rng(seed)
    lower, upper = environment.terrain.bounds
    window = environment.terrain.window(tuple(lower.tolist()), tuple(upper.tolist()), level=FINEST)
    x = window.x + 0.01 * np.arange(window.mean.shape[0])[:, None]
    y = window.y + 0.01 * np.arange(window.mean.shape[1])[None, :]
    angle, first, second = rng.uniform(0.0, 2 * np.pi, 3)
    c, s = np.cos(angle), np.sin(angle)
    waves = np.sin(2 * np.pi * (c * x + s * y) / wavelength + first)
    waves = (waves + np.sin(2 * np.pi * (c * y - s * x) / wavelength + second)) / 2
    heights = np.nan_to_num(window.mean.astype(np.float64) + height / 2 * waves)
    first_cell = (round(window.x / 0.01), round(window.y / 0.01))
    terrain = terrain_from_cells(heights, window.sure.astype(np.float64), first=first_cell)
    return replace(environment, terrain=terrain)


def with_displaced_objects(environment: Environment, distance: float, seed: int) -> Environment:
    """Every object at another place, off by a distance in a random direction, m, and turned by up to 3 degrees."""
    rng = np.random.default_rng(seed)
    moved = {}
    for id, each in environment.objects.items():
        angle = rng.uniform(0.0, 2 * np.pi)
        way: Array = distance * np.array([np.cos(angle), np.sin(angle), 0.0])
        turn = rotation_z(float(rng.uniform(-0.05, 0.05)))
        placement = Transform(each.placement.rotation @ turn, each.placement.translation + way)
        moved[id] = each.moved(placement)
    return replace(environment, objects=moved)


def success_rate(name: str, robot: Robot, kind: str, seeds: range) -> float:
    """Share of noisy views of a scene in which a way is found."""
    scene = make_scene(name)
    environment = perceive(scene)
    found = 0
    for seed in seeds:
        if kind == "ripple":
            noisy = with_ripple(environment, 0.04, 0.4, seed)
        else:
            noisy = with_displaced_objects(environment, 0.07, seed)
        found += plan_contacts(noisy, robot.model, goal_of(scene), start=robot.start).found
    return found / len(seeds)


# Replanning and long ways


def measure_replanning(name: str, robot: Robot, *, runs: int, horizon: int = 8) -> tuple[float, float]:
    """Plan again with one box that has moved, over some steps: ms anew and after the plan before, trimmed means; each
    time it stands elsewhere."""
    scene = make_scene(name)
    environment = perceive(scene)
    movable = [each for each in environment.objects.values() if each.category != "floor"]
    means = []
    for again in (False, True):
        times, before = [], None
        for k in range(runs + 1):
            here = environment
            if movable:
                box = movable[0]
                shift = np.array([0.01 * (k % 5), 0.0, 0.0])
                moved = box.moved(Transform(box.placement.rotation, box.placement.translation + shift))
                here = replace(environment, objects={**environment.objects, box.id: moved})
            begin = time.thread_time()
            plan = plan_contacts(
                here, robot.model, goal_of(scene), start=robot.start, horizon=horizon, previous=before
            )
            times.append(1e3 * (time.thread_time() - begin))
            before = plan if again else None
        means.append(trimmed_mean(times[1:]))
    return means[0], means[1]


class CommandTimes(NamedTuple):
    """Medians: us for the steps of a command, ms with all poses of its transitions."""

    steps_us: float
    poses_ms: float


def measure_commands(robot: Robot, *, runs: int = 200) -> CommandTimes:
    """How long planning takes when an operator walks the robot."""
    command = VelocityCommand(0.3, 0.05, 0.1)
    planner, request = TransitionPlanner(PlanningContext(robot.model)), Teleoperate(command)

    def median(work: Callable[[], object]) -> float:
        times = []
        for _ in range(runs):
            begin = time.thread_time()
            work()
            times.append(time.thread_time() - begin)
        return float(np.median(times))

    steps = median(lambda: commanded_steps(command, "LF"))
    poses = median(lambda: planner.plan(request, robot.start))
    return CommandTimes(1e6 * steps, 1e3 * poses)


class Memory(NamedTuple):
    """MB: of a process that has loaded all but planned nothing, and by how much it grows at most."""

    idle_mb: float
    planning_mb: float


_MEMORY = """
import resource
from benchmarks.lab import planner as lab
from footfall.environment import perceive
from footfall.planning import plan_contacts
from footfall.scene import make_scene
robot = lab.walker()
seen = [(perceive(make_scene(name)), lab.goal_of(make_scene(name))) for name in lab.NINE]
idle = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for environment, goal in seen:
    plan_contacts(environment, robot.model, goal, start=robot.start)
print(idle, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def memory_of_planning(robot: Robot) -> Memory:
    """Measured in a process of its own, over all nine scenes."""
    root = str(Path(__file__).parents[2])
    run = subprocess.run(
        [sys.executable, "-c", _MEMORY], cwd=root, capture_output=True, text=True, check=True
    )
    idle, most = (int(number) / 1024 for number in run.stdout.split())
    return Memory(idle, most - idle)


class LongWay(NamedTuple):
    """A way through something large: m from start to goal, faults that the judge finds (None without a plan), s for
    the map, and s for the plan with pre-processing, hands' surfaces known."""

    name: str
    found: bool
    distance: float
    steps: int
    hands: int
    nodes: int
    faults: int | None
    map_seconds: float
    seconds: float


def measure_long_ways(robot: Robot) -> list[LongWay]:
    """A floor of 50 m with boxes, the corridor of a building, and a building with stairs up and down."""
    floor, house, levels = (
        make_scene("long-floor", length=50.0),
        make_scene("building", rooms=13, floors=1),
        make_scene("split-level"),
    )
    return [
        measure_long_way("50 m of floor with boxes", floor, goal_of(floor), robot),
        measure_long_way("corridor of a building, 50 m", house, Goal(50.0, 0.0), robot),
        measure_long_way("split-level building, stairs up and down", levels, goal_of(levels), robot),
    ]


def measure_long_way(name: str, scene: Scene, goal: Goal, robot: Robot) -> LongWay:
    """One long way, planned on the scene as it is."""
    begin = time.thread_time()
    environment = perceive(scene, EXACT)
    map_seconds = time.thread_time() - begin
    if scene.start is not None:
        x, y, z = scene.start.translation.tolist()
        robot = replace(robot, start=idle_pose(gait_dimensions(robot.model), position=(x, y, z)))
    plan_contacts(environment, robot.model, goal, start=robot.start)
    begin = time.thread_time()
    result = plan_contacts(environment, robot.model, goal, start=robot.start)
    seconds = time.thread_time() - begin
    faults = len(judge(result, scene, robot, exact=True).faults) if result.found else None
    counts = len(result.steps), len(result.hand_contacts), result.nodes
    return LongWay(name, result.found, float(np.hypot(goal.x, goal.y)), *counts, faults, map_seconds, seconds)
