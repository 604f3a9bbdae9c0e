"""LOLA's drives: full range with an even transmission, the source's ratings, whole-robot maps; faults in files."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import footfall
from footfall.compiler import build_kernel
from footfall.errors import RobotError, UnknownName
from footfall.robot.drives.drive import Drive
from footfall.robot.drives.drive_schema import lola_drives, parse_drives
from footfall.robot.drives.drive_set import DriveSet
from footfall.robot.drives.harmonic_drive import HarmonicDrive
from footfall.robot.drives.model_types import model_type
from footfall.robot.drives.transmission import transmission_range

LOLA = footfall.load("lola")
DRIVES = lola_drives(LOLA)
SCREWS = ["kfr", "kfl", "sar", "sal"]


def limits(drive: Drive) -> tuple[np.ndarray, np.ndarray]:
    """Joint limits of a drive, one turn either way where there are none."""
    places = [LOLA.q_slice(name).start for name in drive.joints]
    return np.maximum(LOLA.lower_limits[places], -np.pi), np.minimum(LOLA.upper_limits[places], np.pi)


def random_configuration(seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    q = footfall.neutral(LOLA)
    q[7:] = random.uniform(
        np.maximum(LOLA.lower_limits[7:], -np.pi), np.minimum(LOLA.upper_limits[7:], np.pi)
    )
    return q


def test_every_joint_has_a_drive() -> None:
    moving = {joint.name for joint in LOLA.joints if joint.type.velocities == 1}
    assert set(DRIVES.joints) == moving
    assert DRIVES.motors == 26


@pytest.mark.parametrize("joint", SCREWS)
def test_transmission_is_even_over_the_full_range(joint: str) -> None:
    drive = DRIVES.of(joint)
    lower, upper = limits(drive)
    found = transmission_range(drive.mechanism, lower, upper, samples=25)
    assert found.local_condition <= found.condition < 20.0
    assert found.condition < 3.0  # what the chosen geometry has


@pytest.mark.parametrize("joint", SCREWS)
def test_axes_are_those_of_the_robot(joint: str) -> None:
    """The mechanism's axes and the robot's agree at q = 0, up to the ten degrees by which the legs splay."""
    drive = DRIVES.of(joint)
    names = ("axis",) if drive.mechanism.size == 1 else ("first_axis", "second_axis")
    for name, axis in zip(drive.joints, names, strict=True):
        pose = footfall.frame_pose(LOLA, footfall.neutral(LOLA), name)
        assert pose.rotation[:, 2] @ getattr(drive.mechanism, axis) > np.cos(np.radians(11.0))


def in_leg_axes(q: np.ndarray, carrier: str, body: str, side: str, point: np.ndarray) -> np.ndarray:
    """From the body's origin to a point of it, both in axes of the stretched leg at q = 0, seen from the carrier."""
    zero = footfall.neutral(LOLA)
    sign = 1.0 if side == "r" else -1.0
    flexion = sign * footfall.frame_pose(LOLA, zero, f"kf{side}").rotation[:, 2]
    forward = np.array([1.0, 0.0, 0.0])
    leg = np.stack([forward, flexion, np.cross(forward, flexion)], axis=1)
    at_zero = [footfall.frame_pose(LOLA, zero, name).rotation for name in (carrier, body)]
    now = [footfall.frame_pose(LOLA, q, name).rotation for name in (carrier, body)]
    to_body, from_carrier = at_zero[1].T @ leg, leg.T @ at_zero[0]
    return from_carrier @ now[0].T @ now[1] @ to_body @ point


@pytest.mark.parametrize("side", "rl")
@pytest.mark.parametrize("seed", range(3))
def test_loops_close_on_the_robot(side: str, seed: int) -> None:
    """Screws and couplers span the distances that the robot's own kinematics has."""
    q = random_configuration(seed)
    knee, ankle = (DRIVES.of(name + side) for name in ("kf", "sa"))
    lever = in_leg_axes(q, f"hf{side}", f"kf{side}", side, knee.mechanism.hinge_to_shank)
    length = np.linalg.norm(knee.mechanism.thigh_to_hinge + lever)
    here = [LOLA.q_slice(name).start for name in ankle.joints]
    assert knee.mechanism.screw_length(q[[LOLA.q_slice(f"kf{side}").start]]) == pytest.approx(
        length, rel=1e-12
    )
    travel = ankle.mechanism.nut_position(q[here])
    for crank, nut in zip(ankle.mechanism.cranks, travel, strict=True):
        foot = in_leg_axes(q, f"kf{side}", f"sf{side}", side, crank.foot_point)
        coupler = foot - (crank.top + nut * crank.direction)
        assert np.linalg.norm(coupler) == pytest.approx(crank.coupler, rel=1e-12)


