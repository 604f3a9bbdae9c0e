"""Pendulums against their closed forms: energy, exact solutions, gains, and each other."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.linalg import solve_discrete_are

from footfall.control.balance import (
    capture_point,
    divergent_component_after,
    foot_zmp_with_hand,
    natural_frequency,
    pendulum_after,
)
from footfall.control.dual_active_set import SOLVED, RowLimits, inverse_factor, minimise
from footfall.errors import InvalidInput, UnknownName
from footfall.gait.preview import CartTable
from footfall.math.polygons import boundary_distance
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.reduced.divergent import (
    capture_limit,
    capture_radii,
    divergent_before,
    divergent_course,
    hip_strategy_radius,
)
from footfall.motion.reduced.generators import plan_center
from footfall.motion.reduced.pendulum import (
    Pendulum,
    follow_pivots,
    orbital_energy,
    particular_pieces,
    plan_pendulum,
    wanted_pivots,
)
from footfall.motion.reduced.predictive import (
    HORIZON,
    LARGEST_LEAN,
    Edges,
    Held,
    Wanted,
    control_horizon,
    horizon,
    prediction,
)
from footfall.motion.reduced.preview import PERIOD, cart_law, cart_table, follow_cart, shared_pivots
from footfall.motion.reduced.problem import BalanceProblem, CentreMotion
from tests.motion.lola import MODEL
from tests.motion.reduced.problems import WALKING, curved_problem, hand_problem, straight_problem

PENDULUMS = ("lipm", "preview", "dcm", "mpc", "biped")
OMEGA = natural_frequency(MODEL.com_height)


def test_orbital_energy_is_constant_over_a_pivot_that_stays() -> None:
    """E = v^2 / 2 - w^2 x^2 / 2 along the exact solution `x cosh + v / w sinh`."""
    start = np.array([-0.2]), np.array([0.7])
    energy = orbital_energy(*start, OMEGA)
    for time in (0.1, 0.5, 1.3):
        x, v = pendulum_after(*start, np.zeros(1), time, omega=OMEGA)
        assert_allclose(orbital_energy(x, v, OMEGA), energy, atol=1e-13)
    assert abs(orbital_energy(x, v, 1.01 * OMEGA) - energy) > 1e-3  # another pendulum has another energy


def test_particular_solutions_obey_the_equation_of_the_pendulum() -> None:
    """x'' = w^2 (x - p) for polynomials of degree 5, with x'' from the coefficients."""
    rng = np.random.default_rng(3)
    pieces, durations = rng.normal(size=(4, 6, 2)), np.array([0.1, 0.3, 0.8, 2.0])
    solution = particular_pieces(pieces, durations, OMEGA)
    powers = np.arange(5.0, -1.0, -1.0)[None, :, None]
    second = (powers * (powers - 1.0) * solution)[:, :4] / durations[:, None, None] ** 2
    right = OMEGA**2 * (solution - pieces)
    assert_allclose(second, right[:, 2:], atol=1e-9 * np.abs(right).max())
    assert_allclose(right[:, :2], 0.0, atol=1e-9 * np.abs(right).max())


def test_pendulum_over_polynomials_is_that_of_an_integrator() -> None:
    """Against SciPy's Runge-Kutta of order 8 over two pieces."""
    rng = np.random.default_rng(5)
    times = np.array([0.0, 0.3, 1.0])
    course = PolynomialTrajectory(times, 0.1 * rng.normal(size=(2, 6, 2)))
    pendulum = Pendulum(course.coefficients, np.diff(times), OMEGA)
    borders = pendulum.borders(np.array([0.1, -0.2]), np.array([0.05, 0.0]))
    at = np.linspace(0.0, 0.999, 13)
    piece = np.searchsorted(times, at, side="right") - 1
    found = pendulum.motion(borders, piece, (at - times[piece]) / np.diff(times)[piece])

    def rate(t: float, state: np.ndarray) -> np.ndarray:
        return np.concatenate([state[2:], OMEGA**2 * (state[:2] - course(t))])

    begin = np.concatenate(found[:2, 0])
    parts = [
        solve_ivp(rate, (0.0, 0.3 - 1e-12), begin, method="DOP853", rtol=1e-11, atol=1e-12, dense_output=True)
    ]
    parts.append(
        solve_ivp(
            rate, (0.3, 1.0), parts[0].y[:, -1], method="DOP853", rtol=1e-11, atol=1e-12, dense_output=True
        )
    )
    expected = np.array([parts[int(t >= 0.3)].sol(t) for t in at])
    assert_allclose(found[0], expected[:, :2], atol=1e-8)
    assert_allclose(found[1], expected[:, 2:], atol=1e-8)


