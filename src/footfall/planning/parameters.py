"""Parameters of the contact planner: lengths in m and angles in degrees as the names say, costs in units of one step.

The defaults are those that Seiwald 2023 (chapter 5) prints, for a biped with legs of 0.87 m; what he does not print was
chosen so that one set serves all scenes. `parameters_for` gives those of a robot of any size.

Parameters of the planner in TOML: read with checks, written with their meaning beside them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from footfall.errors import InvalidInput, RobotError
from footfall.motion.reduced_model import ReducedModel
from footfall.robot.toml_parts import read_schema
from footfall.robot.toml_text import toml_key, toml_value
from footfall.whole_file import written_whole

Positive = Annotated[float, Meta(gt=0.0, le=1e6)]
NotNegative = Annotated[float, Meta(ge=0.0, le=1e6)]
Share = Annotated[float, Meta(ge=0.0, le=1.0)]
Count = Annotated[int, Meta(ge=1, le=1_000_000_000)]
PRINTED_LEG = 0.87  # m, of the robot that the defaults are for


class GridParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Resolution of the states. Cells are 4 and 8 cm, those of the terrain's levels. yaws: headings in a full turn, a
    multiple of 4; refined footholds have twice as many. margin_m: how far the map that is searched reaches beyond
    start, goal and way points."""

    yaws: Annotated[int, Meta(ge=8, le=96, multiple_of=4)] = 48
    margin_m: Positive = 3.0


class StepLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a step may be. forward_m and outward_m bound each other: forward / forward_m + outward / outward_m <= 1.
    first_last_m: for the first and the last step. guide_first_last_m: the same along the guide path. careful_m: for
    steps up, down or over more than noticeable_m. ignored_m: what rises less below a swing foot is taken for noise of
    the map (the source: 0). feet_apart_m, refined_feet_apart_m: distance of the soles in the
    search and after refinement. backward_m: for walking by hand; the planner does not step backward."""

    forward_m: Positive = 0.64
    backward_m: NotNegative = 0.20
    outward_m: Positive = 0.24
    guide_least_m: Positive = 0.08
    turn_deg: Positive = 15.0
    first_last_m: Positive = 0.30
    guide_first_last_m: Positive = 0.32
    vertical_m: Positive = 0.13
    obstacle_m: Positive = 0.15
    noticeable_m: Positive = 0.04
    ignored_m: NotNegative = 0.015
    careful_m: Positive = 0.50
    feet_apart_m: NotNegative = 0.02
    refined_feet_apart_m: NotNegative = 0.01


class FootholdLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where a foot may stand. uneven_m: height difference below the sole. bump_m: how far the ground may stick out of
    the plane that the sole lies on; more costs `cost.bump`. least_confidence: mean over the sole. shift_m, turn_deg:
    how far refinement moves a foot. tiptoe_drop_m: a step down by more is taken on tiptoe."""

    uneven_m: Positive = 0.04
    bump_m: Positive = 0.008
    least_confidence: Share = 2 / 3
    shift_m: NotNegative = 0.02
    turn_deg: NotNegative = 3.75
    tiptoe_drop_m: Positive = 0.10


class StepCosts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a step costs, in units of one step. desired_m: the best length of a step. obstacle_per_m: for the height of
    what both half swings pass over. Costs of a foothold: uneven (at the limit of height differences), uncertain (at
    the limit of confidence), partial (only the toe pad stands), hand (for each hand without support), bump (the sole
    lies on an edge, or partly on ground that was never seen; 0: soles are not looked at so closely, as in the source).
    Costs of refinement: shift_per_cm, turn_per_step."""

    step: Positive = 1.0
    path_per_m: NotNegative = 2.0
    length_per_m: NotNegative = 4.75
    desired_m: Positive = 0.40
    turn_per_rad2: NotNegative = 10.0
    vertical_per_m: NotNegative = 5.0
    lateral_per_m: NotNegative = 2.0
    obstacle_per_m: NotNegative = 5.0
    uneven: NotNegative = 0.5
    uncertain: NotNegative = 0.5
    partial: NotNegative = 1.0
    hand: NotNegative = 0.4
    bump: NotNegative = 2.0
    shift_per_cm: NotNegative = 0.02
    turn_per_step: NotNegative = 0.05


class CurvatureLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How curved a surface may be where a hand of diameter d touches it, in 1/d: convex: confidence is 0 from there;
    concave_best, concave: it is 1 at the first and 0 at the second."""

    convex: Positive = 2 / 3
    concave_best: Positive = 1.0
    concave: Positive = 2.0


# A hand lies well on thin rails, which the printed limits refuse.
_CURVATURES = {
    "default": CurvatureLimits(),
    "rail": CurvatureLimits(convex=8.0, concave=16.0),
    "handrail": CurvatureLimits(convex=8.0, concave=16.0),
}


class HandParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Contacts of hands. classes: of objects that may be touched. least_confidence: of a surface. edge_m: longest edge
    of triangles. border_hands: distance from the border in hand diameters where confidence is full. flat: confidence of
    flat surfaces. curvature: by class of object; others have "default". confidence_weight, distance_per_m: what makes a
    point good. force_N: along the normal. frontal_deg, transverse_deg: range of the normal (outward from the surface)
    in the frontal and transverse plane; 0 is towards the robot, 90 is up. aside_arms: how far a wall must be from the
    middle between the feet, in lengths of the stretched arm: nearer ones are struck by elbows (the source: 0)."""

    classes: tuple[str, ...] = ("wall", "table", "rail", "handrail", "furniture")
    least_confidence: Share = 1 / 3
    edge_m: Positive = 0.10
    border_hands: Positive = 0.75
    flat: Share = 0.75
    curvature: Mapping[str, CurvatureLimits] = msgspec.field(default_factory=lambda: dict(_CURVATURES))
    confidence_weight: NotNegative = 1.5
    distance_per_m: NotNegative = 5.0
    force_N: Positive = 50.0
    frontal_deg: tuple[float, float] = (-30.0, 110.0)
    transverse_deg: tuple[float, float] = (-45.0, 45.0)
    aside_arms: NotNegative = 0.7


class TimingParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How steps become transitions. careful_factor: how much longer careful steps take. hands_factor: the same for
    those with a hand contact; a hand carries for 0.7 of such a step. clearance_m: of the swing foot above what it steps
    over. careful_timing: swing timing of careful steps."""

    transition_s: Positive = 0.8
    careful_factor: Positive = 1.5
    hands_factor: Positive = 1.5
    clearance_m: NotNegative = 0.04
    careful_timing: Share = 0.5


class SearchParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the search goes on. weight: of the guide in the order of nodes; a larger one finds a path sooner, a worse
    one maybe. whole_swings: whether a step is refused if the foot on its straight way from its last foothold would pass
    over too high ground; the half swings that costs use cut no corners. swept_body: whether a step is refused if the
    body would be in something on its way from stance to stance. most_nodes: states that guide and search look
    at for each part of a way before they give up. repairs:
    how often a plan is searched again because a foothold or a motion was refused. goal_off_m: how far from a goal the
    robot may stop if feet find no ground at the goal itself."""

    weight: Annotated[float, Meta(ge=0.0, le=10.0)] = 1.08
    whole_swings: bool = True
    swept_body: bool = True
    most_nodes: Count = 250_000
    repairs: Annotated[int, Meta(ge=0, le=1000)] = 20
    goal_off_m: NotNegative = 0.12


class PlannerParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All parameters of the planner."""

    grid: GridParameters = GridParameters()
    step: StepLimits = StepLimits()
    foothold: FootholdLimits = FootholdLimits()
    cost: StepCosts = StepCosts()
    hand: HandParameters = HandParameters()
    timing: TimingParameters = TimingParameters()
    search: SearchParameters = SearchParameters()


def parameters_for(model: ReducedModel, parameters: PlannerParameters | None = None) -> PlannerParameters:
    """Parameters for a robot of another size: step lengths and heights grow with its legs, costs for a metre shrink.

    parameters: those of a robot with legs of 0.87 m; by default those of `PlannerParameters`.
    """
    parameters = PlannerParameters() if parameters is None else parameters
    ratio = (model.leg.lower_leg + model.leg.upper_leg) / PRINTED_LEG
    if abs(ratio - 1.0) < 1e-6:
        return parameters
    step = _scaled(
        parameters.step,
        ratio,
        ("turn_deg", "feet_apart_m", "refined_feet_apart_m", "noticeable_m", "ignored_m"),
    )
    foothold = msgspec.structs.replace(
        parameters.foothold, tiptoe_drop_m=ratio * parameters.foothold.tiptoe_drop_m
    )
    cost = msgspec.structs.replace(
        parameters.cost,
        desired_m=ratio * parameters.cost.desired_m,
        path_per_m=parameters.cost.path_per_m / ratio,
        length_per_m=parameters.cost.length_per_m / ratio,
        vertical_per_m=parameters.cost.vertical_per_m / ratio,
        lateral_per_m=parameters.cost.lateral_per_m / ratio,
        obstacle_per_m=parameters.cost.obstacle_per_m / ratio,
    )
    return msgspec.structs.replace(parameters, step=step, foothold=foothold, cost=cost)


def _scaled(limits: StepLimits, ratio: float, kept: tuple[str, ...]) -> StepLimits:
    """Lengths times a ratio, but for those that the terrain or an angle fixes."""
    lengths = {name: ratio * getattr(limits, name) for name in limits.__struct_fields__ if name not in kept}
    return msgspec.structs.replace(limits, **lengths)


_LARGEST_FILE = 2**20  # bytes


def read_planner_parameters(path: Path | str) -> PlannerParameters:
    """Parameters from a TOML file; what it leaves out has its default. Unknown names and numbers out of range are
    refused."""
    try:
        return read_schema(Path(path), PlannerParameters, limit=_LARGEST_FILE)
    except RobotError as error:
        raise InvalidInput(str(error)) from None


def write_planner_parameters(parameters: PlannerParameters, path: Path | str) -> None:
    """Write all parameters as TOML, each table with a comment that says what its numbers mean."""
    with written_whole(Path(path)) as file:
        file.write(planner_parameters_text(parameters).encode())


def planner_parameters_text(parameters: PlannerParameters) -> str:
    """All parameters as TOML with comments. Units stand in the names: m, deg, s, N; `per_m` is a cost for a metre."""
    parts = []
    for name in parameters.__struct_fields__:
        table = getattr(parameters, name)
        meaning = textwrap.fill(" ".join((type(table).__doc__ or "").split()), 100)
        comment = textwrap.indent(meaning, "# ")
        values = msgspec.to_builtins(table)
        numbers = {key: value for key, value in values.items() if not isinstance(value, Mapping)}
        tables = {key: value for key, value in values.items() if isinstance(value, Mapping)}
        parts.append(f"{comment}\n[{name}]\n{_fields(numbers)}")
        for key, table_of_tables in tables.items():
            parts += [
                f"[{name}.{key}.{toml_key(entry)}]\n{_fields(fields)}"
                for entry, fields in table_of_tables.items()
            ]
    return "\n".join(parts)


def _fields(values: Mapping[str, Any]) -> str:
    return "".join(f"{name} = {_value(value)}\n" for name, value in values.items())


def _value(value: Any) -> str:
    """Whole numbers stay whole: readers tell counts from lengths."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else toml_value(value)
