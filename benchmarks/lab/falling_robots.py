"""Robots that fall limp, from random poses, onto the ground and onto their own limbs."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

import footfall
from footfall import Simulation
from footfall.arrays import Array, Integers
from footfall.bench.robots import load_measured
from footfall.math.transform import Transform
from footfall.robot.model import JointType, Robot
from footfall.robot.shapes import Capsule, Geometry, Sphere

DROP = 0.2  # m, between the ground and the lowest point
RUBS, LEAST_FRICTION = 0.02, 1.0  # of a joint's greatest effort; N m
_TRIES = 500  # poses, until one has limbs apart
_HIGH = 10.0  # m: nothing touches the ground


class Fall(NamedTuple):
    """How a robot fell. fastest: of any velocity in the last second, m/s or rad/s. moved: of any coordinate from its
    first to its last moment in that second. deepest: penetration in that second, m; deepest_ever: in all of the fall.
    own: number of contacts with itself at the end. gained: most energy above that of the start, over m g h. residuals
    (steps,): parts of the weight. contacts (steps,). height: of the base at the end, m."""

    fastest: float
    moved: float
    deepest: float
    deepest_ever: float
    own: int
    gained: float
    residuals: Array
    contacts: Integers
    height: float


def random_pose(simulation: Simulation, rng: np.random.Generator) -> Array:
    """A configuration (nq,) in which no limbs touch, turned anyhow, `DROP` above the ground."""
    robot = simulation.robot
    low, high = np.maximum(robot.lower_limits, -np.pi), np.minimum(robot.upper_limits, np.pi)
    for _ in range(_TRIES):
        q = rng.uniform(low, high)
        turn = rng.normal(size=4)
        q[:3], q[3:7] = (0.0, 0.0, _HIGH), turn / np.linalg.norm(turn)
        if not _touches(simulation, q):
            break
    else:
        raise RuntimeError(f"{robot.name}: no pose of {_TRIES} has its limbs apart")
    below, above = -1.0, _HIGH
    while above - below > 1e-3:
        q[2] = (below + above) / 2
        below, above = (q[2], above) if _touches(simulation, q) else (below, q[2])
    q[2] = above + DROP
    return q


def _touches(simulation: Simulation, q: Array) -> bool:
    simulation.reset(q)
    return simulation.engine.deepest(simulation.state) is not None


def drop(simulation: Simulation, q: Array, seconds: float, *, damping: float) -> Fall:
    """Let it fall limp; damping: of all joints, N m s/rad."""
    robot = simulation.robot
    simulation.reset(q)
    start = float(footfall.potential_energy(robot, q))
    trajectory = simulation.run(
        simulation.zero_command._replace(kd=np.full(simulation.joints, damping)), seconds
    )
    energy = footfall.kinetic_energy(robot, trajectory.q, trajectory.v)
    energy = energy + footfall.potential_energy(robot, trajectory.q)
    fallen = robot.mass * 9.81 * (DROP + 0.5)
    last = len(trajectory.time) - round(1.0 / simulation.options.dt)
    log = trajectory.contacts
    rows = slice(int(log.starts[last]), None)
    floor = log.number("floor")
    final = log.rows(len(trajectory.time) - 1)
    own = int(np.sum((log.first[final] != floor) & (log.second[final] != floor)))
    return Fall(
        fastest=float(np.abs(trajectory.v[last:]).max()),
        moved=float(np.ptp(trajectory.q[last:], axis=0).max()),
        deepest=float(max(-log.gaps[rows].min(initial=0.0), 0.0)),
        deepest_ever=float(max(-log.gaps.min(initial=0.0), 0.0)),
        own=own,
        gained=float(np.max(energy - start)) / fallen,
        residuals=trajectory.residual / (robot.mass * 9.81 * simulation.options.dt),
        contacts=log.counts,
        height=float(trajectory.q[-1, 2]),
    )


def over_the_floor(name: str) -> Simulation:
    """A robot by name over a flat floor, its gears with friction; LOLA, which has shapes on feet and hands only, with
    its volumes."""
    robot = with_friction(load_measured(name))
    return Simulation(with_volumes(robot) if name == "lola" else robot, "flat")


def with_friction(robot: Robot) -> Robot:
    """The robot with gears that rub, where its file says less: by a part of the joint's greatest effort, if that is
    known."""
    joints = [
        replace(joint, friction=max(joint.friction, LEAST_FRICTION, RUBS * max(joint.effort, default=0.0)))
        if joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS)
        else joint
        for joint in robot.joints
    ]
    return replace(robot, joints=tuple(joints))


def with_volumes(robot: Robot) -> Robot:
    """The robot with spheres and capsules where its volumes are, on bodies that have no shapes."""
    own: dict[str, list[Geometry]] = {body.name: [] for body in robot.bodies}
    for volume in robot.volumes:
        for element in volume.shape.elements:
            own[volume.body] += _around(element.corners, element.radius)
    bodies = tuple(
        body if body.collisions else replace(body, collisions=tuple(own[body.name])) for body in robot.bodies
    )
    return replace(robot, bodies=bodies)


def _around(corners: Array, radius: float) -> list[Geometry]:
    """A sphere at a point, or capsules along all edges, m."""
    if len(corners) == 1:
        return [Geometry(Sphere(radius), Transform(np.eye(3), corners[0]))]
    made = []
    for a, b in combinations(corners, 2):
        length = float(np.linalg.norm(b - a))
        if length > 1e-6:
            axis = (b - a) / length
            side = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
            side /= np.linalg.norm(side)
            turn = np.stack([side, np.cross(axis, side), axis], axis=1)
            made.append(Geometry(Capsule(radius, length), Transform(turn, (a + b) / 2)))
    return made
