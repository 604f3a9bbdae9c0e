"""A scene's robots and free bodies as one robot, and where they start."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import SceneError, SceneWarning
from footfall.robot.combine import INITIAL, Placed, combine
from footfall.robot.model import STANDARD_GRAVITY, WORLD, Body, Joint, JointType, Robot
from footfall.robot.shapes import Geometry
from footfall.scene.model import Scene, SceneObject


def combined_robot(scene: Scene, robot: Robot | None = None, *, q: Any = None) -> Robot:
    """All that moves by itself in a scene, side by side as one robot; see `footfall.robot.combine`.

    robot: one more that the scene does not have; it comes first and keeps its names. q: (nq,) where that one
    starts, neutral by default. The scene's robots follow with their names in front, then each free object as a body
    and a floating joint of its own name. Configuration "initial" is where all start; see `common_gravity`.
    """
    members = placed_robots(scene, robot, q=q)
    members += [Placed(free_robot(each), each.placement) for each in scene.free_objects]
    if not members:
        raise SceneError(
            "nothing in it moves by itself; add a robot or a mass", subject=("scene", scene.name)
        )
    name = robot.name if robot is not None and len(members) == 1 else scene.name
    robots = [] if robot is None else [robot]
    robots += [each.robot for each in scene.robots]
    return combine(members, name=name, gravity=common_gravity(scene, robots))


def common_gravity(scene: Scene, robots: Sequence[Robot]) -> tuple[float, float, float]:
    """What pulls at all, m/s2: the scene's, else that of the first robot that has another than usual.

    Warns of robots whose own is unusual and another one.
    """
    unusual = [robot for robot in robots if robot.gravity != STANDARD_GRAVITY]
    taken, whose = scene.gravity, f"scene {scene.name!r}"
    if taken is None:
        taken, whose = STANDARD_GRAVITY, ""
        if unusual:
            taken, whose = unusual[0].gravity, f"robot {unusual[0].name!r}"
    for robot in unusual:
        if not np.allclose(robot.gravity, taken, rtol=1e-3, atol=1e-6):
            warnings.warn(
                f"robot {robot.name!r} has gravity {list(robot.gravity)} m/s2, {whose} has {list(taken)}, which is "
                "taken",
                SceneWarning,
                stacklevel=4,
            )
    return taken


def placed_robots(scene: Scene, robot: Robot | None = None, *, q: Any = None) -> list[Placed]:
    """The robots of a scene in the order of the combined one; robot, q: see `combined_robot`."""
    members = [] if robot is None else [Placed(robot, q=None if q is None else np.asarray(q, np.float64))]
    return members + [Placed(each.robot, each.placement, each.q, each.name) for each in scene.robots]


def initial_state(scene: Scene, combined: Robot) -> tuple[Array, Array]:
    """Configuration (nq,) and velocity (nv,) of the combined robot at the start; robots are at rest."""
    v = np.zeros(combined.nv)
    for each in scene.free_objects:
        assert each.free is not None
        linear, angular = np.array(each.free.velocity[:3]), np.array(each.free.velocity[3:])
        place = combined.v_slice(each.name)
        v[place] = np.concatenate([linear, each.placement.rotation.T @ angular])
    return combined.configuration(INITIAL).copy(), v


def free_robot(each: SceneObject) -> Robot:
    """One free body of the object's name."""
    free, shape = each.free, each.shape
    assert free is not None
    geometry = (Geometry(shape, name=each.name, color=each.color),)  # type: ignore[arg-type]
    body = Body(
        each.name,
        free.mass,
        free.center_of_mass,
        free.inertia,
        geometry if each.visible else (),
        geometry if each.contact else (),
    )
    return Robot(each.name, (body,), (Joint(each.name, JointType.FLOATING, WORLD, each.name),))
