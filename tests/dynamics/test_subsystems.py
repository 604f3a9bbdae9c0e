"""Forward dynamics with sub-systems: what they are, that they are right, and that they cost O(n)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.dynamics.forward_dynamics import articulated_bodies
from footfall.dynamics.subsystems import articulated_subsystems
from footfall.robot.model import Body, Joint, JointType, Loop, LoopType, Robot
from tests.looped_robots import at, random_looped_robot, rod, tower
from tests.random_robots import random_robot, random_state


def derivation_system() -> Robot:
    """Schwienbacher 2014, chapter 2, Fig. 2.12: B1 - B2 - B3 - B5 is a chain, B4 hangs on B1 and moves with q2 and
    q3."""
    names = ("b1", "b2", "b3", "b5", "b4")
    parents = ("world", "b1", "b2", "b3", "b1")
    axes = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.6, 0.8))
    joints = tuple(
        Joint(name, JointType.CONTINUOUS, parent, name, at(0.3, 0.1 * k), axis=axis)
        for k, (name, parent, axis) in enumerate(zip(names, parents, axes, strict=True))
    )
    loop = Loop("gear", LoopType.GEAR, joints=("b4", "b2", "b3"), coefficients=(3.0, -2.0))
    return Robot("derivation", tuple(rod(name, 0.4) for name in names), joints, loops=(loop,))


def test_the_derivation_system_has_the_subsystem_of_its_figure() -> None:
    robot = derivation_system()
    structure = robot.tree.loops
    assert structure is not None
    groups = [[robot.tree.links[link].body for link in each.links] for each in structure.subsystems]
    assert groups == [["b1"], ["b2", "b3", "b4"], ["b5"]]
    shared = structure.subsystems[1]
    assert robot.tree.links[shared.parent].body == "b1"
    assert robot.nv == 4
    assert structure.parent_velocity == (-1, 0, 1, 2)


@pytest.mark.parametrize(
    "robot", [derivation_system(), random_looped_robot(12, loops=3)], ids=lambda r: r.name
)
def test_all_methods_agree(robot: Robot) -> None:
    rng = np.random.default_rng(3)
    q, v, tau = footfall.neutral(robot), rng.normal(size=robot.nv), 10.0 * rng.normal(size=robot.nv)
    wrenches = {robot.bodies[-1].name: rng.normal(size=6), robot.bodies[1].name: rng.normal(size=6)}
    for method in ("articulated", "factorised", "dense"):
        a = footfall.forward_dynamics.textbook(robot, q, v, tau, method=method, wrenches=wrenches)
        residual = footfall.inverse_dynamics.textbook(robot, q, v, a, wrenches=wrenches) - tau
        assert np.abs(residual).max() < 1e-11 * (1.0 + np.abs(tau).max() + np.abs(a).max())


@pytest.mark.parametrize("seed", range(4))
def test_subsystems_of_single_links_are_the_classical_recursion(seed: int) -> None:
    """Schwienbacher 2014: a loop that forces hold makes no group; each link is a sub-system, and nothing changes."""
    tree = random_robot(seed, joints=8)
    state = random_state(tree, seed)
    spare = [joint.name for joint in tree.joints if joint.type.coordinates == 1]
    if len(spare) < 2:
        pytest.skip("this random robot has no two joints with one coordinate")
    loop = Loop("held", LoopType.GEAR, joints=tuple(spare[:2]), coefficients=(2.0,), held_by="forces")
    robot = replace(tree, loops=(loop,))
    assert robot.tree.loops is not None
    assert all(len(each.links) == 1 for each in robot.tree.loops.subsystems)
    ours = articulated_subsystems(robot, state.q, state.v, state.tau, None)
    classical = articulated_bodies(tree, state.q, state.v, state.tau, None)
    assert np.abs(ours - classical).max() < 1e-9 * (1.0 + np.abs(classical).max())


def test_a_tree_in_one_subsystem_is_the_dense_system() -> None:
    """Schwienbacher 2014, (2.74)-(2.90): where a gear ties the last link to the first, the recursion has one group."""
    names = ("b1", "b2", "b3", "b4")
    joints = tuple(
        Joint(name, JointType.CONTINUOUS, parent, name, at(0.4), axis=axis)
        for name, parent, axis in zip(
            names, ("world", *names), ((0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 0.6, 0.8)), strict=False
        )
    )
    gear = Loop("gear", LoopType.GEAR, joints=("b4", "b1", "b2", "b3"), coefficients=(2.0, -1.0, 0.5))
    robot = Robot("tied", tuple(rod(name, 0.4) for name in names), joints, loops=(gear,))
    assert robot.tree.loops is not None
    assert [len(each.links) for each in robot.tree.loops.subsystems] == [4]
    rng = np.random.default_rng(8)
    q, v, tau = footfall.neutral(robot), rng.normal(size=3), rng.normal(size=3)
    # The same by hand: J^T M J a = tau - J^T (b + M J' v), with velocities J v of the tree, and J constant.
    tree = replace(robot, loops=())
    jacobian = np.vstack([np.eye(3), [2.0, -1.0, 0.5]])
    mass = jacobian.T @ footfall.mass_matrix(tree, q) @ jacobian
    bias = jacobian.T @ footfall.bias_forces(tree, q, jacobian @ v)
    by_hand = np.linalg.solve(mass, tau - bias)
    ours = articulated_subsystems(robot, q, v, tau, None)
    assert np.abs(ours - by_hand).max() < 1e-12 * (1.0 + np.abs(by_hand).max()) * np.linalg.cond(mass)


def test_a_geared_rotor_leaves_the_momentum_of_a_floating_robot() -> None:
    """Forces inside turn the rotor fifty times as fast as its arm; all momentum together changes by the weight only."""
    bodies = (
        Body("base", 5.0, (0.1, 0.0, 0.2), np.diag([0.2, 0.3, 0.4])),
        rod("arm", 0.5, 2.0),
        Body("rotor", 0.3, inertia=np.diag([1e-4, 1e-4, 2e-4])),
    )
    joints = (
        Joint("root", JointType.FLOATING, "world", "base"),
        Joint("arm", JointType.CONTINUOUS, "base", "arm", at(0.2), axis=(0.0, 1.0, 0.0)),
        Joint("rotor", JointType.CONTINUOUS, "base", "rotor", at(0.1), axis=(0.0, 0.6, 0.8)),
    )
    gear = Loop("gear", LoopType.GEAR, joints=("rotor", "arm"), coefficients=(50.0,))
    robot = Robot("geared", bodies, joints, loops=(gear,))
    rng = np.random.default_rng(4)
    q, v = footfall.random_configuration(robot, seed=4), rng.normal(size=7)
    tau = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 20.0])
    step = 1e-6

    def momentum(time: float) -> Array:
        """Along the motion that forward dynamics gives at the start, to second order."""
        middle = footfall.integrate(robot, q, v * time + 0.5 * a * time**2)
        return np.asarray(footfall.centroidal_momentum(robot, middle, v + a * time))

    a = footfall.forward_dynamics(robot, q, v, tau)
    rate = (momentum(step) - momentum(-step)) / (2.0 * step)
    expected = np.array([0.0, 0.0, -9.81 * robot.mass, 0.0, 0.0, 0.0])
    assert np.abs(a).max() > 10.0
    np.testing.assert_allclose(rate, expected, atol=1e-6 * robot.mass * np.abs(a).max())
    without = replace(robot, bodies=(*bodies[:2], replace(bodies[2], inertia=1e-9 * np.eye(3))))
    assert np.abs(footfall.forward_dynamics(without, q, v, tau) - a).max() > 1.0  # the rotor matters


def test_dense_equations_pay_for_short_chains_only() -> None:
    """Devaramani 2019, section 2: the dense way is the better one below nine links. Counted in operations, twelve."""

    def ratio(links: int) -> float:
        robot = footfall.load(f"chain-{links}")
        dense, recursive = (
            footfall.forward_dynamics.kernel(robot, method=method).operations
            for method in ("dense", "articulated")
        )
        return dense / recursive

    assert ratio(6) < 0.8
    assert ratio(10) < 1.0 < ratio(12) < ratio(16)


def test_work_grows_with_the_number_of_subsystems_only() -> None:
    """Operations of the recursion grow by the same number for each unit more; those of the factor by more and more."""
    counts = [footfall.forward_dynamics.kernel(tower(units)).operations for units in (3, 5, 7)]
    assert counts[2] - counts[1] == counts[1] - counts[0]
    sparse = [
        footfall.forward_dynamics.kernel(tower(units), method="factorised").operations for units in (3, 5, 7)
    ]
    assert sparse[2] - sparse[1] > sparse[1] - sparse[0]


def test_branches_of_subsystems_stay_zero_in_the_mass_matrix() -> None:
    """What hangs on different sub-systems is not coupled: the pattern knows that."""
    robot = random_looped_robot(37, loops=2, joints=14)
    q = footfall.neutral(robot)
    mass = np.asarray(footfall.mass_matrix.textbook(robot, q))
    rows, columns = footfall.dynamics.mass_matrix_pattern(robot)
    outside = np.ones_like(mass, dtype=bool)
    outside[rows, columns] = outside[columns, rows] = False
    assert np.abs(mass[outside]).max(initial=0.0) == 0.0
    assert outside.any()
