"""The five-mass model against derivatives of its momentum, Pinocchio, and itself the other way round."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.arrays import Array
from footfall.math import quaternions as qn
from footfall.math.interpolation import constant, quintic_spline, rest_to_rest
from footfall.math.quaternion_splines import CubicQuaternionSpline
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.rotations import matrix_from_quaternion, quaternion_from_rotation_vector
from footfall.math.trajectories import PolynomialTrajectory, stack
from footfall.motion.centre_of_mass import plan_centre_of_mass
from footfall.motion.draft import Draft
from footfall.motion.five_mass import masses_of, torso_heights, zero_moment_point
from footfall.motion.limbs import Limbs, centre_of_mass, contact_wrench, sample_limbs, torso_motion
from footfall.motion.torso import horizontal_equation
from tests.motion.walks import lola_model, straight_walk

MODEL = lola_model()
GRAVITY = np.array([0.0, 0.0, -MODEL.gravity])
SEEDS = st.integers(0, 2**32 - 1)
AT = np.linspace(0.23, 1.79, 9)  # not at break points: third derivatives jump there
STEP = 1e-4


def wobble(rng: np.random.Generator, middle: Any, size: float) -> PolynomialTrajectory:
    """A smooth random curve over 2 s."""
    middle = np.atleast_1d(np.asarray(middle, dtype=float))
    times = np.linspace(0.0, 2.0, 5)
    return quintic_spline(times, middle + size * rng.normal(size=(5, len(middle))))


def random_draft(
    seed: int, *, blending: bool = True, wrenches: bool = True
) -> tuple[Draft, PolynomialTrajectory]:
    """Everything moves, turns and pushes; and a torso that moves too."""
    rng = np.random.default_rng(seed)
    controls = qn.aligned(quaternion_from_rotation_vector(0.4 * rng.normal(size=(4, 3))))
    turn = QuaternionTrajectory(CubicQuaternionSpline(controls[None]), rest_to_rest([0.0, 2.0], [0.0, 1.0]))
    chosen = [
        rest_to_rest([0.0, 1.0, 2.0], rng.uniform(0.0, 1.0, 3)) if blending else constant(1.0, 0.0, 2.0)
        for _ in range(2)
    ]
    load = stack([constant(np.zeros(4), 0.0, 2.0), wobble(rng, np.zeros(12), 30.0 if wrenches else 0.0)])
    limbs = [
        wobble(rng, place, 0.1) for place in ((0, -0.14, 0), (0, 0.14, 0), (0.2, -0.3, 1), (0.2, 0.3, 1))
    ]
    draft = Draft(
        wobble(rng, [0.0, 0.0, 0.02], 0.05),
        *limbs,
        constant(0.0, 0.0, 2.0),
        constant(0.0, 0.0, 2.0),
        *chosen,
        load,
        turn,
        turn,
        turn,
        turn,
        np.array([0.0, 2.0]),
        np.array([0.9, 0.9]),
        0.8,
    )
    return draft, wobble(rng, [0.0, 0.0, 1.15], 0.05)


def masses(limbs: Limbs) -> Array:
    """Torso, feet, hands (5, k)."""
    hands = (
        MODEL.mass
        * MODEL.hand_share
        * np.stack([limbs.right_selection[0, :, 0], limbs.left_selection[0, :, 0]])
    )
    feet = np.full_like(hands, MODEL.mass * MODEL.foot_share)
    return np.concatenate([(MODEL.mass - feet.sum(0) - hands.sum(0))[None], feet, hands])


def static_torso(limbs: Limbs, zmp: Array) -> Array:
    """Where (k, 2) the torso must stand for a zero moment point (k, 3) if nothing moves.

    Seiwald 2023, (F.14), (F.15).
    """
    m, hands = masses(limbs), (limbs.right_hand[0], limbs.left_hand[0])
    places = np.stack([limbs.right_foot[0], limbs.left_foot[0], *hands])
    load = np.cross(MODEL.mass * zmp - np.einsum("ek,ekd->kd", m[1:], places), GRAVITY)
    wrenches = np.split(limbs.wrenches, 2, axis=1)
    selections = (limbs.right_selection[0], limbs.left_selection[0])
    for hand, selection, wrench in zip(hands, selections, wrenches, strict=True):
        load += selection * (np.cross(zmp - hand, wrench[:, :3]) - wrench[:, 3:])
    return np.stack([load[:, 1], -load[:, 0]], axis=1) / (m[0] * MODEL.gravity)[:, None]


def torso_height(limbs: Limbs, heights: Array) -> Array:
    """As the first cycle does: for wanted heights (k,) of the centre of mass."""
    return torso_heights(limbs.samples, heights, masses_of(MODEL))


def points(limbs: Limbs, torso: Array) -> Array:
    """Torso, feet, hands (3, 5, k, 3)."""
    return np.stack([torso, limbs.right_foot, limbs.left_foot, limbs.right_hand, limbs.left_hand], axis=1)


def momenta(draft: Draft, torso: PolynomialTrajectory, at: Array) -> tuple[Array, Array]:
    """Linear and angular momentum (k, 3) about the world's origin, Seiwald 2023, (F.2), (F.4)."""
    limbs = sample_limbs(draft, at)
    m, r = masses(limbs), points(limbs, torso.sample(at))
    matrices = matrix_from_quaternion(limbs.quaternion)
    inertia = matrices @ MODEL.torso_inertia @ matrices.transpose(0, 2, 1)
    spin = np.einsum("kij,kj->ki", inertia, limbs.spin)
    return np.einsum("ek,ekd->kd", m, r[1]), np.einsum("ek,ekd->kd", m, np.cross(r[0], r[1])) + spin


