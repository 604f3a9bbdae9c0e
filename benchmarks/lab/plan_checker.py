"""Plans judged by what does not know how they were made: raw triangles, coal and trimesh.

Seiwald 2023 gives no such check. It is ours: soles are supported, nothing of the robot is inside of anything while it
moves, hands lie on surfaces that push back, steps keep their limits, start and goal are met, and there is a motion.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import coal
import numpy as np

from benchmarks.lab.raw_scene import RawScene, Solid, capsule, distance
from footfall import MotionPlan, Scene, generate_motion
from footfall.arrays import Array
from footfall.errors import FootfallError
from footfall.gait import FootContact, FootState, RobotPose
from footfall.math import matrix_from_quaternion
from footfall.motion.motion import Motion
from footfall.motion.reduced_model import ReducedModel

FLOOR = "floor"
_FOOT_HEIGHT = 0.09  # m, of the boxes that stand for feet
_SPACING = 0.01  # m, of places under a sole
_MARGIN = 0.01  # m, at the rim of a sole: cells of 1 cm are inside or outside as a whole
_STANDS_ABOVE = 0.15  # m, what is higher above a sole is not what it stands on


class Capsule(NamedTuple):
    """Part of a body, in the frame midway between the feet, m. hand: the arm whose hand must not touch, or None."""

    first: tuple[float, float, float]
    second: tuple[float, float, float]
    radius: float
    hand: str | None = None


class Fault(NamedTuple):
    """What is wrong with a plan: its kind, the number of the transition, value and limit in SI units."""

    kind: str
    transition: int
    value: float
    limit: float
    what: str = ""


class PlanCheck(NamedTuple):
    """faults: none if the plan is good. warnings: of the motion generator. motion: None if it made none."""

    faults: list[Fault]
    warnings: list[str]
    motion: Motion | None


@dataclass(frozen=True, kw_only=True)
class CheckLimits:
    """What plans keep, m and rad: limits of the planner, and how far they may be exceeded for which reason.

    refined: two feet that are moved by up to 2 cm along x and y each change a step by up to 5.7 cm. refined_turn: by
    3.75 degrees each. sight: how far what is seen may be from what is there. goal: half the diagonal of a cell of 4 cm,
    and refinement.
    """

    forward: float = 0.64
    outward: float = 0.24
    turn: float = np.deg2rad(15.0)
    up: float = 0.13
    first_and_last: float = 0.30
    footprint: float = 0.04
    soles_apart: float = 0.01
    refined: float = 0.057
    refined_turn: float = np.deg2rad(7.5)
    sight: float = 0.002
    goal: float = 0.06
    goal_turn: float = np.deg2rad(7.6)
    hand_frontal: tuple[float, float] = (np.deg2rad(-30.0), np.deg2rad(110.0))
    hand_transverse: float = np.deg2rad(45.0)
    normal: float = np.deg2rad(20.0)  # between the force on a hand and the true normal


@dataclass(frozen=True)
class Subject:
    """What is judged: a plan in a scene."""

    plan: MotionPlan
    scene: RawScene
    model: ReducedModel
    limits: CheckLimits


def check_plan(
    plan: MotionPlan,
    scene: Scene,
    model: ReducedModel,
    *,
    start: RobotPose,
    goal: tuple[float, float, float],
    body: Sequence[Capsule] = (),
    limits: CheckLimits | None = None,
    period: float = 0.02,
) -> PlanCheck:
    """All that is wrong with a plan. goal: x, y in m and yaw in rad of the middle of the feet. body: what is checked
    beside the feet, every `period` seconds of the motion."""
    subject = Subject(plan, RawScene(scene), model, limits or CheckLimits())
    faults = [
        *support_faults(subject),
        *step_faults(subject),
        *hand_faults(subject),
        *end_faults(subject, start, goal),
    ]
    motion, told = None, []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            motion = generate_motion(plan, model)
        told = [str(each.message) for each in caught]
    except FootfallError as error:
        faults.append(Fault("motion", getattr(error, "number", -1), 0.0, 0.0, str(error)))
    if motion is not None:
        faults += collision_faults(subject, motion, body, period)
    return PlanCheck(faults, told, motion)


# Feet


def support_faults(subject: Subject) -> Iterator[Fault]:
    """Soles that do not lie on the ground, or on ground that is too uneven."""
    limits, first = subject.limits, subject.plan.poses[0]
    landed = [(0, first.right_foot), (0, first.left_foot)]
    landed += [
        (number, after)
        for number, each in enumerate(subject.plan.transitions)
        for before, after in zip(each.begin.feet, each.end.feet, strict=True)
        if after.closed and after != before
    ]
    for number, foot in landed:
        rear, front, right, left = (
            subject.model.sole if foot.contact is FootContact.FULL else subject.model.toe_sole
        )
        x, y = np.meshgrid(_between(rear, front), _between(right, left))
        turn = matrix_from_quaternion(np.array(foot.rotation))
        points = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)]) @ turn.T + np.array(foot.position)
        ground = subject.scene.heights(points[:, :2], foot.position[2] + _STANDS_ABOVE)
        if np.isnan(ground).any():
            yield Fault("support", number, 0.0, 0.0, "nothing below a part of the sole")
            continue
        uneven, allowed = float(np.ptp(ground)), limits.footprint + limits.sight
        if uneven > allowed:
            yield Fault("support", number, uneven, allowed, "ground differs in height below the sole")
        gap, allowed = float(abs(np.mean(points[:, 2] - ground))), 0.005 + limits.sight
        if gap > allowed:
            yield Fault("support", number, gap, allowed, "the sole is above or in the ground")


def _between(low: float, high: float) -> Array:
    count = max(2, round((high - low - 2 * _MARGIN) / _SPACING) + 1)
    return np.linspace(low + _MARGIN, high - _MARGIN, count)


def step_faults(subject: Subject) -> Iterator[Fault]:
    """Steps that are too long, wide, high, turn too far, or bring the feet together."""
    limits, model = subject.limits, subject.model
    steps = [
        (number, each)
        for number, each in enumerate(subject.plan.transitions)
        if each.begin.feet != each.end.feet
    ]
    walked = _without_closing(steps, model)
    for number, each in steps:
        before, after = each.begin.stance_foot, each.end.stance_foot
        side = 1.0 if each.begin.stance == "RF" else -1.0
        forward, left, turn = arc_step(before, after, side * model.foot_distance / 2)
        outward, up = side * left, abs(after.position[2] - before.position[2])
        ends = number in (walked[0], walked[-1]) if walked else False
        longest = limits.first_and_last if ends else limits.forward
        for what, value, limit in (
            ("step forward", forward, longest + limits.refined),
            ("step backward", -forward, limits.refined),
            ("step outward", outward, limits.outward + limits.refined),
            ("step inward", -outward, limits.refined),
            ("turn", abs(turn), limits.turn + limits.refined_turn + 1e-9),
            ("step up or down", up, limits.up + limits.footprint + limits.sight),
            ("feet apart", limits.soles_apart - sole_distance(each.end, model), 1e-6),
        ):
            if value > limit:
                yield Fault("step", number, value, limit, what)


def _without_closing(steps: Sequence[tuple[int, Any]], model: ReducedModel) -> list[int]:
    """Numbers of the steps before those that only bring the feet together."""
    numbers = [number for number, _ in steps]
    while steps and _is_closing(steps[-1][1], model):
        steps, numbers = steps[:-1], numbers[:-1]
    return numbers


def _is_closing(step: Any, model: ReducedModel) -> bool:
    side = 1.0 if step.begin.stance == "RF" else -1.0
    lengths = arc_step(step.begin.stance_foot, step.end.stance_foot, side * model.foot_distance / 2)
    return max(abs(each) for each in lengths) < 1e-6


def arc_step(before: FootState, after: FootState, half: float) -> tuple[float, float, float]:
    """Forward along the arc, left (m) and turn (rad) between two stance feet.

    Built from the picture and not from the source's formulas: the middle of the feet goes along an arc, then the foot
    is put beside it.
    """
    yaw, ahead = _yaw(before), _yaw(after)
    turn = float((ahead - yaw + np.pi) % (2 * np.pi) - np.pi)
    along = complex(np.exp(1j * yaw))  # headings as complex numbers
    chord = 1.0 if abs(turn) < 1e-9 else (np.exp(1j * turn) - 1.0) / (1j * turn)  # of an arc of length one
    start = complex(before.position[0], before.position[1]) + along * 1j * half
    end = complex(after.position[0], after.position[1]) - along * np.exp(1j * turn) * 1j * half
    way = (end - start) / along  # = forward * chord + left * i exp(i turn)
    aside = 1j * np.exp(1j * turn)
    columns = np.array([[chord.real, aside.real], [chord.imag, aside.imag]])
    forward, left = np.linalg.solve(columns, [way.real, way.imag])
    return float(forward), float(left), turn


def _yaw(foot: FootState) -> float:
    forward = matrix_from_quaternion(np.array(foot.rotation))[:, 0]
    return float(np.arctan2(forward[1], forward[0]))


def sole_distance(pose: RobotPose, model: ReducedModel) -> float:
    """How far the soles are apart seen from above, m; coal measures boxes that are as high as all of it."""
    shapes = []
    for foot in pose.feet:
        rear, front, right, left = model.sole
        yaw = _yaw(foot)
        turn = np.array([[np.cos(yaw), -np.sin(yaw), 0.0], [np.sin(yaw), np.cos(yaw), 0.0], [0.0, 0.0, 1.0]])
        middle = turn @ np.array([(rear + front) / 2, (right + left) / 2, 0.0])
        middle += np.array([foot.position[0], foot.position[1], 0.0])
        shapes.append((coal.Box(front - rear, left - right, 1.0), coal.Transform3s(turn, middle)))
    result = coal.DistanceResult()
    coal.distance(*shapes[0], *shapes[1], coal.DistanceRequest(), result)
    return float(result.min_distance)


# Hands


def hand_faults(subject: Subject) -> Iterator[Fault]:
    """Hands that touch nothing, are inside of something, or push where they would slip or pull."""
    limits = subject.limits
    for number, pose in enumerate(subject.plan.poses):
        for name, hand in zip(("RH", "LH"), pose.hands, strict=True):
            if not hand.closed:
                continue
            place, force = np.array(hand.position), np.array(hand.wrench[:3])
            sphere = coal.Sphere(subject.model.hand_radius)
            pose_of_hand = coal.Transform3s(np.eye(3), place)
            near = subject.scene.near(place - 0.3, place + 0.3)
            found = [
                (distance(solid, sphere, pose_of_hand), solid) for solid in near if solid.category != FLOOR
            ]
            if not found:
                yield Fault("hand", number - 1, np.inf, 0.0, f"{name} touches nothing")
                continue
            nearest, _ = min(found, key=lambda each: each[0].distance)
            allowed = 0.003 + limits.sight
            if abs(nearest.distance) > allowed:
                yield Fault("hand", number - 1, nearest.distance, allowed, f"{name} and the surface")
            strength = float(np.linalg.norm(force))
            if strength == 0.0:
                yield Fault("hand", number - 1, 0.0, 0.0, f"no force on {name}")
                continue
            angle = float(np.arccos(np.clip(force @ nearest.normal / strength, -1.0, 1.0)))
            if angle > limits.normal:
                yield Fault("hand", number - 1, angle, limits.normal, f"force on {name} and the normal")
            yield from _cone_faults(number - 1, name, force / strength, pose, limits)


def _cone_faults(
    number: int, name: str, normal: Array, pose: RobotPose, limits: CheckLimits
) -> Iterator[Fault]:
    x, y, z = matrix_from_quaternion(np.array(pose.upper_body)).T @ normal
    inward = y if name == "RH" else -y
    frontal = float(np.arctan2(z, inward))
    low, high = limits.hand_frontal
    if not low - 1e-9 <= frontal <= high + 1e-9:
        yield Fault("cone", number, frontal, high, f"normal at {name} in the frontal plane")
    transverse = abs(float(np.arctan2(x, inward)))
    if np.hypot(x, y) > 0.3 and transverse > limits.hand_transverse + 1e-9:
        yield Fault("cone", number, transverse, limits.hand_transverse, f"normal at {name} from above")


# Ends


def end_faults(subject: Subject, start: RobotPose, goal: tuple[float, float, float]) -> Iterator[Fault]:
    """A plan that begins elsewhere, or does not come to the goal."""
    for foot, given in zip(subject.plan.begin.feet, start.feet, strict=True):
        apart = float(np.abs(np.array(foot.position) - np.array(given.position)).max())
        if apart > 1e-9:
            yield Fault("start", 0, apart, 0.0, "a foot does not begin where it is")
    right, left = subject.plan.end.feet
    middle = (np.array(right.position) + np.array(left.position))[:2] / 2
    apart, last = float(np.hypot(*(middle - goal[:2]))), len(subject.plan.transitions) - 1
    if apart > subject.limits.goal:
        yield Fault("goal", last, apart, subject.limits.goal, "distance to the goal")
    heading = float(np.angle(np.exp(1j * _yaw(right)) + np.exp(1j * _yaw(left))))
    turn = abs((heading - goal[2] + np.pi) % (2 * np.pi) - np.pi)
    if turn > subject.limits.goal_turn:
        yield Fault("goal", last, turn, subject.limits.goal_turn, "turn to the goal")


# Everything that moves


def collision_faults(subject: Subject, motion: Motion, body: Sequence[Capsule], period: float) -> list[Fault]:
    """What of the robot is inside of something while it moves: the worst of each pair."""
    times = np.arange(motion.begin_time, motion.end_time, period)
    samples = motion.sample(times)
    numbers = _transition_numbers(motion, times)
    worst: dict[tuple[str, str], Fault] = {}

    def meets(part: str, solid: Solid, shape: Any, pose: Any, number: int) -> None:
        apart, limit = distance(solid, shape, pose).distance, -0.003 - subject.limits.sight
        if apart < limit and apart < getattr(worst.get((part, solid.name)), "value", 0.0):
            worst[part, solid.name] = Fault("collision", number, apart, limit, f"{part} in {solid.name}")

    for k, number in enumerate(numbers):
        feet, turns = samples.feet[k, 0], matrix_from_quaternion(samples.quaternions[k, 2:])
        for side, name in enumerate(("RF", "LF")):
            lift = subject.model.toe_signs[side] * float(samples.toes[k, 0, side])
            near = subject.scene.near(feet[side] - 0.4, feet[side] + 0.4)
            for shape, pose in foot_boxes(subject.model, turns[side], feet[side], lift) if near else ():
                for solid in near:
                    meets(name, solid, shape, pose, number)
        touching = _touching(subject.plan.transitions[number])
        for each, first, second in _placed(body, feet, turns):
            if each.hand in touching:
                continue
            low, high = np.minimum(first, second) - each.radius, np.maximum(first, second) + each.radius
            part = f"arm of {each.hand}" if each.hand else "body"
            for solid in subject.scene.near(low, high):
                if solid.category != FLOOR:
                    meets(part, solid, *capsule(first, second, each.radius), number)
    return list(worst.values())


def foot_boxes(model: ReducedModel, turn: Array, position: Array, lift: float) -> list[tuple[Any, Any]]:
    """Toe and heel of a foot as coal's boxes, 1 cm above the sole; lift: rad by which the heel turns about the toe."""
    rear, front, right, left = model.sole
    toe = model.toe_sole[0] if model.toe_limits is not None else rear
    bent = np.array([[np.cos(lift), 0.0, np.sin(lift)], [0.0, 1.0, 0.0], [-np.sin(lift), 0.0, np.cos(lift)]])
    joint = np.array([-model.leg.toe_shift, 0.0, model.leg.toe_height])
    boxes = []
    for low, high, rotation in ((toe, front, np.eye(3)), (rear, toe, bent)):
        if high - low < 1e-9:
            continue
        middle = np.array([(low + high) / 2, (right + left) / 2, (_MARGIN + _FOOT_HEIGHT) / 2])
        placed = position + turn @ (joint + rotation @ (middle - joint))
        box = coal.Box(high - low, left - right, _FOOT_HEIGHT - _MARGIN)
        boxes.append((box, coal.Transform3s(turn @ rotation, placed)))
    return boxes


def _placed(body: Sequence[Capsule], feet: Array, turns: Array) -> Iterator[tuple[Capsule, Array, Array]]:
    """Capsules in the world: midway between the feet, turned as both, above the lower foot."""
    heading = np.angle(np.sum(turns[:, 0, 0] + 1j * turns[:, 1, 0]))
    c, s = np.cos(heading), np.sin(heading)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    origin = np.array([*feet[:, :2].mean(axis=0), feet[:, 2].min()])
    for each in body:
        yield each, origin + turn @ np.array(each.first), origin + turn @ np.array(each.second)


def _touching(transition: Any) -> set[str]:
    return {
        name
        for pose in (transition.begin, transition.end)
        for name, hand in zip(("RH", "LH"), pose.hands, strict=True)
        if hand.task_space
    }


def _transition_numbers(motion: Motion, times: Array) -> list[int]:
    """Number of the transition that runs at each time."""
    ends = np.array([end for _, _, _, end in motion.plan.spans()])
    return [int(number) for number in np.minimum(np.searchsorted(ends, times, side="right"), len(ends) - 1)]
