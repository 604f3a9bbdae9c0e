"""Arms and mobile manipulators open drawers, doors and valves: a finger goes into the handle and pulls it on its way.

The controller knows where the mechanism is and how it moves, not its mass and friction; what bounds it is the force at
the handle. Its task frame is the slot of the handle: x along the way, where it asks for a speed with bounded force, y
and z at rest in it. The slot's frame accelerates as the way bends, so that round ways need no more than straight ones.

Things to open: drawers, doors and valves, anywhere and in any direction, with weight and dry friction.

Each is one joint with a handle, a slot between two plates in which a finger fits. Its pose is that of the handle of a
closed drawer or door, of the hub of a valve: x points out of the furniture, z up. Drawers slide along x, doors turn
about z, valves about x; their handles first move along x, along x, and about x from above the hub.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol, get_args

import numpy as np

from footfall.arrays import Array
from footfall.contact.candidates import Candidate, Surface
from footfall.contact.contacts import contact_frame
from footfall.control.gains import Gains
from footfall.control.hybrid_control import solve_tasks
from footfall.control.hybrid_drive import MobileRobot, drive
from footfall.control.inverse_kinematics.position import solve_ik
from footfall.control.references import MovingFrame
from footfall.control.tasks.frames import AxisGoal, FrameTask
from footfall.control.tasks.points import FramePoint
from footfall.control.tasks.poses import PoseTask
from footfall.control.tasks.positions import PositionTask
from footfall.control.tasks.postures import PostureTask
from footfall.control.tasks.task import MotionTask
from footfall.dynamics.configuration import random_configuration
from footfall.dynamics.hybrid_constraints import OWN
from footfall.dynamics.inverse_dynamics import inverse_dynamics
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import forward_kinematics, frame_attachment, frame_pose, frame_velocity
from footfall.errors import InvalidInput, NoSolution, UnknownName
from footfall.math.rotations import rotation_x, rotation_z
from footfall.math.transform import Transform, checked_transform
from footfall.robot.model import WORLD, Body, Joint, JointType, Robot
from footfall.robot.shapes import Box, Capsule, Geometry
from footfall.robot.tree_loops import neutral_coordinates
from footfall.scenarios.hybrid.bases import (
    CONTROL_STEPS,
    DT,
    FLOOR,
    Controller,
    SimulatedBase,
    is_ball,
    rest_height,
)
from footfall.scenarios.hybrid.course import Criterion, HybridRun
from footfall.scenarios.hybrid.manipulator import mobile_manipulator, start_configuration
from footfall.scene.model import Material, Scene, SceneRobot
from footfall.simulation.joint_control import actuated_velocities
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.run_values import Trajectory
from footfall.simulation.step_values import Command, SolverOptions, StepOptions

Kind = Literal["drawer", "door", "valve"]
Hinge = Literal["left", "right"]

FINGER = 0.012  # m, radius
_CLEARANCE = 5e-4  # m, on either side of the finger
_PLATE = (0.006, 0.05, 0.05)  # m
_PLATE_FRICTION = 0.3
_HEIGHT = 0.6  # m, of a door
_OPENING = 1.15  # of what is asked for, that drawers and doors open by at most
_MOST_TURN = np.radians(170.0)  # of a door
_WOOD, _STEEL = (0.7, 0.6, 0.45, 1.0), (0.85, 0.45, 0.2, 1.0)


@dataclass(frozen=True, eq=False)
class Openable:
    """What is to be opened.

    pose: of the handle of a closed drawer or door, of the hub of a valve. mass: kg, of a drawer, of the panel of a
    door, of the rim of a valve. friction: dry, N, of hinges and hubs N m. size: m, depth of a drawer, from the hinge of
    a door to its handle, radius of a valve. opening: how far to open it, m or rad. hinge: of a door, on which side as
    seen by someone in front of it.
    """

    kind: Kind
    pose: Transform
    mass: float
    friction: float
    size: float
    opening: float
    hinge: Hinge = "left"

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise UnknownName("mechanism", self.kind, get_args(Kind))
        if self.hinge not in get_args(Hinge):
            raise UnknownName("side of a hinge", self.hinge, get_args(Hinge))
        object.__setattr__(self, "pose", checked_transform(f"pose of the {self.kind}", self.pose))
        for name, least in (
            ("mass", "above"),
            ("size", "above"),
            ("opening", "above"),
            ("friction", "at least"),
        ):
            value = getattr(self, name)
            if not math.isfinite(value) or value < 0.0 or (value == 0.0 and least == "above"):
                raise InvalidInput(f"{self.kind}: {name} is {value}; it must be a finite number {least} zero")
        if self.kind == "drawer" and self.opening > self.size:
            raise InvalidInput(f"drawer: opens by {self.opening} m; it is only {self.size} m deep")
        if self.kind == "door" and self.opening > _MOST_TURN:
            raise InvalidInput(
                f"door: opens by {math.degrees(self.opening):.0f} degrees; doors open by "
                f"{math.degrees(_MOST_TURN):.0f} at the most"
            )

    @property
    def turns(self) -> bool:
        """Whether it turns; else it slides."""
        return self.kind != "drawer"

    @property
    def lever(self) -> float:
        """Way of the handle for a unit of opening: 1, or the arm of the handle, m."""
        return self.size if self.turns else 1.0

    @property
    def inertia(self) -> float:
        """What resists an acceleration of its joint: kg, or kg m2 about the axis (a plate m w^2 / 3, a rim m r^2)."""
        return {"drawer": self.mass, "door": self.mass * self.size**2 / 3, "valve": self.mass * self.size**2}[
            self.kind
        ]

    @property
    def _side(self) -> float:
        """Where the hinge is along y: +1 or -1. Someone in front looks against x, and has y to the right."""
        return -1.0 if self.hinge == "left" else 1.0

    @property
    def axis(self) -> Array:
        """(3,) of the joint, in axes of the pose."""
        if self.kind == "door":
            return np.array([0.0, 0.0, self._side])
        return np.array([1.0, 0.0, 0.0])

    @property
    def pivot(self) -> Array:
        """(3,) Where the joint is, in the pose, m."""
        return np.array([0.0, self._side * self.size, 0.0]) if self.kind == "door" else np.zeros(3)

    @property
    def center_of_mass(self) -> Array:
        """(3,) in the pose of the closed mechanism, m."""
        return {
            "drawer": np.array([-self.size / 2, 0.0, 0.0]),
            "door": self.pivot / 2,
            "valve": np.zeros(3),
        }[self.kind]

    @property
    def _closed_slot(self) -> Transform:
        """The slot in the pose: x the way that the handle goes, z where the finger comes from."""
        if self.kind == "valve":
            turned = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
            return Transform(turned, np.array([0.0, 0.0, self.size]))
        return Transform(np.eye(3), np.zeros(3))

    def moved(self, opened: float) -> Transform:
        """Where the closed mechanism's pose has gone, in the world."""
        if not self.turns:
            return self.pose @ Transform(np.eye(3), opened * self.axis)
        turn = rotation_z(self._side * opened) if self.kind == "door" else rotation_x(opened)
        return self.pose @ Transform(turn, self.pivot - turn @ self.pivot)

    def slot(self, opened: float) -> Transform:
        """The slot in the world."""
        return self.moved(opened) @ self._closed_slot

    def opened(self, place: Array, near: float = 0.0) -> float:
        """How far it is open with its handle nearest to a place (3,) in the world; turns are counted near another."""
        local = self.pose.inverse().apply(place) - self.pivot
        if not self.turns:
            return float(local @ self.axis)
        first = self._closed_slot.translation - self.pivot
        angle = math.atan2(float(np.cross(first, local) @ self.axis), float(first @ local))
        return angle + 2 * math.pi * round((near - angle) / (2 * math.pi))

    def bend(self, opened: float, rate: float) -> Array:
        """(3,) Acceleration of the handle towards the pivot, m/s2, at a rate of opening, m/s or rad/s."""
        if not self.turns:
            return np.zeros(3)
        arm = self.slot(opened).translation - self.pose.apply(self.pivot)
        axis = self.pose.rotation @ self.axis
        return -(rate**2) * (arm - axis * (axis @ arm))

    def weight(self, opened: float, gravity: Array) -> float:
        """Force or moment of gravity (3,), m/s2, along the opening: N or N m."""
        axis = self.pose.rotation @ self.axis
        if not self.turns:
            return float(self.mass * gravity @ axis)
        arm = self.moved(opened).apply(self.center_of_mass) - self.pose.apply(self.pivot)
        return float(np.cross(arm, self.mass * gravity) @ axis)

    @property
    def _plates(self) -> tuple[Geometry, ...]:
        """Of the handle, in the body: the one before the finger, then the one behind it."""
        slot = self._closed_slot
        away = FINGER + _CLEARANCE + _PLATE[0] / 2
        return tuple(
            Geometry(
                Box(_PLATE),
                Transform(slot.rotation, slot.apply(np.array([side * away, 0.0, 0.0])) - self.pivot),
                color=_STEEL,
            )
            for side in (1.0, -1.0)
        )

    def robot(self) -> Robot:
        """It as a robot of one joint, whose world is the pose."""
        place = self.center_of_mass - self.pivot
        size, mass = self.size, self.mass
        if self.kind == "drawer":
            shape = Geometry(Box((size, 0.46, 0.16)), Transform(np.eye(3), place - [0.04, 0, 0]), color=_WOOD)
            spread = mass / 12 * np.diag([0.46**2 + 0.16**2, size**2 + 0.16**2, size**2 + 0.46**2])
        elif self.kind == "door":
            shape = Geometry(
                Box((0.02, size, _HEIGHT)), Transform(np.eye(3), place - [0.05, 0, 0]), color=_WOOD
            )
            spread = mass / 12 * np.diag([size**2 + _HEIGHT**2, _HEIGHT**2, size**2])
        else:
            shape = Geometry(
                Capsule(0.012, 2 * size), Transform(np.eye(3), np.array([-0.05, 0.0, 0.0])), color=_WOOD
            )
            spread = mass * size**2 * np.diag([1.0, 0.5, 0.5])
        body = Body(self.kind, mass, place, spread, (*self._plates, shape))
        limits = {} if self.kind == "valve" else {"lower": (0.0,), "upper": (_OPENING * self.opening,)}
        joint = Joint(
            "opening",
            {"drawer": JointType.PRISMATIC, "door": JointType.REVOLUTE, "valve": JointType.CONTINUOUS}[self.kind],
            WORLD,
            self.kind,
            Transform(np.eye(3), self.pivot),
            (float(self.axis[0]), float(self.axis[1]), float(self.axis[2])),
            friction=self.friction,
            **limits,  # type: ignore[arg-type]
        )  # fmt: skip
        return Robot(self.kind, (body,), (joint,))

    def in_scene(self) -> SceneRobot:
        """It as a part of a scene; there its body and its joint are called "furniture/..."."""
        return SceneRobot("furniture", self.robot(), self.pose)

    def candidates(self, frame: str, point: tuple[float, float, float]) -> list[Candidate]:
        """What of the handle a finger at a point of a frame may touch: the plate before it, and the one behind it."""
        material = Material(friction=_PLATE_FRICTION)
        return [
            Candidate(
                frame,
                point,
                FINGER,
                Surface(plate.shape, plate.placement, f"furniture/{self.kind}", material),
            )
            for plate in self._plates
        ]


