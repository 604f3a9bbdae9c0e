"""Drives in the time step: rotors against bodies of their own, elastic gears against fine integration, servos."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.drives import ElectricMotor, Friction, HarmonicDrive, Spring, tuned_servo
from footfall.errors import InvalidInput, RobotError, SimulationDiverged, UnknownName
from footfall.robot.drives.drive import Drive
from footfall.robot.drives.elasticity import Elasticity
from footfall.robot.drives.geared_rotors import with_geared_rotors
from footfall.robot.drives.rotor_bodies import rotor_name, with_rotor_bodies
from footfall.robot.model import Body, Joint, JointType, Robot
from footfall.robot.variants import lock_joints
from footfall.scene.model import Scene
from footfall.simulation.drive_step import DriveTrain
from footfall.simulation.joint_action import JointAction
from footfall.simulation.joint_control import actuated_velocities
from footfall.simulation.plants import FeetSimulation, SmoothSimulation
from footfall.simulation.simulation import Simulation
from footfall.simulation.step_values import Command

LOLA = footfall.load("lola")
# The base free, the right leg (all kinds of mechanism) and an arm moving.
HALF = lock_joints(LOLA, [name for group in ("left_leg", "left_arm", "head") for name in LOLA.groups[group]])
HIP = lock_joints(HALF, ["kfr", "sar", "sfr", "zfr", *HALF.groups["right_arm"]])
MOTOR = ElectricMotor(0.1, 0.5, 5e-4, 48.0, 3.0, 9.0, 2e-5)


def without_losses(robot: Robot) -> Robot:
    return replace(robot, drives=tuple(replace(drive, friction=Friction()) for drive in robot.drives))


def pendulum(*, ratio: float = 50.0, elasticity: Elasticity | None = None) -> Robot:
    """A link on a motor that stands still."""
    link = Body("link", 2.0, np.array([0.0, 0.0, -0.2]), 0.02 * np.eye(3))
    joint = Joint("joint", JointType.REVOLUTE, "world", "link", axis=(0.0, 1.0, 0.0))
    servo = tuned_servo(MOTOR, MOTOR.rotor_inertia + 0.1 / ratio**2, bandwidth=200.0)
    drive = Drive(("joint",), HarmonicDrive(ratio), MOTOR, elasticity=elasticity, servo=servo)
    return Robot("pendulum", (link,), (joint,), drives=(drive,))


LINK = 0.02 + 2.0 * 0.2**2  # kg m2, of the link about its joint


WEIGHTLESS = Scene("weightless", gravity=(0.0, 0.0, 0.0))


def idle_command(joints: int) -> Command:
    zero = np.zeros(joints)
    return Command(zero, zero, zero, zero, zero, zero)


def switched_off(robot: Robot) -> Robot:
    """The robot with servos that command no current."""
    drives = []
    for drive in robot.drives:
        assert drive.servo is not None
        off = replace(
            drive.servo, position_gain=0.0, velocity_gain=0.0, velocity_integral_gain=0.0, current_gain=0.0,
            current_integral_gain=0.0,
        )  # fmt: skip
        stiff = replace(drive.motor, resistance=1e15)  # no current by the back voltage either
        drives.append(replace(drive, servo=off, motor=stiff))
    return replace(robot, drives=tuple(drives))


def test_rigid_rotors_are_bodies_of_their_own() -> None:
    """Dense projection of a tree with 16 rotor bodies, Schwienbacher 2014, chapter 2, against what the step adds to the
    joints."""
    robot = switched_off(without_losses(HALF))
    bodies = with_rotor_bodies(robot, robot.drives)
    random = np.random.default_rng(3)
    q = footfall.random_configuration(robot, seed=1)
    v, tau = random.normal(size=robot.nv), random.normal(size=robot.nv)
    drives = footfall.drives.DriveSet(robot, robot.drives)

    spread, bias = np.zeros((bodies.nv, robot.nv)), np.zeros(bodies.nv)
    angles = np.zeros(bodies.nq)
    for joint in robot.joints:
        spread[bodies.v_slice(joint.name), robot.v_slice(joint.name)] = np.eye(joint.type.velocities)
        angles[bodies.q_slice(joint.name)] = q[robot.q_slice(joint.name)]
    rotors = [bodies.v_slice(rotor_name(name)).start for name in drives.joints]
    spread[rotors] = drives.motor_jacobian(q)
    bias[rotors] = drives.motor_jacobian_rate(q, v) @ v
    angles[[bodies.q_slice(rotor_name(name)).start for name in drives.joints]] = drives.motor_position(q)
    mass = np.asarray(footfall.mass_matrix.textbook(bodies, angles))
    force = np.asarray(footfall.bias_forces.textbook(bodies, angles, spread @ v))
    expected = np.linalg.solve(spread.T @ mass @ spread, tau - spread.T @ (force + mass @ bias))

    train = DriveTrain(robot, "rigid", 1e-3)
    command = idle_command(robot.nv - 6)
    entries, _ = train.entries(train.start(q, v), command, q, v)
    action = JointAction.of(robot.nv, entries)
    ours = np.asarray(footfall.mass_matrix.textbook(robot, q)) + action.inertia
    h = np.asarray(footfall.bias_forces.textbook(robot, q, v))
    found = np.linalg.solve(ours, tau + action.forces - h)
    scale = np.linalg.norm(expected)
    assert np.linalg.norm(found - expected) < 1e-9 * scale
    plain = np.linalg.solve(np.asarray(footfall.mass_matrix.textbook(robot, q)), tau - h)
    assert np.linalg.norm(plain - expected) > 0.1 * scale  # rotors matter


def test_added_inertia_keeps_the_zeros_of_the_mass_matrix() -> None:
    q, v = footfall.random_configuration(LOLA, seed=2), np.ones(LOLA.nv)
    for gears in ("rigid", "elastic"):
        train = DriveTrain(LOLA, gears, 1e-3)  # type: ignore[arg-type]
        entries, _ = train.entries(train.start(q, v), idle_command(LOLA.nv - 6), q, v)
        inertia = JointAction.of(LOLA.nv, entries).inertia
        allowed = np.zeros((LOLA.nv, LOLA.nv), dtype=bool)
        rows, columns = footfall.dynamics.mass_matrix_pattern(LOLA)
        allowed[rows, columns] = allowed[columns, rows] = True
        np.testing.assert_allclose(inertia, inertia.T, atol=1e-12 * np.abs(inertia).max())
        assert not inertia[~allowed].any()


def test_elastic_rotors_are_bodies_of_their_own() -> None:
    """Steps of drives against a tree with rotor bodies and springs between, integrated by small Runge-Kutta steps."""
    robot = switched_off(without_losses(HIP))
    bodies = with_rotor_bodies(robot, [drive for drive in robot.drives if drive.elasticity is not None])
    robot = replace(robot, drives=tuple(drive for drive in robot.drives if drive.elasticity is not None))
    bodies = replace(bodies, drives=())
    random = np.random.default_rng(5)
    q, v = footfall.random_configuration(robot, seed=1), 0.3 * random.normal(size=robot.nv)
    names = [drive.joints[0] for drive in robot.drives]
    joints = [bodies.v_slice(name).start for name in names]
    places = [bodies.q_slice(name).start for name in names]
    rotors = [bodies.v_slice(rotor_name(name)).start for name in names]
    angles = [bodies.q_slice(rotor_name(name)).start for name in names]
    ratios = np.array([drive.mechanism.motor_jacobian(np.zeros(1))[0, 0] for drive in robot.drives])
    springs = [drive.elasticity for drive in robot.drives]
    stiffness = np.array([spring.stiffness for spring in springs if spring is not None])
    damping = np.array([spring.damping for spring in springs if spring is not None])

    start_q, start_v = np.zeros(bodies.nq), np.zeros(bodies.nv)
    for joint in robot.joints:
        start_q[bodies.q_slice(joint.name)] = q[robot.q_slice(joint.name)]
        start_v[bodies.v_slice(joint.name)] = v[robot.v_slice(joint.name)]
    start_q[angles], start_v[rotors] = ratios * start_q[places], ratios * start_v[joints]

    def rates(q: Array, v: Array) -> Array:
        tau = np.zeros(bodies.nv)
        torque = stiffness * (q[angles] / ratios - q[places]) + damping * (v[rotors] / ratios - v[joints])
        tau[joints], tau[rotors] = torque, -torque / ratios
        return footfall.forward_dynamics(bodies, q, v, tau)

    duration, steps = 0.02, 200
    q_now, v_now, h = start_q, start_v, duration / steps
    for _ in range(steps):  # midpoint rule, second order
        half = footfall.integrate(bodies, q_now, h / 2 * v_now)
        v_half = v_now + h / 2 * rates(q_now, v_now)
        q_now, v_now = footfall.integrate(bodies, q_now, h * v_half), v_now + h * rates(half, v_half)

    errors = []
    for dt in (2e-4, 1e-4):
        still = replace(robot, drives=tuple(
            replace(drive, servo=replace(drive.servo, period=dt)) for drive in robot.drives if drive.servo
        ))  # fmt: skip
        simulation = FeetSimulation(
            still, candidates=(), dt=dt, substeps=round(duration / dt), q=q, v=v, drives="elastic"
        )
        after = simulation.run(idle_command(simulation.joints), duration)
        ours = np.concatenate([after.v[-1, robot.v_slice(joint.name)] for joint in robot.joints])
        theirs = np.concatenate([v_now[bodies.v_slice(joint.name)] for joint in robot.joints])
        errors.append(np.linalg.norm(ours - theirs))
    assert errors[0] < 0.05 * np.linalg.norm(v)
    assert errors[1] < 0.6 * errors[0]  # of first order


def test_pendulum_hangs_on_the_current_that_bears_it() -> None:
    simulation = Simulation(pendulum(), dt=2.5e-4, substeps=4, q=np.array([0.5]), drives="rigid")
    path = simulation.run(simulation.pd(np.array([0.5]), kp=0.0, kd=0.0), 3.0)
    torque = 2.0 * 9.81 * 0.2 * np.sin(0.5)
    assert path.q[-1, 0] == pytest.approx(0.5, abs=1e-6)
    assert path.currents[-1, 0] == pytest.approx(torque / (50.0 * MOTOR.torque_constant), rel=1e-3)
    assert path.effort[-1, 0] == pytest.approx(torque, rel=1e-3)


def test_reflected_inertia_slows_the_pendulum() -> None:
    """Free swing with the motor switched off: period of LINK + N^2 I, small amplitude."""
    robot = switched_off(pendulum(ratio=30.0))
    simulation = Simulation(robot, dt=2.5e-4, q=np.array([0.01]), drives="rigid")
    path = simulation.run(idle_command(1), 4.0)
    crossings = np.flatnonzero((path.q[:-1, 0] > 0.0) & (path.q[1:, 0] <= 0.0))
    period = np.diff(path.time[crossings]).mean()
    inertia = LINK + 30.0**2 * MOTOR.rotor_inertia
    assert period == pytest.approx(2 * np.pi * np.sqrt(inertia / (2.0 * 9.81 * 0.2)), rel=1e-3)


def test_elastic_gear_rings_at_its_own_frequency() -> None:
    spring = Elasticity(800.0, 0.0)
    robot = switched_off(pendulum(elasticity=spring))
    simulation = Simulation(robot, dt=5e-5, substeps=2, q=np.array([0.0]), drives="elastic")
    simulation.state = replace(simulation.state, q=np.array([0.01]))  # twisted against the rotor
    path = simulation.run(idle_command(1), 1.0)
    swing = path.v[:, 0] - path.v[:, 0].mean()
    spectrum = np.abs(np.fft.rfft(swing * np.hanning(len(swing)), 2**18))
    found = np.argmax(spectrum) / (2**18 * 1e-4)
    assert found == pytest.approx(spring.free_frequency(LINK, 50.0**2 * MOTOR.rotor_inertia), rel=2e-3)


def test_voltage_bounds_the_speed() -> None:
    """Against no load a motor reaches its no-load speed and no more."""
    simulation = Simulation(pendulum(), WEIGHTLESS, dt=2.5e-4, substeps=4, q=np.zeros(1), drives="rigid")
    path = simulation.run(simulation.pd(np.array([1e3]), kp=0.0, kd=0.0), 2.0)
    assert path.v[-1, 0] == pytest.approx(MOTOR.no_load_speed / 50.0, rel=1e-3)
    assert np.abs(path.currents).max() <= MOTOR.peak_current * 1.1


def test_target_goes_on_with_its_velocity() -> None:
    """A ramp that is commanded every 20 ms is followed at 4 kHz, Seiwald 2023, section 4.7."""
    simulation = Simulation(pendulum(), WEIGHTLESS, dt=2.5e-4, substeps=80, q=np.zeros(1), drives="rigid")
    rate, zero = np.ones(1), np.zeros(1)
    path = simulation.run(lambda t, q, v: Command(rate * t, rate, zero, zero, zero, zero), 1.0)
    np.testing.assert_allclose(path.v[20:, 0], 1.0, rtol=1e-3)
    np.testing.assert_allclose(path.q[20:, 0], path.time[20:], atol=1e-3)


def test_a_drive_with_load_friction_of_one_is_locked() -> None:
    """The joint alone cannot turn the motor; with less friction it can."""
    angles = {}
    for load in (1.0, 0.3):
        base = switched_off(pendulum())
        robot = replace(
            base, drives=tuple(replace(each, friction=Friction(load=load)) for each in base.drives)
        )
        simulation = Simulation(robot, dt=2.5e-4, substeps=4, q=np.array([0.5]), drives="rigid")
        angles[load] = simulation.run(idle_command(1), 1.0).q[-1, 0]
    assert angles[1.0] == pytest.approx(0.5, abs=0.01)
    assert abs(angles[0.3] - 0.5) > 0.2


def rubbing(friction: Friction) -> Robot:
    base = switched_off(pendulum())
    return replace(base, drives=tuple(replace(drive, friction=friction) for drive in base.drives))


def test_dry_friction_holds_what_is_below_it() -> None:
    """It creeps with at most `smoothing` times the share of the load, on the motor's side."""
    robot = rubbing(Friction(coulomb=0.1))
    simulation = Simulation(robot, dt=2.5e-4, substeps=4, q=np.array([0.5]), drives="rigid")
    end = simulation.run(idle_command(1), 1.0).q[-1, 0]
    share = 2.0 * 9.81 * 0.2 * np.sin(0.5) / 50.0 / 0.1
    creep = 0.01 * share / np.sqrt(1.0 - share**2) / 50.0  # w / sqrt(w^2 + s^2) = share
    assert 0.5 - end == pytest.approx(creep, rel=0.05)


