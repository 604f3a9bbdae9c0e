"""What the decorator of the algorithms does besides computing: arguments, options, batches, tracing."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.compiler import build_kernel
from footfall.errors import InvalidInput, UnknownName


@pytest.fixture(scope="module")
def robot() -> footfall.Robot:
    return footfall.load("quadruped")


@pytest.fixture(scope="module")
def state(robot: footfall.Robot) -> tuple[np.ndarray, np.ndarray]:
    return footfall.random_configuration(robot, seed=1), np.random.default_rng(1).normal(size=robot.nv)


def test_arguments_as_in_python(robot, state) -> None:
    q, v = state
    expected = footfall.forward_dynamics(robot, q, v, v)
    assert (footfall.forward_dynamics(robot, q, v, tau=v) == expected).all()
    assert (footfall.forward_dynamics(robot, tau=v, v=v, q=q) == expected).all()
    for wrong in (
        lambda: footfall.forward_dynamics(robot, q, v),
        lambda: footfall.forward_dynamics(robot, q, v, v, v),
        lambda: footfall.forward_dynamics(robot, q, v, v, tau=v),
        lambda: footfall.forward_dynamics(robot, q, v, v, nothing=1),
    ):
        with pytest.raises(TypeError):
            wrong()


def test_options_have_their_own_kernels(robot, state) -> None:
    q, _ = state
    frames = [body.name for body in robot.bodies][-2:]
    one, other = (footfall.frame_jacobian(robot, q, frame) for frame in frames)
    assert np.abs(one - other).max() > 0.0
    assert (footfall.frame_jacobian(robot, q, frame=frames[0]) == one).all()
    some = footfall.forward_kinematics(robot, q, frames=list(frames))
    assert (some.position == footfall.forward_kinematics(robot, q).position[-2:]).all()
    with pytest.raises(UnknownName, match="no frame 'nowhere'"):
        footfall.frame_jacobian(robot, q, "nowhere")


def test_wrenches_by_name(robot, state) -> None:
    """`M da = J^T w`, and kernels for one and for two wrenches do not get mixed up."""
    q, v = state
    rng = np.random.default_rng(2)
    names = [robot.bodies[0].name, robot.bodies[-1].name]
    wrenches = {name: rng.normal(size=6) for name in names}
    base = footfall.forward_dynamics(robot, q, v, v)
    total = np.zeros(robot.nv)
    for count in (1, 2):
        some = dict(list(wrenches.items())[:count])
        total += footfall.frame_jacobian(robot, q, names[count - 1]).T @ wrenches[names[count - 1]]
        change = footfall.forward_dynamics(robot, q, v, v, wrenches=some) - base
        assert np.abs(footfall.mass_matrix(robot, q) @ change - total).max() < 1e-9


def test_batches_and_results_keep_their_types(robot, state) -> None:
    q, v = state
    poses = footfall.forward_kinematics(robot, np.tile(q, (5, 1)))
    assert type(poses) is footfall.dynamics.Poses
    assert poses.position.shape == (5, len(robot.bodies), 3)
    assert type(footfall.kinetic_energy(robot, q, v)) is float
    assert footfall.kinetic_energy(robot, np.tile(q, (5, 1)), v).shape == (5,)


def test_errors_name_the_argument(robot, state) -> None:
    q, v = state
    with pytest.raises(InvalidInput, match=r"forward_dynamics: tau has shape \(3,\)"):
        footfall.forward_dynamics(robot, q, v, np.zeros(3))
    with pytest.raises(InvalidInput, match=r"inverse_dynamics: v\[0\] is nan"):
        footfall.inverse_dynamics(robot, q, v * np.nan, v)


def test_algorithms_trace_into_one_kernel(robot, state) -> None:
    """Inside a trace the same names are traced along; one kernel replaces two calls."""
    q, v = state

    def residual(q, v, tau):
        return footfall.inverse_dynamics(robot, q, v, footfall.forward_dynamics(robot, q, v, tau)) - tau

    kernel = build_kernel(residual, {"q": robot.nq, "v": robot.nv, "tau": robot.nv})
    assert np.abs(kernel(q, v, v)).max() < 1e-9


def test_the_textbook_is_plain_numpy(robot, state) -> None:
    q, v = state
    native = footfall.forward_dynamics(robot, q, v, v)
    assert (
        np.abs(footfall.forward_dynamics.textbook(robot, q, v, v) - native).max()
        < 1e-10 * np.abs(native).max()
    )


def test_kernels_can_be_bound(robot, state) -> None:
    q, v = state
    out = np.empty(robot.nv)
    run = footfall.forward_dynamics.kernel(robot).bind(q.copy(), v.copy(), v.copy(), out)
    run()
    assert (out == footfall.forward_dynamics(robot, q, v, v)).all()
    kernel = footfall.forward_dynamics.kernel(robot, wrenches=(robot.bodies[0].name,))
    assert [shape for _, shape in kernel.signature.inputs][-1] == (6,)


def test_kernels_do_not_leak_between_robots_that_move_alike() -> None:
    """What is fixed to the world, and how mass is split between welded bodies, matters to some algorithms only."""
    inertia = np.eye(3)
    for masses in ((1.0, 2.0), (5.0, 2.0)):
        base = footfall.Body("base", masses[0], np.zeros(3), inertia)
        arm = footfall.Body("arm", masses[1], np.array([0.0, 0.0, 1.0]), inertia)
        robot = footfall.Robot(
            "r",
            (base, arm),
            (
                footfall.Joint("weld", footfall.JointType.FIXED, "world", "base"),
                footfall.Joint("hinge", footfall.JointType.REVOLUTE, "base", "arm", axis=(1.0, 0.0, 0.0)),
            ),
        )
        zero = np.zeros(1)
        native = footfall.dynamics.joint_wrenches(robot, zero, zero, zero)
        assert (
            np.abs(native - footfall.dynamics.joint_wrenches.textbook(robot, zero, zero, zero)).max() < 1e-12
        )
        assert abs(native[0, 2] - 9.81 * sum(masses)) < 1e-12


def test_a_robot_that_cannot_move() -> None:
    body = footfall.Body("stone", 1.0, np.zeros(3), np.eye(3))
    robot = footfall.Robot(
        "stone", (body,), (footfall.Joint("j", footfall.JointType.FIXED, "world", "stone"),)
    )
    assert footfall.mass_matrix(robot, np.zeros(0)).shape == (0, 0)
    assert footfall.frame_pose(robot, np.zeros(0), "stone").rotation.shape == (3, 3)


def test_shapes_are_checked_inside_a_trace(robot) -> None:
    for size in (robot.nq + 5, robot.nq - 1):
        with pytest.raises(InvalidInput, match=f"q has shape \\({size},\\); it must be \\({robot.nq},\\)"):
            build_kernel(lambda q: footfall.gravity_forces(robot, q), {"q": size})


def test_arguments_in_the_wrong_places(robot, state) -> None:
    q, v = state
    for wrong, message in (
        (lambda: footfall.frame_pose(robot, q, None), "frame cannot be NoneType"),
        (lambda: footfall.frame_pose(robot, "base", q), "frame cannot be ndarray"),
        (lambda: footfall.forward_dynamics(robot, q, v, v, wrenches=np.zeros(6)), "map names to arrays"),
        (lambda: footfall.forward_dynamics("quadruped", q, v, v), "first argument is a robot"),
    ):
        with pytest.raises(TypeError, match=message):
            wrong()
    assert "forward_dynamics(robot" in repr(footfall.forward_dynamics)