_GRAVITY = np.array([0.0, 0.0, -9.81])
_ABOVE = 0.08  # m, from where the finger comes into the slot
_ENTER, _INSIDE, _PULL = 0.2, 0.9, 1.2  # s: when it goes in, is there, and pulls
_ASK = 0.9  # of the greatest force at the handle, that the task asks for along the way: friction comes on top
_SETTLED = 0.1  # s after the first contact, which is an impact
_APPROACH = 3.0  # 1/s, with which it comes to rest at the end
_FOLLOW = 3.0  # 1/s, with which a base follows its arm
_MISSES, _PLACES = (
    1e-4,
    13,
)  # m that a reachable handle may be missed by; places of its way that are looked at
_EVEN = 0.1  # least over largest singular value of an arm at the handle, below which other postures are tried
_POSTURES = 60  # that are tried
_EXACT = 1e-3  # of the largest force: by how much the handle's force may differ from the closed form
_STIFF = Gains(900.0, 60.0)  # 1/s2, 1/s: with which the finger stays in the slot
_LATCH = Gains(
    1e7, 1e4
)  # N/m and N s/m, or about an axis; gains act at the end of a step, so none is too stiff
_SHAPE = Gains(25.0, 10.0)  # of the arm's shape
_TOOLS = ("tip", "gripper", "tcp", "tool", "eef", "ee_link", "end_effector", "flange", "hand", "finger")


