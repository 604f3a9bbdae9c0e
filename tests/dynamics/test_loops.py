"""Looped robots: closure, velocities and accelerations against closed forms, multipliers, and finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.compiler import build_kernel, repeat
from footfall.dynamics.hybrid_constraints import Constraint
from footfall.dynamics.loops import Coupling
from footfall.errors import InvalidInput, LoopClosureError, UnsupportedFeature
from footfall.robot.model import Loop, LoopType, Robot
from tests.dynamics.multipliers import accelerations_with_multipliers, all_constraint_rows
from tests.looped_robots import (
    BASE,
    COUPLER,
    CRANK,
    ROCKER,
    four_bar,
    geared_rotor,
    random_looped_robot,
    six_bar,
    slider_crank,
    spatial_linkage,
)

METHODS = ("articulated", "factorised", "dense")
SEEDS = range(12)


def gap(robot: Robot, q: Array) -> float:
    """Largest residual of the loops, m or rad."""
    return float(np.abs(all_constraint_rows(robot, q, np.zeros(robot.tree.nv))[0]).max())


def scattered(robot: Robot, values: Array) -> Array:
    """Independent values (nv,) among those of all joints, zero elsewhere."""
    assert robot.tree.loops is not None
    result = np.zeros(robot.tree.nv)
    result[list(robot.tree.loops.independent)] = values
    return result


def rocker_angle(crank: Array) -> Array:
    """Freudenstein: K1 cos(rocker) - K2 cos(crank) + K3 = cos(crank - rocker), the open branch."""
    k1, k2 = BASE / CRANK, BASE / ROCKER
    k3 = (CRANK**2 - COUPLER**2 + ROCKER**2 + BASE**2) / (2 * CRANK * ROCKER)
    a = np.cos(crank) - k1 - k2 * np.cos(crank) + k3
    b = -2 * np.sin(crank)
    c = k1 - (k2 + 1) * np.cos(crank) + k3
    return np.asarray(2 * np.arctan2(-b - np.sqrt(b * b - 4 * a * c), 2 * a))


def test_four_bar_has_the_angles_of_freudenstein() -> None:
    """A whole turn of the crank: position, velocity and acceleration of the rocker."""
    robot = four_bar()
    assert (robot.nq, robot.nv, robot.spanning.nv) == (3, 1, 3)
    q = footfall.neutral(robot)
    for _ in range(60):
        q = footfall.integrate(robot, q, np.array([0.1]))
        angle = np.array([q[0]])
        expected = rocker_angle(angle)
        assert np.sin((q[2] - expected) / 2) == pytest.approx(0.0, abs=2e-15)
        h = 1e-4
        rate = (rocker_angle(angle + h) - rocker_angle(angle - h)) / (2 * h)
        curvature = (rocker_angle(angle + h) - 2 * expected + rocker_angle(angle - h)) / h**2
        coupling = Coupling(robot, q)
        assert coupling.velocity(np.array([2.0]))[2] == pytest.approx(2.0 * rate[0], abs=2e-7)
        acceleration = coupling.acceleration(np.array([2.0]), np.array([0.7]))[2]
        assert acceleration == pytest.approx(0.7 * rate[0] + 4.0 * curvature[0], abs=1e-6)
        assert gap(robot, q) < 1e-15


def test_slider_crank_has_its_closed_form() -> None:
    """x = r cos a + sqrt(l^2 - r^2 sin^2 a), and its two derivatives."""
    robot, r, l = slider_crank(), 0.2, 0.7
    q = footfall.neutral(robot)
    for _ in range(40):
        q = footfall.integrate(robot, q, np.array([0.17]))
        c, s = np.cos(q[0]), np.sin(q[0])
        root = np.sqrt(l * l - r * r * s * s)
        slope = -r * s - r * r * s * c / root
        curvature = -r * c - r * r * (c * c - s * s) / root - r**4 * s * s * c * c / root**3
        coupling = Coupling(robot, q)
        assert q[2] == pytest.approx(r * c + root, abs=1e-15)
        assert coupling.velocity(np.array([3.0]))[2] == pytest.approx(3.0 * slope, abs=1e-14)
        assert coupling.bias(np.array([3.0]))[2] == pytest.approx(9.0 * curvature, abs=1e-13)


def test_six_bar_against_an_independent_solver() -> None:
    """Positions by SciPy on complex numbers; velocity and acceleration by differences of these."""
    from scipy.optimize import fsolve

    robot = six_bar()
    assert robot.nv == 1
    q = footfall.neutral(robot)
    order = [robot.q_slice(name).start for name in ("crank", "coupler", "rocker", "link", "arm")]

    def solved(crank: float, start: Array) -> Array:
        def equations(x: Array) -> list[float]:
            coupler, rocker, link, arm = x
            e = lambda angle: np.exp(1j * angle)  # noqa: E731
            first = CRANK * e(crank) + COUPLER * e(crank + coupler) - BASE - ROCKER * e(rocker)
            joint = CRANK * e(crank) + (0.5 + 0.3j) * e(crank + coupler) + 0.5 * e(crank + coupler + link)
            other = BASE + (0.3 - 0.2j) * e(rocker) + 0.45 * e(rocker + arm)
            return [first.real, first.imag, (joint - other).real, (joint - other).imag]

        return np.asarray(fsolve(equations, start, xtol=1e-13))

    for _ in range(5):
        q = footfall.integrate(robot, q, np.array([0.2]))
        angles = q[order]
        h = 1e-3
        steps = [solved(float(angles[0]) + k * h, angles[1:]) for k in (-1, 0, 1)]
        coupling = Coupling(robot, q)
        assert angles[1:] == pytest.approx(steps[1], abs=1e-12)
        rates = coupling.velocity(np.array([1.0]))[order][1:]
        assert rates == pytest.approx((steps[2] - steps[0]) / (2 * h), abs=2e-5)
        bias = coupling.bias(np.array([1.0]))[order][1:]
        assert bias == pytest.approx((steps[2] - 2 * steps[1] + steps[0]) / h**2, abs=2e-4)


def test_reflected_inertia_of_a_geared_rotor() -> None:
    """Schwienbacher 2014, chapter 3: M = I_link + N^2 I_rotor."""
    robot = geared_rotor(50.0, 1e-4)
    inertia = 0.5**2 / 3 + 50.0**2 * 1e-4
    for q in (footfall.neutral(robot), footfall.close_loops(robot, np.array([0.4, 0.0]))):
        assert q[1] == pytest.approx(50.0 * q[0], abs=1e-13)
        assert footfall.mass_matrix(robot, q)[0, 0] == pytest.approx(inertia, rel=1e-14)


@pytest.mark.parametrize("kind", ["point", "hinge", "weld"])
def test_planar_loops_of_all_kinds_leave_one_freedom(kind: str) -> None:
    """Of five or six equations a planar loop needs two or three; a weld takes a fourth joint."""
    robot = four_bar("point" if kind == "weld" else kind)
    if kind == "weld":
        from tests.looped_robots import Body, Frame, Joint, JointType, at

        robot = replace(
            robot,
            bodies=(*robot.bodies, Body("pin", 0.0)),
            joints=(*robot.joints, Joint("pin", JointType.CONTINUOUS, "coupler", "pin", at(COUPLER))),
            frames=(Frame("rocker_tip", "rocker", at(ROCKER)),),
            configurations={"assembly": np.array([1.0, -0.5, 1.3, 1.8])},
            loops=(Loop("closure", LoopType.WELD, "pin", "rocker_tip"),),
        )
    reference = four_bar()
    q, v, tau = footfall.neutral(robot), np.array([1.3]), np.array([0.2])
    q = footfall.integrate(robot, q, reference.tree.loops.reference[:1] - q[:1])  # type: ignore[union-attr]
    assert robot.nv == 1
    expected = footfall.forward_dynamics(reference, footfall.neutral(reference), v, tau)
    assert footfall.forward_dynamics(robot, q, v, tau) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_loops_against_multipliers(seed: int) -> None:
    """All methods of forward dynamics agree with a dense system of all joints and constraint forces."""
    robot = random_looped_robot(seed, loops=1 + seed % 3)
    rng = np.random.default_rng(seed)
    q, v, tau = footfall.neutral(robot), rng.normal(size=robot.nv), 10.0 * rng.normal(size=robot.nv)
    assert robot.loops
    assert robot.nv < robot.spanning.nv
    coupling = Coupling(robot, q)
    expected = accelerations_with_multipliers(robot, q, coupling.velocity(v), scattered(robot, tau))
    scale = np.abs(footfall.mass_matrix.textbook(robot, q) @ np.ones(robot.nv)).max() + np.abs(tau).max()
    for method in METHODS:
        a = footfall.forward_dynamics.textbook(robot, q, v, tau, method=method)
        residual = footfall.inverse_dynamics.textbook(robot, q, v, a) - tau
        assert np.abs(residual).max() < 1e-12 * scale * (1.0 + np.abs(a).max())
        whole = coupling.acceleration(v, a)
        assert np.abs(whole - expected).max() < 1e-8 * (1.0 + np.abs(expected).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_random_loops_move_as_their_derivatives_say(seed: int) -> None:
    """Closure after a step; G and g by central differences of `integrate`."""
    robot = random_looped_robot(seed, loops=1 + seed % 3)
    rng = np.random.default_rng(seed)
    q, v, h = footfall.neutral(robot), rng.normal(size=robot.nv), 1e-5
    coupling = Coupling(robot, q)
    ahead, behind = (footfall.integrate.textbook(robot, q, sign * h * v) for sign in (1.0, -1.0))
    assert max(gap(robot, q), gap(robot, ahead)) < 1e-12
    u, g = coupling.velocity(v), coupling.bias(v)
    rates = footfall.difference.textbook(robot.spanning, behind, ahead) / (2 * h)
    assert np.abs(rates - u).max() < 1e-6 * (1.0 + np.abs(u).max())
    later, sooner = (Coupling(robot, at).velocity(v) for at in (ahead, behind))
    assert np.abs((later - sooner) / (2 * h) - g).max() < 1e-5 * (1.0 + np.abs(g).max())
    assert footfall.difference.textbook(robot, q, ahead) == pytest.approx(h * v, abs=1e-13)


@pytest.mark.parametrize("seed", [4, 8])
def test_all_quantities_of_looped_robots_fit_together(seed: int) -> None:
    """Jacobians, biases, energies and momenta in independent velocities against each other."""
    robot = random_looped_robot(seed, loops=2)
    rng = np.random.default_rng(seed)
    q, v, a = footfall.neutral(robot), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    u, name = Coupling(robot, q).velocity(v), robot.bodies[-1].name
    tree = robot.spanning
    mass = footfall.mass_matrix.textbook(robot, q)
    jacobian = footfall.frame_jacobian.textbook(robot, q, name)
    bias = footfall.dynamics.frame_jacobian_bias.textbook(robot, q, v, name)
    pairs = [
        (jacobian @ v, footfall.frame_velocity.textbook(robot, q, v, name)),
        (jacobian @ v, footfall.frame_velocity.textbook(tree, q, u, name)),
        (jacobian @ a + bias, footfall.frame_acceleration.textbook(robot, q, v, a, name)),
        (
            footfall.center_of_mass_jacobian.textbook(robot, q) @ v,
            footfall.dynamics.center_of_mass_velocity.textbook(tree, q, u),
        ),
        (
            footfall.dynamics.centroidal_momentum_matrix.textbook(robot, q) @ v,
            footfall.centroidal_momentum.textbook(tree, q, u),
        ),
        (
            footfall.centroidal_momentum.textbook(robot, q, v),
            footfall.centroidal_momentum.textbook(tree, q, u),
        ),
        (np.array(v @ mass @ v / 2), np.array(footfall.kinetic_energy.textbook(robot, q, v))),
        (
            mass @ a + footfall.bias_forces.textbook(robot, q, v),
            footfall.inverse_dynamics.textbook(robot, q, v, a),
        ),
        (mass @ footfall.dynamics.inverse_mass_matrix.textbook(robot, q), np.eye(robot.nv)),
    ]
    h = 1e-5
    ahead, behind = (footfall.integrate.textbook(robot, q, sign * h * v) for sign in (1.0, -1.0))
    later, sooner = (
        footfall.dynamics.center_of_mass_velocity.textbook(robot, at, v) for at in (ahead, behind)
    )
    for one, other in pairs:
        assert np.abs(one - other).max() < 1e-10 * (1.0 + np.abs(other).max())
    assert (
        np.abs((later - sooner) / (2 * h) - footfall.dynamics.center_of_mass_bias.textbook(robot, q, v)).max()
        < 1e-5
    )
    rise = (
        footfall.potential_energy.textbook(robot, ahead) - footfall.potential_energy.textbook(robot, behind)
    ) / (2 * h)
    assert rise == pytest.approx(footfall.gravity_forces.textbook(robot, q) @ v, abs=1e-4, rel=1e-6)


def test_native_code_and_batches_agree_with_the_textbook() -> None:
    robot = random_looped_robot(3, loops=2, joints=5)
    q = footfall.random_configuration(robot, seed=0, count=9)
    v, tau = (np.random.default_rng(k).normal(size=(9, robot.nv)) for k in (1, 2))
    for method in METHODS:
        batch = footfall.forward_dynamics(robot, q, v, tau, method=method)
        single = footfall.forward_dynamics(robot, q[3], v[3], tau[3], method=method)
        assert np.array_equal(batch[3], single)
        plain = footfall.forward_dynamics.textbook(robot, q[3], v[3], tau[3], method=method)
        assert np.abs(plain - single).max() < 1e-9 * (1.0 + np.abs(plain).max())
    after = footfall.integrate(robot, q, 1e-2 * v)
    assert max(gap(robot, each) for each in after) < 1e-12


def test_random_configurations_are_closed() -> None:
    robot = four_bar(dependent=("crank", "coupler"))  # the rocker swings between two dead points only
    q = footfall.random_configuration(robot, seed=3, count=20)
    assert max(gap(robot, each) for each in q) < 1e-12
    assert np.ptp(q[:, 2]) > 0.3


def test_energy_is_kept_for_a_minute_and_nothing_drifts_apart() -> None:
    """RK4 with 1 ms on a falling four-bar: closure to rounding, energy to the order of the integrator."""
    robot, dt = four_bar(), 1e-3

    def stage(q: Array, v: Array) -> Array:
        return footfall.forward_dynamics(robot, q, v, np.zeros(1))

    def step(q: Array, v: Array) -> tuple[Array, Array]:
        v1, a1 = v, stage(q, v)
        v2 = v + dt / 2 * a1
        a2 = stage(footfall.integrate(robot, q, dt / 2 * v1), v2)
        v3 = v + dt / 2 * a2
        a3 = stage(footfall.integrate(robot, q, dt / 2 * v2), v3)
        v4 = v + dt * a3
        a4 = stage(footfall.integrate(robot, q, dt * v3), v4)
        moved = footfall.integrate(robot, q, dt / 6 * (v1 + 2 * v2 + 2 * v3 + v4))
        return moved, v + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4)

    kernel = build_kernel(
        lambda q, v: dict(zip(("q", "v"), repeat(step, (q, v), count=500), strict=True)), {"q": 3, "v": 1}
    )
    q, v = footfall.neutral(robot), np.array([0.5])
    energies, gaps = [], []
    for _ in range(120):
        q, v = kernel(q, v)
        energies.append(footfall.kinetic_energy(robot, q, v) + footfall.potential_energy(robot, q))
        gaps.append(gap(robot, q))
    assert max(gaps) < 1e-14
    assert np.ptp(energies) < 1e-8 * np.abs(energies).max()


def test_passing_near_a_singular_position() -> None:
    """A change point linkage (nearly a parallelogram) is driven through where all bars are almost in line."""
    robot = four_bar(lengths=(0.3, 0.8, 0.3 + 1e-4, 0.8), start=(0.5, -0.5, 0.5))
    q = footfall.neutral(robot)
    for _ in range(700):
        q = footfall.integrate(robot, q, np.array([0.01]))
        assert gap(robot, q) < 1e-13
    assert q[0] > 2 * np.pi


def test_margin_to_singular_positions() -> None:
    """It falls with the distance to a dead point, and is one where nothing follows faster than it is led."""
    assert footfall.dynamics.loop_margin(geared_rotor(), footfall.neutral(geared_rotor())) == 1.0
    assert footfall.dynamics.loop_margin(four_bar().spanning, np.zeros(3)) == 1.0
    robot = four_bar(dependent=("crank", "coupler"))
    way = footfall.neutral(robot)
    margins = []
    for _ in range(71):
        way = footfall.integrate(robot, way, np.array([0.0109]))
        margins.append(float(footfall.dynamics.loop_margin(robot, way)))
    assert margins[-1] < 0.3 * margins[30]
    assert margins[30:] == sorted(margins[30:], reverse=True)


def test_a_polynomial_led_from_its_other_end() -> None:
    """q0 = 0.2 + q1^2 with q0 as coordinate: q1 is solved for, and stays on its branch."""
    robot = geared_rotor()
    loop = Loop(
        "bend", LoopType.POLYNOMIAL, joints=("rotor", "arm"), coefficients=(0.2, 0.0, 1.0), dependent=("arm",)
    )
    robot = replace(robot, configurations={"assembly": np.array([-0.9, 1.0])}, loops=(loop,))
    q = footfall.integrate(robot, footfall.neutral(robot), np.array([0.7]))
    assert q[0] == pytest.approx(-np.sqrt(q[1] - 0.2), abs=1e-15)


@pytest.mark.parametrize("kind", ["bennett", "spherical"])
def test_linkages_in_space_that_say_more_than_they_need(kind: str) -> None:
    """Of the five equations of their last hinge two are solved; the others hold all the way round."""
    robot = spatial_linkage(kind)
    assert robot.nv == 1
    q = footfall.neutral(robot)
    for _ in range(70):
        q = footfall.integrate(robot, q, np.array([0.1]))
        assert gap(robot, q) < 1e-13


def test_what_cannot_be_closed_is_told() -> None:
    robot = four_bar(dependent=("crank", "coupler"))
    q = footfall.neutral(robot)
    with pytest.raises(LoopClosureError, match=r"loop 'closure': does not close.*leaves 0\.\d+ m") as caught:
        footfall.close_loops(robot, np.array([q[0], q[1], 0.1]))
    assert caught.value.residual > 0.01
    assert np.isnan(footfall.integrate(robot, q, np.array([0.1 - q[2]]))).any()
    assert np.array_equal(footfall.close_loops(robot, q), q)


def test_derivatives_of_looped_robots() -> None:
    """Against central differences of the algorithms themselves."""
    robot = random_looped_robot(3, loops=2, joints=5)
    rng = np.random.default_rng(0)
    q, (v, a) = footfall.neutral(robot), rng.normal(size=(2, robot.nv))
    found = footfall.inverse_dynamics_derivatives(robot, q, v, a)
    forward = footfall.forward_dynamics_derivatives(robot, q, v, a)
    h = 1e-5
    for k, unit in enumerate(np.eye(robot.nv)):
        sides = [footfall.integrate(robot, q, sign * h * unit) for sign in (1.0, -1.0)]
        for function, given in ((footfall.inverse_dynamics, found), (footfall.forward_dynamics, forward)):
            along = np.subtract(*(function(robot, side, v, a) for side in sides)) / (2 * h)
            by_v = np.subtract(*(function(robot, q, v + sign * h * unit, a) for sign in (1.0, -1.0))) / (
                2 * h
            )
            assert np.abs(given.dq[:, k] - along).max() < 1e-5 * (1.0 + np.abs(along).max())
            assert np.abs(given.dv[:, k] - by_v).max() < 1e-6 * (1.0 + np.abs(by_v).max())
    assert np.abs(forward.dtau - footfall.dynamics.inverse_mass_matrix(robot, q)).max() < 1e-8


def test_loops_that_forces_hold_move_as_those_that_coordinates_hold() -> None:
    """The same four-bar with one coordinate and with three and forces; a second, equal loop changes nothing."""
    robot = four_bar()
    closure = replace(robot.loops[0], held_by="forces")
    held = replace(robot, loops=(closure, replace(closure, name="again")))
    assert (held.nv, held.spanning.nv) == (3, 3)
    q, v, tau = footfall.neutral(robot), np.array([1.5]), np.array([0.4])
    coupling = Coupling(robot, q)
    expected = coupling.acceleration(v, footfall.forward_dynamics(robot, q, v, tau))
    u, load = coupling.velocity(v), scattered(robot, tau)
    for method in METHODS:
        a = footfall.forward_dynamics(held, q, u, load, method=method)
        assert np.abs(a - expected).max() < 1e-11
    forces = footfall.dynamics.loop_forces(held, q, u, load)
    assert forces.kept.tolist() == [1, 1, 0, 0, 0, 0]  # planar: the third says nothing, the others repeat
    assert np.abs(forces.residuals).max() < 1e-12
    pulled = footfall.inverse_dynamics(robot.spanning, q, u, a) - load
    rows = all_constraint_rows(robot, q, u)[1]
    assert np.abs(rows.T @ forces.forces[:3] - pulled).max() < 1e-11


def test_violation_of_held_loops_is_reported_and_fades() -> None:
    closure = replace(four_bar().loops[0], held_by="forces")
    ends = []
    for recovery in (0.0, 50.0):
        robot = replace(four_bar(), loops=(replace(closure, recovery=recovery),))
        q, v = footfall.neutral(robot), np.zeros(3)
        for _ in range(1000):
            v = v + 1e-3 * footfall.forward_dynamics(robot, q, v, np.zeros(3))
            q = footfall.integrate(robot, q, 1e-3 * v)
        found = footfall.dynamics.loop_violation(robot, q, v)
        assert np.abs(found.position - all_constraint_rows(robot, q, v)[0]).max() < 1e-15
        ends.append(np.abs(found.position).max())
    assert ends[0] > 1e-5
    assert ends[1] < 0.05 * ends[0]
    closed = footfall.dynamics.loop_violation(four_bar(), footfall.neutral(four_bar()), np.ones(1))
    assert np.abs(np.concatenate(closed)).max() < 1e-14


@pytest.mark.parametrize("seed", SEEDS)
def test_wrenches_of_loops_hold_the_tree(seed: int) -> None:
    """Put on the tree as outer wrenches, they leave no force on joints that follow, and all of tau on the others."""
    robot = random_looped_robot(seed, loops=1 + seed % 3)
    rng = np.random.default_rng(seed)
    q, v, a = footfall.neutral(robot), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    coupling, tree = Coupling(robot, q), robot.spanning
    outer: dict[str, Array] = {}
    for loop, wrench in zip(
        robot.loops, footfall.dynamics.loop_wrenches.textbook(robot, q, v, a), strict=True
    ):
        if loop.type.joins_frames:
            outer |= {loop.against: wrench, loop.frame: -wrench}
    forces = footfall.inverse_dynamics.textbook(
        tree, q, coupling.velocity(v), coupling.acceleration(v, a), wrenches=outer
    )
    assert robot.tree.loops is not None
    tau = footfall.inverse_dynamics.textbook(robot, q, v, a)
    scale = 1.0 + np.abs(tau).max() + max((np.abs(each).max() for each in outer.values()), default=0.0)
    if all(not loop.type.is_explicit for loop in robot.loops):
        assert np.abs(forces - scattered(robot, tau)).max() < 1e-10 * scale
    if all(loop.type is not LoopType.SCREW for loop in robot.loops):  # its rotor takes the other part
        assert np.abs(coupling.forces(forces) - tau).max() < 1e-10 * scale


def test_joint_wrenches_of_a_four_bar() -> None:
    """Each bar by itself: what its two pins transmit gives it its acceleration (Newton's and Euler's law)."""
    robot = four_bar()
    q, v, a = footfall.neutral(robot), np.array([2.0]), np.array([-1.0])
    joints = footfall.dynamics.joint_wrenches(robot, q, v, a)  # crank, coupler, rocker: from parent to child
    pin = footfall.dynamics.loop_wrenches(robot, q, v, a)[0]  # from the coupler to the rocker
    assert np.abs(pin[3:]).max() < 1e-12
    weight = np.array([0.0, -9.81, 0.0])
    for body, pushes in (("rocker", [joints[2][:3], pin[:3]]), ("coupler", [joints[1][:3], -pin[:3]])):
        ends = [footfall.frame_acceleration(robot, q, v, a, name)[:3] for name in (body, f"{body}_tip")]
        assert np.abs(sum(pushes) + weight - (ends[0] + ends[1]) / 2).max() < 1e-11  # rods of 1 kg


@pytest.mark.parametrize("seed", [4, 13])
def test_rate_of_jacobians(seed: int) -> None:
    robot = random_looped_robot(seed, loops=1, joints=5)
    rng = np.random.default_rng(seed)
    q, v, name, h = footfall.neutral(robot), rng.normal(size=robot.nv), robot.bodies[-1].name, 1e-5
    sides = [
        footfall.frame_jacobian(robot, footfall.integrate(robot, q, s * h * v), name) for s in (1.0, -1.0)
    ]
    rate = footfall.dynamics.frame_jacobian_rate(robot, q, v, name)
    assert np.abs(rate - (sides[0] - sides[1]) / (2 * h)).max() < 1e-6 * (1.0 + np.abs(rate).max())


def test_motors_on_joints_that_follow() -> None:
    """Power is the same whether forces act on all joints or, brought there, on the independent ones."""
    robot = random_looped_robot(3, loops=2, joints=5)
    rng = np.random.default_rng(1)
    q, (v, a), forces = (
        footfall.neutral(robot),
        rng.normal(size=(2, robot.nv)),
        rng.normal(size=robot.spanning.nv),
    )
    tau = footfall.dynamics.independent_forces(robot, q, forces)
    assert tau @ v == pytest.approx(forces @ footfall.dynamics.joint_rates(robot, q, v), rel=1e-12)
    h = 1e-5
    sides = [
        footfall.dynamics.joint_rates(robot, footfall.integrate(robot, q, s * h * v), v + s * h * a)
        for s in (1.0, -1.0)
    ]
    rates = footfall.dynamics.joint_accelerations(robot, q, v, a)
    assert np.abs(rates - (sides[0] - sides[1]) / (2 * h)).max() < 1e-6 * (1.0 + np.abs(rates).max())
    with pytest.raises(InvalidInput, match="one for each velocity"):
        footfall.dynamics.independent_forces(robot, q, tau)
    tree = robot.spanning
    assert np.array_equal(footfall.dynamics.independent_forces(tree, q, forces), forces)


def test_what_loops_are_not_made_for_says_so() -> None:
    robot = four_bar()
    with pytest.raises(UnsupportedFeature, match="without loops"):
        footfall.hybrid.resolve_constraints(
            robot,
            footfall.neutral(robot),
            np.zeros(1),
            np.zeros(1),
            constraints=(Constraint("rocker", ("x",)),),
        )
    held = replace(robot, loops=(replace(robot.loops[0], held_by="forces"),))
    with pytest.raises(UnsupportedFeature, match="forces hold 'closure'"):
        footfall.dynamics.joint_wrenches(held, footfall.neutral(held), np.zeros(3), np.zeros(3))


def test_the_comparison_with_multipliers_can_fail() -> None:
    robot = four_bar()
    q, u = footfall.neutral(robot), Coupling(robot, footfall.neutral(robot)).velocity(np.ones(1))
    right = accelerations_with_multipliers(robot, q, u, np.zeros(3))
    wrong = accelerations_with_multipliers(robot, q, 1.01 * u, np.zeros(3))
    assert np.abs(right - wrong).max() > 1e-3
