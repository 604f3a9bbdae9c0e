"""Calls that reach native code without Python: the same answers as by the kernel, and never those of another call."""

import gc
import sys
import weakref

import numpy as np
import pytest

import footfall
from footfall.compiler import build_kernel
from footfall.dynamics.algorithm import Algorithm, algorithm
from footfall.errors import InvalidInput
from footfall.hybrid import Constraint, hybrid_accelerations
from tests.dynamics.small_robots import planar_arm


@pytest.fixture(scope="module")
def robot():
    return footfall.load("quadruped")


def state(robot, seed=1000):
    rng = np.random.default_rng(seed)
    return (
        footfall.random_configuration(robot, seed=seed),
        rng.normal(size=robot.nv),
        rng.normal(size=robot.nv),
    )


def test_a_known_call_gives_the_bits_of_its_kernel(robot):
    q, v, tau = state(robot)
    first = footfall.forward_dynamics(robot, q, v, tau)
    assert np.array_equal(footfall.forward_dynamics(robot, q, v, tau), first)
    assert np.array_equal(footfall.forward_dynamics.kernel(robot)(q, v, tau), first)


def feet(robot):
    return [name for name in robot.frame_names if "foot" in name][:2]


def test_lists_that_changed_are_other_calls(robot):
    q, v, tau = state(robot)
    names = feet(robot)
    constraints = [Constraint(names[0], ("x", "y", "z"))]
    one = hybrid_accelerations(robot, q, v, tau, constraints=constraints)
    again = hybrid_accelerations(robot, q, v, tau, constraints=constraints)
    assert type(again) is type(one)
    assert np.array_equal(again.accelerations, one.accelerations)
    constraints.append(Constraint(names[1], ("x", "y", "z")))
    assert hybrid_accelerations(robot, q, v, tau, constraints=constraints).forces.shape == (6,)
    constraints.pop()
    constraints[0] = Constraint(names[1], ("z",))
    assert hybrid_accelerations(robot, q, v, tau, constraints=constraints).forces.shape == (1,)


def test_options_in_another_order_missing_or_none(robot):
    q, v, tau = state(robot)
    constraints = (Constraint(feet(robot)[0], ("x", "y", "z")),)
    b = np.array([0.1, 0.2, 0.3])
    asked = hybrid_accelerations(robot, q, v, tau, constraints=constraints, setpoints=b)
    for _ in range(2):
        other = hybrid_accelerations(robot, q, v, tau, setpoints=b, constraints=constraints)
        held = hybrid_accelerations(robot, q, v, tau, constraints=constraints, setpoints=None)
        bare = hybrid_accelerations(robot, q, v, tau, constraints=constraints)
        assert np.array_equal(other.accelerations, asked.accelerations)
        assert np.array_equal(held.accelerations, bare.accelerations)
        assert not np.array_equal(held.accelerations, asked.accelerations)


def test_a_shape_that_counts_is_looked_at():
    @algorithm(q="nq", weights="*")
    def weighted(robot, q, *, weights):
        return np.sum(weights) * q

    robot = planar_arm()
    for count in (2, 3, 2, 3):
        assert weighted(robot, np.ones(3), weights=np.ones(count))[0] == count
    assert weighted(robot, np.ones(3), weights=[1.0, 1.0])[0] == 2


def test_inside_a_trace_the_textbook_function_is_traced(robot):
    q, v, tau = state(robot)
    footfall.forward_dynamics(robot, q, v, tau)
    kernel = build_kernel(
        lambda q: footfall.forward_dynamics(robot, q, v, tau), {"q": robot.nq}, name="traced_call"
    )
    assert np.allclose(kernel(q), footfall.forward_dynamics(robot, q, v, tau), rtol=1e-9)


def test_wrong_input_of_a_known_call_is_refused(robot):
    q, v, tau = state(robot)
    footfall.forward_dynamics(robot, q, v, tau)
    with pytest.raises(InvalidInput, match="finite"):
        footfall.forward_dynamics(robot, q, v, tau * np.nan)
    with pytest.raises(InvalidInput, match="shape"):
        footfall.forward_dynamics(robot, q, v, tau[1:])
    with pytest.raises(TypeError):
        footfall.forward_dynamics(q, v, tau)
    with pytest.raises(TypeError):
        footfall.forward_dynamics()
    batch = footfall.forward_dynamics(robot, np.stack([q, q]), v, tau)
    assert batch.shape == (2, robot.nv)


def test_more_robots_than_are_remembered():
    robots = [planar_arm(lengths=(1.0, 1.0, 1.0 + k)) for k in range(20)]
    q = np.zeros(3)
    for _ in range(2):
        # The last rod alone: m l^2 / 3
        inertias = [footfall.mass_matrix(each, q)[2, 2] for each in robots]
        assert np.allclose(inertias, [(1.0 + k) ** 2 / 3 for k in range(20)])


def test_a_robot_that_goes_takes_its_code_along():
    calls = Algorithm(footfall.mass_matrix.textbook, {"q": "nq"})
    robot = planar_arm()
    calls(robot, np.zeros(3))
    gone = weakref.ref(robot)
    del robot
    gc.collect()
    assert gone() is None
    assert calls.direct is not None
    assert not calls.direct._kept
    assert not calls.direct._table.any()


def test_nothing_is_leaked(robot):
    q, v, tau = state(robot)
    constraints = [Constraint(feet(robot)[0], ("x", "y", "z"))]
    objects = (robot, q, v, tau, constraints, constraints[0])
    for _ in range(
        20
    ):  # equal constraints of another test are others: it takes a while until these are known
        hybrid_accelerations(robot, q, v, tau, constraints=constraints)
    before = [sys.getrefcount(each) for each in objects]
    for _ in range(100):
        result = hybrid_accelerations(robot, q, v, tau, constraints=constraints)
    assert [sys.getrefcount(each) for each in objects] == before
    counts = (sys.getrefcount(result), sys.getrefcount(result[0]))
    assert counts == (2, 2)
