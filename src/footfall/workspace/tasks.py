"""Tasks for arms that are being designed, and families of arms that may do them: a file.

name = "arms for support"
size = 0.05                     # m, of cells
samples = 60000                 # of each arm
evaluations = 300               # arms that are tried of each family
span = 0.951                    # m, from the origin to the base and on to the stretched hand at most

[weights]                       # of what counts in a cell that is reached
reach = 1.0
condition = 1.0
manipulability = 1.0
joint_range = 1.0

[[task]]
name = "wall"
center = [0.2, -0.7, 0.0]       # m, in axes of the base: x forwards, y to the left, z up
size = [0.5, 0.1, 0.6]
fade = 0.1                      # m, over which it matters less and less
direction = [0.0, -1.0, 0.0]    # in which the hand presses
cone_deg = 60                   # off which it does not count

[[topology]]
name = "two hinges"
base = [0.0, -0.223, 0.0]
parameters = { upper = [0.2, 0.5], lower = [0.2, 0.5] }
[[topology.joint]]
axis = "y"                      # x, y, z, -x, ...; "free" tries all
range_deg = [-180, 180]         # or range = [0.0, 0.3] in m for type = "prismatic"; type = "free" tries both
[[topology.joint]]
axis = "y"
offset = [0, 0, "-upper"]       # m, from the joint before: numbers and parameters
range_deg = [-158, 24]
[topology.hand]
offset = [0, 0, "-lower"]
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from footfall.arrays import Array
from footfall.errors import InvalidInput, MissingFile
from footfall.robot.toml_parts import Vector, read_schema
from footfall.workspace.candidates import ArmCandidate

LIBRARY = Path(__file__).parent / "library"
FREE = "free"
_MOST_BYTES = 1_000_000  # bytes of a file
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_FREE_SLIDE = (0.0, 0.2)  # m, range of a joint that is free to slide
_MOST_CELLS = 2_000_000

Number = float | str
Positive = Annotated[float, Meta(gt=0.0)]


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How much each counts in a cell that is reached in a wanted direction."""

    reach: Annotated[float, Meta(ge=0.0)] = 1.0
    condition: Annotated[float, Meta(ge=0.0)] = 1.0
    manipulability: Annotated[float, Meta(ge=0.0)] = 1.0
    joint_range: Annotated[float, Meta(ge=0.0)] = 1.0

    @property
    def total(self) -> float:
        return self.reach + self.condition + self.manipulability + self.joint_range


