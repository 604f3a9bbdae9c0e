"""Ground that is not as the robot thinks, and pushes: how often it stays on its feet. Writes a report.

python -m benchmarks.disturbances [--seeds 20] [--first 0] [--mode reduced full]
    [--part boards hands pushes leaning drops] [--output benchmarks/disturbances.md]

Parts that are made only if they are named: `leaning` pushes a robot in a corridor with and without its hands, `drops`
lets it walk onto ground that is lower than it thinks.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

import footfall
from benchmarks.lab.scene_walks import planned_motion
from footfall.bench.surroundings import load_average, processor
from footfall.compiler.threads import available_cores
from footfall.gait.actions import stamping, straight
from footfall.gait.plan import MotionPlan
from footfall.gait.poses import HANDS, NO_WRENCH, RobotPose
from footfall.math.rotations import rotation_y
from footfall.math.transform import Transform
from footfall.motion.motion import Motion
from footfall.motion.pipeline import generate_motion
from footfall.robot.shapes import Box, Cylinder
from footfall.scene.load import load_scene
from footfall.scene.model import Scene, SceneObject
from footfall.scene.parts import block
from footfall.walking.gains import ControlGains
from footfall.walking.request import Push, WalkMode, WalkRequest
from footfall.walking.runs import RUNS
from footfall.walking.session import WalkSession
from footfall.walking.walk import walking_body
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode

HEIGHTS = (0.01, 0.02, 0.03, 0.04)  # m, of boards
DEPTHS = (0.02, 0.04, 0.06, 0.08)  # m, by which ground is lower than the robot thinks
_LIFT = 0.06  # m, of swinging feet, as walks to a goal have it
_JITTER = 0.1  # m, by which the rolling board lies elsewhere
_ACROSS = (0.009, 0.012)  # m, radius of rollers that lie along the way
_APART, _ROLLER = 0.07, 0.45  # m between them, and their length
_AHEAD = 0.4  # m/s, in the corridor
_BLOW = 0.1  # s, that a push lasts
_PHASES = (
    0.1,
    0.5,
    0.9,
)  # of a step: shortly after the load was switched, in the middle, before the foot lands
_STRIDE, _FINE = 8.0, 1.0  # N s, by which pushes grow until it falls, and how near the largest one is found

_PARTS = ("boards", "hands", "pushes", "leaning", "drops")

Ground = Callable[[int], Scene]  # of a seed
Stack = Callable[[ControlGains], ControlGains]


def full_stack(gains: ControlGains) -> ControlGains:
    """All that there is."""
    return gains


def balance_alone(gains: ControlGains) -> ControlGains:
    """Without reflexes of feet, footholds that follow the error, steps out of standing, and arms that swing."""
    return gains._replace(
        late_speed=0.0, largest_step=0.0, step_share=0.0, momentum_weight=0.0, catching_step=0.0
    )


def not_looking(gains: ControlGains) -> ControlGains:
    """Feet that come down and find no ground stay where they were to land."""
    return gains._replace(late_speed=0.0)


def no_steps(gains: ControlGains) -> ControlGains:
    """Without steps by which a robot that stands catches itself."""
    return gains._replace(catching_step=0.0)


def nothing(gains: ControlGains) -> ControlGains:
    """Without balance and force control too: the zero-moment point is not shifted, soles are not turned."""
    return balance_alone(gains)._replace(balance_rate=-gains.pendulum_rate, force_rate=0.0)


_PUSHES = (
    "pushes of 0.1 s against the upper body (0 degrees: from behind; no errors of sensors; at 0.5 m/s the least of two "
    "steps)"
)
_LEANING = (
    "pushes of 0.1 s in a corridor at 0.5 m/s, with a hand on a wall and without (as above; only feet and hands have "
    "touched anything)"
)
STACKS: dict[str, Stack] = {
    "full stack": full_stack,
    "balance control alone": balance_alone,
    "not stabilised": nothing,
}


class Study:
    """Walks of one robot in one mode, many seeds side by side."""

    def __init__(self, code: WalkingCode, seeds: range, mode: WalkMode) -> None:
        self.code, self.seeds, self.mode = code, seeds, mode

    def rate(self, ground: Ground, motion: Motion, stack: Stack = full_stack) -> str:
        """How many seeds stand a second after the end of the motion, sensors with errors."""

        def stands(seed: int) -> bool:
            options = WalkerOptions(noise=True, seed=seed, log_every=20, mode=self.mode)
            walker = Walker(self.code, ground(seed), motion, options)
            walker.tune(stack(walker.gains))
            return walker.run_until(motion.end_time + 1.0)

        first = stands(self.seeds[0])  # native code is made once
        with ThreadPoolExecutor(available_cores()) as pool:
            return f"{first + sum(pool.map(stands, self.seeds[1:]))} of {len(self.seeds)}"

    def boards(self) -> Iterator[str]:
        """3 m straight ahead over boards."""
        yield from _head("boards", STACKS)
        motion = self._ahead()
        for height in (0.0, *HEIGHTS):
            ground = boarded(load_scene("flat"), height)
            yield _row(
                f"{100 * height:.0f} cm", [self.rate(ground, motion, stack) for stack in STACKS.values()]
            )

    def _ahead(self) -> Motion:
        """3 m straight ahead, with feet lifted as in walks to a goal."""
        steps = [replace(step, step_height=_LIFT) for step in straight(3.0)]
        return self.motion_of(footfall.walking_plan(self.code.body.model, steps))

    def drops(self) -> Iterator[str]:
        """3 m straight ahead, down a step that it does not know of: feet that look for the ground, and feet that do
        not."""
        stacks: dict[str, Stack] = {"full stack": full_stack, "feet do not look for the ground": not_looking}
        yield from _head("ground is lower by", stacks)
        motion = self._ahead()
        for depth in DEPTHS:
            rates = [self.rate(partial(lowered, depth), motion, stack) for stack in stacks.values()]
            yield _row(f"{100 * depth:.0f} cm", rates)

    def hands(self) -> Iterator[str]:
        """Through a corridor by the same steps, with a hand on each wall as the planner has it, and without."""
        yield from _head("in a corridor", ("with hands", "without", "balance alone, with hands", "without"))
        corridor = load_scene("corridor")
        grounds = {f"boards of {100 * h:.0f} cm": ("corridor", boarded(corridor, h)) for h in HEIGHTS}
        grounds["board on rollers"] = ("rolling-board", rolling)
        for radius in _ACROSS:
            label = f"board that rolls aside, on rollers of {2e3 * radius:.0f} mm"
            grounds[label] = ("rolling-board", partial(rolling_aside, radius))
        for label, (scene, ground) in grounds.items():
            request = WalkRequest(scene=scene, sight="exact", speed=_AHEAD)
            leaning = planned_motion(self.code, request).given
            motions = self.motion_of(leaning), self.motion_of(_hands_off(leaning))
            cells = [
                self.rate(ground, motion, stack)
                for stack in (full_stack, balance_alone)
                for motion in motions
            ]
            yield _row(label, cells)

    def pushes(self) -> Iterator[str]:
        """Largest impulses of 0.1 s against the upper body that it bears, standing and walking."""
        yield from _head("from", ("standing, without steps", "standing", "at 0.5 m/s"))
        model = self.code.body.model
        still, moving = (
            self.motion_of(footfall.walking_plan(model, steps)) for steps in (stamping(1), straight(5.0))
        )
        rest = (still.end_time + 0.5,)
        two_steps = tuple(moving.plan.spans())[6:8]  # one of each foot, at full speed
        swings = tuple(0.5 * (begin + end) for _, _, begin, end in two_steps)
        for angle in range(0, 360, 45):
            found = [
                min(self._largest_push(motion, angle, start, stack) for start in starts)
                for motion, starts, stack in (
                    (still, rest, no_steps),
                    (still, rest, full_stack),
                    (moving, swings, full_stack),
                )
            ]
            yield _row(f"{angle} degrees", [f"{each:.0f} N s" for each in found])

    def leaning(self) -> Iterator[str]:
        """The same in a corridor, through which it walks at 0.5 m/s, by phase: with a hand on a wall, and by the same
        steps without."""
        corridor = load_scene("corridor")
        session = WalkSession(
            msgspec.structs.replace(RUNS["fast-corridor"].request, noise=False), code=self.code
        )
        session.run(1.5)
        leaning = MotionPlan(session.pilot.motion.given.sequences)  # from 0 s on
        motions = self.motion_of(leaning), self.motion_of(_hands_off(leaning))
        steps = motions[0].plan.transitions
        held = [k for k, each in enumerate(steps) if any(hand.closed for hand in each.begin.hands)]
        begin, end = list(motions[0].plan.spans())[held[len(held) // 2]][2:]
        phases = {f"{share:.0%} of a step": begin + share * (end - begin) for share in _PHASES}
        yield from _head("from", [f"{phase}, {how}" for phase in phases for how in ("with hands", "without")])
        for angle in range(0, 360, 90):
            found = [
                self._largest_push(motion, angle, start, full_stack, corridor)
                for start in phases.values()
                for motion in motions
            ]
            yield _row(f"{angle} degrees", [f"{each:.0f} N s" for each in found])

    def _largest_push(
        self, motion: Motion, angle: float, start: float, stack: Stack, scene: Scene | None = None
    ) -> float:
        """N s, after which the robot still stands 5 s later: all smaller ones that were tried, too. In a scene, on flat
        ground without one, nothing but its feet and hands may have touched anything."""
        body, way = self.code.body.body_of("UB"), np.deg2rad(angle)
        hands = {self.code.body.body_of(hand) for hand in HANDS}

        def bears(impulse: float) -> bool:
            force = impulse / _BLOW
            push = Push(body, (force * np.cos(way), force * np.sin(way), 0.0), start, _BLOW)
            options = WalkerOptions(pushes=(push,), mode=self.mode, log_every=20)
            walker = Walker(self.code, scene or load_scene("flat"), motion, options)
            walker.tune(stack(walker.gains))
            return walker.run_until(start + 5.0) and hands.issuperset(each.body for each in walker.touches())

        high = next((each for each in np.arange(_STRIDE, 100.0, _STRIDE) if not bears(each)), 100.0)
        low = high - _STRIDE
        while high - low > _FINE:
            middle = (low + high) / 2
            low, high = (middle, high) if bears(middle) else (low, middle)
        return float(low)

    def motion_of(self, plan: MotionPlan) -> Motion:
        """The motion of a plan, for the whole robot."""
        return generate_motion(plan, self.code.body.model, body=self.code.whole)


def lowered(depth: float, seed: int) -> Scene:
    """Level ground that is lower from some place on, m."""
    edge = float(np.random.default_rng(seed).uniform(0.6, 1.6))
    near = block("near", "floor", (-3.0, edge), (-3.0, 3.0), (-1.0, 0.0))
    far = block("far", "floor", (edge, 8.0), (-3.0, 3.0), (-1.0, -depth))
    return replace(load_scene("flat"), objects=(near, far))


def boarded(scene: Scene, height: float) -> Ground:
    """A scene with boards that lie at random, full or half as high, m; no boards of no height."""
    pattern = next(each for each in load_scene("boards").objects if each.name.startswith("board"))

    def ground(seed: int) -> Scene:
        rng, things = np.random.default_rng(seed), []
        for x in np.arange(0.5, 2.9, 0.45):
            for y in (-0.17, 0.17):
                if rng.random() < 0.55:
                    thick = height if rng.random() < 0.6 else height / 2
                    things.append(_board(pattern, len(things), x, y, thick))
        return replace(scene, objects=(*scene.objects, *things)) if height > 0.0 else scene

    return ground


def _board(pattern: SceneObject, number: int, x: float, y: float, height: float) -> SceneObject:
    placement = Transform(np.eye(3), np.array([x, y, height / 2]))
    return replace(pattern, name=f"board-{number}", shape=Box((0.42, 0.3, height)), placement=placement)


def rolling(seed: int) -> Scene:
    """The board on rollers, somewhere else for each seed."""
    scene = load_scene("rolling-board")
    by = np.array([np.random.default_rng(seed).uniform(-_JITTER, _JITTER), 0.0, 0.0])
    moved = tuple(
        each
        if each.free is None
        else replace(each, placement=Transform(each.placement.rotation, each.placement.translation + by))
        for each in scene.objects
    )
    return replace(scene, objects=moved)


def rolling_aside(radius: float, seed: int) -> Scene:
    """The board on rollers of a radius, m, that lie along the way: it rolls to the side."""
    scene, things = rolling(seed), []
    free = [each for each in scene.objects if each.free is not None]
    middle = free[0].placement.translation
    for each in scene.objects:
        turn, place, shape = each.placement.rotation, each.placement.translation, each.shape
        if isinstance(shape, Cylinder):
            aside = _APART * (free.index(each) - (len(free) - 1) / 2 - 0.5)
            place, turn = np.array([middle[0], middle[1] + aside, radius]), rotation_y(np.pi / 2)
            shape = Cylinder(radius, _ROLLER)
        elif isinstance(shape, Box) and each.free is not None:
            place = np.array([*middle[:2], 2.0 * radius + shape.size[2] / 2])
        things.append(replace(each, shape=shape, placement=Transform(turn, place)))
    return replace(scene, objects=tuple(things))


def _hands_off(plan: MotionPlan) -> MotionPlan:
    """The plan with both hands in the air, where they like to be."""

    def free(pose: RobotPose) -> RobotPose:
        right, left = (
            replace(hand, task_space=False, closed=False, wrench=NO_WRENCH)
            for hand in (pose.right_hand, pose.left_hand)
        )
        return replace(pose, right_hand=right, left_hand=left)

    sequence = plan.sequences[0]
    steps = tuple(replace(each, begin=free(each.begin), end=free(each.end)) for each in sequence.transitions)
    return MotionPlan((replace(sequence, transitions=steps),))


def _head(first: str, columns: Sequence[str] | dict[str, Stack]) -> Iterator[str]:
    yield _row(first, list(columns))
    yield "|" + (1 + len(columns)) * "---|"


def _row(label: str, cells: Sequence[str]) -> str:
    return f"| {label} | {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first of the seeds")
    parser.add_argument("--mode", choices=("reduced", "full"), nargs="*", default=["reduced", "full"])
    parser.add_argument("--part", choices=_PARTS, nargs="*", default=_PARTS[:3])
    parser.add_argument("--output", type=Path, default=Path("benchmarks/disturbances.md"))
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    code = WalkingCode(walking_body(footfall.load("lola")))
    lines = [
        "# Disturbed walks",
        "",
        f"Machine: {processor()}, load {load_average()}. LOLA, sensors with errors. Numbers of walks after which it "
        "stands. Boards lie at random, full or half as high, and the robot does not know of them. Balance control "
        "alone: without reflexes of feet, footholds and steps that follow the error, and arms that swing.",
        "",
    ]
    for mode in options.mode:
        study = Study(code, range(options.first, options.first + options.seeds), mode)
        parts: dict[str, tuple[str, Callable[[], Iterator[str]]]] = {
            "boards": ("boards on level ground", study.boards),
            "hands": ("hands on walls", study.hands),
            "pushes": (_PUSHES, study.pushes),
            "leaning": (_LEANING, study.leaning),
            "drops": ("ground that is lower than it thinks", study.drops),
        }
        for title, part in (parts[name] for name in options.part):
            lines += [f"## {'On drives' if mode == 'full' else 'Ideal drives'}: {title}", ""]
            for line in part():
                lines.append(line)
                print(line, flush=True)
                options.output.write_text("\n".join([*lines, ""]), encoding="utf-8")
            lines.append("")


if __name__ == "__main__":
    main()
