"""Contact problems of robots: both ways to the Delassus matrix, the terms of the normal law, wrong input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.contact.assembly import build_contact_problem, contact_jacobian
from footfall.contact.contacts import Contacts, contact_frame
from footfall.contact.options import ContactOptions, JointRows
from footfall.contact.problem import ContactProblem
from footfall.errors import InvalidInput, UnknownName
from footfall.robot.model import WORLD, Body, Joint, JointType, Robot
from tests.random_robots import random_robot, random_rotation

DT = 1e-3


def ball(mass: float = 2.0) -> Robot:
    body = Body("ball", mass, np.zeros(3), 0.01 * np.eye(3))
    return Robot("ball", (body,), (Joint("root", JointType.FLOATING, WORLD, "ball"),))


def ground_contact(**values: Any) -> Contacts:
    data: dict[str, Any] = {"gaps": 0.0, "friction": 0.5, **values}
    return Contacts(["ball"], np.zeros(3), np.eye(3), data.pop("gaps"), data.pop("friction"), **data)


def ball_problem(v: Array, contacts: Contacts, **options: Any) -> ContactProblem:
    robot = ball()
    return build_contact_problem(robot, footfall.neutral(robot), v, np.zeros(6), contacts, dt=DT, **options)


def random_contacts(robot: Robot, rng: np.random.Generator, count: int) -> Contacts:
    names = [body.name for body in robot.bodies]
    bodies = [str(rng.choice(names)) for _ in range(count)]
    others = [str(rng.choice([*names, WORLD])) for _ in range(count)]
    return Contacts(
        bodies,
        rng.normal(size=(count, 3)),
        np.array([random_rotation(rng) for _ in range(count)]),
        np.zeros(count),
        np.full(count, 0.5),
        others=others,
        other_points=rng.normal(size=(count, 3)),
    )


@pytest.mark.parametrize("seed", range(3))
def test_unit_forces_give_the_factorised_delassus_matrix(seed: int) -> None:
    robot = random_robot(seed, joints=5)
    rng = np.random.default_rng(seed)
    q = footfall.random_configuration(robot, seed=seed)
    v, tau = rng.normal(size=(2, robot.nv))
    contacts = random_contacts(robot, rng, 3)
    options: dict[str, Any] = {"dt": DT, "joints": JointRows(limit_margin=np.inf)}
    factorised = build_contact_problem(robot, q, v, tau, contacts, **options)
    pushed = build_contact_problem(robot, q, v, tau, contacts, method="unit forces", **options)
    scale = np.abs(factorised.delassus).max()
    np.testing.assert_allclose(pushed.delassus, factorised.delassus, atol=1e-10 * scale)
    np.testing.assert_allclose(
        pushed.response, factorised.response, atol=1e-10 * np.abs(pushed.response).max()
    )
    direct = factorised.jacobian @ np.linalg.solve(footfall.mass_matrix(robot, q), factorised.jacobian.T)
    np.testing.assert_allclose(factorised.delassus, direct, atol=1e-9 * scale)
    assert np.linalg.eigvalsh(factorised.delassus).min() > -1e-10 * scale


def test_jacobian_is_the_rate_of_the_contact_points() -> None:
    robot = random_robot(11, joints=5)
    rng = np.random.default_rng(11)
    q = footfall.random_configuration(robot, seed=1)
    v = rng.normal(size=robot.nv)
    contacts = random_contacts(robot, rng, 4)

    def positions(at: Array) -> Array:
        first, second = [], []
        for index in range(len(contacts)):
            first.append(footfall.frame_pose(robot, at, contacts.bodies[index]).apply(contacts.points[index]))
            pose = footfall.frame_pose(robot, at, contacts.others[index])
            second.append(pose.apply(contacts.other_points[index]))
        return np.array(first) - np.array(second)

    h = 1e-6
    rate = (
        positions(footfall.integrate(robot, q, h * v)) - positions(footfall.integrate(robot, q, -h * v))
    ) / (2 * h)
    expected = np.einsum("mij,mi->mj", contacts.rotations, rate).ravel()
    np.testing.assert_allclose(contact_jacobian(robot, q, contacts) @ v, expected, atol=1e-6)


def test_quadruped_in_its_stance_has_the_contact_inertia_of_the_source() -> None:
    # Ayit 2015, table 5.1: W = diag(0.846, 0.287, 0.203) 1/kg with W_xz = 0.113, for foot height 0.05.
    robot = footfall.load("quadruped")
    contacts = Contacts(["RB", "LB", "RF", "LF"], np.zeros(3), np.eye(3), 0.0, 0.3)
    q, zero = robot.configuration("stand"), np.zeros(robot.nv)
    problem = build_contact_problem(robot, q, zero, zero, contacts, dt=5e-4, joints=JointRows(friction=False))
    foot = problem.delassus[:3, :3]
    np.testing.assert_allclose(np.diag(foot), [0.846, 0.287, 0.203], atol=6e-4)
    assert abs(foot[0, 2]) == pytest.approx(0.113, abs=6e-4)
    assert np.linalg.cond(problem.delassus[2:12:3, 2:12:3]) < 4.8


def test_bias_is_the_free_velocity_with_the_gap() -> None:
    v = np.array([0.3, -0.2, -1.0, 0.0, 0.0, 0.0])
    problem = ball_problem(v, ground_contact(gaps=2e-3))
    np.testing.assert_allclose(problem.bias, [0.3, -0.2, -1.0 - 9.81 * DT + 2e-3 / DT])
    source = ball_problem(v, ground_contact(gaps=2e-3), options=ContactOptions(gap_term="source"))
    np.testing.assert_allclose(source.bias, [0.3, -0.2, -1.0 - 9.81 * DT])


def test_restitution_only_above_the_threshold_and_when_it_closes() -> None:
    def normal(speed: float, gap: float) -> float:
        v = np.array([0.0, 0.0, -speed, 0.0, 0.0, 0.0])
        return float(ball_problem(v, ground_contact(gaps=gap, restitution=0.5)).bias[2])

    assert normal(1.0, 0.0) == pytest.approx(-1.0 - 9.81 * DT - 0.5)  # v+ >= 0.5 v-
    assert normal(0.01, 0.0) == pytest.approx(-0.01 - 9.81 * DT)  # slower than 2 g dt
    assert normal(1.0, 0.1) == pytest.approx(-1.0 - 9.81 * DT + 100.0)  # does not arrive in this step


def test_viscous_friction_widens_the_bound() -> None:
    v = np.array([3.0, 4.0, 0.0, 0.0, 0.0, 0.0])
    problem = ball_problem(v, ground_contact(viscous_friction=0.4))
    np.testing.assert_allclose(problem.extra, [0.4 * 5.0 * DT])


def test_moving_surface_counts_in_relative_velocity() -> None:
    problem = ball_problem(np.zeros(6), ground_contact(surface_velocity=np.array([1.0, 0.0, 0.0])))
    np.testing.assert_allclose(problem.bias[:2], [-1.0, 0.0])


def test_soft_contact_is_an_implicit_spring_damper() -> None:
    # One body on a spring: p = -dt (k (gap + dt v) + d v) with v the velocity after the step.
    k, d, gap = 1e4, 30.0, -1e-3
    problem = ball_problem(np.zeros(6), ground_contact(gaps=gap, stiffness=k, damping=d))
    p = -problem.bias[2] / (problem.delassus[2, 2] + problem.compliance[2])
    v = -9.81 * DT + p * problem.delassus[2, 2]
    assert p == pytest.approx(-DT * (k * (gap + DT * v) + d * v), rel=1e-12)


def test_joint_limits_and_dry_friction_are_rows() -> None:
    link = Body("link", 1.0, np.array([0.0, 0.0, -0.5]), 0.1 * np.eye(3))
    hinge = Joint(
        "hinge",
        JointType.REVOLUTE,
        WORLD,
        "link",
        axis=(0.0, 1.0, 0.0),
        lower=(-1.0,),
        upper=(1.0,),
        friction=0.55,
    )
    robot = Robot("pendulum", (link,), (hinge,))
    nothing = Contacts([], np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros(0), np.zeros(0))
    problem = build_contact_problem(robot, np.array([0.95]), np.array([2.0]), np.zeros(1), nothing, dt=DT)
    assert (problem.limits, problem.limited, problem.dry) == (1, ((0, -1),), (0,))
    np.testing.assert_allclose(problem.box, [0.55 * DT])
    free = problem.free_velocity[0]
    np.testing.assert_allclose(problem.bias, [-free + 0.05 / DT, free])
    np.testing.assert_allclose(problem.velocity_after(np.array([0.0, 1.0])), free + 1 / 0.35)


@pytest.mark.parametrize("seed", range(20))
def test_contact_frames_are_right_handed_with_x_along_x(seed: int) -> None:
    normal = random_rotation(np.random.default_rng(seed))[:, 2]
    frame = contact_frame(normal)
    np.testing.assert_allclose(frame.T @ frame, np.eye(3), atol=1e-14)
    assert np.linalg.det(frame) == pytest.approx(1.0)
    np.testing.assert_array_equal(frame[:, 2], normal)
    assert frame[0, 0] > 0.0
    assert frame[0, 1] == pytest.approx(0.0, abs=1e-15)


def test_contact_frame_of_a_wall_falls_back_to_y() -> None:
    np.testing.assert_allclose(contact_frame(np.array([1.0, 0.0, 0.0]))[:, 0], [0.0, 1.0, 0.0])


def test_wrong_input_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"friction of contact 0 is -0\.1"):
        ground_contact(friction=-0.1)
    with pytest.raises(InvalidInput, match=r"restitution of contact 0 is 1\.5"):
        ground_contact(restitution=1.5)
    with pytest.raises(InvalidInput, match="gaps of the contacts holds a NaN"):
        ground_contact(gaps=np.nan)
    with pytest.raises(InvalidInput, match="not orthonormal"):
        Contacts(["ball"], np.zeros(3), 2 * np.eye(3), 0.0, 0.5)
    with pytest.raises(InvalidInput, match="delassus has shape"):
        ContactProblem(np.eye(2), np.zeros(3), np.ones(1))
    with pytest.raises(InvalidInput, match="bias of the contact problem holds NaN"):
        ContactProblem(np.eye(3), np.array([0.0, np.nan, 0.0]), np.ones(1))
    with pytest.raises(InvalidInput, match="not symmetric"):
        ContactProblem(np.triu(np.ones((3, 3))), np.zeros(3), np.ones(1))
    with pytest.raises(UnknownName, match="no frame 'bal'"):
        ball_problem(np.zeros(6), Contacts(["bal"], np.zeros(3), np.eye(3), 0.0, 0.5))
    robot, zero = ball(), np.zeros(6)
    with pytest.raises(InvalidInput, match="dt is 0"):
        build_contact_problem(robot, footfall.neutral(robot), zero, zero, ground_contact(), dt=0.0)
