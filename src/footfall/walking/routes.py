"""Which steps a walk takes: those of a plan, or those that lead to a goal."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np

from footfall.environment.perception import EXACT, PerceptionOptions, perceive
from footfall.errors import InvalidOption, NoRoute
from footfall.gait.plan import MotionPlan, Transition
from footfall.math.rotations import rotation_z
from footfall.math.transform import Transform, identity_transform
from footfall.motion.plans import load_plan
from footfall.motion.reduced_model import ReducedModel
from footfall.planning.contacts import Goal
from footfall.planning.parameters import PlannerParameters, parameters_for
from footfall.planning.planner import plan_contacts
from footfall.scene.model import Scene
from footfall.walking.request import WalkRequest

_RISE = 0.035  # of the height of the centre of mass: a foot that rises or falls by more swings with care
_LONGEST, _CLEARANCE = 0.55, 0.09  # likewise: steps, and feet above what they step over


def route_for(request: WalkRequest, scene: Scene, model: ReducedModel) -> MotionPlan:
    """The plan of a walk: that of a file, or one that the contact planner finds from what the robot sees.

    With noise the robot sees the scene with errors too. Raises `NoRoute` if there is no way to the goal.
    """
    if request.route is not None:
        return load_plan(request.route, model)
    x, y, yaw = goal_for(request, scene)
    there = Transform(rotation_z(yaw), np.array([x, y, 0.0]))
    start = identity_transform() if scene.start is None else scene.start  # the way to the goal is seen from there on
    seen = perceive(
        replace(scene, start=start, goal=there),
        PerceptionOptions(seed=request.seed) if request.noise else EXACT,
    )
    found = plan_contacts(seen, model, Goal(x, y, yaw), parameters=_parameters(request, model))
    if not found.found or found.motion_plan is None:
        reason = "" if found.why_not is None else f": {found.why_not.text}"
        raise NoRoute(f"no way to x = {x:g} m, y = {y:g} m in scene {scene.name!r}{reason}")
    return with_careful_swings(found.motion_plan, model)


def with_careful_swings(plan: MotionPlan, model: ReducedModel) -> MotionPlan:
    """The plan with swings that rise before they go ahead, and go ahead before they fall, wherever a foot comes to
    another height than it had: an edge may lie between. They take longer."""
    sequences = [
        replace(sequence, transitions=tuple(_careful(each, model) for each in sequence.transitions))
        for sequence in plan.sequences
    ]
    return replace(plan, sequences=tuple(sequences))


def _careful(transition: Transition, model: ReducedModel) -> Transition:
    begin, end = transition.begin, transition.end
    pairs = ((begin.right_foot, end.right_foot), (begin.left_foot, end.left_foot))
    rise = max(abs(after.position[2] - before.position[2]) for before, after in pairs)
    if rise < _RISE * model.com_height:
        return transition
    usual = parameters_for(model).timing
    longer = usual.transition_s * usual.careful_factor
    duration = longer if transition.duration is None else max(transition.duration, longer)
    return replace(transition, swing_timing=usual.careful_timing, duration=duration)


def goal_for(request: WalkRequest, scene: Scene) -> tuple[float, float, float]:
    """x, y in m and yaw in rad: what is asked for, or the goal of the scene."""
    if request.goal is not None:
        return request.goal
    if scene.goal is None:
        raise InvalidOption(f"scene {scene.name!r} has no goal; give one by --goal X,Y,YAW")
    (x, y, _), ahead = scene.goal.translation.tolist(), scene.goal.rotation[:, 0]
    return x, y, float(np.arctan2(ahead[1], ahead[0]))


def _parameters(request: WalkRequest, model: ReducedModel) -> PlannerParameters:
    """Those of the planner, with feet that swing higher than it needs: a robot is never just where it should be."""
    usual, change = parameters_for(model), msgspec.structs.replace
    longest = _LONGEST * model.com_height
    if request.speed is not None:
        longest = min(usual.step.forward_m, max(request.speed * usual.timing.transition_s, 0.1))
    return change(
        usual,
        step=change(usual.step, forward_m=longest),
        timing=change(usual.timing, clearance_m=_CLEARANCE * model.com_height),
    )