def test_dry_and_viscous_friction_brake() -> None:
    """Weightless from 2 rad/s: I w' = -N (c + N d w), in closed form until it stands."""
    robot = rubbing(Friction(coulomb=0.01, viscous=1e-5))
    simulation = Simulation(robot, WEIGHTLESS, dt=1.25e-4, v=np.array([2.0]), q=np.zeros(1), drives="rigid")
    path = simulation.run(idle_command(1), 0.4)
    inertia, dry, viscous = LINK + 50.0**2 * MOTOR.rotor_inertia, 50.0 * 0.01, 50.0**2 * 1e-5
    decay = viscous / inertia
    speed = (2.0 + dry / viscous) * np.exp(-decay * path.time) - dry / viscous
    moving = speed > 0.05
    np.testing.assert_allclose(path.v[moving, 0], speed[moving], atol=2e-3)
    assert moving.sum() > 100
    assert np.abs(path.v[~moving, 0]).max(initial=0.0) < 0.06


def test_slower_steps_than_the_servo() -> None:
    """At 1 ms a step has four samples of a servo with 4 kHz; the motion is nearly the same."""
    ends = []
    for dt, substeps in ((1e-3, 1), (2.5e-4, 4)):
        simulation = Simulation(pendulum(), dt=dt, substeps=substeps, q=np.array([0.2]), drives="rigid")
        ends.append(simulation.run(simulation.pd(np.array([0.6]), kp=0.0, kd=0.0), 0.1).q[-1, 0])
    assert ends[0] == pytest.approx(ends[1], abs=0.03 * 0.4)


