"""The torso stages on a straight walk: residuals of the source, bounds of the legs, ends, other robots' limits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_bvp

from footfall.arrays import Array
from footfall.math import quaternions as qn
from footfall.math.collocation import collocate
from footfall.math.interpolation import constant, polyline, rest_to_rest
from footfall.math.least_squares_splines import quadrature_times
from footfall.math.quaternion_splines import CubicQuaternionSpline
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.rotations import quaternion_product, rotate_by_quaternion
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.five_mass import zero_moment_point
from footfall.motion.leg_bounds import (
    HeightRange,
    PlanarStance,
    height_ranges,
    leg_angles,
    legs_of,
    planar_bounds,
)
from footfall.motion.limbs import contact_wrench, sample_limbs
from footfall.motion.parameters import TorsoParameters
from footfall.motion.torso import (
    STAGES,
    end_conditions,
    grid,
    horizontal_equation,
    horizontal_torso,
    plan_torso,
)
from footfall.motion.vertical_torso import legs_at, wanted_height
from tests.motion.legs import leg_samples
from tests.motion.walks import lola_model, straight_walk, walk_times

MODEL = lola_model()
WALK = straight_walk()
FINE = np.linspace(0.0, WALK.end_time, 8321)
BORDERS = walk_times(8)
# Two full steps in the middle.
INNER = np.abs(FINE - (BORDERS[6] + BORDERS[10]) / 2) < (BORDERS[10] - BORDERS[6]) / 2
LEVEL = constant(0.9 / 0.78, 0.0, WALK.end_time)
LEG = MODEL.leg


def place(method: Any, distance: float) -> PolynomialTrajectory:
    return horizontal_torso(
        WALK,
        MODEL,
        TorsoParameters(method=method),
        height=LEVEL,
        times=grid(WALK, distance),
        ends=end_conditions(WALK, MODEL),
    )


def residuals(method: Any, distance: float) -> tuple[Array, Array]:
    """Root mean squares (2,), N m, of two steps in the middle and of the whole walk."""
    equation = horizontal_equation(WALK, MODEL, LEVEL, FINE)
    found = equation.residual(place(method, distance).sample(FINE))
    return np.sqrt(np.mean(found[INNER] ** 2, axis=0)), np.sqrt(np.mean(found**2, axis=0))


@pytest.mark.parametrize(
    ("distance", "cubic", "quintic"),
    [
        (0.2, [[9.74, 8.84], [9.44, 9.42]], [[6.92, 7.34], [7.88, 9.12]]),
        (0.1, [[2.10, 1.98], [5.80, 7.38]], [[1.00, 1.17], [6.57, 8.53]]),
        (0.05, [[0.94, 0.94], [7.24, 9.38]], [[0.54, 0.57], [8.87, 11.5]]),
    ],
)
def test_residuals_of_the_source_and_less(distance: float, cubic: Any, quintic: Any) -> None:
    """The table of Seiwald 2023, section 6.14.2; least squares beats both in the middle and over the whole walk."""
    found = {method: residuals(method, distance) for method in ("cubic", "quintic", "least_squares")}
    np.testing.assert_allclose(found["cubic"], cubic, rtol=0.012)
    np.testing.assert_allclose(found["quintic"], quintic, rtol=0.012)
    for part in range(2):
        assert (found["least_squares"][part] < found["cubic"][part]).all()
        assert (found["least_squares"][part] < found["quintic"][part]).all()


def test_ends_are_kept_and_the_equation_holds_where_it_shall() -> None:
    start, end = end_conditions(WALK, MODEL)
    equation = horizontal_equation(WALK, MODEL, LEVEL, FINE)
    for method in ("cubic", "quintic", "least_squares"):
        torso = place(method, 0.1)
        motion = torso.sample(np.array([0.0, WALK.end_time]))
        np.testing.assert_allclose(motion, np.stack([start, end], axis=1), atol=1e-9)
        ends = equation.residual(torso.sample(FINE))[[0, -1]]
        np.testing.assert_allclose(ends, 0.0, atol=1e-6)
        if method != "least_squares":
            sites = grid(WALK, 0.1)[1:-1].copy()
            at_sites = horizontal_equation(WALK, MODEL, LEVEL, sites).residual(torso.sample(sites))
            np.testing.assert_allclose(at_sites, 0.0, atol=1e-8)


def test_one_factorisation_for_x_and_y_gives_two_solutions() -> None:
    times = grid(WALK, 0.1)
    equation = horizontal_equation(WALK, MODEL, LEVEL, times[1:-1].copy())
    start, end = end_conditions(WALK, MODEL)
    both = place("quintic", 0.1)
    for axis, sign in ((0, 1.0), (1, -1.0)):
        left = (sign * part for part in equation[:3])
        alone = equation._make([*left, sign * equation.tau[:, axis : axis + 1]])
        single = collocate(times, alone, start[:, axis], end[:, axis])
        np.testing.assert_allclose(both(FINE)[:, axis], single(FINE)[:, 0], atol=1e-10)


def test_the_recomputed_zero_moment_point_stays_near_the_wanted_one() -> None:
    """Largest distances: source's quintic 114 and 141 mm within the first 0.1 s; least squares 35 and 44 mm."""
    found = {}
    for method in ("quintic", "least_squares"):
        torso = np.concatenate([place(method, 0.1).sample(FINE), LEVEL.sample(FINE)], axis=2)
        wrench = contact_wrench(sample_limbs(WALK, FINE), torso, MODEL)
        found[method] = np.abs(zero_moment_point(wrench, np.zeros(len(FINE))) - WALK.zmp(FINE)).max(axis=0)[
            :2
        ]
    np.testing.assert_allclose(found["quintic"], [0.114, 0.141], atol=2e-3)
    np.testing.assert_allclose(found["least_squares"], [0.035, 0.044], atol=2e-3)