@dataclass(frozen=True)
class Pull:
    """How something is opened: speed (m/s) and acceleration (m/s2) of the handle, at most; force at it, N, at most."""

    speed: float = 0.15
    acceleration: float = 1.0
    force: float = 40.0

    def __post_init__(self) -> None:
        for name in ("speed", "acceleration", "force"):
            value = getattr(self, name)
            if not 0.0 < value < np.inf:
                raise InvalidInput(f"{name} of the pull is {value}; it must be above zero and finite")


@dataclass(frozen=True)
class Hand:
    """Who opens: a robot on a fixed base, or a mobile one with its arm's joints where they are at the start.

    frame, point: the frame of the finger and its middle in it, m.
    """

    robot: Robot
    mobile: MobileRobot | None
    frame: str
    point: tuple[float, float, float]
    posture: Array

    @property
    def finger(self) -> FramePoint:
        """The middle of the finger."""
        return FramePoint(self.frame, self.point)

    def place(self, q: Array) -> Array:
        """(3,) of the finger in the world, m."""
        return np.asarray(frame_pose(self.robot, q, self.frame).apply(np.array(self.point)))

    def velocity(self, q: Array, v: Array) -> Array:
        """(3,) of the finger, m/s."""
        motion = np.asarray(frame_velocity(self.robot, q, v, self.frame))
        arm = frame_pose(self.robot, q, self.frame).rotation @ np.array(self.point)
        return motion[:3] + np.cross(motion[3:], arm)


