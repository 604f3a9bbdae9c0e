"""Random robots with every joint type, and random states for any robot.

`random_robot(seed)` is a plain function of its arguments; `robots()` is the same as a hypothesis strategy
that shrinks towards few joints of simple types.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from footfall.arrays import Array
from footfall.math.transform import Transform, identity_transform
from footfall.robot.model import WORLD, Body, Frame, Joint, JointType, Robot

ALL_TYPES: tuple[JointType, ...] = tuple(JointType)


class State(NamedTuple):
    """Configuration (nq,), velocity, acceleration and joint forces (nv,)."""

    q: Array
    v: Array
    a: Array
    tau: Array


def random_quaternion(rng: np.random.Generator) -> Array:
    quaternion = rng.normal(size=4)
    return quaternion / np.linalg.norm(quaternion)


def random_rotation(rng: np.random.Generator) -> Array:
    w, x, y, z = random_quaternion(rng)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _axis(rng: np.random.Generator) -> tuple[float, float, float]:
    """Half of them a signed coordinate axis, as in most real robots."""
    if rng.random() < 0.5:
        axis = np.roll([1.0, 0.0, 0.0], rng.integers(3)) * rng.choice([-1.0, 1.0])
    else:
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
    return (float(axis[0]), float(axis[1]), float(axis[2]))


def _two_axes(rng: np.random.Generator) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Not nearly parallel: the mass matrix of a universal joint must not be singular."""
    first, second = _axis(rng), _axis(rng)
    while abs(np.dot(first, second)) > 0.9:
        second = _axis(rng)
    return first, second


def _placement(rng: np.random.Generator) -> Transform:
    rotation = np.eye(3) if rng.random() < 0.4 else random_rotation(rng)
    return Transform(rotation, rng.uniform(-0.5, 0.5, 3))


def _body(rng: np.random.Generator, name: str) -> Body:
    spread = rng.normal(size=(3, 3)) * 0.2
    second_moment = spread @ spread.T + 1e-3 * np.eye(3)
    mass = float(rng.uniform(0.5, 5.0))
    inertia = mass * (np.trace(second_moment) * np.eye(3) - second_moment)  # obeys the triangle inequality
    return Body(name, mass, rng.uniform(-0.2, 0.2, 3), inertia)


def random_robot(
    seed: int,
    *,
    types: Sequence[JointType | str] | None = None,
    joints: int = 10,
    ups: Sequence[int] | None = None,
    floating_base: bool | None = None,
    armature: bool = True,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
) -> Robot:
    """A robot whose joint i has `types[i]`, hung `ups[i]` bodies above the one made before it.

    types: default `joints` random ones among all. ups: default random. floating_base: the first joint floats
    at the origin of the world (True), does not float (False), or as `types` says (None). Bodies come depth
    first.
    """
    rng = np.random.default_rng(seed)
    if types is None:
        types = [JointType(str(kind)) for kind in rng.choice([str(kind) for kind in ALL_TYPES], joints)]
    kinds = [JointType(kind) for kind in types]
    if floating_base is not None and kinds:
        if floating_base:
            kinds[0] = JointType.FLOATING
        elif kinds[0] is JointType.FLOATING:
            kinds[0] = JointType.REVOLUTE
    if ups is None:
        ups = [int(up) for up in rng.choice([0, 0, 0, 1, 2, 3], len(kinds))]
    bodies: list[Body] = []
    made: list[Joint] = []
    frames: list[Frame] = []
    path: list[str] = [WORLD]  # from the world to the newest body
    for index, (kind, up) in enumerate(zip(kinds, ups, strict=True)):
        # With a floating base everything hangs on it; else branches may also start at the world.
        top = 2 if floating_base and index > 0 else 1
        path = path[: max(top, len(path) - up)]
        body = _body(rng, f"body{index}")
        placement = identity_transform() if floating_base and index == 0 else _placement(rng)
        axis, second_axis = _two_axes(rng)
        made.append(
            Joint(
                f"joint{index}",
                kind,
                path[-1],
                body.name,
                placement,
                axis=axis,
                second_axis=second_axis,
                armature=float(rng.uniform(0.0, 0.3)) if armature and rng.random() < 0.5 else 0.0,
            )
        )
        bodies.append(body)
        path.append(body.name)
        if rng.random() < 0.5:
            frames.append(Frame(f"frame{index}", body.name, _placement(rng)))
    return Robot(f"random-{seed}", tuple(bodies), tuple(made), tuple(frames), gravity=gravity)


@st.composite
def robots(
    draw: st.DrawFn,
    *,
    types: Sequence[JointType] = ALL_TYPES,
    min_joints: int = 1,
    max_joints: int = 8,
    floating_base: bool | None = None,
    armature: bool = True,
) -> Robot:
    """Random trees (or forests) with joints of `types`; at least one joint moves."""
    kinds = draw(st.lists(st.sampled_from(types), min_size=min_joints, max_size=max_joints))
    if all(kind is JointType.FIXED for kind in kinds):
        kinds[-1] = JointType.REVOLUTE
    ups = draw(st.lists(st.integers(0, 3), min_size=len(kinds), max_size=len(kinds)))
    seed = draw(st.integers(0, 2**32 - 1))
    return random_robot(seed, types=kinds, ups=ups, floating_base=floating_base, armature=armature)


def random_state(robot: Robot, seed: int | np.random.Generator = 0) -> State:
    """Any configuration (no limits), velocities and accelerations of order one, forces of order ten."""
    rng = np.random.default_rng(seed)
    parts: list[Array] = [np.zeros(0)]
    for joint in robot.joints:
        match joint.type:
            case JointType.SPHERICAL:
                parts.append(random_quaternion(rng))
            case JointType.FLOATING:
                parts += [rng.uniform(-2.0, 2.0, 3), random_quaternion(rng)]
            case JointType.PRISMATIC:
                parts.append(rng.uniform(-0.5, 0.5, 1))
            case _:
                parts.append(rng.uniform(-np.pi, np.pi, joint.type.coordinates))
    nv = robot.nv
    return State(np.concatenate(parts), rng.normal(size=nv), rng.normal(size=nv), 10.0 * rng.normal(size=nv))