def test_a_pendulum_goes_from_any_start_to_any_end() -> None:
    """Four conditions an axis, met by pivots that give way: position and velocity at both ends."""
    phases = np.array([0.0, 0.4, 1.1, 1.4, 2.1, 2.8])
    course = PolynomialTrajectory(phases, np.zeros((5, 6, 2)))
    start = np.array([[0.02, -0.01], [0.1, 0.05], [0.0, 0.0]])
    end = np.array([[0.03, 0.01], [0.0, 0.0], [0.0, 0.0]])
    motion = follow_pivots(course, phases, start, end, OMEGA, np.array([0.0, 2.8]))
    assert_allclose(motion[:2, 0], start[:2], atol=1e-12)
    assert_allclose(motion[:2, 1], end[:2], atol=1e-12)


@pytest.mark.parametrize("generator", PENDULUMS)
@pytest.mark.parametrize("problem", [straight_problem, curved_problem])
def test_pendulums_obey_their_equation_and_rest_at_both_ends(generator: str, problem: object) -> None:
    """`c'' = w^2 (c - p)` at all times: the zero-moment point that is given is that of the motion."""
    asked = problem()  # type: ignore[operator]
    motion = plan_center(asked, generator)
    assert_rests(asked, motion)
    at = np.linspace(asked.begin, asked.end, 997)[1:-1]
    value, _, second = motion.center.sample(at)
    assert_allclose(motion.zmp(at), value - second / asked.omega**2, atol=1e-10)
    assert np.abs(motion.zmp(at) - value + second / (1.01 * asked.omega) ** 2).max() > 1e-4


def assert_rests(problem: BalanceProblem, motion: CentreMotion) -> None:
    """Above the middle of the wanted area at both ends, without velocity and acceleration."""
    for time, expected in zip((problem.begin, problem.end), problem.ends, strict=True):
        at = np.clip(time, problem.begin, np.nextafter(problem.end, -np.inf))
        found = motion.center.sample(np.array([at]))[:, 0]
        assert_allclose(found, expected, atol=1e-9)


def test_the_closed_form_follows_what_is_wanted_but_at_the_ends() -> None:
    """Between the phases in which pivots give way the zero-moment point is the wanted one; its equation is exact."""
    problem = straight_problem(8)
    at = problem.grid
    inside = (at > problem.times[3] + 1e-9) & (at < problem.times[-4] - 1e-9)
    motion = plan_pendulum(problem)
    assert_allclose(motion.zmp(at[inside]), problem.wanted(at[inside])[:, :2], atol=1e-10)


def test_the_divergent_component_is_the_exact_one_over_pivots_that_stay() -> None:
    """xi(t) = p + exp(w t) (xi_0 - p) in each single support, and backwards the same."""
    problem = straight_problem()
    course = divergent_course(problem)
    for p in np.flatnonzero(problem.moving):
        first, last = problem.times[p], problem.times[p + 1]
        pivot = problem.wanted(problem.phase_middles[p])[:2]
        xi = (
            course.pieces[p, 5]
            + course.growing[p] * np.exp(course.omega * (np.array([first, last]) - last))[:, None]
        )
        assert_allclose(
            divergent_component_after(xi[0], pivot, last - first, omega=course.omega), xi[1], atol=1e-12
        )
        assert_allclose(divergent_before(xi[1], pivot, last - first, omega=course.omega), xi[0], atol=1e-12)
    motion = plan_center(problem, "dcm")
    middle = 0.5 * (problem.times[3] + problem.times[4])
    assert problem.moving[3]
    assert_allclose(motion.zmp(middle), problem.wanted(middle)[:2], atol=1e-4)  # and it stays there
    assert_allclose(motion.zmp(middle + 0.1), problem.wanted(middle)[:2], atol=1e-4)