def tool_frame(robot: Robot) -> str:
    """The frame that looks like a robot's tool, by its name; the last of the first kind of name that it has."""
    names = [body.name for body in robot.bodies] + [frame.name for frame in robot.frames]
    for word in _TOOLS:
        found = [
            name for name in names if re.search(rf"(^|[_/\-.]){word}\d*($|[_/\-.])", name, re.IGNORECASE)
        ]
        if found:
            return found[-1]
    raise InvalidInput(f"robot {robot.name!r}: no frame is named like a tool; name one of {', '.join(names)}")


def hand_of(
    given: Robot | MobileRobot | None, frame: str | None = None, point: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> Hand:  # fmt: skip
    """Who opens; the shipped mobile manipulator by default."""
    mobile = mobile_manipulator() if given is None else given if isinstance(given, MobileRobot) else None
    robot = given if isinstance(given, Robot) else mobile.robot if mobile is not None else None
    if robot is None:
        raise InvalidInput(f"robot is {given!r}; it must be a Robot on a fixed base, or a MobileRobot")
    if mobile is None and any(joint.type is JointType.FLOATING for joint in robot.joints):
        raise InvalidInput(
            f"robot {robot.name!r} has a floating base; name its wheels (--wheel BODY=RADIUS, a MobileRobot), or take "
            "a robot on a fixed base"
        )
    frame = frame or tool_frame(robot)
    frame_attachment(robot, frame)
    posture = neutral_coordinates(robot)
    if given is None:
        posture[-len(start_configuration()) :] = start_configuration()
    elif robot.configurations:
        words = [name for name in ("reach", "ready") if name in robot.configurations]
        posture = robot.configuration([*words, *robot.configurations][0]).copy()
    return Hand(robot, mobile, frame, point, posture)


# Where the robot begins


class Way(NamedTuple):
    """How a robot follows a handle: q (nq,) before it, then q (k, nq) where it is opened so far (k,), m or rad."""

    start: Array
    opened: Array
    q: Array

    def shape(self, opened: float) -> Array:
        """q (nq,) between those that are known; of joints with one coordinate."""
        return np.array([np.interp(opened, self.opened, column) for column in self.q.T])


def way_of(hand: Hand, mechanism: Openable) -> Way:
    """Where the robot begins, with the finger before the handle, and how it follows; refused if it does not reach."""
    ways = np.linspace(0.0, mechanism.opening, _PLACES)
    first = mechanism.slot(0.0).apply(np.array([0.0, 0.0, _ABOVE]))
    found: list[Array] = []
    q = begin = _begun(hand, mechanism, first)
    for way, place in [(0.0, first), *((way, mechanism.slot(way).translation) for way in ways)]:
        kept = _base_kept(hand, begin, first, place)
        q = solve_ik(hand.robot, q, [*kept, PositionTask(hand.finger, place)]).q
        missing = float(np.linalg.norm(hand.place(q) - place))
        if missing > _MISSES:
            shown = f"{np.degrees(way):.0f} degrees" if mechanism.turns else f"{1e3 * way:.0f} mm"
            raise NoSolution(
                f"{hand.robot.name} does not reach the handle of the {mechanism.kind} where it is open by {shown}; "
                "place it elsewhere, open it less, or choose another robot or frame",
                {"missing, m": missing},
            )
        found.append(q)
    return Way(found[0], ways, np.array(found[1:]))


def _begun(hand: Hand, mechanism: Openable, first: Array) -> Array:
    """Where the search begins: an arm in the middle of the way, from where most of it is near; a base before it."""
    if hand.mobile is None:
        middle = mechanism.slot(0.5 * mechanism.opening).translation
        for target in (middle, first):  # first to the middle, then back
            hand = replace(
                hand,
                posture=solve_ik(hand.robot, hand.posture, [PositionTask(hand.finger, target)], restarts=8).q,
            )
        return hand.posture
    begun = _base_before(hand, hand.mobile, mechanism, first, hand.posture)
    if _evenness(hand, hand.mobile, begun, first) > _EVEN:
        return begun
    arm = [hand.robot.q_slice(joint.name) for joint in _arm(hand)]
    tried = [begun]
    for random in random_configuration(hand.robot, seed=0, count=_POSTURES):
        posture = hand.posture.copy()
        for place in arm:
            posture[place] = random[place]
        tried.append(_base_before(hand, hand.mobile, mechanism, first, posture))
    evenness = [_evenness(hand, hand.mobile, q, first) for q in tried]
    return tried[int(np.argmax(evenness))]


def _base_before(hand: Hand, mobile: MobileRobot, mechanism: Openable, first: Array, posture: Array) -> Array:
    """q (nq,) with this posture and the base where the finger is above or below the place that it comes from."""
    root = next(joint for joint in hand.robot.joints if joint.child == mobile.base)
    q = posture.copy()
    rows = hand.robot.q_slice(root.name)
    base = SimulatedBase(mobile, joints=_joints(hand, q)).state[0][rows]
    yaw = _facing(mechanism)
    turned = rotation_z(yaw)
    q[rows] = base
    reach = hand.place(q) - base[:3]
    q[rows][:3] = 0.0
    q[rows] = np.concatenate(
        [first[:2] - (turned @ reach)[:2], base[2:3], [np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)]]
    )
    return q


