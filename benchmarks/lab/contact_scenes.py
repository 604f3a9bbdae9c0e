"""Robots that stand or fall on a plane under joint PD control: what contact is measured and compared with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from footfall.arrays import Array
from footfall.bench.robots import load_measured
from footfall.contact.candidates import Candidate, Surface, point_candidates
from footfall.contact.features import contact_points
from footfall.dynamics.configuration import neutral
from footfall.dynamics.kinematics import forward_kinematics
from footfall.errors import UnknownName
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.model import WORLD, Body, Joint, JointType, Robot
from footfall.robot.shapes import Box, Geometry, Sphere
from footfall.scene.model import Material, free_body
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.step_values import Command, StepOptions

DT = 2e-3  # s
FRICTION = 0.8
ASKEW = 1e-3  # rad, of the joints of robots that rock
_POINT_RADIUS = 0.005  # m, of the balls at the corners of a sole
# rad, of the front legs; the hind legs bend the other way.
_ANYMAL_STANCE = {
    "HAA": 0.0,
    "HFE": 0.4,
    "KFE": -0.8,
}


@dataclass(frozen=True)
class ContactScene:
    """A robot over the plane z = 0, with collision geometry at its feet only.

    q: (nq,) standing, feet just touching. kp, kd: gains of all joints, N m/rad and N m s/rad. drop: height of the
    fall, m. askew: by how much joints are turned at the start, rad; the robot then rocks.
    """

    name: str
    robot: Robot
    candidates: tuple[Candidate, ...]
    q: Array
    kp: float
    kd: float
    drop: float = 0.0
    askew: float = 0.0

    @property
    def rests(self) -> bool:
        """Whether the robot shall come to stand before it is measured."""
        return self.drop == 0.0 and self.askew == 0.0

    def start(self) -> Array:
        """Configuration (nq,) from which it is simulated: `drop` above the ground, joints askew."""
        q = self.q.copy()
        q[2] += self.drop
        q[7:] += self.askew * np.random.default_rng(1).normal(size=len(q) - 7)
        return q

    def simulation(self, options: StepOptions | None = None) -> FeetSimulation:
        """Ours, at the start."""
        options = options or StepOptions(dt=DT)
        return FeetSimulation(self.robot, candidates=self.candidates, options=options, q=self.start())

    def command(self, simulation: FeetSimulation) -> Command:
        """Hold the standing posture."""
        return simulation.pd(simulation.joint_positions(self.q), kp=self.kp, kd=self.kd)

    @property
    def weight_impulse(self) -> float:
        """Weight times the step, N s: what residuals are compared with."""
        return self.robot.mass * float(np.linalg.norm(self.robot.gravity)) * DT


def contact_scene(name: str) -> ContactScene:
    """One of `SCENES`."""
    if name not in SCENES:
        raise UnknownName("contact scene", name, SCENES, "the benchmark")
    robot, points, drop, joints = SCENES[name]
    scene = _anymal(name, drop, joints) if robot == "anymal" else _lola(name, points, drop, joints)
    return replace(scene, askew=ASKEW) if "rocking" in name else scene


# name -> robot, contact points, height of the fall in m, whether joint limits and dry friction are on
SCENES: dict[str, tuple[str, int, float, bool]] = {
    "ANYmal standing": ("anymal", 4, 0.0, False),
    "ANYmal dropped": ("anymal", 4, 0.1, False),
    "ANYmal standing, joint limits and friction": ("anymal", 4, 0.0, True),
    "LOLA standing, 8 points": ("lola", 8, 0.0, False),
    "LOLA dropped, 8 points": ("lola", 8, 0.02, False),
    "LOLA standing, 8 points, joint limits and friction": ("lola", 8, 0.0, True),
    "LOLA standing, 32 points": ("lola", 32, 0.0, False),
    "LOLA rocking, 8 points": ("lola", 8, 0.0, False),
    "LOLA rocking, 32 points": ("lola", 32, 0.0, False),
}


@cache
def ground() -> Surface:
    """The plane z = 0."""
    return Surface(Plane(), material=Material(friction=FRICTION))


def plate_scene(points: int) -> ContactScene:
    """A plate of 10 kg and 0.6 m by 0.4 m on so many small balls, as even as they can be."""
    rows = max(k for k in range(1, points + 1) if points % k == 0 and k * k <= points)
    x, y = (np.linspace(-1.0, 1.0, count) if count > 1 else np.zeros(1) for count in (points // rows, rows))
    shape = Box((0.6, 0.4, 0.05))
    balls = tuple(
        Geometry(Sphere(_POINT_RADIUS), Transform(np.eye(3), np.array([0.3 * a, 0.2 * b, -0.025])))
        for a in x
        for b in y
    )
    free = free_body(shape, 10.0)
    body = Body("plate", free.mass, free.center_of_mass, free.inertia, (), balls)
    robot = Robot("plate", (body,), (Joint("plate", JointType.FLOATING, WORLD, "plate"),))
    return _standing(f"plate on {points} points", robot, neutral(robot), kp=0.0, kd=0.0, drop=0.0)


def _anymal(name: str, drop: float, joints: bool) -> ContactScene:
    """ANYmal on its four foot balls."""
    robot = load_measured("anymal")
    feet = {body.name: body.collisions for body in robot.bodies if body.name.endswith("_FOOT")}
    robot = _with_joints(_touching_with(robot, feet), limits=joints, friction=0.5 if joints else 0.0)
    q = np.zeros(robot.nq)
    q[3] = 1.0
    for joint in robot.joints:
        leg, _, kind = joint.name.partition("_")
        if kind in _ANYMAL_STANCE:
            q[robot.q_slice(joint.name)] = _ANYMAL_STANCE[kind] * (1.0 if leg.endswith("F") else -1.0)
    return _standing(name, robot, q, kp=400.0, kd=10.0, drop=drop)


def _lola(name: str, points: int, drop: float, joints: bool) -> ContactScene:
    """LOLA on the corners of its soles: of all pads, or the outermost four of each foot."""
    robot = load_measured("lola")
    q = robot.configuration("idle").copy()
    pads = {body.name: body.collisions for body in robot.bodies if body.name in ("sfr", "zfr", "sfl", "zfl")}
    if points == 8:
        pads = {body: _outer_balls(robot, q, body, shapes) for body, shapes in pads.items()}
    robot = _with_joints(_touching_with(robot, pads), limits=joints, friction=2.0 if joints else 0.0)
    return _standing(name, robot, q, kp=4000.0, kd=200.0, drop=drop)


def _touching_with(robot: Robot, collisions: dict[str, tuple[Geometry, ...]]) -> Robot:
    """The robot with no collision geometry but this."""
    bodies = tuple(replace(body, collisions=collisions.get(body.name, ())) for body in robot.bodies)
    return replace(robot, bodies=bodies)


def _with_joints(robot: Robot, *, limits: bool, friction: float) -> Robot:
    """The robot with dry friction (N m) in its driven joints, and with its limits or without."""
    joints = []
    for joint in robot.joints:
        if joint.effort or joint.lower:
            joint = replace(joint, friction=friction)
        joints.append(joint if limits else replace(joint, lower=(), upper=()))
    return replace(robot, joints=tuple(joints))


def _standing(name: str, robot: Robot, q: Array, *, kp: float, kd: float, drop: float) -> ContactScene:
    """Lowest points on the ground; of boxes only the corners below count as candidates."""
    names = [body.name for body in robot.bodies if body.collisions]
    candidates = []
    heights = []
    for candidate in point_candidates(robot, names, [ground()]):
        height = float(_world(robot, q, candidate.body, np.array(candidate.point))[2]) - candidate.radius
        candidates.append(candidate)
        heights.append(height)
    lowest = min(heights)
    q = q.copy()
    q[2] -= lowest
    near = [
        candidate for candidate, height in zip(candidates, heights, strict=True) if height < lowest + 0.005
    ]
    return ContactScene(name, robot, tuple(near), q, kp, kd, drop)


def _outer_balls(robot: Robot, q: Array, body: str, shapes: tuple[Geometry, ...]) -> tuple[Geometry, ...]:
    """Two balls at the outer end of a sole's part: the rear corners of a heel, the front corners of a toe."""
    corners = np.concatenate([contact_points(shape).positions for shape in shapes])
    world = np.array([_world(robot, q, body, corner) for corner in corners])
    below = world[:, 2] < world[:, 2].min() + 0.005
    forward = world[:, 0] * (-1.0 if body.startswith("s") else 1.0)
    ends = np.flatnonzero(below & (forward > forward[below].max() - 0.005))
    outer = [ends[world[ends, 1].argmin()], ends[world[ends, 1].argmax()]]
    rotation = forward_kinematics(robot, q, frames=(body,)).rotation[0]
    up = rotation.T @ np.array([0.0, 0.0, _POINT_RADIUS])
    return tuple(Geometry(Sphere(_POINT_RADIUS), Transform(np.eye(3), corners[k] + up)) for k in outer)


def _world(robot: Robot, q: Array, body: str, point: Array) -> Array:
    poses = forward_kinematics(robot, q, frames=(body,))
    return np.asarray(poses.rotation[0] @ point + poses.position[0])