@pytest.mark.parametrize("distance", [0.021, 0.0042])
def test_no_oscillation_and_no_spike_on_fine_grids(distance: float) -> None:
    """R-16: the lateral motion stays; collocation has accelerations that grow as 1 / distance, least squares none."""
    torso = place("least_squares", distance)
    inner = torso(FINE[INNER])[:, 1]
    assert inner.min() == pytest.approx(-0.0326, abs=3e-4)
    assert inner.max() == pytest.approx(0.0327, abs=3e-4)
    assert np.abs(torso(FINE, 2)[:, 1]).max() < 0.65
    assert np.abs(place("quintic", distance)(FINE, 2)[:, 1]).max() > 0.12 / distance


def test_the_middle_is_that_of_scipy_with_positions_alone() -> None:
    """The influence of the ends decays like exp(-sqrt(g / z) d): solve_bvp with two of the six conditions."""
    start, end = end_conditions(WALK, MODEL)

    def rates(t: Array, y: Array) -> Array:
        alpha, beta, gamma, tau = horizontal_equation(WALK, MODEL, LEVEL, np.ascontiguousarray(t))
        return np.stack([y[1], (tau[:, 1] - beta * y[1] - gamma * y[0]) / alpha])

    mesh = np.unique(np.concatenate([np.linspace(0.0, WALK.end_time, 600), BORDERS]))
    solution = solve_bvp(
        rates,
        lambda a, b: np.array([a[0] - start[0, 1], b[0] - end[0, 1]]),
        mesh,
        np.zeros((2, len(mesh))),
        tol=1e-5,
        max_nodes=20_000,
    )
    ours = place("least_squares", 0.05)
    middle = FINE[INNER]
    assert np.abs(ours(middle)[:, 1] - solution.sol(middle)[0]).max() < 1e-4