def test_stepping_on_the_capture_point_brings_the_pendulum_to_rest() -> None:
    """Orbital energy about the capture point is zero: it comes to rest there, and nowhere else."""
    center, velocity = np.array([0.1, 0.0, MODEL.com_height]), np.array([0.4, -0.1, 0.0])
    point = capture_point(center, velocity)
    assert_allclose(orbital_energy(center[:2] - point, velocity[:2], OMEGA), 0.0, atol=1e-15)
    # What is left of the way decays as exp(-w t).
    x, v = pendulum_after(center[:2], velocity[:2], point, 4.0, omega=OMEGA)
    assert np.abs(x - point).max() < 2.0 * np.exp(-4.0 * OMEGA)
    assert np.abs(v).max() < 2.0 * np.exp(-4.0 * OMEGA)
    x, _ = pendulum_after(center[:2], velocity[:2], point + 0.001, 4.0, omega=OMEGA)
    assert np.abs(x - point).max() > 100.0  # a millimetre beside it grows by exp(4 w) / 2


def test_capture_radii_are_those_of_a_pendulum_that_steps() -> None:
    """From just inside of d_n the pendulum is caught by n steps of the longest kind, from outside it is not."""
    given = {"reach": 0.5, "sole": 0.1, "time": 0.4, "omega": OMEGA}
    radii = capture_radii(6, **given)
    assert radii[0] == 0.1
    for steps in range(7):
        for inside, outside in ((radii[steps] - 1e-6, radii[steps] + 1e-6),):
            assert _steps_needed(inside, **given) == steps
            assert _steps_needed(outside, **given) == steps + 1
    assert_allclose(capture_radii(60, **given)[-1], capture_limit(**given), atol=1e-12)
    with pytest.raises(InvalidInput, match="reach is -1"):
        capture_radii(1, reach=-1.0, sole=0.1, time=0.4, omega=3.0)


def _steps_needed(offset: float, *, reach: float, sole: float, time: float, omega: float) -> int:
    """How many steps bring a pendulum to rest whose capture point is at an offset from the ankle: simulated, with the
    zero-moment point at the tip of the sole and every step as long as possible."""
    steps, xi = 0, np.array([offset])
    while xi[0] > sole and steps < 50:
        xi = divergent_component_after(xi, np.array([sole]), time, omega=omega) - reach
        steps += 1
    return steps


def test_the_radius_of_the_hip_strategy_is_that_of_a_torque_that_turns_over() -> None:
    """c'' = w^2 c - tau / (m z), tau = +- tau_max for T each: xi ends where it began to be caught: at the pivot."""
    mass, torque, inertia, angle = MODEL.mass, 60.0, 4.0, 0.8
    radius = hip_strategy_radius(
        torque=torque, angle=angle, inertia=inertia, mass=mass, gravity=9.81, omega=OMEGA
    )
    half = np.sqrt(inertia * angle / torque)
    shift = torque / (mass * 9.81)  # a torque is a shift of the pivot
    xi = divergent_component_after(np.array([radius]), np.array([shift]), half, omega=OMEGA)
    xi = divergent_component_after(xi, np.array([-shift]), half, omega=OMEGA)
    assert_allclose(xi, 0.0, atol=1e-12)
    turned = 2 * 0.5 * torque / inertia * half**2
    assert_allclose(turned, angle, rtol=1e-12)


def test_preview_gains_are_those_of_the_riccati_equation() -> None:
    """K = (R + B' P B)^-1 B' P A of the augmented system, P by SciPy; here by iterating the Riccati recursion."""
    table = cart_table(MODEL.com_height, MODEL.gravity)
    a, b, c = table.transition, table.input, table.output
    big_b = np.concatenate([[c @ b], b])[:, None]
    big_a = np.zeros((4, 4))
    big_a[0, 0], big_a[0, 1:], big_a[1:, 1:] = 1.0, c @ a, a
    weight = np.diag([table.error_weight, 0.0, 0.0, 0.0])
    p = weight.copy()
    for _ in range(4000):
        gain = np.linalg.solve(table.jerk_weight + big_b.T @ p @ big_b, big_b.T @ p @ big_a)
        p = weight + big_a.T @ p @ (big_a - big_b @ gain)
    expected = solve_discrete_are(big_a, big_b, weight, np.array([[table.jerk_weight]]))
    assert_allclose(p, expected, rtol=1e-6)
    assert_allclose(gain[0], [table.gains.error, *table.gains.state], rtol=1e-6)


