"""Mobile robots in simulation: what the controller knows is a robot with wheels, what is simulated rolls by friction.

Wheels touch the ground as spheres of their radius, which roll exactly; steered wheels and casters are such wheels on a
joint of their own. A robot on two wheels rests on casters without friction besides. The roller of a Mecanum or omni
wheel that touches the ground turns about an axis that is fixed in what carries the wheel, whatever the wheel does: hub
and roller together are a ball, which the motor can only turn across that axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Literal

import numpy as np

from footfall.arrays import Array
from footfall.contact.candidates import Candidate, Surface, surface_of
from footfall.control.hybrid_drive import MobileRobot
from footfall.control.requests import checked_array
from footfall.dynamics.hybrid_wheels import Wheel
from footfall.dynamics.kinematics import forward_kinematics
from footfall.errors import InvalidInput, UnknownName
from footfall.geometry.plane import Plane
from footfall.math.rotations import matrix_from_quaternion
from footfall.robot.load import load
from footfall.robot.model import WORLD, Joint, JointType, Robot
from footfall.robot.tree_loops import neutral_coordinates
from footfall.scene.model import Material, Scene, SceneObject
from footfall.simulation.joint_control import actuated_velocities
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.run_values import Trajectory
from footfall.simulation.step_values import Command, SolverOptions, StepOptions

Kind = Literal["differential", "mecanum"]
Controller = Callable[[float, Array, Array], Array]

DT = 1e-3  # s
CONTROL_STEPS = 2  # steps from one call of a controller to the next
RADIUS = 0.1  # m, of all wheels of the shipped bases
FLOOR = SceneObject("floor", Plane(), material=Material(friction=0.8), category="floor")
_SLIPPERY = Surface(Plane(), material=Material(friction=0.0))
# More than three rigid wheels could share the load in any way, and one without load does not pull: tyres settle it.
# They give by g / (n stiffness), 1.2 mm on four wheels, whatever the robot weighs.
_TYRE_STIFFNESS, _TYRE_DAMPING = 5e4 / 24.0, 800.0 / 24.0  # of a wheel, N/m and N s/m a kg of the robot
_LEVEL_AXLE, _LEAST_SHARE = 1e-3, 1e-2
_UNEVEN = 1e-3  # m, that wheels may end above others: less than tyres give
_LIMITS = ("lower", "upper", "velocity", "effort", "kp", "kd")  # that balls do not have
_CASTER = 0.02  # m, radius of a caster
_FREE = (
    0.005  # m above the ground: the caster behind, against tipping; on both the wheels might carry nothing
)


@cache
def mobile_robot(kind: Kind) -> MobileRobot:
    """What the controller knows of a base."""
    if kind == "differential":
        wheels = tuple(Wheel(f"{side}_wheel", RADIUS) for side in ("left", "right"))
    else:
        wheels = _mecanum_wheels(RADIUS)
    return MobileRobot(load(f"{kind}-base"), wheels)


@cache
def youbot() -> MobileRobot:
    """The shipped youBot on its Mecanum wheels, rollers at 45 degrees in a diamond."""
    return MobileRobot(load("youbot"), _mecanum_wheels(0.0475))


def _mecanum_wheels(radius: float) -> tuple[Wheel, ...]:
    turns = {"front_left": -1, "front_right": 1, "rear_left": 1, "rear_right": -1}
    return tuple(
        Wheel(f"{place}_wheel", radius, "mecanum", sign * np.pi / 4) for place, sign in turns.items()
    )


def is_ball(wheel: Wheel) -> bool:
    """Whether it moves freely in some direction on the ground."""
    return wheel.kind != "standard"


def with_ball_wheels(robot: Robot, wheels: Sequence[Wheel]) -> Robot:
    """The robot with balls in the place of wheels with rollers, of the same inertia along the rolling direction."""
    names = {wheel.body for wheel in wheels if is_ball(wheel)}
    if not names:
        return robot
    carriers = {joint.child: joint for joint in robot.joints}
    bodies = []
    for body in robot.bodies:
        if body.name in names:
            joint = carriers[body.name]
            axis = np.asarray(joint.axis)
            spin = float(axis @ body.inertia @ axis) + joint.armature
            body = replace(body, inertia=spin * np.eye(3))
        bodies.append(body)
    ball: Any = {"type": JointType.SPHERICAL, "armature": 0.0, **dict.fromkeys(_LIMITS, ())}
    joints = tuple(replace(joint, **ball) if joint.child in names else joint for joint in robot.joints)
    return Robot(robot.name, tuple(bodies), joints, robot.frames)


def wheel_candidates(mobile: MobileRobot) -> list[Candidate]:
    """Where the robot touches the floor: its wheels, and casters if it has only two."""
    count = len(mobile.wheels)
    floor = surface_of(FLOOR)
    if count > 3:
        mass = mobile.robot.mass
        tyres = Material(friction=0.8, stiffness=_TYRE_STIFFNESS * mass, damping=_TYRE_DAMPING * mass)
        floor = Surface(Plane(), material=tyres)
    found = [Candidate(wheel.body, (0.0, 0.0, 0.0), wheel.radius, floor) for wheel in mobile.wheels]
    if count == 2:
        found += [Candidate(mobile.base, point, _CASTER, _SLIPPERY) for point in _casters(mobile)]
    return found


def _casters(mobile: MobileRobot) -> list[tuple[float, float, float]]:
    """Centres in the base, as far before and behind the axle as the wheels are high."""
    height, centers = rest_height(mobile, neutral_coordinates(mobile.robot))
    middle = np.mean(centers, axis=0)
    reach = 2 * max(wheel.radius for wheel in mobile.wheels)
    return [
        (float(middle[0] + side * reach), float(middle[1]), float(_CASTER + gap - height))
        for side, gap in ((1.0, 0.0), (-1.0, _FREE))
    ]


def rest_height(mobile: MobileRobot, q: Array) -> tuple[float, Array]:
    """Of the base on its wheels, m, and the wheels' centres (n, 3) in the base, with joints as in q (nq,)."""
    frames = [mobile.base, *(wheel.body for wheel in mobile.wheels)]
    poses = forward_kinematics(mobile.robot, q, frames=frames)
    centers = (np.asarray(poses.position[1:]) - poses.position[0]) @ poses.rotation[0]
    radii = np.array([wheel.radius for wheel in mobile.wheels])
    return float((radii - centers[:, 2]).max()), centers


