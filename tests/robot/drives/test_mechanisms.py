"""Drive mechanisms: derivatives against complex steps, the numbers of Schwienbacher 2014, power, round trips, dead
centres."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.errors import InvalidInput, RobotError
from footfall.robot.drives.ankle_cranks import AnkleCranks, SliderCrank
from footfall.robot.drives.camera_vergence import CameraVergence
from footfall.robot.drives.harmonic_drive import HarmonicDrive
from footfall.robot.drives.knee_screw import KneeScrew
from footfall.robot.drives.transmission import transmission_range
from tests.robot.drives.mechanisms import ANKLE, CASES, LEAD, SPEC_KNEE, SPEC_VERGENCE, random_state

STEP = 1e-30


def complex_derivative(function, q, direction):
    """Derivative along a direction, exact to rounding."""
    return np.imag(function(q + 1j * STEP * np.asarray(direction))) / STEP


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", range(5))
def test_jacobian_and_its_rate_are_derivatives(name: str, seed: int) -> None:
    mechanism = CASES[name][0]
    q, v = random_state(name, seed)
    columns = [complex_derivative(mechanism.motor_position, q, row) for row in np.eye(mechanism.size)]
    jacobian = mechanism.motor_jacobian(q)
    np.testing.assert_allclose(jacobian, np.stack(columns, axis=1), rtol=1e-12, atol=1e-10)
    rate = complex_derivative(mechanism.motor_jacobian, q, v)
    np.testing.assert_allclose(mechanism.motor_jacobian_rate(q, v), rate, rtol=1e-11, atol=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_native_code_gives_the_same(name: str) -> None:
    mechanism = CASES[name][0]
    states = [random_state(name, seed) for seed in range(9)]
    q, v = (np.array(part) for part in zip(*states, strict=True))
    position, jacobian, jacobian_rate = mechanism.native()(q, v)
    for k in range(len(q)):
        np.testing.assert_allclose(position[k], mechanism.motor_position(q[k]), rtol=1e-13)
        np.testing.assert_allclose(jacobian[k], mechanism.motor_jacobian(q[k]), rtol=1e-12, atol=1e-11)
        np.testing.assert_allclose(
            jacobian_rate[k], mechanism.motor_jacobian_rate(q[k], v[k]), rtol=1e-11, atol=1e-10
        )


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", range(5))
def test_round_trip_from_a_cold_start(name: str, seed: int) -> None:
    mechanism, lower, upper = CASES[name]
    q, _ = random_state(name, seed)
    middle = 0.5 * (np.array(lower) + upper)
    found = mechanism.joint_position(mechanism.motor_position(q), start=middle)
    np.testing.assert_allclose(found, q, atol=1e-11)


@pytest.mark.parametrize("name", ["knee", "ankle"])
def test_native_inverse(name: str) -> None:
    mechanism = CASES[name][0]
    q = np.array([random_state(name, seed)[0] for seed in range(11)])
    motor = np.array([mechanism.motor_position(row) for row in q])
    found = mechanism.native_inverse()(motor, np.zeros_like(q) + 0.1)
    np.testing.assert_allclose(found, q, atol=1e-11)


@pytest.mark.parametrize("name", CASES)
def test_ideal_drives_keep_power(name: str) -> None:
    mechanism = CASES[name][0]
    q, v = random_state(name, 3)
    motor_torque = np.random.default_rng(0).normal(size=mechanism.size)
    joint_torque = mechanism.joint_torque(q, motor_torque)
    assert motor_torque @ mechanism.motor_velocity(q, v) == pytest.approx(joint_torque @ v, rel=1e-12)
    np.testing.assert_allclose(mechanism.motor_torque(q, joint_torque), motor_torque, rtol=1e-11)
    np.testing.assert_allclose(mechanism.joint_velocity(q, mechanism.motor_velocity(q, v)), v, rtol=1e-11)


@pytest.mark.parametrize("name", CASES)
def test_reflected_rotors_follow_lagrange(name: str) -> None:
    """d/dt dT/dv - dT/dq of T = 1/2 v.(J^T I J).v equals the torque that accelerates the rotors."""
    mechanism = CASES[name][0]
    q, v = random_state(name, 1)
    a = np.linspace(0.7, -0.4, mechanism.size)
    rotors = np.linspace(1e-4, 3e-4, mechanism.size)

    def inertia(at):
        return mechanism.reflected_inertia(at, rotors)

    rate = complex_derivative(inertia, q, v)
    slope = np.array([0.5 * v @ complex_derivative(inertia, q, unit) @ v for unit in np.eye(mechanism.size)])
    expected = inertia(q) @ a + rate @ v - slope
    np.testing.assert_allclose(mechanism.inertial_torque(q, v, a, rotors), expected, rtol=1e-10, atol=1e-12)


def test_harmonic_drive_reflects_with_the_square_of_its_ratio() -> None:
    assert HarmonicDrive(100.0).reflected_inertia(np.zeros(1), 2e-5) == pytest.approx(0.2)


def test_knee_of_the_spec() -> None:
    """Spec Schwienbacher 2014, (3.3)-(3.21): the true rate is -33.218, what is printed in the source gives +87.97."""
    rate = SPEC_KNEE.motor_jacobian_rate(np.array([0.7]), np.array([1.3]))
    assert rate.item() == pytest.approx(-33.218, abs=5e-4)
    assert pytest.approx(1256.6, abs=0.05) == SPEC_KNEE.ratio


def test_vergence_of_the_spec() -> None:
    """Spec Schwienbacher 2014, (3.38)-(3.45): 2.38233, where the printed formula gives 2.72415."""
    assert SPEC_VERGENCE.motor_jacobian(np.array([0.1])).item() == pytest.approx(2.38233, abs=5e-6)
    assert SPEC_VERGENCE.motor_position(np.array([0.1])).item() == 0.0


@pytest.mark.parametrize("tilt", [False, True])
def test_knee_rotor_jacobian(tilt: bool) -> None:
    knee = KneeScrew(SPEC_KNEE.thigh_to_hinge, SPEC_KNEE.hinge_to_shank, LEAD, tilt=tilt)
    q, v = np.array([0.6]), np.array([-1.2])
    np.testing.assert_allclose(
        knee.rotor_jacobian_rate(q, v), complex_derivative(knee.rotor_jacobian, q, v), rtol=1e-11
    )
    along = knee._screw(q).vector / knee.screw_length(q) if tilt else knee.screw_axis
    assert along @ knee.rotor_jacobian(q) == pytest.approx(knee.motor_jacobian(q).item())


def test_tilt_turns_the_direction_of_the_screw() -> None:
    """d(r / l)/dq = w x r / l with the corrected sign, and the tilt angle's rate is its negative about z."""
    knee = KneeScrew(SPEC_KNEE.thigh_to_hinge, SPEC_KNEE.hinge_to_shank, LEAD, tilt=True)
    q = np.array([0.6])

    def direction(at):
        screw = knee._screw(at)
        return screw.vector / screw.length

    change = complex_derivative(direction, q, [1.0])
    np.testing.assert_allclose(change, np.cross(knee.rotor_jacobian(q), direction(q)), atol=1e-12)
    rate = (knee.tilt_angle(q + 1e-6) - knee.tilt_angle(q - 1e-6)) / 2e-6
    assert rate == pytest.approx(-knee.rotor_jacobian(q)[2], abs=1e-8)
    tilting = knee.reflected_screw_inertia(q, axial=1e-5, transverse=2e-3)
    assert tilting > SPEC_KNEE.reflected_screw_inertia(q, axial=1e-5, transverse=0.0)


