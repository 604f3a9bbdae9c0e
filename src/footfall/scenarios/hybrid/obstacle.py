"""Use case 1: something stands behind a corner, unseen. Push it gently, or stop at it, but never hard.

The base follows an L at 0.5 m/s. The motion is a task with a force limit; a bumper that touches becomes a contact of
the controller's model, which leaves the task nothing but its limit. The baseline drives its wheels by speed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from footfall.arrays import Array
from footfall.contact.candidates import Candidate, point_candidates, surface_of
from footfall.contact.distance_functions import signed_distance
from footfall.control.gains import Gains
from footfall.control.hybrid_drive import drive
from footfall.control.tasks.frames import AxisGoal, FrameTask
from footfall.dynamics.hybrid_constraints import OWN
from footfall.dynamics.hybrid_rows import Touch, touch_rows
from footfall.dynamics.kinematics import frame_pose
from footfall.math.rotations import yaw_of
from footfall.math.transform import Transform
from footfall.robot.shapes import Box
from footfall.scenarios.hybrid.bases import CONTROL_STEPS, DT, FLOOR, RADIUS, SimulatedBase, mobile_robot
from footfall.scenarios.hybrid.course import Criterion, HybridRun, yaw_angles
from footfall.scene.assembly import combined_robot
from footfall.scene.model import Material, Scene, SceneObject, free_body

Variant = Literal["fixed", "movable"]
Control = Literal["tasks", "speed"]

SPEED, MOST_FORCE = 0.5, 50.0  # m/s, N
_PUSH = 0.99 * MOST_FORCE  # N: bumpers rub a little besides
CORNERS = np.array([[0.0, 0.0], [0.8, 0.0], [0.8, 3.0]])  # of the path, m
BUMPERS = ((0.25, 0.2, 0.045), (0.25, -0.2, 0.045))  # as high as the centre of mass: a touch does not tilt
_BUMPER, _BUMPER_FRICTION = 0.01, 0.1  # m, radius of a bumper point; it is smooth
_LOOKAHEAD = 0.4  # m, where on the path the base steers to
_TRACK = 0.25  # m, from the middle to a wheel
_OBSTACLE = Box((0.7, 0.4, 0.5))
_FRONT = 1.2  # m along y, where the obstacle begins
_MASS = 10.0  # kg, of the movable one
_YIELDING, _YIELDING_MOMENT = 0.5, 2.0  # s after a touch, N m
_STOPPED = 0.05  # m/s
_SETTLED = 0.1  # s after the first touch, from when the limit holds


def obstacle_scene(variant: Variant) -> Scene:
    """Floor, the walls of the corner and the obstacle behind it."""
    center = np.array([CORNERS[1, 0], _FRONT + 0.2, 0.25])
    thing = SceneObject(
        "obstacle",
        _OBSTACLE,
        Transform(np.eye(3), center),
        Material(friction=0.3),
        color=(0.85, 0.45, 0.2, 1.0),
        free=free_body(_OBSTACLE, _MASS) if variant == "movable" else None,
    )
    walls = [
        SceneObject(
            name,
            Box((*size, 0.6)),
            Transform(np.eye(3), np.array([*middle, 0.3])),
            contact=False,
            color=(0.75, 0.78, 0.8, 0.35),
        )
        for name, size, middle in (
            ("inner wall", (0.8, 2.0), (-0.1, 1.45)),
            ("outer wall", (0.1, 3.2), (1.4, 1.0)),
        )
    ]
    return Scene(f"corner, {variant} obstacle", (FLOOR, thing, *walls))


def run_obstacle(
    variant: Variant = "fixed", *, control: Control = "tasks", seconds: float = 5.5, speed: float = SPEED
) -> HybridRun:
    """Drive around the corner into the obstacle; speed: m/s."""
    scene = obstacle_scene(variant)
    thing = scene.object("obstacle")
    surface = replace(surface_of(thing), material=Material(friction=_BUMPER_FRICTION))
    touching = [Candidate("base", point, _BUMPER, surface) for point in BUMPERS]
    base = SimulatedBase(mobile_robot("differential"), scene, touching=[*touching, *_resting(scene)])
    controller = _task_controller(base, speed) if control == "tasks" else _speed_controller(speed)
    trajectory = base.run(controller, seconds)
    pushes = np.linalg.norm(trajectory.forces[:, base.first : base.first + 2], axis=2).sum(axis=1)
    first = int(np.argmax(pushes > 0.0))
    if not pushes.any():
        first = len(pushes) - 1
    late = pushes[first + round(_SETTLED / DT) :]
    # of the impact alone, along the normal of what is hit; what the wheels may push meanwhile is taken off
    against = -trajectory.forces[first : first + round(_SETTLED / DT), base.first : base.first + 2, 1]
    impulse = float(against.sum() * DT - MOST_FORCE * _SETTLED)
    mass = 23.4 if variant == "fixed" else 23.4 * _MASS / (23.4 + _MASS)  # Devaramani 2019, chapter 4
    criteria = (
        Criterion(
            "contact force 0.1 s after the touch and later, N", float(late.max(initial=0.0)), high=MOST_FORCE
        ),
        Criterion("impulse of the impact over m_eff v", impulse / (mass * speed), high=1.0),
        Criterion(
            "deepest penetration, mm", 1e3 * _penetration(base, trajectory.q, thing.name, variant), high=1.0
        ),
        Criterion("contact force at the end, N", float(pushes[-200:].mean()), low=1.0),
    )
    x, y = trajectory.q[:, 0], trajectory.q[:, 1]
    panels = {
        "contact force, N": {"both bumpers": np.minimum(pushes, 200.0), "limit": np.full(len(x), MOST_FORCE)},
        "speed, m/s": {"of the base": np.linalg.norm(trajectory.v[:, :2], axis=1)},
        "wheel torque, N m": {"left": trajectory.effort[:, 6], "right": trajectory.effort[:, 7]},
        "heading, deg": {"": np.degrees(yaw_angles(trajectory.q[:, 3:7]))},
    }
    paths = {"base": np.stack([x, y], axis=1), "wanted": CORNERS}
    if variant == "movable":
        place = base.simulation.robot.q_slice(thing.name)
        paths["obstacle"] = trajectory.q[:, place][:, :2]
    means = {"tasks": "tasks with a force limit", "speed": "wheel speeds"}[control]
    center = thing.placement.translation[:2]
    outline = center + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(_OBSTACLE.size[:2]) / 2
    return HybridRun(
        f"obstacle-{variant}-{control}",
        f"Obstacle behind a corner: {variant}, {means}",
        base.simulation.robot,
        scene,
        DT,
        trajectory,
        criteria,
        panels,
        paths,
        {"obstacle at the start": outline},
    )


def _resting(scene: Scene) -> list[Candidate]:
    """A movable obstacle on the floor: its lower corners."""
    if not scene.free_objects:
        return []
    robot = combined_robot(scene)
    candidates = point_candidates(robot, ["obstacle"], [surface_of(FLOOR)])
    return [
        Candidate(
            each.body,
            each.point,
            each.radius,
            surface_of(SceneObject("under it", FLOOR.shape, material=scene.object("obstacle").material)),
        )
        for each in candidates
        if each.point[2] < 0.0
    ]


def steering(position: Array, angle: float, speed: float) -> float:
    """Rate of turn, rad/s, towards a point of the path some way ahead."""
    legs = np.diff(CORNERS, axis=0)
    lengths = np.linalg.norm(legs, axis=1)
    along = np.clip(np.einsum("ki,ki->k", position - CORNERS[:-1], legs) / lengths**2, 0.0, 1.0)
    nearest = CORNERS[:-1] + along[:, None] * legs
    leg = int(np.argmin(np.linalg.norm(nearest - position, axis=1)))
    way = along[leg] * lengths[leg] + _LOOKAHEAD
    while way > lengths[leg] and leg + 1 < len(legs):
        way -= lengths[leg]
        leg += 1
    goal = CORNERS[leg] + way / lengths[leg] * legs[leg] - position
    aside = -np.sin(angle) * goal[0] + np.cos(angle) * goal[1]
    return float(np.clip(2 * speed * aside / (goal @ goal), -2.0, 2.0))


def _task_controller(base: SimulatedBase, speed: float) -> Callable[[float, Array, Array], Array]:
    mobile = base.mobile
    touched = -np.inf  # when a bumper last felt something

    def torques(time: float, q: Array, v: Array) -> Array:
        nonlocal touched
        pose = frame_pose(mobile.robot, q, "base")
        angle = float(np.arctan2(pose.rotation[1, 0], pose.rotation[0, 0]))
        felt = base.forces[:2] > 0.0
        touched = time if felt.any() else touched
        # what is touched leads the way: steering against it would rock from bumper to bumper
        turn = AxisGoal("velocity", steering(q[:2], angle, speed), most_acceleration=6.0)
        if time - touched < _YIELDING:
            turn = AxisGoal("velocity", 0.0, most_force=_YIELDING_MOMENT)
        goals = {"x": AxisGoal("velocity", speed, most_acceleration=1.0, most_force=_PUSH), "rz": turn}
        normal = (-float(pose.rotation[0, 0]), -float(pose.rotation[1, 0]), 0.0)
        stopped = np.linalg.norm(v[:2]) < _STOPPED  # else what is touched gives way, and is no wall
        touches = [
            Touch("base", point, normal, 0.0, on=bool(on and stopped))
            for point, on in zip(BUMPERS, felt, strict=True)
        ]
        contacts = touch_rows(mobile.robot, q, v, touches, stiffness=0.0, name="bumper")
        pushed = 0.0 if stopped else float(base.forces[:2].sum())
        wrench = np.append(pushed * np.array(normal), np.zeros(3))
        task = FrameTask("drive", "base", goals, axes=OWN, gains=Gains(100.0, 8.0))
        return drive(mobile, q, v, [task], contacts=contacts, wrenches={"base": wrench}).torques

    return torques


def _speed_controller(speed: float) -> Callable[[float, Array, Array], Array]:
    """The baseline: wheels turn as the path wants, by proportional and integral control."""
    integral = np.zeros(2)

    def torques(time: float, q: Array, v: Array) -> Array:
        angle = float(yaw_of(q[3:7]))
        turn = steering(q[:2], angle, speed)
        ramp = min(1.0, 2.0 * time)
        error = ramp * (speed + np.array([-_TRACK, _TRACK]) * turn) / RADIUS - v[6:]
        integral[:] += CONTROL_STEPS * DT * error
        return np.concatenate([np.zeros(6), 2.0 * error + 4.0 * integral])

    return torques


def _penetration(base: SimulatedBase, q: Array, name: str, variant: Variant) -> float:
    """How deep bumpers were in the obstacle, m."""
    thing = base.simulation.scene.object(name)
    deepest = 0.0
    for row in q[::5]:
        pose = thing.placement
        if variant == "movable":
            pose = frame_pose(base.simulation.robot, row, name)
        carrier = frame_pose(base.simulation.robot, row, "base")
        for point in BUMPERS:
            distance, _ = signed_distance(thing.shape, pose, carrier.apply(np.array(point)))
            deepest = max(deepest, _BUMPER - float(distance))
    return deepest