class SimulatedBase:
    """A mobile robot in a scene with the floor: any wheels anywhere, with arms or without.

    mobile: its floating body `base` has wheels on joints that turn. touching: candidates besides the wheels, whose
    forces are `forces`. pose: x, y (m) and angle (rad) of the base at the start. joints: (k,) where the last k joints
    of the robot start, or coordinates by joint. Its state and torques are those of `mobile`, whatever the simulation
    has: `run(controller, seconds)` calls `controller(time, q, v)` for torques (nv,), which `footfall.hybrid.drive` has.
    """

    def __init__(
        self,
        mobile: MobileRobot,
        scene: Scene | None = None,
        *,
        touching: Sequence[Candidate] = (),
        pose: tuple[float, float, float] = (0.0, 0.0, 0.0),
        joints: Sequence[float] | Mapping[str, float] = (),
        options: StepOptions | None = None,
    ) -> None:
        _check_mobile(mobile)
        self.mobile = mobile
        self.count = mobile.robot.nv
        candidates = [*wheel_candidates(mobile), *touching]
        self.first = len(candidates) - len(touching)
        self.simulation = FeetSimulation(
            with_ball_wheels(mobile.robot, mobile.wheels),
            scene or Scene("floor", (FLOOR,)),
            candidates=candidates,
            options=options or StepOptions(dt=DT, solver=SolverOptions(tolerance=1e-6)),
        )
        self._wheels = {wheel.body: wheel for wheel in mobile.wheels if is_ball(wheel)}
        machine = self.simulation.robot
        # Joints that both robots have: places in q and v, ours and the simulation's.
        self._shared = [joint for joint in mobile.robot.joints if joint.child not in self._wheels]
        self._balls = [joint for joint in mobile.robot.joints if joint.child in self._wheels]
        self._root = next(joint for joint in mobile.robot.joints if joint.child == mobile.base)
        self._most = mobile.robot.effort_limits
        commanded = {velocity: place for place, (_, velocity) in enumerate(actuated_velocities(machine))}
        self._efforts = [
            (place, commanded[machine.v_slice(joint.name).start + k])
            for joint in self._shared
            if joint is not self._root
            for k, place in enumerate(range(self.count)[mobile.robot.v_slice(joint.name)])
        ]
        self.simulation.reset(self._start(pose, joints))

    def _start(
        self, pose: tuple[float, float, float], joints: Sequence[float] | Mapping[str, float]
    ) -> Array:
        robot, machine = self.mobile.robot, self.simulation.robot
        q = neutral_coordinates(robot)
        if isinstance(joints, Mapping):
            for name, value in joints.items():
                q[robot.q_slice(name)] = value
        elif len(joints):
            q[robot.nq - len(joints) :] = joints
        height = rest_height(self.mobile, q)[0]
        q[robot.q_slice(self._root.name)] = placed(*pose, height=height)
        start = self.simulation.state.q.copy()
        for joint in self._shared:
            start[machine.q_slice(joint.name)] = q[robot.q_slice(joint.name)]
        return start

    @property
    def forces(self) -> Array:
        """Normal forces (k,) of the last step on what is `touching`, N: what bumpers feel."""
        impulses = self.simulation.state.impulses[3 * self.first : 3 * len(self.simulation.candidates)]
        return np.asarray(impulses[2::3] / self.simulation.options.dt)

    @property
    def state(self) -> tuple[Array, Array]:
        """q (nq,) and v (nv,) of the controller's robot; angles of wheels with rollers are not followed."""
        q, v = self.simulation.state.q, self.simulation.state.v
        robot, machine = self.mobile.robot, self.simulation.robot
        known_q, known_v = neutral_coordinates(robot), np.zeros(self.count)
        for joint in self._shared:
            known_q[robot.q_slice(joint.name)] = q[machine.q_slice(joint.name)]
            known_v[robot.v_slice(joint.name)] = v[machine.v_slice(joint.name)]
        for joint in self._balls:
            # Of the ball against what carries it, in its own axes.
            turning = matrix_from_quaternion(q[machine.q_slice(joint.name)]) @ v[machine.v_slice(joint.name)]
            across = _across(joint, self._wheels[joint.child])
            known_v[robot.v_slice(joint.name)] = joint.placement.rotation @ turning @ across[0] / across[1]
        return known_q, known_v

    def command(self, torques: Array) -> Command:
        """The command that acts like joint torques (nv,) of the controller's robot, within its joints' efforts."""
        torques = np.clip(checked_array("torques", torques, (self.count,)), -self._most, self._most)
        hold = self.simulation.zero_command
        effort = hold.effort.copy()
        for place, commanded in self._efforts:
            effort[commanded] = torques[place]
        if self._balls:
            self._turn_balls(torques)
        return hold._replace(effort=effort)

    def _turn_balls(self, torques: Array) -> None:
        """A motor turns its ball across the roller's axis; what carries the wheel feels the opposite."""
        machine, q = self.simulation.robot, self.simulation.state.q
        moments: dict[str, Array] = {}
        poses = forward_kinematics(machine, q, frames=[joint.parent for joint in self._balls])
        for joint, turn in zip(self._balls, poses.rotation, strict=True):
            across, share = _across(joint, self._wheels[joint.child])
            torque = float(torques[self.mobile.robot.v_slice(joint.name)][0])
            moment = turn @ across * (torque / share)
            moments[joint.child] = moment
            moments[joint.parent] = moments.get(joint.parent, np.zeros(3)) - moment
        for body, moment in moments.items():
            self.simulation.push(body, np.append(np.zeros(3), moment), self.simulation.options.dt)

    def run(
        self,
        controller: Controller,
        seconds: float,
        *,
        every: int = CONTROL_STEPS,
        others: Command | Callable[[float], Command] | None = None,
    ) -> Trajectory:
        """Advance under `controller(time, q, v)`, which gives torques (nv,) every so many steps.

        others: efforts and gains of what else there is with joints, or a function of time (s) that gives them, added to
        those of the base.
        """

        steps, torques = 0, np.zeros(self.count)

        def act(time: float, q: Array, v: Array) -> Command:
            nonlocal steps, torques
            if steps % every == 0:
                torques = controller(time, *self.state)
            steps += 1
            command = self.command(torques)
            if others is None:
                return command
            more = others(time) if callable(others) else others
            return Command(*(one + other for one, other in zip(command, more, strict=True)))

        return self.simulation.run(act, seconds)


