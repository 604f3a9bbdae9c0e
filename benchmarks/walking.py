"""How fast and how robust walking is: periods, batches, scenes with seeds, boards, pushes. Writes a report.

python benchmarks/walking.py [--seeds 10] [--mode full] [--quick] [--output benchmarks/walking.md]
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import footfall
from benchmarks.lab.scene_walks import planned_motion, scene_walks
from footfall.arrays import Array
from footfall.bench.surroundings import load_average, processor
from footfall.gait.actions import stamping, straight
from footfall.gait.plan import MotionPlan
from footfall.gait.poses import NO_WRENCH, RobotPose
from footfall.math.transform import Transform
from footfall.motion.motion import Motion
from footfall.motion.pipeline import generate_motion
from footfall.robot.shapes import Box
from footfall.scene.load import load_scene
from footfall.scene.model import Scene, SceneObject
from footfall.walking.loop import think
from footfall.walking.many import walk_many
from footfall.walking.request import Push, WalkMode, WalkRequest
from footfall.walking.walk import walking_body
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode


def motion_of_plan(code: WalkingCode, name: str) -> Motion:
    return footfall.generate_motion(footfall.load_plan(name, code.body.model), code.body.model)


def speed(code: WalkingCode) -> list[str]:
    """Times of a period, whole and of the controller alone, and how the step of the plant changes forces."""
    motion = motion_of_plan(code, "straight")
    rows = ["| | us a period | times real time |", "|---|---|---|"]
    for label, options in (
        ("whole period, 2 steps of the plant", WalkerOptions()),
        ("with errors of sensors", WalkerOptions(noise=True)),
        ("1 step of the plant", WalkerOptions(substeps=1)),
    ):
        walker = Walker(code, load_scene("flat"), motion, options)
        walker.run_until(1.0)
        blocks = []
        for k in range(30):
            begin = time.thread_time()
            walker.run_until(1.0 + 0.3 * (k + 1))
            blocks.append((time.thread_time() - begin) / 300 * 1e6)
        median, low, high = np.percentile(blocks, [50, 25, 75])
        rows.append(f"| {label} | {median:.1f} ({low:.1f} to {high:.1f}) | {1e3 / median:.0f} |")
    walker = Walker(code, load_scene("platform"), motion_of_plan(code, "platform"), WalkerOptions())
    walker.run_until(8.2)
    spare, times = walker.log._replace(signals=walker.log.signals.copy()), []
    for k in range(20000):
        begin = time.thread_time_ns()
        think(walker.brain, walker.plan, 8000 + k % 200, spare)
        times.append((time.thread_time_ns() - begin) / 1e3)
    middle, slow = np.percentile(times[100:], [50, 99.9])
    rows.append(
        f"| controller alone, a hand on the wall, called from Python | {middle:.1f}, 99.9 %: {slow:.1f} | |"
    )
    return rows


def halved_step(code: WalkingCode) -> str:
    """How far forces on feet change with half the step of the plant, of the weight."""
    motion = motion_of_plan(code, "straight")
    walkers = [Walker(code, load_scene("flat"), motion, WalkerOptions(substeps=n)) for n in (2, 4)]
    for walker in walkers:
        walker.run_until(4.0)
    one, two = (walker.log.signals["right_foot"][500:, 3:5] for walker in walkers)  # type: ignore[call-overload]
    scale = float(np.sqrt(np.mean(two**2)))
    return f"{float(np.sqrt(np.mean((one - two) ** 2))) / scale:.1%}"


def batch(code: WalkingCode, count: int) -> list[str]:
    """Many robots under random pushes, frictions and seeds."""
    rng = np.random.default_rng(0)
    options = []
    for k in range(count):
        angle, force = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.0, 400.0)
        push = Push(
            "torso", (force * np.cos(angle), force * np.sin(angle), 0.0), float(rng.uniform(2.0, 8.0)), 0.1
        )
        options.append(
            WalkerOptions(
                noise=True, seed=k, friction=float(rng.uniform(0.4, 1.0)), log_every=20, pushes=(push,)
            )
        )
    begin = time.process_time()
    walkers = walk_many(code, load_scene("flat"), motion_of_plan(code, "straight"), options)
    cpu = time.process_time() - begin
    simulated = sum(walker.time for walker in walkers)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [
        f"{count} robots, each with its own push (up to 40 N s), friction (0.4 to 1) and seed, in one call: "
        f"{simulated / cpu:.0f} times real time a core, {memory:.0f} MB; {sum(w.fallen for w in walkers)} fell."
    ]


def boards(code: WalkingCode, seeds: int, mode: WalkMode) -> list[str]:
    """Unseen boards, with feet that swing as walks to a goal have it, as low as by default, and with one thing off."""
    rows = [
        "| boards | walked | arms at rest | footholds that stay | feet swing 3 cm high |",
        "|---|---|---|---|---|",
    ]
    high, low = walk_ahead(code, 0.06), walk_ahead(code, None)
    for height in (0.01, 0.02, 0.03, 0.04):
        counts = [
            _boarded_walks(code, high, height, seeds, mode),
            _boarded_walks(code, high, height, seeds, mode, momentum_weight=0.0),
            _boarded_walks(code, high, height, seeds, mode, step_share=0.0),
            _boarded_walks(code, low, height, seeds, mode),
        ]
        rows.append(f"| {100 * height:.0f} cm | {' | '.join(f'{each} of {seeds}' for each in counts)} |")
        print(rows[-1], flush=True)
    return rows


def walk_ahead(code: WalkingCode, lift: float | None) -> Motion:
    """3 m straight ahead; lift: of swinging feet, m."""
    model, steps = code.body.model, [replace(step, step_height=lift) for step in straight(3.0)]
    return footfall.generate_motion(footfall.walking_plan(model, steps), model)


def _boarded_walks(
    code: WalkingCode, motion: Motion, height: float, seeds: int, mode: WalkMode, **change: float
) -> int:
    """How many seeds walk over boards, with some gains changed."""
    walked = 0
    for seed in range(seeds):
        options = WalkerOptions(noise=True, seed=seed, log_every=20, mode=mode)
        walker = Walker(code, boarded(height, seed), motion, options)
        walked += with_gains(walker, **change).run_until(motion.end_time + 1.0)
    return walked


def with_gains(walker: Walker, **change: float) -> Walker:
    """The walker with some gains changed."""
    gains = walker.gains._replace(**change)
    tasks = walker.brain.tasks._replace(momentum_weight=gains.momentum_weight)
    walker.brain = walker.brain._replace(gains=gains, tasks=tasks)
    return walker


def uneven_corridor(code: WalkingCode, seeds: int, mode: WalkMode) -> list[str]:
    """Boards between two walls: the same steps with a hand on each wall, as the planner has them, and without."""
    rows = ["| boards in a corridor | with hands | without |", "|---|---|---|"]
    scene, model = load_scene("corridor"), code.body.model
    leaning = planned_motion(code, WalkRequest(scene="corridor", speed=0.4)).given
    free = [
        replace(each, begin=_hands_off(each.begin), end=_hands_off(each.end))
        for each in leaning.sequences[0].transitions
    ]
    plans = (leaning, MotionPlan((replace(leaning.sequences[0], transitions=tuple(free)),)))
    motions = [generate_motion(plan, model) for plan in plans]
    for height in (0.03, 0.04):
        counts = []
        for motion in motions:
            walked = 0
            for seed in range(seeds):
                things = tuple(
                    each for each in boarded(height, seed).objects if each.name.startswith("board")
                )
                uneven = replace(scene, objects=(*scene.objects, *things))
                options = WalkerOptions(noise=True, seed=seed, log_every=20, mode=mode)
                walked += Walker(code, uneven, motion, options).run_until(motion.end_time + 1.0)
            counts.append(f"{walked} of {seeds}")
        rows.append(f"| {100 * height:.0f} cm | {counts[0]} | {counts[1]} |")
        print(rows[-1], flush=True)
    return rows


def _hands_off(pose: RobotPose) -> RobotPose:
    """The pose with both hands in the air, where they like to be."""
    free = (
        replace(hand, task_space=False, closed=False, wrench=NO_WRENCH)
        for hand in (pose.right_hand, pose.left_hand)
    )
    right, left = free
    return replace(pose, right_hand=right, left_hand=left)


def arms(code: WalkingCode, seeds: int) -> list[str]:
    """What arms do that take up the turn of legs: momentum about the vertical, torques of soles, how far it turned."""
    robot, rows = code.body.robot, []
    rows += ["| walk | arms | momentum, peak kg m2/s | torque of a sole, 99 % Nm | turned away, deg |"]
    rows += ["|---|---|---|---|---|"]
    for scene in ("flat", "stairs-partial"):
        for label, weight in (("rest", 0.0), ("swing", None)):
            found = []
            for seed in range(seeds):
                goal = (3.0, 0.0, 0.0) if scene == "flat" else None
                request = WalkRequest(scene=scene, goal=goal, noise=True, seed=seed)
                motion = planned_motion(code, request)
                walker = Walker(
                    code, load_scene(scene), motion, WalkerOptions(noise=True, seed=seed, log_every=5)
                )
                if weight is not None:
                    walker = with_gains(walker, momentum_weight=weight)
                walker.run_until(motion.end_time)
                log = walker.log
                signals: Any = log.signals
                q, v = (
                    np.ascontiguousarray(each[:, :n]) for each, n in ((log.q, robot.nq), (log.v, robot.nv))
                )
                momentum = footfall.centroidal_momentum(robot, q, v)[:, 5]
                torque = np.abs([signals[foot][:, 5] for foot in ("right_foot", "left_foot")])
                off = _heading(log.q[-1]) - _heading(walker.brain.state.q)
                found.append((np.abs(momentum).max(), np.percentile(torque, 99), abs(np.rad2deg(off))))
            mean = np.mean(found, axis=0)
            rows.append(f"| {scene} | {label} | {mean[0]:.2f} | {mean[1]:.1f} | {mean[2]:.2f} |")
            print(rows[-1], flush=True)
    return rows


def _heading(q: Array) -> float:
    """Yaw of a floating base, rad."""
    w, x, y, z = q[3:7]
    return float(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))


def boarded(height: float, seed: int) -> Scene:
    """Level ground with boards that lie at random, full or half as high, m."""
    rng, flat, things = np.random.default_rng(seed), load_scene("flat"), []
    pattern = next(each for each in load_scene("boards").objects if each.name.startswith("board"))
    for x in np.arange(0.5, 2.9, 0.45):
        for y in (-0.17, 0.17):
            if rng.random() < 0.55:
                things.append(
                    _board(pattern, len(things), x, y, height if rng.random() < 0.6 else height / 2)
                )
    return replace(flat, objects=(*flat.objects, *things))


def _board(pattern: SceneObject, number: int, x: float, y: float, height: float) -> SceneObject:
    shape = Box((0.42, 0.3, height))
    placement = Transform(np.eye(3), np.array([x, y, height / 2]))
    return replace(pattern, name=f"board-{number}", shape=shape, placement=placement)


def pushes(code: WalkingCode) -> list[str]:
    """Largest impulses survived, by halving."""
    model = code.body.model
    rows = ["| direction | standing, N s | at 0.5 m/s, N s |", "|---|---|---|"]
    still = footfall.generate_motion(footfall.walking_plan(model, stamping(1)), model)
    moving = footfall.generate_motion(footfall.walking_plan(model, straight(5.0)), model)
    for angle in range(0, 360, 45):
        found = [
            largest_push(code, still, angle, still.end_time + 0.5),
            largest_push(code, moving, angle, 5.0),
        ]
        rows.append(f"| {angle} degrees | {found[0]:.0f} | {found[1]:.0f} |")
        print(rows[-1], flush=True)
    return rows


def largest_push(code: WalkingCode, motion: Motion, angle: float, start: float) -> float:
    """N s, of 0.1 s at the upper body, after which the robot still stands 5 s later."""
    low, high, way = 0.0, 80.0, np.deg2rad(angle)
    body = code.body.body_of("UB")
    while high - low > 2.0:
        middle = (low + high) / 2
        force = (10 * middle * np.cos(way), 10 * middle * np.sin(way), 0.0)
        options = WalkerOptions(pushes=(Push(body, force, start, 0.1),))
        walker = Walker(code, load_scene("flat"), motion, options)
        low, high = (middle, high) if walker.run_until(start + 5.0) else (low, middle)
    return low


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--mode", choices=("reduced", "full"), default="reduced", help="of walks over boards")
    parser.add_argument("--quick", action="store_true", help="times only")
    parser.add_argument("--output", type=Path, default=Path("benchmarks/walking.md"))
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    code = WalkingCode(walking_body(footfall.load("lola")))
    lines = [
        "# Walking in closed loop",
        "",
        f"Machine: {processor()}, load {load_average()}. CPU time of one thread.",
        "",
        "## Times",
        "",
        *speed(code),
        "",
    ]
    lines += [
        f"Torques on a foot with half the step of the plant: they change by {halved_step(code)} (RMS).",
        "",
    ]
    lines += ["## Many at once", "", *batch(code, 64), ""]
    if not options.quick:
        title = "## Scenes, ideal drives, sensors with errors, perception with noise"
        lines += [title, ""]
        for line in scene_walks(code, options.seeds, "reduced"):
            print(line, flush=True)
            lines.append(line)
        lines.append("")
        lines += [
            "## Boards that the robot does not see",
            "",
            *boards(code, 2 * options.seeds, options.mode),
            "",
        ]
        lines += [*uneven_corridor(code, 2 * options.seeds, options.mode), ""]
        lines += ["## Arms that take up the turn of legs", "", *arms(code, min(options.seeds, 5)), ""]
        lines += ["## Pushes of 0.1 s against the upper body (0 degrees: from behind)", "", *pushes(code), ""]
    options.output.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
