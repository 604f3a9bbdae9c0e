"""Use case 4: hospital logistics. Carry a load along a corridor to a goal: slowly, gently, never near the walls.

Walls and the greatest speed are constraints that only hold back, `d'' >= -k_v d' - k_p d`; the goal is a task. The
same tasks, in TOML, in the frame of the next stop, run on a differential and on a Mecanum base: where a base cannot
follow all, the place of its nose comes before its heading.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.contact.candidates import Candidate, Surface
from footfall.control.hybrid_drive import MobileRobot, drive
from footfall.control.references import MovingFrame
from footfall.control.tasks.text import parse_tasks
from footfall.dynamics.hybrid_constraints import Constraint
from footfall.dynamics.hybrid_rows import BoundedRows, Touch, bounded_rows, stacked_rows, touch_rows
from footfall.dynamics.kinematics import frame_pose, frame_velocity
from footfall.math.rotations import rotation_z
from footfall.math.transform import Transform
from footfall.robot.model import Frame, Robot
from footfall.robot.shapes import Box
from footfall.scenarios.hybrid.bases import DT, FLOOR, RADIUS, Kind, SimulatedBase, mobile_robot
from footfall.scenarios.hybrid.course import Criterion, HybridRun, yaw_angles
from footfall.scene.model import Material, Scene, SceneObject, free_body

TASKS = """
[[task]]
name = "across"
frame = "nose"
axes = "stop"
stiffness = 16.0
damping = 8.0
[task.goals]
y = { position = 0.0, most_acceleration = 1.0 }

[[task]]
name = "along"
frame = "nose"
axes = "stop"
stiffness = 2.25
damping = 3.0
[task.goals]
x = { position = 0.0, most_acceleration = 1.0 }

[[task]]
name = "face"
frame = "base"
axes = "stop"
priority = 1
stiffness = 4.0
damping = 4.0
[task.goals]
rz = { position = 0.0, most_acceleration = 1.0 }
"""
MOST_SPEED, MOST_LOAD_FORCE, LOAD = 0.8, 10.0, 5.0  # m/s, N, kg
CORRIDOR = np.array([[-0.8, -0.8], [3.2, -0.8], [3.2, 3.6], [1.6, 3.6], [1.6, 0.8], [-0.8, 0.8]])  # m
STOPS = ((2.4, 0.0, 0.0), (2.4, 2.6, np.pi / 2))  # x, y of the base and its angle; the last is the goal
_NOSE, _TAIL = 0.2, -0.2  # m, on the base
_CLEARANCE = {"nose": 0.42, "tail": 0.36}  # m, from a wall
_CRUISE = 0.94 * MOST_SPEED  # the load is not known to the controller
_STEPS_A_CALL = 5  # steps between two calls of the controller
_AT_STOP = 0.35  # m from a stop, when the next one counts
_BOX = Box((0.25, 0.25, 0.1))
_DECK = 0.13  # m above the axles


@cache
def carrier(kind: Kind) -> MobileRobot:
    """A base with the frames `nose` and `tail`."""
    mobile = mobile_robot(kind)
    robot = mobile.robot
    marks = [
        Frame(name, "base", Transform(np.eye(3), np.array([place, 0.0, 0.0])))
        for name, place in (("nose", _NOSE), ("tail", _TAIL))
    ]
    return replace(
        mobile,
        robot=Robot(
            robot.name, robot.bodies, robot.joints, (*robot.frames, *marks), dict(robot.configurations)
        ),
    )


def wall_touches(frame: str, point: Array, count: int) -> list[Touch]:
    """The nearest walls of the corridor, as what a frame's origin (2,) must keep off."""
    ends = np.roll(CORRIDOR, -1, axis=0)
    legs = ends - CORRIDOR
    share = np.einsum("ki,ki->k", point - CORRIDOR, legs) / np.einsum("ki,ki->k", legs, legs)
    apart = point - (CORRIDOR + np.clip(share, 0.0, 1.0)[:, None] * legs)
    distance = np.linalg.norm(apart, axis=1)
    found = []
    for k in np.argsort(distance)[:count]:
        normal = apart[k] / distance[k]
        at_end = not 0.0 < share[k] < 1.0
        curvature = 1.0 / distance[k] if at_end else 0.0
        gap = float(distance[k] - _CLEARANCE[frame])
        found.append(Touch(frame, (0.0, 0.0, 0.0), (*normal.tolist(), 0.0), gap, float(curvature)))
    return found


def speed_row(robot: Robot, q: Array, v: Array, frame: str) -> BoundedRows:
    """Holds the speed of a frame below the limit."""
    velocity = np.asarray(frame_velocity(robot, q, v, frame))[:3]
    speed = float(np.linalg.norm(velocity))
    direction = -velocity / speed if speed > 0.1 else np.array([-1.0, 0.0, 0.0])
    return bounded_rows(
        [Constraint(frame, 1, name="speed")],
        np.append(direction, np.zeros(3))[:, None],
        np.array([-10.0 * (_CRUISE - speed)]),
        lower=0.0,
        on=float(speed > 0.1),
    )


def run_logistics(
    kind: Kind = "differential", *, seconds: float = 10.0, stops: Sequence[tuple[float, float, float]] = STOPS
) -> HybridRun:
    """Drive a load along the corridor to the last of the stops."""
    mobile = carrier(kind)
    scene, touching = _scene_and_load()
    base = SimulatedBase(mobile, scene, touching=touching)
    tasks = parse_tasks(TASKS)
    left = list(stops)

    def torques(time: float, q: Array, v: Array) -> Array:
        if len(left) > 1 and np.linalg.norm(q[:2] - left[0][:2]) < _AT_STOP:
            left.pop(0)
        robot = mobile.robot
        boundaries = [
            touch_rows(
                robot, q, v, wall_touches(name, frame_pose(robot, q, name).translation[:2], 3),
                approach=5.0, stiffness=6.0, name=f"{name} wall",
            )
            for name in ("nose", "tail")
        ]  # fmt: skip
        boundaries.append(speed_row(robot, q, v, "nose"))
        frames = {"stop": _frame_of(left[0])}
        return drive(mobile, q, v, tasks, boundaries=stacked_rows(boundaries), frames=frames).torques

    trajectory = base.run(torques, seconds, every=_STEPS_A_CALL)
    return _course(base, kind, trajectory, stops[-1])


