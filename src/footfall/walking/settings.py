"""Parameters of a walk by name: those of planning, motion and control that a signal may change while it runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from footfall.errors import InvalidInput, UnknownName
from footfall.motion.parameters import MotionParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.planning.parameters import PlannerParameters, parameters_for
from footfall.walking.gains import ControlGains

Seconds = Annotated[float, Meta(ge=0.0, le=60.0)]
# What a robot is, and not how it is controlled: gains that follow from these would have to follow.
_FIXED = (
    "period",
    "mass",
    "gravity",
    "height",
    "pendulum_rate",
    "sole",
    "toe",
    "inclination_inertia",
    "disturbance",
)
# Of the height of the centre of mass: steps, feet above what they step over.
_STRIDE, _CLEARANCE = 0.55, 0.09
_SEEN = 0.005  # m, by which things may be higher than they are seen
_ASIDE = 0.8  # of an arm, from which on walls are leant on


class PlanningParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a robot plans while it walks. drive_latency_s, goal_latency_s: from a command until the plan for it is there,
    for velocities and for goals, in simulated time, so that results do not depend on the machine; for goals not below
    what 99.9 % of plans in furnished scenes take (0.345 s of CPU, `benchmarks/autonomy.md`). drive_steps,
    goal_steps: planned ahead, at most. far_m: ways that are longer are planned in pieces. look_s: between two looks
    at the surroundings. replan_s: between two plans that only other surroundings ask for; where something came, moved
    or went beside the plan there is a new one at once. patience_s: how long a robot without a way goes on looking after
    something has moved."""

    drive_latency_s: Seconds = 0.01
    goal_latency_s: Seconds = 0.35
    drive_steps: Annotated[int, Meta(ge=3, le=20)] = 4
    goal_steps: Annotated[int, Meta(ge=6, le=60)] = 14
    far_m: Annotated[float, Meta(gt=0.0, le=1e4)] = 1.0
    look_s: Annotated[float, Meta(ge=0.05, le=60.0)] = 0.1
    replan_s: Annotated[float, Meta(ge=0.1, le=60.0)] = 1.0
    patience_s: Annotated[float, Meta(ge=0.0, le=3600.0)] = 5.0


class WalkSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """planner: of contacts. motion: of the generator. planning: when and how far ahead. gains: of the controller."""

    planner: PlannerParameters
    motion: MotionParameters
    planning: PlanningParameters
    gains: ControlGains

    def names(self) -> Iterator[tuple[str, Any]]:
        """All names that can be set, such as `planner.step.forward_m`, with their values."""
        for group in ("planner", "motion", "planning"):
            yield from _leaves(group, msgspec.to_builtins(getattr(self, group)))
        yield from ((f"gains.{name}", getattr(self.gains, name)) for name in _settable(self.gains))

    def changed(self, name: str, value: Any) -> WalkSettings:
        """With another value; unknown names, and values out of range, are refused."""
        known = dict(self.names())
        if name not in known:
            raise UnknownName("parameter", name, known, "this walk")
        group, _, rest = name.partition(".")
        if group == "gains":
            number: Any = _number(name, value)
            return msgspec.structs.replace(self, gains=self.gains._replace(**{rest: number}))
        old = getattr(self, group)
        try:
            new = msgspec.convert(_replaced(msgspec.to_builtins(old), rest.split("."), value), type(old))
        except msgspec.ValidationError as error:
            raise InvalidInput(f"{name} is {value!r}: {str(error).partition(' - at ')[0]}") from None
        return msgspec.structs.replace(self, **{group: new})


def planner_parameters(model: ReducedModel, *, speed: float | None = None) -> PlannerParameters:
    """Those of the planner, with feet that swing higher than it needs, and over no more than what is surely low enough:
    a robot is never just where it should be, and sees nothing just as it is. Hands leave more walls alone, too: the
    body sways towards what they lean on, and shoulders come to their stops.

    speed: m/s, at most.
    """
    usual, change = parameters_for(model), msgspec.structs.replace
    longest = _STRIDE * model.com_height
    if speed is not None:
        longest = min(longest, max(speed * usual.timing.transition_s, 0.1))
    return change(
        usual,
        step=change(usual.step, forward_m=longest, obstacle_m=usual.step.obstacle_m - _SEEN),
        hand=change(usual.hand, aside_arms=_ASIDE),
        timing=change(usual.timing, clearance_m=_CLEARANCE * model.com_height),
    )


def _leaves(prefix: str, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _leaves(f"{prefix}.{name}", value)
        else:
            yield f"{prefix}.{name}", value


def _replaced(values: dict[str, Any], path: list[str], value: Any) -> dict[str, Any]:
    first, *rest = path
    return {**values, first: _replaced(values[first], rest, value) if rest else value}


def _settable(gains: ControlGains) -> list[str]:
    return [name for name in gains._fields if name not in _FIXED]


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value < math.inf:
        raise InvalidInput(f"{name} is {value!r}; it must be a number, zero or above")
    return float(value)