@given(SEEDS)
@settings(max_examples=15)
def test_contact_wrench_is_the_rate_of_momentum(seed: int) -> None:
    """By central differences: their error falls with the square of the step, 1e-8 here."""
    draft, torso = random_draft(seed)
    limbs = sample_limbs(draft, AT)
    after, before = (momenta(draft, torso, AT + step) for step in (STEP, -STEP))
    linear, angular = ((a - b) / (2 * STEP) for a, b in zip(after, before, strict=True))
    m, r = masses(limbs), points(limbs, torso.sample(AT))
    chosen = np.stack([limbs.right_selection[0], limbs.left_selection[0]])
    forces, torques = limbs.wrenches.reshape(-1, 2, 6)[..., :3], limbs.wrenches.reshape(-1, 2, 6)[..., 3:]
    force, torque = contact_wrench(limbs, torso.sample(AT), MODEL)
    for hand in range(2):
        linear = linear - chosen[hand] * forces[:, hand]
        angular = angular - chosen[hand] * (np.cross(r[0, 3 + hand], forces[:, hand]) + torques[:, hand])
    weight = np.einsum("ek,ekd->kd", m, np.cross(r[0], GRAVITY))
    np.testing.assert_allclose(force, linear - MODEL.mass * GRAVITY, atol=2e-4)
    np.testing.assert_allclose(torque, angular - weight, atol=2e-4)


@given(SEEDS)
@settings(max_examples=15)
def test_the_equation_of_the_torso_is_the_zero_moment_point(seed: int) -> None:
    """Residual = force times the distance of the recomputed from the wanted zero moment point, to rounding."""
    draft, torso = random_draft(seed)
    limbs = sample_limbs(draft, AT)
    motion, zmp = torso.sample(AT), draft.zmp.sample(AT, 0)
    alpha, beta, gamma, taus = horizontal_equation(draft, MODEL, torso.component(2), AT)
    wrench = contact_wrench(limbs, motion, MODEL)
    found = zero_moment_point(wrench, zmp[0, :, 2])
    for axis, tau in enumerate(taus.T):
        residual = alpha * motion[2, :, axis] + beta * motion[1, :, axis] + gamma * motion[0, :, axis] - tau
        shift = (found[:, axis] - zmp[0, :, axis]) * wrench.force[:, 2]
        np.testing.assert_allclose(residual, shift, atol=1e-9)


@given(SEEDS)
@settings(max_examples=15)
def test_centre_of_mass_and_torso_are_inverse(seed: int) -> None:
    """Seiwald 2023, (F.8), (F.9); velocity and acceleration of the former by differences."""
    draft, torso = random_draft(seed)
    limbs, motion = sample_limbs(draft, AT), torso.sample(AT)
    centre = centre_of_mass(limbs, motion, MODEL)
    np.testing.assert_allclose(torso_motion(limbs, centre, MODEL), motion, atol=1e-10)
    weighted = np.einsum("ek,ekd->kd", masses(limbs), points(limbs, motion)[0]) / MODEL.mass
    np.testing.assert_allclose(centre[0], weighted, atol=1e-13)
    after, before = (
        centre_of_mass(sample_limbs(draft, AT + step), torso.sample(AT + step), MODEL)
        for step in (STEP, -STEP)
    )
    np.testing.assert_allclose((after[:2] - before[:2]) / (2 * STEP), centre[1:], atol=1e-5)


