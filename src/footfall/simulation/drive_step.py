"""Drives inside a time step: servos and windings at their own rate, rotors and gears implicit with the joints.

A rigid gear adds the inertia of its rotor to the joints, with the coupling to the body that carries it (Type 2 of
Schwienbacher 2014). An elastic one has a motor coordinate; its velocity at the end of the step is eliminated from the
implicit equations of spring and damper, so that the joints see one more inertia and one more force and stiff gears
need no smaller steps (Type 3). All entries lie on paths to the root, where the mass matrix has entries anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler import absolute, sqrt
from footfall.dynamics.kinematics import link_poses
from footfall.dynamics.loops import Coupling
from footfall.errors import RobotError, UnknownName
from footfall.math.spatial import cross
from footfall.math.transform import Transform
from footfall.robot.drives.drive import Drive
from footfall.robot.drives.harmonic_drive import HarmonicDrive
from footfall.robot.drives.rotor_bodies import rotor_axes
from footfall.robot.drives.servo_cascade import Reading, ServoCascade, ServoState, Target
from footfall.robot.model import Robot
from footfall.simulation.joint_action import JointEntries, along
from footfall.simulation.joint_control import actuated_velocities
from footfall.simulation.step_values import Command

# Servo and winding of a motor over one step of the mechanics, at the servo's own rate.


class Electrics(NamedTuple):
    """What a motor remembers: its servo's state and the current in the winding, A."""

    servo: ServoState
    current: Any


ELECTRIC_VALUES = len(ServoState._fields) + 1


def required_servo(drive: Drive) -> ServoCascade:
    """The drive's servo, without which it cannot run."""
    if drive.servo is None:
        raise RobotError(
            "has no servo; give it one (`servo` in the file, or Drive.servo with `tuned_servo`)",
            subject=("drive of", " and ".join(drive.joints)),
        )
    return drive.servo


def sample_step(drive: Drive, dt: float) -> float:
    """Time between updates of the electrics, s: the servo's period, or dt (s) if that is shorter.

    Each must be a whole multiple of the other, so that samples do not wander against the steps.
    """
    period = required_servo(drive).period
    larger, smaller = max(period, dt), min(period, dt)
    if abs(larger / smaller - round(larger / smaller)) > 1e-6:
        raise RobotError(
            f"its servo has a period of {period:g} s and the simulation a step of {dt:g} s; "
            "one must be a whole multiple of the other",
            subject=("drive of", " and ".join(drive.joints)),
        )
    return smaller


def run_electrics(
    drive: Drive, state: Electrics, target: Target, position: Any, speed: Any, dt: float
) -> tuple[Electrics, Any]:
    """State after dt (s) and the mean torque of the motor, N m, while it turns with constant speed (rad/s).

    target: on the motor's side at the start of the step; it goes on with its velocity, Seiwald 2023, section 4.7.
    """
    servo, motor = required_servo(drive), drive.motor
    step = sample_step(drive, dt)
    count = round(dt / step)
    remembered, current = state
    impulse: Any = 0.0
    for tick in range(count):
        ahead = tick * step
        wanted = target._replace(position=target.position + ahead * target.velocity)
        reading = Reading(position + ahead * speed, speed, current)
        remembered = servo.advance(remembered, step, wanted, reading)
        impulse = impulse + motor.mean_current(current, remembered.voltage, speed, step)
        current = motor.next_current(current, remembered.voltage, speed, step)
    return Electrics(remembered, current), motor.torque_constant / count * impulse


# How rotors turn along with the bodies that carry them: spins, and what they do to these bodies.
#
# A rotor that turns by an angle against its carrier, about an axis e fixed in it, has the angular momentum
# `I (angle' + e . w) e` along the axis. Bodies have the inertia of their rotors as if locked, so `I e . w` is theirs
# already; what is left couples `angle'` with the carrier's rotation, one part in the ratio of the gear, Schwienbacher
# 2014, chapter 3.


class Carrier(NamedTuple):
    """Where a rotor sits: the link, and its axis (3,) in the axes of that link."""

    link: int
    axis: Array


class CarrierMotion(NamedTuple):
    """A carrier's rotation along a rotor's axis e. spin: row of velocities, `e . w` a unit of each. bias: `e . w'` at
    accelerations of zero, rad/s2. turning: row, generalised forces of the torque `w x e`, which a spinning rotor has
    for each unit of angular momentum."""

    spin: dict[int, Any]
    bias: Any
    turning: dict[int, Any]


