"""Which steps a walk takes: those of a plan, or those that lead to a goal."""

from __future__ import annotations

import numpy as np

from footfall.errors import InvalidOption
from footfall.gait.actions import straight, turn_in_place
from footfall.gait.plan import MotionPlan
from footfall.gait.plan_file import plan_names
from footfall.gait.poses import Foot
from footfall.gait.walking_transitions import WalkingTransition, idle_pose, walking_sequence
from footfall.motion.pipeline import gait_dimensions
from footfall.motion.plans import load_plan
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.walking_speed import choose_step
from footfall.scene.model import Scene
from footfall.walking.request import WalkRequest

_STRAIGHT = np.deg2rad(1.0)  # a smaller turn is none


def route_for(request: WalkRequest, scene: Scene, model: ReducedModel) -> MotionPlan:
    """The plan of a walk."""
    if request.route is not None:
        return load_plan(request.route, model)
    if request.goal is None and request.scene in plan_names():
        return load_plan(request.scene, model)
    goal = request.goal if request.goal is not None else _goal_of(scene)
    if goal is None:
        raise InvalidOption(f"scene {scene.name!r} has no goal; give one by --goal X,Y,YAW")
    return open_ground(goal, model, speed=request.speed)


def _goal_of(scene: Scene) -> tuple[float, float, float] | None:
    if scene.goal is None:
        return None
    x, y, _ = scene.goal.translation.tolist()
    return x, y, 0.0


def open_ground(
    goal: tuple[float, float, float], model: ReducedModel, *, speed: float | None = None
) -> MotionPlan:
    """Steps over level ground without obstacles: turn, walk straight, turn. goal: x, y in m, yaw in rad."""
    dimensions = gait_dimensions(model)
    x, y, yaw = goal
    heading = float(np.arctan2(y, x)) if np.hypot(x, y) > 0.05 else 0.0
    length, duration = 0.42 * model.com_height, None
    if speed is not None:
        step = choose_step(model, speed)
        length, duration = step.length, step.duration
    ahead = (
        straight(float(np.hypot(x, y)), longest=length, duration=duration) if np.hypot(x, y) > 0.05 else []
    )
    pose, sequences = idle_pose(dimensions), []
    for turn, steps in ((heading, ahead), (_wrapped(yaw - heading), [])):
        for part, first in ((_turning(turn), _outer(turn)), (steps, "RF")):
            if part:
                sequence = walking_sequence(part, pose, dimensions, first_swing=first)
                sequences.append(sequence)
                pose = sequence.transitions[-1].end
    if not sequences:
        raise InvalidOption(f"the goal {goal} is where the robot stands")
    return MotionPlan(tuple(sequences))


def _turning(angle: float) -> list[WalkingTransition]:
    return turn_in_place(angle) if abs(angle) > _STRAIGHT else []


def _outer(angle: float) -> Foot:
    return "LF" if angle > 0.0 else "RF"


def _wrapped(angle: float) -> float:
    return float((angle + np.pi) % (2 * np.pi) - np.pi)