def test_batches_and_single_runs_agree() -> None:
    robot = pendulum(elasticity=Elasticity(2000.0, 2.0))
    simulation = Simulation(robot, dt=2.5e-4, substeps=4, q=np.array([0.2]), drives="elastic")
    command = simulation.pd(np.array([0.6]), kp=0.0, kd=0.0)
    alone = simulation.run(command, 0.05)
    q, v, _ = simulation.rollout(np.full((3, 1), 0.2), np.zeros((3, 1)), command, steps=50)
    np.testing.assert_array_equal(q[1], alone.q)
    np.testing.assert_array_equal(v[2], alone.v)


def test_springs_act_in_every_integrator() -> None:
    """A joint on a spring without drives swings with sqrt(k / I)."""
    spring = Spring("joint", 40.0, rest=0.1)
    robot = replace(pendulum(), drives=(), springs=(spring,))
    for plant, dt in ((Simulation, 1e-4), (SmoothSimulation, 1e-3)):
        simulation = plant(robot, WEIGHTLESS, dt=dt, q=np.array([0.2]))
        path = simulation.run(idle_command(1), 1.0)
        expected = 0.1 + 0.1 * np.cos(np.sqrt(40.0 / LINK) * path.time)
        # first order: numerical damping of w dt / 2 over w t = 20 rad; rk4 is exact to the eye
        assert np.abs(path.q[:, 0] - expected).max() < (0.03 * 0.1 if dt == 1e-4 else 1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda robot: replace(robot, drives=()), "no drives"),
        (lambda robot: replace(robot, drives=(replace(robot.drives[0], servo=None),)), "has no servo"),
        (
            lambda robot: replace(
                robot,
                drives=(replace(robot.drives[0], servo=replace(robot.drives[0].servo, period=3.3e-4)),),
            ),
            "whole multiple",
        ),
    ],
)
def test_faults(change: Any, message: str) -> None:
    with pytest.raises(RobotError, match=message):
        Simulation(change(pendulum()), dt=2.5e-4, drives="rigid")