def _evenness(hand: Hand, mobile: MobileRobot, begun: Array, first: Array) -> float:
    """Of what the arm's joints do to the finger before the handle, the least over the largest singular value: 0 where
    it is stretched, or straight above the joint that turns it. Negative where it does not get there, or is over its
    wheels."""
    q = solve_ik(
        hand.robot, begun, [*_base_kept(hand, begun, first, first), PositionTask(hand.finger, first)]
    ).q
    jacobian = np.asarray(frame_jacobian(hand.robot, q, hand.frame))
    arm = hand.place(q) - frame_pose(hand.robot, q, hand.frame).translation
    moved = jacobian[:3] + np.cross(jacobian[3:].T, arm).T
    rates = [place for joint in _arm(hand) for place in range(hand.robot.nv)[hand.robot.v_slice(joint.name)]]
    values = np.linalg.svd(moved[:, rates], compute_uv=False)
    seen = frame_pose(hand.robot, q, mobile.base).inverse().apply(hand.place(q))
    reaches = float(np.linalg.norm(hand.place(q) - first)) < _MISSES
    clear = seen[0] > rest_height(mobile, q)[1][:, 0].max()
    return float(values[-1] / max(values[0], 1e-12)) - (not reaches) - (not clear)


def _facing(mechanism: Openable) -> float:
    """The direction that a base looks to, rad: at the furniture, or to where the finger comes from beside it."""
    axes = mechanism.pose.rotation
    for axis in (-axes[:, 0], -axes[:, 2], axes[:, 1]):
        if np.hypot(*axis[:2]) > 0.5:
            return float(np.arctan2(axis[1], axis[0]))
    return 0.0


def _joints(hand: Hand, q: Array) -> dict[str, Any]:
    """Coordinates by joint, of all but the base."""
    return {
        joint.name: q[hand.robot.q_slice(joint.name)]
        for joint in hand.robot.joints
        if joint.type is not JointType.FLOATING
    }


def _base_kept(hand: Hand, begin: Array, first: Array, place: Array) -> list[MotionTask]:
    """A base that has gone as far as the finger, sideways only if it can."""
    if hand.mobile is None:
        return []
    pose = frame_pose(hand.robot, begin, hand.mobile.base)
    local = pose.rotation.T @ (place - first)
    gone = pose.rotation @ np.array([local[0], local[1] if _goes_sideways(hand.mobile) else 0.0, 0.0])
    wheels = tuple(joint.name for joint in _wheels(hand.mobile))
    zeros = np.concatenate([begin[hand.robot.q_slice(name)] for name in wheels])
    return [
        PoseTask(hand.mobile.base, Transform(pose.rotation, pose.translation + gone)),
        PostureTask(zeros, joints=wheels),
    ]


def _goes_sideways(mobile: MobileRobot) -> bool:
    return all(is_ball(wheel) for wheel in mobile.wheels)


def _arm(hand: Hand) -> list[Joint]:
    """Its joints with one coordinate, but the wheels."""
    return [
        joint
        for joint in hand.robot.joints
        if joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)
        and (hand.mobile is None or joint not in _wheels(hand.mobile))
    ]


def _wheels(mobile: MobileRobot) -> list[Joint]:
    bodies = {wheel.body for wheel in mobile.wheels}
    return [joint for joint in mobile.robot.joints if joint.child in bodies]


# The plant


class Plant(Protocol):
    """A simulated robot whose state and torques are those that its controller knows."""

    simulation: FeetSimulation
    first: int

    @property
    def state(self) -> tuple[Array, Array]: ...

    def run(
        self, controller: Controller, seconds: float, *, others: Callable[[float], Command]
    ) -> Trajectory: ...


