"""LOLA reaches close to its body, with and without something that keeps its parts apart."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import footfall
from footfall.arrays import Array
from footfall.control.collision_limits import CollisionLimits
from footfall.control.inverse_kinematics.costs import ComfortCost, CostSum, NullSpaceCost, RepulsiveCost
from footfall.control.inverse_kinematics.position import solve_ik
from footfall.control.inverse_kinematics.rates import BoundedRate, GuardedRate, ResolvedRate
from footfall.control.tasks.poses import PoseTask
from footfall.control.tasks.positions import frame_position
from footfall.control.tasks.task import MotionTask
from footfall.errors import MotionWarning
from footfall.motion.following import FreeMotion, follow_motion
from footfall.motion.model_derivation import standing_configuration
from footfall.robot.model import Robot

DT, STEPS = 0.01, 200  # s; two seconds for a target
CLEARANCE = 0.01  # m
ARM = ("afr", "aar", "arr", "efr")
Step = Callable[[Array, list[MotionTask]], Array]


class Reached(NamedTuple):
    """Of all targets: how often volumes overlapped, the least gap, m; how many were met to 5 mm; the median of what is
    left, m; the greatest joint rate, rad/s (median and largest of all targets); time of a step, us."""

    method: str
    collisions: int
    least: float
    met: int
    left: float
    speed: float
    fastest: float
    microseconds: float


def arm_pairs(robot: Robot) -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in robot.volume_pairs if "arm" in pair[0])


def free_targets(robot: Robot, count: int, seed: int = 0) -> list[Array]:
    """Places (3,) of the right hand for which a free posture exists, its forearm within 4 cm of the body."""
    rng, idle, pairs = np.random.default_rng(seed), robot.configuration("idle"), arm_pairs(robot)
    places = [range(robot.nq)[robot.q_slice(name)][0] for name in ARM]
    lower, upper = np.maximum(robot.lower_limits, -1.6), np.minimum(robot.upper_limits, 1.6)
    forearm = [k for k, pair in enumerate(pairs) if pair[0] == "forearm_right"]
    found: list[Array] = []
    while len(found) < count:
        poses = np.tile(idle, (500, 1))
        poses[:, places] = rng.uniform(lower[places], upper[places], size=(500, len(places)))
        gaps = footfall.volumes.volume_distances(robot, poses, pairs=pairs).distance
        near = (gaps.min(axis=1) > 1.2 * CLEARANCE) & (gaps[:, forearm].min(axis=1) < 0.04)
        found += [footfall.frame_pose(robot, q, "RH").translation.copy() for q in poses[near]]
    return found[:count]


def hand_tasks(robot: Robot, target: Array) -> list[MotionTask]:
    trunk = PoseTask(
        "UB", footfall.frame_pose(robot, robot.configuration("idle"), "UB"), gains=10.0, weight=100.0
    )
    return [trunk, frame_position("RH", target, gains=5.0)]


def steppers(robot: Robot) -> dict[str, Step]:
    """Ways to follow the hand, by name."""
    idle, pairs = robot.configuration("idle"), arm_pairs(robot)
    first = hand_tasks(robot, np.zeros(3))
    collisions = CollisionLimits(pairs=pairs, clearance=CLEARANCE)
    comfort = ComfortCost(tuple(idle.tolist()), comfort_gain=0.5)
    push = RepulsiveCost(reach=0.06, strength=2.0, pairs=pairs, step=DT)
    plain = ResolvedRate(robot, first, cost=comfort)
    pushed = ResolvedRate(robot, first, cost=CostSum((comfort, push)))
    return {
        "joint limits only": BoundedRate(robot, first, dt=DT, damping=0.01),
        "null-space cost": pushed,
        "null-space cost, guarded": GuardedRate(pushed, dt=DT, collisions=collisions),
        "no cost, guarded": GuardedRate(plain, dt=DT, collisions=collisions),
        "inequalities": BoundedRate(robot, first, dt=DT, damping=0.01, collisions=collisions),
    }


def reach(robot: Robot, name: str, step: Step, targets: list[Array]) -> Reached:
    """All targets from the idle pose, one after the other."""
    pairs, idle = arm_pairs(robot), robot.configuration("idle")
    hits, met, least, left, speeds, spent = 0, 0, np.inf, [], [], 0.0
    for target in targets:
        tasks, q, fastest = hand_tasks(robot, target), idle.copy(), 0.0
        path = np.empty((STEPS, robot.nq))
        begin = time.thread_time()
        for k in range(STEPS):
            v = step(q, tasks)
            fastest = max(fastest, float(np.abs(v[6:]).max()))
            q = footfall.integrate(robot, q, DT * v)
            path[k] = q
        spent += time.thread_time() - begin
        gap = float(footfall.volumes.volume_distances(robot, path, pairs=pairs, threads=1).distance.min())
        off = float(np.linalg.norm(footfall.frame_pose(robot, q, "RH").translation - target))
        hits, least, met = hits + (gap < 0.0), min(least, gap), met + (off < 5e-3)
        left.append(off)
        speeds.append(fastest)
    each = 1e6 * spent / (len(targets) * STEPS)
    return Reached(
        name, hits, least, met, float(np.median(left)), float(np.median(speeds)), max(speeds), each
    )


class Posed(NamedTuple):
    """Position level: how many targets were met, how many of the poses overlap, time of one, ms."""

    method: str
    met: int
    collisions: int
    milliseconds: float


def pose(robot: Robot, targets: list[Array], collisions: CollisionLimits | None, restarts: int) -> Posed:
    """All targets by `solve_ik` from the idle pose."""
    pairs, idle, poses = arm_pairs(robot), robot.configuration("idle"), []
    met, begin = 0, time.thread_time()
    for target in targets:
        found = solve_ik(
            robot, idle, hand_tasks(robot, target), tolerance=1e-6, collisions=collisions, restarts=restarts
        )
        met += found.reached
        poses.append(found.q)
    spent = time.thread_time() - begin
    gaps = footfall.volumes.volume_distances(robot, np.array(poses), pairs=pairs).distance.min(axis=1)
    name = ("with" if collisions else "without") + f" collision limits, {restarts} restarts"
    return Posed(name, met, int((gaps < 0.0).sum()), 1e3 * spent / len(targets))


class Law(NamedTuple):
    """A repulsive law at a speed of the hand: least gap, m; sum of all changes of joint rates, rad/s, and of what turns
    back at the next step; greatest error of the hand, m."""

    law: str
    speed: float
    gap: float
    change: float
    ringing: float
    error: float


LAWS = {"linear": 1.0, "mixed": 0.5, "quadratic": 0.0}
SPEEDS = (0.2, 0.4, 0.8, 1.6)  # m/s


def _push(robot: Robot, blend: float) -> ResolvedRate:
    comfort = ComfortCost(tuple(robot.configuration("idle").tolist()), comfort_gain=0.5)
    push = RepulsiveCost(reach=0.06, strength=3.0, blend=blend, pairs=arm_pairs(robot))
    return ResolvedRate(robot, hand_tasks(robot, np.zeros(3)), cost=CostSum((comfort, push)))


def telling_targets(robot: Robot, targets: list[Array], count: int) -> list[Array]:
    """Those where a hand that nothing keeps off collides, and one with the mixed law does not."""
    plain, pushed = BoundedRate(robot, hand_tasks(robot, np.zeros(3)), dt=DT, damping=0.01), _push(robot, 0.5)
    found = []
    for target in targets:
        if reach(robot, "", plain, [target]).collisions and not reach(robot, "", pushed, [target]).collisions:
            found.append(target)
        if len(found) == count:
            break
    return found


def to_and_fro(robot: Robot, law: str, speed: float, target: Array) -> Law:
    """The hand goes from its idle place to a target and back, twice."""
    idle, pairs, dt, step = robot.configuration("idle"), arm_pairs(robot), 0.005, _push(robot, LAWS[law])
    start = footfall.frame_pose(robot, idle, "RH").translation
    trunk, q = hand_tasks(robot, start)[0], idle.copy()
    duration = float(np.linalg.norm(target - start)) / speed
    gap, error, rates = np.inf, 0.0, []
    for k in range(round(4 * duration / dt)):
        phase = np.pi * k * dt / duration
        place = start + (0.5 - 0.5 * np.cos(phase)) * (target - start)
        rate = 0.5 * np.pi / duration * np.sin(phase) * (target - start)
        v = step(q, [trunk, frame_position("RH", place, gains=20.0, rate=rate)])
        rates.append(v)
        error = max(error, float(np.linalg.norm(footfall.frame_pose(robot, q, "RH").translation - place)))
        q = footfall.integrate(robot, q, dt * v)
        gap = min(gap, float(footfall.volumes.volume_distances(robot, q, pairs=pairs).distance.min()))
    changes = np.diff(rates, axis=0)
    turned = np.minimum(np.abs(changes[1:]), np.abs(changes[:-1])) * (changes[1:] * changes[:-1] < 0.0)
    return Law(law, speed, gap, float(np.abs(changes).sum()), float(turned.sum()), error)


def compare_laws(robot: Robot, targets: list[Array], law: str, speed: float) -> Law:
    """The least gap, the median change and the greatest error of several targets."""
    every = [to_and_fro(robot, law, speed, target) for target in targets]
    return Law(
        law,
        speed,
        min(each.gap for each in every),
        float(np.median([each.change for each in every])),
        float(np.median([each.ringing for each in every])),
        max(each.error for each in every),
    )


def walk_sideways(robot: Robot) -> dict[str, tuple[Array, Array]]:
    """Times (n,), s, and least gaps of forearms (n,), m, in a walk to the side with arms that hang close, by what keeps
    them off."""
    model = footfall.reduced_model(robot)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        motion = footfall.generate_motion(footfall.load_plan("sideways", model), model)
    pairs = tuple(pair for pair in robot.volume_pairs if "forearm" in pair[0])
    q = standing_configuration(robot, model)
    hanging = q.copy()
    for name, angle in {
        "afr": 0.25,
        "afl": 0.25,
        "aar": -0.02,
        "aal": 0.02,
        "efr": -0.15,
        "efl": 0.15,
    }.items():
        hanging[robot.q_slice(name)] = angle
    comfort = ComfortCost(tuple(hanging.tolist()), comfort_gain=2.0)
    push = RepulsiveCost(reach=0.08, strength=4.0, pairs=pairs, step=0.005)
    found = {}
    costs: dict[str, NullSpaceCost] = {"without": comfort, "with": CostSum((comfort, push))}
    for name, cost in costs.items():
        followed = follow_motion(robot, motion, q, free=FreeMotion(cost=cost), allowed=0.1)
        gaps = footfall.volumes.volume_distances(robot, followed.q[100:], pairs=pairs).distance
        found[name] = followed.times[100:] - followed.times[0], gaps.min(axis=1)
    return found
