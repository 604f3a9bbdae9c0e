"""Use case 3: align with a wall by touch. A force of 20 N pushes forward; there is no sensor of distance or angle."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.contact.candidates import Candidate, Surface, surface_of
from footfall.control.hybrid_drive import drive
from footfall.control.tasks.frames import AxisGoal, FrameTask
from footfall.dynamics.hybrid_constraints import OWN
from footfall.math.transform import Transform
from footfall.robot.shapes import Box
from footfall.scenarios.hybrid.bases import DT, FLOOR, SimulatedBase, mobile_robot
from footfall.scenarios.hybrid.course import Criterion, HybridRun, yaw_angles
from footfall.scene.model import Material, Scene, SceneObject

PUSH, DAMPING = 20.0, 0.05  # N, N m s/rad in each wheel
_BUMPERS = ((0.24, 0.2, 0.045), (0.24, -0.2, 0.045))
_RADIUS = 0.01  # m, of a bumper point: it reaches 0.25 m ahead
_WALL = 0.6  # m ahead


def run_wall(degrees: float = 15.0, *, seconds: float = 5.0) -> HybridRun:
    """Drive against the wall from an angle, deg."""
    wall = SceneObject(
        "wall",
        Box((0.1, 3.0, 0.6)),
        Transform(np.eye(3), np.array([_WALL + 0.05, 0.0, 0.3])),
        color=(0.75, 0.78, 0.8, 0.35),
    )
    smooth = Surface(wall.shape, surface_of(wall).placement, material=Material(friction=0.0))
    touching = [Candidate("base", point, _RADIUS, smooth) for point in _BUMPERS]
    mobile = mobile_robot("differential")
    base = SimulatedBase(
        mobile, Scene("wall", (FLOOR, wall)), touching=touching, pose=(0.0, 0.0, np.radians(degrees))
    )
    task = FrameTask("push", "base", {"x": AxisGoal("force", PUSH)}, axes=OWN)

    def torques(time: float, q: Array, v: Array) -> Array:
        friction = np.append(np.zeros(6), -DAMPING * v[6:])
        return drive(mobile, q, v, [task], tau=friction).torques

    trajectory = base.run(torques, seconds)
    forces = -trajectory.forces[:, base.first :, 0]
    angle = np.degrees(yaw_angles(trajectory.q[:, 3:7]))
    both = np.flatnonzero((forces > 0.0).all(axis=1))
    late = forces[-500:]
    criteria = (
        Criterion("angle at the end, deg", float(np.abs(angle[-500:]).max()), high=0.1),
        Criterion("least force of a bumper at the end, N", float(late.min()), low=9.9),
        Criterion("greatest force of a bumper at the end, N", float(late.max()), high=10.1),
        Criterion("strongest pull, N", float(np.maximum(-forces, 0.0).max()), high=1e-9),
        Criterion(
            "both bumpers touch after, s", float(trajectory.time[both[0]] if len(both) else np.inf), high=2.5
        ),
    )
    panels = {
        "angle to the wall, deg": {"": angle},
        "bumper forces, N": {"left": np.minimum(forces[:, 0], 60.0), "right": np.minimum(forces[:, 1], 60.0)},
        "speed, m/s": {"": np.linalg.norm(trajectory.v[:, :2], axis=1)},
    }
    return HybridRun(
        f"wall-{degrees:g}",
        f"Wall alignment by touch from {degrees:g} degrees",
        base.simulation.robot,
        base.simulation.scene,
        DT,
        trajectory,
        criteria,
        panels,
        {"base": trajectory.q[:, :2]},
        {"wall": np.array([[_WALL, -0.6], [_WALL, 0.6]])},
    )