def driven_cassie() -> Robot:
    """Cassie with gears on hip, shin and crank of the left leg."""
    cassie = footfall.load("cassie")
    servo = tuned_servo(MOTOR, 2.0 * MOTOR.rotor_inertia, bandwidth=200.0)
    drives = [
        Drive((f"left_{name}",), HarmonicDrive(16.0), MOTOR, servo=servo) for name in ("hip_pitch", "shin")
    ]
    crank = Drive(("left_foot_crank",), HarmonicDrive(50.0), MOTOR, servo=servo)
    return replace(cassie, drives=(*drives, crank))


def test_rotors_on_links_that_follow_from_others() -> None:
    """The crank's rotor sits on the tarsus, which a loop moves; against a looped robot with rotor bodies and gears."""
    robot = switched_off(driven_cassie())
    bodies = with_geared_rotors(robot, robot.drives)
    random = np.random.default_rng(2)
    q = footfall.integrate.textbook(robot, robot.configuration("idle"), 0.1 * random.normal(size=robot.nv))
    q, v, tau = np.asarray(q, dtype=float), random.normal(size=robot.nv), random.normal(size=robot.nv)
    larger = np.zeros(bodies.nq)
    for joint in robot.joints:
        larger[bodies.q_slice(joint.name)] = q[robot.q_slice(joint.name)]
    larger = footfall.close_loops(bodies, larger)
    order = np.concatenate([np.arange(robot.nv)[robot.v_slice(joint.name)] for joint in robot.joints])
    places = np.concatenate([np.arange(bodies.nv)[bodies.v_slice(joint.name)] for joint in robot.joints])
    v_larger, tau_larger = np.zeros(bodies.nv), np.zeros(bodies.nv)
    v_larger[places], tau_larger[places] = v[order], tau[order]
    a = np.asarray(footfall.forward_dynamics.textbook(bodies, larger, v_larger, tau_larger), dtype=float)
    expected = np.zeros(robot.nv)
    expected[order] = a[places]

    train = DriveTrain(robot, "rigid", 1e-3)
    entries, _ = train.entries(train.start(q, v), idle_command(len(actuated_velocities(robot))), q, v)
    action = JointAction.of(robot.nv, entries)
    mass = np.asarray(footfall.mass_matrix.textbook(robot, q), dtype=float) + action.inertia
    h = np.asarray(footfall.bias_forces.textbook(robot, q, v), dtype=float)
    found = np.linalg.solve(mass, tau + action.forces - h)
    assert np.linalg.norm(found - expected) < 1e-9 * np.linalg.norm(expected)