class _FixedArm:
    """An arm on its base; what `SimulatedBase` is for mobile robots."""

    first = 0

    def __init__(self, hand: Hand, scene: Scene, mechanism: Openable, q: Array) -> None:
        self.robot = hand.robot
        self.simulation = FeetSimulation(
            hand.robot,
            scene,
            candidates=mechanism.candidates(hand.frame, hand.point),
            options=StepOptions(dt=DT, solver=SolverOptions(tolerance=1e-6)),
        )
        self.simulation.reset(np.concatenate([q, self.simulation.state.q[hand.robot.nq :]]))

    @property
    def state(self) -> tuple[Array, Array]:
        state = self.simulation.state
        return state.q[: self.robot.nq].copy(), state.v[: self.robot.nv].copy()

    def run(
        self, controller: Controller, seconds: float, *, others: Callable[[float], Command]
    ) -> Trajectory:
        steps, torques = 0, np.zeros(self.robot.nv)

        def act(time: float, q: Array, v: Array) -> Command:
            nonlocal steps, torques
            if steps % CONTROL_STEPS == 0:
                torques = controller(time, *self.state)
            steps += 1
            command = others(time)
            effort = command.effort.copy()
            effort[: self.robot.nv] += torques
            return command._replace(effort=effort)

        return self.simulation.run(act, seconds)


def _latch(plant: Plant) -> Callable[[float], Command]:
    """What holds the mechanism closed until the finger is in its handle: else many would open by their weight."""
    free = plant.simulation.zero_command
    machine = plant.simulation.robot
    place = [velocity for _, velocity in actuated_velocities(machine)].index(
        machine.v_slice("furniture/opening").start
    )
    kp, kd = free.kp.copy(), free.kd.copy()
    kp[place], kd[place] = _LATCH.stiffness, _LATCH.damping
    held = free._replace(kp=kp, kd=kd)
    return lambda time: held if time <= _PULL else free


def _plant(hand: Hand, mechanism: Openable, q: Array) -> Plant:
    scene = Scene(mechanism.kind, (FLOOR,), (mechanism.in_scene(),))
    if hand.mobile is None:
        return _FixedArm(hand, scene, mechanism, q)
    pose = frame_pose(hand.robot, q, hand.mobile.base)
    yaw = float(np.arctan2(pose.rotation[1, 0], pose.rotation[0, 0]))
    return SimulatedBase(
        hand.mobile,
        scene,
        touching=mechanism.candidates(hand.frame, hand.point),
        pose=(float(pose.translation[0]), float(pose.translation[1]), yaw),
        joints=_joints(hand, q),
    )


# The controller