def rotor_carriers(robot: Robot, drive: Drive) -> list[Carrier | None]:
    """Of each motor of a drive; None where the carrier stands still or the rotor's axis is not known."""
    joint = robot.joint(drive.joints[0])
    attachment = robot.tree.attachments[joint.parent]
    axes = rotor_axes(robot, drive)
    if axes is None or attachment.link < 0:
        return [None] * len(drive.joints)
    return [Carrier(attachment.link, attachment.placement.rotation @ axis) for axis in axes]


class TurningLinks:
    """Rotations of a robot's links in one state, world axes, computed as far as they are asked for."""

    def __init__(self, coupling: Coupling, poses: Sequence[Transform], v: Array) -> None:
        self.coupling = coupling
        self.tree = coupling.tree
        self.poses = poses
        self.rates = coupling.velocity(v)  # of all joints
        self.drift = coupling.bias(v)  # their accelerations while v stays as it is
        self._known: dict[int, tuple[dict[int, Array], Array, Array]] = {}

    def along(self, carrier: Carrier) -> CarrierMotion:
        """The rotation of a carrier along the rotor's axis."""
        columns, velocity, bias = self._rotation(carrier.link)
        axis = self.poses[carrier.link].rotation @ carrier.axis
        across = cross(velocity, axis)
        spin = {index: column @ axis for index, column in columns.items()}
        turning = {index: column @ across for index, column in columns.items()}
        following = sum((entry * self.drift[index] for index, entry in spin.items()), start=bias @ axis)
        return CarrierMotion(self.coupling.row(spin), following, self.coupling.row(turning))

    def _rotation(self, link: int) -> tuple[dict[int, Array], Array, Array]:
        """Columns (3,) of the angular Jacobian, angular velocity, and angular acceleration while v stays as it is."""
        if link < 0:
            return {}, np.zeros(3), np.zeros(3)
        if link not in self._known:
            joint, turn = self.tree.links[link], self.poses[link].rotation
            columns, velocity, bias = self._rotation(joint.parent)
            own = {
                index: turn @ motion[3:]
                for index, motion in zip(range(self.tree.nv)[joint.v], joint.subspace.T, strict=True)
                if motion[3:].any()
            }
            relative = sum((column * self.rates[index] for index, column in own.items()), start=np.zeros(3))
            # The axes of a joint turn with its parent, and with the child by what only turns along them.
            self._known[link] = (
                {**columns, **own},
                velocity + relative,
                bias + cross(velocity, relative),
            )
        return self._known[link]


Gears = Literal["rigid", "elastic"]
Row = dict[int, Any]  # velocity -> entry

_STILL = CarrierMotion({}, 0.0, {})
# Of a motor: electrics, whether it has power, and the torque that its gear transmits.
_VALUES = ELECTRIC_VALUES + 2
_POWER = ELECTRIC_VALUES


class _Motor(NamedTuple):
    """A motor: its drive, which of the drive's motors it is, where its rotor sits, and whether its gear is elastic."""

    drive: Drive
    place: int
    carrier: Carrier | None
    elastic: bool


class _Rotor(NamedTuple):
    """A rotor in a step of dt (s): torque that turns it, N m, and what resists its speed, N m s/rad. kept: the state
    of its electrics after the step. turning: how what carries it moves."""

    drive: Drive
    dt: float
    torque: Any
    resistance: Any
    kept: list[Any]
    turning: CarrierMotion


class _Gear(NamedTuple):
    """What a motor adds to the joints, and its state after the step as a function of the new velocity (nv,)."""

    action: JointEntries
    following: Callable[[Array], list[Any]]