def test_a_pendulum_in_closed_form() -> None:
    """No limbs, no inertia, constant height: r'' = w^2 (r - p), p a ramp; cosh and sinh with ends that fit."""
    model = replace(MODEL, foot_share=0.0, hand_share=0.0, torso_inertia=np.zeros((3, 3)))
    last = 2.0
    walk = straight_walk(2)
    draft = replace(
        walk,
        zmp=polyline([0.0, last], [[0.0, 0.0, 0.0], [0.2, 0.1, 0.0]]),
        pose_times=np.array([0.0, last]),
        com_heights=np.array([0.9, 0.9]),
    )
    height = constant(0.9, 0.0, last)
    w = np.sqrt(model.gravity / 0.9)

    def exact(t: Any, derivative: int) -> Array:
        free = w**derivative * (0.01 * np.exp(-w * t) * (-1) ** derivative + 0.0004 * np.exp(w * t))
        ramp = (
            np.stack([0.1 * t, 0.05 * t], axis=-1)
            if derivative == 0
            else np.array([0.1, 0.05]) * (derivative == 1)
        )
        return np.asarray(free)[..., None] + ramp

    ends = tuple(np.stack([exact(np.array(t), d) for d in range(3)]) for t in (0.0, last))
    at = np.linspace(0.0, last, 400)
    errors = []
    for count in (10, 20):
        torso = horizontal_torso(
            draft, model, TorsoParameters(), height=height, times=np.linspace(0.0, last, count + 1), ends=ends
        )
        errors.append(np.abs(torso(at) - exact(at, 0)).max())
    assert errors[0] < 3e-6
    assert np.log2(errors[0] / errors[1]) > 4.5


def test_whole_plan_of_the_torso() -> None:
    plan = plan_torso(WALK, MODEL)
    assert plan.trajectory.dimension == 3
    assert len(plan.overlaps) == 0
    assert tuple(plan.stage_seconds) == STAGES
    times = plan.times
    heights = plan.trajectory(times)[:, 2]
    inside = (heights >= plan.lowest - 1e-9) & (heights <= plan.highest + 1e-9)
    assert inside[1:-1].all()
    assert np.abs(plan.trajectory(FINE, 2)[:, 2]).max() <= 0.5 * MODEL.gravity
    motion = plan.trajectory.sample(np.array([0.0, WALK.end_time]))
    np.testing.assert_allclose(motion[1:], 0.0, atol=1e-9)
    np.testing.assert_allclose(motion[0, :, 2], 0.9 / 0.78, atol=1e-9)


def test_a_torso_that_continues_a_motion() -> None:
    start = np.array([[-0.1, 0.01, 1.14], [0.05, -0.02, 0.01], [0.1, 0.2, -0.3]])
    plan = plan_torso(replace(WALK, torso_start=start), MODEL)
    np.testing.assert_allclose(plan.trajectory.sample(np.array([0.0]))[:, 0], start, atol=1e-9)
    assert plan.first_height(0.0)[0] == pytest.approx(1.14)


def test_the_first_cycle_goes_to_wanted_heights() -> None:
    walk = replace(WALK, com_heights=0.9 - 0.01 * (np.arange(len(WALK.pose_times)) % 2))
    first = wanted_height(walk, MODEL)
    np.testing.assert_allclose(first(walk.pose_times)[:, 0], walk.com_heights / 0.78, atol=2e-2)
    assert first(walk.pose_times)[0, 0] == pytest.approx(0.9 / 0.78)
    np.testing.assert_allclose(first.sample(walk.pose_times)[1:], 0.0, atol=1e-9)


def test_bounds_bind_when_the_torso_is_wanted_too_high() -> None:
    """Wanted above the stretched leg: the second cycle stays 5 mm below what the legs can reach."""
    high = replace(WALK, com_heights=np.r_[0.9, np.full(len(WALK.pose_times) - 2, 0.97), 0.9])
    plan = plan_torso(high, MODEL)
    inner = slice(2, -2)
    heights = plan.trajectory(plan.times)[:, 2]
    wanted = plan.first_height(plan.times)[:, 0]
    assert (wanted > plan.highest)[inner].any()
    limits = height_ranges(legs_at(high, plan.times), plan.first_place(plan.times), legs_of(MODEL))
    highest = limits["highest"].min(axis=1)
    assert (heights[inner] <= highest[inner] - 0.005 + 1e-4).all()
    assert np.abs(plan.trajectory(FINE, 2)[:, 2]).max() <= 0.5 * MODEL.gravity


# Bounds of the legs


