"""The leg and the step that it shall make.

The step through the drives: how well it is followed, and what the motors give.

Modes of the leg with elastic gears: by linearising its equations, and by ringing it in the simulation.

Pictures of the step and of the modes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.linalg import eigh

from footfall.arrays import Array
from footfall.control.inverse_kinematics.position import solve_ik
from footfall.control.tasks.poses import PoseTask
from footfall.dynamics.kinematics import frame_pose
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.errors import MissingPackage
from footfall.math.transform import Transform
from footfall.robot.drives.drive_set import DriveSet
from footfall.robot.drives.friction import Friction
from footfall.robot.drives.rotor_bodies import rotor_name, with_rotor_bodies
from footfall.robot.load import load
from footfall.robot.model import Robot
from footfall.robot.variants import lock_joints, with_fixed_base
from footfall.scenarios.pyplot import save_figure
from footfall.scene.model import Scene
from footfall.simulation.drive_step import Gears
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.run_values import Trajectory
from footfall.simulation.step_values import Command

LEG_JOINTS = ("hrr", "har", "hfr", "kfr", "sar", "sfr", "zfr")
FOOT = "RF"


def lola_leg() -> Robot:
    """LOLA's right leg on a pelvis that stands still; all other joints are welded in the idle pose."""
    robot = with_fixed_base(load("lola"))
    others = [joint.name for joint in robot.joints if joint.type.velocities and joint.name not in LEG_JOINTS]
    return lock_joints(robot, others, q=robot.configuration("idle"))


@dataclass(frozen=True, eq=False)
class StepReference:
    """Joint positions of a step as twice differentiable curves of time, of `duration` in s, and at rest after it."""

    duration: float
    curve: CubicSpline

    def position(self, time: float) -> Array:
        """Joint positions (7,), rad, at a time in s."""
        return np.asarray(self.curve(np.clip(time, 0.0, self.duration)))

    def velocity(self, time: float) -> Array:
        """Joint rates (7,), rad/s."""
        inside = 0.0 <= time < self.duration
        return np.asarray(self.curve(time, 1)) if inside else np.zeros(len(LEG_JOINTS))


def step_reference(
    robot: Robot, *, length: float = 0.4, height: float = 0.08, duration: float = 0.8, knots: int = 41
) -> StepReference:
    """The foot swings forward by `length` and up to `height` (m) in `duration` (s), level, with the toes straight.

    It begins and ends at rest: a polynomial of degree five along the way, a bump of the same smoothness upwards.
    """
    idle = robot.configuration("idle")
    toe = robot.q_slice(LEG_JOINTS[-1])
    straight = lock_joints(robot, [LEG_JOINTS[-1]], q=idle)
    foot = frame_pose(straight, straight.configuration("idle"), FOOT)
    times = np.linspace(0.0, duration, knots)
    s = times / duration
    way = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
    lift = 64.0 * (s * (1.0 - s)) ** 3
    positions, q = [], straight.configuration("idle")
    for along, up in zip(length * (way - 0.5), height * lift, strict=True):
        wanted = Transform(foot.rotation, foot.translation + np.array([along, 0.0, up + 0.03]))
        q = solve_ik(straight, q, [PoseTask(FOOT, wanted)]).require()
        positions.append(np.insert(q, toe.start, idle[toe]))
    rest = np.zeros(robot.nv)
    return StepReference(duration, CubicSpline(times, np.array(positions), bc_type=((1, rest), (1, rest))))


SERVO_PERIOD = 250e-6  # s, Seiwald 2023, section 4.7
COMMAND_TICKS = 4  # servo periods between two targets, Seiwald 2023, section 4.7


@dataclass(frozen=True, eq=False)
class StepResult:
    """reference (n, 7): wanted joint positions at the times of the path, rad. foot_error (n,): distance, m."""

    gears: Gears
    path: Trajectory
    reference: Array
    foot_error: Array
    thermal_load: Array

    @property
    def joint_error(self) -> Array:
        """Greatest distance (7,) of each joint from its reference, rad."""
        return np.asarray(np.abs(self.path.q - self.reference).max(axis=0))

    @property
    def peak_current(self) -> Array:
        """Greatest current (7,) of each motor, A."""
        return np.asarray(np.abs(self.path.currents).max(axis=0))


