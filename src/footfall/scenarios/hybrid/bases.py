"""Wheeled bases in simulation: what the controller knows is a robot with wheels, what is simulated rolls by friction.

Wheels touch the ground as spheres of their radius, which roll exactly. A differential base rests on a caster
without friction besides. The roller of a Mecanum wheel that touches the ground turns about an axis that is fixed in
the base, whatever the wheel does: hub and roller together are a ball, which the motor can only turn across that axis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Literal

import numpy as np

from footfall.arrays import Array
from footfall.contact.candidates import Candidate, Surface, surface_of
from footfall.control.hybrid_drive import MobileRobot
from footfall.dynamics.hybrid_wheels import Wheel
from footfall.geometry.plane import Plane
from footfall.math.rotations import matrix_from_quaternion
from footfall.robot.load import load
from footfall.robot.model import JointType, Robot
from footfall.scene.model import Material, Scene, SceneObject
from footfall.simulation.run_values import Trajectory
from footfall.simulation.simulation import Simulation
from footfall.simulation.step_values import Command, SolverOptions, StepOptions

Kind = Literal["differential", "mecanum"]
Controller = Callable[[float, Array, Array], Array]

DT = 1e-3  # s
CONTROL_STEPS = 2  # steps from one call of a controller to the next
RADIUS = 0.1  # m, of all wheels
FLOOR = SceneObject("floor", Plane(), material=Material(friction=0.8), category="floor")
# Four rigid wheels could share the load in any way, and one without load does not pull: tyres settle it.
_TYRES = Surface(Plane(), material=Material(friction=0.8, stiffness=5e4, damping=800.0))
_SLIPPERY = Surface(Plane(), material=Material(friction=0.0))
# The one behind hangs 5 mm above the ground, against tipping: on both the wheels might carry nothing.
_CASTERS = ((0.2, 0.0, -0.08), (-0.2, 0.0, -0.075))
_SPIN = 0.007  # kg m2: wheel and rotor


@cache
def mobile_robot(kind: Kind) -> MobileRobot:
    """What the controller knows of a base."""
    if kind == "differential":
        wheels = tuple(Wheel(f"{side}_wheel", RADIUS) for side in ("left", "right"))
    else:
        turns = {"front_left": -1, "front_right": 1, "rear_left": 1, "rear_right": -1}
        wheels = tuple(
            Wheel(f"{place}_wheel", RADIUS, "mecanum", sign * np.pi / 4) for place, sign in turns.items()
        )
    return MobileRobot(load(f"{kind}-base"), wheels)


def with_ball_wheels(robot: Robot, wheels: Sequence[Wheel]) -> Robot:
    """The robot with balls in the place of wheels, of the same inertia along the rolling direction."""
    names = {wheel.body for wheel in wheels}
    bodies = tuple(
        replace(body, inertia=_SPIN * np.eye(3)) if body.name in names else body for body in robot.bodies
    )
    joints = tuple(
        replace(joint, type=JointType.SPHERICAL, armature=0.0) if joint.child in names else joint
        for joint in robot.joints
    )
    return Robot(robot.name, bodies, joints, robot.frames)


def wheel_candidates(mobile: MobileRobot) -> list[Candidate]:
    """Where the base touches the floor."""
    rigid = mobile.wheels[0].kind == "standard"
    floor = surface_of(FLOOR) if rigid else _TYRES
    found = [Candidate(wheel.body, (0.0, 0.0, 0.0), wheel.radius, floor) for wheel in mobile.wheels]
    if rigid:
        found += [Candidate(mobile.base, point, 0.02, _SLIPPERY) for point in _CASTERS]
    return found


class SimulatedBase:
    """A mobile robot in a scene with the floor.

    touching: candidates besides the wheels, whose forces are `forces`. pose: x, y (m) and angle (rad) at the start.
    joints: (k,) where the joints after the wheels start. Its state and torques are those of `mobile`, whatever the
    simulation has.
    """

    def __init__(
        self,
        mobile: MobileRobot,
        scene: Scene,
        *,
        touching: Sequence[Candidate] = (),
        pose: tuple[float, float, float] = (0.0, 0.0, 0.0),
        joints: Sequence[float] = (),
        options: StepOptions | None = None,
    ) -> None:
        self.mobile = mobile
        self.balls = mobile.wheels[0].kind == "mecanum"
        robot = with_ball_wheels(mobile.robot, mobile.wheels) if self.balls else mobile.robot
        candidates = [*wheel_candidates(mobile), *touching]
        self.first = len(candidates) - len(touching)
        self.simulation = Simulation(
            robot,
            scene,
            candidates=candidates,
            options=options or StepOptions(dt=DT, solver=SolverOptions(sweeps=300, tolerance=1e-6)),
        )
        self.count = mobile.robot.nv
        start = self.simulation.state.q.copy()
        start[:7] = placed(*pose)
        if len(joints):
            start[mobile.robot.nq - len(joints) : mobile.robot.nq] = joints
        self.simulation.reset(start)
        # across the roller's axis, in the base: the motor's torque is along it, Devaramani 2019, chapter 4
        angles = [wheel.roller for wheel in mobile.wheels]
        self._across = np.array([[np.sin(angle), -np.cos(angle), 0.0] for angle in angles])

    @property
    def forces(self) -> Array:
        """Normal forces (k,) of the last step on what is `touching`, N: what bumpers feel."""
        impulses = self.simulation.state.impulses[3 * self.first : 3 * len(self.simulation.candidates)]
        return np.asarray(impulses[2::3] / self.simulation.options.dt)

    @property
    def state(self) -> tuple[Array, Array]:
        """q (nq,) and v (nv,) of the controller's robot."""
        q, v = self.simulation.state.q, self.simulation.state.v
        if not self.balls:
            return q[: self.mobile.robot.nq].copy(), v[: self.count].copy()
        known_q, known_v = np.zeros(self.mobile.robot.nq), np.zeros(self.count)
        known_q[:7], known_v[:6] = q[:7], v[:6]
        turning = v[6:18].reshape(4, 3)  # of the balls against the base, in their own axes
        spins = np.array([matrix_from_quaternion(q[7 + 4 * k : 11 + 4 * k]) @ turning[k] for k in range(4)])
        known_v[6:] = np.einsum("ki,ki->k", spins, self._across) / self._across[:, 1]
        return known_q, known_v

    def command(self, torques: Array) -> Command:
        """The command that acts like joint torques (nv,) of the controller's robot."""
        hold = self.simulation.zero_command
        effort = hold.effort.copy()
        if not self.balls:
            effort[: self.count - 6] = torques[6:]
            return hold._replace(effort=effort)
        turn = matrix_from_quaternion(self.simulation.state.q[3:7])
        total = np.zeros(3)
        for wheel, torque, across in zip(self.mobile.wheels, torques[6:], self._across, strict=True):
            moment = turn @ (across * torque / across[1])
            total -= moment
            self.simulation.push(wheel.body, np.append(np.zeros(3), moment), DT)
        self.simulation.push(self.mobile.base, np.append(np.zeros(3), total), DT)
        return hold

    def run(
        self,
        controller: Controller,
        seconds: float,
        *,
        every: int = CONTROL_STEPS,
        others: Command | None = None,
    ) -> Trajectory:
        """Advance under `controller(time, q, v)`, which gives torques (nv,) every so many steps.

        others: efforts and gains of what else there is with joints, added to those of the base.
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
            return Command(*(one + other for one, other in zip(command, others, strict=True)))

        return self.simulation.run(act, seconds)


def placed(x: float, y: float, angle: float) -> Array:
    """Position and quaternion (7,) of a base on its wheels."""
    return np.array([x, y, RADIUS, np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)])
