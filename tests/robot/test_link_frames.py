"""Chosen link frames: the same robot, with constants that are zero where they can be."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.bench.robots import examples_folder
from footfall.compiler.schedule import schedule
from footfall.compiler.trace import trace
from footfall.dynamics.forward_dynamics import forward_dynamics
from footfall.math.rotations import rotation_x, rotation_z
from footfall.math.transform import Transform
from footfall.robot.joint_poses import joint_transforms
from footfall.robot.model import Robot
from footfall.robot.tree import RawLink, choose_frames, cosine_and_sine
from tests.random_robots import random_robot, random_rotation


def random_links(rng: np.random.Generator, count: int) -> list[RawLink]:
    kinds = ("revolute", "prismatic", "spherical")
    return [
        RawLink(
            int(rng.integers(-1, index)) if index else -1,
            kinds[int(rng.integers(3))],  # type: ignore[arg-type]
            Transform(random_rotation(rng), rng.normal(size=3)),
        )
        for index in range(count)
    ]


def moved(kind: str, placement: Transform, offset: float, q: float) -> Transform:
    """The pose of a frame in its parent where the joint stands at q; ball joints stay."""
    if kind == "revolute":
        return placement @ Transform(rotation_z(offset + q), np.zeros(3))
    if kind == "prismatic":
        return placement @ Transform(np.eye(3), np.array([0.0, 0.0, q]))
    return placement


@pytest.mark.parametrize("seed", range(20))
def test_chosen_frames_move_as_described_ones(seed: int) -> None:
    """X_described(q) change = X_chosen(q), in the world, for all links of random trees."""
    rng = np.random.default_rng(seed)
    links = random_links(rng, 12)
    frames = choose_frames(links)
    angles = rng.uniform(-3.0, 3.0, len(links))
    described: list[Transform] = []
    chosen: list[Transform] = []
    for link, frame, q in zip(links, frames, angles, strict=True):
        one = moved(link.kind, link.placement, 0.0, q)
        other = moved(link.kind, frame.placement, frame.offset, q)
        described.append(one if link.parent < 0 else described[link.parent] @ one)
        chosen.append(other if link.parent < 0 else chosen[link.parent] @ other)
        wanted = described[-1] @ frame.change
        np.testing.assert_allclose(chosen[-1].rotation, wanted.rotation, atol=1e-13)
        np.testing.assert_allclose(chosen[-1].translation, wanted.translation, atol=1e-12)
        assert link.kind != "spherical" or np.array_equal(frame.change.rotation, np.eye(3))


def test_hinges_keep_two_turns_and_two_offsets() -> None:
    """In a chain of hinges Rx(alpha) is left of each rotation, and (a, 0, d) of each offset, as Denavit and Hartenberg
    have it; the first one has Rz(beta) besides, since the world does not turn."""
    rng = np.random.default_rng(3)
    links = [
        RawLink(k - 1, "revolute", Transform(random_rotation(rng), rng.normal(size=3) * 0.3))
        for k in range(8)
    ]
    frames = choose_frames(links)
    for k, frame in enumerate(frames):
        rotation, translation = frame.placement
        assert rotation[2, 0] == 0.0
        if k:
            np.testing.assert_array_equal(rotation[0], np.sign(rotation[0, 0]) * np.array([1.0, 0.0, 0.0]))
            np.testing.assert_array_equal(rotation[1:, 0], 0.0)
            assert np.count_nonzero(translation) <= 2
        assert -np.pi / 2 <= frame.offset <= np.pi / 2


def test_right_angles_stay_exact() -> None:
    """Robots whose frames are along axes keep zeros and ones, and need no offset of their angles."""
    lean = Transform(rotation_x(0.0), np.array([0.1, 0.0, 0.2]))
    turned = Transform(
        np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), np.array([0.0, 0.3, 0.0])
    )
    for frame in choose_frames([RawLink(-1, "revolute", turned), RawLink(0, "revolute", lean)]):
        assert set(np.abs(frame.placement.rotation).ravel().tolist()) == {0.0, 1.0}
        assert frame.offset == 0.0
    assert cosine_and_sine(np.pi / 2) == (0.0, 1.0)


@pytest.mark.parametrize("seed", range(4))
def test_frames_of_bodies_are_where_they_were(seed: int) -> None:
    """Whatever the links choose: bodies of random robots, placed one after the other by their joints alone."""
    robot = random_robot(
        seed, types=["floating", "revolute", "prismatic", "revolute", "universal"], ups=[0] * 5
    )
    q = footfall.random_configuration(robot, seed=seed)
    poses = {"world": Transform(np.eye(3), np.zeros(3))}
    for joint in robot.joints:
        alone = Robot("one", (robot.body(joint.child),), (_on_the_world(joint),))
        own = footfall.frame_pose.textbook(alone, q[robot.q_slice(joint.name)], joint.child)
        poses[joint.child] = poses[joint.parent] @ own
        actual = footfall.frame_pose.textbook(robot, q, joint.child)
        np.testing.assert_allclose(actual.rotation, poses[joint.child].rotation, atol=1e-12)
        np.testing.assert_allclose(actual.translation, poses[joint.child].translation, atol=1e-12)
    assert len(joint_transforms(robot.tree, q)) == len(robot.tree.links)


def _on_the_world(joint: footfall.Joint) -> footfall.Joint:
    from dataclasses import replace

    return replace(joint, parent="world", mimic=None)


def test_crooked_frames_cost_little() -> None:
    """iCub's frames are not along axes: 302 operations a velocity before frames were chosen, 205 since."""
    folder = examples_folder()
    if folder is None:
        pytest.skip("needs example-robot-data")
    robot = footfall.load(
        folder / "icub_description" / "robots" / "icub_reduced.urdf", strict=False, floating_base=True
    )
    program = trace(
        lambda q, v, tau: {"a": forward_dynamics.textbook(robot, q, v, tau)},
        {"q": robot.nq, "v": robot.nv, "tau": robot.nv},
    )
    assert schedule(program).work < 215 * robot.nv