def follow_step(
    robot: Robot, reference: StepReference, gears: Gears, *, dt: float = SERVO_PERIOD, rest: float = 0.2
) -> StepResult:
    """Simulate the step and `rest` (s) after it. Targets come at 1 kHz, servos go on with them at 4 kHz."""
    simulation = FeetSimulation(
        robot, candidates=(), dt=dt, substeps=round(COMMAND_TICKS * SERVO_PERIOD / dt),
        q=reference.position(0.0), drives=gears,
    )  # fmt: skip
    zero = np.zeros(len(LEG_JOINTS))

    def command(time: float, q: Array, v: Array) -> Command:
        return Command(reference.position(time), reference.velocity(time), zero, zero, zero, zero)

    path = simulation.run(command, reference.duration + rest)
    wanted = np.array([reference.position(time) for time in path.time])
    found, meant = (
        np.array([frame_pose(robot, q, FOOT).translation for q in angles]) for angles in (path.q, wanted)
    )
    motors = [drive.motor for drive in robot.drives for _ in drive.joints]
    loads = [motor.thermal_load(current) for motor, current in zip(motors, path.currents.T, strict=True)]
    return StepResult(gears, path, wanted, np.linalg.norm(found - meant, axis=1), np.array(loads))


_GAINS = tuple(
    f"{loop}_gain" for loop in ("position", "velocity", "velocity_integral", "current", "current_integral")
)
_SLOWEST = 1.0  # Hz; slower modes are the leg's free motion


@dataclass(frozen=True, eq=False)
class Mode:
    """frequency: of the eigenvalue, Hz, without damping. damping: ratio. peak: where the response was greatest, Hz.

    shape: of the joints and of the outputs of elastic gears, in this order.
    """

    frequency: float
    damping: float
    peak: float
    shape: Array

    @property
    def error(self) -> float:
        """Of the peak against the eigenvalue, as a share."""
        return self.peak / self.frequency - 1.0


def free_leg(robot: Robot) -> Robot:
    """The leg without friction, and with motors that carry no current: only its gears are left to ring."""
    drives = []
    for drive in robot.drives:
        assert drive.servo is not None
        servo = replace(drive.servo, **dict.fromkeys(_GAINS, 0.0))
        motor = replace(drive.motor, resistance=1e15)
        drives.append(replace(drive, friction=Friction(), servo=servo, motor=motor))
    return replace(robot, drives=tuple(drives))


def linear_modes(robot: Robot, q: Array) -> tuple[Array, Array, Array]:
    """Eigenvalues squared (n,), shapes (n, n) and mass matrix (n, n) of the free leg with elastic gears about q (nq,).

    From a tree in which all rotors are bodies, rigid gears by projection, Schwienbacher 2014, chapter 2: no code of the
    simulation's drives takes part. Coordinates are the joints and then the outputs of the elastic gears.
    """
    bodies = with_rotor_bodies(robot, robot.drives)
    drives = DriveSet(robot, robot.drives)
    elastic = [drive for drive in robot.drives if drive.elasticity is not None]
    size = robot.nv + len(elastic)
    angles, spread = np.zeros(bodies.nq), np.zeros((bodies.nv, size))
    stiffness = np.zeros((size, size))
    for k, joint in enumerate(LEG_JOINTS):
        angles[bodies.q_slice(joint)] = q[robot.q_slice(joint)]
        spread[bodies.v_slice(joint).start, k] = 1.0
    jacobian = drives.motor_jacobian(q)
    for row, name in zip(jacobian, drives.joints, strict=True):
        spread[bodies.v_slice(rotor_name(name)).start, : robot.nv] = row
    for number, drive in enumerate(elastic):
        assert drive.elasticity is not None
        rotor, joint = bodies.v_slice(rotor_name(drive.joints[0])).start, robot.v_slice(drive.joints[0]).start
        spread[rotor] = 0.0
        spread[rotor, robot.nv + number] = jacobian[drives.joints.index(drive.joints[0]), joint]
        twist = np.zeros(size)
        twist[[joint, robot.nv + number]] = 1.0, -1.0
        stiffness += drive.elasticity.stiffness * np.outer(twist, twist)
    mass = spread.T @ mass_matrix(bodies, angles) @ spread
    squares, shapes = eigh(stiffness, mass)
    return squares, shapes, mass