def _frame_of(stop: tuple[float, float, float]) -> MovingFrame:
    """The task frame of a stop, where the nose shall be."""
    x, y, angle = stop
    nose = np.array([x + _NOSE * np.cos(angle), y + _NOSE * np.sin(angle), RADIUS])
    return MovingFrame(Transform(rotation_z(angle), nose))


def _scene_and_load() -> tuple[Scene, list[Candidate]]:
    middle = np.array([0.02, 0.0, 0.1 + _DECK + 0.05])
    load = SceneObject(
        "load", _BOX, Transform(np.eye(3), middle), color=(0.85, 0.45, 0.2, 1.0), free=free_body(_BOX, LOAD)
    )
    walls = []
    for k, (start, end) in enumerate(zip(CORRIDOR, np.roll(CORRIDOR, -1, axis=0), strict=True)):
        size = np.abs(end - start) + 0.06
        place = Transform(np.eye(3), np.append((start + end) / 2, 0.15))
        walls.append(
            SceneObject(
                f"wall {k}", Box((*size.tolist(), 0.3)), place, contact=False, color=(0.75, 0.78, 0.8, 0.35)
            )
        )
    deck = Surface(
        Box((0.5, 0.42, 0.16)),
        Transform(np.eye(3), np.array([0.0, 0.0, _DECK - 0.08])),
        "base",
        Material(friction=0.5),
    )
    corners = [(x, y, -0.049) for x in (-0.12, 0.12) for y in (-0.12, 0.12)]
    return Scene("corridor", (FLOOR, load, *walls)), [
        Candidate("load", each, 0.001, deck) for each in corners
    ]


def room_left(q: Array) -> Array:
    """Least distance (n,) of the corners of the base to the walls, negative outside; q (n, nq)."""
    corners = np.array([[x, y] for x in (-0.3, 0.3) for y in (-0.27, 0.27)])
    angle = yaw_angles(q[:, 3:7])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    places = q[:, None, :2] + np.einsum("ijn,kj->nki", turn, corners)
    starts, ends = CORRIDOR, np.roll(CORRIDOR, -1, axis=0)
    legs = ends - starts
    apart = places[:, :, None] - starts
    share = np.clip(np.einsum("nkei,ei->nke", apart, legs) / np.einsum("ei,ei->e", legs, legs), 0.0, 1.0)
    distance = np.linalg.norm(apart - share[..., None] * legs, axis=3).min(axis=2)
    # inside, if a ray along x crosses the walls an odd number of times
    above = starts[:, 1] > places[..., None, 1]
    crossing = above != (ends[:, 1] > places[..., None, 1])
    height = np.where(legs[:, 1] == 0.0, 1.0, legs[:, 1])
    where = starts[:, 0] + (places[..., None, 1] - starts[:, 1]) / height * legs[:, 0]
    inside = (crossing & (places[..., None, 0] < where)).sum(axis=2) % 2 == 1
    return np.asarray(np.where(inside, distance, -distance).min(axis=1))


def _course(base: SimulatedBase, kind: Kind, trajectory: Any, goal: tuple[float, float, float]) -> HybridRun:
    robot = base.simulation.robot
    angle = yaw_angles(trajectory.q[:, 3:7])
    speed = np.linalg.norm(trajectory.v[:, :2], axis=1)
    load = trajectory.forces[:, base.first :].sum(axis=1)
    carried = np.linalg.norm(load[:, :2], axis=1)
    place = robot.q_slice("load").start
    seat = trajectory.q[:, place : place + 2] - trajectory.q[:, :2]
    seat = np.stack([np.cos(angle) * seat[:, 0] + np.sin(angle) * seat[:, 1],
                     np.cos(angle) * seat[:, 1] - np.sin(angle) * seat[:, 0]], axis=1)  # fmt: skip
    room = room_left(trajectory.q)
    end = trajectory.q[-1]
    criteria = (
        Criterion("least room to the walls, m", float(room.min()), low=0.0),
        Criterion("speed, m/s", float(speed.max()), high=MOST_SPEED),
        Criterion("force on the load, N", float(carried[50:].max()), high=MOST_LOAD_FORCE),
        Criterion("the load slides by, mm", 1e3 * float(np.abs(seat - seat[0]).max()), high=1.0),
        Criterion("from the goal at the end, mm", 1e3 * float(np.linalg.norm(end[:2] - goal[:2])), high=10.0),
        Criterion("from its angle at the end, deg", float(np.degrees(abs(angle[-1] - goal[2]))), high=1.0),
    )
    panels = {
        "speed, m/s": {"base": speed, "limit": np.full(len(speed), MOST_SPEED)},
        "force on the load, N": {"": carried, "limit": np.full(len(speed), MOST_LOAD_FORCE)},
        "room to the walls, m": {"": room},
        "heading, deg": {"": np.degrees(angle)},
    }
    return HybridRun(
        f"logistics-{kind}",
        f"Hospital logistics with the {kind} base",
        robot,
        base.simulation.scene,
        DT,
        trajectory,
        criteria,
        panels,
        {"base": trajectory.q[:, :2]},
        {"corridor": CORRIDOR},
    )
