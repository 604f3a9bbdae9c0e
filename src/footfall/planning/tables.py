"""What is made once for a robot and a set of parameters: steps, footprints, turned volumes, rules."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
import numpy as np

from footfall.compiler.routines import ArrayOf
from footfall.environment.patch import CELL as FINE_CELL
from footfall.motion.hand_space import HandSpace
from footfall.motion.reduced_model import Rectangle, ReducedModel
from footfall.planning.biped import Biped, biped_of
from footfall.planning.footprints import Stamps, sole_stamps
from footfall.planning.ground import FootholdRules, PlaneFit, plane_fits
from footfall.planning.guide import CostRules
from footfall.planning.hand_contacts import Arms, HandRules, arms_of, hand_rules
from footfall.planning.parameters import PlannerParameters, parameters_for
from footfall.planning.refinement import Refinement, refinement_for
from footfall.planning.solids import Volumes, turned_volumes
from footfall.planning.step_set import (
    CELL,
    TURNS,
    GuideSteps,
    StepSet,
    guide_steps,
    sole_corners,
    step_set,
)

_TABLES_KEPT = 8  # tables of as many robots and parameters are kept
_WIDER = 0.04  # m, by which swinging soles keep clear of what is too high: refinement moves footholds
_TABLES: dict[Any, Tables] = {}


class Tables(NamedTuple):
    """All that the planner needs of a robot and its parameters."""

    biped: Biped
    parameters: PlannerParameters
    steps: StepSet
    guide_steps: GuideSteps
    stamps: Stamps
    wide_stamps: Stamps
    wide_planes: ArrayOf[PlaneFit]
    volumes: Volumes
    foothold_rules: FootholdRules
    cost_rules: CostRules
    refinement: Refinement
    hand_rules: HandRules
    arms: Arms


def tables_for(model: ReducedModel, parameters: PlannerParameters) -> Tables:
    """The tables of a robot; made on first use, in some tenths of a second."""
    key = (msgspec.json.encode(parameters), _numbers(model))
    if key not in _TABLES:
        if len(_TABLES) >= _TABLES_KEPT:
            _TABLES.pop(next(iter(_TABLES)))
        higher = max(parameters.step.obstacle_m - parameters_for(model).step.obstacle_m, 0.0)
        _TABLES[key] = _made(biped_of(model, higher), parameters, model.hand_space)
    return _TABLES[key]


def _numbers(model: ReducedModel) -> tuple[Any, ...]:
    """What the planner reads of a model."""
    leg, space = model.leg, model.hand_space
    return (
        model.foot_distance,
        model.sole,
        model.toe_sole,
        model.com_height,
        model.foot_share,
        model.hip_width,
        model.shoulder_width,
        model.shoulder_height,
        model.upper_arm,
        model.lower_arm,
        model.hand_radius,
        model.hand_offset,
        (leg.lower_leg, leg.upper_leg, leg.hip_to_torso),
        model.hand_reach,
        model.bulk,
        None
        if space is None
        else (space.corner.tobytes(), space.size, space.cells.shape, space.cells.tobytes()),
    )


def _made(biped: Biped, parameters: PlannerParameters, space: HandSpace | None) -> Tables:
    yaws, limits, cost = parameters.grid.yaws, parameters.foothold, parameters.cost
    rules = FootholdRules(limits.uneven_m, limits.least_confidence, cost.uneven, cost.uncertain, cost.partial)
    steps = step_set(biped, parameters)
    fine = sole_stamps(_grown(biped.sole), _grown(biped.toe_sole), 2 * yaws, FINE_CELL)
    rear, front, inner, outer = biped.sole
    wide = (rear - _WIDER, front + _WIDER, inner - _WIDER, outer + _WIDER)
    wide_stamps = sole_stamps(wide, wide, yaws, CELL)
    return Tables(
        biped,
        parameters,
        steps,
        guide_steps(parameters),
        sole_stamps(biped.sole, biped.toe_sole, yaws, CELL),
        wide_stamps,
        plane_fits(wide_stamps),
        turned_volumes(biped, 2 * yaws),
        rules,
        _cost_rules(parameters, steps),
        refinement_for(fine, sole_corners(biped.sole), rules, parameters),
        hand_rules(parameters.hand, biped.hand_radius, biped.arm),
        arms_of(biped, space),
    )


def _grown(sole: Rectangle) -> Rectangle:
    """With all cells that it touches: one whose centre is outside may still be below its rim."""
    rear, front, right, left = sole
    margin = FINE_CELL / np.sqrt(2.0)
    return rear - margin, front + margin, right - margin, left + margin


def _cost_rules(parameters: PlannerParameters, steps: StepSet) -> CostRules:
    cost, limits = parameters.cost, parameters.step
    return CostRules(
        cost.step,
        cost.path_per_m,
        cost.turn_per_rad2 * (np.deg2rad(limits.turn_deg) / TURNS) ** 2,
        cost.hand,
        cost.bump,
        cost.vertical_per_m,
        cost.obstacle_per_m,
        limits.vertical_m,
        limits.obstacle_m,
        limits.noticeable_m,
        limits.ignored_m,
        limits.careful_m,
        limits.first_last_m,
        limits.guide_first_last_m,
        steps.longest,
        TURNS,
    )
