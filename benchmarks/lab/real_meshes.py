"""Robots that avoid touching themselves by fitted volumes, judged by coal on the triangles of their real meshes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import coal
import numpy as np

import footfall
from footfall.arrays import Array
from footfall.control.collision_limits import CollisionLimits
from footfall.control.inverse_kinematics.rates import BoundedRate
from footfall.control.tasks.positions import frame_position
from footfall.dynamics.volume_distances import volume_distances
from footfall.robot.model import Robot
from footfall.robot.volume_fitting import body_solid

DT, STEPS, LOOKED = 0.02, 75, 5  # s; steps for a target; every so many are looked at
CLEARANCE = 0.01  # m
_NEAR = 0.05  # m: targets have a posture with parts that close
_ARM = 12  # joints that an arm has at most, with its fingers


class Judged(NamedTuple):
    """Of motions to targets: how many there are, how many are met to 5 mm, how many touch by volumes and by meshes, the
    least distance of each, m, and by how much a mesh is closer than its volume at most, m: never, if it is held."""

    method: str
    targets: int
    met: int
    touching_volumes: int
    touching_meshes: int
    least_volumes: float
    least_meshes: float
    beyond: float


class MeshJudge:
    """The triangles of a robot's bodies in coal."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        bodies = [volume.body for volume in robot.volumes]
        self.shapes = {name: _surface(robot, name) for name in bodies}
        self.pairs = roomy_pairs(robot)

    def distances(self, q: Array) -> Array:
        """Least distances (pairs,) of the triangles of two bodies at q (nq,), m; zero or less where they cross."""
        names = tuple(self.shapes)
        poses = {name: footfall.frame_pose(self.robot, q, name) for name in names}
        placed = {name: coal.Transform3s(pose.rotation, pose.translation) for name, pose in poses.items()}
        request, found = coal.DistanceRequest(), []
        for one, other in self.pairs:
            result = coal.DistanceResult()
            found.append(
                coal.distance(
                    self.shapes[one], placed[one], self.shapes[other], placed[other], request, result
                )
            )
        return np.array(found)


def near_targets(robot: Robot, frame: str, joints: tuple[str, ...], count: int) -> list[Array]:
    """Places (3,) of a frame at random angles of joints with parts that are close but apart."""
    rng, start = np.random.default_rng(0), start_of(robot)
    places = [range(robot.nq)[robot.q_slice(name)][0] for name in joints]
    lower, upper = np.maximum(robot.lower_limits, -2.8), np.minimum(robot.upper_limits, 2.8)
    found: list[Array] = []
    while len(found) < count:
        poses = np.tile(start, (200, 1))
        poses[:, places] = rng.uniform(lower[places], upper[places], size=(200, len(places)))
        gaps = volume_distances(robot, poses, pairs=roomy_pairs(robot), threads=1).distance.min(axis=1)
        near = (gaps > 1.5 * CLEARANCE) & (gaps < _NEAR)
        found += [footfall.frame_pose(robot, q, frame).translation.copy() for q in poses[near]]
    return found[:count]


@lru_cache(maxsize=4)
def start_of(robot: Robot) -> Array:
    """The neutral pose of a humanoid; of an arm the random pose within limits whose parts are farthest apart."""
    lower, upper = np.maximum(robot.lower_limits, -2.8), np.minimum(robot.upper_limits, 2.8)
    if robot.nv > _ARM:
        return np.clip(footfall.neutral(robot), lower, upper)
    poses = np.random.default_rng(1).uniform(lower, upper, size=(300, robot.nq))
    gaps = volume_distances(robot, poses, threads=1).distance.min(axis=1)
    return np.asarray(poses[int(gaps.argmax())])


@lru_cache(maxsize=4)
def roomy_pairs(robot: Robot) -> tuple[tuple[str, str], ...]:
    """Pairs of volumes that are more than twice the clearance apart at the start.

    Others, such as pelvis and torso of a humanoid, are built closer than any clearance.
    """
    gaps = volume_distances(robot, start_of(robot)).distance
    return tuple(pair for pair, gap in zip(robot.volume_pairs, gaps, strict=True) if gap > 2 * CLEARANCE)


def judge(robot: Robot, frame: str, targets: list[Array]) -> list[Judged]:
    """The same targets with joint limits only and with collision limits."""
    meshes = MeshJudge(robot)
    first = [frame_position(frame, targets[0], gains=4.0)]
    limits = CollisionLimits(pairs=meshes.pairs, clearance=CLEARANCE)
    steps = {
        "joint limits only": BoundedRate(robot, first, dt=DT, damping=0.02),
        "collision limits": BoundedRate(robot, first, dt=DT, damping=0.02, collisions=limits),
    }
    return [_judged(name, step, meshes, frame, targets) for name, step in steps.items()]


def _judged(name: str, step: BoundedRate, meshes: MeshJudge, frame: str, targets: list[Array]) -> Judged:
    robot = meshes.robot
    met, touching, crossing, least, least_mesh, beyond = 0, 0, 0, np.inf, np.inf, -np.inf
    for target in targets:
        q, task = start_of(robot), [frame_position(frame, target, gains=4.0)]
        path = []
        for k in range(STEPS):
            q = footfall.integrate(robot, q, DT * step(q, task))
            if k % LOOKED == LOOKED - 1:
                path.append(q)
        volumes = volume_distances(robot, np.array(path), pairs=meshes.pairs, threads=1).distance
        real = np.array([meshes.distances(each) for each in path])
        met += bool(np.linalg.norm(footfall.frame_pose(robot, q, frame).translation - target) < 5e-3)
        touching += bool(volumes.min() < 0.0)
        crossing += bool(real.min() <= 0.0)
        least, least_mesh = min(least, float(volumes.min())), min(least_mesh, float(real.min()))
        beyond = max(beyond, float((volumes - real)[real > 0.0].max()))
    return Judged(name, len(targets), met, touching, crossing, least, least_mesh, beyond)


def _surface(robot: Robot, body: str) -> Any:
    solid = body_solid(robot.body(body))
    assert solid is not None
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(solid.triangles), 3 * len(solid.triangles))
    for corners in solid.triangles:
        model.addTriangle(*corners)
    model.endModel()
    return model
