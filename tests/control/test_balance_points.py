"""Balance points: definitions that must agree with each other, closed forms, and a robot's own dynamics."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.control.balance import (
    capture_point,
    center_of_pressure,
    centroidal_moment_pivot,
    divergent_component,
    divergent_component_after,
    foot_rotation_indicator,
    foot_zmp_with_hand,
    ground_wrench_of_motion,
    imbalance,
    natural_frequency,
    pendulum_after,
    support_polygon,
    virtual_pivot_point,
    virtual_repellent_point,
    zmp,
    zmp_from_motion,
    zmp_of_wrench,
)
from footfall.errors import InvalidInput
from tests.random_robots import random_state

SOLE = np.array([[0.1, 0.05, 0.0], [0.1, -0.05, 0.0], [-0.1, 0.05, 0.0], [-0.1, -0.05, 0.0]])


def wrench_about_origin(positions: Array, forces: Array) -> Array:
    return np.concatenate([forces.sum(axis=0), np.cross(positions, forces).sum(axis=0)])


def test_zmp_from_wrench_forces_and_motion() -> None:
    """Three ways: total wrench, contact forces, motion of the robot."""
    random = np.random.default_rng(0)
    forces = random.normal(size=(4, 3)) + np.array([0.0, 0.0, 20.0])
    places = SOLE + np.array([0.0, 0.0, 0.3])
    by_forces = zmp(places, forces, height=0.3)
    by_wrench = zmp_of_wrench(wrench_about_origin(places, forces), height=0.3)
    assert np.abs(by_forces - by_wrench).max() < 1e-12
    robot = footfall.load("point-foot-quadruped")
    q = robot.configuration("stand")
    v, a = 0.3 * random.normal(size=18), 0.3 * random.normal(size=18)
    wrench = ground_wrench_of_motion(robot, q, v, a)
    rate = footfall.dynamics.centroidal_momentum_matrix(
        robot, q
    ) @ a + footfall.dynamics.centroidal_momentum_bias(robot, q, v)
    by_motion = zmp_from_motion(
        footfall.center_of_mass(robot, q), rate[:3] / robot.mass, rate[3:], mass=robot.mass
    )
    assert np.abs(zmp_of_wrench(wrench) - by_motion).max() < 1e-12


def test_ground_wrench_is_what_the_base_lacks() -> None:
    """Inverse dynamics of a floating base has the same force at the root, and the moment about its origin."""
    robot = footfall.load("point-foot-quadruped")
    state = random_state(robot, np.random.default_rng(1))
    wrench = ground_wrench_of_motion(robot, state.q, state.v, state.a)
    tau = footfall.inverse_dynamics(robot, state.q, state.v, state.a)
    rotation = footfall.frame_pose(robot, state.q, "torso").rotation
    expected = np.concatenate([tau[:3], rotation @ tau[3:6] + np.cross(state.q[:3], tau[:3])])
    assert np.abs(wrench - expected).max() < 1e-10 * np.abs(expected).max()
    hand, pull = np.array([0.4, 0.1, 0.8]), np.array([5.0, -3.0, 7.0, 0.2, 0.1, -0.4])
    less = ground_wrench_of_motion(robot, state.q, state.v, state.a, wrenches=[(hand, pull)])
    assert (
        np.abs(wrench - less - np.concatenate([pull[:3], pull[3:] + np.cross(hand, pull[:3])])).max() < 1e-9
    )


def test_center_of_pressure_is_the_zmp_until_something_pulls() -> None:
    forces = np.array([[1.0, 0.0, 10.0], [0.0, 2.0, 20.0], [0.0, 0.0, 5.0], [0.0, -1.0, 1.0]])
    pressure = center_of_pressure(SOLE, forces)
    assert np.abs(pressure.point - zmp(SOLE, forces)).max() < 1e-15
    assert pressure.load == 36.0
    pulling = forces - [0.0, 0.0, 8.0]
    polygon = support_polygon(SOLE)
    assert imbalance(center_of_pressure(SOLE, pulling).point, polygon) == 0.0
    fictitious = foot_rotation_indicator(wrench_about_origin(SOLE, pulling))
    assert np.abs(fictitious - center_of_pressure(SOLE, pulling).point).max() > 0.01
    assert imbalance(np.array([0.13, 0.0]), polygon) == pytest.approx(0.03)


def test_tipping_puts_the_indicator_outside() -> None:
    """A standing robot that must push off harder than its sole allows: the distance grows with the acceleration."""
    center, polygon = np.array([0.0, 0.0, 0.9]), support_polygon(SOLE)
    outside = []
    for acceleration in (0.5, 2.0, 4.0):
        force = 60.0 * np.array([-acceleration, 0.0, 9.81])
        point = foot_rotation_indicator(np.concatenate([force, np.cross(center, force)]))
        assert point[0] == pytest.approx(0.9 * acceleration / 9.81)
        outside.append(imbalance(point, polygon))
    assert outside[0] == 0.0
    assert outside[2] > outside[1] > 0.0


def test_moment_pivot_is_the_zmp_without_angular_momentum() -> None:
    center, acceleration = np.array([0.1, -0.2, 0.85]), np.array([0.8, -0.5, 0.3])
    force = 50.0 * (acceleration + np.array([0.0, 0.0, 9.81]))
    pivot = centroidal_moment_pivot(center, force)
    still = zmp_from_motion(center, acceleration, np.zeros(3), mass=50.0)
    assert np.abs(pivot - still).max() < 1e-14
    turning = zmp_from_motion(center, acceleration, np.array([3.0, -2.0, 0.0]), mass=50.0)
    # The moment about the centre is the force's lever between the two points.
    assert (turning - pivot) * force[2] == pytest.approx([2.0, 3.0], abs=1e-12)


def test_hand_force_moves_the_zmp() -> None:
    """50 N at 1 m height on LOLA: 50 / (67.3 * 9.81) = 76 mm; and against the robot's whole wrench."""
    shift = foot_zmp_with_hand(
        np.array([0.0, 0.0, 0.9]), np.zeros(3), np.array([0.5, 0.0, 1.0]),
        np.array([50.0, 0.0, 0.0, 0.0, 0.0, 0.0]), mass=67.3,
    )  # fmt: skip
    assert shift == pytest.approx([0.0757, 0.0], abs=5e-5)
    random = np.random.default_rng(2)
    robot = footfall.load("lola")
    q = robot.configuration("idle")
    v, a = (np.concatenate([np.zeros(6), 0.2 * random.normal(size=robot.nv - 6)]) for _ in range(2))
    hand, pull = np.array([0.4, 0.2, 1.1]), 5 * random.normal(size=6)
    rate = footfall.dynamics.centroidal_momentum_matrix(
        robot, q
    ) @ a + footfall.dynamics.centroidal_momentum_bias(robot, q, v)
    point = foot_zmp_with_hand(
        footfall.center_of_mass(robot, q), rate[:3] / robot.mass, hand, pull,
        mass=robot.mass, angular_rate=rate[3:],
    )  # fmt: skip
    wrench = ground_wrench_of_motion(robot, q, v, a, wrenches=[(hand, pull)])
    assert np.abs(point - zmp_of_wrench(wrench)).max() < 1e-12