def brute_bounds(
    foot_x: float, foot_z: float, pitch: float, toe: float, torso_x: float, body: float
) -> tuple[float, float]:
    """The source's way: sample the ankle, keep what fits, Seiwald 2023, appendix E."""
    l1, l2, l3, l4 = LEG.toe_height, LEG.toe_shift, LEG.mid_foot_length, LEG.mid_foot_height
    l5, l6, l7 = LEG.lower_leg, LEG.upper_leg, LEG.hip_to_torso
    ankle = np.linspace(*LEG.ankle_limits, 20_001)
    alpha = pitch - toe
    beta = alpha - ankle
    x = foot_x + l1 * np.sin(pitch) - l2 * np.cos(pitch) - l3 * np.cos(alpha) + l4 * np.sin(alpha)
    chi = (x - torso_x) / l6 + l5 / l6 * np.sin(beta) + l7 / l6 * np.sin(body)
    knee = beta + np.arcsin(np.clip(chi, -1.0, 1.0))
    hip = beta - knee - body
    fits = (np.abs(chi) <= 1) & (knee >= LEG.knee_limits[0]) & (knee <= LEG.knee_limits[1])
    fits = fits & (hip >= LEG.hip_limits[0]) & (hip <= LEG.hip_limits[1])
    z = foot_z + l1 * np.cos(pitch) + l2 * np.sin(pitch) + l3 * np.sin(alpha) + l4 * np.cos(alpha)
    z = z + l5 * np.cos(beta) + l6 * np.cos(knee - beta) + l7 * np.cos(body)
    return (float(z[fits].min()), float(z[fits].max())) if fits.any() else (np.inf, -np.inf)


def test_bounds_of_the_idle_pose() -> None:
    """Seiwald 2023, appendix E: [1.0224, 1.2311] m."""
    np.testing.assert_allclose(
        planar_bounds(LEG, PlanarStance(0.0, 0.0, 0.0, 0.0, -0.1225, 0.0)), [1.0224, 1.2311], atol=5e-5
    )


def test_bounds_in_closed_form_against_samples() -> None:
    """Samples lie within the bounds and come close to them: within 6 mm with 20,001 ankles, where the height is
    steep (a thigh that is nearly level)."""
    rng = np.random.default_rng(0)
    reached = 0
    for _ in range(300):
        case = rng.normal(size=6) * [0.2, 0.1, 0.3, 0.3, 0.4, 0.3]
        low, high = planar_bounds(LEG, PlanarStance(*case))
        lowest, highest = brute_bounds(*case)
        assert np.isfinite(low) == np.isfinite(lowest)
        if np.isfinite(low):
            reached += 1
            assert lowest - 6e-3 <= low <= lowest + 1e-9
            assert highest - 1e-9 <= high <= highest + 6e-3
    assert 150 < reached < 290


def test_a_torso_before_the_hips_is_a_torso_above_hips_further_back() -> None:
    ahead = 0.04
    leg = replace(MODEL.leg, torso_ahead=ahead)
    for body in (0.0, 0.2):
        before = PlanarStance(0.0, 0.0, 0.05, 0.0, -0.1, body)
        shifted = np.array(planar_bounds(leg, before)) + ahead * np.sin(body)
        above = planar_bounds(LEG, before._replace(torso_x=-0.1 - ahead * np.cos(body)))
        np.testing.assert_allclose(shifted, above, rtol=1e-14)


def test_bounds_turn_with_the_robot() -> None:
    """The plane of the legs is that of the upper body: turning everything about z changes nothing."""
    rng = np.random.default_rng(2)
    count = 20
    feet = rng.normal(size=(2, count, 3)) * 0.1
    pitch = qn.from_axis_angle([0.0, 1.0, 0.0], rng.normal(size=(2, count)) * 0.2)
    body = qn.from_axis_angle([0.0, 1.0, 0.0], rng.normal(size=count) * 0.1)
    toes = rng.normal(size=(2, count)) * 0.1
    torso = rng.normal(size=(count, 2)) * 0.05
    legs = legs_of(MODEL)
    expected = height_ranges(leg_samples(feet, pitch, toes, body), torso, legs)
    turn = qn.from_axis_angle([0.0, 0.0, 1.0], 0.9)
    far = np.concatenate([torso, np.zeros((count, 1))], axis=1)
    turned = leg_samples(
        rotate_by_quaternion(turn, feet),
        quaternion_product(turn, pitch),
        toes,
        quaternion_product(turn, body),
    )
    found = height_ranges(turned, rotate_by_quaternion(turn, far)[:, :2].copy(), legs)
    mirrored = height_ranges(leg_samples(feet[::-1], pitch[::-1], -toes[::-1], body), torso, legs)
    for bound in HeightRange._fields:
        np.testing.assert_allclose(found[bound], expected[bound], atol=1e-9)
        np.testing.assert_allclose(mirrored[bound][:, ::-1], expected[bound], atol=1e-12)