def test_drives_of_joints_that_follow_are_refused() -> None:
    robot = driven_cassie()
    tarsus = replace(robot.drives[0], joints=("left_tarsus",))
    with pytest.raises(RobotError, match="'left_tarsus': its joint follows from others"):
        FeetSimulation(replace(robot, drives=(tarsus,)), candidates=(), dt=2.5e-4, drives="rigid")


def test_elastic_screws_are_refused() -> None:
    knee = next(drive for drive in LOLA.drives if drive.joints == ("kfr",))
    robot = replace(LOLA, drives=(replace(knee, elasticity=Elasticity(1e4)),))
    with pytest.raises(RobotError, match="constant ratio"):
        FeetSimulation(robot, candidates=(), dt=2.5e-4, drives="elastic")


@pytest.mark.parametrize("gears", ["springy", True])
def test_unknown_gears_are_named(gears: Any) -> None:
    with pytest.raises(UnknownName, match=f"no gears '{gears}'.*rigid, elastic"):
        Simulation(pendulum(), dt=2.5e-4, drives=gears)


def test_elastic_gears_without_any_elasticity_are_refused() -> None:
    with pytest.raises(RobotError, match=r"'pendulum': none of its drives has elasticity.*'rigid'"):
        Simulation(pendulum(), dt=2.5e-4, drives="elastic")