def test_ratings_of_the_source() -> None:
    """Seiwald 2023, section 3.4: 49/147 N m for module D, 31/99 N m for E and F, at the joint."""
    for joint in ("afr", "afl", "br", "ba", "aar", "arl", "efr"):
        drive = DRIVES.of(joint)
        expected = (49.0, 147.0) if drive.module == "D" else (31.0, 99.0)
        assert drive.permanent_joint_torque(np.zeros(1)).item() == pytest.approx(expected[0], rel=1e-5)
        assert drive.peak_joint_torque(np.zeros(1)).item() == pytest.approx(expected[1], rel=1e-5)
        assert LOLA.joint(joint).effort == (expected[1],)


def test_features_of_the_source() -> None:
    locked = {name for drive in DRIVES for name in drive.joints if not drive.friction.back_drivable}
    assert locked == {"sar", "sfr", "sal", "sfl"}
    assert {name for drive in DRIVES for name in drive.joints if not drive.absolute_encoder} == {"vp", "vt"}
    elastic = [name for drive in DRIVES if drive.elasticity for name in drive.joints]
    arms_of_2012 = [name for name in elastic if not name.startswith("ar")]  # one joint an arm less
    assert len(arms_of_2012) == model_type(3).mechanical - model_type(2).mechanical
    assert all(drive.rigid().elasticity is None for drive in DRIVES)