def test_quadrature_and_grid_cover_the_walk() -> None:
    times = grid(WALK, 0.1)
    assert len(times) == 84
    inside = quadrature_times(times)
    assert len(inside) == 3 * 83
    assert ((inside > 0.0) & (inside < WALK.end_time)).all()
    assert len(grid(replace(WALK, pose_times=np.array([0.0, 0.05])), 0.1)) == 3


def test_a_turning_upper_body_changes_what_the_torso_does() -> None:
    """The torso's inertia counts: a bow shifts the place by what its angular momentum asks for."""
    keys = qn.from_axis_angle([0.0, 1.0, 0.0], np.array([0.0, 0.0, 0.26, 0.26]))
    bow = QuaternionTrajectory(
        CubicQuaternionSpline(keys[None]), rest_to_rest([0.0, 3.0, 4.0, WALK.end_time], [0.0, 0.0, 1.0, 1.0])
    )
    bowing = replace(WALK, upper_body=bow)
    ends = end_conditions(bowing, MODEL)
    straight, bent = (
        horizontal_torso(draft, MODEL, TorsoParameters(), height=LEVEL, times=grid(WALK, 0.1), ends=ends)
        for draft in (WALK, bowing)
    )
    shift = (bent - straight)(np.linspace(2.5, 4.5, 50))
    assert np.abs(shift[:, 0]).max() > 1e-3
    assert np.abs(shift[:, 1]).max() < 2e-4


def test_legs_that_contradict_each_other() -> None:
    """One foot 0.5 m above the other: no height suits both legs while it is up there; the walk is still planned."""
    end = WALK.end_time
    up = rest_to_rest([0.0, 2.0, 3.0, 5.0, 6.0, end], [0.0, 0.0, 0.5, 0.5, 0.0, 0.0])
    climbing = replace(WALK, right_foot=WALK.right_foot + up.mapped(np.array([[0.0], [0.0], [1.0]])))
    plan = plan_torso(climbing, MODEL)
    assert len(plan.overlaps) > 10
    assert 2.0 < plan.overlaps.min() < plan.overlaps.max() < 6.0
    assert np.abs(plan.trajectory(FINE, 2)[:, 2]).max() <= 0.5 * MODEL.gravity


def test_leg_angles_of_the_idle_pose_and_at_the_bounds() -> None:
    """Seiwald 2023, chapter 4: knee 48.66, ankle -26.22, hip -22.43 degrees. At a bound a joint is at its limit."""
    nothing = np.zeros(1)
    torso = np.array([[-0.1225, 0.9 / 0.78]])
    hip, knee, ankle = np.rad2deg(
        leg_angles(MODEL.leg, np.zeros((1, 2)), nothing, nothing, torso, nothing)[:, 0]
    )
    assert (knee, ankle, hip) == pytest.approx((48.66, -26.22, -22.43), abs=0.01)
    rng = np.random.default_rng(3)
    limits = np.array([MODEL.leg.hip_limits, MODEL.leg.knee_limits, MODEL.leg.ankle_limits])
    for _ in range(50):
        x, z, pitch, toe, torso_x, body = rng.normal(size=6) * [0.1, 0.1, 0.2, 0.2, 0.2, 0.2]
        for height in planar_bounds(LEG, PlanarStance(x, z, pitch, toe, torso_x, body)):
            if np.isfinite(height):
                angles = leg_angles(
                    MODEL.leg,
                    np.array([[x, z]]),
                    np.array([pitch]),
                    np.array([toe]),
                    np.array([[torso_x, height]]),
                    np.array([body]),
                )[:, 0]
                room = np.minimum(angles - limits[:, 0], limits[:, 1] - angles).min()
                level = np.pi / 2 - abs(angles[0] + body)  # a thigh that is level counts as a limit
                assert min(room, level) == pytest.approx(0.0, abs=1e-6)