@pytest.mark.parametrize(
    ("gains", "message"),
    [
        ({"kp": -1.0, "kd": 0.0}, "kp is -1.0; it must be"),
        ({"kp": 1.0, "kd": np.nan}, "kd is nan; it must be"),
        ({"kp": 1.0, "kd": 0.0, "ki": np.zeros(3)}, "ki is .* one for each of 1 joints"),
    ],
)
def test_gains_without_meaning_are_named(gains: dict[str, Any], message: str) -> None:
    simulation = Simulation(pendulum(), dt=2.5e-4, drives="rigid")
    with pytest.raises(InvalidInput, match=message):
        simulation.pd(np.zeros(1), **gains)


def test_wrong_ways_to_run_are_told() -> None:
    simulation = Simulation(pendulum(), dt=2.5e-4, drives="rigid")
    for seconds in (-1.0, np.nan, np.inf):
        with pytest.raises(InvalidInput, match=f"seconds is {seconds}; it must be finite"):
            simulation.run(simulation.zero_command, seconds)
    for answer in (None, 3.0):
        with pytest.raises(TypeError, match=f"gave a {type(answer).__name__}; it must give a Command"):
            simulation.run(lambda time, q, v, answer=answer: answer, 0.01)
    lost = simulation.zero_command._replace(position=np.array([np.nan]))
    with pytest.raises(SimulationDiverged, match=r"position of the command is \[nan\], which is not finite"):
        simulation.step(lost)
    assert simulation.state.time == 0.0
    with pytest.raises(InvalidInput, match=r"substeps is 1\.5; .*whole"):
        Simulation(pendulum(), dt=2.5e-4, substeps=1.5, drives="rigid")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"not 'lola'; use footfall\.load"):
        Simulation("lola", drives="rigid")  # type: ignore[arg-type]
