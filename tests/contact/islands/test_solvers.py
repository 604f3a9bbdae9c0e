"""Solvers of islands against dense ones: the classic hybrid on the exact cone, and least distances of SciPy without
friction; judged by the validator, which knows none of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import nnls

from footfall.arrays import Array
from footfall.contact.classic.hybrid import solve_hybrid
from footfall.contact.islands.interior_point import solve_interior
from footfall.contact.islands.newton import solve_newton
from footfall.contact.islands.solve import Effort, solve_directly, solve_island
from footfall.contact.validation import check_solution
from tests.contact.islands.dense import DT, GRAVITY, GROUND, Bodies, Contact, frame_of, random_bodies

TOLERANCE = 1e-9  # of the weight times dt, as the engine asks for
CASES: dict[str, Callable[[np.random.Generator], Bodies]] = {
    "random": lambda rng: random_bodies(rng, 6),
    "one body": lambda rng: random_bodies(rng, 1),
    "redundant": lambda rng: random_bodies(rng, 4, copies=4),
    "without friction": lambda rng: random_bodies(rng, 6, friction=0.0),
    "rough": lambda rng: random_bodies(rng, 6, friction=1.5),
    "no gaps": lambda rng: random_bodies(rng, 6, gaps=0.0),
    "masses 1 to 10,000": lambda rng: random_bodies(rng, 5, heavy=1e4),
}


class Solution:
    """What a method made of an island: velocities (6 n,), impulses (3 c,), and its own residual over the weight."""

    def __init__(self, bodies: Bodies, method: Callable[..., Any], limit: float, effort: Any) -> None:
        island = bodies.island()
        v, contacts = island.free.copy(), np.zeros((len(bodies.contacts), 3))
        outcome = method(island, v, contacts, np.zeros(0), limit, effort)
        self.velocities, self.impulses, self.outcome = v[:, :6].ravel(), contacts.ravel(), outcome


def check(bodies: Bodies, found: Solution, limit: float) -> None:
    """Impulses obey the law to a residual (N s), and the velocities are those that follow from them.

    A solver looks at its own velocities, the validator at those that follow from the impulses. They differ by the
    imbalance f, six components a body. Newton's method measures its energy, sum of f^2 / m, as an impulse of the
    lightest body: at a limit r, f is at most r sqrt(M / m) of a heavier one.
    """
    allowed = limit * (1.0 + 6.0 * np.sqrt(bodies.masses.max() / bodies.masses.min()))
    assert check_solution(bodies.problem(), found.impulses).natural_map <= allowed
    change = np.abs(bodies.velocities(found.impulses) - found.velocities)
    assert (change / bodies.inverse_mass()).max() <= allowed


@pytest.mark.parametrize("name", CASES)
def test_islands_are_solved_as_dense_problems_are(name: str) -> None:
    """The velocities of the classic hybrid, where both end below 1e-9 of the weight."""
    rng, compared = np.random.default_rng(1), 0
    for _ in range(12):
        bodies = CASES[name](rng)
        limit = TOLERANCE * bodies.weight
        found = Solution(bodies, solve_island, TOLERANCE, Effort(30, 40, 100))
        assert found.outcome.residual <= TOLERANCE
        check(bodies, found, limit)
        dense = solve_hybrid(bodies.problem(), tolerance=0.01 * limit)
        if dense.converged:
            scale = np.abs(bodies.free).max()
            np.testing.assert_allclose(found.velocities, bodies.velocities(dense.impulses), atol=1e-5 * scale)
            compared += 1
    assert compared >= 6


METHODS: dict[str, tuple[Callable[..., Any], int]] = {
    "direct": (solve_directly, 100),
    "newton": (solve_newton, 200),
    "interior point": (solve_interior, 100),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", CASES)
def test_each_method_tells_how_far_it_came(name: str, method: str) -> None:
    """A residual below what was asked for is one by the validator; and each method solves most of these by itself."""
    rng, solved = np.random.default_rng(2), 0
    solve, most = METHODS[method]
    for _ in range(10):
        bodies = CASES[name](rng)
        limit = (1e-6 if method == "interior point" else TOLERANCE) * bodies.weight
        if method == "interior point" and name == "without friction":
            # Its cones have a friction of 1e-4 at the least: so much of impulses of a few times the weight is left.
            limit = 1e-3 * bodies.weight
        found = Solution(bodies, solve, limit, most)
        if found.outcome.residual <= limit:
            check(bodies, found, limit)
            solved += 1
    print(f"{method}, {name}: {solved} of 10")
    assert solved >= 5


def least_distance(bodies: Bodies) -> Array:
    """Velocities (6 n,) nearest to the free ones, in the norm of M, that part all contacts: least |x| with G x >= h, by
    Lawson and Hanson's reduction to non-negative least squares (1974, chapter 23)."""
    problem, root = bodies.problem(), np.sqrt(bodies.inverse_mass())
    g, h = bodies.jacobian()[2::3] * root, -problem.bias[2::3]
    unit = np.abs(h).max()
    stacked = np.vstack([g.T, h / unit])
    goal = np.zeros(len(stacked))
    goal[-1] = 1.0
    u, _ = nnls(stacked, goal)
    rest = stacked @ u - goal
    return bodies.free.ravel() + root * (-rest[:-1] / rest[-1]) * unit