class Task(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A box that a hand is wanted in, and a direction in which it presses; None: any."""

    name: str
    center: Vector
    size: tuple[Positive, Positive, Positive]
    fade: Annotated[float, Meta(ge=0.0)] = 0.1
    direction: Vector | None = None
    cone_deg: Annotated[float, Meta(gt=0.0, le=180.0)] = 60.0
    weight: Annotated[float, Meta(ge=0.0)] = 1.0

    def at(self, points: Array) -> Array:
        """Weights (m,) of points (m, 3), from 1 within the box to 0 at the end of what fades."""
        beyond = np.maximum(np.abs(points - np.array(self.center)) - 0.5 * np.array(self.size), 0.0)
        away = np.linalg.norm(beyond, axis=-1)
        faded = 1.0 - away / self.fade if self.fade > 0.0 else (away == 0.0).astype(float)
        return np.asarray(np.clip(faded, 0.0, 1.0))

    def along(self, directions: Array) -> Array:
        """Weights (m,) of directions (m, 3): 1 along the wanted one, 0 off the cone."""
        if self.direction is None:
            return np.ones(len(directions))
        wanted = np.array(self.direction) / np.linalg.norm(self.direction)
        edge = math.cos(math.radians(self.cone_deg))
        return np.asarray(np.clip((directions @ wanted - edge) / max(1.0 - edge, 1e-9), 0.0, 1.0))


class JointSchema(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    axis: Literal["x", "y", "z", "-x", "-y", "-z", "free"]
    type: Literal["revolute", "prismatic", "free"] = "revolute"
    offset: tuple[Number, Number, Number] = (0.0, 0.0, 0.0)
    range_deg: tuple[Number, Number] | None = None
    range: tuple[Number, Number] | None = None
    name: str = ""


class HandSchema(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    offset: tuple[Number, Number, Number]


class Topology(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A family of arms. parameters: bounds by name, m, or degrees where ranges use them."""

    name: str
    hand: HandSchema
    joint: Annotated[list[JointSchema], Meta(min_length=1, max_length=12)]
    base: Vector = (0.0, 0.0, 0.0)
    parameters: dict[str, tuple[float, float]] = {}

    @property
    def unknowns(self) -> list[str]:
        """What is searched for: parameters, then axes and kinds that are free."""
        free = [f"axis {k + 1}" for k, joint in enumerate(self.joint) if joint.axis == FREE]
        kinds = [f"kind {k + 1}" for k, joint in enumerate(self.joint) if joint.type == FREE]
        return [*self.parameters, *free, *kinds]

    def arm(self, shares: Array, span: float) -> ArmCandidate:
        """The arm at shares (d,) of what is searched for, 0 to 1; made shorter where its span is more than that, m."""
        found = dict(zip(self.unknowns, np.clip(shares, 0.0, 1.0).tolist(), strict=True))
        known = {name: low + found[name] * (high - low) for name, (low, high) in self.parameters.items()}
        axes, slides, lower, upper = [], [], [], []
        for k, joint in enumerate(self.joint):
            letter = joint.axis
            if letter == FREE:
                letter = "xyz"[min(int(3.0 * found[f"axis {k + 1}"]), 2)]  # type: ignore[assignment]
            sliding = joint.type == "prismatic" or (joint.type == FREE and found[f"kind {k + 1}"] > 0.5)
            axes.append(np.array(_AXES[letter[-1]]) * (-1.0 if letter.startswith("-") else 1.0))
            slides.append(float(sliding))
            low, high = self._range(joint, sliding, known)
            lower.append(low)
            upper.append(high)
        placed = [*(joint.offset for joint in self.joint), self.hand.offset]
        offsets = np.array([[_value(each, known) for each in offset] for offset in placed])
        offsets[0] += np.array(self.base)
        arm = ArmCandidate(np.array(axes), np.array(slides), offsets, np.array(lower), np.array(upper))
        allowed = span - float(np.linalg.norm(offsets[0]))
        if arm.length > allowed:
            scale = max(allowed, 1e-3) / arm.length
            offsets[1:] *= scale
            factor = np.where(arm.slides > 0.5, scale, 1.0)
            arm = arm._replace(offsets=offsets, lower=arm.lower * factor, upper=arm.upper * factor)
        return arm

    def _range(self, joint: JointSchema, sliding: bool, known: dict[str, float]) -> tuple[float, float]:
        if sliding:
            low, high = joint.range or _FREE_SLIDE
            ends = _value(low, known), _value(high, known)
        else:
            low, high = joint.range_deg or (-180.0, 180.0)
            ends = math.radians(_value(low, known)), math.radians(_value(high, known))
        return min(ends), max(ends)

    def check(self) -> None:
        """Whether it can be made."""
        for name, (low, high) in self.parameters.items():
            if not -1e3 < low <= high < 1e3:
                raise InvalidInput(
                    f"topology {self.name!r}: parameter {name!r} is from {low} to {high}; give low, high"
                )
        for joint in self.joint:
            if joint.type == "prismatic" and joint.range is None:
                raise InvalidInput(f"topology {self.name!r}: a joint that slides needs `range`, in m")
        arm = self.arm(np.full(len(self.unknowns), 0.5), math.inf)
        if not arm.length > 0.0:
            raise InvalidInput(f"topology {self.name!r} has no length; give offsets")


def _value(number: Number, known: dict[str, float]) -> float:
    """A number, or a parameter with or without a sign."""
    if not isinstance(number, str):
        return float(number)
    name = number.removeprefix("-").strip()
    if name not in known:
        names = ", ".join(known) or "none"
        raise InvalidInput(f"{number!r} is no number and no parameter; there are: {names}")
    return -known[name] if number.startswith("-") else known[name]


class ArmReplacement(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A robot that gets the best arm on both sides. body: that carries it, x forwards and z up. position: m, of the
    origin of the tasks in it. remove: bodies that go with all they carry. weld: joints that become rigid. hands: frames
    at the hands, right and left. mass: kg of an arm, in equal parts. effort: N m of each joint."""

    name: str
    body: str
    position: Vector
    remove: list[str] = []
    weld: list[str] = []
    hands: tuple[str, str] = ("RH", "LH")
    mass: Positive = 5.0
    effort: Positive = 100.0


class Tasks(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All that decides about which arm is best; see the module's docstring."""

    name: str
    task: Annotated[list[Task], Meta(min_length=1)]
    topology: Annotated[list[Topology], Meta(min_length=1)]
    size: Annotated[float, Meta(gt=0.0)] = 0.05
    samples: Annotated[int, Meta(ge=100, le=100_000_000)] = 60_000
    evaluations: Annotated[int, Meta(ge=1, le=1_000_000)] = 300
    span: Annotated[float, Meta(gt=0.0)] = 1e3
    method: Literal["cma", "swarm"] = "cma"
    normalise: Literal["tasks", "workspace"] = "tasks"
    seed: Annotated[int, Meta(ge=0, lt=2**31)] = 0
    weights: Weights = Weights()
    robot: ArmReplacement | None = None


def read_tasks(source: Any) -> Tasks:
    """Read tasks: the name of shipped ones, or a file (.toml)."""
    path = Path(source)
    if path.suffix != ".toml":
        path = LIBRARY / f"{source}.toml"
    if not path.is_file():
        shipped = ", ".join(sorted(each.stem for each in LIBRARY.glob("*.toml")))
        raise MissingFile(
            f"no tasks {str(source)!r}; give a .toml file, or one of the shipped ones: {shipped}"
        )
    tasks = read_schema(path, Tasks, limit=_MOST_BYTES)
    for topology in tasks.topology:
        topology.check()
    names = [topology.name for topology in tasks.topology]
    if len(set(names)) < len(names):
        raise InvalidInput(f"topologies have the same name: {', '.join(names)}")
    if not tasks.weights.total > 0.0:
        raise InvalidInput("weights are all zero; give one of reach, condition, manipulability, joint_range")
    for task in tasks.task:
        if task.direction is not None and not 0.0 < float(np.linalg.norm(task.direction)) < math.inf:
            raise InvalidInput(
                f"task {task.name!r}: direction is {list(task.direction)}; it must not be zero"
            )
        cells = np.prod((np.array(task.size) + 2.0 * task.fade) / tasks.size + 2.0)
        if cells > _MOST_CELLS:
            raise InvalidInput(f"task {task.name!r} has {cells:.3g} cells; choose a larger `size` of cells")
    return tasks