def test_stepping_on_the_capture_point_brings_rest() -> None:
    center, velocity = np.array([0.1, 0.0, 0.9]), np.array([0.4, -0.2, 0.0])
    omega = natural_frequency(0.9)
    assert omega == pytest.approx(3.30, abs=5e-3)
    point = capture_point(center, velocity)
    place, speed = pendulum_after(center[:2], velocity[:2], point, 5.0, omega=omega)
    assert np.abs(speed).max() < 1e-6
    assert np.abs(place - point).max() < 1e-6
    off, _ = pendulum_after(center[:2], velocity[:2], point + 0.01, 2.0, omega=omega)
    assert np.abs(off - point).max() > 1.0


def test_divergent_component_over_a_pivot() -> None:
    """Its closed form against that of the pendulum; the repellent point lies a height above the pivot."""
    height = 0.8
    omega = natural_frequency(height)
    center, velocity, pivot = np.array([0.1, 0.0]), np.array([0.2, 0.3]), np.array([0.05, -0.03])
    start = center + velocity / omega
    place, speed = pendulum_after(center, velocity, pivot, 0.6, omega=omega)
    after = divergent_component_after(start, pivot, 0.6, omega=omega)
    assert np.abs(after - (place + speed / omega)).max() < 1e-12
    full = divergent_component(np.array([*center, height]), np.array([*velocity, 0.0]), height=height)
    assert (
        np.abs(full[:2] - capture_point(np.array([*center, height]), np.array([*velocity, 0.0]))).max()
        < 1e-15
    )
    acceleration = np.array([*(omega**2 * (center - pivot)), 0.0])
    repellent = virtual_repellent_point(np.array([*center, height]), acceleration, height=height)
    assert repellent == pytest.approx([*pivot, height], abs=1e-15)
    # dxi/dt = (xi - vrp) / b
    rate = np.array([*velocity, 0.0]) + acceleration / omega
    assert np.abs(rate - omega * (full - repellent)).max() < 1e-13