def ring_modes(robot: Robot, q: Array, *, dt: float = 2e-5, duration: float = 0.6) -> list[Mode]:
    """Every mode of the elastic gears about q (nq,), struck along its shape in the simulation, weightless.

    The peak is that of the spectrum of the velocity along the shape, which lies at the undamped frequency.
    """
    free = free_leg(robot)
    quick = replace(
        free,
        drives=tuple(
            replace(drive, servo=replace(drive.servo, period=dt)) for drive in free.drives if drive.servo
        ),
    )
    squares, shapes, mass = linear_modes(robot, q)
    elastic = [drive.elasticity for drive in robot.drives if drive.elasticity is not None]
    ratio = elastic[0].damping / elastic[0].stiffness  # the same for all of LOLA's gears: modes stay apart
    scene = Scene("weightless", gravity=(0.0, 0.0, 0.0))
    simulation = FeetSimulation(quick, scene, candidates=(), dt=dt, substeps=5, q=q, drives="elastic")
    train = simulation.train
    assert train is not None
    zero = np.zeros(simulation.joints)
    modes = []
    for square, shape in zip(squares, shapes.T, strict=True):
        frequency = float(np.sqrt(max(square, 0.0)) / (2.0 * np.pi))
        if frequency < _SLOWEST:
            continue
        strike = 1e-3 * shape
        simulation.reset(q)
        drives = simulation.state.drives.copy()
        drives[-1 - 2 * len(elastic) + 1 : -1 : 2] = strike[robot.nv :]
        simulation.state = replace(simulation.state, v=strike[: robot.nv], drives=drives)
        velocities = []
        for _ in range(round(duration / simulation.control_period)):
            path = simulation.step(Command(q, zero, zero, zero, zero, zero))
            outputs = simulation.state.drives[-1 - 2 * len(elastic) + 1 : -1 : 2]
            velocities.append(shape @ mass @ np.concatenate([path.v[0], outputs]))
        peak = _peak(np.array(velocities), simulation.control_period)
        modes.append(Mode(frequency, np.pi * frequency * ratio, peak, shape))
    return modes


def _peak(signal: Array, period: float) -> float:
    """Frequency of the greatest entry of a spectrum, Hz, padded so that it is found to a ten-thousandth."""
    length = 2**20
    spectrum = np.abs(np.fft.rfft(signal, length))
    return float(np.argmax(spectrum) / (length * period))


def plot_step(results: Sequence[StepResult], path: Path | str) -> None:
    """Angles, their errors, currents and the foot's error of one or more runs of the same step, as PNG."""
    figure = _figure((11.0, 9.0))
    axes = figure.subplots(4, len(results), sharex=True, squeeze=False)
    for column, result in zip(axes.T, results, strict=True):
        time = result.path.time
        for k, joint in enumerate(LEG_JOINTS):
            color = f"C{k}"
            column[0].plot(time, np.degrees(result.path.q[:, k]), color=color, label=joint)
            column[0].plot(
                time, np.degrees(result.reference[:, k]), color=color, linestyle=":", linewidth=2.0
            )
            column[1].plot(time, np.degrees(result.path.q[:, k] - result.reference[:, k]), color=color)
            column[2].plot(time, result.path.currents[:, k], color=color)
        column[3].plot(time, 1e3 * result.foot_error, color="black")
        column[0].set_title(f"{result.gears} gears")
        column[-1].set_xlabel("time, s")
        for axis in column:
            axis.grid(alpha=0.3)
    for axis, label in zip(
        axes[:, 0], ("angle, deg", "error, deg", "motor current, A", "foot's error, mm"), strict=True
    ):
        axis.set_ylabel(label)
    axes[0, 0].legend(ncols=4, fontsize="small", loc="upper right")
    save_figure(figure, path, dpi=110)


def plot_modes(modes: Sequence[Mode], path: Path | str) -> None:
    """Shapes of the modes, and peaks of the simulation over eigenvalues, as PNG."""
    figure = _figure((11.0, 2.2 * len(modes)))
    axes = figure.subplots(len(modes), 1, squeeze=False)[:, 0]
    motors = [f"motor {k + 1}" for k in range(len(modes[0].shape) - len(LEG_JOINTS))]
    for axis, mode in zip(axes, modes, strict=True):
        axis.bar([*LEG_JOINTS, *motors], mode.shape / np.abs(mode.shape).max())
        axis.axhline(0.0, color="black", linewidth=0.5)
        axis.set_title(
            f"eigenvalue {mode.frequency:.2f} Hz, damping ratio {mode.damping:.3f}; "
            f"peak {mode.peak:.2f} Hz ({100 * mode.error:+.2f} %)",
            fontsize="medium",
        )
    save_figure(figure, path, dpi=110)


def _figure(width_and_height: tuple[float, float]) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingPackage("plots need matplotlib: pip install 'footfall[plots]'") from None
    return Figure(figsize=width_and_height, layout="constrained")