class _Opener:
    """Torques of a run, call by call."""

    def __init__(self, hand: Hand, mechanism: Openable, pull: Pull, plant: Plant, way: Way) -> None:
        self.way = way
        self.hand, self.mechanism, self.pull, self.plant = hand, mechanism, pull, plant
        q = plant.state[0]
        self.opened = 0.0
        self.arm_places = [hand.robot.q_slice(joint.name).start for joint in _arm(hand)]
        self.arm_rates = [hand.robot.v_slice(joint.name).start for joint in _arm(hand)]
        self.reach = self._seen(q)

    def _seen(self, q: Array) -> Array:
        """(3,) The finger as seen from the base, m."""
        if self.hand.mobile is None:
            return np.zeros(3)
        base = frame_pose(self.hand.robot, q, self.hand.mobile.base)
        return np.asarray(base.inverse().apply(self.hand.place(q)))

    def torques(self, time: float, q: Array, v: Array) -> Array:
        hand, mechanism = self.hand, self.mechanism
        self.opened = mechanism.opened(hand.place(q), self.opened)
        slot = mechanism.slot(self.opened)
        rate = float(slot.rotation[:, 0] @ hand.velocity(q, v)) / mechanism.lever
        bend = np.append(mechanism.bend(self.opened, rate), np.zeros(3))
        frames = {"slot": MovingFrame(slot, np.zeros(6), bend)}
        felt = {hand.frame: self._felt(q, slot)}
        tasks = [self._hand_task(time), *self._base_task(q)]
        forward = self._forward(q, v)
        if hand.mobile is not None:
            return drive(hand.mobile, q, v, tasks, tau=forward, frames=frames, wrenches=felt).torques
        solution = solve_tasks(hand.robot, q, v, forward, tasks, frames=frames, wrenches=felt)
        return np.asarray(solution.motion.commands)

    def _forward(self, q: Array, v: Array) -> Array:
        """(nv,) Torques that bear the arm and bring it back to its shape; what they do to the finger, the tasks undo.

        So the shape yields by Gauss's principle, in the metric of the inertia; as rows behind those of the finger,
        light wrists would have to make up for all that heavy joints keep.
        """
        robot = self.hand.robot
        back = np.zeros(robot.nv)
        back[self.arm_rates] = (
            _SHAPE.stiffness * (self.way.shape(self.opened) - q)[self.arm_places]
            - _SHAPE.damping * v[self.arm_rates]
        )
        torques = np.zeros(robot.nv)
        torques[self.arm_rates] = np.asarray(inverse_dynamics(robot, q, v, back))[self.arm_rates]
        return torques

    def _felt(self, q: Array, slot: Transform) -> Array:
        """(6,) What a sensor in the wrist feels, at the origin of the finger's frame: pushes and friction of plates."""
        simulation = self.plant.simulation
        middle = frame_pose(self.hand.robot, q, self.hand.frame).rotation @ np.array(self.hand.point)
        wrench = np.zeros(6)
        for k, side in enumerate((-1.0, 1.0)):  # the plate before the finger pushes it back
            normal = side * slot.rotation[:, 0]
            rows = 3 * (self.plant.first + k)
            force = contact_frame(normal) @ simulation.state.impulses[rows : rows + 3] / simulation.options.dt
            wrench += np.concatenate([force, np.cross(middle - FINGER * normal, force)])
        return wrench

    def _hand_task(self, time: float) -> FrameTask:
        inside = np.clip((time - _ENTER) / (_INSIDE - _ENTER), 0.0, 1.0)
        goals = {"y": AxisGoal("position"), "z": AxisGoal("position", _ABOVE * float(1.0 - inside))}
        ahead = -self.opened
        if time > _PULL:
            ahead = self.mechanism.opening - self.opened
        speed = np.clip(_APPROACH * ahead * self.mechanism.lever, -self.pull.speed, self.pull.speed)
        goals["x"] = AxisGoal(
            "velocity",
            float(speed),
            most_acceleration=self.pull.acceleration,
            most_force=_ASK * self.pull.force if time > _PULL else np.inf,
        )
        return FrameTask("handle", self.hand.frame, goals, axes="slot", point=self.hand.point, gains=_STIFF)

    def _base_task(self, q: Array) -> list[MotionTask]:
        """A base goes with its arm."""
        if self.hand.mobile is None:
            return []
        ahead = _FOLLOW * (self._seen(q) - self.reach)
        goals = {"x": AxisGoal("velocity", float(ahead[0])), "rz": AxisGoal("velocity")}
        if _goes_sideways(self.hand.mobile):
            goals["y"] = AxisGoal("velocity", float(ahead[1]))
        return [
            FrameTask("base", self.hand.mobile.base, goals, axes=OWN, priority=1, gains=Gains(100.0, 10.0))
        ]


# The run


def run_opening(
    mechanism: Openable,
    *,
    robot: Robot | MobileRobot | None = None,
    frame: str | None = None,
    point: tuple[float, float, float] = (0.0, 0.0, 0.0),
    pull: Pull = Pull(),
    seconds: float | None = None,
) -> HybridRun:
    """Go into the handle and open the mechanism.

    robot: an arm on a fixed base, or a mobile robot; by default the shipped mobile manipulator, which goes where it can
    reach. frame, point: the finger, a point of a frame; by default the frame that is named like a tool.
    """
    hand = hand_of(robot, frame, point)
    way = way_of(hand, mechanism)
    plant = _plant(hand, mechanism, way.start)
    if seconds is None:
        length = mechanism.opening * mechanism.lever
        seconds = _PULL + length / pull.speed + pull.speed / pull.acceleration + 6.0 / _APPROACH
    trajectory = plant.run(_Opener(hand, mechanism, pull, plant, way).torques, seconds, others=_latch(plant))
    return _course(hand, mechanism, pull, plant, trajectory)


def needed_force(mechanism: Openable, opened: Array, rate: Array, acceleration: Array) -> Array:
    """(n,) N that opens the mechanism so, `m a + friction - weight`; about an axis N m, `I a + friction - weight`."""
    weight = np.array([mechanism.weight(float(each), _GRAVITY) for each in opened])
    return np.asarray(mechanism.inertia * acceleration + mechanism.friction * np.sign(rate) - weight)


def _along(mechanism: Openable, plant: Plant, trajectory: Trajectory) -> Array:
    """(n,) Force on the handle along its way, N: moments about an axis over the handle's arm."""
    touching = slice(plant.first, plant.first + 2)
    forces, places = -trajectory.forces[:, touching], trajectory.positions[:, touching]
    axis = mechanism.pose.rotation @ mechanism.axis
    if not mechanism.turns:
        return np.asarray(forces.sum(axis=1) @ axis)
    arms = places - mechanism.pose.apply(mechanism.pivot)
    return np.asarray(np.cross(arms, forces).sum(axis=1) @ axis / mechanism.lever)