@given(SEEDS)
@settings(max_examples=15)
def test_static_torso_puts_the_zero_moment_point_where_it_shall_be(seed: int) -> None:
    """Nothing moves, hands push: Seiwald 2023, (F.10)-(F.16)."""
    draft, _ = random_draft(seed)
    moving = sample_limbs(draft, AT)
    still = [np.concatenate([part[:1], np.zeros_like(part[1:])]) for part in moving[:6]]
    limbs = Limbs(*still, moving.wrenches, moving.quaternion, np.zeros((9, 3)), np.zeros((9, 3)))
    zmp = draft.zmp.sample(AT, 0)[0]
    torso = np.zeros((3, len(AT), 3))
    torso[0, :, :2] = static_torso(limbs, zmp)
    torso[0, :, 2] = torso_height(limbs, np.full(len(AT), 0.9))
    found = zero_moment_point(contact_wrench(limbs, torso, MODEL), zmp[:, 2])
    np.testing.assert_allclose(found, zmp, atol=1e-12)
    assert centre_of_mass(limbs, torso, MODEL)[0, :, 2] == pytest.approx(0.9)


def test_idle_pose() -> None:
    """Seiwald 2023, chapter 4: torso at 1.153846 m, 0.1225 m behind the foot frames."""
    limbs = sample_limbs(straight_walk(), np.array([0.0]))
    assert torso_height(limbs, np.array([0.9]))[0] == pytest.approx(1.153846, abs=1e-6)
    place = static_torso(limbs, np.array([[-0.09555, 0.0, 0.0]]))[0]
    np.testing.assert_allclose(place, [-0.1225, 0.0], atol=1e-6)


def test_leaning_on_a_wall() -> None:
    """50 N at 1.25 m shift the centre of mass by 94.7 mm towards the wall, Seiwald 2023, chapter 6."""
    draft = straight_walk()
    limbs = sample_limbs(draft, np.array([0.0]))
    wrench = np.zeros((1, 12))
    wrench[0, 7] = -50.0
    hand = limbs.left_hand.copy()
    hand[0] = [0.0, 0.65, 1.25]
    limbs = limbs._replace(
        left_hand=hand, left_selection=np.array([[[1.0]], [[0.0]], [[0.0]]]), wrenches=wrench
    )
    zmp = np.array([[-0.09555, 0.0, 0.0]])
    torso = np.zeros((3, 1, 3))
    torso[0, :, :2] = static_torso(limbs, zmp)
    torso[0, :, 2] = torso_height(limbs, np.array([0.9]))
    centre = centre_of_mass(limbs, torso, MODEL)[0, 0]
    assert centre[1] == pytest.approx(0.0947, abs=5e-5)


def test_free_fall_needs_no_ground() -> None:
    """All masses accelerate with gravity, hands do not push, nothing turns."""
    draft, _ = random_draft(1, blending=False, wrenches=False)
    limbs = sample_limbs(draft, AT)
    falling = []
    for part in (limbs.right_foot, limbs.left_foot, limbs.right_hand, limbs.left_hand):
        motion = part.copy()
        motion[2] = GRAVITY
        falling.append(motion)
    limbs = Limbs(*falling, *limbs[4:7], limbs.quaternion, np.zeros((9, 3)), np.zeros((9, 3)))
    torso = np.zeros((3, 9, 3))
    torso[0], torso[2] = [0.1, 0.2, 1.0], GRAVITY
    force, torque = contact_wrench(limbs, torso, MODEL)
    np.testing.assert_allclose(force, 0.0, atol=1e-12)
    np.testing.assert_allclose(torque, 0.0, atol=1e-11)