@pytest.mark.parametrize("copies", [1, 3])
def test_without_friction_the_velocities_are_the_nearest_ones(copies: int) -> None:
    """Gauss' principle: a quadratic program with one solution, also where contacts are redundant."""
    rng = np.random.default_rng(3)
    for _ in range(10):
        bodies = random_bodies(rng, 5, friction=0.0, copies=copies)
        found = Solution(bodies, solve_island, TOLERANCE, Effort(30, 40, 100))
        np.testing.assert_allclose(found.velocities, least_distance(bodies), atol=1e-7)


def block(slope: float, friction: float) -> Bodies:
    """A block of 2 kg at rest on four corners, on a slope (rad) along x."""
    normal = np.array([-np.sin(slope), 0.0, np.cos(slope)])
    frame = np.column_stack([[np.cos(slope), 0.0, np.sin(slope)], [0.0, 1.0, 0.0], normal])
    corners = [np.array([x, y, -0.05]) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    contacts = tuple(Contact(0, GROUND, frame @ each, frame, np.zeros(3), friction) for each in corners)
    free = np.array([[0.0, 0.0, -GRAVITY * DT, 0.0, 0.0, 0.0]])
    inertia = frame @ np.diag([0.02, 0.02, 0.03]) @ frame.T
    return Bodies(np.zeros((1, 3)), np.array([2.0]), np.array([np.diag(inertia)]), free, contacts)


@pytest.mark.parametrize("share", [0.999999, 1.000001, 1.5])
def test_a_block_at_the_edge_of_the_cone(share: float) -> None:
    """It stays where tan(slope) <= mu, and otherwise gains g (sin - mu cos) dt down the slope."""
    friction = 0.5
    slope = np.arctan(share * friction)
    bodies = block(slope, friction)
    found = Solution(bodies, solve_island, 1e-12, Effort(30, 40, 100))
    gained = max(GRAVITY * (np.sin(slope) - friction * np.cos(slope)) * DT, 0.0)
    expected = -gained * np.array([np.cos(slope), 0.0, np.sin(slope)])
    np.testing.assert_allclose(found.velocities[:3], expected, atol=1e-11)
    total = found.impulses.reshape(-1, 3).sum(axis=0)
    assert total[2] == pytest.approx(2.0 * GRAVITY * DT * np.cos(slope), rel=1e-9)


def test_a_wrong_impulse_is_seen() -> None:
    """The comparison can fail: a thousandth more of one impulse."""
    bodies = CASES["random"](np.random.default_rng(4))
    found = Solution(bodies, solve_island, TOLERANCE, Effort(30, 40, 100))
    check(bodies, found, TOLERANCE * bodies.weight)
    found.impulses[int(np.abs(found.impulses).argmax())] *= 1.001
    with pytest.raises(AssertionError):
        check(bodies, found, TOLERANCE * bodies.weight)


def test_frames_are_right_handed() -> None:
    frame = frame_of(np.array([0.1, -0.2, 1.0]))
    np.testing.assert_allclose(frame.T @ frame, np.eye(3), atol=1e-15)
    assert np.linalg.det(frame) == pytest.approx(1.0)