def test_whole_robot_maps() -> None:
    random = np.random.default_rng(4)
    q, v = random_configuration(1), random.normal(size=LOLA.nv)
    step = 1e-7
    ahead = DRIVES.motor_position(footfall.integrate(LOLA, q, v * step))
    behind = DRIVES.motor_position(footfall.integrate(LOLA, q, -v * step))
    jacobian = DRIVES.motor_jacobian(q)
    np.testing.assert_allclose(jacobian @ v, (ahead - behind) / (2 * step), rtol=1e-6, atol=1e-5)
    rate = DRIVES.motor_jacobian(footfall.integrate(LOLA, q, v * step)) - DRIVES.motor_jacobian(
        footfall.integrate(LOLA, q, -v * step)
    )
    np.testing.assert_allclose(DRIVES.motor_jacobian_rate(q, v), rate / (2 * step), atol=1e-5)
    motor_torque = random.normal(size=26)
    tau = DRIVES.joint_torque(q, motor_torque)
    assert motor_torque @ jacobian @ v == pytest.approx(tau @ v, rel=1e-12)
    assert not tau[:6].any()
    np.testing.assert_allclose(DRIVES.motor_torque(q, tau), motor_torque, rtol=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_start_up_round_trip(seed: int) -> None:
    """Joint angles to motor angles and back from the middle of the range, everywhere."""
    q = random_configuration(seed)
    start = footfall.neutral(LOLA)
    start[7:] = 0.5 * (np.maximum(LOLA.lower_limits, -np.pi) + np.minimum(LOLA.upper_limits, np.pi))[7:]
    np.testing.assert_allclose(
        DRIVES.joint_position(DRIVES.motor_position(q), start=start)[7:], q[7:], atol=1e-11
    )


def test_reflected_inertia_is_positive_and_belongs_to_joints() -> None:
    inertia = DRIVES.reflected_inertia(random_configuration(2))
    assert not inertia[:6].any()
    assert np.linalg.eigvalsh(inertia[6:, 6:]).min() > 0.0
    elbow = LOLA.v_slice("efr").start
    assert inertia[elbow, elbow] == pytest.approx(1e4 * DRIVES.of("efr").motor.rotor_inertia)


def test_coupled_inertia_is_the_rotors_energy() -> None:
    """Rotors that turn with their carriers and against them: 1/2 I (carrier + motor)^2, less 1/2 I carrier^2."""
    random = np.random.default_rng(8)
    q, v = random_configuration(5), random.normal(size=LOLA.nv)
    spins = np.zeros((26, LOLA.nv))
    for k, name in enumerate(DRIVES.joints):
        joint = LOLA.joint(name)
        axis = footfall.frame_pose(LOLA, q, name).rotation[:, 2]
        spins[k] = axis @ footfall.frame_jacobian(LOLA, q, joint.parent)[3:]
    rotors = np.concatenate([drive.rotor_inertia for drive in DRIVES])
    carrier, motor = spins @ v, DRIVES.motor_jacobian(q) @ v
    energy = 0.5 * rotors @ ((carrier + motor) ** 2 - carrier**2)
    assert 0.5 * v @ DRIVES.coupled_inertia(q, spins) @ v == pytest.approx(energy, rel=1e-12)
    elbow, twist = LOLA.v_slice("efr").start, LOLA.v_slice("afr").start
    difference = DRIVES.coupled_inertia(q, spins) - DRIVES.reflected_inertia(q)
    expected = 100.0 * DRIVES.of("efr").motor.rotor_inertia * spins[DRIVES.joints.index("efr"), twist]
    assert difference[elbow, twist] == pytest.approx(expected, rel=1e-12)


def test_whole_robot_is_traceable() -> None:
    def motors(q):
        return {"position": DRIVES.motor_position(q), "inertia": DRIVES.reflected_inertia(q)}

    q = random_configuration(3)
    position, inertia = build_kernel(motors, {"q": LOLA.nq})(q)
    np.testing.assert_allclose(position, DRIVES.motor_position(q), rtol=1e-13)
    np.testing.assert_allclose(inertia, DRIVES.reflected_inertia(q), rtol=1e-12, atol=1e-15)


def test_friction_costs_torque_in_both_directions() -> None:
    drive, q = DRIVES.of("kfr"), np.array([0.8])
    ideal = drive.mechanism.motor_torque(q, np.array([50.0]))
    lifting = drive.lossy_motor_torque(q, np.array([1.0]), np.array([50.0]))
    lowering = drive.lossy_motor_torque(q, np.array([-1.0]), np.array([50.0]))
    assert abs(lifting.item()) > abs(ideal.item()) > abs(lowering.item())


def test_drives_can_be_replaced() -> None:
    knee = DRIVES.of("kfr")
    other = DRIVES.with_drives([dataclasses.replace(knee, mechanism=HarmonicDrive(80.0))])
    assert other.of("kfr").mechanism == HarmonicDrive(80.0)
    assert other.of("kfl") is DRIVES.of("kfl")
    with pytest.raises(UnknownName, match="drive of 'nose'"):
        DRIVES.with_drives([dataclasses.replace(knee, joints=("nose",))])


def test_faults() -> None:
    elbow = DRIVES.of("efr")
    with pytest.raises(RobotError, match="joint 'nose' does not exist"):
        DriveSet(LOLA, (dataclasses.replace(elbow, joints=("nose",)),))
    with pytest.raises(RobotError, match="two drives"):
        DriveSet(LOLA, (elbow, elbow))
    with pytest.raises(RobotError, match="one coordinate"):
        DriveSet(LOLA, (dataclasses.replace(elbow, joints=("root",)),))
    with pytest.raises(RobotError, match="its mechanism moves 1"):
        dataclasses.replace(elbow, joints=("efr", "efl"))
    with pytest.raises(UnknownName, match="driven joint 'nose'"):
        DRIVES.of("nose")
    motor = "[motor.m]\ntorque_constant=1\nresistance=1\ninductance=1\nvoltage=1\npermanent_current=1\n"
    motor += "peak_current=1\nrotor_inertia=1\n"
    drive = '[[drive]]\njoints=["a"]\nmotor="%s"\nmechanism={type="%s", ratio=1.0}\n'
    assert parse_drives(motor + drive % ("m", "harmonic-drive"))[0].joints == ("a",)
    with pytest.raises(RobotError, match="motor is 'x'; there are: m"):
        parse_drives(motor + drive % ("x", "harmonic-drive"))
    with pytest.raises(RobotError, match="belt"):
        parse_drives(motor + drive % ("m", "belt"))
    with pytest.raises(RobotError, match="drives:"):
        parse_drives(motor + 'colour = "red"\n' + drive % ("m", "harmonic-drive"))