def test_against_pinocchio() -> None:
    """Five free bodies with constant masses: the rate of their centroidal momentum (peer, independent code)."""
    pinocchio = pytest.importorskip("pinocchio")
    draft, torso = random_draft(3, blending=False, wrenches=False)
    limbs, motion = sample_limbs(draft, AT), torso.sample(AT)
    mass = masses(limbs)[:, 0]
    peer = pinocchio.Model()
    for body in range(5):
        joint = peer.addJoint(0, pinocchio.JointModelFreeFlyer(), pinocchio.SE3.Identity(), f"joint {body}")
        inertia = MODEL.torso_inertia if body == 0 else np.zeros((3, 3))
        peer.appendBodyToJoint(
            joint, pinocchio.Inertia(mass[body], np.zeros(3), inertia), pinocchio.SE3.Identity()
        )
    data = peer.createData()
    places = points(limbs, motion)
    force, torque = contact_wrench(limbs, motion, MODEL)
    centre = centre_of_mass(limbs, motion, MODEL)[0]
    for k in range(len(AT)):
        q, v, a = pinocchio.neutral(peer), np.zeros(30), np.zeros(30)
        matrix = matrix_from_quaternion(limbs.quaternion[k])
        for body in range(5):
            turn = matrix if body == 0 else np.eye(3)
            spin = limbs.spin[k] if body == 0 else np.zeros(3)
            change = limbs.change[k] if body == 0 else np.zeros(3)
            position, velocity, acceleration = places[:, body, k]
            q[7 * body : 7 * body + 3] = position
            if body == 0:
                q[3:7] = limbs.quaternion[k][[1, 2, 3, 0]]
            v[6 * body : 6 * body + 6] = [*(turn.T @ velocity), *(turn.T @ spin)]
            spatial = acceleration - np.cross(spin, velocity)  # Pinocchio's accelerations are spatial ones
            a[6 * body : 6 * body + 6] = [*(turn.T @ spatial), *(turn.T @ change)]
        pinocchio.computeCentroidalMomentumTimeVariation(peer, data, q, v, a)
        expected = np.concatenate(
            [force[k] + MODEL.mass * GRAVITY, torque[k] - np.cross(centre[k], force[k])]
        )
        np.testing.assert_allclose(data.dhg.vector, expected, atol=1e-9)


def test_masses_that_flow_give_another_force_than_the_centre_of_mass() -> None:
    """A negative test: Seiwald 2023. With blending, force and acceleration of the centre of mass do not fit."""
    for blending, fits in ((False, True), (True, False)):
        draft, torso = random_draft(4, blending=blending, wrenches=False)
        limbs, motion = sample_limbs(draft, AT), torso.sample(AT)
        force = contact_wrench(limbs, motion, MODEL).force
        newton = MODEL.mass * (centre_of_mass(limbs, motion, MODEL)[2] - GRAVITY)
        assert np.allclose(force, newton, atol=1e-8) == fits


# The stage


def test_planned_centre_of_mass_is_exact_without_blending() -> None:
    draft = straight_walk()
    _, torso = random_draft(5)
    torso = torso.time_scaled(draft.end_time / 2.0)
    planned, _ = plan_centre_of_mass(draft, torso, MODEL)
    at = np.linspace(0.0, draft.end_time, 3001)
    exact = centre_of_mass(sample_limbs(draft, at), torso.sample(at), MODEL)
    for derivative, tolerance in enumerate((1e-14, 1e-12, 1e-10)):
        np.testing.assert_allclose(planned(at, derivative), exact[derivative], atol=tolerance)


def test_planned_centre_of_mass_with_a_hand_blended_in() -> None:
    """R-02: 1.2 um, 50 um/s, 4 mm/s2 in the source. Here a torso with knots each 0.1 s, a hand into task space."""
    draft = straight_walk()
    times = np.linspace(0.0, draft.end_time, 84)
    rng = np.random.default_rng(1)
    torso = quintic_spline(times, [0.0, 0.0, 1.15] + 0.005 * rng.normal(size=(84, 3)))
    switch = rest_to_rest([0.0, 1.28, 1.856, draft.end_time], [0.0, 0.0, 1.0, 1.0])
    draft = replace(draft, left_selection=switch)
    planned, _ = plan_centre_of_mass(draft, torso, MODEL)
    at = np.linspace(0.0, draft.end_time, 8321)
    exact = centre_of_mass(sample_limbs(draft, at), torso.sample(at), MODEL)
    errors = [np.abs(planned(at, d) - exact[d]).max() for d in range(3)]
    assert errors[0] < 1.2e-6
    assert errors[1] < 50e-6
    assert errors[2] < 4e-3