class DriveTrain:
    """The drives of a robot in a simulation with steps of dt (s).

    gears: "rigid" ones, or "elastic" where the drives have elasticity. The state is an array: for each motor its
    electrics, 1 if it has power and 0 if not, and its transmitted torque (N m), for each elastic gear the angle and
    rate of its output (rad, rad/s), and the time since the last command (s).
    """

    def __init__(self, robot: Robot, gears: Gears, dt: float) -> None:
        if gears not in get_args(Gears):
            raise UnknownName("gears", str(gears), get_args(Gears), "a simulation with drives")
        self.robot, self.dt = robot, dt
        self.motors = [
            _Motor(drive, place, carrier, gears == "elastic" and drive.elasticity is not None)
            for drive in robot.drives
            for place, carrier in enumerate(rotor_carriers(robot, drive))
        ]
        self._check()
        if gears == "elastic" and not any(motor.elastic for motor in self.motors):
            raise RobotError(
                "none of its drives has elasticity; give them some (`stiffness` in the file), or let gears be 'rigid'",
                subject=("robot", robot.name),
            )
        self._velocities = {
            drive.joints: [robot.v_slice(joint).start for joint in drive.joints] for drive in robot.drives
        }
        self._coordinates = {
            drive.joints: [robot.q_slice(joint).start for joint in drive.joints] for drive in robot.drives
        }
        self._joints = {velocity: k for k, (_, velocity) in enumerate(actuated_velocities(robot))}
        self.elastic = [k for k, motor in enumerate(self.motors) if motor.elastic]

    def _check(self) -> None:
        if not self.motors:
            raise RobotError(
                "it has no drives; a simulation with drives needs some", subject=("robot", self.robot.name)
            )
        for motor in self.motors:
            sample_step(motor.drive, self.dt)
            for joint in motor.drive.joints:
                if self.robot.v_slice(joint).stop == self.robot.v_slice(joint).start:
                    raise RobotError(
                        "its joint follows from others through a loop; drives move independent joints (a loop's "
                        "`dependent` says which are not)",
                        subject=("drive of", joint),
                    )
            if motor.elastic and not isinstance(motor.drive.mechanism, HarmonicDrive):
                raise RobotError(
                    f"has elasticity behind a {type(motor.drive.mechanism).__name__}; only gears of constant ratio can "
                    "be elastic in a simulation",
                    subject=("drive of", " and ".join(motor.drive.joints)),
                )

    @property
    def key(self) -> str:
        """What native code with these drives depends on besides the robot."""
        return f"{self.dt!r} {self.elastic}"

    # State

    @property
    def size(self) -> int:
        """Length of the state."""
        return _VALUES * len(self.motors) + 2 * len(self.elastic) + 1

    def start(self, q: Array, v: Array) -> Array:
        """The state (size,) without current, with gears relaxed, at q (nq,) and v (nv,)."""
        state = np.zeros(self.size)
        for k, motor in enumerate(self.motors):
            servo = required_servo(motor.drive).start()
            state[_VALUES * k : _VALUES * k + len(servo)] = servo
            state[_VALUES * k + _POWER] = 1.0
        for number, k in enumerate(self.elastic):
            joints = self.motors[k].drive.joints
            first = _VALUES * len(self.motors) + 2 * number
            state[first : first + 2] = q[self._coordinates[joints][0]], v[self._velocities[joints][0]]
        return state

    def currents(self, state: Array) -> Array:
        """Currents (..., motors) of states (..., size), A."""
        return state[..., ELECTRIC_VALUES - 1 : _VALUES * len(self.motors) : _VALUES]

    @property
    def clocks(self) -> Array:
        """Places of times and switches in the state, on which nothing depends smoothly."""
        elapsed, last = ServoState._fields.index("elapsed"), _VALUES * len(self.motors)
        return np.array([*range(elapsed, last, _VALUES), *self.power, self.size - 1])

    @property
    def power(self) -> Integers:
        """Places in the state (motors,) that say whether a motor has power: 1, or 0."""
        return np.arange(_POWER, _VALUES * len(self.motors), _VALUES)

    @property
    def joints_of_motors(self) -> Integers:
        """For each motor (motors,) the first of its joints, as commands number them."""
        places = [self._joints[self._velocities[motor.drive.joints][motor.place]] for motor in self.motors]
        return np.array(places, dtype=np.int64)

    def begin_command(self, state: Array) -> Array:
        """The state when a new command arrives: targets go on from now."""
        return np.array([*state[:-1], 0.0 * state[-1]])

    @property
    def peak_currents(self) -> Array:
        """Of each motor (motors,), A."""
        return np.array([motor.drive.motor.peak_current for motor in self.motors])

    @property
    def compliance(self) -> Array:
        """By how much gears give way (joints,), rad/(N m)."""
        result = np.zeros(len(self._joints))
        for k in self.elastic:
            elasticity = self.motors[k].drive.elasticity
            assert elasticity is not None
            result[self.joints_of_motors[k]] = 1.0 / elasticity.stiffness
        return result

    @property
    def load(self) -> Array:
        """Friction a unit of torque (joints,)."""
        result = np.zeros(len(self._joints))
        result[self.joints_of_motors] = [motor.drive.friction.load for motor in self.motors]
        return result

    @property
    def coulomb(self) -> Array:
        """Dry friction at joints in the middle of their range (joints,), N m."""
        result = np.zeros(len(self._joints))
        for motor, joint in zip(self.motors, self.joints_of_motors, strict=True):
            places = self._coordinates[motor.drive.joints]
            lower, upper = self.robot.lower_limits[places], self.robot.upper_limits[places]
            middle = 0.5 * (np.maximum(lower, -np.pi) + np.minimum(upper, np.pi))
            jacobian = motor.drive.mechanism.motor_jacobian(middle)
            result[joint] = motor.drive.friction.coulomb * np.abs(jacobian[:, motor.place]).sum()
        return result

    # Step

    def undriven(self, command: Command) -> Command:
        """The command without gains and efforts of driven joints, which their servos control."""
        driven = {self._joints[velocity] for places in self._velocities.values() for velocity in places}
        kept = [[0.0 if k in driven else value for k, value in enumerate(part)] for part in command[2:]]
        return Command(command.position, command.velocity, *(np.array(part) for part in kept))

    def entries(
        self, state: Array, command: Command, q: Array, v: Array
    ) -> tuple[list[JointEntries], Callable[[Array], Array]]:
        """What the drives do to the joints in a step from q (nq,), v (nv,), and the state (size,) after it as a
        function of the velocity (nv,) at its end."""
        links = TurningLinks(Coupling(self.robot, q), link_poses(self.robot.tree, q), v)
        outputs = dict(zip(self.elastic, _pairs(state[_VALUES * len(self.motors) : -1]), strict=True))
        gears: list[_Gear] = []
        for k, motor in enumerate(self.motors):
            remembered = state[_VALUES * k : _VALUES * (k + 1)]
            turning = _STILL if motor.carrier is None else links.along(motor.carrier)
            gears.append(self._gear(motor, remembered, outputs.get(k), command, state[-1], q, v, turning))

        def following(velocity: Array) -> Array:
            parts = [gear.following(velocity) for gear in gears]
            flat = [value for part in parts for value in part[:_VALUES]]
            flat += [value for part in parts for value in part[_VALUES:]]
            return np.array([*flat, state[-1] + self.dt])

        return [gear.action for gear in gears], following

    def _gear(
        self,
        motor: _Motor,
        remembered: Array,
        output: Array | None,
        command: Command,
        clock: Any,
        q: Array,
        v: Array,
        turning: CarrierMotion,
    ) -> _Gear:
        drive, place = motor.drive, motor.place
        mechanism, velocities = drive.mechanism, self._velocities[drive.joints]
        here, rates = q[self._coordinates[drive.joints]], v[velocities]
        jacobian = mechanism.motor_jacobian(here)[place]
        if output is None:
            position, speed = mechanism.motor_position(here)[place], jacobian @ rates
        else:
            position, speed = jacobian[0] * output[0], jacobian[0] * output[1]
        electrics = Electrics(ServoState(*remembered[: ELECTRIC_VALUES - 1]), remembered[ELECTRIC_VALUES - 1])
        target = self._target(motor, command, clock, here)
        electrics, torque = run_electrics(drive, electrics, target, position, speed, self.dt)
        power = remembered[_POWER]
        servo = [power * value for value in electrics.servo[:-1]]  # a servo without power forgets
        kept = [*servo, electrics.servo.elapsed, power * electrics.current, power]
        resistance = _resistance(drive, speed, remembered[-1])
        rotor = _Rotor(drive, self.dt, power * torque, resistance, kept, turning)
        if output is not None:
            return _elastic_gear(rotor, output, q, v, self._places(drive))
        row = dict(zip(velocities, jacobian, strict=True))
        bias = (mechanism.motor_jacobian_rate(here, rates) @ rates)[place]
        return _rigid_gear(rotor, row, bias, v)

    def _places(self, drive: Drive) -> tuple[int, int]:
        return self._coordinates[drive.joints][0], self._velocities[drive.joints][0]

    def _target(self, motor: _Motor, command: Command, clock: Any, here: Array) -> Target:
        """The command for a motor on its own side, carried on since it arrived."""
        mechanism = motor.drive.mechanism
        joints = [self._joints[velocity] for velocity in self._velocities[motor.drive.joints]]
        velocity = command.velocity[joints]
        wanted = command.position[joints] + clock * velocity
        torque = mechanism.motor_torque(here, command.effort[joints])[motor.place]
        return Target(
            mechanism.motor_position(wanted)[motor.place],
            mechanism.motor_jacobian(wanted)[motor.place] @ velocity,
            torque / motor.drive.motor.torque_constant,
        )