def _course(hand: Hand, mechanism: Openable, pull: Pull, plant: Plant, trajectory: Trajectory) -> HybridRun:
    machine = plant.simulation.robot
    place = machine.q_slice("furniture/opening").start
    speed_place = machine.v_slice("furniture/opening").start
    opened, rate = trajectory.q[:, place], trajectory.v[:, speed_place]
    pushes = -trajectory.forces[:, plant.first : plant.first + 2].sum(axis=1)  # on the handle, N
    slots = [mechanism.slot(float(each)) for each in opened]
    along = _along(mechanism, plant, trajectory)
    poses = forward_kinematics(machine, trajectory.q, frames=[hand.frame])
    finger = np.asarray(poses.position)[:, 0] + np.asarray(poses.rotation)[:, 0] @ np.array(hand.point)
    off = np.array([slot.inverse().apply(at) for slot, at in zip(slots, finger, strict=True)])
    pulled = trajectory.time > _PULL + _SETTLED
    acceleration = np.diff(rate, prepend=0.0) / DT
    needed = needed_force(mechanism, opened, rate, acceleration) / mechanism.lever
    # Where it does not move, friction is any force up to its bound; impacts come before it is settled.
    moving = pulled & (np.abs(rate) * mechanism.lever > 0.05 * pull.speed)
    error = np.abs(along - needed)[moving]
    largest = max(float(np.abs(needed[moving]).max(initial=0.0)), 1e-9)
    unit, scale = ("degrees", 180.0 / np.pi) if mechanism.turns else ("m", 1.0)
    criteria = (
        Criterion(
            f"the {mechanism.kind} opens by, {unit}",
            scale * float(opened[-1]),
            low=0.98 * scale * mechanism.opening,
            high=1.02 * scale * mechanism.opening,
        ),
        Criterion(
            "force at the handle, N", float(np.linalg.norm(pushes, axis=1)[pulled].max()), high=pull.force
        ),
        Criterion(
            "the finger leaves the middle of the handle by, mm",
            1e3 * float(np.linalg.norm(off[pulled][:, 1:], axis=1).max()),
            high=5.0,
        ),
        Criterion(
            "force differs from inertia, friction and weight by, relative",
            float(error.max(initial=np.inf if not moving.any() else 0.0)) / largest,
            high=_EXACT,
        ),
    )
    panels: dict[str, dict[str, Array]] = {
        f"opened, {unit}": {mechanism.kind: scale * opened},
        "force at the handle, N": {
            "along its way": np.clip(along, -2 * pull.force, 2 * pull.force),
            "needed": np.where(moving, needed, np.nan),
        },
        "finger in the slot, mm": {axis: 1e3 * np.clip(off[:, k], -0.02, _ABOVE) for k, axis in enumerate("xyz")},
        "joint torques, N m": {
            joint.name: trajectory.effort[:, machine.v_slice(joint.name).start]
            for joint in hand.robot.joints
            if joint.type is not JointType.FLOATING and not (hand.mobile and joint in _wheels(hand.mobile))
        },
    }  # fmt: skip
    title = f"{hand.robot.name} opens a {mechanism.kind}"
    return HybridRun(mechanism.kind, title, machine, plant.simulation.scene, DT, trajectory, criteria, panels)


_USUAL: dict[Kind, dict[str, float]] = {
    "drawer": {"mass": 4.0, "friction": 8.0, "size": 0.45, "opening": 0.3},
    "door": {"mass": 6.0, "friction": 1.0, "size": 0.4, "opening": float(np.radians(50.0))},
    "valve": {"mass": 1.0, "friction": 0.5, "size": 0.12, "opening": float(np.radians(180.0))},
}
_BEFORE = Transform(rotation_z(np.pi), np.array([0.6, 0.0, 0.4]))  # 0.4 m high, facing the origin


def usual_mechanism(
    kind: Kind, *, pose: Transform | None = None, hinge: Hinge = "left", **given: float | None
) -> Openable:
    """A mechanism with usual numbers (mass, friction, size, opening) where none are given.

    pose: by default 0.6 m before the origin and 0.4 m above the ground, facing it.
    """
    if kind not in _USUAL:
        raise UnknownName("mechanism", kind, _USUAL)
    for name in given:
        if name not in _USUAL[kind]:
            raise UnknownName(f"number of a {kind}", name, _USUAL[kind])
    numbers = _USUAL[kind] | {name: value for name, value in given.items() if value is not None}
    if kind == "drawer" and given.get("size") is None:
        numbers["size"] = max(numbers["size"], 1.5 * numbers["opening"])
    return Openable(kind, _BEFORE if pose is None else pose, hinge=hinge, **numbers)


def run_mechanism(kind: Kind, *, seconds: float | None = None) -> HybridRun:
    """Open one of the usual ones with the shipped mobile manipulator."""
    return run_opening(usual_mechanism(kind), seconds=seconds)
