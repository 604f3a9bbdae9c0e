"""Closed forms: every configuration is found again, all branches give the pose, misses say how far."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.control.inverse_kinematics.analytic import (
    Chain,
    angle_between,
    angles_to_distance,
    angles_to_height,
    chain_between,
    solve_chain,
    solve_planar_arm,
    solve_reach,
    turn,
    two_angles_between,
    within_limits,
)
from footfall.errors import InvalidInput, NoSolution
from footfall.math.transform import Transform
from footfall.robot.model import Robot


def unit(rng: np.random.Generator) -> np.ndarray:
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("seed", range(10))
def test_subproblems(seed: int) -> None:
    rng = np.random.default_rng(seed)
    axis, other, point = unit(rng), unit(rng), rng.normal(size=3)
    angle, second = rng.uniform(-3, 3, size=2)
    end = turn(axis, angle) @ point
    assert angle_between(axis, point, end) == pytest.approx(angle, abs=1e-12)
    normal, offset = rng.normal(size=3), rng.normal(size=3)
    for found in angles_to_height(axis, point, normal, float(normal @ end)):
        assert normal @ turn(axis, found) @ point == pytest.approx(normal @ end, abs=1e-12)
    distance = float(np.linalg.norm(offset + end))
    found_angles = angles_to_distance(axis, point, offset, distance)
    assert len(found_angles) == 2
    for found in found_angles:
        assert np.linalg.norm(offset + turn(axis, found) @ point) == pytest.approx(distance, abs=1e-12)
    end = turn(axis, angle) @ turn(other, second) @ point
    for a, b in two_angles_between(axis, other, point, end):
        np.testing.assert_allclose(turn(axis, a) @ turn(other, b) @ point, end, atol=1e-11)


def ur_like() -> Chain:
    """Axes 2, 3 and 4 parallel, with the offsets of a UR5, m."""
    axes = [[0, 0, 1], [0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 0, -1], [0, 1, 0]]
    points = [[0, 0, 0], [0, 0.136, 0.089], [0.425, 0.016, 0.089], [0.817, 0.016, 0.089]]
    points += [[0.817, 0.109, 0.089], [0.817, 0.109, -0.005]]
    tip = Transform(np.eye(3), np.array([0.817, 0.19, -0.005]))
    return Chain(tuple("abcdef"), np.array(axes, dtype=float), np.array(points), tip)


def chains() -> dict[str, Chain]:
    lola = footfall.load("lola")
    return {
        "industrial arm": chain_between(footfall.load("arm-6r"), "world", "tip"),
        "right leg": chain_between(lola, "ba", "RF", fixed={"zfr": 0.2}),
        "left leg": chain_between(lola, "ba", "LF", fixed={"zfl": -0.1}),
        "three parallel axes": ur_like(),
        "reversed": chain_between(footfall.load("arm-6r"), "world", "tip").reversed(),
    }


CHAINS = chains()


@pytest.mark.parametrize("name", CHAINS)
def test_every_configuration_is_found_again(name: str) -> None:
    chain = CHAINS[name]
    rng = np.random.default_rng(1)
    for _ in range(40):
        angles = rng.uniform(-2.8, 2.8, size=6)
        pose = chain.pose(angles)
        solutions = solve_chain(chain, pose)
        assert 2 <= len(solutions) <= 8
        for solution in solutions:
            again = chain.pose(solution)
            np.testing.assert_allclose(again.translation, pose.translation, atol=1e-9)
            np.testing.assert_allclose(again.rotation, pose.rotation, atol=1e-9)
        nearest = min(np.abs(np.exp(1j * solution) - np.exp(1j * angles)).max() for solution in solutions)
        assert nearest < 1e-8


@pytest.mark.parametrize(
    ("name", "base", "tip", "fixed"),
    [("arm-6r", "world", "tip", {}), ("lola", "ba", "RF", {"zfr": 0.1}), ("lola", "UB", "LH", {})],
)
def test_chains_are_the_robot(name: str, base: str, tip: str, fixed: dict[str, float]) -> None:
    robot = footfall.load(name)
    chain = chain_between(robot, base, tip, fixed=fixed)
    q = footfall.random_configuration(robot, seed=3)
    for joint, angle in fixed.items():
        q[robot.q_slice(joint)] = angle
    expected = footfall.frame_pose(robot, q, base).inverse() @ footfall.frame_pose(robot, q, tip)
    pose = chain.pose(np.array([q[robot.q_slice(joint)][0] for joint in chain.joints]))
    np.testing.assert_allclose(pose.translation, expected.translation, atol=1e-13)
    np.testing.assert_allclose(pose.rotation, expected.rotation, atol=1e-13)


def test_limits_choose_among_the_branches() -> None:
    robot: Robot = footfall.load("lola")
    chain = chain_between(robot, "ba", "RF", fixed={"zfr": 0.0})
    q = robot.configuration("idle")
    pose = footfall.frame_pose(robot, q, "ba").inverse() @ footfall.frame_pose(robot, q, "RF")
    allowed = within_limits(robot, chain, solve_chain(chain, pose))
    assert len(allowed) == 1  # only one bends the knee forwards
    expected = [q[robot.q_slice(joint)][0] for joint in chain.joints]
    np.testing.assert_allclose(allowed[0], expected, atol=1e-9)


@pytest.mark.parametrize(("hand", "third"), [("RH", 0.0), ("LH", 0.0), ("RH", 0.7), ("LH", -1.1)])
def test_lolas_arm(hand: str, third: float) -> None:
    robot = footfall.load("lola")
    chain = chain_between(robot, "UB", hand)
    rng = np.random.default_rng(2)
    for _ in range(20):
        angles = np.array([*rng.uniform(-2, 2, size=2), third, rng.uniform(-2, 2)])
        target = chain.pose(angles).translation
        solutions = solve_reach(chain, target, third=third)
        assert 1 <= len(solutions) <= 4
        for solution in solutions:
            np.testing.assert_allclose(chain.pose(solution).translation, target, atol=1e-10)
        assert min(np.abs(np.exp(1j * s) - np.exp(1j * angles)).max() for s in solutions) < 1e-6
    with pytest.raises(NoSolution, match="stay off by") as caught:
        solve_reach(chain, np.array([5.0, 0.0, 0.0]))
    assert 3.5 < caught.value.residuals["position"] < 4.5


def test_planar_arm_of_section_8_1() -> None:
    both = solve_planar_arm((1.0, 1.0, 1.0), 2.0, 0.0, 5 * np.pi / 6)
    np.testing.assert_allclose(both[0], [np.pi / 6, np.pi / 3, np.pi / 3], atol=1e-14)
    np.testing.assert_allclose(both[1], [np.pi / 2, -np.pi / 3, 2 * np.pi / 3], atol=1e-14)
    with pytest.raises(NoSolution, match="the wrist stays off by 2 m"):
        solve_planar_arm((1.0, 1.0, 1.0), 5.0, 0.0, np.pi / 2)


def test_misses_say_how_far() -> None:
    chain = CHAINS["industrial arm"]
    pose = Transform(np.eye(3), np.array([0.0, 0.0, 3.0]))
    with pytest.raises(NoSolution, match="stay off by") as caught:
        solve_chain(chain, pose)
    reach = chain.pose(np.zeros(6)).translation[2]  # it stretches straight up
    assert caught.value.residuals["pose"] == pytest.approx(3.0 - reach, abs=1e-6)


def test_bad_chains() -> None:
    lola, arm = footfall.load("lola"), footfall.load("arm-7r")
    with pytest.raises(InvalidInput, match="7 hinges"):
        solve_chain(chain_between(lola, "ba", "RF"), Transform(np.eye(3), np.zeros(3)))
    with pytest.raises(InvalidInput, match="does not carry"):
        chain_between(lola, "RF", "LF")
    with pytest.raises(InvalidInput, match="hold it with"):
        chain_between(lola, "world", "RF")
    with pytest.raises(InvalidInput, match="has four"):
        solve_reach(chain_between(arm, "world", "tip"), np.zeros(3))
    skewed = CHAINS["industrial arm"]
    points = skewed.points + np.array([[0.1 * k, 0.05 * k**2, 0.0] for k in range(6)])
    with pytest.raises(InvalidInput, match="neither"):
        solve_chain(Chain(skewed.joints, skewed.axes, points, skewed.tip), skewed.tip)