def test_preview_along_both_axes_is_that_of_the_cart_table() -> None:
    """`CartTable.follow` is the reference; from a start at rest both are the same but for rounding."""
    problem = straight_problem()
    count = int((problem.end - problem.begin) / PERIOD)
    times = problem.begin + PERIOD * np.arange(count)
    wanted = problem.wanted(times)[:, :2]
    law = cart_law(MODEL.com_height, MODEL.gravity)
    ahead = np.concatenate([wanted, np.repeat(wanted[-1:], len(law.preview), axis=0)])
    start = np.stack([wanted[0], np.zeros(2), np.zeros(2)])
    found = follow_cart(law, ahead, start)
    for axis in range(2):
        expected = CartTable(MODEL.com_height, dt=PERIOD).follow(wanted[:, axis])
        assert_allclose(found[:, :, axis], expected.state, atol=1e-9)


def test_predictions_are_those_of_the_cart() -> None:
    """Z = P_s s + P_u U against the transition of the cart, period by period; the last row is c + c' / w."""
    table = CartTable(MODEL.com_height, dt=0.1)
    model = horizon(MODEL.com_height / MODEL.gravity, 0.1, 0.0)
    rng = np.random.default_rng(0)
    start, jerks = rng.normal(size=3), rng.normal(size=HORIZON)
    state, points = start, []
    for jerk in jerks:
        state = table.transition @ state + table.input * jerk
        points.append(table.output @ state)
    points.append(state[0] + state[1] / OMEGA)
    assert_allclose(model.free @ start + model.forced @ jerks, points, atol=1e-10)


@pytest.mark.parametrize("shift", [0.0, 0.004])
def test_programs_have_the_solution_of_a_dense_solver(shift: float) -> None:
    """First inputs by forces at limits against Goldfarb and Idnani's method with all rows: sum of squared misses,
    1e-6 jerk^2, 1e-3 angle^2 and 1e-7 turning jerk^2 above soles of 0.2 by 0.1 m. Rows of both are scaled alike, so
    inputs agree to 1e-9 of the largest jerk (below 1e3 m/s3) times the Hessian's condition, 1e3."""
    ratio, period, size = MODEL.com_height / MODEL.gravity, 0.06, HORIZON * (2 if shift else 1)
    model, course = prediction(ratio, period, shift), horizon(ratio, period, shift)
    angles = course.angle_forced if shift else np.zeros((HORIZON, size))
    weights = np.repeat([1e-6, 1e-7], HORIZON)[:size]
    hessian = course.forced.T @ course.forced + 1e-3 * angles.T @ angles + np.diag(weights)
    factor = inverse_factor(np.kron(np.eye(2), hessian), 0.0)
    normals = np.zeros((HORIZON + 1, 8, 2))
    normals[:, :4] = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]
    rng, held_at_all = np.random.default_rng(3), 0
    for _ in range(20):
        place = np.cumsum(rng.uniform(0.0, 0.03, (HORIZON + 1, 2)), axis=0)
        offsets = np.zeros((HORIZON + 1, 8))
        offsets[:, :4] = (normals[:, :4] @ place[:, :, None])[..., 0] - [0.1, 0.1, 0.05, 0.05]
        edges = Edges(normals, offsets, np.full(HORIZON + 1, 4))
        wanted = Wanted(place + rng.normal(scale=0.04, size=place.shape), place)
        state = np.zeros((3, 4))
        state[:, :2] = rng.normal(size=(3, 2)) * [[0.02], [0.1], [0.3]]
        held = Held(np.zeros((4 * HORIZON, 2), dtype=np.int64), np.zeros(1, dtype=np.int64))
        found = control_horizon(model, state, wanted, edges, 1, LARGEST_LEAN, held)
        held_at_all += int(held.kept[0])
        points = course.free[:-1] @ state[:, :2]
        missed = np.vstack(
            [points - wanted.pivots[1:], course.free[-1:] @ state[:, :2] - wanted.divergent[-1]]
        )
        rows, least, most = [], [], []
        for i in range(HORIZON):
            for k in range(4):
                rows.append(np.kron(normals[i + 1, k], course.forced[i]))
                least.append(offsets[i + 1, k] - normals[i + 1, k] @ points[i])
                most.append(np.inf)
            for axis in np.eye(2) if shift else ():
                rows.append(np.kron(axis, angles[i]))
                least.append(-LARGEST_LEAN)
                most.append(LARGEST_LEAN)
        gradient = (course.forced.T @ missed).T.ravel()
        limits = RowLimits(np.array(rows), np.array(least), np.array(most))
        best = minimise(factor, gradient, limits, 1e-12)
        assert best.status == SOLVED
        expected = best.x.reshape(2, -1, HORIZON)[:, :, 0].T
        assert_allclose(found[: len(expected)], expected, atol=1e-6)
    assert held_at_all > 20  # limits hold; without them inputs are others