def placed(x: float, y: float, angle: float, *, height: float = RADIUS) -> Array:
    """Position and quaternion (7,) of a base on its wheels."""
    return np.array([x, y, height, np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)])


def _across(joint: Joint, wheel: Wheel) -> tuple[Array, float]:
    """Horizontal unit vector (3,) across the roller that touches, in what carries the wheel, and its share of the axle.

    With the axle a and the rolling direction t = a x z the roller's axis is cos(g) t + sin(g) a, what is across it
    sin(g) t - cos(g) a (Devaramani 2019, chapter 4).
    """
    axle = joint.placement.rotation @ np.asarray(joint.axis)
    rolling = np.cross(axle, (0.0, 0.0, 1.0))
    across = np.sin(wheel.roller) * rolling - np.cos(wheel.roller) * axle
    return across, float(across @ axle)


def _check_mobile(mobile: MobileRobot) -> None:
    """Refuse what cannot roll, by name."""
    carriers = {joint.child: joint for joint in mobile.robot.joints}
    if mobile.base not in carriers:
        raise UnknownName("body", mobile.base, carriers, f"robot {mobile.robot.name!r}, as its base")
    root = carriers[mobile.base]
    if root.type is not JointType.FLOATING or root.parent != WORLD:
        raise InvalidInput(
            f"base {mobile.base!r} hangs on a {root.type} joint; load the robot with a floating base"
        )
    names = [wheel.body for wheel in mobile.wheels]
    if len(set(names)) < 2:
        raise InvalidInput(f"a mobile robot needs two wheels or more, not {len(set(names))}")
    if len(set(names)) < len(names):
        raise InvalidInput(f"wheels are {', '.join(names)}; each may be there once")
    for wheel in mobile.wheels:
        if wheel.body not in carriers:
            raise UnknownName("body", wheel.body, carriers, f"robot {mobile.robot.name!r}, as a wheel")
        joint = carriers[wheel.body]
        if joint.type not in (JointType.REVOLUTE, JointType.CONTINUOUS):
            raise InvalidInput(f"wheel {wheel.body!r} hangs on a {joint.type} joint; it needs one that turns")
        axle = joint.placement.rotation @ np.asarray(joint.axis)
        if is_ball(wheel) and abs(float(axle[2])) > _LEVEL_AXLE:
            raise InvalidInput(
                f"the axle of wheel {wheel.body!r} must be level in {joint.parent!r}: {axle.round(3)}"
            )
        if is_ball(wheel) and abs(math.cos(wheel.roller)) < _LEAST_SHARE and wheel.kind != "spherical":
            raise InvalidInput(
                f"wheel {wheel.body!r}: a roller of {wheel.roller:.3g} rad lies along the axle; it holds nothing"
            )
    centers = rest_height(mobile, neutral_coordinates(mobile.robot))[1]
    lowest = centers[:, 2] - [wheel.radius for wheel in mobile.wheels]
    if np.ptp(lowest) > _UNEVEN:
        high, low = names[int(np.argmax(lowest))], names[int(np.argmin(lowest))]
        raise InvalidInput(
            f"wheel {high!r} ends {1e3 * np.ptp(lowest):.1f} mm above wheel {low!r}, so that a level base would not "
            "stand on all; look at their radii and places"
        )
