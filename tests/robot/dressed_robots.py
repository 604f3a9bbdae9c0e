"""Random robots with all that a description can hold: limits, friction, shapes, mimics, configurations, sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from footfall.math.transform import Transform
from footfall.robot.model import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Geometry,
    Joint,
    JointType,
    Mesh,
    Mimic,
    Robot,
    Shape,
    Sphere,
)
from tests.random_robots import ALL_TYPES, random_robot, random_rotation, random_state, robots

_SCALARS = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


def _geometry(rng: np.random.Generator, name: str) -> Geometry:
    a, b, c = rng.uniform(0.01, 1.0, 3).tolist()
    shapes: list[Shape] = [
        Box((a, b, c)),
        Sphere(a),
        Cylinder(a, b),
        Capsule(a, b),
        Mesh(f"meshes/{name}.stl", (a, b, c)),
    ]
    shape = shapes[int(rng.integers(len(shapes)))]
    placement = Transform(random_rotation(rng), rng.normal(size=3))
    color = tuple(np.round(rng.uniform(size=4), 3).tolist()) if rng.random() < 0.5 else None
    return Geometry(shape, placement, name, color)


def _dressed_joint(rng: np.random.Generator, joint: Joint, leaders: list[str]) -> Joint:
    if joint.type is JointType.FIXED:  # without axes and rotors, which have no meaning
        return Joint(joint.name, joint.type, joint.parent, joint.child, joint.placement)
    count = joint.type.velocities
    changes: dict[str, object] = {}
    if joint.type is not JointType.CONTINUOUS and not joint.type.has_quaternion and rng.random() < 0.7:
        changes["lower"] = tuple(rng.uniform(-3.0, 0.0, count))
        changes["upper"] = tuple(rng.uniform(0.0, 3.0, count))
    if rng.random() < 0.5:
        changes["velocity"] = tuple(rng.uniform(1.0, 9.0, count))
        changes["effort"] = tuple(rng.uniform(1.0, 99.0, count))
    changes["damping"] = float(rng.choice([0.0, 0.3]))
    changes["friction"] = float(rng.choice([0.0, 0.7]))
    if joint.type in _SCALARS and leaders and rng.random() < 0.3:
        changes["mimic"] = Mimic(str(rng.choice(leaders)), float(rng.normal()), float(rng.normal()))
    return replace(joint, **changes)  # type: ignore[arg-type]


def dressed(robot: Robot, seed: int) -> Robot:
    """The robot with everything added that its joints allow."""
    rng = np.random.default_rng(seed)
    bodies: list[Body] = []
    joints: list[Joint] = []
    leaders: list[str] = []
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        shapes = [_geometry(rng, f"{body.name}_{k}") for k in range(int(rng.integers(4)))]
        half = len(shapes) // 2
        bodies.append(replace(body, visuals=tuple(shapes[:half]), collisions=tuple(shapes[half:])))
        joints.append(_dressed_joint(rng, joint, leaders))
        if joint.type in _SCALARS and joints[-1].mimic is None:
            leaders.append(joint.name)
    names = [joint.name for joint in joints]
    return replace(
        robot,
        bodies=tuple(bodies),
        joints=tuple(joints),
        configurations={"first": random_state(robot, seed).q, "second pose": random_state(robot, seed + 1).q},
        groups={"all": tuple(names), "none": ()},
        regions={"all": tuple(body.name for body in bodies)},
        notes={"origin": 'made "by" chance \\ here', "line": "one\ntwo \u00fc"},
        limit_sets={"software": dict.fromkeys(leaders, (-0.5, 0.25))},
    )


@st.composite
def dressed_robots(draw: st.DrawFn, *, types: Sequence[JointType] = ALL_TYPES) -> Robot:
    """Random trees with everything that a description can hold."""
    robot = draw(robots(types=types))
    return dressed(robot, draw(st.integers(0, 2**32 - 1)))


def dressed_robot(seed: int, *, types: Sequence[JointType] | None = None) -> Robot:
    """A robot with eight joints, or with joints of `types`."""
    return dressed(random_robot(seed, joints=8, types=types), seed)