def _resistance(drive: Drive, speed: Any, transmitted: Any) -> Any:
    """Friction a unit of the speed at the end of the step, N m s/rad: it never drives, however large it is."""
    friction = drive.friction
    dry = friction.coulomb + friction.load * absolute(transmitted)
    return friction.viscous + dry / sqrt(speed * speed + friction.smoothing**2)


def _rigid_gear(rotor: _Rotor, row: Row, bias: Any, v: Array) -> _Gear:
    """A rotor that turns with the joints: `angle' = row v`, `angle'' = row v' + bias`."""
    drive, dt, torque, resistance, kept, turning = rotor
    inertia = drive.motor.rotor_inertia
    speed = along(row, v)
    entries = JointEntries()
    entries.add_inertia(row, row, inertia + dt * resistance)
    entries.add_inertia(row, turning.spin, inertia)
    entries.add_inertia(turning.spin, row, inertia)
    entries.add_force(row, torque - inertia * (bias + turning.bias) - resistance * speed)
    entries.add_force(turning.spin, -inertia * bias)
    entries.add_force(turning.turning, -inertia * speed)

    def following(velocity: Array) -> list[Any]:
        change = velocity - v
        acceleration = (along(row, change) + along(turning.spin, change)) / dt + bias + turning.bias
        return [*kept, torque - resistance * along(row, velocity) - inertia * acceleration]

    return _Gear(entries, following)


