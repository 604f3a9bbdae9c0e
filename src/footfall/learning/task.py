"""Tasks as values: a robot, how it is driven, and the terms that say what it sees and what it is rewarded for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput, UnknownName
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.learning.quantities import check_term
from footfall.learning.standing import by_joint, standing
from footfall.option_checks import require_switch
from footfall.robot.load import load
from footfall.robot.model import Robot
from footfall.simulation.joint_control import actuated_velocities
from footfall.simulation.lanes.batch_step import BatchStep, Ground
from footfall.simulation.lanes.foot_points import find_feet
from footfall.simulation.step_values import StepOptions

_STIFFNESS = 2.0  # N m/rad for each kg that a robot weighs
_FULL = 0.35  # rad, at which a joint gives its greatest effort at the most
_SETTLING = 0.027  # s, damping over stiffness

# What a row may draw anew when it begins, in this order.
RESETS = (
    "level",
    "origin",
    "q",
    "v",
    "friction",
    "kp_factor",
    "kd_factor",
    "delay",
    "base_mass",
    "base_shift",
    "encoder_bias",
)


@dataclass(frozen=True)
class Term:
    """A function of named quantities with a weight, noise and options of its own.

    weight: of a reward, for a second. noise: of an observation, uniform between -noise and noise. options: values of
    arguments that are no quantities.
    """

    function: Callable[..., Any]
    weight: float = 1.0
    noise: float = 0.0
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InvalidInput(f"a term is made of a function of named quantities, not of {self.function!r}")
        for name in ("weight", "noise"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
                raise InvalidInput(
                    f"{name} of term {self.function.__name__!r} is {value!r}; it must be a finite number"
                )
        object.__setattr__(self, "options", MappingProxyType(dict(self.options)))


Terms = Mapping[str, Term | Callable[..., Any]]


@dataclass(frozen=True, kw_only=True)
class LearningTask:
    """What a row is rewarded for, and all that surrounds it.

    robot: or its name or file. posture: values of joints in the default configuration, rad, by name or by a part of it.
    feet: bodies, by default found. dt: s, of a step; substeps: in a step of the environment. seconds: of an episode.
    kp, kd: of the joints, N m/rad and N m s/rad, a number, one for each joint, or by name or a part of it; by default,
    and for joints that are not named, from the robot's mass and efforts. action_scale: rad for an action of one, of all
    joints or by name or a part of it; joints that are not named stay in the posture, no action moves them and no term
    sees them. action_limit: beyond which actions are cut. observations, critic, rewards, terminations, resets: terms by
    name; those of resets are named after what they draw (`RESETS`). command: draws (3,), again after `redraw` (least,
    most) s. kick: draws a change (6,) of the base's velocity, every `kick_every` (least, most) s. curriculum: gives the
    next level, 0 to 1, of a row that ends. ground: heights, else a plane. scan: points (n, 2) beside the base whose
    heights can be seen, m. exact: whether all shapes may touch the ground and each other, else only feet do.
    """

    robot: Robot | str
    observations: Terms
    rewards: Terms
    terminations: Terms
    command: Term | Callable[..., Any]
    critic: Terms | None = None
    resets: Terms = field(default_factory=dict)
    kick: Term | Callable[..., Any] | None = None
    curriculum: Term | Callable[..., Any] | None = None
    posture: Mapping[str, float] = field(default_factory=dict)
    feet: Sequence[str] | None = None
    dt: float = 0.005
    substeps: int = 4
    seconds: float = 20.0
    kp: float | Sequence[float] | Mapping[str, float] | None = None
    kd: float | Sequence[float] | Mapping[str, float] | None = None
    action_scale: float | Mapping[str, float] = 0.35
    action_limit: float = 10.0
    redraw: tuple[float, float] = (3.0, 8.0)
    kick_every: tuple[float, float] = (2.0, 6.0)
    ground: HeightMap | None = None
    scan: Array | None = None
    exact: bool = True

    def __post_init__(self) -> None:
        require_switch(self, "exact")
        for kind in ("observations", "critic", "rewards", "terminations", "resets"):
            terms = getattr(self, kind)
            if terms is None:
                continue
            if not isinstance(terms, Mapping):
                raise InvalidInput(f"{kind} is {terms!r}; it must be a dictionary of terms")
            made = {name: as_term(name, value) for name, value in terms.items()}
            draws = kind in ("observations", "resets")
            for name, term in made.items():
                check_term(kind, name, term.function, term.options, draws=draws)
            object.__setattr__(self, kind, MappingProxyType(made))
        if not self.observations or not self.rewards:
            raise InvalidInput("a task needs at least one observation and one reward")
        for name in self.resets:
            if name not in RESETS:
                raise UnknownName("reset", name, RESETS, "the task")
        for name in ("command", "kick", "curriculum"):
            value = getattr(self, name)
            if value is not None:
                term = as_term(name, value)
                check_term(name, name, term.function, term.options, draws=True)
                object.__setattr__(self, name, term)
        numbers = {name: getattr(self, name) for name in ("dt", "seconds", "action_limit")}
        if isinstance(self.action_scale, Mapping):
            object.__setattr__(self, "action_scale", MappingProxyType(dict(self.action_scale)))
            numbers |= {f"action_scale of {joint}": value for joint, value in self.action_scale.items()}
        else:
            numbers["action_scale"] = self.action_scale
        for name, value in numbers.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < np.inf:
                raise InvalidInput(f"{name} is {value!r}; it must be above zero and finite")
        for name in ("redraw", "kick_every"):
            low, high = getattr(self, name)
            if not 0.0 < low <= high:
                raise InvalidInput(f"{name} is {(low, high)}; it must be two times in s, the least one first")

    @cached_property
    def model(self) -> Robot:
        """The robot, free to move: descriptions often leave that open."""
        return self.robot if isinstance(self.robot, Robot) else load(self.robot, floating_base=True)

    @cached_property
    def default(self) -> Array:
        """Configuration (nq,) with the posture, its feet on level ground."""
        return standing(self.model, self.posture, self.feet)

    @cached_property
    def gains(self) -> tuple[Array, Array]:
        """kp and kd (joints,) of all rows before they draw a factor."""
        robot = self.model
        limits = robot.effort_limits[[velocity for _, velocity in actuated_velocities(robot)]]
        kp = np.minimum(_STIFFNESS * robot.mass, limits / _FULL)
        result: list[Array] = []
        for name, given, usual in (("kp", self.kp, kp), ("kd", self.kd, None)):
            usual = _SETTLING * result[0] if usual is None else usual
            if isinstance(given, Mapping):
                value = self._by_joint(given, name, usual)
            else:
                value = usual if given is None else np.asarray(given, dtype=np.float64)
            if value.shape not in ((), usual.shape) or not (np.isfinite(value) & (value >= 0.0)).all():
                raise InvalidInput(
                    f"{name} is {given}; it must be a number or {len(usual)} of them, at least zero"
                )
            result.append(np.broadcast_to(value, usual.shape).copy())
        return result[0], result[1]

    @cached_property
    def moved(self) -> list[int]:
        """Numbers among the driven joints of those that actions move, in their order."""
        return np.flatnonzero(self.driven_scales).tolist()

    @property
    def joints(self) -> list[tuple[int, int]]:
        """(coordinate, velocity) of each joint that actions move."""
        return [self.step.joints[number] for number in self.moved]

    @property
    def scales(self) -> Array:
        """rad for an action of one, of each joint that actions move."""
        return np.asarray(self.driven_scales[self.moved])

    def goals(self, actions: Array) -> Array:
        """Positions (rows, driven joints) that actions (rows, joints) lead to, rad."""
        result = np.tile(self.default[[coordinate for coordinate, _ in self.step.joints]], (len(actions), 1))
        result[:, self.moved] += self.scales * np.clip(actions, -self.action_limit, self.action_limit)
        return result

    @cached_property
    def driven_scales(self) -> Array:
        """rad for an action of one, of each joint that is driven; zero for those that stay."""
        if not isinstance(self.action_scale, Mapping):
            return np.full(len(actuated_velocities(self.model)), float(self.action_scale))
        return self._by_joint(self.action_scale, "the action's scale", 0.0)

    def _by_joint(self, values: Mapping[str, float], purpose: str, usual: Array | float) -> Array:
        """(joints,), those that are not named as usual."""
        robot = self.model
        given = by_joint(robot, values, purpose)
        named = {robot.v_slice(joint).start: value for joint, value in given.items()}
        places = [velocity for _, velocity in actuated_velocities(robot)]
        return np.array(
            [named.get(place, each) for place, each in zip(places, usual * np.ones(len(places)), strict=True)]
        )

    @cached_property
    def step(self) -> BatchStep:
        """The physics of a step of the environment."""
        robot, ground = self.model, self.ground
        surface: Ground = Plane() if ground is None else ground
        return BatchStep(
            robot,
            find_feet(robot, q=self.default, bodies=self.feet),
            surface,
            StepOptions(dt=self.dt),
            self.substeps,
            self.exact,
            self.default,
        )


def as_term(name: str, value: Any) -> Term:
    """A term, or a function as one with a weight of 1."""
    if isinstance(value, Term):
        return value
    if callable(value):
        return Term(value)
    raise InvalidInput(f"term {name!r} is {value!r}; it must be a function of named quantities, or a Term")