def test_couplers_keep_their_length() -> None:
    for seed in range(10):
        q, _ = random_state("ankle", seed)
        lengths = np.linalg.norm(ANKLE.coupler_vectors(q), axis=1)
        np.testing.assert_allclose(lengths, [crank.coupler for crank in ANKLE.cranks], rtol=1e-14)


def test_dead_centres_are_reported() -> None:
    knee = KneeScrew((0.0, -0.3, 0.0), (0.0, -0.05, 0.0), LEAD)  # stretched at q = 0
    with pytest.raises(InvalidInput, match="dead centre"):
        knee.joint_position(knee.motor_position(np.zeros(1)) + 5.0, start=np.array([0.2]))
    with pytest.raises(InvalidInput, match="is singular"):
        knee.motor_torque(np.zeros(1), np.ones(1))
    found = transmission_range(knee, np.array([-0.11]), np.array([0.1]), samples=8)
    assert found.condition == np.inf
    assert transmission_range(SPEC_KNEE, [-0.4], [1.1]).condition < 20.0


def test_what_cannot_be_reached_is_reported() -> None:
    cranks = tuple(
        SliderCrank(crank.top, crank.direction, crank.foot_point, 0.03, LEAD) for crank in ANKLE.cranks
    )
    short = AnkleCranks(cranks, (1, 0, 0), (0, 1, 0), (0, 0, -0.4), (0, 0, 0))
    with pytest.raises(InvalidInput, match=r"must be longer"):
        short.motor_position(np.array([0.0, 1.2]))
    with pytest.raises(InvalidInput, match="between -1 and 1"):
        SPEC_VERGENCE.motor_position(np.zeros(1))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: HarmonicDrive(0.0), "ratio"),
        (lambda: KneeScrew((0, 1, 0), (0, 0, 1), LEAD), "lever arm"),
        (lambda: KneeScrew((0, 1, 0), (1, 0, 0), 0.0), "lead"),
        (lambda: SliderCrank((0, 0, 0), (0, 0, 1), (0, 0, 0), -1.0, LEAD), "coupler"),
        (lambda: SliderCrank((0, 0, 0), (0, 0, 1), (0, 0, 0), 1.0, np.nan), "lead"),
        (lambda: CameraVergence(0.02, 0.05, 0.0, (0, 1, 0), (0, 0, 0), 1.0), "receptacle"),
        (lambda: CameraVergence(0.0, 0.05, 0.0, (0, 0, 0), (0, 0, 0), 1.0), "lever"),
    ],
)
def test_impossible_mechanisms(make, message: str) -> None:
    with pytest.raises(RobotError, match=message):
        make()