def test_pendulum_obeys_its_equation() -> None:
    omega, pivot = 3.0, np.array([0.2])
    places = [
        pendulum_after(np.array([0.3]), np.array([-0.1]), pivot, 0.4 + h, omega=omega)[0]
        for h in (-1e-4, 0, 1e-4)
    ]
    second = (places[0] - 2 * places[1] + places[2]) / 1e-8
    assert second == pytest.approx(omega**2 * (places[1] - pivot), rel=1e-5)


def test_lines_that_meet_in_a_pivot() -> None:
    """Forces towards a point above the centre of mass, from places on the ground below it; then forces beside it."""
    pivot = np.array([0.02, -0.01, 0.3])
    random = np.random.default_rng(3)
    offsets = np.column_stack([random.uniform(-0.2, 0.2, (12, 2)), np.full(12, -0.9)])
    forces = (pivot - offsets) * random.uniform(300.0, 900.0, (12, 1))
    found = virtual_pivot_point(offsets, forces)
    assert np.abs(found.point - pivot).max() < 1e-12
    assert found.spread < 1e-12
    # Lines shifted sideways by 1 cm, as many to each side: the same point, and that spread.
    side = np.cross(forces, [0.0, 1.0, 0.0])
    side *= 0.01 / np.linalg.norm(side, axis=1)[:, None]
    beside = virtual_pivot_point(np.vstack([offsets + side, offsets - side]), np.vstack([forces, forces]))
    assert np.abs(beside.point - pivot).max() < 1e-12
    assert beside.spread == pytest.approx(0.01, rel=1e-9)


def test_lines_that_never_meet() -> None:
    with pytest.raises(InvalidInput, match="parallel"):
        virtual_pivot_point(SOLE, np.tile([0.0, 0.0, 100.0], (4, 1)))
    with pytest.raises(InvalidInput, match="flight"):
        virtual_pivot_point(SOLE, np.zeros((4, 3)))


def test_plain_lists_will_do() -> None:
    assert capture_point([0.1, 0.0, 0.8], [0.0, 0.0, 0.0]).tolist() == [0.1, 0.0]  # type: ignore[arg-type]
    found = centroidal_moment_pivot([0.1, 0.2, 0.8], [0.0, 0.0, 5.0])  # type: ignore[arg-type]
    assert found.tolist() == [0.1, 0.2]
    with pytest.raises(InvalidInput, match=r"velocity is .* must be finite"):
        capture_point(np.array([0.0, 0.0, 0.8]), np.full(3, np.nan))


def test_nothing_carries() -> None:
    with pytest.raises(InvalidInput, match="carries -1 N"):
        zmp_of_wrench(np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0]))
    with pytest.raises(InvalidInput, match="must be above it"):
        natural_frequency(-0.1)
    with pytest.raises(InvalidInput, match=r"gravity is -9\.81"):
        natural_frequency(0.9, gravity=-9.81)
    with pytest.raises(InvalidInput, match="carries 0 N"):
        center_of_pressure(SOLE, -np.ones((4, 3)))