def _elastic_gear(rotor: _Rotor, output: Array, q: Array, v: Array, places: tuple[int, int]) -> _Gear:
    """A rotor behind a spring, seen at the gear's output: angle x, rate x', inertia and friction times ratio^2.

    With `s = k (x - q) + d (x' - q')` at the end of the step the rotor gives `x' = (known + row v) / pivot`.
    """
    drive, dt, torque, resistance, kept, turning = rotor
    assert drive.elasticity is not None
    ratio = drive.mechanism.motor_jacobian(np.zeros(1))[0, 0]
    coordinate, joint = places
    angle, rate = output
    inertia = drive.motor.rotor_inertia * ratio * ratio
    stiffness, damping = drive.elasticity.stiffness, drive.elasticity.damping
    coupling = dt * stiffness + damping
    twist = stiffness * (angle - q[coordinate])
    spin = {index: entry / ratio for index, entry in turning.spin.items()}
    pivot = inertia + dt * (coupling + ratio * ratio * resistance)
    row = {index: -inertia * entry for index, entry in spin.items()}
    row[joint] = row.get(joint, 0.0) + dt * coupling
    known = inertia * (rate + along(spin, v))
    known = known + dt * (ratio * torque - twist - inertia * turning.bias / ratio)
    entries = JointEntries()
    entries.add_inertia({joint: 1.0}, {joint: 1.0}, dt * coupling)
    entries.add_inertia(row, row, -1.0 / pivot)
    unchanged = (known + along(row, v)) / pivot  # x' if the joints kept their velocity
    entries.add_force({joint: 1.0}, twist - coupling * v[joint])
    entries.add_force(row, unchanged / dt)
    entries.add_force(spin, inertia * rate / dt)
    entries.add_force(turning.turning, -drive.motor.rotor_inertia * ratio * rate)

    def following(velocity: Array) -> list[Any]:
        speed = (known + along(row, velocity)) / pivot
        transmitted = (twist + coupling * (speed - velocity[joint])) / ratio
        return [*kept, transmitted, angle + dt * speed, speed]

    return _Gear(entries, following)


def _pairs(values: Array) -> list[Array]:
    return [values[k : k + 2] for k in range(0, len(values), 2)]