@pytest.mark.parametrize("generator", WALKING)
def test_zero_moment_points_stay_in_their_areas(generator: str) -> None:
    """Shrunk soles are kept by programs and middles of soles; all others leave them by less than their margins, since
    they give way at starts and ends. LOLA's soles are 28 mm larger at the least: a tenth of 276 mm."""
    problem = straight_problem()
    motion = plan_center(problem, generator)
    at = np.linspace(problem.begin, problem.end, 400)
    phases, points = problem.phase_at(at), motion.zmp(at)
    outside = max(
        float(-boundary_distance(problem.areas.polygon(int(p)), points[phases == p]).min())
        for p in np.unique(phases)
    )
    assert outside < 0.027


def test_a_flywheel_takes_its_torque_off_the_zero_moment_point() -> None:
    """p_x = c_x - z / g c_x'' - L_y' / (m g), p_y = ... + L_x' / (m g); and lean and momentum are those of one body."""
    problem = straight_problem()
    motion = plan_center(problem, "flywheel")
    at, weight = motion.center.times, MODEL.mass * MODEL.gravity
    value, _, second = motion.center.sample(at)
    torque = motion.momentum(at)
    pivots = value - second / problem.omega**2
    expected = pivots + np.stack([-torque[:, 1], torque[:, 0]], axis=1) / weight
    assert_allclose(motion.zmp(at), expected, atol=1e-12)
    assert motion.lean is not None
    inertia = np.trace(MODEL.torso_inertia[:2, :2]) / 2
    assert_allclose(torque[:-1, :2], inertia * motion.lean.sample(at)[2, :-1], atol=1e-9)
    assert 1e-4 < np.abs(motion.lean(at)).max() <= 0.15 + 1e-9


def test_two_pendulums_are_one_in_single_support() -> None:
    """l_R + l_L = 1: with one foot on the ground the pivot is that of this foot; half way from one to the other both
    count the same."""
    problem = straight_problem()
    pivots = shared_pivots(problem)
    stances = np.flatnonzero(problem.moving)
    for p in stances[1:-1]:
        middle = problem.phase_middles[p]
        assert_allclose(pivots(middle), problem.wanted(middle)[:2], atol=1e-4)
    for p in stances[1:-2]:
        both = problem.wanted(problem.phase_middles[[p, p + 2]])[:, :2].mean(axis=0)
        assert_allclose(pivots(problem.phase_middles[p + 1]), both, atol=2e-3)


@pytest.mark.parametrize("generator", PENDULUMS)
def test_hands_are_known_wrenches(generator: str) -> None:
    """The zero-moment point of the feet for the planned hand force, Seiwald 2023, by `foot_zmp_with_hand`."""
    problem = hand_problem()
    assert problem.uses_hands
    motion = plan_center(problem, generator)
    used = 0
    for time in motion.center.times[5:-5:7]:
        at = np.array([time])
        now = problem.samples(at)["value"][0]
        value, _, second = motion.center.sample(at)[:, 0]
        ground = float(now["zmp"][2])
        wrench, hand = np.zeros(6), np.zeros(3)
        for side in ("right", "left"):
            if now[f"{side}_selection"] > 0.0:
                hand = now[f"{side}_hand"] - [0.0, 0.0, ground]
                force = np.concatenate([now[f"{side}_force"], now[f"{side}_torque"]])
                wrench = float(now[f"{side}_selection"]) * force
        used += int(np.abs(wrench).max() > 1.0)
        expected = foot_zmp_with_hand(
            np.append(value, MODEL.com_height),
            np.append(second, 0.0),
            hand,
            wrench,
            mass=MODEL.mass,
            gravity=MODEL.gravity,
        )
        assert_allclose(motion.zmp(time), expected, atol=1e-9)
    assert used > 3


def test_pivots_without_hands_are_zero_moment_points() -> None:
    problem = straight_problem()
    assert not problem.uses_hands
    at = np.linspace(problem.begin, problem.end, 50)
    assert_allclose(wanted_pivots(problem)(at), problem.wanted(at)[:, :2], atol=1e-14)


def test_unknown_generators_are_told() -> None:
    with pytest.raises(UnknownName, match="no generator 'lipn'"):
        plan_center(straight_problem(), "lipn")
